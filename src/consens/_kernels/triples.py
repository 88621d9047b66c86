"""Connected triples of a graph of clusters; `evidence.link_analysis` has a plain version."""

import numpy as np

from consens._kernels._njit import njit, prange

ROWS, COLUMNS = 32, 512  # a tile of the sums of this size fits in the cache of a core


@njit
def weighted_minima(
    indptr: np.ndarray,
    indices: np.ndarray,
    links: np.ndarray,
    weights: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Add weights[k] min(w_ik, w_jk) to sums[i, j] for all neighbours i <= j of each k."""
    for k in range(len(weights)):
        weight, end = weights[k], indptr[k + 1]
        for a in range(indptr[k], end):
            own, row = links[a], sums[indices[a]]
            for b in range(a, end):
                row[indices[b]] += weight * min(own, links[b])


@njit(parallel=True)
def weighted_minima_dense(graph: np.ndarray, weights: np.ndarray, sums: np.ndarray) -> None:
    """Same as `weighted_minima`, in the same order, for a dense graph."""
    n = len(weights)
    for block in prange((n + ROWS - 1) // ROWS):
        first, last = block * ROWS, min(n, (block + 1) * ROWS)
        for start in range(first, n, COLUMNS):
            stop = min(n, start + COLUMNS)
            for k in range(n):
                links = graph[k, start:stop]
                for i in range(first, last):
                    if graph[k, i] > 0:
                        _add_minima(graph[k, i], weights[k], links, sums[i, start:stop])


@njit
def _add_minima(own: float, weight: float, links: np.ndarray, row: np.ndarray) -> None:
    for j in range(len(links)):  # starts at 0, so that the compiler can vectorise it
        row[j] += weight * min(own, links[j])
