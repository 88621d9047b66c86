"""Counts of the clusters that label rows share, vectorised over rows.

Tiles of `WIDTH` objects are stored member by member in the smallest unsigned type, so that one
instruction compares the labels of 32 or 64 objects with that of a row.
"""

from __future__ import annotations

import numpy as np

from consens._kernels._njit import njit

WIDTH = 256


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
