"""Rows in blocks: map over them, or add up what they give, without holding it all at once.

Linear methods are written against these two functions, so that the same code runs in memory
and over collections that arrive in pieces (`Rows`).  What is reduced must not depend on where
the blocks end: counts are integers (or floats that hold integers), so that sums are exact.

``rows.py``
    `Rows`, a collection in blocks that are made when they are asked for.
``engine.py``
    `Engine`, which makes them: in this process, or elsewhere (`consens.scale`).
``exact.py``
    sums of real numbers that do not depend on their order.
``matrix.py``
    the label algebra of `consens.labels` for label matrices in blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from consens.blocks.engine import Engine, LocalEngine, Task, watch_blocks
from consens.blocks.rows import (
    Rows,
    add,
    as_rows,
    in_blocks,
    row_numbers,
    take_rows,
    to_user,
)

__all__ = [
    "BLOCK_BYTES",
    "Engine",
    "LocalEngine",
    "Rows",
    "Task",
    "as_rows",
    "collect_rows",
    "in_blocks",
    "map_rows",
    "row_blocks",
    "row_numbers",
    "sum_rows",
    "take_rows",
    "to_user",
    "watch_blocks",
]

BLOCK_BYTES = 64 * 2**20


def row_blocks(n: int, bytes_per_row: int) -> Iterator[slice]:
    """Cut n rows into slices of about 64 MB of work space."""
    size = max(1, BLOCK_BYTES // max(1, bytes_per_row))
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def map_rows(
    function: Callable[..., np.ndarray],
    *arrays: Any,
    bytes_per_row: int,
    width: int | None = None,
    dtype: Any = np.float64,
) -> Any:
    """Apply `function` to blocks of rows of all `arrays` and put the results in one array.

    Parameters
    ----------
    function : callable
        Its result has one row per row of its arguments, and may depend on nothing else.
    *arrays : arrays, or `Rows`, of the same length
    bytes_per_row : int
        Work space of the function.
    width, dtype
        Of the result, for `Rows`, which are not made now; no width is a vector.

    Returns
    -------
    ndarray, or Rows if one of the arrays is

    Examples
    --------
    >>> import numpy as np
    >>> from consens.blocks import map_rows
    >>> map_rows(lambda rows: rows.sum(axis=1), np.eye(3), bytes_per_row=24)
    array([1., 1., 1.])
    """
    if in_blocks(*arrays):
        inner = partial(map_rows, function, bytes_per_row=bytes_per_row)
        return Rows.mapped(inner, *arrays, width=width, dtype=dtype)
    n = arrays[0].shape[0]
    results = [function(*(a[b] for a in arrays)) for b in row_blocks(n, bytes_per_row)]
    return results[0] if len(results) == 1 else np.concatenate(results)


def sum_rows(function: Callable[..., Any], *arrays: Any, bytes_per_row: int) -> Any:
    """Apply `function` to blocks of rows of all `arrays` and add up the results.

    Sums must be exact, for `Rows` are added up in any order.  Tuples are added entry by entry.
    """
    if in_blocks(*arrays):
        return Rows.summed(partial(sum_rows, function, bytes_per_row=bytes_per_row), *arrays)
    total = None
    for block in row_blocks(arrays[0].shape[0], bytes_per_row):
        part = function(*(a[block] for a in arrays))
        total = part if total is None else add(total, part)
    return total


def collect_rows(function: Callable[..., Any], *arrays: Any, bytes_per_row: int) -> list[Any]:
    """Apply `function` to blocks of rows of all `arrays`: what it gives, from first to last."""
    if in_blocks(*arrays):
        rows = as_rows(arrays[0])
        assert rows is not None, "the first of the arrays must be in blocks"
        return list(rows.collect(function, *arrays[1:]))
    blocks = row_blocks(arrays[0].shape[0], bytes_per_row)
    return [function(*(a[block] for a in arrays)) for block in blocks]
