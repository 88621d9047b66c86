"""Evidence accumulation (Fred and Jain 2005)."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from consens.consensus._base import BaseConsensus
from consens.ensemble import Ensemble
from consens.evidence import coassociation
from consens.partition import cut, lifetimes, linkage
from consens.partition.linkage import longest_lifetime


class EAC(BaseConsensus):
    """Evidence accumulation: hierarchical clustering of how often objects are put together.

    Every partition votes for each pair of objects that it puts in one cluster.  The votes form
    the co-association C(i, j) = n_ij / N (Eq. 2), whose distances 1 - C are agglomerated; the
    tree is cut at `n_clusters`, or where the number of clusters lives longest.

    Parameters
    ----------
    n_clusters : int, optional
        None chooses the number of clusters with the longest lifetime: the longest range of
        thresholds on the tree that leaves this number.  One cluster lives from the last merge
        to 1.  This works with ``linkage="single"``; average link on partitions with many
        different k has no clear longest lifetime, so give it `n_clusters`.
    linkage : {"average", "single", "complete"}
        Single link follows chains and finds clusters of any shape that are apart; average
        link is the better one where clusters touch.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered by their first object; -1 for objects that every partition calls
        noise.
    n_clusters_ : int
    linkage_ : ndarray, as scipy.cluster.hierarchy.linkage
        Over the objects with a cluster in at least one partition, in their order; heights are
        1 - co-association.
    lifetimes_ : ndarray
        Entry k - 1 is the lifetime of k clusters.
    confidence_ : ndarray of shape (n,)
        See `consens.measure.object_confidence`.
    ensemble_ : Ensemble
        What was combined.

    Notes
    -----
    O(n² M) time for the co-association and O(n²) for the tree; 12 n² bytes.

    References
    ----------
    A. Fred and A. Jain, "Combining multiple clusterings using evidence accumulation", IEEE
    TPAMI 27(6), 2005. doi:10.1109/TPAMI.2005.113

    Examples
    --------
    >>> import numpy as np
    >>> from consens.consensus import EAC
    >>> labels = np.array([[0, 0, 2], [0, 0, 2], [0, 1, 2], [1, 1, 0], [1, 1, 0]])
    >>> eac = EAC(n_clusters=2).fit(labels)
    >>> eac.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> eac.linkage_[:, 2].round(2)
    array([0.  , 0.  , 0.33, 0.89])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "linkage": [StrOptions({"average", "single", "complete"})],
    }

    def __init__(self, n_clusters: int | None = None, linkage: str = "average") -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        if len(ensemble) == 1:  # all other objects are noise
            self.linkage_, self.lifetimes_ = np.empty((0, 4)), np.ones(1)
            return np.zeros(1, dtype=np.int32)
        self.linkage_ = linkage(coassociation(ensemble), self.linkage)
        self.lifetimes_ = lifetimes(self.linkage_)
        k = self.n_clusters or longest_lifetime(self.lifetimes_)
        return cut(self.linkage_, k)
