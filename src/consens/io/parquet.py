"""Parquet files, read as whole tables or in blocks that fit into memory."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from consens._blocks import Engine, Rows, Task
from consens._cells import not_numeric
from consens._support.files import as_path, whole_path
from consens._support.printable import listed
from consens._validation import check_integer
from consens.io.formats import (
    Content,
    Format,
    Request,
    TableHeader,
    checked_names,
    is_numeric,
    may_be_ids,
    refuse_damaged,
    refuse_repeated,
    register,
)

MAX_UNSORTED_IDS = 4_000_000  # rows up to which all integers of a column are compared
PARQUET_BLOCK_BYTES = 2**26  # bytes of a block, unless a single row group is larger


def parquet_header(request: Request) -> TableHeader:
    """Read the columns and the number of rows from the footer of a file."""
    with refuse_damaged(request, "a parquet file"), request.open_for_arrow() as file:
        meta = pq.read_metadata(file)
        schema = meta.schema.to_arrow_schema()
    columns = {field.name: str(field.type) for field in schema}
    return TableHeader(columns, meta.num_rows, parquet_bytes(meta))


def parquet_bytes(meta: pq.FileMetaData) -> float:
    """Estimate the memory of a table, which may be much larger than its encoded file."""
    stored = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
    return max(stored, 8.0 * meta.num_rows * meta.num_columns)


def read_parquet(request: Request) -> Content:
    """Read a whole file; ids are the index of a stored DataFrame, or a first column of text."""
    with refuse_damaged(request, "a parquet file"), request.open_for_arrow() as file:
        table = pq.read_table(file)
        index = _stored_index(table.schema)
    refuse_repeated(request, table.column_names)
    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    table = pa.table(columns, names=table.column_names)
    return Content(table, _id_column(table, index, request.options.get("id_column")))


def _stored_index(schema: pa.Schema) -> list[Any]:
    """Return the index columns of a stored DataFrame."""
    return list((schema.pandas_metadata or {}).get("index_columns", []))


def _id_column(
    table: pa.Table, index: Sequence[Any], given: str | Literal[False] | None
) -> str | None:
    """Return the given column of ids, the stored index, or a first column of text."""
    if given is not None:
        return given or None
    stored = [name for name in index if isinstance(name, str)]
    if len(stored) == 1:
        return stored[0]
    return table.column_names[0] if table.num_columns and may_be_ids(table[0]) else None


register(Format((".parquet",), parquet_header, read_parquet))


def open_parquet(
    paths: str | Path | Sequence[str | Path],
    *,
    drop: Iterable[str] = (),
    block_bytes: int = PARQUET_BLOCK_BYTES,
    engine: Engine | None = None,
) -> Rows:
    """Open the features in one or more Parquet files, as blocks that are read when needed.

    Parameters
    ----------
    paths : path, or sequence of paths
        Files with the same columns, concatenated by rows.
    drop : iterable of str
        Columns to leave out; all others must be numbers.
    block_bytes : int
        Row groups are joined to blocks of up to this many bytes.
    engine : Engine, optional
        Runs the blocks; by default in this process.

    Returns
    -------
    Rows
        Of shape (n, d), float32 if all columns are, else float64.

    Examples
    --------
    >>> import pandas as pd, tempfile
    >>> from consens.io import open_parquet
    >>> folder = tempfile.TemporaryDirectory()
    >>> pd.DataFrame({"a": [1, 2], "b": [0.5, 1]}).to_parquet(folder.name + "/x.parquet")
    >>> open_parquet(folder.name + "/x.parquet")
    Rows: 2 x 2 float64 in 1 blocks
    >>> folder.cleanup()
    """
    if isinstance(paths, str | Path) or not isinstance(paths, Iterable):
        paths = [paths]
    files = [as_path(path, "paths") for path in paths]
    block_bytes = check_integer(block_bytes, "block_bytes")
    if not files:
        raise ValueError("no Parquet files were given")
    dropped = set(checked_names(drop, "drop"))
    names, dtype = _feature_columns(files[0], dropped)
    blocks, sizes = [], []
    for file in files:
        own, own_dtype = _feature_columns(file, dropped)
        if own != names:
            raise ValueError(
                f"{file} has the columns {listed(own)}, but {files[0]} has {listed(names)}; all "
                "files must have the same"
            )
        dtype = np.promote_types(dtype, own_dtype)
        for groups, size in _blocks(file, block_bytes // (8 * len(names))):
            blocks.append((file, groups))
            sizes.append(size)
    if not blocks:
        raise ValueError(f"{files[0]} has no rows")
    # absolute, because workers may run in another folder
    read = partial(read_block, names, dtype)
    steps = [Task(read, str(file.absolute()), groups) for file, groups in blocks]
    return Rows(steps, sizes, len(names), dtype, engine, names)


def read_block(names: list[str], dtype: Any, path: str, groups: list[int]) -> np.ndarray:
    """Read row groups of a file as a matrix, with NaN for missing values."""
    with pq.ParquetFile(path) as file:
        table = file.read_row_groups(groups, columns=names, use_threads=False)
    X = np.empty((table.num_rows, len(names)), dtype=dtype)
    kind = pa.from_numpy_dtype(np.dtype(dtype))
    for i, name in enumerate(names):
        X[:, i] = table[name].cast(kind, safe=False).to_numpy()
    return X


def parquet_head(
    path: str | Path, n_rows: int, id_column: str | Literal[False] | None = None
) -> tuple[pa.Table, str | None]:
    """Read the first rows of a file, and the name of its column of ids."""
    with _opened(path) as file:
        schema = file.schema_arrow
        head = pa.Table.from_batches(itertools.islice(file.iter_batches(n_rows), 1), schema)
        return head, _id_column(head, _stored_index(schema), id_column)


@contextmanager
def _opened(path: str | Path) -> Iterator[pq.ParquetFile]:
    if not Path(path).exists():
        raise FileNotFoundError(f"no such file: {path}")
    with refuse_damaged(Request(Path(path)), "a parquet file"), pq.ParquetFile(path) as file:
        yield file


def column_runs(paths: Sequence[str | Path], name: str) -> Iterator[pa.Array]:
    """Yield one column of several files in arrays that fit into memory."""
    for path in paths:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=[name]):
                yield batch.column(0)


def never_repeats(paths: Sequence[str | Path], name: str) -> bool:
    """Whether a column is text, or integers that increase or, in few rows, are distinct."""
    last, n, increase = -np.inf, 0, True
    kept: list[np.ndarray] = []
    for run in column_runs(paths, name):
        if not pa.types.is_integer(run.type):
            return True
        values = run.to_numpy(zero_copy_only=False)
        if len(values):
            increase = increase and values[0] > last and bool((np.diff(values) > 0).all())
            last, n = values[-1], n + len(values)
        if n <= MAX_UNSORTED_IDS:
            kept.append(values)
        elif not increase:
            return False
    return increase or len(np.unique(np.concatenate(kept))) == n


def write_label_blocks(
    path: str | Path,
    labels: Rows,
    confidence: Rows,
    ids: Iterable[pa.Array] | None = None,
    name: str = "id",
) -> None:
    """Write a Parquet file of ids (row numbers by default), label and confidence, by blocks."""
    kind = pa.int64() if ids is None else pa.string()
    schema = pa.schema([(name, kind), ("label", pa.int32()), ("confidence", pa.float64())])
    both = labels.collect(lambda own, sure: (own, sure), confidence)
    numbers = itertools.count()
    runs = iter(()) if ids is None else iter(ids)
    waiting = pa.chunked_array([], kind)
    with whole_path(Path(path)) as staged, pq.ParquetWriter(staged, schema) as writer:
        for own, sure in both:
            if ids is None:
                named = pa.array(itertools.islice(numbers, len(own)), kind)
            else:
                while len(waiting) < len(own):
                    waiting = pa.chunked_array([*waiting.chunks, next(runs).cast(kind)], kind)
                named, waiting = waiting[: len(own)], waiting[len(own) :]
            writer.write_table(pa.table([named, own, sure], schema=schema))


def _feature_columns(path: Path, dropped: set[str]) -> tuple[list[str], Any]:
    """Return the names of the features of a file, and their common type."""
    with _opened(path) as file:
        schema = file.schema_arrow
    if missing := dropped - set(schema.names):
        known = listed(schema.names)
        raise ValueError(f"{path} has no column {missing.pop()!r}; its columns are {known}")
    fields = [field for field in schema if field.name not in dropped]
    text = [field.name for field in fields if not is_numeric(field.type)]
    if text:
        raise ValueError(f"{path}: {not_numeric(text)}")
    if not fields:
        raise ValueError(f"{path} has no columns other than those left out")
    single = all(pa.types.is_float32(field.type) for field in fields)
    return [field.name for field in fields], np.dtype(np.float32 if single else np.float64)


def _blocks(path: Path, n_rows: int) -> Iterator[tuple[list[int], int]]:
    """Yield runs of row groups with up to `n_rows` rows, and the number of rows of each."""
    meta = pq.read_metadata(path)
    groups: list[int] = []
    size = 0
    for group in range(meta.num_row_groups):
        own = meta.row_group(group).num_rows
        if groups and size + own > n_rows:
            yield groups, size
            groups, size = [], 0
        if own:
            groups.append(group)
            size += own
    if groups:
        yield groups, size
