"""Tables from files of any format, with the ids separated from the columns."""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, Unpack

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from consens._docs import shared_paragraphs
from consens._support.files import as_path
from consens._support.memory import require_memory
from consens._support.printable import listed
from consens.io.formats import (
    ID_NAMES,
    STDIN,
    Content,
    Dialect,
    ReadOptions,
    Request,
    TableHeader,
    checked_options,
    format_of,
    is_numeric,
    is_text,
    refuse_damaged_codec,
    refuse_repeated,
)

COPIES = 3  # a table, its matrix, and a scaled or renumbered copy are in memory at the same time

#: Names of a first column that nobody takes for a feature; that of an unnamed one is column1,
#: and that of an h5ad file obs_names.
KNOWN_IDS = {*ID_NAMES, "column1", "obs_names"}

MIN_NUMBERED = 10  # least number of objects whose numbers tell ids from a clustering

#: Number of values above which rows are not compared with each other.
MAX_DUPLICATE_CELLS = 20_000_000


@shared_paragraphs
@dataclass(frozen=True)
class Table:
    """A table from a file.

    Attributes
    ----------
    frame : DataFrame
        One row per object, without the ids: numbers, booleans, dates and text.
    {ids_of_rows}
    {array_of_file}
    notes : list of str
        How columns were read that can be read in several ways, and what looks wrong.
    {dialect_of_file}
    """

    frame: pd.DataFrame
    ids: Sequence[str | int]
    id_column: str | None
    array: str | None = None
    notes: Sequence[str] = ()
    dialect: Dialect | None = None


def read_table(path: str | Path, **options: Unpack[ReadOptions]) -> Table:
    """Read a table with columns of any type from a file of any format.

    Parameters
    ----------
    path : path
        Text (csv, tsv or txt: commas, semicolons, tabs; also compressed as gz, bz2 or
        zst), parquet, npy, npz, mat, xlsx or h5ad; ``-`` is text from standard input.  Columns
        of an array, and of text without a header, are called column1, column2 and so on.
    id_column : str, False or None
        The column of ids; False if there is none.  None takes the index of a DataFrame stored as
        parquet, else the first column if it is called id or index, has no name, or holds mostly
        distinct text; beside labels, also numbers that never repeat, of ten objects or more.
    drop : sequence of str
        Columns to leave out.
    na : sequence of str
        Cells that stand for missing values, such as "-999" or "unknown", besides empty cells, NA
        and NaN.
    drop_duplicates : bool
        Whether to leave out rows that repeat an earlier one in all columns.
    header : bool or None
        Whether the first line of a text file names the columns; None detects it, and raises if
        the line could be either.
    sep : str or None
        Separator of the cells of a text file: a character, or tab, space, comma, semicolon or
        pipe; None detects it.
    decimal : str or None
        Decimal sign of a text file; None decides for each column, and raises if all of its
        numbers are like 1.012, which may be 1012.
    day_first : bool or None
        Whether 03/04/2024 in a text file is 3 April; None decides for each column, and raises if
        both are possible.
    encoding : str or None
        Python's name of the encoding of a text file.  None takes UTF-8 or that of a byte order
        mark, or else detects it and says so in the notes.
    array : str or None
        Which array of an npz or mat file, sheet of an xlsx file, or layer, ``obsm`` or column of
        ``obs`` of an h5ad file; None takes the one with a common name, or the first.
    transpose : bool
        Whether objects are columns, as in most gene expression tables.
    content : bytes
        The content of the file, if it was read before; standard input cannot be read twice.

    Returns
    -------
    Table
        In text files and spreadsheets, numbers may have groups of digits, currency and percent
        signs (``1.012,57 €``), and dates any usual form; see `consens._cells.parse_columns`.

    Raises
    ------
    ValueError, OSError
        One line that says what is wrong with the file and what to do.
    MemoryError
        If the table does not fit into memory by the size that the file states; nothing is read.
    """
    found = load_table(path, "features", options)
    frame = found.table.to_pandas(
        types_mapper={pa.bool_(): pd.BooleanDtype()}.get, date_as_object=False
    )
    return Table(frame, found.ids, found.id_column, found.array, found.notes, found.dialect)


def read_header(path: str | Path, **options: Unpack[ReadOptions]) -> TableHeader:
    """Read columns and size of a table, without the table; options as `read_table`."""
    request = _request(path, "features", options)
    return format_of(request).header(request)


def load_table(
    path: str | Path, purpose: Literal["features", "labels", "truth"], options: ReadOptions
) -> Content:
    """Read a table into an Arrow table, with its ids, if it fits into memory."""
    request = _request(path, purpose, options)
    options = request.options
    found = format_of(request)
    try:
        _require_room(request, found.header(request).n_bytes)
        if request.codec:  # the header is only an estimate
            with refuse_damaged_codec(request):
                for n_bytes in request.decompressed_sizes():
                    _require_room(request, n_bytes)
        content = found.read(request)
        pa.default_memory_pool().release_unused()  # what decoding took
    except OSError as error:
        raise OSError(f"cannot read {request}: {error.strerror or error}") from error
    table, id_column, notes = content.table, content.id_column, list(content.notes)
    if table.num_rows == 0:
        raise ValueError(f"{request} has no rows")
    dropped = set(options.get("drop", ()))
    for name in [*dropped, *([id_column] if id_column else [])]:
        if name not in table.column_names:
            known = listed(table.column_names)
            raise ValueError(f"{request} has no column {name!r}; its columns are {known}")
    if id_column in dropped:
        id_column = None
    if id_column is None and request.purpose != "features" and _numbers_objects(request, table):
        id_column = table.column_names[0]
    asked = options.get("id_column") or options.get("transpose") or request.purpose != "features"
    first = table.column_names[0]
    if not asked and id_column == first and first.lower() not in KNOWN_IDS:
        notes.append(
            f"column {id_column!r} comes first and hardly repeats, so it is taken for ids "
            "(id_column=False uses it)"
        )
    table = table.drop_columns(list(dropped))
    for i, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type):
            table = table.set_column(i, field.name, table[i].cast(pa.float64()))
    if options.get("na"):
        table = _without_codes(table, options["na"], id_column)
    if id_column is not None or options.get("drop_duplicates"):
        table = _about_duplicates(request, table, notes)
    ids: Sequence[str | int] = range(table.num_rows)
    if id_column is not None:
        ids = _ids(request, id_column, table[id_column], notes)
        table = table.drop_columns([id_column])
    if table.num_columns == 0:
        raise ValueError(f"{request} has no columns other than the id and those left out")
    array = (table.schema.metadata or {}).get(b"array")
    loaded = Content(
        table, id_column, notes, content.dialect, ids, array.decode() if array else None
    )
    return _transposed(request, loaded) if options.get("transpose") else loaded


def _request(
    path: str | Path, purpose: Literal["features", "labels", "truth"], options: ReadOptions
) -> Request:
    options = checked_options(options)
    request = Request(as_path(path), purpose, options, options.get("content"))
    if request.path == STDIN and request.content is None:
        return replace(request, content=read_standard_input())
    return request


def read_standard_input() -> bytes:
    """Read all of standard input."""
    if sys.stdin is None or sys.stdin.closed:
        raise ValueError("standard input is closed")
    content = sys.stdin.buffer.read()
    if not content:
        raise ValueError("standard input is empty")
    return content


def _require_room(request: Request, n_bytes: float) -> None:
    stored = "" if request.suffix == ".parquet" else "store it as Parquet and "
    instead = f"{stored}open it in pieces by consens.io.open_parquet"
    if request.purpose != "features":
        instead = "leave out columns, or take a machine with more memory"
    require_memory(COPIES * n_bytes, f"{request} in memory", instead)


def _numbers_objects(request: Request, table: pa.Table) -> bool:
    """Whether the first column of a table of labels has another integer for each object."""
    options, name, column = request.options, table.column_names[0], table[0]
    wanted = [*options.get("drop", ()), *options.get("columns", ()), "column1"]  # of an array
    return (
        options.get("id_column") is None
        and not any(fnmatchcase(name, pattern) for pattern in wanted)
        and table.num_columns > 1
        and table.num_rows >= MIN_NUMBERED
        and pa.types.is_integer(column.type)
        and pc.count_distinct(column, mode="all").as_py() == table.num_rows
    )


def _without_codes(table: pa.Table, codes: Sequence[str], id_column: str | None) -> pa.Table:
    """Replace codes for missing values by null; those of dates are like 9999-12-31."""
    numbers = pd.to_numeric(pd.Series(codes, dtype=object), errors="coerce").dropna()
    values = {True: pa.array(list(codes)), False: pa.array(numbers, pa.float64())}
    for i, field in enumerate(table.schema):
        dates = pa.types.is_date(field.type) or pa.types.is_timestamp(field.type)
        text = is_text(field.type) or dates
        if field.name == id_column or not (text or is_numeric(field.type)):
            continue
        cells = column = table[i]
        if dates:
            cells = pc.strftime(column.cast(pa.timestamp("s"), safe=False), format="%Y-%m-%d")
        elif not text:
            cells = column.cast(pa.float64(), safe=False)
        gaps = pc.is_in(cells, value_set=values[text])
        kept = pc.if_else(gaps, pa.scalar(None, field.type), column)
        table = table.set_column(i, field.name, kept)
    return table


def _about_duplicates(request: Request, table: pa.Table, notes: list[str]) -> pa.Table:
    """Count rows that repeat others in all columns, and leave them out with drop_duplicates."""
    remove = request.options.get("drop_duplicates", False)
    if table.num_rows * table.num_columns > MAX_DUPLICATE_CELLS and not remove:
        return table
    try:
        repeated = table.to_pandas().duplicated().to_numpy()
    except TypeError:  # nested columns, which are refused later
        return table
    count = int(repeated.sum())
    if not count or request.purpose != "features":
        return table.filter(pa.array(~repeated)) if remove and count else table
    rows = "1 row repeats another" if count == 1 else f"{count} rows repeat others"
    if remove:
        notes.append(f"{rows} in all columns and {'is' if count == 1 else 'are'} left out")
        return table.filter(pa.array(~repeated))
    them = "it" if count == 1 else "them"
    notes.append(f"{rows} in all columns (drop_duplicates=True leaves {them} out)")
    return table


def _ids(request: Request, name: str, column: pa.ChunkedArray, notes: list[str]) -> list[str]:
    """Return ids as text; features may have repeated ids, with a note."""
    ids = column.cast(pa.string()).to_pylist()
    if column.null_count:
        raise ValueError(f"{request}: row {ids.index(None) + 1} has no id in column {name!r}")
    repeated = [value for value, count in Counter(ids).items() if count > 1]
    if not repeated:
        return ids
    if request.purpose != "features" or request.options.get("transpose"):
        given = request.options.get("id_column")
        hint = ", or if that column does not hold ids, give id_column=False or another column"
        raise ValueError(
            f"{request}: the ids in column {name!r} are not distinct, {listed(repeated, 3)} "
            f"occur more than once; leave out equal rows by drop_duplicates=True"
            f"{'' if given else hint}"
        )
    some = f"{len(repeated)} ids occur" if len(repeated) > 1 else "1 id occurs"
    notes.append(f"{some} more than once in column {name!r}, such as {repeated[0]!r}")
    return ids


def _transposed(request: Request, loaded: Content) -> Content:
    """Transpose a table: column names become ids, and ids become column names."""
    table = loaded.table
    text = [field.name for field in table.schema if not is_numeric(field.type)]
    if text:
        raise ValueError(
            f"{request}: column {text[0]!r} is not numeric, so the table cannot be transposed; "
            f"leave it out by drop=, or name the column of ids by id_column="
        )
    ids = enumerate(loaded.ids, 1)
    named = [str(name) if loaded.id_column else f"column{i}" for i, name in ids]
    refuse_repeated(request, named)
    columns = [column.cast(pa.float64(), safe=False).to_numpy() for column in table.columns]
    rows = pa.table(list(np.stack(columns, axis=1)), names=named)
    return replace(loaded, table=rows, ids=table.column_names, id_column="column names")
