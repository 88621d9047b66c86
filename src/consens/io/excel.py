"""Spreadsheets: a sheet of an xlsx file is converted to text and read as such."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

import pyarrow as pa

from consens._support.printable import listed
from consens.io.formats import Format, Request, TableHeader, refuse_damaged, register
from consens.io.text import csv_text, read_text, text_header

_HEADER_ROWS = 20
_CELL_BYTES = 64  # size of a cell as a Python object


def excel_header(request: Request) -> TableHeader:
    """Read the names from the first rows, and the size that the sheet states."""
    with _sheet(request) as sheet:
        header = text_header(_as_text(request, sheet, _HEADER_ROWS))
        n, d = sheet.max_row or 1, sheet.max_column or 1
    return header._replace(n_rows=n - 1, n_bytes=float(_CELL_BYTES) * n * d)


def read_excel(request: Request) -> tuple[pa.Table, str | None]:
    """Read the first sheet, or the one that `array` names."""
    with _sheet(request) as sheet:
        text = _as_text(request, sheet)
    return read_text(text)


register(Format((".xlsx",), excel_header, read_excel, arrays=True))


@contextmanager
def _sheet(request: Request) -> Iterator[Any]:
    import openpyxl

    with refuse_damaged(request, "an xlsx file"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about missing styles and the like
        book = openpyxl.load_workbook(request.path, read_only=True, data_only=True)
    try:
        name = request.options.get("array") or book.sheetnames[0]
        if name not in book.sheetnames:
            raise ValueError(f"{request} has no sheet {name!r}; it has {listed(book.sheetnames)}")
        yield book[name]
    finally:
        book.close()


def _as_text(request: Request, sheet: Any, most: int | None = None) -> Request:
    with refuse_damaged(request, "an xlsx file"):
        cells = [
            ["" if cell is None else _shown(cell) for cell in row]
            for row in sheet.iter_rows(max_row=most, values_only=True)
        ]
    rows = [row for row in cells if any(row)]
    if not rows:
        raise ValueError(f"{request} is empty")
    width = 1 + max(i for row in rows for i, cell in enumerate(row) if cell)
    padded = [(row + [""] * width)[:width] for row in rows]
    options = request.options | {"sep": ",", "decimal": ".", "encoding": "utf-8"}
    return replace(request, content=csv_text(padded).encode(), options=options)


def _shown(cell: object) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, datetime):
        return cell.isoformat(" ") if cell.time().isoformat() != "00:00:00" else str(cell.date())
    return str(cell)
