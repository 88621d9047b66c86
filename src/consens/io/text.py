"""Delimited text: find the dialect in the first lines, then let Arrow read the file."""

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

#: Cells that mean "no value", as pandas, R and spreadsheets write it.
MISSING_CELLS = ("", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None", "<NA>")

#: Names of a first column that is an id even when it holds numbers: pandas and R leave
#: the name of the row names empty.
ID_NAMES = ("", "id", "index")

_SAMPLE_BYTES = 1 << 16
_SAMPLE_ROWS = 200
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+([eE][-+]?\d+)?\s*")
_NOT_UTF8 = "line {} is not UTF-8 text; save the file as UTF-8"
_FOREIGN = {
    b"PAR1": "a parquet file",
    b"\x93NUMPY": "an npy file",
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet",
    b"\x1f\x8b": "compressed by gzip",
    b"\xff\xfe": "UTF-16 text, where UTF-8 is expected",
    b"\xfe\xff": "UTF-16 text, where UTF-8 is expected",
}


@dataclass(frozen=True)
class _Dialect:
    delimiter: str
    decimal: str
    names: list[str]
    skip: int
    id_column: str | None


def read_text(
    path: Path, *, delimiters: str, id_column: str | Literal[False] | None, header: bool | None
) -> tuple[pa.Table, str | None]:
    """Read a delimited text file.

    Parameters
    ----------
    path : Path
        The file, UTF-8 with or without byte order mark.
    delimiters : str
        The delimiters to choose from, the most telling first.
    id_column : str, False or None
        The id column, whose cells are kept as they are written, leading zeros too; False
        when there is none. None takes the first column when it holds text or its name is
        one of `ID_NAMES`.
    header : bool or None
        Whether the first line names the columns; None finds out, and refuses when the
        line could be either.

    Returns
    -------
    table : pyarrow.Table
        Numbers where a whole column is numeric, text otherwise; `MISSING_CELLS` are null,
        except in the id column.
    id_column : str or None
        The id column, given or found.
    """
    dialect = _sniff(path, delimiters, id_column, header)
    fixed = {dialect.id_column: pa.string()} if dialect.id_column is not None else {}
    try:
        table = pyarrow.csv.read_csv(
            path,
            # a single thread, because only then a parse error tells its row
            read_options=pyarrow.csv.ReadOptions(
                column_names=dialect.names, skip_rows=dialect.skip, use_threads=False
            ),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=dialect.delimiter, newlines_in_values=True
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                null_values=MISSING_CELLS,
                strings_can_be_null=False,
                decimal_point=dialect.decimal,
                column_types=fixed,
            ),
        )
    except pa.ArrowInvalid as error:
        raise ValueError(f"{path}: {_plain(error)}") from None
    if table.num_rows:
        _refuse_open_quote(path, table)
    found = dialect.id_column
    if found is None and id_column is None and is_text(table.schema[0].type):
        found = dialect.names[0]
    for i, field in enumerate(table.schema):
        if pa.types.is_binary(field.type):
            raise ValueError(f"{path}: column {field.name!r} is not UTF-8 text")
        if is_text(field.type) and field.name != found:
            table = table.set_column(i, field.name, _nullified(table.column(i)))
    return table, found


def is_text(kind: pa.DataType) -> bool:
    """Whether a column holds text."""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def is_number(cell: str) -> bool:
    """Whether a cell reads as a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # Python's digit grouping, nobody else's


def listed(names: Sequence[str], most: int = 8) -> str:
    """Quote names for a message, the first few of many."""
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def refuse_repeated(path: Path, names: Sequence[str], hint: str = "") -> None:
    """Raise when two columns have the same name."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"{path}: more than one column is called {listed(repeated, 3)}{hint}")


def _nullified(column: pa.ChunkedArray) -> pa.ChunkedArray:
    missing = pc.is_in(column, value_set=pa.array(MISSING_CELLS))
    return pc.if_else(missing, pa.scalar(None, column.type), column)


def _sniff(
    path: Path, delimiters: str, id_column: str | Literal[False] | None, header: bool | None
) -> _Dialect:
    sample, whole = _sample(path)
    rows, delimiter = _split(path, sample, whole, delimiters)
    first, skip = next((row, line) for row, line in rows if row)
    body = [row for row, line in rows if row and line > skip]
    if header is None:
        header = _is_header(path, first)
    if header:
        names = [name.strip() or f"column{i}" for i, name in enumerate(first, 1)]
        told = first[0].strip().lower() in ID_NAMES and len(first) > 1
    else:
        names = [f"column{i}" for i in range(1, len(first) + 1)]
        told, skip, body = False, 0, [first, *body]
    refuse_repeated(path, names, "; if the first line is data, say --no-header")
    cells = [cell for row in body for cell in row]
    comma = delimiter != "," and any(map(_DECIMAL_COMMA.fullmatch, cells))
    if id_column is None and (told or any(_is_text(row[0], comma) for row in body)):
        id_column = names[0]
    return _Dialect(delimiter, "," if comma else ".", names, skip, id_column or None)


def _sample(path: Path) -> tuple[str, bool]:
    with open(path, "rb") as file:
        start = file.read(_SAMPLE_BYTES)
        whole = not file.read(1)
    for magic, what in _FOREIGN.items():
        if start.startswith(magic):
            raise ValueError(f"{path} is not the text its suffix says: it is {what}")
    if b"\0" in start:
        raise ValueError(f"{path} is not the text its suffix says: it holds binary data")
    if not whole:  # not half a line, which could be half a character too
        start = start[: start.rfind(b"\n") + 1] or start
    try:
        sample = start.decode("utf-8-sig", errors="strict" if whole else "ignore")
    except UnicodeDecodeError as error:
        line = start.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path}: line {line} is not UTF-8 text; save the file as UTF-8"
        ) from None
    if not sample.strip():
        raise ValueError(f"{path} is empty")
    return sample, whole


def _split(
    path: Path, sample: str, whole: bool, delimiters: str
) -> tuple[list[tuple[list[str], int]], str]:
    """Cells of the first rows with the line each one ends in, and the delimiter."""

    def rows_by(delimiter: str) -> list[tuple[list[str], int]]:
        reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
        rows = [(row, reader.line_num) for row in islice(reader, _SAMPLE_ROWS)]
        cut = not whole and len(rows) > 1 and len(rows) < _SAMPLE_ROWS
        return rows[:-1] if cut else rows

    def widths(rows: list[tuple[list[str], int]]) -> list[int]:
        return [len(row) for row, _ in rows if row]

    try:
        candidates = {delimiter: rows_by(delimiter) for delimiter in "\t;,"}
    except csv.Error as error:
        raise ValueError(f"{path} is not a delimited text table: {error}") from None
    splits = {d: widths(rows) for d, rows in candidates.items()}
    even = [d for d, width in splits.items() if width[0] > 1 and len(set(width)) == 1]
    chosen = next((d for d in delimiters if d in even), None)
    if chosen is None:
        chosen = max(delimiters, key=lambda d: splits[d][0])
        if even and splits[chosen][0] == 1:
            raise ValueError(
                f"{path} is not what its suffix says: its cells are separated by {even[0]!r}; "
                "rename it to .csv"
            )
    return candidates[chosen], chosen


def _is_header(path: Path, first: list[str]) -> bool:
    tail = first[1:] or first
    if any(_is_text(cell, comma=True) for cell in tail):
        return True
    if len(first) > 1 and first[0].strip().lower() in ID_NAMES:
        return True
    shown = ", ".join(first[:4]) + (", ..." if len(first) > 4 else "")
    raise ValueError(
        f"{path}: the first line ({shown}) may be column names or data; "
        "say --header if it names the columns, --no-header if it does not"
    )


def _is_text(cell: str, comma: bool = False) -> bool:
    if cell in MISSING_CELLS or cell.strip().lower() in ("true", "false"):
        return False
    if comma and _DECIMAL_COMMA.fullmatch(cell):
        return False
    return not is_number(cell)


def _refuse_open_quote(path: Path, table: pa.Table) -> None:
    # Arrow takes a quote that is never closed as a cell up to the end of the file
    last = table.slice(table.num_rows - 1).to_pylist()[0].values()
    if any(isinstance(cell, str) and "\n" in cell for cell in last) and (
        path.read_bytes().count(b'"') % 2
    ):
        raise ValueError(f"{path}: a quoted cell is never closed")


def _plain(error: Exception) -> str:
    match = re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)", str(error))
    if match is None:
        match = re.search(r"Row #(\d+): .*invalid UTF8", str(error))
        if match is not None:
            return _NOT_UTF8.format(match[1])
        return str(error).splitlines()[0]
    row, expected, got = match.groups()
    where = f"line {row}" if row else "a line"
    return f"{where} has {got} cells, the first line {expected}"
