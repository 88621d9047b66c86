"""Sparse co-association: graph of objects that are often together."""

from numbers import Integral
from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack

from consens._blocks import row_blocks
from consens._labels import PairCounts, pair_seconds
from consens._support.memory import warn_of_time
from consens._validation import check_finite, check_integer
from consens.ensemble import Ensemble, EnsembleLike


def coassociation_graph(ensemble: EnsembleLike, n_neighbors: int | None = None) -> csr_array:
    """Graph of objects with co-associations as weights, optionally only the strongest ones.

    An object keeps its edges to the `n_neighbors` objects it is most often together with.  Many
    co-associations are equal: none of the edges that tie for the last places is kept (all of them
    if there is no stronger edge), so that the graph does not depend on the order of the objects.
    An edge is in the graph if one of its ends keeps it.

    {of_ensemble}
    n_neighbors : int, optional
        None keeps all edges.

    Returns
    -------
    csr_array of shape (n, n), float64
        Symmetric, without diagonal; see `coassociation` for noise and missing labels.

    Notes
    -----
    O(n² M) time in blocks of rows; memory of the kept edges.

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
    labels = Ensemble.from_labels(ensemble).matrix
    n, n_members = labels.shape
    if n_neighbors is not None:
        n_neighbors = check_integer(n_neighbors, "n_neighbors")
    fractions, ranks = _fractions(n_members)
    warn_of_time(
        pair_seconds(n, n_members, 15),
        f"the graph of the co-associations of {n} distinct objects",
        "combine prototypes of the objects, or use LWGP or SEC, which take linear time",
    )
    counts = PairCounts(labels)
    parts = []
    for block in row_blocks(n, bytes_per_row=16 * n):
        level = ranks[counts.together(block), counts.seen(block)]
        level[np.arange(len(level)), np.arange(n)[block]] = 0
        keep = level > 0
        if n_neighbors is not None and n_neighbors < n - 1:
            keep &= level >= _weakest_kept(level, n_neighbors)[:, None]
        rows, columns = np.nonzero(keep)
        weights = fractions[level[rows, columns]]
        parts.append(csr_array((weights, (rows, columns)), shape=level.shape))
    graph = vstack(parts, format="csr") if len(parts) > 1 else parts[0]
    return graph.maximum(graph.T).tocsr()


def neighbor_pairs(neighbors: Any, n: int, features: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Pairs i < j of objects one of which is a neighbour of the other.

    `neighbors` is the number of nearest neighbours in `features`, or a graph such as that of
    `sklearn.neighbors.kneighbors_graph`.
    """
    if isinstance(neighbors, Integral):
        first, second = _nearest_in(features, check_integer(neighbors, "neighbors"), n)
    elif neighbors.shape != (n, n):
        raise ValueError(
            f"neighbors has shape {neighbors.shape}; expected a graph of shape ({n}, {n})"
        )
    else:
        first, second = neighbors.tocoo().coords  # a stored distance of 0 is an edge as well
    low, high = np.minimum(first, second).astype(np.int64), np.maximum(first, second)
    pairs = np.unique(low[low < high] * n + high[low < high])
    return pairs // n, pairs % n


def _nearest_in(features: Any, p: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    from sklearn.neighbors import NearestNeighbors

    if features is None:
        raise ValueError(
            f"neighbors={p} needs the features of the objects, which a label matrix does not "
            "contain; pass them, .fit(labels, features=X), or pass the neighbours, "
            f"neighbors=sklearn.neighbors.kneighbors_graph(X, {p})"
        )
    X = check_finite(features, "features")
    if X.shape[0] != n:
        raise ValueError(f"features has shape {X.shape}; expected one row for each of {n} objects")
    if n == 1:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    return NearestNeighbors(n_neighbors=min(p, n - 1)).fit(X).kneighbors_graph().nonzero()


def _fractions(n_members: int) -> tuple[np.ndarray, np.ndarray]:
    """Possible values of a co-association, and the rank of together / seen among them."""
    together, seen = np.indices((n_members + 1, n_members + 1))
    quotients = np.where(seen > 0, together / np.maximum(seen, 1), 0.0)
    fractions, ranks = np.unique(quotients, return_inverse=True)
    return fractions, ranks.reshape(quotients.shape).astype(np.min_scalar_type(-len(fractions)))


def _weakest_kept(level: np.ndarray, n_neighbors: int) -> np.ndarray:
    """Lowest level that keeps at most n_neighbors per row, or the highest level of the row."""
    place = level.shape[1] - n_neighbors
    last = np.partition(level, place, axis=1)[:, place]  # the weakest of the n_neighbors strongest
    crowded = (level >= last[:, None]).sum(axis=1) > n_neighbors
    return np.where(crowded & (last < level.max(axis=1)), last + 1, last)
