"""Similarity of the vertices of a graph by the random walks that start at them."""

from math import isqrt
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from consens._blocks import row_blocks
from consens._labels import UniqueRows, unique_rows
from consens._support.memory import require_memory
from consens.ensemble import Ensemble
from consens.evidence.coassociation import coassociation
from consens.evidence.link_analysis import clear_diagonal


def trajectory_similarity(
    graph: Any, n_steps: int = 20, vertex_weights: np.ndarray | None = None
) -> np.ndarray:
    """Cosine of the probability trajectories of random walks that start at two vertices.

    A walker moves from vertex i to j with probability P_ij = W_ij s_j / Σ_l W_il s_l, with s the
    weights of the vertices.  Inner products of trajectories are G = Σ_{s=1..t} P^s (P^s)'; the
    cosine is Z_ij = G_ij / √(G_ii G_jj).  O(t e n) time for e edges, and 24 n² bytes.
    """
    graph = csr_array(graph, dtype=np.float64, copy=True)
    n = graph.shape[0]
    require_memory(
        24.0 * n * n,
        f"the similarity of {n} vertices by random walks",
        "combine fewer or coarser partitions, or use LWGP, which needs no such matrix",
    )
    graph = clear_diagonal(graph)
    if vertex_weights is not None:
        graph = csr_array(graph.multiply(vertex_weights.astype(np.float64)))
    degrees = graph.sum(axis=1)
    scale = np.divide(1.0, degrees, out=np.zeros(n), where=degrees > 0)
    steps = csr_array(graph.multiply(scale[:, None]))
    inner = _inner_products(steps, n_steps)
    own = np.sqrt(inner.diagonal())
    scale = np.divide(1.0, own, out=np.zeros(n), where=own > 0)
    inner *= np.multiply.outer(scale, scale)  # exactly symmetric
    np.minimum(inner, 1.0, out=inner)
    np.fill_diagonal(inner, np.where(degrees > 0, 1.0, 0.0))
    return inner


def _inner_products(steps: csr_array, n_steps: int) -> np.ndarray:
    """G = Σ_{s=1..t} P^s (P^s)', dense."""
    if steps.nnz > 0.1 * steps.shape[0] ** 2:
        position = dense = steps.toarray()
        inner = position @ position.T
        for _ in range(n_steps - 1):
            position = dense @ position
            inner += position @ position.T
        return inner
    # with few edges, G_{t+1} = P (I + G_t) P' needs no product of dense matrices
    inner = (steps @ steps.T).toarray()
    for _ in range(n_steps - 1):
        inner[np.diag_indices_from(inner)] += 1.0
        inner = _product(steps, _product(steps, inner).T)
    return (inner + inner.T) / 2


def _product(steps: csr_array, matrix: np.ndarray) -> np.ndarray:
    """P X by columns of X, about 8 MB at a time, which stay in the cache."""
    result = np.empty(matrix.shape)
    for columns in row_blocks(matrix.shape[1], bytes_per_row=64 * len(matrix)):
        result[:, columns] = steps @ np.ascontiguousarray(matrix[:, columns])
    return result


def probability_trajectories(
    ensemble: Any, n_neighbors: int | None = None, n_steps: int | None = None
) -> tuple[UniqueRows[np.ndarray], np.ndarray]:
    """Similarity of microclusters by random walks between their most reliable neighbours (PTS).

    A microcluster, the objects with equal labels, keeps its edges of co-association to its K elite
    neighbours, with ties.  Walks prefer large ones.  By default K and the number of steps are
    min(20, ⌊√u / 2⌋) for u microclusters, but at least 2.
    """
    found = unique_rows(Ensemble.from_labels(ensemble).matrix)
    n = len(found.rows)
    usual = max(2, min(20, isqrt(n) // 2))
    n_neighbors = usual if n_neighbors is None else int(n_neighbors)
    require_memory(
        32.0 * n * n,
        f"the similarity of {n} distinct label rows by random walks",
        "combine fewer or coarser partitions, or use LWGP, which needs no such matrix",
    )
    together = coassociation(Ensemble(found.rows))
    np.fill_diagonal(together, 0.0)
    place = max(0, n - n_neighbors)
    threshold = np.partition(together, place, axis=1)[:, place]
    elite = csr_array(np.where(together >= threshold[:, None], together, 0.0))
    steps = usual if n_steps is None else n_steps
    similarity = trajectory_similarity(elite.maximum(elite.T), steps, found.counts)
    np.fill_diagonal(similarity, 1.0)
    return found, similarity
