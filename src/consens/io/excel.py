"""Spreadsheets: numbers and dates of a sheet are kept, text is converted as in text files."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime
from typing import Any

import pandas as pd
import pyarrow as pa

from consens._cells import MISSING_CELLS, parse_columns
from consens._support.printable import listed
from consens.io.formats import Content, Format, Request, TableHeader, refuse_damaged, register
from consens.io.text import convert_columns, find_layout

_HEADER_ROWS = 20
_CELL_BYTES = 64  # size of a cell as a Python object


def excel_header(request: Request) -> TableHeader:
    """Read the names from the first rows, and the size that the sheet states."""
    with _sheet(request) as (sheet, _):
        names = find_layout(request, _numbered(_rows(request, sheet, _HEADER_ROWS))).names
        n, d = sheet.max_row or 1, sheet.max_column or 1
    return TableHeader(dict.fromkeys(names, "cells"), n - 1, float(_CELL_BYTES) * n * d)


def read_excel(request: Request) -> Content:
    """Read the first sheet, or the one that `array` names."""
    with _sheet(request) as (sheet, epoch):
        rows = _rows(request, sheet)
        others = [name for name in sheet.parent.sheetnames if name != sheet.title]
    layout = find_layout(request, _numbered(rows[:_HEADER_ROWS]))
    body = rows[layout.skip :]
    ids = request.options.get("id_column") or (layout.names[0] if layout.named_id else None)
    notes = [layout.note] if layout.note else []
    if others and not request.options.get("array"):
        notes.insert(0, f"the first sheet is read; there are also {listed(others)} (array=)")
    columns = {}
    for i, name in enumerate(layout.names):
        cells = [row[i] for row in body]
        if name != ids and name not in request.options.get("drop", ()):
            cells = _numbers_in_text(request, name, cells, notes)
        columns[name] = _column(cells, epoch, text=name == ids)
    found = convert_columns(request, pa.table(columns), layout, ",")
    return replace(found, notes=[*notes, *found.notes], dialect=None)


register(Format((".xlsx",), excel_header, read_excel, arrays=True))


@contextmanager
def _sheet(request: Request) -> Iterator[tuple[Any, datetime]]:
    """Open a sheet; also yields the day from which serial numbers of dates are counted."""
    import openpyxl

    with refuse_damaged(request, "an xlsx file"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about missing styles and the like
        book = openpyxl.load_workbook(request.path, read_only=True, data_only=True)
    try:
        name = request.options.get("array") or book.sheetnames[0]
        if name not in book.sheetnames:
            raise ValueError(f"{request} has no sheet {name!r}; it has {listed(book.sheetnames)}")
        yield book[name], book.epoch
    finally:
        book.close()


def _rows(request: Request, sheet: Any, most: int | None = None) -> list[list[Any]]:
    """Return the rows of a sheet without empty ones, and without empty columns around."""
    with refuse_damaged(request, "an xlsx file"):
        rows = [list(row) for row in sheet.iter_rows(max_row=most, values_only=True)]
    rows = [row for row in rows if any(cell not in (None, "") for cell in row)]
    if not rows:
        raise ValueError(f"{request} is empty")
    places = {i for row in rows for i, cell in enumerate(row) if cell not in (None, "")}
    first, end = min(places), max(places) + 1
    return [(row + [None] * end)[first:end] for row in rows]


def _numbered(rows: Sequence[Sequence[Any]]) -> list[tuple[list[str], int]]:
    return [([_shown(cell) for cell in row], number) for number, row in enumerate(rows, 1)]


def _numbers_in_text(request: Request, name: str, cells: list[Any], notes: list[str]) -> list[Any]:
    """Convert numbers stored as text in a column that also holds numbers."""
    skipped = {*MISSING_CELLS, *request.options.get("na", ())}
    text = [c if isinstance(c, str) and c.strip() not in skipped else None for c in cells]
    real = [isinstance(c, int | float) and not isinstance(c, bool) for c in cells]
    if not any(real) or not any(text) or any("%" in cell for cell in text if cell):
        return cells  # a real cell that is shown as 12 % holds 0.12
    frame = pd.DataFrame({name: pd.Series(text, dtype=object)})
    try:
        found = parse_columns(frame, decimal=request.options.get("decimal"))
    except ValueError as error:
        raise ValueError(f"{request}: {error}") from None
    column = found.columns.get(name)
    if column is None or column.dtype.kind != "f":
        return cells
    notes += found.notes.values()
    return [cell if t is None else v for cell, t, v in zip(cells, text, column, strict=True)]


def _column(cells: Sequence[Any], epoch: datetime, *, text: bool) -> pa.Array:
    """Convert cells to numbers, dates or booleans if all have that type, else to text."""
    known = [cell for cell in cells if cell is not None and cell != ""]
    flags = [isinstance(cell, bool) for cell in known]
    numbers = [isinstance(cell, int | float) and not isinstance(cell, bool) for cell in known]
    dates = [isinstance(cell, date) for cell in known]
    if text or not known:
        pass
    elif all(flags) or all(numbers):
        return pa.array([None if cell == "" else cell for cell in cells], from_pandas=True)
    elif any(dates) and all(a or b for a, b in zip(dates, numbers, strict=True)):
        from openpyxl.utils.datetime import from_excel

        whole = [from_excel(c, epoch) if isinstance(c, int | float) else c for c in cells]
        return pa.array([None if cell == "" else cell for cell in whole], pa.timestamp("us"))
    return pa.array([_shown(cell) for cell in cells], pa.string())


def _shown(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, datetime):
        return cell.isoformat(" ") if cell.time().isoformat() != "00:00:00" else str(cell.date())
    return str(cell)
