"""Voting: match the clusters of all members with those of a reference, and count."""

from itertools import pairwise
from typing import Any

import numpy as np

from consens._blocks import map_rows, persist, sum_rows, to_user
from consens._labels import (
    MISSING,
    NOISE,
    canonical_members,
    cluster_sums,
    fill_empty,
    first_seen,
    n_clusters_per_member,
    offsets,
    partners,
    profiles,
)
from consens._params import COUNT_RULE, one_of, rules
from consens._support.seeds import Seed
from consens.consensus._base import BaseConsensus
from consens.consensus.eac import EAC
from consens.ensemble import Ensemble
from consens.measure import pairwise_nmi

TINY = np.finfo(np.float64).tiny


class Voting(BaseConsensus):
    """Voting: matches clusters with those of a reference, then every partition votes.

    A cluster c of member m votes for the clusters k of the reference with shares v_m(c, k); each
    object goes to the cluster with the most weighted votes::

        label(i) = argmax_k Σ_m w_m v_m(c_m(i), k)

    The first reference is the member with `n_clusters` clusters and the largest mean NMI; if there
    is none, one with more clusters, merged by average link; else the answer of `EAC`.  The result
    becomes the reference of the next round, until it no longer changes.

    Parameters
    ----------
    n_clusters : int, optional
        None uses the number of clusters of the reference.
    voting : {"plurality", "cumulative"}
        What a cluster votes for.  "plurality": its partner in the one-to-one assignment that
        shares the most objects (Hungarian method); the clusters that remain vote for the one they
        share most with.  "cumulative": all reference clusters r, with |c ∩ r| / |c| of the vote
        each, for members of any number of clusters.
    max_iter : int
        Maximum number of rounds, of which few are needed; 1 is a single vote.
    {noise_and_settle}
    {unused_seed}

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        -1 for objects that no partition put in a cluster, or only partitions that share no
        object with the reference.
    n_clusters_ : int
    votes_ : ndarray
        Share of the votes for each cluster (column), for the objects with a cluster in at least
        one partition (rows, in their order).
    n_iter_ : int
        Number of rounds.
    {combined}

    Notes
    -----
    Use it when the members have the desired number of clusters (with ``voting="cumulative"`` it
    may differ) and the result must be easy to explain: an object is where most members put it.

    Members are weighted by ``weight`` in their records, which `generate.BoostedKMeans` sets.  A
    tie leaves an object in its reference cluster if that is among the best, otherwise the first
    wins.  A cluster that loses all objects gets back the one with the largest share of votes for
    it.

    O(M² n) time to choose the reference, O(M n k) for a round; memory of O(n·k).

    References
    ----------
    S. Dudoit and J. Fridlyand, "Bagging to improve the accuracy of a clustering procedure",
    Bioinformatics 19(9), 2003. doi:10.1093/bioinformatics/btg038
    H. Ayad and M. Kamel, "Cumulative voting consensus method for partitions with variable
    number of clusters", IEEE TPAMI 30(1), 2008. doi:10.1109/TPAMI.2007.1138

    {five_objects}
    >>> from consens.consensus import Voting
    >>> vote = Voting(n_clusters=2).fit(labels)
    >>> vote.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> vote.votes_[2].round(2)
    array([0.67, 0.33])
    """

    _in_blocks = True

    _parameter_constraints = rules(
        n_clusters=[*COUNT_RULE, None],
        voting=one_of("plurality", "cumulative"),
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        voting: str = "plurality",
        max_iter: int = 20,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.voting = voting
        self.max_iter = max_iter

    def _combine(self, ensemble: Ensemble) -> Any:
        labels, order = canonical_members(ensemble.labels)
        weights = ensemble.weights[order]
        if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
            raise ValueError(
                "weights of the members must be finite, >= 0 and not all 0, got "
                f"{ensemble.weights.tolist()}"
            )
        reference = self._reference(labels, weights)
        k = int(n_clusters_per_member(reference)[0])
        self.n_iter_, settled = 0, False
        while self.n_iter_ < self.max_iter and not settled:
            votes = count_votes(labels, reference, weights, self.voting, k)
            elected = elect(votes, reference)
            settled = not sum_rows(lambda a, b: int((a != b).sum()), elected, reference)
            reference = elected
            self.n_iter_ += 1
        by_first = first_seen(elected)  # columns in the final order of the clusters

        def shares(rows: np.ndarray) -> np.ndarray:
            total = rows.sum(axis=1, keepdims=True)
            share = np.divide(rows, total, out=np.zeros_like(rows), where=total > 0)
            return share[:, by_first]

        self.votes_ = to_user(map_rows(shares, votes, bytes_per_row=24 * k, width=k))
        return elected

    def _reference(self, labels: Any, weights: np.ndarray) -> Any:
        sizes = n_clusters_per_member(labels)
        k = None if self.n_clusters is None else int(self.n_clusters)
        enough = sizes > 0 if k is None else sizes == k
        if not enough.any():
            enough = sizes > (k or 0)
        if not enough.any():
            return self._without_reference(labels)
        agreement = pairwise_nmi(Ensemble(labels)) @ (weights / weights.sum())
        chosen = int(np.where(enough, agreement.round(12), -1.0).argmax())
        column = map_rows(lambda rows: rows[:, chosen], labels, bytes_per_row=4, dtype=np.int32)
        return join_clusters(labels, column, weights, k or int(sizes[chosen]))

    def _without_reference(self, labels: Any) -> Any:
        try:
            return EAC(self.n_clusters).fit_predict(Ensemble(labels))
        except TypeError:  # too many distinct rows in blocks
            few = f"add a member with {self.n_clusters} clusters or more, "
            raise self._needs_all_objects(few) from None


def join_clusters(labels: Any, partition: Any, weights: np.ndarray, n_clusters: int) -> Any:
    """Merge clusters of a partition by average link on the co-association, in O(k²·C) time."""
    k = int(n_clusters_per_member(partition)[0])
    if k == n_clusters:
        return partition
    spread = profiles(labels, partition)
    by_cluster = np.repeat(weights, np.diff(spread.offsets))
    together = spread.together.T @ (by_cluster[:, None] * spread.together)
    seen = spread.seen.T @ (weights[:, None] * spread.seen)
    name = np.arange(k)
    alive = list(range(k))
    while len(alive) > n_clusters:
        sums, pairs = together[np.ix_(alive, alive)], seen[np.ix_(alive, alive)]
        mean = np.divide(sums, pairs, out=np.zeros_like(sums), where=pairs > 0).round(12)
        mean[np.tril_indices(len(alive))] = -1.0
        a, b = (alive[i] for i in np.unravel_index(mean.argmax(), mean.shape))
        for table in (together, seen):
            table[a] += table[b]
            table[:, a] += table[:, b]
        name[name == b] = a
        alive.remove(b)
    numbers = np.append(np.searchsorted(alive, name), [MISSING, NOISE]).astype(np.int32)
    return map_rows(lambda rows: numbers[rows], partition, bytes_per_row=4, dtype=np.int32)


def count_votes(labels: Any, reference: Any, weights: np.ndarray, voting: str, k: int) -> Any:
    """Votes of the members for each object and reference cluster, n × k."""
    starts = offsets(labels)
    overlap = profiles(labels, reference, k).together
    stands_for = np.zeros((starts[-1], k))
    for m, (begin, end) in enumerate(pairwise(starts)):
        own = overlap[begin:end]
        if voting == "cumulative":
            part = own / np.maximum(own.sum(axis=1, keepdims=True), 1)
        else:
            partner = partners(own)
            partner[partner < 0] = own.argmax(axis=1)[partner < 0]
            part = np.zeros_like(own)
            part[np.arange(len(own)), partner] = own.max(axis=1) > 0
        stands_for[begin:end] = weights[m] * part
    return cluster_sums(labels, starts, stands_for)


def elect(votes: Any, reference: Any) -> Any:
    """Cluster with the most votes for each object; no cluster stays empty."""
    k = votes.shape[1]
    width = 24 * k
    elected = persist(map_rows(_elected, votes, reference, bytes_per_row=width, dtype=np.int32))
    if len(first_seen(elected)) == k:
        return elected
    loss = map_rows(
        lambda own: -own / np.maximum(own.max(axis=1, keepdims=True), TINY),
        votes,
        bytes_per_row=width,
        width=k,
    )
    return fill_empty(elected, loss, k)


def _elected(votes: np.ndarray, reference: np.ndarray) -> np.ndarray:
    most = votes.max(axis=1)
    equal = votes >= most[:, None] * (1 - 1e-9)  # sums of weights carry rounding errors
    elected = equal.argmax(axis=1).astype(np.int32)
    has_place = np.flatnonzero(reference >= 0)
    keeps = has_place[equal[has_place, reference[has_place]]]
    elected[keeps] = reference[keeps]
    elected[(most == 0) & (reference < 0)] = NOISE
    return elected
