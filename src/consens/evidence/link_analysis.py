"""Graph of clusters by their overlap, and similarity of clusters by shared neighbours."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from consens._kernels import worth_compiling
from consens._labels import ClusterOverlap, cluster_overlap
from consens._support.memory import require_memory
from consens.ensemble import Ensemble

DENSE_FROM = 0.15  # share of non-zero entries above which a dense matrix is faster


def connected_triples(ensemble: Any, weights: np.ndarray | None = None) -> np.ndarray:
    """Similarity of clusters by common neighbours, weighted by their partition (SACT).

    With w_ij the Jaccard coefficient of clusters i and j and I_k the reliability of the partition
    of cluster k, S_ij = Σ_k I_k min(w_ik, w_jk), divided by the largest value; S_ii = 1.  At most
    the cube of the total number of clusters.
    """
    graph = cluster_graph(ensemble)
    n = graph.shape[0]
    triples = _common_neighbors(graph, np.ones(n) if weights is None else weights)
    triples /= triples.max() if triples.any() else 1.0
    np.fill_diagonal(triples, graph.diagonal())
    return triples


def linked_clusters(ensemble: Any, decay: float = 0.9, scale: str = "all") -> np.ndarray:
    """Similarity of the clusters of the same partition, by weighted connected triples (WCT).

    With w_ij the Jaccard coefficient of clusters i and j, and w_ii = 0,

        WCT_ij = Σ_l min(w_il, w_jl),    S_ij = DC · WCT_ij / max WCT,    S_ii = 1,

    with DC the `decay` and the maximum over all pairs (`scale` "all", as in LCE) or over those of
    the same partition ("members", as in CTS).
    """
    ensemble = Ensemble.from_labels(ensemble)
    graph = clear_diagonal(cluster_graph(ensemble))
    n = graph.shape[0]
    triples = _common_neighbors(graph, np.ones(n))
    np.fill_diagonal(triples, 0.0)
    largest = triples.max(initial=0.0)
    owner = np.repeat(np.arange(ensemble.shape[1]), ensemble.n_clusters)
    triples[owner[:, None] != owner] = 0.0
    if scale == "members":
        largest = triples.max(initial=0.0)
    triples *= decay / largest if largest > 0 else 0.0
    np.fill_diagonal(triples, 1.0)
    return triples


def _common_neighbors(graph: csr_array, weights: np.ndarray) -> np.ndarray:
    """Sums of weights[k] min(w_ik, w_jk) over the vertices k of a graph w, as a dense matrix."""
    n = graph.shape[0]
    require_memory(
        32.0 * n * n,
        f"the similarity of {n} clusters by link analysis",
        "combine fewer or coarser partitions, or use LWGP, which needs no such matrix",
    )
    triples = np.zeros((n, n))
    if worth_compiling("triples", float(np.square(np.diff(graph.indptr), dtype=np.float64).sum())):
        from consens._kernels.triples import weighted_minima, weighted_minima_dense

        if graph.nnz > DENSE_FROM * n * n:
            weighted_minima_dense(graph.toarray(), weights, triples)
        else:
            graph.sort_indices()
            weighted_minima(graph.indptr, graph.indices, graph.data, weights, triples)
        for i in range(1, n):  # the kernels fill the upper triangle
            triples[i, :i] = triples[:i, i]
    else:
        for k in range(n):
            part = slice(graph.indptr[k], graph.indptr[k + 1])
            neighbours, links = graph.indices[part], graph.data[part]
            triples[np.ix_(neighbours, neighbours)] += weights[k] * np.minimum.outer(links, links)
    return triples


def cluster_graph(ensemble: Any) -> csr_array:
    """Jaccard similarity of all clusters, on objects that both partitions saw (LWMC, Eq. 8)."""
    return jaccard(cluster_overlap(Ensemble.from_labels(ensemble).labels))


def jaccard(overlap: ClusterOverlap) -> csr_array:
    """Compute `cluster_graph` from counts."""
    shared = overlap.shared
    row = np.repeat(np.arange(shared.shape[0]), np.diff(shared.indptr))
    column = shared.indices
    either = overlap.seen[row, overlap.owner[column]] + overlap.seen[column, overlap.owner[row]]
    weights = shared.data / (either - shared.data)
    return csr_array((weights, shared.indices, shared.indptr), shape=shared.shape)


def clear_diagonal(graph: csr_array) -> csr_array:
    """Remove the similarities of vertices to themselves from a graph, in place."""
    rows = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    graph.data[rows == graph.indices] = 0.0
    graph.eliminate_zeros()
    return graph
