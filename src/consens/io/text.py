"""Delimited text: detect encoding and separator, read with Arrow, and convert the columns."""

import codecs
import csv
import io
import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from consens._cells import MISSING_CELLS, MONTH, is_number, parse_columns
from consens._support.printable import printable
from consens.io.encodings import guess_encoding
from consens.io.formats import (
    ID_NAMES,
    Content,
    Dialect,
    Format,
    Request,
    TableHeader,
    is_text,
    may_be_ids,
    refuse_damaged_codec,
    refuse_repeated,
    register,
)

#: Names of delimiters.
SEPARATORS = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";", "pipe": "|"}

CANDIDATES = {".csv": "\t;,|", ".tsv": "\t", ".txt": "\t;,| "}  # delimiters to try, in this order

_SAMPLE_BYTES = 1 << 16
_SAMPLE_LINES = 3  # at least, whatever their length
_SAMPLE_ROWS = 200
_BLOCK_BYTES = 1 << 28  # that Arrow parses at once, so the longest line
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

#: Encodings to choose from, besides UTF-8: those that programs write.  All extend ASCII.
_ENCODINGS = ["cp1252", "cp1250", "iso8859_2", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255"]
_ENCODINGS += ["cp1256", "cp1257", "cp437", "cp850", "mac_roman", "cp932", "euc_jp", "gb18030"]
_ENCODINGS += ["big5", "cp949"]
_FOREIGN = {
    b"PAR1": "a parquet file",
    b"\x93NUMPY": "an npy file",
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet",
    b"\x1f\x8b": "compressed by gzip",
    b"\x28\xb5\x2f\xfd": "compressed by zstd",
}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

#: Types that plain cells are converted to, in this order.
_PLAIN = (pa.int64(), pa.float64(), pa.bool_(), pa.date32(), pa.timestamp("s"))

_GROUPED = r"^[-+]?[1-9]\d{0,2}(\.\d{3})+$"  # points that may separate groups of digits
_CODE = r"^0\d{3,}$"  # a postal code rather than a number
_MONTH = rf"^{MONTH.pattern}$"
_MIN_GROUPED = 5


@dataclass(frozen=True)
class _Sample:
    text: str
    whole: bool  # whether the sample is the whole file
    encoding: str
    n_lines: int
    note: str = ""


@dataclass(frozen=True)
class TextLayout:
    """Names of the columns, lines before the first row, and whether the first name is an id's."""

    names: list[str]
    skip: int
    named_id: bool
    unnamed: Sequence[str] = ()
    note: str = ""


def read_text(request: Request) -> Content:
    """Read a delimited text file."""
    sample = _sample(request, whole=True)
    rows, sep = _split(request, sample)
    layout = find_layout(request, rows)
    table = _read_arrow(request, layout, sep, sample)
    notes = [note for note in (sample.note, layout.note) if note]
    if table.num_rows:
        _refuse_open_quote(request, table)
        table = _without_empty_rows(request, table, notes)
    found = convert_columns(request, table, layout, sep)
    return replace(found, notes=[*notes, *found.notes])


def text_header(request: Request) -> TableHeader:
    """Read the columns from the first lines, and estimate the size from that of the file."""
    sample = _sample(request, whole=False)
    layout = find_layout(request, _split(request, sample)[0])
    n_rows = sample.n_lines - layout.skip if sample.whole else None
    # a number takes 8 bytes, and text about as many
    n_bytes = 8.0 * len(layout.names) * sample.n_lines
    if not sample.whole and request.content is None:
        n_bytes *= max(1.0, request.text_size() / max(1, len(sample.text)))
    return TableHeader(dict.fromkeys(layout.names, "text"), n_rows, n_bytes)


register(Format(tuple(CANDIDATES), text_header, read_text))


def csv_text(
    rows: Iterable[Sequence[object]], *, safe: bool = False, dialect: Dialect | None = None
) -> str:
    """Write rows of cells as csv, with six digits of real numbers."""
    sep, decimal = dialect or Dialect()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", delimiter=sep)
    for row in rows:
        writer.writerow([_cell(cell, safe, decimal) for cell in row])
    return text.getvalue()


def _cell(cell: object, safe: bool, decimal: str) -> object:
    if isinstance(cell, float):
        return f"{cell:.6g}".replace(".", decimal)
    if not isinstance(cell, str):
        return cell
    cell = printable(cell, keep="\t\n\r")
    return f"'{cell}" if safe and cell.startswith(_FORMULA) and not is_number(cell) else cell


# ------------------------------------------------------------------------------------- reading


def _read_arrow(request: Request, layout: TextLayout, sep: str, sample: _Sample) -> pa.Table:
    """Read all columns as text."""
    source = request
    if sep == " ":
        with refuse_damaged_codec(request), request.open() as file:
            lines = (re.sub(rb" +", b" ", line.strip(b" ")) for line in file)
            single = b"".join(line.replace(b" \n", b"\n") for line in lines)
            source = replace(request, content=single)
    try:
        with refuse_damaged_codec(request), source.open_for_arrow() as file:
            return pyarrow.csv.read_csv(
                file,
                # one thread, because only then a parse error names its row
                read_options=pyarrow.csv.ReadOptions(
                    column_names=layout.names,
                    skip_rows=layout.skip,
                    use_threads=False,
                    block_size=_BLOCK_BYTES,
                    encoding=sample.encoding.removesuffix("-sig"),
                ),
                parse_options=pyarrow.csv.ParseOptions(delimiter=sep, newlines_in_values=True),
                convert_options=pyarrow.csv.ConvertOptions(
                    column_types=dict.fromkeys(layout.names, pa.string()),
                    strings_can_be_null=False,
                ),
            )
    except UnicodeError:
        raise ValueError(f"{request} is not {sample.encoding} text") from None
    except pa.ArrowInvalid as error:
        raise ValueError(f"{request}: {_explained(error, sample)}") from None


def _refuse_open_quote(request: Request, table: pa.Table) -> None:
    # for Arrow, an unclosed quote is a cell that extends to the end of the file
    if any("\n" in (column[-1].as_py() or "") for column in table.columns):
        with request.open() as file:
            if sum(line.count(b'"') for line in file) % 2:
                raise ValueError(f"{request}: a quoted cell is never closed")


def _without_empty_rows(request: Request, table: pa.Table, notes: list[str]) -> pa.Table:
    if request.purpose != "features" or table.num_columns < 2:
        return table
    empty = pa.scalar(True)
    for column in table.columns:
        empty = pc.and_(empty, pc.equal(pc.utf8_trim_whitespace(column), ""))
        if not pc.any(empty).as_py():
            return table
    count = pc.sum(empty).as_py()
    rows = "1 row is" if count == 1 else f"{count} rows are"
    notes.append(f"{rows} empty and left out")
    return table.filter(pc.invert(empty))


def _explained(error: Exception, sample: _Sample) -> str:
    text = str(error)
    if match := re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)", text):
        row, expected, got = match.groups()
        where = f"line {row}" if row else "a line"
        return f"{where} has {got} cells, the first line {expected}"
    if match := re.search(r"(?:Row #(\d+): )?.*invalid UTF8", text):
        return f"line {match[1]} is not {sample.encoding} text"
    return "a line is longer than 256 MiB" if "straddling" in text else text.splitlines()[0]


# ------------------------------------------------------------------------------------- columns


def convert_columns(request: Request, table: pa.Table, layout: TextLayout, sep: str) -> Content:
    """Convert columns of text to numbers, booleans and dates, and find the column of ids."""
    options, decimal = request.options, request.options.get("decimal")
    missing = pa.array([*MISSING_CELLS, *options.get("na", ())])
    trimmed = {
        name: _trimmed(column, missing) if is_text(column.type) else column
        for name, column in zip(layout.names, table.columns, strict=True)
    }
    blank = [name for name in layout.unnamed if trimmed[name].null_count == table.num_rows]
    table = table.drop_columns(blank)
    names, id_column = table.column_names, options.get("id_column")
    if id_column is None and layout.named_id and layout.names[0] in names:
        id_column = names[0]
    unread = {id_column, *options.get("drop", ())}
    columns: dict[str, pa.ChunkedArray] = {}
    text: dict[str, pa.ChunkedArray] = {}
    grouped: dict[str, pa.ChunkedArray] = {}
    days: dict[str, pd.Series] = {}
    likely = {"."} if sep == "," else set()
    for name in names:
        cells = columns[name] = trimmed[name]
        if name in unread or not is_text(cells.type):
            continue
        plain = None if decimal == "," else _plain(cells)
        if plain is None or (
            request.purpose == "features" and (_any(cells, _CODE) or _all(cells, _MONTH))
        ):
            text[name] = cells
            continue
        columns[name] = plain
        if pa.types.is_floating(plain.type) and decimal is None and sep != ",":
            points = cells.filter(pc.match_substring(cells, "."))
            if len(points) and pc.all(pc.match_substring_regex(points, _GROUPED)).as_py():
                grouped[name] = cells
            elif len(points):
                likely.add(".")
        elif request.purpose == "features" and (found_days := _compact_days(plain)) is not None:
            days[name] = found_days
    try:
        found = parse_columns(
            _frame(text),
            decimal=decimal,
            day_first=options.get("day_first"),
            likely=likely,
            units=request.purpose == "features",
        )
        parsed, notes = dict(found.columns) | days, dict(found.notes)
        for name, column in days.items():
            cell, day = trimmed[name].drop_null()[0], column.dropna().iloc[0]
            notes[name] = f"column {name!r} is read as dates: {str(cell)!r} as {day:%Y-%m-%d}"
        if found.decimal != "." and grouped:
            doubtful = {name for name, cells in grouped.items() if _may_be_thousands(cells)}
            kept = grouped if found.decimal == "," else {n: grouped[n] for n in doubtful}
            again = parse_columns(_frame(kept), decimal=found.decimal)
            parsed |= again.columns
            notes |= {name: _about_points(name, cells) for name, cells in grouped.items()}
            notes |= again.notes
    except ValueError as error:
        raise ValueError(f"{request}: {error}") from None
    for name, values in parsed.items():
        columns[name] = pa.chunked_array([pa.Array.from_pandas(values)])
    if id_column is None and len(names) > 1 and names[0] not in {*found.mixed, *unread}:
        first = columns[names[0]].type
        if (is_text(first) or pa.types.is_temporal(first)) and may_be_ids(table[0]):
            id_column = names[0]
    if id_column in columns:
        notes.pop(id_column, None)
        columns[id_column] = table[id_column]
    dialect = Dialect(sep, decimal or found.decimal or ".")
    return Content(pa.table(columns), id_column or None, list(notes.values()), dialect)


def _trimmed(column: pa.ChunkedArray, missing: pa.Array) -> pa.ChunkedArray:
    cells = pc.utf8_trim_whitespace(column)
    gaps = pc.is_in(cells, value_set=missing)
    return pc.if_else(gaps, pa.scalar(None, cells.type), cells) if pc.any(gaps).as_py() else cells


def _plain(cells: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Convert cells that hold numbers, booleans or ISO dates as programs write them."""
    if cells.null_count == len(cells):
        return pa.chunked_array([pa.nulls(len(cells))])
    for kind in _PLAIN:
        try:
            return cells.cast(kind)
        except pa.ArrowInvalid:
            continue
    return None


def _any(cells: pa.ChunkedArray, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(cells, pattern)).as_py())


def _all(cells: pa.ChunkedArray, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(cells, pattern)).as_py())  # null if there is none


def _may_be_thousands(cells: pa.ChunkedArray) -> bool:
    """Whether 1.012 stands beside 950, as 1012 does; 950 with three digits would be 950.000."""
    points = pc.sum(pc.match_substring(cells, ".")).as_py()
    return points >= _MIN_GROUPED and points + cells.null_count < len(cells)


def _about_points(name: str, cells: pa.ChunkedArray) -> str:
    cell = next(cell for cell in cells.to_pylist() if cell and "." in cell)
    shown = f"{cell!r} as {float(cell)}, not {cell.replace('.', '')}"
    return f"column {name!r} is read as numbers: {shown} (decimal=',')"


def _compact_days(numbers: pa.ChunkedArray) -> pd.Series | None:
    """Convert numbers such as 20241231, or 20241231235959, to dates if all are."""
    if numbers.null_count == len(numbers) or not pa.types.is_integer(numbers.type):
        return None
    least, most = (str(end.as_py()) for end in pc.min_max(numbers).values())
    form = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}.get(len(most))
    if form is None or len(least) != len(most) or not "1900" <= least[:4] <= most[:4] <= "2100":
        return None
    cells = pd.Series(numbers.to_pylist(), dtype="Int64").astype("string")
    days = pd.to_datetime(cells, format=form, errors="coerce")
    return days if days.isna().equals(cells.isna()) else None


def _frame(columns: dict[str, pa.ChunkedArray]) -> pd.DataFrame:
    return pd.DataFrame(
        {name: pd.Series(cells.to_pylist(), dtype=object) for name, cells in columns.items()}
    )


# ------------------------------------------------------------------------ encoding and dialect


def _sample(request: Request, *, whole: bool) -> _Sample:
    """Decode the first lines; `whole` says whether all of the file decides on the encoding."""
    with refuse_damaged_codec(request), request.open() as file:
        start = b""
        while part := file.read(max(_SAMPLE_BYTES, len(start))):
            start += part
            if len(start) >= _SAMPLE_BYTES and start.count(b"\n") >= _SAMPLE_LINES:
                break
        complete = not file.read(1)
    for magic, what in _FOREIGN.items():
        if start.startswith(magic):
            raise ValueError(f"{request} has the suffix of a text file, but is {what}")
    marked = next((codec for mark, codec in _MARKS.items() if start.startswith(mark)), None)
    encoding, note = request.options.get("encoding") or marked, ""
    if encoding is None and 2 * start.count(b"\0") > 0.8 * len(start):
        encoding = "utf-16-be" if start.startswith(b"\0") else "utf-16-le"  # without a mark
    if b"\0" in start and not any(wide in (encoding or "") for wide in ("16", "32")):
        raise ValueError(f"{request} has the suffix of a text file, but holds binary data")
    if encoding is None:
        encoding, note = _find_encoding(request, None if whole else len(start))
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(start, final=complete)
    except LookupError:
        raise ValueError(
            f"encoding={encoding!r} is unknown; give one that Python knows, such as utf-8, "
            "latin-1, cp1252 or utf-16"
        ) from None
    except UnicodeError as error:
        line = start.count(b"\n", 0, getattr(error, "start", 0)) + 1
        raise ValueError(f"{request}: line {line} is not {encoding} text") from None
    if not complete:
        text = text[: text.rfind("\n") + 1] or text
    if not text.strip():
        raise ValueError(f"{request} is empty")
    return _Sample(text, complete, encoding, len(start.splitlines()), note)


def _find_encoding(request: Request, most: int | None) -> tuple[str, str]:
    """Return UTF-8, or the encoding of the lines that are not ASCII, and a note on it."""
    decoder, n_bytes = codecs.getincrementaldecoder("utf-8")(), 0
    try:
        with refuse_damaged_codec(request), request.open() as file:
            while part := file.read(1 << 20):
                decoder.decode(part)
                n_bytes += len(part)
                if most is not None and n_bytes >= most:
                    return "utf-8", ""
        decoder.decode(b"", final=True)
        return "utf-8", ""
    except UnicodeDecodeError:
        pass
    from charset_normalizer import from_bytes

    with request.open() as file:
        lines = b"".join(islice((line for line in file if not line.isascii()), 1000))
    words = re.split(rb"[^\w\x80-\xff]+", lines[:_SAMPLE_BYTES])
    odd = [word for word in words if not word.isascii()]
    encoding = guess_encoding(odd)
    if encoding is None:
        best = from_bytes(b" ".join(odd), cp_isolation=_ENCODINGS).best()
        if best is None:
            raise ValueError(
                f"{request} is not UTF-8 text; name its encoding, such as encoding='cp1252'"
            )
        encoding = best.encoding
    example = odd[0].decode(encoding, "replace")
    return encoding, (
        f"{request} is read as {encoding} text, with words such as {example!r} "
        "(encoding= names another)"
    )


def find_layout(request: Request, rows: Sequence[tuple[list[str], int]]) -> TextLayout:
    """Find the names of the columns in the first rows, each with the number of its last line."""
    header = request.options.get("header")
    title = _title(rows) if header is None else []
    first, skip = next((row, line) for row, line in rows[len(title) :] if row)
    body = [row for row, line in rows if row and line > skip]
    if body and header is not False and {len(row) for row in body} == {len(first) + 1}:
        if any(row[-1].strip() for row in body):
            first, header = ["", *first], True  # R leaves the column of row names unnamed
        else:
            first = [*first, ""]  # lines end with a separator
    if header is None:
        header = _is_header(request, first)
    named_id = header and len(first) > 1 and first[0].strip().lower() in ID_NAMES
    shown = first if header else [""] * len(first)
    names = [name.strip() or f"column{i}" for i, name in enumerate(shown, 1)]
    refuse_repeated(request, names, "; if the first line is data, give header=False")
    unnamed = [n for n, cell in zip(names, shown, strict=True) if header and not cell.strip()]
    lines = "the first line is" if len(title) == 1 else f"the first {len(title)} lines are"
    shown_title = next(filter(None, title), "")
    note = f"{lines} not part of the table and left out: {shown_title!r}" if shown_title else ""
    return TextLayout(names, skip if header else 0, named_id, unnamed, note)


def _title(rows: Sequence[tuple[list[str], int]]) -> list[str]:
    """Return the lines above the header, which fill at most half of the columns."""
    width = statistics.mode(len(row) for row, _ in rows if row)
    title: list[str] = []
    for row, _ in rows:
        filled = sum(bool(cell.strip()) for cell in row)
        comment = row and row[0].startswith("#") and len(row) != width
        if filled and not comment and (2 * filled > width or not row[0].strip()):
            return title if all(_is_name(cell) for cell in row if cell.strip()) else []
        title.append(" ".join(row).strip())
    return []


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
            raise ValueError(f"sep={given!r} is not one character, nor one of {known}")
    candidates = {}
    for delimiter in dict.fromkeys([*delimiters, *"\t;,"]):
        try:
            candidates[delimiter] = rows_by(delimiter)
        except csv.Error as error:  # such as a cell of more than 128 KiB
            candidates[delimiter], problem = [([""], 1)], error
    if all(len(rows[0][0]) < 2 for rows in candidates.values()) and problem is not None:
        raise ValueError(f"{request} is not a delimited text table: {problem}")
    titled = request.options.get("header") is None
    above = {d: len(_title(rows)) if titled else 0 for d, rows in candidates.items()}
    widths = {
        d: [len(row) for row, _ in rows[above[d] :] if row] for d, rows in candidates.items()
    }
    even = [d for d, width in widths.items() if width[0] > 1 and _is_even(width)]
    # a decimal comma separates cells, too, but of a header without one
    chosen = min((d for d in delimiters if d in even), key=lambda d: above[d], default=None)
    if chosen is None:
        chosen = max(delimiters, key=lambda d: widths[d][0])
        if even and widths[chosen][0] == 1:
            raise ValueError(
                f"{request} does not match its suffix: its cells are separated by {even[0]!r}; "
                f"rename it to .csv, or name the separator: sep={even[0]!r}"
            )
    return candidates[chosen], chosen


def _is_even(widths: list[int]) -> bool:
    return set(widths[1:]) <= {widths[0]} or set(widths[1:]) == {widths[0] + 1}


def _is_header(request: Request, first: list[str]) -> bool:
    tail = first[1:] or first
    if any(map(_is_name, tail)):
        return True
    if len(first) > 1 and first[0].strip().lower() in ID_NAMES:
        return True
    shown = ", ".join(first[:4]) + (", ..." if len(first) > 4 else "")
    raise ValueError(
        f"{request}: the first line ({shown}) may be column names or data; "
        "give header=True if it names the columns, header=False if it does not"
    )


def _is_name(cell: str) -> bool:
    plain = cell in MISSING_CELLS or cell.strip().lower() in ("true", "false", "inf", "-inf")
    return not plain and not is_number(cell)
