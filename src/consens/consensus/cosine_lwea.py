"""Locally weighted evidence accumulation on cosines."""

import numpy as np

from consens._labels import cluster_sizes
from consens._support.seeds import Seed
from consens.consensus._base import BaseConsensus
from consens.consensus._label_linkage import label_linkage
from consens.ensemble import Ensemble
from consens.measure import cluster_reliability
from consens.partition import cut


class CosineLWEA(BaseConsensus):
    """Locally weighted evidence accumulation on cosines: small reliable clusters count most.

    A cluster C of a partition has the weight v(C) = ECI(C) / √|C|, where ECI(C) =
    exp(-H(C) / (θ M)) is its reliability (`measure.cluster_reliability`): two objects that share
    a small cluster are more similar than two that share a large one.  The similarity of objects
    is the cosine of their weighted memberships,

        S_ij = Σ_m v(c_m(i)) [c_m(i) = c_m(j)] / √(s_i s_j),   s_i = Σ_m v(c_m(i)),

    so that an object in large clusters is not far from all others.  Average link gives the tree.

    {n_clusters}
    theta : float, > 0
        How slowly weights fall with the uncertainty of a cluster; 0.15 to 0.3 work equally well,
        less than for `LWEA`, whose similarities are not normalised.
    {unseeded}
    {linkage_}
    cluster_weights_ : ndarray of shape (number of clusters,)
        v, partition after partition.
    {combined}

    Notes
    -----
    Use it for members with many small clusters, such as those of `generate.MixedEnsemble`, whose
    chains it follows.  On a single ensemble it may only cut off a few outliers, which
    `DrawnConsensus` averages out.

    Time, memory and ties as in `EAC` with average link.  A missing label counts as a zero in the
    cosine.

    {huang_2018}

    {five_objects}
    >>> from consens.consensus import CosineLWEA
    >>> model = CosineLWEA(n_clusters=2).fit(labels)
    >>> model.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> model.cluster_weights_.round(2)
    array([0.12, 0.71, 0.71, 0.03, 0.71, 0.12])
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        theta: float = 0.2,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.theta = theta

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        sizes = np.maximum(cluster_sizes(ensemble.labels), 1)
        weights = cluster_reliability(ensemble, self.theta) / np.sqrt(sizes)
        self.cluster_weights_ = weights
        self.linkage_ = label_linkage(ensemble.matrix, weights=weights, normalize=True)
        return cut(self.linkage_, self.n_clusters)
