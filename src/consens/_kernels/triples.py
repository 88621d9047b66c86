"""Connected triples of a graph of clusters; the plain twin is in `evidence.link_analysis`."""

from __future__ import annotations

import numpy as np

from consens._kernels._njit import njit


@njit
def weighted_minima(
    indptr: np.ndarray,
    indices: np.ndarray,
    links: np.ndarray,
    weights: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Add weights[k] min(w_ik, w_jk) to sums[i, j] for all neighbours i <= j of each k, in order.

    The graph w is given by its rows, with ascending indices.
    """
    for k in range(len(weights)):
        weight, end = weights[k], indptr[k + 1]
        for a in range(indptr[k], end):
            own, row = links[a], sums[indices[a]]
            for b in range(a, end):
                row[indices[b]] += weight * min(own, links[b])
