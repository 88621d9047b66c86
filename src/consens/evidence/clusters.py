"""Graph of clusters: overlap between the clusters of all partitions."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from consens._labels import ClusterOverlap, cluster_overlap
from consens.ensemble import Ensemble


def cluster_graph(ensemble: Any) -> csr_array:
    """Jaccard similarity of all clusters of all partitions: |C_i ∩ C_j| / |C_i ∪ C_j|.

    The cluster similarity graph of meta-clustering (Huang, Wang and Lai 2017, Eq. 8).  Objects
    that one of the two partitions has not seen are left out.  The diagonal is 1.

    Clusters are concatenated over the partitions.

    O(n M²) time for the contingency of clusters; memory of its non-zero cells.
    """
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
