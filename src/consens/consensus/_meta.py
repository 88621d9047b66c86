"""Meta-clustering: cluster the clusters, then assign objects to meta-clusters by a vote."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from consens._blocks import map_rows, persist
from consens._labels import (
    MISSING,
    ClusterOverlap,
    abstain,
    cluster_sums,
    cluster_votes,
    fill_empty,
    first_seen,
    first_seen_order,
    has_code,
    indicator,
    offsets,
    sums_of_numbers,
    unique_rows,
)
from consens._labels.order import names_of
from consens.consensus._base import BaseConsensus
from consens.evidence.link_analysis import jaccard


class MetaConsensus(BaseConsensus):
    """Base of methods in which clusters vote for the meta-clusters that they belong to."""

    _in_blocks = True

    def _elect(self, labels: Any, meta: np.ndarray, n_clusters: int) -> Any:
        """Assign objects by a vote of their clusters."""
        winners = MetaVote.of(labels, meta, self._weights(), n_clusters).winners(labels)
        return self._number(meta, winners, n_clusters)

    def _number(self, meta: np.ndarray, winners: Any, n_clusters: int) -> Any:
        """Number the meta-clusters by the first objects that they win; return the winners."""
        self.meta_clusters_ = names_of(first_seen(winners), n_clusters)[meta].astype(np.int64)
        return winners

    def _weights(self) -> Any:
        """Weights of the clusters of all members."""
        return getattr(self, "cluster_reliability_", 1.0)

    def _scores(self) -> Any:
        return self._per_object(lambda scores: scores, width=self.n_clusters_)

    def _per_object(self, function: Callable[..., np.ndarray], *own: Any, **options: Any) -> Any:
        """Apply a function to the scores of all objects, block by block."""
        labels = self.ensemble_.labels
        vote = MetaVote.of(labels, self.meta_clusters_, self._weights(), self.n_clusters_)
        return vote.per_object(function, abstain(labels), *own, **options)


def contract(overlap: ClusterOverlap, merge: bool = True) -> tuple[csr_array, np.ndarray]:
    """Merge equal clusters to one vertex: return the graph and the vertex of each cluster.

    So no cut separates them, and repeating every member changes nothing; -1 for empty clusters.
    """
    shared, sizes = overlap.shared.tocoo(), overlap.shared.diagonal()
    row, column = shared.coords
    equal = (shared.data == sizes[row]) & (shared.data == sizes[column])
    equal &= merge | (row == column)
    same = csr_array((equal[equal], (row[equal], column[equal])), shape=shared.shape)
    vertex = connected_components(same, directed=False)[1]
    vertex = first_seen_order(np.where(sizes > 0, vertex, -1))
    graph = jaccard(overlap)
    if vertex[-1] == len(vertex) - 1:  # all differ
        return graph, vertex
    return merged(graph, vertex), vertex


def merged(graph: csr_array, vertex: np.ndarray) -> csr_array:
    """Add up the edges of the vertices with the same number."""
    groups = indicator(vertex)
    graph = groups.T @ graph @ groups
    return (graph + graph.T) / 2


def meta_clusters(
    labels: Any,
    overlap: ClusterOverlap,
    n_clusters: int,
    cut: Callable[..., np.ndarray],
    *,
    merge: bool = True,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Meta-cluster of each cluster, largest first; -1 for a cluster without objects.

    The load of a vertex in ``cut(graph, n_parts, loads)`` is its number of clusters, or of
    `weights`.
    """
    graph, vertex = contract(overlap, merge)
    seen = vertex >= 0
    loads = np.bincount(vertex[seen], None if weights is None else weights[seen])
    parts = cut(graph, min(n_clusters, len(loads)), loads)
    meta = np.where(seen, parts[vertex], -1)
    return largest_first(labels, meta, overlap.shared.diagonal(), n_clusters)


@dataclass(frozen=True)
class MetaVote:
    """The vote of the clusters for their meta-clusters.

    The score of object o for meta-cluster j is the total weight of the clusters of j that contain
    o, divided by the number of clusters of j in members that have seen o (Huang, Wang and Lai
    2017, Eq. 10, if nothing is missing).

    ``weights[c, j]`` is the weight of cluster c if it belongs to meta-cluster j, else 0;
    ``counts[m, j]`` the number of clusters of member m in meta-cluster j.
    """

    weights: np.ndarray
    counts: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(
        cls, labels: Any, meta: np.ndarray, weights: np.ndarray | float, n_clusters: int
    ) -> MetaVote:
        starts = offsets(labels)
        spread = (meta[:, None] == np.arange(n_clusters)).astype(np.float64)
        counts = np.array([spread[a:b].sum(axis=0) for a, b in pairwise(starts)])
        return cls(spread * np.reshape(weights, (-1, 1)), counts, starts)

    def scores(self, labels: np.ndarray) -> np.ndarray:
        """Score of each object for each meta-cluster, n × k."""
        sums = cluster_sums(labels, self.starts, self.weights)
        unseen = labels == MISSING
        there = self.counts.sum(axis=0)
        if unseen.any():
            there = there - unseen @ self.counts
        return np.divide(sums, there, out=sums, where=there > 0)

    def per_object(
        self,
        function: Callable[..., np.ndarray],
        labels: Any,
        *own: Any,
        width: int | None = None,
        dtype: Any = np.float64,
    ) -> Any:
        """Apply a function to the scores of the objects, block by block."""

        def block(rows: np.ndarray, *own: Any) -> np.ndarray:
            return function(self.scores(rows), *own)

        n_bytes = 32 * self.weights.shape[1] + 2 * labels.shape[1]
        return map_rows(block, labels, *own, bytes_per_row=n_bytes, width=width, dtype=dtype)

    def winners(self, labels: Any) -> Any:
        """Meta-cluster with the highest score for each object; none stays empty."""
        winners = persist(self._winners(labels))
        k = self.weights.shape[1]
        if len(first_seen(winners)) == k:
            return winners
        rows = unique_rows(labels).rows
        winners_of_rows, scores = self._winners(rows), self.scores(rows)
        loss = scores[np.arange(len(rows)), winners_of_rows][:, None] - scores
        repaired = fill_empty(winners_of_rows, loss, k)

        def move(block: np.ndarray, own: np.ndarray) -> np.ndarray:
            own = own.copy()
            for row in np.flatnonzero(repaired != winners_of_rows):
                own[(block == rows[row]).all(axis=1)] = repaired[row]
            return own

        width = 8 * labels.shape[1]
        return map_rows(move, labels, winners, bytes_per_row=width, dtype=np.int32)

    def _winners(self, labels: Any) -> Any:
        if not has_code(labels, MISSING):
            there = self.counts.sum(axis=0)
            return cluster_votes(labels, self.starts, self.weights / np.maximum(there, 1))
        return self.per_object(first_highest, labels, dtype=np.int32)


def first_highest(scores: np.ndarray) -> np.ndarray:
    """Column of the largest score of each row, the first of those equal up to rounding."""
    highest = scores.max(axis=1, keepdims=True)
    return (scores >= highest * (1 - 1e-10)).argmax(axis=1).astype(np.int32)


def largest_first(labels: Any, meta: np.ndarray, sizes: np.ndarray, n_clusters: int) -> np.ndarray:
    """Number meta-clusters by size, then by first objects, so that the larger one wins a tie."""
    held = meta >= 0
    size = np.bincount(meta[held], sizes[held], minlength=n_clusters)
    place: np.ndarray = np.zeros(n_clusters)
    if len(np.unique(size)) < n_clusters:
        place = np.bincount(meta[held], sums_of_numbers(labels)[held], minlength=n_clusters)
    rank = np.argsort(np.lexsort((place, -size)))
    return np.where(held, rank[meta], -1)
