"""Counts of the objects that clusters share, for one pair of members at a time.

Members are rows here, in the smallest unsigned type, so that a pair streams through the cache
while its counters stay there.  Sums of the rows of a table over the clusters of each object are
here as well.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from consens._kernels._njit import njit, prange

TILE_ROWS = 256

BATCH_CELLS = 2**22  # number of counters in a batch of pairs

ENCODED_ROWS = 4096


class Members(NamedTuple):
    """Members as rows; labels that are not counted have the code ``widths[m]``."""

    codes: np.ndarray
    widths: np.ndarray
    starts: np.ndarray


class Cells(NamedTuple):
    """Nonzero cells of the contingency matrix."""

    rows: np.ndarray
    columns: np.ndarray
    counts: np.ndarray


def as_members(labels: np.ndarray) -> tuple[np.ndarray, tuple[int, int]]:
    """Memory of an n × M label matrix, and the steps in it to the next member and object.

    A read-only vector for either order in memory, so that kernels compile once.
    """
    n, n_members = labels.shape
    by_member = labels.flags.f_contiguous
    memory = np.asarray(labels, dtype=np.int32).ravel("F" if by_member else "C").view()
    memory.flags.writeable = False
    return memory, (n, 1) if by_member else (1, n_members)


def encode(labels: np.ndarray, n_clusters: np.ndarray, noise: bool) -> Members:
    """Convert a label matrix to rows of the smallest unsigned type, noise after the clusters."""
    widths = n_clusters + 1 if noise else n_clusters
    smallest = np.min_scalar_type(int(widths.max()))
    codes = np.empty(labels.shape[::-1], dtype=smallest)
    _encode(*as_members(labels), n_clusters, widths, codes)
    return Members(codes, widths, np.concatenate([[0], np.cumsum(widths)]))


def count_shared_objects(
    left: Members, right: Members | None = None, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute B_left' B_right in CSR format with sorted columns: data, indices, indptr.

    Without `right`, `left` is crossed with itself: only pairs p < q are counted.
    """
    if weights is None:
        weights = np.ones(1, dtype=np.uint32)
    if right is not None:
        first, second = (i.ravel() for i in np.indices((len(left.codes), len(right.codes))))
        return _compressed(_pairs(left, right, first, second, weights), int(left.starts[-1]))
    above = _pairs(left, left, *np.triu_indices(len(left.codes), k=1), weights)
    sizes = np.zeros(int(left.starts[-1]) + 1, dtype=weights.dtype)
    for codes, start, width in zip(left.codes, left.starts, left.widths, strict=False):
        _count_member(codes, start, width, weights, sizes)
    present = np.flatnonzero(sizes[:-1]).astype(np.int32)
    # pairs are sorted by p, then q: adding below, diagonal and above fills rows in order
    below = [Cells(cells.columns, cells.rows, cells.counts) for cells in above]
    diagonal = Cells(present, present, sizes[present])
    return _compressed([*below, diagonal, *above], int(left.starts[-1]))


def _pairs(
    left: Members, right: Members, first: np.ndarray, second: np.ndarray, weights: np.ndarray
) -> list[Cells]:
    """Nonzero cells of the blocks (first, second), in this order."""
    n_cells = (left.widths[first] + 1) * (right.widths[second] + 1)
    found = []
    for b in _batches(n_cells):
        begins = np.concatenate([[0], np.cumsum(n_cells[b])])
        counters = np.zeros(begins[-1], dtype=weights.dtype)
        pairs = first[b], second[b]
        _count(left.codes, right.codes, *pairs, right.widths, begins, weights, counters)
        found.append(Cells(*_nonzero(counters, begins, *pairs, *left[1:], *right[1:])))
    return found


def _compressed(parts: list[Cells], n_rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    lengths = np.zeros(n_rows, dtype=np.int64)
    for cells in parts:
        lengths += np.bincount(cells.rows, minlength=n_rows)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    n_cells = indptr[-1]
    counted = all(cells.counts.dtype.kind in "iu" for cells in parts)
    data = np.empty(n_cells, dtype=np.int64 if counted else np.float64)
    indices = np.empty(n_cells, dtype=np.int32)
    free = indptr[:-1].copy()
    for cells in parts:
        _place(cells.rows, cells.columns, cells.counts, free, data, indices)
    return data, indices, indptr


def _batches(cells: np.ndarray) -> Iterator[slice]:
    """Cut the pairs into batches whose counters fit."""
    batch = np.cumsum(cells) // BATCH_CELLS
    ends = np.flatnonzero(np.diff(batch, append=-1)) + 1
    return (slice(int(a), int(b)) for a, b in pairwise([0, *ends]))


@njit
def _encode(
    members: np.ndarray,
    steps: tuple[int, int],
    n_clusters: np.ndarray,
    widths: np.ndarray,
    codes: np.ndarray,
) -> None:
    n_members, n = codes.shape
    for begin in range(0, n, ENCODED_ROWS):  # reads each cache line once in either memory order
        end = min(begin + ENCODED_ROWS, n)
        for m in range(n_members):
            for i in range(begin, end):
                label = members[m * steps[0] + i * steps[1]]
                if label < 0:
                    label = n_clusters[m] if label == -1 else widths[m]
                codes[m, i] = label


@njit(parallel=True)
def _count(
    left: np.ndarray,
    right: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    widths_r: np.ndarray,
    begins: np.ndarray,
    weights: np.ndarray,
    counters: np.ndarray,
) -> None:
    for pair in prange(len(first)):
        a, b, width = left[first[pair]], right[second[pair]], widths_r[second[pair]] + 1
        cells = counters[begins[pair] : begins[pair + 1]]
        if len(weights) == 1:
            count_pair(a, b, width, cells)
        else:
            _weigh_pair(a, b, width, weights, cells)


@njit
def count_pair(left: np.ndarray, right: np.ndarray, width: int, counters: np.ndarray) -> None:
    """Add the objects that the clusters of two members share to a table of `width` columns."""
    # unsigned arithmetic avoids the test for negative indices
    for i in range(len(left)):
        counters[np.uintp(left[i]) * np.uintp(width) + np.uintp(right[i])] += np.uint32(1)


@njit
def _weigh_pair(
    left: np.ndarray, right: np.ndarray, width: int, weights: np.ndarray, counters: np.ndarray
) -> None:
    for i in range(len(left)):
        counters[np.uintp(left[i]) * np.uintp(width) + np.uintp(right[i])] += weights[i]


@njit
def _count_member(
    codes: np.ndarray, start: int, width: int, weights: np.ndarray, sizes: np.ndarray
) -> None:
    unweighted = len(weights) == 1
    for i in range(len(codes)):
        code = codes[i]
        sizes[start + code if code < width else len(sizes) - 1] += weights[0 if unweighted else i]


@njit
def _nonzero(
    counters: np.ndarray,
    begins: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    widths_l: np.ndarray,
    starts_l: np.ndarray,
    widths_r: np.ndarray,
    starts_r: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nonzero counters with their positions in the whole matrix."""
    n_cells = 0
    for pair in range(len(first)):
        at = begins[pair]
        for _ in range(widths_l[first[pair]]):
            for _ in range(widths_r[second[pair]]):
                n_cells += counters[at] > 0
                at += 1
            at += 1
    rows = np.empty(n_cells, dtype=np.int32)
    columns = np.empty(n_cells, dtype=np.int32)
    counts = np.empty(n_cells, dtype=counters.dtype)
    filled = 0
    for pair in range(len(first)):
        at = begins[pair]
        for row in range(widths_l[first[pair]]):
            for column in range(widths_r[second[pair]]):
                if counters[at] > 0:
                    rows[filled] = starts_l[first[pair]] + row
                    columns[filled] = starts_r[second[pair]] + column
                    counts[filled] = counters[at]
                    filled += 1
                at += 1
            at += 1
    return rows, columns, counts


@njit
def _place(
    rows: np.ndarray,
    columns: np.ndarray,
    counts: np.ndarray,
    free: np.ndarray,
    data: np.ndarray,
    indices: np.ndarray,
) -> None:
    for cell in range(len(rows)):
        at = free[rows[cell]]
        free[rows[cell]] = at + 1
        indices[at] = columns[cell]
        data[at] = counts[cell]


@njit
def _sums(
    members: np.ndarray,
    steps: tuple[int, int],
    starts: np.ndarray,
    table: np.ndarray,
    begin: int,
    sums: np.ndarray,
) -> None:
    """Sums of consecutive objects that start at `begin`, one per row of `sums`."""
    n_rows, width = sums.shape
    sums[:] = 0.0
    for m in range(len(starts) - 1):  # the outer loop, so that members are read contiguously
        for i in range(n_rows):
            label = members[m * steps[0] + (begin + i) * steps[1]]
            if label >= 0:
                cluster = starts[m] + label
                for j in range(width):
                    sums[i, j] += table[cluster, j]


@njit(parallel=True)
def fill_sums(
    members: np.ndarray,
    steps: tuple[int, int],
    starts: np.ndarray,
    table: np.ndarray,
    sums: np.ndarray,
) -> None:
    n = len(sums)
    for tile in prange((n + TILE_ROWS - 1) // TILE_ROWS):
        begin = tile * TILE_ROWS
        _sums(members, steps, starts, table, begin, sums[begin : min(begin + TILE_ROWS, n)])


@njit(parallel=True)
def fill_votes(
    members: np.ndarray,
    steps: tuple[int, int],
    starts: np.ndarray,
    table: np.ndarray,
    tolerance: float,
    winners: np.ndarray,
) -> None:
    n, width = len(winners), table.shape[1]
    for tile in prange((n + TILE_ROWS - 1) // TILE_ROWS):
        begin = tile * TILE_ROWS
        end = min(begin + TILE_ROWS, n)
        sums = np.empty((end - begin, width))
        _sums(members, steps, starts, table, begin, sums)
        for i in range(end - begin):
            highest = sums[i, 0]
            for j in range(1, width):
                highest = max(highest, sums[i, j])
            enough = highest - tolerance * abs(highest)
            winner = 0
            while sums[i, winner] < enough:
                winner += 1
            winners[begin + i] = winner
