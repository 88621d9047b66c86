"""Consensus of the partitions that random subsets of the members give."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from consens._kernels import repeated
from consens.base import Seed, seeded, spawn_seeds
from consens.blocks import (
    Collection,
    map_rows,
    persist,
    split_like,
    take_columns,
    take_rows,
)
from consens.consensus._base import BaseConsensus
from consens.consensus._settle import settle
from consens.consensus.cosine_lwea import cosine_linkage
from consens.consensus.linkage import coassociation_linkage
from consens.constraints import BOOLEAN_RULE, COUNT_RULE, HasMethods, rules
from consens.ensemble import Ensemble
from consens.generate import MixedEnsemble
from consens.labels import (
    MISSING,
    NOISE,
    association,
    count_distinct_rows,
    in_a_cluster,
    profiles,
)
from consens.measure import (
    cluster_reliability,
    normalized_entropy,
    object_confidence,
    object_margin,
    pairwise_ari,
)
from consens.partition import cut
from consens.progress import announce_step

#: Normalised entropy of cluster sizes below which a partition only cuts off outliers.
UNEVEN = 0.3

#: Average number of draws per member, and the smallest default number of draws.
TIMES_DRAWN = 6
FEWEST_DRAWS = 80

#: Number of objects on which the partitions of the draws are compared.
MAX_COMPARED = 10_000

#: Function from a draw to the tree of its objects and the weights of its clusters.
Linkage = Callable[[Ensemble], tuple[np.ndarray, Any]]


class DrawnConsensus(BaseConsensus):
    """Consensus of drawn members: combines many random draws, then their partitions.

    Exchanging a few members may change the consensus of an ensemble, in particular a cut of a
    tree.  Here each of T draws takes m of the M members and, if there are more, s of the n
    objects, and combines them; the other objects are assigned to the cluster they are most often
    together with.  The resulting T partitions into k clusters form an ensemble.  The one with the
    largest mean adjusted Rand index to the others is the start; then every object moves to the
    cluster

        argmax_C  mean of D_ij over the objects j ≠ i of C,

    with D_ij the share of the draws that put i and j together, until none moves.  So the draws
    support no object's cluster less than another one.

    Parameters
    ----------
    n_clusters : int
    consensus : consensus estimator, optional
        Combines each draw.  By default `CosineLWEA`, or `LWEA` with θ = 0.25 if the former only
        cuts off outliers: the entropy of its cluster sizes is below 0.3 log k.
    n_draws : int, optional
        T.  By default 6 M / m, so that each member is drawn six times on average, but at least
        80.  One if there is nothing to draw: M <= `max_members` and n <= `max_objects`.
    max_members : int
        m, the number of members in a draw.  The smaller m is relative to M, the less the result
        depends on the particular M members; with too few members, each draw is a poor consensus.
    max_objects : int, optional
        s, the number of objects in a draw.  By default n / 15, but between 700 and 2,000.
    settle : bool
        Whether objects move after the start.  The draws are partitions into the requested
        clusters, however elongated, so an object that is more often together with another cluster
        is misplaced.  This does not hold for members with many small clusters, which seldom put
        the objects of an elongated cluster together.
    random_state : int, RandomState or None
        For the draws, and for a `consensus` without a seed of its own.
    n_jobs : int, optional
        Number of draws to combine in parallel, as in joblib.

    Attributes
    ----------
    {labels_}
    draws_ : Ensemble of shape (n, T)
        The partitions of the draws.
    confidence_ : ndarray of shape (n,)
        ½ + 0.43 (a - b)⁴, or ½ if a < b; a and b are the shares of the draws that put the object
        with its own and with the best other cluster (`measure.object_margin`).  Calibrated: a
        share of about c of the objects with confidence c is in the right cluster.  With a single
        draw or a single cluster, `measure.object_confidence` of the members.
    ensemble_ : Ensemble
        The combined partitions.

    Notes
    -----
    Use it first, with 100 members or more: it is the default of `ConsensusClustering`, and of
    `combine` for at least 20 clusterings.  It handles any number of objects.

    Linear in the objects: T consensus functions of m members and s objects, O(n m T k) for the
    objects outside the draws, O(n T k) for each round of moves.  Memory of T labels per object.

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
    _reused = cast("_Drawn | None", None)  # the draws of another fit, set by `refit`

    _parameter_constraints = rules(
        consensus=[HasMethods(["fit_predict"]), None],
        n_draws=[*COUNT_RULE, None],
        max_members=COUNT_RULE,
        max_objects=[*COUNT_RULE, None],
        settle=BOOLEAN_RULE,
    )

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        consensus: Any = None,
        n_draws: int | None = None,
        max_members: int = 20,
        max_objects: int | None = None,
        settle: bool = True,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.consensus = consensus
        self.n_draws = n_draws
        self.max_members = max_members
        self.max_objects = max_objects
        self.settle = settle
        self.random_state = random_state
        self.n_jobs = n_jobs

    def default_generator(self) -> MixedEnsemble:
        """Return a `MixedEnsemble`: 100 members or more of two kinds.

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
        again._reused = self._drawn
        return again.fit(self.ensemble_, noise=self._noise, settle=self._settle)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        if "_drawn" in state:  # without the trees, which can be recomputed
            state["_drawn"] = _Drawn(state["_drawn"].seeds, {})
        return state

    def _combine(self, ensemble: Ensemble) -> Collection:
        n, n_members = ensemble.shape
        reused, self._reused = self._reused, None
        self._drawn = reused or _Drawn(
            spawn_seeds(self.random_state, self._n_draws(n, n_members)), {}
        )
        seeds = self._drawn.seeds
        run = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        draws = []
        for draw in run(delayed(self._draw)(ensemble, seed) for seed in seeds):
            draws.append(draw)
            announce_step("draws", len(draws), len(seeds), (0.0, 0.3))
        partitions: Collection
        if n <= self._n_objects(n):
            partitions = split_like(np.column_stack([d.labels for d in draws]), ensemble.labels)
        else:
            partitions = persist(
                map_rows(partial(_label, draws), ensemble.labels, width=len(draws), dtype=np.int32)
            )
        self.draws_ = Ensemble(self._objects.scatter(partitions, NOISE))
        start = take_columns(partitions, most_typical(partitions))
        return settle(partitions, start) if self.settle else start

    def _n_draws(self, n: int, n_members: int) -> int:
        """Number of draws: one if there is nothing to draw, else enough to cover the members."""
        if n_members <= self.max_members and n <= self._n_objects(n):
            return 1
        if self.n_draws is not None:
            return self.n_draws
        return max(FEWEST_DRAWS, TIMES_DRAWN * n_members // self.max_members)

    def _n_objects(self, n: int) -> int:
        """Maximum number of objects in a draw."""
        return int(np.clip(n // 15, 700, 2000)) if self.max_objects is None else self.max_objects

    def _confidence(self) -> Any:
        if self.draws_.shape[1] == 1 or self.n_clusters_ == 1:
            return object_confidence(self.ensemble_, self.labels_)
        return map_rows(_calibrated, object_margin(self.draws_, self.labels_))

    def _draw(self, ensemble: Ensemble, seed: int) -> _Draw:
        """Draw members and objects, and combine them."""
        rng = np.random.default_rng(seed)
        n, n_members = ensemble.shape
        members = np.arange(n_members)
        if n_members > self.max_members:
            members = np.sort(rng.choice(n_members, self.max_members, replace=False))
        objects = np.arange(n)
        if n > self._n_objects(n):
            objects = np.sort(rng.choice(n, self._n_objects(n), replace=False))
        labels = take_rows(ensemble.labels, objects)[:, members]
        inside = in_a_cluster(labels)
        sample = Ensemble(labels[inside])
        k = _n_clusters(sample.matrix, self.n_clusters)
        with repeated(len(self._drawn.seeds)):
            found, weights = self._combine_draw(sample, k, seed)
        partition = np.full(len(labels), MISSING, dtype=np.int32)
        partition[inside] = found
        if len(objects) == n:
            return _Draw(members, partition, None)
        spread = profiles(sample.labels, found, k)
        together = spread.together * np.reshape(weights, (-1, 1))
        return _Draw(members, partition, spread._replace(together=together))

    def _combine_draw(self, sample: Ensemble, k: int, seed: int) -> tuple[np.ndarray, Any]:
        """Labels of the objects of a draw, and weights of the clusters of its members."""
        if self.consensus is not None:
            fitted = seeded(self.consensus, seed).set_params(n_clusters=k).fit(sample)
            return fitted.labels_, getattr(fitted, "cluster_weights_", 1.0)
        tree, weights = self._tree(cosine_linkage, sample, seed)
        labels = cut(tree, k)
        if k > 1 and normalized_entropy(labels[:, None])[0] < UNEVEN:
            tree, weights = self._tree(_even_linkage, sample, seed)
            labels = cut(tree, k)
        return labels, weights

    def _tree(self, link: Linkage, sample: Ensemble, seed: int) -> tuple[np.ndarray, Any]:
        """Tree of a draw, cached for other numbers of clusters, and weights of its clusters."""
        key = seed, link.__name__
        if key not in self._drawn.trees:
            self._drawn.trees[key] = link(sample)
        return self._drawn.trees[key]


def _n_clusters(labels: np.ndarray, most: int) -> int:
    """`most`, or the number of distinct label rows if that is smaller."""
    widest = labels[:, labels.max(axis=0).argmax()]
    if len(np.unique(widest[widest >= 0])) >= most:
        return most
    return min(most, count_distinct_rows(labels))


def _even_linkage(sample: Ensemble) -> tuple[np.ndarray, float]:
    """Tree of `LWEA` with θ = 0.25, which seldom cuts off outliers."""
    reliability = cluster_reliability(sample, 0.25)
    return coassociation_linkage(sample, "average", reliability), 1.0


class _Drawn(NamedTuple):
    """Seeds of the draws, and cached trees and weights by seed and linkage."""

    seeds: list[int]
    trees: dict[tuple[int, str], tuple[np.ndarray, Any]]


class _Draw(NamedTuple):
    """Members of a draw, labels of its objects, and profiles that assign the other objects."""

    members: np.ndarray
    labels: np.ndarray
    spread: Any  # Profiles, or None if the draw has all objects


def _calibrated(margin: np.ndarray) -> np.ndarray:
    """Share of objects with a given margin that are in the right cluster.

    In the development sets of ``python -m studies.defaults`` this is half of the objects with
    margin 0 and 93 % of those with margin 1.
    """
    return np.asarray(0.5 + 0.43 * np.maximum(margin, 0.0) ** 4)


def _label(draws: list[_Draw], labels: np.ndarray) -> np.ndarray:
    """Assign each row in each draw to the cluster that it is most associated with."""
    partitions = np.empty((len(labels), len(draws)), dtype=np.int32)
    for t, draw in enumerate(draws):
        together, seen = association(labels[:, draw.members], draw.spread)
        mean = np.divide(together, seen, out=np.zeros_like(together), where=seen > 0)
        partitions[:, t] = np.where(mean.max(axis=1) > 0, mean.argmax(axis=1), MISSING)
        announce_step("labels", t + 1, len(draws), (0.3, 0.9))
    return partitions


def most_typical(partitions: Collection) -> int:
    """Index of the partition with the largest mean ARI, among those with most clusters."""
    n = len(partitions)
    rows = np.unique(np.linspace(0, n - 1, min(n, MAX_COMPARED)).astype(np.int64))
    compared = Ensemble(take_rows(partitions, rows))
    agreement = np.round(pairwise_ari(compared).mean(axis=1), 12)
    n_clusters = Ensemble(partitions).n_clusters
    return int(np.where(n_clusters == n_clusters.max(), agreement, -2.0).argmax())
