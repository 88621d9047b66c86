"""`consens measure`: how good clusterings are, against the truth and against an ensemble."""

import csv
import io as text_io
import json as json_format
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from consens.cli import configuration, console, inputs, options
from consens.cli.configuration import configured


@configured
def measure(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Clusterings: labels.csv of consens cluster, a table of label columns, or an "
            "ensemble x.ens.",
        ),
    ],
    truth: Annotated[
        Path | None, typer.Option("--truth", metavar="FILE", help="A table with the classes.")
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(
            "--column", metavar="NAME", help="Column of the classes, if the table has several."
        ),
    ] = None,
    ensemble: Annotated[
        Path | None,
        typer.Option(
            "--ensemble",
            metavar="x.ens",
            help="Ensemble, or table of label columns, that the clusterings should agree with. "
            "Left out: FILE itself, if it holds several.",
        ),
    ] = None,
    id_column: options.IdColumn = None,
    no_id: options.NoId = False,
    drop: options.Drop = None,
    header: options.Header = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE.csv", help="Write the table.")
    ] = None,
    config: options.Config = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Score clusterings.

    Against classes: nmi, ari and error (share of objects in the wrong cluster). Against an
    ensemble: anmi, the mean NMI with its members. Of several clusterings also the reliability
    of each, which is its agreement with the others, and the diversity of the ensemble: D_NMI is
    the mean of 1 - NMI over pairs of members.
    """
    id_choice = options.id_choice(id_column, no_id)
    if column is not None and truth is None:
        raise typer.BadParameter("needs --truth FILE", param_hint="--column")
    given = [*(drop or ()), *(["confidence"] if is_result(file) else [])]
    found = inputs.read_clusterings(file, id_choice, given, header, quiet=quiet)
    classes = None if truth is None else _classes(truth, column, header, found)
    others = None
    if ensemble is not None:
        others = _aligned(
            inputs.read_clusterings(ensemble, None, None, header, quiet=quiet), found, ensemble
        )
    elif found.ensemble.shape[1] > 1:
        others = found.ensemble
    with console.progress("measuring", quiet=quiet):
        scores = score(found.ensemble, classes, others)
    if out is not None:
        from consens.files import output_folder, write_files

        with output_folder(out.parent, (out.name,)):
            files = {
                out.name: _table(scores["clusterings"]),
                configuration.beside(out).name: configuration.resolved_text(),
            }
            write_files(out.parent, files)
    if json:
        typer.echo(json_format.dumps(scores, indent=2, ensure_ascii=False))
    elif not quiet:
        _show(scores)


def score(ensemble: Any, classes: Any, others: Any) -> dict[str, Any]:
    """Scores of each clustering, and of all together."""
    from consens.measure import anmi, ari, diversity, error_rate, member_reliability, nmi

    several = ensemble.shape[1] > 1
    reliability = member_reliability(ensemble) if several else ()
    rows = []
    for m, labels in enumerate(ensemble.labels.T):
        record = ensemble.records[m]
        row: dict[str, Any] = {"clustering": record.get("name") or f"m{m}"}
        row["n_clusters"] = int(ensemble.n_clusters[m])
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


def is_result(file: Path) -> bool:
    """Whether a file is a labels.csv of ours, whose third column is no clustering."""
    if file.suffix.lower() != ".csv" or not file.is_file():
        return False
    with open(file, encoding="utf-8", errors="replace") as lines:
        return lines.readline().rstrip() == "id,label,confidence"


def _classes(
    file: Path, column: str | None, header: bool | None, found: inputs.Clusterings
) -> Any:
    from consens.io.labels import truth_table

    table = truth_table(file, column, header=header)
    order = _order(table.ids, table.id_column, found, file)
    return table.labels.iloc[order, 0].to_numpy(dtype=object)


def _aligned(other: inputs.Clusterings, found: inputs.Clusterings, file: Path) -> Any:
    return other.ensemble[_order(other.ids, other.id_column, found, file)]


def _order(
    ids: Sequence[Any], id_column: str | None, found: inputs.Clusterings, file: Path
) -> list[int]:
    """Rows of a table in the order of the clusterings: by ids, or as they stand."""
    if id_column is None or found.id_column is None or list(ids) == list(found.ids):
        if len(ids) != len(found.ids):
            raise ValueError(
                f"{file} has {len(ids)} objects, the clusterings have {len(found.ids)}, and "
                "there are no ids in both to tell which is which"
            )
        return list(range(len(ids)))
    place = {str(name): row for row, name in enumerate(ids)}
    lost = [name for name in found.ids if str(name) not in place]
    if lost:
        raise ValueError(f"{file} does not have the object {lost[0]!r} ({len(lost)} in all)")
    return [place[str(name)] for name in found.ids]


def _table(rows: Sequence[dict[str, Any]]) -> str:
    text = text_io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _show(scores: dict[str, Any]) -> None:
    rows = scores["clusterings"]
    cells = [
        [f"{value:.3f}" if isinstance(value, float) else str(value) for value in row.values()]
        for row in rows
    ]
    if len(rows) > 1:
        means = [
            sum(row[name] for row in rows) / len(rows) if isinstance(rows[0][name], float) else ""
            for name in rows[0]
        ]
        cells.append(["mean", *(f"{m:.3f}" if m != "" else "" for m in means[1:])])
    console.table(list(rows[0]), cells, right=True)
    if scores["diversity"]:
        typer.echo("")
        measures = [[name, f"{value:.3f}"] for name, value in scores["diversity"].items()]
        console.table(["of the ensemble", ""], measures, right=False)
