"""Locally weighted meta-clustering (Huang, Wang and Lai 2017)."""

from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from consens._blocks import to_user
from consens._labels import cluster_overlap
from consens._support.seeds import Seed, spawn_seeds
from consens.consensus._meta import MetaConsensus, meta_clusters
from consens.ensemble import Ensemble
from consens.measure.reliability import reliability
from consens.partition.spectral import ncut

#: Loops that the normalised cut of Cour, Yu and Shi adds to each vertex (see `partition.ncut`).
OFFSET = 0.5


class LWMC(MetaConsensus):
    """Locally weighted meta-clustering: clusters the clusters, then reliable clusters vote.

    All clusters of all partitions become the vertices of a graph, with the Jaccard coefficient
    e_ij = |C_i ∩ C_j| / |C_i ∪ C_j| (Eq. 8) as weights.  A normalised cut divides it into
    meta-clusters (Eq. 9).  Each object goes to the meta-cluster with the highest score

        Score(o, MC_j) = 1/|MC_j| Σ_{C ∈ MC_j} ECI(C) · 1(o ∈ C)     (Eqs. 10-13),

    where the weight ECI(C) = exp(-H(C) / (θ M)) (Eqs. 4-7, `measure.cluster_reliability`) is
    high for clusters that the other partitions do not scatter.

    Parameters
    ----------
    n_clusters : int
        Number of meta-clusters K.  One that wins no object gets the one that loses least.
    {theta}
    {noise_and_settle}
    random_state : int, RandomState instance or None
        Starts of the discretisation in the normalised cut.

    {attributes}
    meta_clusters_ : ndarray of shape (number of clusters,)
        Consensus cluster of each cluster of the ensemble, concatenated over the members; -1 for a
        cluster without objects.
    cluster_reliability_ : ndarray of shape (number of clusters,)
        ECI.
    scores_ : ndarray of shape (n, n_clusters)
        Eq. 10, computed on first access.
    {combined}

    Notes
    -----
    Use it for large n, or to see which clusters of the members make up each cluster
    (`meta_clusters_`).

    O(n M²) time for the counts of shared objects and O(n M K) for the vote; memory of one byte per
    label, and of the graph of clusters, which does not grow with n.

    As in the program of the authors, half a loop at each vertex keeps small clusters with little
    overlap from becoming meta-clusters.  Equal clusters are one vertex.  Among equal scores the
    meta-cluster with most objects wins.

    Objects that a partition has not seen do not count in its coefficients, entropies and votes.  A
    noise object has no vote and is a cluster of its own in entropies.

    {huang_2017}

    {five_objects}
    >>> from consens.consensus import LWMC
    >>> lwmc = LWMC(n_clusters=2, random_state=0).fit(labels)
    >>> lwmc.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> lwmc.meta_clusters_
    array([0, 1, 0, 1, 1, 0])
    >>> lwmc.memberships_[2].round(2)
    array([0.79, 0.21])
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        theta: float = 0.5,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.theta = theta

    def _combine(self, ensemble: Ensemble) -> Any:
        labels, k = ensemble.labels, int(self.n_clusters)
        overlap = cluster_overlap(labels)
        [seed] = spawn_seeds(self.random_state, 1)

        def cut(graph: Any, n_parts: int, copies: np.ndarray) -> np.ndarray:
            offset = OFFSET * copies**2
            return ncut(graph, n_parts, vertex_weights=copies, offset=offset, seed=seed)

        meta = meta_clusters(labels, overlap, k, cut)
        self.cluster_reliability_ = reliability(overlap, self.theta)
        return self._elect(labels, meta, k)

    @cached_property
    def scores_(self) -> np.ndarray:
        """Locally weighted voting scores (Eq. 10)."""
        check_is_fitted(self)
        return to_user(self._scores())
