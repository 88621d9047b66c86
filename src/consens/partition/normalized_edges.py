"""Agglomeration of an unweighted graph by normalised edges (Li, Yu, Hao and Li 2007)."""

import numpy as np
from scipy.sparse import csr_array

from consens._kernels import worth_compiling
from consens.partition.linkage import Pairs


def normalized_edges(graph: csr_array, n_clusters: int, exponent: float) -> Pairs:
    """Repeatedly merge the two groups with the most edges between them, normalised by size.

    The normalised edges are those of `CAHNE` (Eq. 3), with the exponent 1 + f > 1.  Pairs are the
    first vertices of the groups; of equal values the pair with the smallest vertices comes first.
    O(n² + E) time for E edges if the lists stay short, O(n E) at worst; 16 bytes per edge.
    """
    n = graph.shape[0]
    power = np.arange(n + 2, dtype=np.float64) ** exponent
    if not worth_compiling("vertices", n):
        return _agglomerate_dense(graph, n_clusters, power)
    from consens._kernels.normalized_edges import agglomerate

    indices = graph.indices.astype(np.int32, copy=True)
    return Pairs(*agglomerate(graph.indptr.astype(np.int64), indices, power, n_clusters))


def _agglomerate_dense(graph: csr_array, n_clusters: int, power: np.ndarray) -> Pairs:
    n = graph.shape[0]
    edges = (graph.toarray() != 0).astype(np.float64)
    size = np.ones(n, dtype=np.int64)
    value = edges / (power[2] - (power[1] + power[1]))
    # the first maximum of a row is the smallest partner, the first row the smallest pair
    near = value.argmax(axis=1)
    most = value[np.arange(n), near]
    merges = []
    for _ in range(n - n_clusters):
        a = int(most.argmax())
        b = int(near[a])
        if most[a] <= 0:
            break
        merges.append((a, b, float(most[a])))  # a < b: the pair is in both rows
        edges[a] += edges[b]
        edges[:, a] += edges[:, b]
        size[a] += size[b]
        edges[a, a] = edges[b] = edges[:, b] = 0
        other = np.where(edges[a] > 0, size, 1)
        expected = power[size[a] + other] - (power[size[a]] + power[other])
        value[a] = value[:, a] = edges[a] / expected
        value[b] = value[:, b] = 0
        lost = (near == a) | (near == b)
        lost[[a, b]] = True
        better = ~lost & ((value[:, a] > most) | ((value[:, a] == most) & (a < near)))
        near[better], most[better] = a, value[better, a]
        lost = np.flatnonzero(lost)
        near[lost] = value[lost].argmax(axis=1)
        most[lost] = value[lost, near[lost]]
    return Pairs.of(merges)
