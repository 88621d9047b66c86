"""Meta-clustering (Strehl and Ghosh 2002)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.utils._param_validation import Interval

from consens.base import spawn_seeds
from consens.blocks import map_rows
from consens.consensus._base import BaseConsensus
from consens.ensemble import Ensemble
from consens.evidence import cluster_graph
from consens.labels import MISSING, cluster_sums, indicator, offsets
from consens.partition import metis


class MCLA(BaseConsensus):
    """Meta-clustering: groups clusters that hold the same objects, and lets objects join a group.

    All clusters of all partitions are the vertices of a graph whose edges weigh the Jaccard
    similarity |a ∩ b| / |a ∪ b|.  METIS cuts it in `n_clusters` groups of about equally many
    clusters, the meta-clusters.  An object is associated with a meta-cluster by the share of
    its clusters that hold the object, and goes to the one with the largest share.

    Parameters
    ----------
    n_clusters : int
    imbalance : float
        A meta-cluster may hold (1 + imbalance) times its fair share of the clusters, at every
        bisection.  Strehl and Ghosh balance meta-clusters; partitions with different numbers
        of clusters need some leave not to.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered by their first object; -1 for objects that every partition calls
        noise.
    n_clusters_ : int
    meta_clusters_ : ndarray of shape (number of clusters,)
        Cluster of the consensus that each cluster of each partition went to, partition after
        partition.
    confidence_ : ndarray of shape (n,)
        The winner's share in all associations of the object.
    ensemble_ : Ensemble
        What was combined.

    Notes
    -----
    Clusters with the same objects are one vertex with a multiplicity, so that doubling the
    ensemble changes nothing.  A partition that did not see an object neither votes nor counts
    in the share; noise counts.  Of equal associations the meta-cluster with most objects wins.
    A meta-cluster that wins no object would be lost; it is given the object that loses least by
    going there, so that `n_clusters` is always reached.

    O(n M²) time for the contingency of clusters, O(n M) for the vote; O(n k) memory.

    References
    ----------
    A. Strehl and J. Ghosh, "Cluster ensembles: a knowledge reuse framework for combining
    multiple partitions", JMLR 3, 2002, Section 3.4. doi:10.1162/153244303321897735

    Examples
    --------
    >>> import numpy as np
    >>> from consens.consensus import MCLA
    >>> labels = np.array([[0, 0, 2], [0, 0, 2], [0, 1, 2], [1, 1, 0], [1, 1, 0]])
    >>> mcla = MCLA(n_clusters=2, random_state=0).fit(labels)
    >>> mcla.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> mcla.confidence_.round(2)
    array([1.  , 1.  , 0.67, 1.  , 1.  ])
    >>> mcla.meta_clusters_
    array([0, 1, 0, 1, 1, 0])
    """

    n_clusters: int

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "imbalance": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self, n_clusters: int = 2, imbalance: float = 0.05, random_state: Any = None
    ) -> None:
        self.n_clusters = n_clusters
        self.imbalance = imbalance
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        labels, k = ensemble.labels, self.n_clusters
        seed = spawn_seeds(self.random_state, 1)[0]
        groups = _meta_clusters(cluster_graph(ensemble), k, self.imbalance, seed)
        groups = _largest_first(groups, labels, k)
        winners = _fill(_per_object(_winner, labels, groups, k), labels, groups, k)
        first = np.unique(winners, return_index=True)[1]
        self.meta_clusters_ = np.argsort(np.argsort(first))[groups]
        return winners

    @cached_property
    def confidence_(self) -> np.ndarray:
        """The winner's share in all associations of the object."""
        clustered = self.labels_ >= 0
        labels, own = self.ensemble_.labels[clustered], self.labels_[clustered]
        confidence = np.zeros(len(clustered))
        groups = self.meta_clusters_
        confidence[clustered] = _per_object(_share, labels, groups, self.n_clusters_, own)
        return confidence


def _meta_clusters(graph: csr_array, n_clusters: int, imbalance: float, seed: int) -> np.ndarray:
    """Groups of the clusters; equal clusters are contracted to one vertex."""
    n_vertices, vertex = connected_components(graph == 1.0, directed=False)
    contract = indicator(vertex)
    contracted = contract.T @ graph @ contract
    parts = metis(
        (contracted + contracted.T) / 2,
        min(n_clusters, n_vertices),
        vertex_weights=np.bincount(vertex),
        imbalance=imbalance,
        seed=seed,
    )
    return parts[vertex].astype(np.int64)


def _largest_first(groups: np.ndarray, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Number groups by how many objects their clusters hold, so that argmax settles ties.

    Of equal ones the group whose objects come first is first.
    """
    sizes, places = [], []
    for column in labels.T:
        inside = np.flatnonzero(column >= 0)
        sizes.append(np.bincount(column[inside]))
        places.append(np.bincount(column[inside], inside))
    size = np.bincount(groups, np.concatenate(sizes), minlength=n_clusters)
    place = np.bincount(groups, np.concatenate(places), minlength=n_clusters)
    return np.argsort(np.lexsort((place, -size)))[groups]


def _per_object(
    function: Callable[..., np.ndarray], labels: np.ndarray, groups: np.ndarray, k: int, *own: Any
) -> np.ndarray:
    """Apply a function to the associations of the objects with the groups, block by block.

    The association of an object with a group is the number of clusters of the group that hold
    it, over the number of clusters of the group in members that have seen it.
    """
    starts = offsets(labels)
    spread = np.eye(k)[groups]
    of_member = np.array([spread[a:b].sum(axis=0) for a, b in pairwise(starts)])
    everywhere = of_member.sum(axis=0)

    def block(rows: np.ndarray, *own: Any) -> np.ndarray:
        held = cluster_sums(rows, starts, spread)
        unseen = rows == MISSING
        there = everywhere - unseen @ of_member if unseen.any() else everywhere
        return function(np.divide(held, there, out=held, where=there > 0), *own)

    return map_rows(block, labels, *own, bytes_per_row=24 * k + 2 * labels.shape[1])


def _winner(association: np.ndarray) -> np.ndarray:
    return association.argmax(axis=1)


def _share(association: np.ndarray, own: np.ndarray) -> np.ndarray:
    return association[np.arange(len(own)), own] / association.sum(axis=1)


def _fill(winners: np.ndarray, labels: np.ndarray, groups: np.ndarray, k: int) -> np.ndarray:
    """Give each group that won nothing the object that loses least by going there."""
    sizes = np.bincount(winners, minlength=k)
    if sizes.all():
        return winners
    association = _per_object(lambda rows: rows, labels, groups, k)
    for group in np.flatnonzero(sizes == 0):
        loss = association[np.arange(len(winners)), winners] - association[:, group]
        loss[sizes[winners] < 2] = np.inf
        chosen = int(loss.argmin())
        sizes[winners[chosen]] -= 1
        sizes[group] += 1
        winners[chosen] = group
    return winners
