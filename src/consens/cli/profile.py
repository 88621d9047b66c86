"""`consens profile`: describe clusters by the columns of a table, in original units."""

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consens.cli import console, inputs, options
from consens.cli.configuration import argument, check_suffix, config_path, option
from consens.cli.options import File
from consens.cli.result import cells_of, rows_of, stem, write_table


@dataclass(kw_only=True)
class ProfileJob(options.Printing, options.Reading):
    """Options of `consens profile`."""

    file: Path = argument("FILE", f"The table of the objects: {options.TABLES}.")
    labels: Path = argument("LABELS", "labels.csv of consens cluster or combine.")
    out: File = option(
        "FILE",
        "The profile, .csv or .xlsx. Default: name-profile.csv for name.csv.",
        "--out",
        "-o",
    )


def profile(job: ProfileJob) -> None:
    """Describe clusters by the columns of a table.

    For each cluster: size, medians and quartiles in original units, most frequent categories,
    shares of gaps, and the columns that distinguish it first.
    """
    out = job.out or Path(f"{stem(job.file)}-profile.csv")
    check_suffix("--out", out, ".csv", ".xlsx")
    reader_options = job.reader_options()
    import consens
    from consens import io as tables
    from consens._support.files import output_folder

    with output_folder(out.parent, (out.name,)):
        ids = inputs.ids_of_result(job.labels)
        if ids is None:
            raise ValueError(f"{job.labels} is not a labels.csv of consens")
        if reader_options["id_column"] is None and ids != "id":
            reader_options["id_column"] = ids
        table = tables.read_table(job.file, **reader_options)
        label, _ = inputs.read_clustering(job.labels)
        lost = [own for own in map(str, table.ids) if own not in label]
        if len(lost) == len(table.ids):
            raise ValueError(f"{job.labels} has none of the objects of {job.file}")
        rows = consens.profile(table.frame, [label.get(str(own)) for own in table.ids])
        content: Any = rows_of(rows)
        if out.suffix.lower() == ".xlsx":
            buffer = io.BytesIO()
            rows.to_excel(buffer, index=False, sheet_name="profile")
            content = buffer.getvalue()
        write_table(content, out, job, table.dialect)
    if job.json:
        console.echo_json(cells_of(rows, None).to_dict("records"))
    elif not job.quiet:
        if lost:
            console.note(f"note: {len(lost)} rows of {job.file} have no label")
        _show(rows)
        console.written([out, config_path(out)])


def _show(rows: Any) -> None:
    """Print the three most distinctive columns of each cluster."""
    shown = []
    for (cluster, size), own in rows.groupby(["cluster", "size"], sort=False):
        words = [
            f"{row['column']} {_cell(row['most_frequent'], row['median'])} "
            f"({row['difference']:+.1f})"
            for _, row in own.head(3).iterrows()
        ]
        shown.append([cluster, size, ", ".join(words)])
    console.table(["cluster", "size", "distinguished by"], shown, right=False)


def _cell(name: Any, value: Any) -> str:
    if isinstance(name, str):
        return name
    return value if isinstance(value, str) else f"{value:g}"
