"""Locally weighted evidence accumulation (Huang, Wang and Lai 2018)."""

import numpy as np

from consens._support.seeds import Seed
from consens.consensus._base import BaseConsensus
from consens.consensus._label_linkage import coassociation_linkage
from consens.ensemble import Ensemble
from consens.measure import cluster_reliability
from consens.partition import cut


class LWEA(BaseConsensus):
    """Locally weighted evidence accumulation: average link, with reliable clusters counting more.

    A partition that puts two objects together counts by the reliability of their cluster C: the
    locally weighted co-association of two objects is the mean over the partitions of
    ECI(C) = exp(-H(C) / (θ M)) (`measure.cluster_reliability`) if they share a cluster C, and of
    0 otherwise.  It is agglomerated by average link.

    {n_clusters}
    {theta}
    {unseeded}
    {linkage_}
    cluster_reliability_ : ndarray of shape (number of clusters,)
        ECI.
    {combined}

    Notes
    -----
    Use it for fewer than 20 partitions of up to about 50,000 objects: with θ = 0.25 it is the
    default of `combine` for them.  Beyond that, or 10,000 with missing labels, use `LWGP`.

    Time, memory and ties as in `EAC` with average link.

    {huang_2018}

    {five_objects}
    >>> from consens.consensus import LWEA
    >>> lwea = LWEA(n_clusters=2).fit(labels)
    >>> lwea.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> lwea.linkage_[:, 2].round(2)
    array([0.26, 0.36, 0.69, 0.98])
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        theta: float = 0.4,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.theta = theta

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        self.cluster_reliability_ = cluster_reliability(ensemble, self.theta)
        self.linkage_ = coassociation_linkage(ensemble, "average", self.cluster_reliability_)
        return cut(self.linkage_, self.n_clusters)
