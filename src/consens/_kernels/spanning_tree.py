"""Counts of the clusters that label rows share, and their spanning tree without a matrix.

Tiles of `WIDTH` objects are stored member by member in the smallest unsigned type, so that one
instruction compares the labels of 32 or 64 objects with those of a row; for the tree (Prim's
algorithm), those of the rows that are not in it yet with the row that was added last.
"""

import numpy as np

from consens._kernels._njit import njit

WIDTH = 256

ROW_BITS = 24  # bits of a row number in a key; the remaining bits hold a number of members

_INSIDE = np.iinfo(np.int64).max


def most_shared_tree(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Maximum spanning tree by the number of shared clusters; ties go to the smallest pair.

    Negative labels are in no cluster.  For less than 2**24 rows and 2**14 members.  Returns the
    u - 1 pairs (first, second) and the number of clusters that each shares.
    """
    u, n_members = rows.shape
    return _prim(as_tiles(rows), u, np.zeros(WIDTH, np.min_scalar_type(n_members)))


@njit
def _prim(
    labels: np.ndarray, u: int, shared: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n_tiles, n_members, _ = labels.shape
    row = np.arange(n_tiles * WIDTH).reshape(n_tiles, WIDTH)
    edge = np.full((n_tiles, WIDTH), _INSIDE, np.int64)
    for p in range(u):
        edge[p // WIDTH, p % WIDTH] = _key(n_members, 0, p)
    first = np.empty(u - 1, np.int64)
    second = np.empty(u - 1, np.int64)
    counts = np.empty(u - 1, np.int64)
    query = np.empty(n_members, labels.dtype)
    new = place = 0
    for left in range(u - 1, 0, -1):
        # the last row takes the place of the new one
        t, j = place // WIDTH, place % WIDTH
        for m in range(n_members):
            query[m] = labels[t, m, j]
        _move(left // WIDTH, left % WIDTH, t, j, labels, row, edge)
        best = _INSIDE
        for t in range(-(-left // WIDTH)):
            count_shared(labels[t], query, shared)
            for j in range(min(WIDTH, left - t * WIDTH)):
                edge[t, j] = min(edge[t, j], _key(n_members - shared[j], new, row[t, j]))
            j = edge[t].argmin()
            if edge[t, j] < best:
                best, place = edge[t, j], t * WIDTH + j
        new = row[place // WIDTH, place % WIDTH]
        step = u - 1 - left
        first[step], second[step] = _rows_of(best)
        counts[step] = n_members - (best >> (2 * ROW_BITS))
    return first, second, counts


@njit
def _key(not_shared: int, a: int, b: int) -> int:
    """Encode an edge as a number, which is smaller for better edges."""
    return (not_shared << (2 * ROW_BITS)) | (min(a, b) << ROW_BITS) | max(a, b)


@njit
def _rows_of(key: int) -> tuple[int, int]:
    mask = (1 << ROW_BITS) - 1
    return (key >> ROW_BITS) & mask, key & mask


@njit
def _move(
    t: int,
    j: int,
    to_t: int,
    to_j: int,
    labels: np.ndarray,
    row: np.ndarray,
    edge: np.ndarray,
) -> None:
    """Move a row to another place, and leave a dummy that shares nothing."""
    # a loop: to assign a slice, numba compiles the text of an error about shapes, for seconds
    for m in range(labels.shape[1]):
        labels[to_t, m, to_j] = labels[t, m, j]
        labels[t, m, j] = ~labels.dtype.type(0)
    row[to_t, to_j], edge[to_t, to_j] = row[t, j], edge[t, j]
    edge[t, j] = _INSIDE


def as_tiles(labels: np.ndarray) -> np.ndarray:
    """Convert label rows to shape (tiles, M, WIDTH); the largest value means no cluster."""
    n, n_members = labels.shape
    dtype = np.min_scalar_type(int(labels.max(initial=0)) + 1)
    none = np.iinfo(dtype).max
    padded = np.full((-(-n // WIDTH) * WIDTH, n_members), none, dtype=dtype)
    padded[:n] = np.where(labels >= 0, labels, none)
    return np.ascontiguousarray(padded.reshape(-1, WIDTH, n_members).transpose(0, 2, 1))


def shared_counts(rows: np.ndarray, labels: np.ndarray, out: np.ndarray) -> None:
    """Write to `out` the number of members in which each row shares a cluster with each object."""
    tiles = as_tiles(labels)
    none = np.iinfo(tiles.dtype).max
    # a label that no object has is like no cluster
    queries = np.where((rows >= 0) & (rows < none), rows, none).astype(tiles.dtype)
    _shared_counts(queries, tiles, out)


@njit
def _shared_counts(queries: np.ndarray, tiles: np.ndarray, out: np.ndarray) -> None:
    n = out.shape[1]
    counts = np.empty(WIDTH, out.dtype)
    for i in range(len(queries)):
        for t in range(len(tiles)):
            count_shared(tiles[t], queries[i], counts)
            begin = t * WIDTH
            for j in range(min(WIDTH, n - begin)):
                out[i, begin + j] = counts[j]


@njit
def count_shared(tile: np.ndarray, query: np.ndarray, counts: np.ndarray) -> None:
    """Count the members in which the objects of a tile have the label of the query."""
    none = ~query.dtype.type(0)
    counts[:] = 0
    for m in range(len(query)):
        if query[m] != none:
            for j in range(WIDTH):
                counts[j] += counts.dtype.type(tile[m, j] == query[m])
