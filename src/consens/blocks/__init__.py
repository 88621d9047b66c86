"""Rows in blocks: map over them, or add up what they give, without holding it all at once.

Linear methods are written against these two functions, so that the same code runs in memory
and over collections that arrive in pieces (`Rows`).  An array is a collection of one block.  What
is reduced must not depend on where the blocks end: counts are integers (or floats that hold
integers), so that sums are exact.

``functions.py``
    what can be done with rows, in memory or in blocks; nothing else asks for the difference.
``rows.py``
    `Rows`, a collection in blocks that are made when they are needed.
``engine.py``
    `Engine`, which makes them: in this process, or elsewhere (`consens.scale`).
``exact.py``
    sums of real numbers that do not depend on their order.
"""

from __future__ import annotations

from consens.blocks.engine import Engine, LocalEngine, Task
from consens.blocks.functions import (
    BLOCK_BYTES,
    C,
    Collection,
    RowMask,
    cached,
    collect_rows,
    load,
    map_rows,
    persist,
    preset,
    recall,
    row_blocks,
    split_like,
    sum_rows,
    take_columns,
    take_rows,
    to_user,
)
from consens.blocks.rows import Rows, as_rows, in_blocks
from consens.progress import blocks as _progress

__all__ = [
    "BLOCK_BYTES",
    "C",
    "Collection",
    "Engine",
    "LocalEngine",
    "RowMask",
    "Rows",
    "Task",
    "as_rows",
    "cached",
    "collect_rows",
    "in_blocks",
    "load",
    "map_rows",
    "persist",
    "preset",
    "recall",
    "row_blocks",
    "split_like",
    "sum_rows",
    "take_columns",
    "take_rows",
    "to_user",
    "watch_blocks",
]

#: Context manager: call a function with the `progress.BlockProgress` of each pass over blocks.
watch_blocks = _progress.watch
