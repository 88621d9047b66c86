"""`consens compare`: score several consensus methods on the same clusterings."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consens.cli import console, inputs, options, pipeline
from consens.cli.configuration import (
    PICTURES,
    argument,
    check_suffix,
    config_path,
    flag,
    option,
    refuse,
    usage_error,
)
from consens.cli.measure import read_classes
from consens.cli.options import File, Number, Text, Texts
from consens.cli.result import cells_of, rows_of, stem, write_table
from consens.cli.stages import CONSENSUS


@dataclass(kw_only=True)
class CompareJob(
    options.Printing,
    options.Parallel,
    options.ReadingClusterings,
    options.Generation,
    options.Preparing,
    options.Seeded,
):
    """Options of `consens compare`."""

    file: Path = argument(
        "FILE",
        "Features, one object per row; with --labels, one clustering per column: "
        f"{options.TABLES}; or an ensemble x.ens.",
    )
    labels: bool = flag("FILE holds clusterings, as for consens combine.", "--labels")
    method: Texts = option(
        "NAME",
        "Consensus method, see consens methods, or default; may be repeated. Default: the "
        "default of consens combine and six well-known methods.",
        autocompletion=CONSENSUS.complete,
    )
    n_clusters: Number = option(
        "N", "Number of clusters. Default: chosen from the data.", "--n-clusters", "-k", min=1
    )
    truth: File = option("FILE", "A table with the classes.")
    column: Text = option("NAME", "Column of the classes, if the table has several.")
    plot: File = option(
        "FILE", "Also draw the agreement of the answers as heat map: .svg, .png or .pdf."
    )
    out: File = option(
        "FILE.csv", "The table. Default: name-compare.csv for name.csv.", "--out", "-o"
    )


def compare(job: CompareJob) -> None:
    """Compare consensus methods on the same clusterings.

    For each method: NMI and ARI with known classes, mean NMI with the clusterings (agreement),
    seconds and rank. If FILE holds features, the clusterings are generated once for all methods.
    """
    job.check_jobs()
    if job.column is not None and job.truth is None:
        raise usage_error("--column", "needs --truth FILE")
    if job.plot is not None:
        check_suffix("--plot", job.plot, *PICTURES)
    given = [CONSENSUS.short(name) for name in job.method or ()]
    names = [CONSENSUS.find(name, "--method").__name__ for name in given if name != "default"]
    job.reader_options(job.truth)
    inputs.refuse_columns(job)
    out = job.out or Path(f"{stem(job.file)}-compare.csv")
    from consens._support.files import output_folder
    from consens.show.comparison import COMPARED
    from consens.show.comparison import compare as compare_methods

    methods = COMPARED if not given else ["default"] * ("default" in given) + names
    with output_folder(out.parent, (out.name,)):
        found, pool, dialect = _read(job, out)
        classes = None
        if job.truth is not None:
            classes = read_classes(job.truth, job.column, found, header=job.header)
        with console.progress(job.file.name, "consensus", quiet=job.quiet):
            result = compare_methods(
                pool, methods, truth=classes, n_clusters=job.n_clusters, random_state=job.seed
            )
        rows = result.table.reset_index()
        write_table(rows_of(rows), out, job, dialect)
        written = [out, config_path(out)]
        if job.plot is not None:
            result.plot().figure_.savefig(job.plot)
            written.append(job.plot)
    if job.json:
        records = cells_of(rows, None).to_dict("records")
        console.echo_json({"methods": records, "similarity": result.similarity.to_dict("list")})
    elif not job.quiet:
        _show(rows)
        console.written(written)


def _read(job: CompareJob, out: Path) -> tuple[Any, Any, Any]:
    """Read clusterings, or read features and make clusterings of them."""
    if job.labels or inputs.is_folder(job.file):
        refuse(job, "generator members store", "FILE holds clusterings already")
        found = inputs.read_clusterings(job.file, job.reader_options(), quiet=job.quiet)
        return found, found.ensemble, found.dialect
    from consens._engine import default_generator

    made = pipeline.make_generator(job, {}, default=default_generator())
    with pipeline.seeded_generator(job, made, out) as generator:
        data = inputs.read_feature_table(job.file, job, quiet=job.quiet)
        with console.progress(job.file.name, "members", quiet=job.quiet):
            return data, generator.fit_transform(data.X), data.dialect


def _show(rows: Any) -> None:
    """Print the table."""
    shown = rows.assign(rank=rows["rank"].map("{:g}".format, na_action="ignore"))
    console.table(list(rows.columns), cells_of(shown, None).to_numpy(), right=False)
