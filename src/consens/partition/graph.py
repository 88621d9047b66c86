"""Input checks, components and a canonical order, shared by all graph partitioners."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, sparray, spmatrix
from scipy.sparse.csgraph import connected_components

from consens._labels import first_seen_order
from consens._validation import check_integer, check_matrix, check_number

#: A symmetric matrix of weights, dense or sparse.
Graph: TypeAlias = "ArrayLike | sparray | spmatrix"

#: The largest weight of a graph is scaled to lie between this and its inverse.
LEAST_WEIGHT = 1e-100

HASH_ROUNDS = 3


def check_graph(graph: Any) -> csr_array:
    """Convert a symmetric matrix of weights >= 0 to a canonical CSR array; refuse others."""
    graph = csr_array(check_matrix(graph, "a graph"), copy=True)
    if graph.shape[0] != graph.shape[1]:
        raise ValueError(f"a graph must be a square matrix of weights, got shape {graph.shape}")
    graph.sum_duplicates()
    graph.data = _check_weights(graph.data, "edge weights")
    graph.eliminate_zeros()
    mirror = graph.T.tocsr()
    mirror.sort_indices()
    same_pattern = np.array_equal(graph.indptr, mirror.indptr) and np.array_equal(
        graph.indices, mirror.indices
    )
    if same_pattern and np.array_equal(graph.data, mirror.data):
        return graph
    if not same_pattern or not np.allclose(graph.data, mirror.data, rtol=1e-9, atol=0.0):
        raise ValueError(
            "a graph must be symmetric, got different weights from i to j and from j to i; "
            "pass graph + graph.T"
        )
    graph.data = (graph.data + mirror.data) / 2
    return graph


def check_factor(factor: Any) -> csr_array:
    """Convert the weights >= 0 of a bipartite graph, objects by clusters, to a CSR array."""
    factor = csr_array(check_matrix(factor, "objects by clusters"))
    weights = _check_weights(factor.data, "edge weights")
    factor = csr_array((weights, factor.indices, factor.indptr), shape=factor.shape)
    if not factor.data.all():
        factor = factor.copy()
        factor.eliminate_zeros()
    return factor


def check_vertex_weights(weights: ArrayLike | None, n: int) -> np.ndarray:
    """Check one positive weight per vertex; None means 1 for each."""
    weights = np.ones(n) if weights is None else check_weights(weights, n, "vertex")
    if not (weights > 0).all():
        raise ValueError("vertex weights must be > 0: a vertex of weight 0 cannot be balanced")
    return weights


def check_weights(weights: Any, n: int, of: str) -> np.ndarray:
    """Check one weight >= 0 per vertex or cluster."""
    weights = np.asarray(weights)
    if weights.shape != (n,) or weights.dtype.kind not in "biuf":
        raise ValueError(
            f"expected one weight per {of} ({n},), got {weights.dtype} of shape {weights.shape}"
        )
    return _check_weights(weights.astype(np.float64), f"{of} weights")


def check_imbalance(imbalance: Any) -> float:
    """Check an imbalance; larger values act like 1000 and are reduced to it."""
    return min(check_number(imbalance, "imbalance", most=np.finfo(float).max), 1e3)


def check_n_parts(n_clusters: int, n: int) -> int:
    """Check that n vertices can be divided into n_clusters parts."""
    n_clusters = check_integer(n_clusters, "n_clusters", least=-n)
    if not 1 <= n_clusters <= n:
        raise ValueError(f"n_clusters={n_clusters} parts of {n} vertices; expected 1 to {n}")
    return n_clusters


def without_loops(graph: csr_array) -> csr_array:
    """Remove the diagonal: an edge from a vertex to itself is never cut."""
    if not graph.diagonal().any():
        return graph
    graph = graph.tocoo()
    off = graph.row != graph.col
    return csr_array((graph.data[off], (graph.row[off], graph.col[off])), shape=graph.shape)


def components(graph: csr_array) -> np.ndarray:
    """Connected component of each vertex, numbered by first vertex."""
    return connected_components(graph, directed=False)[1]


def row_components(factor: csr_array) -> np.ndarray:
    """Component of each row of a bipartite graph; a row without entries is a component."""
    n, n_columns = factor.shape
    both = csr_array((factor.data, factor.indices + n, factor.indptr), shape=(n, n + n_columns))
    both.resize((n + n_columns, n + n_columns))
    return np.unique(components(both)[:n], return_inverse=True)[1]


def group_components(component: np.ndarray, weights: np.ndarray, n_clusters: int) -> np.ndarray:
    """Make n_clusters balanced groups of at least as many whole components.

    The heaviest open a group each, and each further one, heaviest first, joins the lightest group.
    """
    mass = np.bincount(component, weights)
    order = np.argsort(-mass, kind="stable")
    group = np.empty(len(mass), dtype=np.int64)
    loads = np.zeros(n_clusters)
    for rank, c in enumerate(order):
        group[c] = rank if rank < n_clusters else loads.argmin()
        loads[group[c]] += mass[c]
    return group[component]


def whole_parts(component: np.ndarray, weights: np.ndarray, n_clusters: int) -> np.ndarray | None:
    """Parts of whole components or single vertices; None if there are too few components."""
    if n_clusters == len(component):
        component = np.arange(n_clusters)
    if component.max() + 1 < n_clusters:
        return None
    return first_seen_order(group_components(component, weights, n_clusters))


def canonical_order(graph: csr_array, weights: np.ndarray) -> np.ndarray:
    """Order the vertices independently of how they are numbered.

    They are sorted by a hash of their weight and edges, refined by the hashes of their neighbours
    (Weisfeiler and Leman); hashes are added as integers, in any order.
    """
    degrees = np.diff(graph.indptr)
    targets = graph.indices
    edges = _mixed(graph.data)
    keys = _mixed(weights)
    filled = np.flatnonzero(degrees)  # reduceat cannot sum empty slices
    for _ in range(HASH_ROUNDS):
        sums = np.zeros(len(keys), dtype=np.uint64)
        if len(filled):
            sums[filled] = np.add.reduceat(
                _mixed(edges ^ keys[targets]), graph.indptr[filled], dtype=np.uint64
            )
        keys = _mixed(keys * np.uint64(3) + sums)
    return np.argsort(keys, kind="stable")


def reordered(graph: csr_array, order: np.ndarray) -> csr_array:
    """The same graph with its vertices, and the edges of each, in another order."""
    graph = graph[order][:, order]
    graph.sort_indices()
    return graph


def _mixed(values: np.ndarray) -> np.ndarray:
    """Hash 64-bit patterns, so that sums over different sets differ."""
    keys = values.view(np.uint64) if values.dtype != np.uint64 else values
    keys = (keys ^ (keys >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    keys ^= keys >> np.uint64(29)
    keys *= np.uint64(0xD6E8FEB86659FD93)
    return keys ^ (keys >> np.uint64(32))


def attachment(graph: csr_array, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Weight of the edges from each vertex into each part, n × n_clusters."""
    n = len(labels)
    parts = csr_array((np.ones(n), labels, np.arange(n + 1)), shape=(n, n_clusters))
    return (graph @ parts).toarray()


def _check_weights(weights: np.ndarray, what: str) -> np.ndarray:
    """Check weights, and rescale them if their sums and squares would overflow."""
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(f"{what} must be finite and >= 0")
    largest = float(weights.max(initial=0.0))
    if largest > 0 and not LEAST_WEIGHT <= largest <= 1 / LEAST_WEIGHT:
        weights = np.ldexp(weights, -np.frexp(largest)[1])
    return weights
