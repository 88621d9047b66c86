"""Consensus of ultra-scalable ensemble clustering (Huang, Wang, Wu, Lai and Kwoh 2020)."""

from typing import Any

from consens.consensus._base import BaseConsensus
from consens.ensemble import Ensemble
from consens.evidence.bipartite import Bipartite
from consens.generate import BaseGenerator, LandmarkEnsemble


class USENC(BaseConsensus):
    """Ultra-scalable ensemble clustering: the cut of objects and clusters of spectral members.

    The bipartite graph has an edge of weight 1 between each object and each cluster that contains
    it.  Its normalised cut is solved on the side of the clusters (transfer cut), so that the cost
    is linear in the number of objects.  The members of U-SENC are spectral clusterings on
    landmarks, each with a random number of clusters: with this method, `ConsensusClustering` makes
    20 such members (`generate.LandmarkEnsemble`) with 20 to 60 clusters, unless it gets another
    generator.

    {n_clusters}
    {transfer_cut}
    {combined}

    Notes
    -----
    Use it from features, for clusters of any shape and any number of objects.  The consensus alone
    is `HBGF` with the spectral cut; if members differ in quality, `LWGP` weighs their clusters.

    O(n M²) time for the counts of shared objects plus O(n M k); memory of about one byte per label
    and 8 k per object.  Noise and missing labels have no edges.

    {usenc_2020}

    {five_objects}
    >>> from consens.consensus import USENC
    >>> USENC(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    _in_blocks = True

    def default_generator(self) -> BaseGenerator:
        """Return 20 landmark-spectral members, each with 20 to 60 clusters."""
        return LandmarkEnsemble(20, n_clusters=(20, 60))

    def _combine(self, ensemble: Ensemble) -> Any:
        return self._transfer_cut(Bipartite(ensemble))
