"""Locally weighted evidence accumulation (Huang, Wang and Lai 2018)."""

from __future__ import annotations

import numpy as np

from consens.consensus._base import BaseConsensus
from consens.consensus.linkage import coassociation_linkage
from consens.constraints import with_parameters
from consens.ensemble import Ensemble
from consens.measure import cluster_reliability
from consens.partition import cut


@with_parameters
class LWEA(BaseConsensus):
    """Locally weighted evidence accumulation: average link of what reliable clusters say.

    A partition that puts two objects together counts by the reliability of the cluster C in
    which they are: the locally weighted co-association is the mean over the partitions of
    ECI(C) = exp(-H(C) / (θ M)) (`measure.cluster_reliability`) where they are together, and of 0
    where they are not.  It is agglomerated by average link.

    Parameters
    ----------
    n_clusters : int
    theta : float, > 0
        How slowly weights fall with the uncertainty of a cluster; 0.2 to 1 work alike.
        ``float("inf")`` weighs all clusters alike, which is EAC.

    Attributes
    ----------
    {labels_}
    {linkage_}
    cluster_reliability_ : ndarray of shape (number of clusters,)
        ECI.
    {combined}

    Notes
    -----
    Use it for fewer than 20 partitions of up to about 50,000 objects: with θ = 0.25 it is what
    `combine` takes for them, and ``python -m studies.defaults`` says why.  Not for more than
    10,000 objects with missing labels, which need a matrix, nor for more distinct rows than
    quadratic time allows: take `LWGP`.

    Time, memory and ties as in `EAC` with average link: quadratic time in the number of distinct
    rows of labels, memory linear in the labels unless some are missing.

    {huang_2018}

    {five_objects}
    >>> from consens.consensus import LWEA
    >>> lwea = LWEA(n_clusters=2).fit(labels)
    >>> lwea.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> lwea.linkage_[:, 2].round(2)
    array([0.26, 0.36, 0.69, 0.98])
    """

    n_clusters: int = 2
    theta: float = 0.4

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        self.cluster_reliability_ = cluster_reliability(ensemble, self.theta)
        self.linkage_ = coassociation_linkage(ensemble, "average", self.cluster_reliability_)
        return cut(self.linkage_, self.n_clusters)
