"""Rows in blocks: map functions over them or sum their results, out of core.

Linear methods use these two operations, so that the same code runs in memory and on collections
that arrive in pieces (`Rows`).  An array is a collection of one block.  Results must not depend
on where the blocks end: counts are integers (or floats with integer values), so that sums are
exact.
"""

from consens._blocks.engine import Engine, Task
from consens._blocks.functions import (
    BLOCK_BYTES,
    C,
    Collection,
    FeatureMatrix,
    Labels,
    RowMask,
    bits_for,
    cached,
    collect_rows,
    fixed,
    fixed_total,
    load,
    map_rows,
    persist,
    preset,
    recall,
    row_blocks,
    run_on_samples,
    split_like,
    sum_rows,
    take_columns,
    take_rows,
    to_user,
)
from consens._blocks.rows import Rows, as_rows, in_blocks
