"""Meta-clustering (Strehl and Ghosh 2002)."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from consens._labels import abstain, cluster_overlap, fill_empty
from consens._params import BOOLEAN_RULE, one_of, rules
from consens._support.seeds import Seed, spawn_seeds
from consens.consensus._meta import MetaConsensus, first_highest, merged, meta_clusters
from consens.consensus._soft import SoftRows, distinct_clusters, extended_jaccard, mean_memberships
from consens.ensemble import Ensemble
from consens.partition import metis
from consens.partition.metis import pmetis


class MCLA(MetaConsensus):
    """Meta-clustering: groups similar clusters, then assigns each object to a group.

    All clusters of all partitions are the vertices of a graph with the Jaccard similarity
    |a ∩ b| / |a ∪ b| as edge weights.  METIS partitions it into `n_clusters` meta-clusters with
    about the same number of clusters each.  The association of an object with a meta-cluster is
    the share of its clusters that contain the object; the object goes to the meta-cluster with
    the largest share::

        label(i) = argmax_j |{C ∈ MC_j : i ∈ C}| / |MC_j|

    {n_clusters}
    imbalance : float
        A meta-cluster may hold (1 + imbalance) times its fair share of the clusters, at every
        bisection: little, because each partition gives about one cluster to each; partitions with
        different numbers of clusters need more.
    {merge_equal}
    balance : {"clusters", "objects"}, default="clusters"
        What to balance between meta-clusters: their number of clusters, or the number of objects
        in these, as in Strehl and Ghosh.
    partitioner : {"metis", "pmetis"}, default="metis"
        METIS with a refinement, or a single bisection without, as in the program of Strehl and
        Ghosh.
    {soft}
    {seed}

    {attributes}
    meta_clusters_ : ndarray of shape (number of clusters,)
        Consensus cluster of each cluster of the ensemble, concatenated over the partitions.
    {combined}

    Notes
    -----
    Use it for large n with members that have about `n_clusters` clusters: all meta-clusters have
    about the same number of clusters.  If members have very different numbers of clusters or
    differ in quality, use `LWMC`.

    Published results correspond to ``merge_equal=False``, ``balance="objects"``,
    ``partitioner="pmetis"`` and ``imbalance=0.001``.

    A partition that did not see an object neither votes nor counts in the share; noise counts.
    Ties and meta-clusters that win no object as in `LWMC`.

    O(n M²) time for the contingency of clusters, O(n M) for the vote; O(n k) memory.

    In the soft form the similarity of clusters is a·b / (a·a + b·b - a·b), which equals the hard
    one for memberships of 0 and 1 (Punera and Ghosh use exp(-|a - b|²)), and objects have mean
    memberships in meta-clusters.  O(n P²) time and 8 n P bytes for P clusters.

    {strehl_ghosh_2002}

    {punera_ghosh_2008}

    {five_objects}
    >>> from consens.consensus import MCLA
    >>> mcla = MCLA(n_clusters=2, random_state=0).fit(labels)
    >>> mcla.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> mcla.meta_clusters_
    array([0, 1, 0, 1, 1, 0])
    """

    _parameter_constraints = rules(
        balance=one_of("clusters", "objects"),
        partitioner=one_of("metis", "pmetis"),
        soft=BOOLEAN_RULE,
    )

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        imbalance: float = 0.05,
        merge_equal: bool = True,
        balance: str = "clusters",
        partitioner: str = "metis",
        soft: bool = False,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.imbalance = imbalance
        self.merge_equal = merge_equal
        self.balance = balance
        self.partitioner = partitioner
        self.soft = soft

    def _takes_blocks(self) -> bool:
        return not self.soft

    def _combine(self, ensemble: Ensemble) -> Any:
        labels, k = ensemble.labels, int(self.n_clusters)
        balanced = partial(
            metis if self.partitioner == "metis" else pmetis,
            imbalance=self.imbalance,
            seed=spawn_seeds(self.random_state, 1)[0],
        )
        if self.soft:
            return self._combine_soft(ensemble, k, balanced)
        overlap = cluster_overlap(labels)
        meta = meta_clusters(
            labels,
            overlap,
            k,
            lambda graph, n_parts, loads: balanced(graph, n_parts, vertex_weights=loads),
            merge=self.merge_equal,
            weights=overlap.shared.diagonal() if self.balance == "objects" else None,
        )
        return self._elect(labels, meta, k)

    def _combine_soft(self, ensemble: Ensemble, k: int, cut: Any) -> np.ndarray:
        rows = SoftRows.of(ensemble, k)
        P = rows.memberships.shape[1]
        vertex = distinct_clusters(rows) if self.merge_equal else np.arange(P)
        graph = merged(csr_array(extended_jaccard(rows)), vertex)
        sizes = rows.counts @ rows.memberships
        loads = np.bincount(vertex, sizes if self.balance == "objects" else None)
        parts = cut(graph, min(k, len(loads)), vertex_weights=loads)[vertex]
        # the larger meta-cluster wins a tie, then the one with earlier objects
        numbers = np.bincount(rows.inverse, np.arange(len(ensemble))) @ rows.memberships
        keys = [np.bincount(parts, own, minlength=k) for own in (numbers, -sizes)]
        meta = np.argsort(np.lexsort(keys))[parts]
        scores = mean_memberships(rows, meta, k)
        loss = scores.max(axis=1, keepdims=True) - scores
        winners = fill_empty(first_highest(scores), loss, k)
        return self._number(meta, winners[rows.inverse], k)

    def _per_object(self, function: Any, *own: Any, **options: Any) -> Any:
        if not self.soft:
            return super()._per_object(function, *own, **options)
        ensemble = replace(self.ensemble_, labels=abstain(self.ensemble_.labels))
        rows = SoftRows.of(ensemble)
        scores = mean_memberships(rows, self.meta_clusters_, self.n_clusters_)
        return function(scores[rows.inverse], *own)
