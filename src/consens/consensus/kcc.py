"""K-means-based consensus clustering (Wu, Liu, Xiong, Cao and Chen 2015)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from consens._blocks import map_rows, take_rows
from consens._labels import MISSING, Profiles, cluster_sums, cluster_votes, profiles
from consens._numerics.seeding import far_rows, start_sample
from consens._params import one_of, rules
from consens._support.seeds import Seed, spawn_seeds
from consens.consensus._base import BaseConsensus
from consens.consensus._counts import CountedKMeans
from consens.ensemble import Ensemble

LEAST_SHARE = 1e-12  # replaces a share of 0 in logarithms


class KCC(BaseConsensus):
    """K-means-based consensus: maximises the utility of the partition for the members.

    With P_k^m the shares of the clusters of member m among the objects of consensus cluster k,
    p_k the size of k and P^m the shares among all objects, the utility for member m is

        U(π, π_m) = Σ_k p_k μ(P_k^m) - μ(P^m),

    and 1/M Σ_m U(π, π_m) is maximised.  For convex μ this is k-means on the rows of the
    indicator, with centres P_k and the distance f that corresponds to μ:

    - "category": μ(P) = |P|², f = |x - P|²; the category utility function;
    - "entropy": μ(P) = -H(P), f = KL(x, P) = -log of the share of the object's cluster; U is the
      mutual information.

    {n_clusters}
    utility : {"category", "entropy"}
    n_init : int
        Number of starts of k-means; the best is kept.
    {start_rows}
    {seed}

    {attributes}
    utility_ : float
        1/M Σ_m U(π, π_m).
    {combined}

    Notes
    -----
    Use it for large n, for members with many missing labels, or to compare results by a single
    number, `utility_`.

    O(n M k) time per iteration; memory of about one byte per label.  With more than 20,000 objects
    starts compete on a sample.  If labels are missing, shares are those among the objects that a
    member has seen, and its utility is weighted by their number (Section 4).

    References
    ----------
    J. Wu, H. Liu, H. Xiong, J. Cao and J. Chen, "K-means-based consensus clustering: a unified
    view", IEEE TKDE 27(1), 2015. doi:10.1109/TKDE.2014.2316512

    {five_objects}
    >>> from consens.consensus import KCC
    >>> kcc = KCC(n_clusters=2, random_state=0).fit(labels)
    >>> kcc.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> round(kcc.utility_, 3)
    0.391
    """

    _in_blocks = True

    _parameter_constraints = rules(
        utility=one_of("category", "entropy"),
        init=one_of("far", "objects"),
    )

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        utility: str = "category",
        n_init: int = 10,
        init: str = "far",
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.utility = utility
        self.n_init = n_init
        self.init = init

    def _combine(self, ensemble: Ensemble) -> Any:
        labels, k = ensemble.labels, int(self.n_clusters)
        n = len(labels)
        rng = np.random.default_rng(spawn_seeds(self.random_state, 1)[0])
        one = map_rows(lambda rows: np.zeros(len(rows), dtype=np.int32), labels, dtype=np.int32)
        whole = profiles(labels, one, 1)
        before = _values(whole, self.utility)
        weights = np.full(labels.shape[1], 1 / labels.shape[1])
        problem = _Utility(k, weights, self.utility)
        sample = start_sample(n, k, rng)
        rows = take_rows(labels, sample)
        done = None
        for _ in range(self.n_init):
            start = _start(rows, weights, k, rng, self.init)
            rng.random()  # keeps the random sequence of release 0.1
            found = problem.improve(rows, start)
            # a start replaces an earlier one only if it is better by more than rounding
            if done is None or found[1] > done[1] + 1e-9 * abs(done[1]):
                done = found
        assert done is not None
        partition, value = problem.extend(labels, rows, done[0], whole.offsets)
        self.utility_ = float(value - weights @ before)
        return partition


@dataclass(frozen=True)
class _Utility(CountedKMeans):
    """k-means that maximises the utility."""

    weights: np.ndarray
    utility: str

    def value(self, spread: Profiles) -> float:
        """Utility of a partition, up to a constant."""
        return float(self.weights @ _values(spread, self.utility))

    def improve(self, labels: np.ndarray, partition: np.ndarray) -> tuple[np.ndarray, float]:
        """Improve a partition by k-means; return it unchanged if that is not better."""
        spread = profiles(labels, partition, self.n_clusters)
        value = self.value(spread)
        found = self.climb(labels, spread)
        return found if found[1] > value + 1e-9 * abs(value) else (partition, value)

    def nearest(self, labels: Any, spread: Profiles) -> Any:
        """Nearest centre of each object."""
        return cluster_votes(labels, spread.offsets, -self.table(spread))

    def distances(self, rows: np.ndarray, spread: Profiles) -> np.ndarray:
        """Distances of objects from the centres."""
        return cluster_sums(rows, spread.offsets, self.table(spread))

    def table(self, spread: Profiles) -> np.ndarray:
        """Contribution of each cluster to the distance of its objects from each centre.

        The distance is the sum, over the members that have seen the object, of
        |x - P|² = |P|² + 1 - 2 P[x] for "category" and KL(x, P) = Σ P - 1 - log P[x] for
        "entropy".
        """
        owner = np.repeat(np.arange(len(self.weights)), np.diff(spread.offsets))
        share = spread.together / np.maximum(spread.seen[owner], 1)
        if self.utility == "category":
            of_member, own = _per_member(share**2, owner, spread), 1 - 2 * share
        else:
            of_member = _per_member(share, owner, spread)
            own = -1 - np.log(np.maximum(share, LEAST_SHARE))
        of_member = self.weights[:, None] * of_member
        return self.weights[owner, None] * own + of_member[owner]


def _values(spread: Profiles, utility: str) -> np.ndarray:
    """Σ_k (objects of k seen by m) μ(P_k^m) / (number of objects), for each member m."""
    owner = np.repeat(np.arange(len(spread.seen)), np.diff(spread.offsets))
    share = spread.together / np.maximum(spread.seen[owner], 1)
    if utility == "category":
        terms = spread.together * share
    else:
        terms = spread.together * np.log(np.maximum(share, LEAST_SHARE))
    return _per_member(terms, owner, spread).sum(axis=1) / spread.sizes.sum()


def _per_member(terms: np.ndarray, owner: np.ndarray, spread: Profiles) -> np.ndarray:
    sums = np.zeros_like(spread.seen)
    np.add.at(sums, owner, terms)
    return sums


def _start(
    labels: np.ndarray, weights: np.ndarray, n_clusters: int, rng: np.random.Generator, init: str
) -> np.ndarray:
    """Assign objects to the nearest of k objects, by the weight of the members that separate."""

    def distances_to(rows: np.ndarray) -> np.ndarray:
        row = labels[rows[0]]
        separated = (labels != row) & (labels != MISSING) & (row != MISSING)
        return (separated @ weights)[:, None]

    n = len(labels)
    if init == "far":
        first = int(rng.integers(n))
        found = far_rows(distances_to, np.ones(n), n_clusters, rng, first=first)
    else:
        drawn = rng.choice(n, n_clusters, replace=False)
        found = ((int(row), distances_to(np.array([row]))[:, 0]) for row in drawn)
    chosen, columns = zip(*found, strict=True)
    partition = np.column_stack(columns).argmin(axis=1).astype(np.int32)
    partition[list(chosen)] = np.arange(n_clusters)  # also if another one is equally near
    return partition
