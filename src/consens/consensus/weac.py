"""Weighted evidence accumulation (Huang, Lai and Wang 2015)."""

import numpy as np

from consens._support.seeds import Seed
from consens.consensus._base import BaseConsensus
from consens.consensus._label_linkage import coassociation_linkage
from consens.ensemble import Ensemble
from consens.measure import member_reliability
from consens.partition import cut


class WEAC(BaseConsensus):
    """Weighted evidence accumulation: partitions that agree with the others count more.

    The weight of a partition is a power w_m = NCAI_m^β of its normalised crowd agreement index,
    the mean NMI with the other partitions over the largest such mean
    (`measure.member_reliability`).  The co-association Σ w_m 1(i, j together in m) / Σ w_m is
    agglomerated.

    {n_clusters}
    linkage : {"average", "single", "complete"}
    beta : float, >= 0
        Influence of the agreement; 0 gives all partitions the same weight, which is EAC.
    {unseeded}
    {linkage_}
    member_weights_ : ndarray of shape (M,)
    {combined}

    Notes
    -----
    Use it instead of `EAC` if some members are poor as a whole.  If members are good in some
    clusters and poor in others, `LWEA` weights each cluster.

    O(n M²) time for the agreement of the partitions; the tree as in `EAC`.

    {huang_2015}

    {five_objects}
    >>> from consens.consensus import WEAC
    >>> weac = WEAC(n_clusters=2).fit(labels)
    >>> weac.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> weac.member_weights_.round(2)
    array([1.  , 0.36, 1.  ])
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        linkage: str = "average",
        beta: float = 2.0,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.linkage = linkage
        self.beta = beta

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        self.member_weights_ = member_reliability(ensemble) ** self.beta
        self.linkage_ = coassociation_linkage(ensemble, self.linkage, self.member_weights_)
        return cut(self.linkage_, self.n_clusters)
