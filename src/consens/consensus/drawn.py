"""Consensus of the answers that drawn members give."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from consens._kernels import repeated
from consens.base import seeded, spawn_seeds
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

#: How often a member is drawn on average, where that makes more draws than the fewest.
TIMES_DRAWN = 6
FEWEST_DRAWS = 80

#: Objects by which the answer that agrees most with the others is found.
MAX_COMPARED = 10_000

#: Tree of the objects of a draw, and weights of the clusters of its members.
Linkage = Callable[[Ensemble], tuple[np.ndarray, Any]]


class DrawnConsensus(BaseConsensus):
    """Consensus of drawn members: combine many draws, then what the draws answer.

    A consensus of one ensemble may change with a few members, most of all a cut of a tree.  Here
    each of T draws takes m of the M members, and s of the n objects where there are more, and
    combines them; the other objects go to the cluster with which they are together most.  The T
    answers are an ensemble of their own, of partitions into k clusters.  The one with the largest
    mean adjusted Rand index to the others is the start, and then every object moves to the cluster

        argmax_C  mean of D_ij over the objects j ≠ i of C,

    D_ij the share of the draws that put i and j together, until none moves.  So no object sits in
    a cluster that fewer draws speak for than for another.

    Parameters
    ----------
    n_clusters : int
    consensus : consensus estimator, optional
        Combines each draw.  By default `CosineLWEA`, and `LWEA` with θ = 0.25 where the former
        only cuts off outliers: the entropy of its cluster sizes is below 0.3 log k.
    n_draws : int, optional
        T.  By default 6 M / m, so that each member is drawn six times on average, but 80 at
        least.  One if there is nothing to draw: M <= `max_members` and n <= `max_objects`.
    max_members : int
        m, members of a draw.  The fewer of M, the less the answers of the draws as a whole depend
        on which M members there are; a draw of too few is a poor consensus.
    max_objects : int, optional
        s, objects of a draw.  By default n / 15, but 700 at least and 2,000 at most.
    settle : bool
        Whether objects move after the start.  The answers of draws are partitions into the
        clusters asked for, however long and thin, so an object that is together more with
        another cluster is misplaced.  That does not hold for members that cut clusters fine,
        where objects of a chain are seldom together.
    random_state : int, RandomState or None
        For the drawing, and for a `consensus` without a seed of its own.
    n_jobs : int, optional
        Draws at the same time, as joblib counts.

    Attributes
    ----------
    {labels_}
    draws_ : Ensemble of shape (n, T)
        What the draws answer.
    confidence_ : ndarray of shape (n,)
        ½ + 0.43 (a - b)⁴, or ½ where a < b; a and b are the shares of the draws that put the
        object with its own and with the best other cluster (`measure.object_margin`): calibrated,
        so that of objects with confidence c a share of about c is in the right cluster.  Where
        there was nothing to draw, or is one cluster, `measure.object_confidence` of the members.
    ensemble_ : Ensemble
        What was combined.

    Notes
    -----
    Use it first, with 100 members or more: it is what `ConsensusClustering` takes, and `combine`
    from 20 clusterings on; it takes any number of objects.

    Linear in the objects: T consensus functions of m members and s objects, O(n m T k) for the
    objects outside the draws, O(n T k) for each round of moves.  Memory of T labels per object.

    References
    ----------
    Drawing members is what bagging does with objects: L. Breiman, "Bagging predictors", Machine
    Learning 24, 1996. doi:10.1007/BF00058655

    Examples
    --------
    >>> import numpy as np
    >>> from consens.consensus import DrawnConsensus
    >>> labels = np.array([[0, 0, 2], [0, 0, 2], [0, 1, 2], [1, 1, 0], [1, 1, 0]])
    >>> DrawnConsensus(n_clusters=2, max_members=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    n_clusters: int
    _in_blocks = True
    #: Draws of another fit, which `refit` hands over.
    _kept: _Drawn | None = None

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
        consensus: Any = None,
        n_draws: int | None = None,
        max_members: int = 20,
        max_objects: int | None = None,
        settle: bool = True,
        random_state: Any = None,
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
        """`MixedEnsemble`, 100 members or more of two kinds.

        Returns
        -------
        MixedEnsemble
        """
        return MixedEnsemble()

    def refit(self, n_clusters: int) -> DrawnConsensus:
        """Fit the same draws with another number of clusters; their trees are only cut again.

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
        again._kept = self._drawn
        return again.fit(self.ensemble_, noise=self._noise, settle=self._settle)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        if "_drawn" in state:  # the trees can be made again
            state["_drawn"] = _Drawn(state["_drawn"].seeds, {})
        return state

    def _combine(self, ensemble: Ensemble) -> Collection:
        n, n_members = ensemble.shape
        kept, self._kept = self._kept, None
        self._drawn = kept or _Drawn(
            spawn_seeds(self.random_state, self._n_draws(n, n_members)), {}
        )
        seeds = self._drawn.seeds
        run = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        draws = []
        for one in run(delayed(self._draw)(ensemble, seed) for seed in seeds):
            draws.append(one)
            announce_step("draws", len(draws), len(seeds), (0.0, 0.3))
        answers: Collection
        if n <= self._n_objects(n):
            answers = split_like(np.column_stack([one.labels for one in draws]), ensemble.labels)
        else:
            answers = persist(
                map_rows(partial(_label, draws), ensemble.labels, width=len(draws), dtype=np.int32)
            )
        self.draws_ = Ensemble(self._objects.scatter(answers, NOISE))
        start = take_columns(answers, most_typical(answers))
        return settle(answers, start) if self.settle else start

    def _n_draws(self, n: int, n_members: int) -> int:
        """Number of draws: one if there is nothing to draw, else enough to use every member."""
        if n_members <= self.max_members and n <= self._n_objects(n):
            return 1
        if self.n_draws is not None:
            return self.n_draws
        return max(FEWEST_DRAWS, TIMES_DRAWN * n_members // self.max_members)

    def _n_objects(self, n: int) -> int:
        """Objects of a draw at most: enough for some of every cluster among many objects."""
        return int(np.clip(n // 15, 700, 2000)) if self.max_objects is None else self.max_objects

    def _confidence(self) -> Any:
        """Share of objects so clear that are in the right cluster: ½ + 0.43 margin⁴."""
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
            found, weights = self._answer(sample, k, seed)
        answer = np.full(len(labels), MISSING, dtype=np.int32)
        answer[inside] = found
        if len(objects) == n:
            return _Draw(members, answer, None)
        spread = profiles(sample.labels, found, k)
        together = spread.together * np.reshape(weights, (-1, 1))
        return _Draw(members, answer, spread._replace(together=together))

    def _answer(self, sample: Ensemble, k: int, seed: int) -> tuple[np.ndarray, Any]:
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
        """A tree that is kept for other numbers of clusters, and weights of the clusters."""
        key = seed, link.__name__
        if key not in self._drawn.trees:
            self._drawn.trees[key] = link(sample)
        return self._drawn.trees[key]


def _n_clusters(labels: np.ndarray, most: int) -> int:
    """`most`, or the number of objects that the members tell apart if that is smaller."""
    widest = labels[:, labels.max(axis=0).argmax()]
    if len(np.unique(widest[widest >= 0])) >= most:
        return most
    return min(most, count_distinct_rows(labels))


def _even_linkage(sample: Ensemble) -> tuple[np.ndarray, float]:
    """The tree of `LWEA` with θ = 0.25, which seldom cuts off outliers."""
    reliability = cluster_reliability(sample, 0.25)
    return coassociation_linkage(sample, "average", reliability), 1.0


class _Drawn(NamedTuple):
    """Seeds of the draws, and the tree and weights of each by seed and method."""

    seeds: list[int]
    trees: dict[tuple[int, str], tuple[np.ndarray, Any]]


class _Draw(NamedTuple):
    """The members of a draw, the labels of its objects, and where others find their cluster."""

    members: np.ndarray
    labels: np.ndarray
    spread: Any  # Profiles, or None where the draw has all objects


def _calibrated(margin: np.ndarray) -> np.ndarray:
    """Share of objects with such a margin that are in the right cluster.

    Half of those that are as often in another cluster, and 93 % of those that are never, in the
    development sets of ``python -m studies.defaults``.
    """
    return np.asarray(0.5 + 0.43 * np.maximum(margin, 0.0) ** 4)


def _label(draws: list[_Draw], labels: np.ndarray) -> np.ndarray:
    """Cluster of each row by each draw: the one that its clusters are associated with most."""
    answers = np.empty((len(labels), len(draws)), dtype=np.int32)
    for t, draw in enumerate(draws):
        together, seen = association(labels[:, draw.members], draw.spread)
        mean = np.divide(together, seen, out=np.zeros_like(together), where=seen > 0)
        answers[:, t] = np.where(mean.max(axis=1) > 0, mean.argmax(axis=1), MISSING)
        announce_step("labels", t + 1, len(draws), (0.3, 0.9))
    return answers


def most_typical(answers: Collection) -> int:
    """Number of the partition with the most clusters and the largest mean ARI to the others."""
    n = len(answers)
    rows = np.unique(np.linspace(0, n - 1, min(n, MAX_COMPARED)).astype(np.int64))
    compared = Ensemble(take_rows(answers, rows))
    agreement = np.round(pairwise_ari(compared).mean(axis=1), 12)
    n_clusters = Ensemble(answers).n_clusters
    return int(np.where(n_clusters == n_clusters.max(), agreement, -2.0).argmax())
