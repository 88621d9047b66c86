"""Sparse co-association: each object with those it is most often together with."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack

from consens.blocks import row_blocks
from consens.ensemble import Ensemble
from consens.labels import MISSING, PLAIN_COMPARISONS, narrow, shared_members


def coassociation_graph(ensemble: Any, n_neighbors: int | None = None) -> csr_array:
    """Graph of objects whose edges are co-associations, the weakest left out if asked.

    An object keeps its edges to the `n_neighbors` objects it is most often together with.
    Co-associations are quotients of small numbers, so many are equal: of those that tie for the
    last places none is kept (all of them, if no object is closer), and the graph does not
    depend on the order of the objects.  An edge stays when one of its two ends keeps it.

    Parameters
    ----------
    ensemble : Ensemble or label matrix of shape (n, M)
    n_neighbors : int, optional
        None keeps all.

    Returns
    -------
    csr_array of shape (n, n), float64
        Symmetric, without diagonal; see `coassociation` for noise and missing labels.

    Notes
    -----
    O(n² M) time in blocks of rows; memory of the edges that are kept.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.evidence import coassociation_graph
    >>> labels = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1]])
    >>> coassociation_graph(labels, n_neighbors=1).toarray()
    array([[0. , 1. , 0.5, 0. , 0. ],
           [1. , 0. , 0.5, 0. , 0. ],
           [0.5, 0.5, 0. , 0.5, 0.5],
           [0. , 0. , 0.5, 0. , 1. ],
           [0. , 0. , 0.5, 1. , 0. ]])
    """
    labels = Ensemble.from_labels(ensemble).labels
    n, n_members = labels.shape
    if n_neighbors is not None and n_neighbors < 1:
        raise ValueError(f"n_neighbors={n_neighbors}; expected a number >= 1, or None for all")
    fractions, ranks = _fractions(n_members)
    codes = narrow(labels)
    compiled = n * labels.size > PLAIN_COMPARISONS
    parts = []
    for block in row_blocks(n, bytes_per_row=16 * n):
        level = _levels(codes, block, ranks, compiled)
        level[np.arange(len(level)), np.arange(n)[block]] = 0
        keep = level > 0
        if n_neighbors is not None and n_neighbors < n - 1:
            keep &= level >= _weakest_kept(level, n_neighbors)[:, None]
        rows, columns = np.nonzero(keep)
        weights = fractions[level[rows, columns]]
        parts.append(csr_array((weights, (rows, columns)), shape=level.shape))
    graph = vstack(parts, format="csr") if len(parts) > 1 else parts[0]
    return graph.maximum(graph.T).tocsr()


def _fractions(n_members: int) -> tuple[np.ndarray, np.ndarray]:
    """All values a co-association can have, and the rank of together / seen among them."""
    together, seen = np.indices((n_members + 1, n_members + 1))
    quotients = np.where(seen > 0, together / np.maximum(seen, 1), 0.0)
    fractions, ranks = np.unique(quotients, return_inverse=True)
    return fractions, ranks.reshape(quotients.shape).astype(np.min_scalar_type(-len(fractions)))


def _levels(codes: np.ndarray, block: slice, ranks: np.ndarray, compiled: bool) -> np.ndarray:
    """Ranks of some rows of the co-association."""
    n_members = codes.shape[1]
    together = shared_members(codes[block], codes, compiled=compiled)
    unseen = codes == MISSING
    if not unseen.any():
        return ranks[:, n_members][together]
    seen = (~unseen).astype(np.float32)  # exact: counts are small
    return ranks[together, (seen[block] @ seen.T).astype(np.intp)]


def _weakest_kept(level: np.ndarray, n_neighbors: int) -> np.ndarray:
    """Lowest level that leaves at most n_neighbors per row, or the highest one of the row."""
    place = level.shape[1] - n_neighbors
    last = np.partition(level, place, axis=1)[:, place]  # of the n_neighbors strongest
    crowded = (level >= last[:, None]).sum(axis=1) > n_neighbors
    return np.where(crowded & (last < level.max(axis=1)), last + 1, last)
