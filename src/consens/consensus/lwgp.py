"""Locally weighted graph partitioning (Huang, Wang and Lai 2018)."""

from typing import Any

from consens._support.seeds import Seed
from consens.consensus._base import BaseConsensus
from consens.ensemble import Ensemble
from consens.evidence.bipartite import Bipartite
from consens.measure import cluster_reliability


class LWGP(BaseConsensus):
    """Locally weighted graph partitioning: cuts the graph of objects and reliable clusters.

    The bipartite graph of objects and clusters has an edge of weight ECI(C) = exp(-H(C) / (θ M))
    from each object to each of its clusters C (`measure.cluster_reliability`).  It is partitioned
    by a normalised cut, solved on the side of the clusters.

    {n_clusters}
    {theta}
    {transfer_cut}
    cluster_reliability_ : ndarray of shape (number of clusters,)
        ECI.
    {combined}

    Notes
    -----
    Use it beyond 50,000 objects, or beyond 10,000 if labels are missing.  For fewer objects
    `LWEA` has no random part and keeps a tree.

    O(n M²) time for the counts of shared objects plus O(n M k); memory of about one byte per
    label and 8 k per object.  Noise and missing labels have no edges.

    {huang_2018}

    {five_objects}
    >>> from consens.consensus import LWGP
    >>> LWGP(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    _in_blocks = True

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

    def _combine(self, ensemble: Ensemble) -> Any:
        self.cluster_reliability_ = cluster_reliability(ensemble, self.theta)
        return self._transfer_cut(Bipartite(ensemble, self.cluster_reliability_))
