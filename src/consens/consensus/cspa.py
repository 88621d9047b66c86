"""Cluster-based similarity partitioning (Strehl and Ghosh 2002)."""

import numpy as np
from scipy.sparse import csr_array, eye_array

from consens._labels import MISSING, indicator, unique_rows
from consens._params import BOOLEAN_RULE, COUNT_RULE, one_of, rules
from consens._support.seeds import Seed, spawn_seeds
from consens.consensus._base import BaseConsensus
from consens.consensus._soft import SoftRows, similarity_graph
from consens.ensemble import Ensemble
from consens.evidence import coassociation_graph
from consens.partition import metis, spectral_cut
from consens.partition.metis import pmetis
from consens.partition.spectral import spectral_cut_of_product

CUTS = {"metis": metis, "pmetis": pmetis}


class CSPA(BaseConsensus):
    """Cluster-based similarity: partitions the co-association graph of the objects.

    The similarity of two objects is the share of partitions that put them in one cluster, the
    co-association S = H H' / M with H the indicator of all clusters.  The graph of all objects
    with weights S is partitioned into `n_clusters` parts.

    {n_clusters}
    partitioner : {"metis", "pmetis", "spectral"}
        "metis" minimises the weight cut between parts of about equal size; "pmetis" is a single
        bisection by METIS without refinement, as in the program of Strehl and Ghosh; "spectral"
        (Ng, Jordan and Weiss) allows any sizes.
    imbalance : float
        With METIS, a part may hold (1 + imbalance) times its fair share, at every bisection; much,
        because clusters differ in size.
    n_neighbors : int, optional
        With METIS, the number of edges that each object keeps, to those it is most often together
        with; None keeps all.
    {seed}
    {merge_equal}
    {soft}

    {attributes}
    {combined}

    Notes
    -----
    Use it for clusters of about equal size.  If sizes differ, use ``partitioner="spectral"``;
    beyond about ten thousand distinct rows, use `HBGF`.

    Published results are those of ``merge_equal=False``, ``partitioner="pmetis"`` and
    ``imbalance=0.001``, which separate equal objects.

    With u distinct label rows, METIS: O(u² M) time for the similarities and O(u · n_neighbors)
    memory.  Spectral: O(u M²) time without similarities, unless labels are missing.

    Punera and Ghosh use exp(-d²) of the distance of memberships; the product equals the hard form
    if memberships are 0 and 1.

    {strehl_ghosh_2002}

    {punera_ghosh_2008}

    {five_objects}
    >>> from consens.consensus import CSPA
    >>> CSPA(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    _parameter_constraints = rules(
        partitioner=one_of("metis", "pmetis", "spectral"),
        n_neighbors=[*COUNT_RULE, None],
        soft=BOOLEAN_RULE,
    )

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        partitioner: str = "metis",
        imbalance: float = 0.25,
        n_neighbors: int | None = 1000,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
        merge_equal: bool = True,
        soft: bool = False,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.partitioner = partitioner
        self.imbalance = imbalance
        self.n_neighbors = n_neighbors
        self.merge_equal = merge_equal
        self.soft = soft

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        labels, k = ensemble.matrix, self.n_clusters
        seed = spawn_seeds(self.random_state, 1)[0]
        at_least = k if self.merge_equal else len(labels) + 1
        if self.soft:
            return self._combine_soft(SoftRows.of(ensemble, at_least), seed)
        rows, inverse, weights = unique_rows(labels, at_least)
        unique = Ensemble(rows)
        if self.partitioner in CUTS:
            graph = _weighted(coassociation_graph(unique, self.n_neighbors), weights)
            cut = CUTS[self.partitioner]
            parts = cut(graph, k, vertex_weights=weights, imbalance=self.imbalance, seed=seed)
        elif (labels == MISSING).any():
            graph = coassociation_graph(unique, self.n_neighbors) + eye_array(len(rows))
            parts = spectral_cut(
                _weighted(graph.tocsr(), weights), k, vertex_weights=weights, seed=seed
            )
        else:
            parts = spectral_cut_of_product(indicator(rows), k, vertex_weights=weights, seed=seed)
        return parts[inverse]

    def _combine_soft(self, rows: SoftRows, seed: int) -> np.ndarray:
        k, weights = self.n_clusters, rows.counts
        if self.partitioner == "spectral" and rows.seen.all():
            parts = spectral_cut_of_product(rows.memberships, k, vertex_weights=weights, seed=seed)
            return parts[rows.inverse]
        diagonal = self.partitioner == "spectral"
        graph = _weighted(similarity_graph(rows, self.n_neighbors, diagonal=diagonal), weights)
        if diagonal:
            parts = spectral_cut(graph, k, vertex_weights=weights, seed=seed)
        else:
            cut = CUTS[self.partitioner]
            parts = cut(graph, k, vertex_weights=weights, imbalance=self.imbalance, seed=seed)
        return parts[rows.inverse]


def _weighted(graph: csr_array, counts: np.ndarray) -> csr_array:
    """Sum the similarities over all pairs of objects that two vertices represent."""
    row = np.repeat(np.arange(len(counts)), np.diff(graph.indptr))
    data = graph.data * counts[row] * counts[graph.indices]
    return csr_array((data, graph.indices, graph.indptr), shape=graph.shape)
