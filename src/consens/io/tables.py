"""Tables from files: the format by the suffix, the ids apart from the columns."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet

from consens.io.annotated import OBS_NAMES
from consens.io.arrays import read_mat, read_npy, read_npz
from consens.io.text import is_text, listed, read_text, refuse_repeated

SUFFIXES = (".csv", ".tsv", ".parquet", ".npy", ".npz", ".mat", ".h5ad")


def read_table(
    path: Path,
    id_column: str | Literal[False] | None,
    drop: Iterable[str],
    header: bool | None,
    array: str | None,
    *,
    names: Sequence[str],
    annotated: Callable[..., pa.Table],
) -> tuple[pa.Table, Sequence[str | int], str | None]:
    """Read a table of any format: its columns without the id, the ids, and the id column.

    Of the arrays in a file that holds several, `array` is read, or the first of `names`;
    `annotated` reads what is meant from a file of AnnData.
    """
    suffix = path.suffix.lower()
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, not a file")
    if not path.exists():
        raise FileNotFoundError(f"no such file: {path}")
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: unknown suffix {suffix!r}; known are {', '.join(SUFFIXES)}")
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty")
    if array is not None and suffix not in (".npz", ".mat", ".h5ad"):
        raise ValueError(f"{path} holds one table, so there is no array {array!r} to choose")
    found: str | None
    if suffix == ".npy":
        table, found = read_npy(path), id_column or None
    elif suffix in (".npz", ".mat"):
        read = read_npz if suffix == ".npz" else read_mat
        table, found = read(path, array, names), id_column or None
    elif suffix == ".h5ad":
        table, found = annotated(path, array), id_column or None
        if id_column is None:
            found = OBS_NAMES
        elif id_column != OBS_NAMES:
            table = table.drop_columns([OBS_NAMES])
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


def is_numeric(kind: pa.DataType) -> bool:
    """Whether a column holds numbers, or nothing at all."""
    types = pa.types
    return (
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_decimal(kind)
        or types.is_boolean(kind)
        or types.is_null(kind)
    )
