"""`consens combine`: combine an ensemble, or the columns of a table, into one clustering."""

from dataclasses import dataclass
from pathlib import Path

from consens.cli import options, pipeline, result
from consens.cli.configuration import argument, option
from consens.cli.options import Text
from consens.cli.stages import CONSENSUS


@dataclass(kw_only=True)
class CombineJob(
    options.ResultFolder,
    options.Printing,
    options.Parallel,
    options.LabelColumns,
    options.ReadingClusterings,
    options.Seeded,
    options.Combination,
    options.Parameters,
):
    """Options of `consens combine`."""

    file: Path = argument(
        "FILE",
        "An ensemble x.ens, or labels, one object per row and one clustering per column: "
        f"{options.TABLES}. Empty cells and NA are missing, -1 is noise.",
    )
    method: Text = option(
        "NAME",
        "Consensus method, see consens methods. Default: that of consens.combine, which "
        "also chooses the number of clusters.",
        autocompletion=CONSENSUS.complete,
    )
    reference: Text = option(
        "NAME", "The clustering whose names the clusters get; it is combined with the others."
    )


def combine(job: CombineJob) -> None:
    """Combine clusterings that you already have into one.

    Every column except the id is a clustering, unless --columns names them; cluster names need not
    match between columns.
    """
    outputs = result.Outputs.in_folder(job.out, job.file)
    result.print_summary(pipeline.combine_labels(job, outputs, job.reference), job)
