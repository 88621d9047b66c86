"""Connected-triple-based similarity (Iam-On, Boongoen and Garrett 2008)."""

from numbers import Real

import numpy as np

from consens._params import Interval, rules
from consens._support.seeds import Seed
from consens.consensus._base import BaseConsensus
from consens.consensus._label_linkage import related_linkage
from consens.ensemble import Ensemble
from consens.evidence.link_analysis import linked_clusters
from consens.partition import cut


class CTS(BaseConsensus):
    """Connected-triple similarity: co-association in which similar clusters count, too.

    A partition that puts two objects into one cluster counts 1, one that puts them into different
    clusters counts the similarity of these clusters: their weighted connected triples, scaled so
    that the most similar two clusters of a partition have the decay DC::

        S(x, y) = 1/M Σ_m sim(c_m(x), c_m(y)),    sim(C, C) = 1.

    S is agglomerated.

    {n_clusters}
    linkage : {"average", "single", "complete"}
    decay : float, 0 to 1
        DC, how much similar clusters count relative to equal ones, 0.8 as in the program of the
        authors; 0 is `EAC`.
    {unseeded}
    {linkage_}
    {combined}

    Notes
    -----
    Use it for up to 10,000 objects and members with more clusters than `n_clusters`.  For more
    objects use `LCE`, which has the same evidence and time linear in n.

    At most the cube of the total number of clusters for the similarity of clusters; O(u² M) time
    and 8 u² bytes for u distinct rows of labels.  Ties as in `EAC`.  With missing labels, the mean
    is over the partitions that saw both objects.

    References
    ----------
    N. Iam-on, T. Boongoen and S. Garrett, "Refining pairwise similarity matrix for cluster
    ensemble problem with cluster relations", Discovery Science 2008.
    doi:10.1007/978-3-540-88411-8_22

    {five_objects}
    >>> from consens.consensus import CTS
    >>> cts = CTS(n_clusters=2).fit(labels)
    >>> cts.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    _slow = True
    _parameter_constraints = rules(decay=[Interval(Real, 0, 1, closed="both")])

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        linkage: str = "average",
        decay: float = 0.8,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.linkage = linkage
        self.decay = decay

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        similarity = linked_clusters(ensemble, self.decay, scale="members")
        self.linkage_ = related_linkage(ensemble, similarity, self.linkage)
        return cut(self.linkage_, self.n_clusters)
