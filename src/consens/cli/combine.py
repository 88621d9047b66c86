"""`consens combine`: an ensemble, or a table of label columns, to one clustering."""

from dataclasses import dataclass
from pathlib import Path

from consens.cli import options, pipeline, result
from consens.cli.configuration import argument, option
from consens.cli.options import File, Text
from consens.cli.stages import CONSENSUS


@dataclass(kw_only=True)
class CombineJob(options.ResultFolder, pipeline.LabelJob):
    """What `consens combine` is asked to do."""

    file: Path = argument(
        "FILE",
        "An ensemble x.ens, or labels, one object per row and one clustering per column: "
        f"{options.TABLES}. Empty cells and NA are missing, -1 is noise.",
    )
    method: Text = option(
        "NAME",
        "Consensus method, see consens methods. Left out: that of consens.combine, which "
        "also chooses the number of clusters.",
        autocompletion=CONSENSUS.complete,
    )
    features: File = option(
        "FILE",
        "The table that consens generate made the ensemble of. With it the number of "
        "clusters is chosen as by consens cluster; methods that use features get them.",
    )


def combine(job: CombineJob) -> None:
    """Combine clusterings that you already have into one.

    Every column but the id is a clustering; columns may name their clusters as they like.
    """
    outputs = result.Outputs.in_folder(job.out, job.file)
    result.print_summary(pipeline.combine_labels(job, outputs, job.features), job)
