"""`consens measure`: score clusterings against known classes and against an ensemble."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consens.cli import console, inputs, options
from consens.cli.configuration import argument, option, usage_error
from consens.cli.options import File, Text
from consens.cli.result import write_table


@dataclass(kw_only=True)
class MeasureJob(options.Printing, options.ReadingClusterings):
    """Options of `consens measure`."""

    file: Path = argument(
        "FILE",
        "Clusterings: labels.csv of consens cluster, a table of label columns, or an "
        "ensemble x.ens.",
    )
    truth: File = option("FILE", "A table with the classes.")
    column: Text = option("NAME", "Column of the classes, if the table has several.")
    ensemble: File = option(
        "x.ens",
        "Ensemble, or table of label columns, to compare with. Default: FILE, if it holds "
        "several clusterings.",
    )
    out: File = option("FILE.csv", "Write the table.", "--out", "-o")


def measure(job: MeasureJob) -> None:
    """Score clusterings.

    Against classes: nmi, ari and error (share of objects in the wrong cluster). Against an
    ensemble: anmi, the mean NMI with its members. For several clusterings also the reliability
    of each, which is its agreement with the others, and the diversity of the ensemble: D_NMI is
    the mean of 1 - NMI over pairs of members.
    """
    reader_options = job.reader_options(job.truth, job.ensemble)
    if job.column is not None and job.truth is None:
        raise usage_error("--column", "needs --truth FILE")
    if (ids := inputs.ids_of_result(job.file)) is not None:
        reader_options["columns"] = reader_options.get("columns") or ["label"]
        if reader_options["id_column"] is None:
            reader_options["id_column"] = ids
    found = inputs.read_clusterings(job.file, reader_options, quiet=job.quiet)
    classes = None
    if job.truth is not None:
        classes = read_classes(job.truth, job.column, found, header=job.header)
    others = None
    if job.ensemble is not None:
        other = inputs.read_clusterings(job.ensemble, {"header": job.header}, quiet=job.quiet)
        others = other.ensemble[_order(other.ids, other.id_column, found, job.ensemble)]
    elif found.ensemble.shape[1] > 1:
        others = found.ensemble
    with console.progress(job.file.name, "measuring", quiet=job.quiet):
        scores = score(found.ensemble, classes, others)
    if job.out is not None:
        from consens._support.files import output_folder

        rows = scores["clusterings"]
        with output_folder(job.out.parent, (job.out.name,)):
            cells = [list(rows[0]), *(list(row.values()) for row in rows)]
            write_table(cells, job.out, job, found.dialect)
    if job.json:
        console.echo_json(scores)
    elif not job.quiet:
        _show(scores)


def score(ensemble: Any, classes: Any, others: Any) -> dict[str, Any]:
    """Score each clustering, and the ensemble as a whole."""
    from consens.measure import anmi, ari, diversity, error_rate, member_reliability, nmi

    several = ensemble.shape[1] > 1
    reliability = member_reliability(ensemble) if several else ()
    rows = []
    for m, labels in enumerate(ensemble.labels.T):
        row: dict[str, Any] = {
            "clustering": ensemble.records[m].get("name") or f"m{m}",
            "n_clusters": int(ensemble.n_clusters[m]),
        }
        if classes is not None:
            row |= {
                "nmi": nmi(classes, labels),
                "ari": ari(classes, labels),
                "error": error_rate(classes, labels),
            }
        if others is not None:
            row["anmi"] = anmi(labels, others)
        if several:
            row["reliability"] = float(reliability[m])
        rows.append(row)
    together = {}
    if others is not None and others.shape[1] > 1:
        together = diversity(others, None if several else ensemble.labels[:, 0], classes)
    return {"n_objects": ensemble.shape[0], "clusterings": rows, "diversity": together}


def read_classes(file: Path, column: str | None, found: Any, *, header: bool | None) -> Any:
    """Read the classes of objects, in the order of `found`, which has ids and their column."""
    from consens.io.labels import read_truth_table
    from consens.io.tables import read_header

    known = read_header(file, header=header).columns
    ids = found.id_column if found.id_column in known and found.id_column != column else None
    table = read_truth_table(file, column, header=header, id_column=ids)
    order = _order(table.ids, table.id_column, found, file)
    return table.labels.iloc[order, 0].to_numpy(dtype=object)


def _order(ids: Sequence[Any], id_column: str | None, found: Any, file: Path) -> list[int]:
    """Return the rows of a table in the order of the clusterings, matched by ids if possible."""
    if id_column is None or found.id_column is None or list(ids) == list(found.ids):
        if len(ids) != len(found.ids):
            raise ValueError(
                f"{file} has {len(ids)} objects, the clusterings have {len(found.ids)}, and "
                "they cannot be matched without ids in both"
            )
        return list(range(len(ids)))
    place = {str(name): row for row, name in enumerate(ids)}
    lost = [name for name in found.ids if str(name) not in place]
    if lost:
        raise ValueError(f"{file} does not have the object {lost[0]!r} ({len(lost)} in all)")
    return [place[str(name)] for name in found.ids]


def _show(scores: dict[str, Any]) -> None:
    rows = scores["clusterings"]
    cells = [list(row.values()) for row in rows]
    if len(rows) > 1:
        columns = list(zip(*cells, strict=True))[1:]
        means = [sum(c) / len(c) if isinstance(c[0], float) else None for c in columns]
        cells.append(["mean", *means])
    console.table(list(rows[0]), cells, right=True)
    if scores["diversity"]:
        console.echo("")
        console.table(["of the ensemble", ""], list(scores["diversity"].items()), right=False)
