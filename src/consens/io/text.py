"""Delimited text: detect the dialect from the first lines, then read with Arrow."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from consens._support.printable import printable
from consens.io.formats import (
    ID_NAMES,
    Format,
    Request,
    TableHeader,
    is_text,
    may_be_ids,
    refuse_damaged_codec,
    refuse_repeated,
    register,
)

#: Cells that stand for missing values in output of pandas, R and spreadsheets.
MISSING_CELLS = ("", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None", "<NA>")

#: Names of delimiters.
SEPARATORS = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";", "pipe": "|"}

#: Delimiters to try, in this order.
CANDIDATES = {".csv": "\t;,", ".tsv": "\t", ".txt": "\t;,| "}

_SAMPLE_BYTES = 1 << 16
_SAMPLE_LINES = 3  # at least, whatever their length
_SAMPLE_ROWS = 200
_MIN_BLOCK, _MAX_BLOCK = 1 << 20, (1 << 31) - 1  # bytes that Arrow parses at once
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+([eE][-+]?\d+)?\s*")
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_FOREIGN = {
    b"PAR1": "a parquet file",
    b"\x93NUMPY": "an npy file",
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet",
    b"\x1f\x8b": "compressed by gzip",
    b"\x28\xb5\x2f\xfd": "compressed by zstd",
}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class _Sample:
    text: str
    whole: bool  # whether the sample is the whole file
    encoding: str
    line_bytes: int  # of the longest line
    n_lines: int


@dataclass(frozen=True)
class _Dialect:
    delimiter: str
    decimal: str
    encoding: str
    names: list[str]
    skip: int
    id_column: str | None


def read_text(request: Request) -> tuple[pa.Table, str | None]:
    """Read a delimited text file.

    Columns whose cells are all numbers, booleans or dates get that type, others are text.
    `MISSING_CELLS` become null, except in the id column.
    """
    sample = _sample(request)
    dialect = _sniff(request, sample)
    table = _read_arrow(request, dialect, sample.line_bytes)
    if table.num_rows:
        _refuse_open_quote(request, table)
    found, given = dialect.id_column, request.options.get("id_column")
    if found is None and given is None and is_text(table.schema[0].type):
        found = dialect.names[0]
    by_name = given or (table.num_columns > 1 and str(found).lower() in (*ID_NAMES, "column1"))
    if found is not None and not by_name and not may_be_ids(table[found]):
        found = None
    columns = table.columns
    for i, field in enumerate(table.schema):
        if pa.types.is_binary(field.type):
            raise ValueError(f"{request}: column {field.name!r} is not {dialect.encoding} text")
        if is_text(field.type) and field.name != found:
            missing = pc.is_in(columns[i], value_set=pa.array(MISSING_CELLS))
            columns[i] = pc.if_else(missing, pa.scalar(None, field.type), columns[i])
    return pa.table(columns, names=dialect.names), found


def text_header(request: Request) -> TableHeader:
    """Read the columns from the first lines, and estimate the size from that of the file."""
    sample = _sample(request)
    dialect = _sniff(request, sample)
    n_rows = sample.n_lines - dialect.skip if sample.whole else None
    # a number takes 8 bytes, and text about as many
    n_bytes = 8.0 * len(dialect.names) * sample.n_lines
    if not sample.whole and request.content is None:
        n_bytes *= max(1.0, request.text_size() / max(1, len(sample.text)))
    return TableHeader(dict.fromkeys(dialect.names, "text"), n_rows, n_bytes)


register(Format(tuple(CANDIDATES), text_header, read_text))


def csv_text(rows: Iterable[Sequence[object]], *, safe: bool = False) -> str:
    """Write rows of cells as csv.

    Parameters
    ----------
    rows : iterable of sequences
        The first row names the columns.
    safe : bool
        Whether to put an apostrophe before text that spreadsheets would evaluate as a formula.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        writer.writerow([_cell(cell, safe) for cell in row])
    return text.getvalue()


def is_number(cell: str) -> bool:
    """Whether a cell can be parsed as a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # digit grouping that only Python accepts


def _cell(cell: object, safe: bool) -> object:
    if not isinstance(cell, str):
        return cell
    cell = printable(cell, keep="\t\n\r")
    return f"'{cell}" if safe and cell.startswith(_FORMULA) and not is_number(cell) else cell


# ------------------------------------------------------------------------------------- reading


def _read_arrow(request: Request, dialect: _Dialect, line_bytes: int) -> pa.Table:
    fixed = {dialect.id_column: pa.string()} if dialect.id_column is not None else {}
    size = min(_MAX_BLOCK, max(_MIN_BLOCK, 64 * line_bytes))
    source = request
    if dialect.delimiter == " ":
        with refuse_damaged_codec(request), request.open() as file:
            lines = (re.sub(rb" +", b" ", line.strip(b" ")) for line in file)
            single = b"".join(line.replace(b" \n", b"\n") for line in lines)
            source = replace(request, content=single)
    while True:
        try:
            with refuse_damaged_codec(request), source.open_for_arrow() as file:
                return pyarrow.csv.read_csv(
                    file,
                    # one thread, because only then a parse error names its row
                    read_options=pyarrow.csv.ReadOptions(
                        column_names=dialect.names,
                        skip_rows=dialect.skip,
                        use_threads=False,
                        block_size=size,
                        encoding=dialect.encoding.removesuffix("-sig"),
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
        except UnicodeError:
            raise ValueError(f"{request} is not {dialect.encoding} text") from None
        except pa.ArrowInvalid as error:
            if "straddling object" not in str(error) or size == _MAX_BLOCK:
                raise ValueError(f"{request}: {_explained(error)}") from None
            size = min(_MAX_BLOCK, 8 * size)  # a later line is longer than a block


def _refuse_open_quote(request: Request, table: pa.Table) -> None:
    # for Arrow, an unclosed quote is a cell that extends to the end of the file
    text = [i for i, field in enumerate(table.schema) if is_text(field.type)]
    if any("\n" in (table.column(i)[-1].as_py() or "") for i in text):
        with request.open() as file:
            if sum(line.count(b'"') for line in file) % 2:
                raise ValueError(f"{request}: a quoted cell is never closed")


def _explained(error: Exception) -> str:
    text = str(error)
    if match := re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)", text):
        row, expected, got = match.groups()
        where = f"line {row}" if row else "a line"
        return f"{where} has {got} cells, the first line {expected}"
    if match := re.search(r"Row #(\d+): .*invalid UTF8", text):
        return _not_utf8(match[1])
    return "a line is longer than 2 GiB" if "straddling object" in text else text.splitlines()[0]


def _not_utf8(line: str | int) -> str:
    return f"line {line} is not UTF-8 text; name its encoding, such as --encoding latin-1"


# ------------------------------------------------------------------------------------ dialects


def _sample(request: Request) -> _Sample:
    with refuse_damaged_codec(request), request.open() as file:
        start = b""
        while part := file.read(max(_SAMPLE_BYTES, len(start))):
            start += part
            if len(start) >= _SAMPLE_BYTES and start.count(b"\n") >= _SAMPLE_LINES:
                break
        whole = not file.read(1)
    for magic, what in _FOREIGN.items():
        if start.startswith(magic):
            raise ValueError(f"{request} has the suffix of a text file, but is {what}")
    marked = next((codec for mark, codec in _MARKS.items() if start.startswith(mark)), "utf-8")
    encoding = request.options.get("encoding") or marked
    if b"\0" in start and "16" not in encoding and "32" not in encoding:
        raise ValueError(f"{request} has the suffix of a text file, but holds binary data")
    if not whole:  # cut at a line, so as not to split a character
        start = start[: start.rfind(b"\n") + 1] or start
    try:
        text = start.decode(encoding, errors="strict" if whole else "ignore")
    except LookupError:
        raise ValueError(
            f"--encoding {encoding} is unknown; give one that Python knows, such as utf-8, "
            "latin-1, cp1252 or utf-16"
        ) from None
    except UnicodeError as error:
        line = start.count(b"\n", 0, getattr(error, "start", 0)) + 1
        words = _not_utf8(line) if marked == encoding else f"line {line} is not {encoding} text"
        raise ValueError(f"{request}: {words}") from None
    if not text.strip():
        raise ValueError(f"{request} is empty")
    lines = start.splitlines()
    return _Sample(text, whole, encoding, max(map(len, lines)), len(lines))


def _sniff(request: Request, sample: _Sample) -> _Dialect:
    options = request.options
    rows, delimiter = _split(request, sample)
    first, skip = next((row, line) for row, line in rows if row)
    body = [row for row, line in rows if row and line > skip]
    header, id_column = options.get("header"), options.get("id_column")
    if body and header is not False and {len(row) for row in body} == {len(first) + 1}:
        first, header = ["", *first], True  # R leaves the column of row names unnamed
    if header is None:
        header = _is_header(request, first)
    if header:
        names = [name.strip() or f"column{i}" for i, name in enumerate(first, 1)]
        named_id = first[0].strip().lower() in ID_NAMES and len(first) > 1
    else:
        names = [f"column{i}" for i in range(1, len(first) + 1)]
        named_id, skip, body = False, 0, [first, *body]
    refuse_repeated(request, names, "; if the first line is data, give --no-header")
    decimal = options.get("decimal")
    if decimal is None:
        cells = (cell for row in body for cell in row)
        comma = delimiter != "," and any(map(_DECIMAL_COMMA.fullmatch, cells))
        decimal = "," if comma else "."
    if id_column is None and (named_id or any(_is_text(row[0], decimal == ",") for row in body)):
        id_column = names[0]
    return _Dialect(delimiter, decimal, sample.encoding, names, skip, id_column or None)


def _split(request: Request, sample: _Sample) -> tuple[list[tuple[list[str], int]], str]:
    """Return the first rows, each with the number of its last line, and the delimiter."""

    def rows_by(delimiter: str) -> list[tuple[list[str], int]]:
        text = sample.text
        if delimiter == " ":
            text = "\n".join(re.sub(" +", " ", line.strip(" ")) for line in text.splitlines())
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        rows = [(row, reader.line_num) for row in islice(reader, _SAMPLE_ROWS)]
        cut = not sample.whole and len(rows) > _SAMPLE_LINES and len(rows) < _SAMPLE_ROWS
        return rows[:-1] if cut else rows

    problem: csv.Error | None = None
    given = request.options.get("sep")
    delimiters = CANDIDATES.get(request.suffix, CANDIDATES[".txt"])
    if given is not None:
        delimiters = SEPARATORS.get(given, given)
        if len(delimiters) != 1:
            known = ", ".join(SEPARATORS)
            raise ValueError(f"--sep {given!r} is not one character, nor one of {known}")
    candidates = {}
    for delimiter in dict.fromkeys([*delimiters, *"\t;,"]):
        try:
            candidates[delimiter] = rows_by(delimiter)
        except csv.Error as error:  # such as a cell of more than 128 KiB
            candidates[delimiter], problem = [([""], 1)], error
    if all(len(rows[0][0]) < 2 for rows in candidates.values()) and problem is not None:
        raise ValueError(f"{request} is not a delimited text table: {problem}")
    widths = {d: [len(row) for row, _ in rows if row] for d, rows in candidates.items()}
    even = [d for d, width in widths.items() if width[0] > 1 and _is_even(width)]
    chosen = next((d for d in delimiters if d in even), None)
    if chosen is None:
        chosen = max(delimiters, key=lambda d: widths[d][0])
        if even and widths[chosen][0] == 1:
            raise ValueError(
                f"{request} does not match its suffix: its cells are separated by {even[0]!r}; "
                "rename it to .csv, or name the separator by --sep"
            )
    return candidates[chosen], chosen


def _is_even(widths: list[int]) -> bool:
    return set(widths[1:]) <= {widths[0]} or set(widths[1:]) == {widths[0] + 1}


def _is_header(request: Request, first: list[str]) -> bool:
    tail = first[1:] or first
    if any(_is_text(cell, comma=True) for cell in tail):
        return True
    if len(first) > 1 and first[0].strip().lower() in ID_NAMES:
        return True
    shown = ", ".join(first[:4]) + (", ..." if len(first) > 4 else "")
    raise ValueError(
        f"{request}: the first line ({shown}) may be column names or data; "
        "give --header if it names the columns, --no-header if it does not"
    )


def _is_text(cell: str, comma: bool = False) -> bool:
    if cell in MISSING_CELLS or cell.strip().lower() in ("true", "false"):
        return False
    if comma and _DECIMAL_COMMA.fullmatch(cell):
        return False
    return not is_number(cell)
