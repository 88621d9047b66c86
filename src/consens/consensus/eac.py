"""Evidence accumulation (Fred and Jain 2005)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.sparse import sparray, spmatrix

from consens._blocks import FeatureMatrix, Rows, load, map_rows
from consens._labels import few_unique_rows, label_stats
from consens._params import COUNT_RULE, rules
from consens._support.seeds import Seed
from consens.consensus._base import BaseConsensus
from consens.consensus._label_linkage import coassociation_linkage, label_linkage
from consens.ensemble import Ensemble, EnsembleLike
from consens.evidence.coassociation import pair_coassociation
from consens.evidence.neighbors import neighbor_pairs
from consens.partition import cut, lifetimes
from consens.partition.linkage import Pairs, single_link
from consens.partition.tree import longest_lifetime

MAX_DISTINCT = 50_000  # limit of distinct rows for labels in blocks


class EAC(BaseConsensus):
    """Evidence accumulation: hierarchical clustering of the co-association.

    Every partition votes for each pair of objects that it puts in one cluster.  The votes form the
    co-association C(i, j) = n_ij / N (Eq. 2), whose distances 1 - C are agglomerated; the tree is
    cut at `n_clusters`, or by lifetimes.  With k-means members of more clusters than the data this
    is split and merge (the Algorithms I and II of the paper).

    Parameters
    ----------
    n_clusters : int, optional
        None takes the number that the longest range of thresholds on the tree gives (for single
        link; one cluster lives from the last merge to 1).  `measure.stability` tells the variance
        of the agreement with resampled members for each number (Eqs. 10 and 12).
    linkage : {"average", "single", "complete"}
        Single link finds separated clusters of any shape; average link is better if they touch.
    neighbors : int or sparse matrix of shape (n, n), optional
        Restrict single link to the co-association of neighbours (Section 3.4, with p = 20): other
        pairs count as never together.  A number needs the features, from `ConsensusClustering` or
        ``fit(labels, features=X)``; otherwise give a graph such as that of
        `sklearn.neighbors.kneighbors_graph`.
    {unseeded}
    {linkage_}
        For labels in blocks, over their distinct rows.
    lifetimes_ : ndarray
        Entry k - 1 is the lifetime of k clusters.
    {combined}

    Notes
    -----
    Use it when the number of clusters must be found from labels alone (``linkage="single"``), when
    clusters have any shape and members have many small ones, or when you need a tree.  If members
    differ in quality, `LWEA` does better on average; beyond 50,000 distinct rows use `LWGP`.

    Objects with equal labels collapse to u distinct rows: average link takes O(u² M / k̄) time
    with k̄ clusters per partition, single link O(u² M) comparisons, both with O(u M) memory;
    complete link u² bytes.  If labels are missing, average and complete link need 8 u² bytes.  A
    matrix that does not fit is refused.  With `neighbors`, O(n p M) time and O(n p) memory.

    Ties are frequent, because co-associations are multiples of 1/N.  Objects with equal labels are
    merged first; among the most similar pairs of groups, the one with the smallest first object
    is, then the one with the smallest second object.  Other programs give other trees that are
    equally good.

    {fred_jain_2005}

    {five_objects}
    >>> from consens.consensus import EAC
    >>> eac = EAC(n_clusters=2).fit(labels)
    >>> eac.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> eac.linkage_[:, 2].round(2)
    array([0.  , 0.  , 0.33, 0.89])

    Half-rings split into fifteen round pieces, and merged by single link:

    >>> from consens.datasets import make_half_rings
    >>> from consens.generate import KMeansEnsemble
    >>> X, y = make_half_rings(random_state=0)
    >>> E = KMeansEnsemble(30, n_clusters=15, random_state=0).fit_transform(X)
    >>> EAC(linkage="single").fit(E).n_clusters_
    2
    """

    _in_blocks = True

    _parameter_constraints = rules(
        n_clusters=[*COUNT_RULE, None],
        neighbors=[*COUNT_RULE, "sparse matrix", None],
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        linkage: str = "average",
        neighbors: int | sparray | spmatrix | None = None,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.linkage = linkage
        self.neighbors = neighbors

    def fit(
        self, X: EnsembleLike, y: object = None, features: FeatureMatrix | None = None
    ) -> Self:
        """Combine the partitions.

        Parameters
        ----------
        X : Ensemble or label matrix of shape (n, M)
            One row per object, one column per partition.
        y : ignored
        features : array-like or CSR matrix of shape (n, d), optional
            The objects, in which to search for nearest `neighbors`.

        Returns
        -------
        self
        """
        self._features = features
        try:
            return super().fit(X, y)
        finally:
            del self._features

    def _combine(self, ensemble: Ensemble) -> Any:
        if isinstance(ensemble.labels, Rows):
            return self._combine_distinct(ensemble.labels)
        self.linkage_ = self._tree(ensemble)
        return cut(self.linkage_, self._number_of_clusters())

    def _combine_distinct(self, labels: Rows) -> Rows:
        """Combine labels in blocks that have few distinct rows, such as those of prototypes."""
        stats = label_stats(labels)
        found = None
        if self.neighbors is None and not (stats.noise or stats.missing):
            found = few_unique_rows(labels, MAX_DISTINCT)
        if found is None:
            raise self._needs_all_objects()
        self.linkage_ = label_linkage(found.rows, self.linkage, counts=found.counts)
        parts = cut(self.linkage_, self._number_of_clusters())
        return map_rows(lambda rows: parts[rows], found.inverse, dtype=parts.dtype)

    def _number_of_clusters(self) -> int:
        self.lifetimes_ = lifetimes(self.linkage_)
        return int(self.n_clusters or 0) or longest_lifetime(self.lifetimes_)

    def _tree(self, ensemble: Ensemble) -> np.ndarray:
        if self.neighbors is None:
            return coassociation_linkage(ensemble, self.linkage)
        if self.linkage != "single":
            raise ValueError(
                f"neighbors is for linkage='single', got linkage={self.linkage!r}: other links "
                "depend on all pairs"
            )
        clustered = load(self._objects.mask)
        first, second = neighbor_pairs(self.neighbors, len(clustered), self._features)
        both = clustered[first] & clustered[second]
        number = np.cumsum(clustered) - 1
        first, second = number[first[both]], number[second[both]]
        pairs = Pairs(first, second, pair_coassociation(ensemble, first, second))
        return single_link(pairs, len(ensemble))

    def _for_refit(self, seed: int) -> Self:
        # neighbours refer to all objects; the few of a refit are compared in all pairs
        again = super()._for_refit(seed)
        return again if again.neighbors is None else again.set_params(neighbors=None)
