"""Cluster-based similarity partitioning (Strehl and Ghosh 2002)."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array, eye_array

from consens._labels import MISSING, has_code, indicator, unique_rows
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
    {merge_equal}
    {soft}
    {seed}

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
        merge_equal: bool = True,
        soft: bool = False,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.partitioner = partitioner
        self.imbalance = imbalance
        self.n_neighbors = n_neighbors
        self.merge_equal = merge_equal
        self.soft = soft

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        k, spectral = self.n_clusters, self.partitioner == "spectral"
        at_least = k if self.merge_equal else len(ensemble) + 1
        found: Any
        if self.soft:
            found = SoftRows.of(ensemble, at_least)
        else:
            found = unique_rows(ensemble.matrix, at_least)
        counts, complete = found.counts, not has_code(ensemble.labels, MISSING)
        options = {"vertex_weights": counts, "seed": spawn_seeds(self.random_state, 1)[0]}
        if spectral and complete:
            factor = found.memberships if self.soft else indicator(found.rows)
            return spectral_cut_of_product(factor, k, **options)[found.inverse]
        if self.soft:
            graph = similarity_graph(found, self.n_neighbors, diagonal=spectral)
        else:
            graph = coassociation_graph(Ensemble(found.rows), self.n_neighbors)
            graph = (graph + eye_array(len(counts))).tocsr() if spectral else graph
        graph = _weighted(graph, counts)
        if spectral:
            return spectral_cut(graph, k, **options)[found.inverse]
        return CUTS[self.partitioner](graph, k, imbalance=self.imbalance, **options)[found.inverse]


def _weighted(graph: csr_array, counts: np.ndarray) -> csr_array:
    """Sum the similarities over all pairs of objects that two vertices represent."""
    row = np.repeat(np.arange(len(counts)), np.diff(graph.indptr))
    data = graph.data * counts[row] * counts[graph.indices]
    return csr_array((data, graph.indices, graph.indptr), shape=graph.shape)
