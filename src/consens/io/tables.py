"""Feature tables and label tables from csv, tsv, parquet and npy files."""

import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from consens.io.text import is_number, is_text, listed, read_text, refuse_repeated

SUFFIXES = (".csv", ".tsv", ".parquet", ".npy")


@dataclass(frozen=True)
class FeatureTable:
    """Features of objects.

    Attributes
    ----------
    X : ndarray of shape (n, d), float64
        Finite values.
    columns : list of str
        Names of the d features.
    ids : sequence of str or int
        One per object; row numbers from 0 when the file has no id.
    id_column : str or None
        Where the ids came from.
    """

    X: np.ndarray
    columns: list[str]
    ids: Sequence[str | int]
    id_column: str | None


@dataclass(frozen=True)
class LabelTable:
    """Clusterings of objects, one per column.

    Attributes
    ----------
    labels : DataFrame of shape (n, M)
        Integers, booleans or text as they stand in the file; missing cells are missing.
    ids : sequence of str or int
        One per object; row numbers from 0 when the file has no id.
    id_column : str or None
        Where the ids came from.
    """

    labels: pd.DataFrame
    ids: Sequence[str | int]
    id_column: str | None


def read_features(
    path: str | Path,
    *,
    id_column: str | Literal[False] | None = None,
    drop: Iterable[str] = (),
    header: bool | None = None,
) -> FeatureTable:
    """Read a table of numbers, one object per row.

    Parameters
    ----------
    path : path
        A csv (commas, semicolons or tabs; UTF-8), tsv, parquet or npy file. Columns of an
        npy file, and of a text file without header, are called column1, column2 and so on.
    id_column : str, False or None
        The column that holds the ids; False when there is none. None takes the index of a
        DataFrame stored as parquet, else the first column when it holds text or is called
        id, index or nothing at all.
    drop : iterable of str
        Columns to leave out.
    header : bool or None
        Whether the first line of a text file names the columns; None finds out, and
        raises when the line could be either.

    Returns
    -------
    FeatureTable

    Raises
    ------
    ValueError, OSError
        One line that says what is wrong with the file and what to do.
    """
    table, ids, id_column = _read(Path(path), id_column, drop, header)
    text = [name for name in table.column_names if not _is_numeric(table[name].type)]
    if text:
        cell = _first_text(table[text[0]])
        plural = "columns {} are" if len(text) > 1 else "column {} is"
        options = " ".join(f"--drop {shlex.quote(name)}" for name in text)
        raise ValueError(
            f"{path}: {plural.format(listed(text))} not numeric (e.g. {cell!r}); "
            f"leave out what is no feature: {options}"
        )
    X = np.empty((table.num_rows, table.num_columns))
    for i, column in enumerate(table.columns):
        X[:, i] = column.cast(pa.float64(), safe=False).to_numpy()
    _refuse_non_finite(path, X, table.column_names)
    return FeatureTable(X, table.column_names, ids, id_column)


def read_labels(
    path: str | Path,
    *,
    id_column: str | Literal[False] | None = None,
    drop: Iterable[str] = (),
    header: bool | None = None,
) -> LabelTable:
    """Read a table of clusterings: one object per row, one clustering per column.

    Every column but the id is a clustering. In text files the cells
    ``NA N/A #N/A NaN nan null NULL None <NA>`` and empty ones are missing labels; in parquet
    and npy files only nulls and NaN are. Whole numbers stored as reals, as pandas writes
    integers with gaps, are integers again.

    Parameters
    ----------
    path, id_column, drop, header
        As in `read_features`.

    Returns
    -------
    LabelTable

    Raises
    ------
    ValueError, OSError
        One line that says what is wrong with the file and what to do.
    """
    table, ids, id_column = _read(Path(path), id_column, drop, header)
    labels = {name: _label_column(path, name, table[name]) for name in table.column_names}
    return LabelTable(pd.DataFrame(labels), ids, id_column)


def _read(
    path: Path, id_column: str | Literal[False] | None, drop: Iterable[str], header: bool | None
) -> tuple[pa.Table, Sequence[str | int], str | None]:
    suffix = path.suffix.lower()
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, not a file")
    if not path.exists():
        raise FileNotFoundError(f"no such file: {path}")
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: unknown suffix {suffix!r}; known are {', '.join(SUFFIXES)}")
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty")
    found: str | None
    if suffix == ".npy":
        table, found = _read_npy(path), id_column or None
    elif suffix == ".parquet":
        table, found = _read_parquet(path, id_column)
    else:
        delimiters = "\t;," if suffix == ".csv" else "\t"
        table, found = read_text(path, delimiters=delimiters, id_column=id_column, header=header)
    if table.num_rows == 0:
        raise ValueError(f"{path} has no rows")
    dropped = set(drop)
    for name in [*dropped, *([found] if found else [])]:
        if name not in table.column_names:
            known = listed(table.column_names)
            raise ValueError(f"{path} has no column {name!r}; its columns are {known}")
    if found in dropped:
        found = None
    ids = range(table.num_rows) if found is None else _ids(path, found, table[found], id_column)
    table = table.drop_columns([*dropped, *([found] if found else [])])
    if table.num_columns == 0:
        raise ValueError(f"{path} has no column left beside the id and what is left out")
    return table, ids, found


def _read_npy(path: Path) -> pa.Table:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        if "Python objects" in str(error):
            raise ValueError(
                f"{path} holds Python objects, which only pickle could read; "
                "save numbers or text instead"
            ) from None
        raise ValueError(f"{path} is not an npy file, or a damaged one") from None
    if not isinstance(array, np.ndarray):  # numpy opens zip archives as npz
        raise ValueError(f"{path} is not an npy file, or a damaged one")
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise ValueError(f"{path}: expected an array of 2 dimensions, got {array.ndim}")
    if array.dtype.kind not in "biufU":
        raise ValueError(f"{path}: expected an array of numbers or text, got {array.dtype}")
    if array.dtype.kind == "f" and array.dtype != np.float32:
        array = array.astype(np.float64, copy=False)
    native = array.dtype.newbyteorder("=")
    columns = [pa.array(np.ascontiguousarray(column, dtype=native)) for column in array.T]
    return pa.table(columns, names=[f"column{i}" for i in range(1, len(columns) + 1)])


def _read_parquet(
    path: Path, id_column: str | Literal[False] | None
) -> tuple[pa.Table, str | None]:
    try:
        table = pyarrow.parquet.read_table(path)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError):
        raise ValueError(f"{path} is not a parquet file, or a damaged one") from None
    refuse_repeated(path, table.column_names)
    for i, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(i, field.name, table[i].cast(field.type.value_type))
    if id_column is not None:
        return table, id_column or None
    index = (table.schema.pandas_metadata or {}).get("index_columns", [])
    stored = [name for name in index if isinstance(name, str)]
    if len(stored) == 1:
        return table, stored[0]
    if table.num_columns and is_text(table.schema[0].type):
        return table, table.column_names[0]
    return table, None


def _ids(
    path: Path, name: str, column: pa.ChunkedArray, asked: str | Literal[False] | None
) -> list[str]:
    ids = column.cast(pa.string()).to_pylist()
    if column.null_count:
        raise ValueError(f"{path}: row {ids.index(None) + 1} has no id in column {name!r}")
    repeated = [value for value, count in Counter(ids).items() if count > 1]
    if repeated:
        hint = "; if that column holds no ids, say --no-id or name another by --id"
        raise ValueError(
            f"{path}: the ids in column {name!r} are not distinct, {listed(repeated, 3)} "
            f"occur more than once{'' if asked else hint}"
        )
    return ids


def _label_column(path: str | Path, name: str, column: pa.ChunkedArray) -> pd.Series:
    kind = column.type
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        column = column.cast(pa.float64(), safe=False)
        column = pc.if_else(pc.is_nan(column), None, column)
        whole = pc.and_(pc.equal(column, pc.round(column)), pc.less(pc.abs(column), 2.0**53))
        if not pc.all(whole).as_py():
            cell = column.filter(pc.invert(whole))[0].as_py()
            raise ValueError(
                f"{path}: column {name!r} holds real values (e.g. {cell:g}) where labels are "
                "due; for a table of features use consens cluster"
            )
        column = column.cast(pa.int64())
    elif not (_is_numeric(kind) or is_text(kind)):
        column = column.cast(pa.string())
    if pa.types.is_integer(column.type):
        column = column.cast(pa.int64())
        return column.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    return column.to_pandas()


def _refuse_non_finite(path: str | Path, X: np.ndarray, names: list[str]) -> None:
    bad = {name: np.flatnonzero(~np.isfinite(X[:, i])) for i, name in enumerate(names)}
    bad = {name: rows for name, rows in bad.items() if rows.size}
    if bad:
        name, rows = next(iter(bad.items()))
        more = f", as do {listed(list(bad)[1:])}" if len(bad) > 1 else ""
        raise ValueError(
            f"{path}: column {name!r} has {rows.size} missing or infinite values, the first in "
            f"row {rows[0] + 1}{more}; fill them in, or leave columns out by --drop"
        )


def _is_numeric(kind: pa.DataType) -> bool:
    types = pa.types
    return (
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_decimal(kind)
        or types.is_boolean(kind)
        or types.is_null(kind)
    )


def _first_text(column: pa.ChunkedArray) -> object:
    """The cell that keeps a column from being numeric, such as one '?' among numbers."""
    cells = (cell for cell in column.to_pylist() if cell is not None)
    return next((cell for cell in cells if not is_number(str(cell))), None)
