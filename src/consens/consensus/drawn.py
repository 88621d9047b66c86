"""Consensus of the partitions that random subsets of the members give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from consens._blocks import (
    Collection,
    load,
    map_rows,
    split_like,
    take_columns,
    take_rows,
    to_user,
)
from consens._kernels import repeated
from consens._labels import (
    MISSING,
    Profiles,
    abstain,
    count_distinct_rows,
    in_a_cluster,
    likeliest_cluster,
    profiles,
)
from consens._params import COUNT_RULE, HasMethods, rules
from consens._support.progress import Progress, notify
from consens._support.seeds import Seed, seeded, spawn_seeds
from consens.consensus._base import BaseConsensus
from consens.consensus._refits import (
    Refits,
    Rivals,
    on_curve,
    own_share,
    redrawn,
    rising_curve,
)
from consens.consensus._settle import settle
from consens.ensemble import Ensemble
from consens.generate import MixedEnsemble
from consens.generate.mixed import MEMBERS_IN_TURN
from consens.measure import ari

if TYPE_CHECKING:
    from consens._kernels.contingency import Members

ENOUGH_TO_DRAW = 10  # fewest members that are drawn from; of fewer, every draw has all
SHARE_DRAWN = 0.7  # share of the members in a draw, unless `max_members` is less
ENOUGH_FOR_HALVES = 32  # fewest members of which even draws take one half and odd draws the other
#: Draws of fewer than 128 members, then as many for every 64 members, and most draws.
DRAWS = 40
MEMBERS_FOR_DRAWS = 64
MAX_DRAWS = 160

#: Objects in a draw: at least this many, and for each cluster.
OBJECTS_IN_DRAW = 400
OBJECTS_PER_CLUSTER = 25

MAX_FOR_AGREEMENT = 1000  # objects on which draws are compared with each other
THETA = 0.25  # θ of the reliability of clusters in a draw


class DrawnConsensus(BaseConsensus):
    """Consensus of drawn members: combines many random draws, then their partitions.

    Exchanging a few members may change the consensus of an ensemble, in particular a cut of a
    tree.  Here each of T draws takes m of the M members and s of the n objects, and combines
    them; other objects go to the cluster they are most often together with.  The T partitions
    into k clusters form an ensemble.  The one with the largest mean adjusted Rand index to the
    others is the start; then every object moves to the cluster

        argmax_C  mean of D_ij over the objects j ≠ i of C,

    with D_ij the share of the draws that put i and j together, until none moves.  So the draws
    support no object's cluster less than another one.

    Parameters
    ----------
    n_clusters : int
    consensus : consensus estimator or list of them, optional
        Combines each draw; several take turns.  By default, or for None, `LWEA` with θ = 0.25.
    n_draws : int, optional
        T.  By default 40 for every 64 members, at least 40 and at most 160; one if there is
        nothing to draw, that is, fewer than ten members of at most `max_objects` objects.
    max_members : int
        m, the number of members in a draw, at most 70 % of ten or more.
    max_objects : int, optional
        s, the number of objects in a draw.  By default 400, or 25 for each cluster if that is
        more: fewer objects than there are make draws cheap, and average out the accidents of a
        tree.
    max_compared : int
        Number of objects that take part in the draws at all.  If there are more, a sample decides
        on the clusters, and every other object goes to the cluster that it is most often together
        with.
    {noise_and_settle}
    random_state : int, RandomState or None
        For the draws, and for a `consensus` without a seed of its own.
    n_jobs : int, optional
        Number of draws to combine in parallel, as in joblib.

    Attributes
    ----------
    {labels_}
    draws_ : Ensemble of shape (number of compared objects, T)
        The partitions of the draws.
    agreement_ : float
        Adjusted Rand index between the consensus of the even draws and that of the odd ones.
        With 32 members or more the two halves of the draws share no member, so this tells how
        far other members would give the same answer.  NaN with a single draw.
    confidence_ : ndarray of shape (n,)
        Probability that a refit to other members and another sample puts the object in the same
        cluster, in [0, 1]: the share of 20 consensus partitions of a few draws and 90 % of the
        objects that do, clusters being matched one-to-one, and half of it what this share usually
        is for the agreement of the members.  0 for noise.  With a single draw, members are
        resampled as in other methods.
    stability_ : Stability
        Expected adjusted Rand index with such a refit (``ari``) and its range (``interval``), and
        the expected Jaccard coefficient of each cluster with its best match (``clusters``).
    ensemble_ : Ensemble
        The combined partitions.

    Notes
    -----
    Use it with 20 members or more, of any number of objects: it depends less on the particular
    members than the consensus that it draws by.

    T consensus functions of m members and s objects, O(w m T k) for the w compared objects outside
    a draw, O(w T k) for each round of moves, and O(n M k) for all others.  Memory of T labels per
    compared object.

    For objects that are not compared, the confidence is that of compared objects with the same
    share of their own cluster in the association with all clusters (by isotonic regression).

    References
    ----------
    Drawing members is the counterpart of bagging objects: L. Breiman, "Bagging predictors",
    Machine Learning 24, 1996. doi:10.1007/BF00058655

    {five_objects}
    >>> from consens.consensus import DrawnConsensus
    >>> DrawnConsensus(n_clusters=2, max_members=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    _in_blocks = True
    _reused = cast("_Drawn | None", None)  # the draws of another fit
    _extended = cast("_Extended | None", None)
    _competing = cast("Rivals | None", None)
    _samples: Any = None  # a function without arguments
    _smooth: Any = None  # a function of numbers of compared objects
    agreement_: float

    _parameter_constraints = rules(
        consensus=[HasMethods(["fit_predict"]), list, None],
        n_draws=[*COUNT_RULE, None],
        max_members=COUNT_RULE,
        max_objects=[*COUNT_RULE, None],
        max_compared=COUNT_RULE,
    )

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        consensus: Any = None,
        n_draws: int | None = None,
        max_members: int = 20,
        max_objects: int | None = None,
        max_compared: int = 10_000,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.consensus = consensus
        self.n_draws = n_draws
        self.max_members = max_members
        self.max_objects = max_objects
        self.max_compared = max_compared
        self.n_jobs = n_jobs

    def default_generator(self) -> MixedEnsemble:
        """Return a `MixedEnsemble` of all kinds.

        Returns
        -------
        MixedEnsemble
        """
        return MixedEnsemble()

    def refit(self, n_clusters: int) -> DrawnConsensus:
        """Fit the same draws with another number of clusters, reusing their trees.

        Parameters
        ----------
        n_clusters : int

        Returns
        -------
        DrawnConsensus
            Fitted.
        """
        check_is_fitted(self)
        again = clone(self).set_params(n_clusters=n_clusters)
        again._reused = self._drawn._replace(labels={})
        extended = self._extended
        if extended is None:
            return again.fit(self.ensemble_)
        again.fit(extended.sample.ensemble_)
        return again.extend(self.ensemble_, extended.members)

    def continue_from(self, other: DrawnConsensus) -> DrawnConsensus:
        """Reuse the draws that another fit made of the same members and objects."""
        self._reused = other._drawn
        return self

    def extend(
        self, ensemble: Ensemble, members: np.ndarray, labels: Any = None
    ) -> DrawnConsensus:
        """Assign more objects to the clusters, by their labels in some of the members.

        Parameters
        ----------
        ensemble : Ensemble of shape (n, number of `members`)
            Labels of all objects.
        members : ndarray of int
            The columns of the fitted ensemble that `ensemble` has.
        labels : array of shape (n,), optional
            The clusters of all objects, if the members do not decide on them.

        Returns
        -------
        self
        """
        known = np.asarray(abstain(self.ensemble_.labels[:, members]))
        spread = profiles(known, self.labels_, self.n_clusters_)
        sample = object.__new__(type(self))  # `copy` would compute the refits
        sample.__dict__.update(self.__dict__)
        self._extended = _Extended(sample, members, spread, own_share(known, spread))
        self._clear_cached()
        self.ensemble_ = ensemble
        self.labels_ = to_user(
            _nearest_rows(ensemble.labels, spread) if labels is None else labels
        )
        return self

    def renumber(self, numbers: np.ndarray) -> None:
        """Give each cluster c of the answer the number ``numbers[c]``, a permutation."""
        super().renumber(numbers)
        if self._extended is not None:
            self._extended.sample.renumber(numbers)

    def compete_with(self, rivals: Rivals | None) -> DrawnConsensus:
        """Let the next fit take account of other recipes that a refit may choose."""
        self._competing = rivals
        return self

    def judge_by(self, samples: Callable[[], Iterable[np.ndarray]]) -> None:
        """Judge the answer by fits of samples of the objects, which a function makes one by one.

        Each is a partition of the compared objects, with missing labels for those outside it.
        """
        self._samples = samples

    def take_boundaries(
        self, labels: np.ndarray, smooth: Callable[[np.ndarray], np.ndarray], agreement: float
    ) -> None:
        """Replace the clusters by those that the features give.

        Parameters
        ----------
        labels : ndarray of int
            Those of the compared objects.
        smooth : function
            Labels by a refit to some of these objects, given their numbers.
        agreement : float
            How far other starts give the same labels.
        """
        self.labels_, self._smooth, self.agreement_ = labels, smooth, agreement
        self._clear_cached()

    def __getstate__(self) -> dict[str, Any]:
        if self._samples is not None or self._smooth is not None:
            _ = self._refits  # a copy does without the features
        state: dict[str, Any] = super().__getstate__()
        for name in ("_samples", "_smooth"):
            state.pop(name, None)
        if "_drawn" in state:  # without what can be recomputed
            state["_drawn"] = _Drawn(state["_drawn"].seeds, {}, {})
        return state

    def _made_of_members(self) -> tuple[str, ...]:
        own = "draws_", "_drawn", "_extended", "_compared", "_rest", "_refits"
        return *super()._made_of_members(), *own, "_samples", "_smooth"

    def _clear(self) -> None:
        super()._clear()
        self._extended = self._samples = self._smooth = None

    def _clear_cached(self) -> None:
        """Forget what was computed on demand before `extend`."""
        for name in ("confidence_", "memberships_", "stability_"):
            self.__dict__.pop(name, None)

    def _combine(self, ensemble: Ensemble) -> Collection:
        n, n_members = ensemble.shape
        seeds = spawn_seeds(self.random_state, 1 + self._n_draws(n, n_members))
        reused, self._reused = self._reused or _Drawn([], {}, {}), None
        self._rivals, self._competing = self._competing, None
        self._halves = halves_of(ensemble.records)
        # the same seeds again, also if `random_state` gives others each time
        seed, *seeds = [*reused.seeds, *seeds[len(reused.seeds) :]][: len(seeds)]
        self._drawn = _Drawn([seed, *seeds], reused.trees, reused.labels)
        rows = np.arange(n)
        if n > self.max_compared:
            rng = np.random.default_rng(seed)
            rows = np.sort(rng.choice(n, self.max_compared, replace=False))
        compared = Ensemble(take_rows(ensemble.labels, rows))
        run = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        draws = []
        numbers = range(len(seeds))
        encoded = None
        if None in self._partitioners():
            from consens._kernels.contingency import encode

            encoded = encode(compared.matrix, compared.n_clusters, noise=True)
        for labels in run(delayed(self._draw)(compared, encoded, t) for t in numbers):
            draws.append(labels)
            notify(Progress("draws", len(draws), len(seeds), span=(0.0, 0.9)))
        partitions = np.column_stack(draws)
        self.draws_ = Ensemble(partitions)
        self.agreement_ = float("nan")
        if len(seeds) > 1:
            some = partitions[_evenly(len(partitions), MAX_FOR_AGREEMENT)]
            self.agreement_ = ari(*(settle_draws(some[:, half::2]) for half in (0, 1)))
        labels = settle_draws(partitions)
        self._compared = rows
        if len(rows) == n:
            return split_like(labels, ensemble.labels)
        spread = profiles(compared.labels, labels)
        return _nearest_rows(ensemble.labels, spread)

    def _n_draws(self, n: int, n_members: int) -> int:
        """Number of draws: one if there is nothing to draw."""
        if n_members < ENOUGH_TO_DRAW and n <= self._n_objects():
            return 1
        if self.n_draws is not None:
            return self.n_draws
        return min(DRAWS * max(1, n_members // MEMBERS_FOR_DRAWS), MAX_DRAWS)

    def _draw_members(self, t: int, halves: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Members of draw t: of one half of them, if there are enough."""
        pool = np.arange(len(halves))
        if len(halves) < ENOUGH_TO_DRAW:
            return pool
        if len(halves) >= ENOUGH_FOR_HALVES:
            pool = pool[halves == t % 2]
        size = min(self.max_members, ceil(SHARE_DRAWN * len(pool)))
        return np.sort(rng.choice(pool, size, replace=False))

    def _n_objects(self) -> int:
        """Number of objects in a draw."""
        if self.max_objects is not None:
            return self.max_objects
        return max(OBJECTS_IN_DRAW, OBJECTS_PER_CLUSTER * self.n_clusters)

    def _partitioners(self) -> list[Any]:
        """What combines draws, in turn; None for the compiled `LWEA`."""
        return self.consensus if isinstance(self.consensus, list) else [self.consensus]

    def _draw(self, compared: Ensemble, encoded: Members | None, t: int) -> np.ndarray:
        """Draw members and objects, combine them, and label all compared objects."""
        if t in self._drawn.labels:
            return self._drawn.labels[t]
        seed = self._drawn.seeds[t + 1]
        rng = np.random.default_rng(seed)
        n = len(compared)
        members = self._draw_members(t, self._halves, rng)
        objects = np.arange(n)
        size = self._n_objects()
        if n > size:
            objects = np.sort(rng.choice(n, size, replace=False))
        labels = compared.matrix[:, members]
        inside = objects[in_a_cluster(labels[objects])]
        k = _n_clusters(labels[inside], self.n_clusters)
        method = self._partitioners()[t // 2 % len(self._partitioners())]  # both halves use all
        if encoded is not None and method is None:
            codes, widths = encoded.codes[members], encoded.widths[members]
            partition = self._combine_draw(codes, widths, inside, k, seed)
        else:
            sample = Ensemble(labels[inside])
            method = seeded(method, seed).set_params(n_clusters=k)
            with repeated(len(self._drawn.seeds) - 1):
                partition = method.fit(sample).labels_
                if len(inside) < n:
                    spread = profiles(sample.labels, partition, k)
                    partition = _nearest(labels, spread=spread)
        self._drawn.labels[t] = partition
        return partition

    def _combine_draw(
        self, codes: np.ndarray, widths: np.ndarray, objects: np.ndarray, k: int, seed: int
    ) -> np.ndarray:
        """Labels of all objects by LWEA of the drawn ones."""
        from consens._kernels.draws import assign, cut_merges, weighted_merges

        # take keeps the order in memory, so that the kernels compile once
        drawn = codes if len(objects) == codes.shape[1] else codes.take(objects, axis=1)
        own = seed, min(codes.shape[1], self._n_objects())  # which the number of clusters sets
        if own not in self._drawn.trees:
            self._drawn.trees[own] = weighted_merges(drawn, widths, THETA)
        partition = cut_merges(*self._drawn.trees[own], k)
        if len(self._drawn.seeds) == 2:  # a single draw
            return partition
        found = assign(drawn, partition, k, codes, widths)
        found[found < 0] = MISSING
        return found

    def _confidence(self) -> Any:
        extended = self._extended
        if extended is None:
            return super()._confidence()
        labels, spread = abstain(self.ensemble_.labels), extended.spread
        curve = rising_curve(extended.shares, extended.sample.confidence_)
        judge = partial(on_curve, spread=spread, curve=curve)
        return map_rows(judge, labels, bytes_per_row=_width(labels, spread))

    def _refitted(self, answers: Mapping[int, Any]) -> dict[int, Refits]:
        if self._extended is not None:
            sample = self._extended.sample
            return {sample.n_clusters_: sample._refits}
        draws = self.draws_.matrix
        if draws.shape[1] == 1:
            return super()._refitted(answers)
        combined = np.flatnonzero(load(self._objects.mask))[self._compared]
        [(k, labels)] = answers.items()
        own = take_rows(split_like(labels, self.ensemble_.labels), combined)
        found = redrawn(draws, own, combined, self._rivals, settle_draws, self._smooth)
        if self._samples is not None:
            columns = (column[found.rows] for column in self._samples())
            found = found.with_samples(columns, self.ensemble_.shape[1])
        return {k: found}


def halves_of(records: Sequence[Mapping[str, Any]]) -> np.ndarray:
    """Half of each member, 0 or 1.

    Members that share a graph or a tree are in the same half, and the groups of every kind of
    member alternate.  Kinds begin in turn, so that the halves are about as large.

    Examples
    --------
    >>> from consens.consensus.drawn import halves_of
    >>> halves_of([{"algorithm": "KMeans"}] * 12)
    array([0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0])
    """
    halves = np.zeros(len(records), dtype=np.int64)
    next_half: dict[Any, int] = {}
    for start in range(0, len(records), MEMBERS_IN_TURN):
        kind = records[start].get("algorithm")
        half = next_half.setdefault(kind, len(next_half) % 2)
        halves[start : start + MEMBERS_IN_TURN] = half
        next_half[kind] = 1 - half
    return halves


def settle_draws(partitions: np.ndarray) -> np.ndarray:
    """Consensus of the draws: the most typical one, in which objects then move."""
    start = take_columns(partitions, most_typical(partitions))
    return np.asarray(settle(partitions, start))


def most_typical(partitions: np.ndarray) -> int:
    """Index of the partition with the largest mean ARI, among those with most clusters."""
    from consens._kernels.draws import mutual_ari

    some = np.ascontiguousarray(partitions[_evenly(len(partitions), MAX_FOR_AGREEMENT)].T)
    agreement = np.round(mutual_ari(some, some).mean(axis=1), 12)
    n_clusters = Ensemble(partitions).n_clusters
    return int(np.where(n_clusters == n_clusters.max(), agreement, -2.0).argmax())


def _evenly(n: int, most: int) -> np.ndarray:
    """Numbers of at most `most` of n objects, evenly spread."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.int64))


def _n_clusters(labels: np.ndarray, most: int) -> int:
    """`most`, or the number of distinct label rows if that is smaller."""
    widest = labels[:, labels.max(axis=0).argmax()]
    if len(np.unique(widest[widest >= 0])) >= most:
        return most
    return min(most, count_distinct_rows(labels))


def _nearest_rows(labels: Collection, spread: Profiles) -> Collection:
    """Likeliest cluster of each row, in blocks of bounded memory."""
    nearest = partial(_nearest, spread=spread)
    return map_rows(nearest, labels, bytes_per_row=_width(labels, spread), dtype=np.int32)


def _width(labels: Collection, spread: Profiles) -> int:
    """Work space for the shares of the clusters in a row, in bytes."""
    return 8 * labels.shape[1] + 24 * len(spread.sizes)


def _nearest(labels: np.ndarray, spread: Profiles) -> np.ndarray:
    """Likeliest cluster of each row; missing if there is none."""
    found = likeliest_cluster(labels, spread)
    return np.where(found < 0, MISSING, found).astype(np.int32)


class _Drawn(NamedTuple):
    """Seeds of the sample and of each draw, merges by seed and size, labels by draw."""

    seeds: list[int]
    trees: dict[tuple[int, int], tuple[np.ndarray, np.ndarray]]
    labels: dict[int, np.ndarray]


class _Extended(NamedTuple):
    """The fit to some objects, the members that label others, and what these labels mean.

    ``shares`` are those of the likeliest cluster of each object of the fit, by these members.
    """

    sample: DrawnConsensus
    members: np.ndarray
    spread: Profiles
    shares: np.ndarray
