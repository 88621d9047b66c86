"""Graph partitioning with multi-granularity link analysis (Huang, Lai and Wang 2015)."""

from numbers import Real

import numpy as np
from scipy.sparse import csr_array

from consens._params import Interval, rules
from consens._support.seeds import Seed
from consens.consensus._base import BaseConsensus
from consens.ensemble import Ensemble
from consens.evidence.bipartite import Bipartite
from consens.evidence.link_analysis import connected_triples
from consens.measure import member_reliability


class GPMGLA(BaseConsensus):
    """Multi-granularity link analysis: cuts a weighted graph of objects and clusters.

    A partition has the weight I_m = NCAI_m^β of its agreement with the others
    (`measure.member_reliability`).  Two clusters have that of their source-aware connected triple,
    their common overlap with third clusters, weighted by the partitions of those.  An object and
    each of its clusters have α I_m.  The graph with objects and clusters on one side and clusters
    on the other is partitioned by a normalised cut, solved on the side of the clusters.

    {n_clusters}
    alpha : float, 1e-90 to 1e90
        Weight of the edges of objects relative to those between clusters, which are at most 1.
    beta : float, >= 0
        Influence of the agreement; with 0 all partitions have equal weight.
    {transfer_cut}
    member_weights_ : ndarray of shape (M,)
    {combined}

    Notes
    -----
    Use it when whole members differ in quality and have at most a few thousand clusters in total.

    O(n M²) time for the counts of shared objects, O(n M k) for the cut, and at most the cube of
    the total number of clusters for the link analysis, which is dense: for many clusters use
    `LWGP`.  Noise and missing labels have no edges.

    {huang_2015}

    {five_objects}
    >>> from consens.consensus import GPMGLA
    >>> GPMGLA(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    _slow = True
    _parameter_constraints = rules(alpha=[Interval(Real, 1e-90, 1e90, closed="both")])

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        alpha: float = 0.5,
        beta: float = 2.0,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.alpha = alpha
        self.beta = beta

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        self.member_weights_ = member_reliability(ensemble) ** self.beta
        # the floor keeps objects in the graph that only members without agreement clustered
        weights = np.repeat(np.maximum(self.member_weights_, 1e-6), ensemble.n_clusters)
        objects = Bipartite(ensemble, self.alpha * weights)
        ties = connected_triples(ensemble, weights)
        # B' D^-1 B of objects and clusters stacked is the sum of both
        degrees = ties.sum(axis=1, keepdims=True)
        ties /= np.sqrt(np.where(degrees > 0, degrees, 1.0))
        return self._transfer_cut(objects, gram=objects.gram() + csr_array(ties.T @ ties))
