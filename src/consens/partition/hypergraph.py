"""Partitioning of hypergraphs, whose hyperedges join any number of vertices."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import block_array, csr_array

from consens._labels import fill_empty, first_seen_order
from consens._validation import check_matrix
from consens.partition.bipartite_cut import equal_columns, metis_bipartite
from consens.partition.graph import (
    canonical_order,
    check_factor,
    check_imbalance,
    check_n_parts,
    check_vertex_weights,
    group_components,
)

MOST_PASSES = 20


class Hypergraph(NamedTuple):
    """Vertices by distinct hyperedges in canonical order, and the original row of each vertex."""

    edges: csr_array
    copies: np.ndarray
    weights: np.ndarray
    order: np.ndarray


def hypergraph_cut(
    incidence: Any,
    n_clusters: int,
    *,
    vertex_weights: ArrayLike | None = None,
    imbalance: float = 0.05,
    seed: int = 0,
) -> np.ndarray:
    """Cut a hypergraph into parts of about equal weight so that hyperedges reach few parts.

    METIS cuts the graph in which each hyperedge is a vertex joined to those it holds (an edge
    weighs 1 / size), then single vertices move while the connectivity falls.
    """
    incidence = check_factor(check_matrix(incidence, "vertices by hyperedges") != 0)
    n = incidence.shape[0]
    n_clusters = check_n_parts(n_clusters, n)
    weights = check_vertex_weights(vertex_weights, n)
    imbalance = check_imbalance(imbalance)
    graph = canonical_hypergraph(incidence, weights)
    if not len(graph.copies) or n_clusters in (1, n):
        return first_seen_order(group_components(np.arange(n), weights, n_clusters))
    parts = _cut_by_metis(graph, n_clusters, imbalance, seed)
    parts = fill_empty(parts, np.diff(graph.edges.indptr), n_clusters)
    labels = np.empty(n, dtype=np.int64)
    labels[graph.order] = _improve(graph, parts, n_clusters, imbalance)
    return first_seen_order(labels)


def canonical_hypergraph(incidence: csr_array, weights: np.ndarray) -> Hypergraph:
    """Distinct hyperedges of more than one vertex, which only can be cut, in canonical order."""
    twin, copies = equal_columns(incidence)
    edges = incidence.tocsc()[:, np.unique(twin, return_index=True)[1]]
    big = np.diff(edges.indptr) > 1
    edges, copies = edges[:, big].tocsr(), copies[big]
    n = edges.shape[0]
    if not len(copies):
        return Hypergraph(edges, copies, weights, np.arange(n))
    ones = edges.astype(np.float64)
    bipartite = block_array([[None, ones], [ones.T, None]], format="csr")
    marks = np.concatenate([weights, -copies / np.gcd.reduce(copies)])
    both = canonical_order(bipartite, marks)
    order, edge_order = both[both < n], both[both >= n] - n
    edges = edges[order][:, edge_order].tocsr()
    edges.sort_indices()
    return Hypergraph(edges, copies[edge_order], weights[order], order)


def _cut_by_metis(graph: Hypergraph, n_clusters: int, imbalance: float, seed: int) -> np.ndarray:
    star = graph.edges.astype(np.float64)
    shares = graph.copies / (star.T @ graph.weights)
    star.data = np.repeat(graph.weights, np.diff(star.indptr)) * shares[star.indices]
    return metis_bipartite(
        star,
        n_clusters,
        object_weights=graph.weights,
        cluster_share=1e-3,  # only the vertices are to be balanced
        imbalance=imbalance,
        seed=seed,
    ).objects


def _improve(
    graph: Hypergraph, labels: np.ndarray, n_clusters: int, imbalance: float
) -> np.ndarray:
    """Move single vertices while that lowers the connectivity and keeps the balance."""
    edges, copies, weights, _ = graph
    labels = labels.copy()
    pins = np.zeros((edges.shape[1], n_clusters), dtype=np.int64)  # of each hyperedge in a part
    np.add.at(pins, (edges.indices, np.repeat(labels, np.diff(edges.indptr))), 1)
    loads = np.bincount(labels, weights, minlength=n_clusters)
    sizes = np.bincount(labels, minlength=n_clusters)
    limit = max((1 + imbalance) * loads.sum() / n_clusters, loads.max())
    for _ in range(MOST_PASSES):
        moved = False
        for v, source in enumerate(labels):
            if sizes[source] < 2:
                continue
            own = edges.indices[edges.indptr[v] : edges.indptr[v + 1]]
            reached, weight = pins[own], copies[own]
            # Leaving a part saves the hyperedges without another vertex there; entering a part
            # costs those without a vertex there yet.
            gains = weight @ (reached[:, source] == 1) - weight @ (reached == 0)
            gains[(loads + weights[v] > limit)] = 0
            gains[source] = 0
            target = gains.argmax()
            if gains[target] > 0:
                labels[v] = target
                moved = True
                for part, sign in ((source, -1), (target, 1)):
                    pins[own, part] += sign
                    loads[part] += sign * weights[v]
                    sizes[part] += sign
        if not moved:
            break
    return labels
