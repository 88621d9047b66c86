"""One pass over features: non-finite values, ranges, two values, first rows, and a checksum.

The checksum does not depend on where blocks end.  It detects accidental differences, but does not
resist an adversary.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from consens._blocks.functions import cached, collect_rows

#: Shifts and factors of the generator splitmix64, which make each bit affect all others.
MIXING = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))


N_HEAD = 1000  # number of first rows that a scan keeps


class Scan(NamedTuple):
    """Numbers of NaN and of non-finite values, range and counts of its ends per column, and more.

    `n_low` and `n_high` count the smallest and the largest value; columns of two values have
    nothing else.
    """

    n_nan: np.ndarray
    n_bad: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n_low: np.ndarray
    n_high: np.ndarray
    checksum: int
    head: np.ndarray

    def join(self, other: Scan) -> Scan:
        """Scan of these rows followed by the rows of another scan."""
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        both = self, other
        return Scan(
            self.n_nan + other.n_nan,
            self.n_bad + other.n_bad,
            low,
            high,
            np.sum([np.where(one.low == low, one.n_low, 0) for one in both], axis=0),
            np.sum([np.where(one.high == high, one.n_high, 0) for one in both], axis=0),
            (self.checksum + other.checksum) % 2**64,
            np.concatenate([self.head, other.head]) if len(other.head) else self.head,
        )


def scan_rows(rows: Any) -> Scan:
    """Scan rows of features in one pass; cached for `Rows`."""
    return cached(_scan_rows, rows)


def _scan_rows(rows: Any) -> Scan:
    bytes_per_row = 24 * rows.shape[1]
    found = collect_rows(_scan_block, rows, bytes_per_row=bytes_per_row, with_start=True)
    return reduce(Scan.join, found)


def _scan_block(block: np.ndarray, start: int) -> Scan:
    n_nan = n_bad = np.zeros(block.shape[1], dtype=np.int64)
    low, high = block.min(axis=0), block.max(axis=0)
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        n_nan, n_bad = np.isnan(block).sum(axis=0), (~np.isfinite(block)).sum(axis=0)
    n_low, n_high = (block == low).sum(axis=0), (block == high).sum(axis=0)
    checksum = _checksum(block, start * block.shape[1])
    head = block[: max(0, N_HEAD - start)].copy()
    return Scan(n_nan, n_bad, low, high, n_low, n_high, checksum, head)


def _checksum(block: np.ndarray, first: int) -> int:
    """Sum over all values of mixed bits times an odd number of their place, modulo 2^64."""
    bits = np.ascontiguousarray(block).view(f"u{block.dtype.itemsize}")
    words = bits.astype(np.uint64).ravel()
    for shift, factor in MIXING:
        words ^= words >> np.uint64(shift)
        words *= np.uint64(factor)
    places = np.arange(first, first + len(words), dtype=np.uint64)
    return int(words @ (np.uint64(2) * places + np.uint64(1)))
