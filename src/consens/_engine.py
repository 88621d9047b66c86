"""The engine of the default answer: kinds of members compete, and the winner grows.

A *recipe* is a kind of member, or all kinds mixed, together with a way to combine a draw of
members.  The draws of a recipe that sees a structure agree with each other, those of a recipe
that imposes one do not.  So a first batch of members of each kind decides on the recipe, and only
the recipe that answers makes more members, until one half of them gives the same answer as the
other half.

All of this happens on at most `WORKING_OBJECTS` objects.  The clusters of all others follow from
their labels by a few members, in one pass.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone

from consens._blocks import load, take_rows
from consens._kernels import repeated
from consens._labels import compact, keep_labels, label_stats
from consens._support.seeds import Seed, spawn_seeds
from consens.consensus import LWEA, CosineLWEA, DrawnConsensus
from consens.ensemble import Ensemble
from consens.generate import MixedEnsemble
from consens.generate._label import label_rows
from consens.generate.mixed import MEMBER_KINDS
from consens.measure.agreement import pairwise_ari
from consens.measure.evenness import normalized_entropy

_logger = logging.getLogger("consens")

#: Objects that members, draws and recipes work on at most.
WORKING_OBJECTS = 10_000

#: The competition: objects, members and draws of each recipe; a draw has half of them.
RACE_OBJECTS = 400
RACE_MEMBERS = 32
RACE_DRAWS = 24

#: The first recipe answers unless another one scores higher by this much.
MARGIN = 0.15

#: Members of the winner at first and at most, and the agreement of their halves that is enough.
FIRST_MEMBERS = 64
MOST_MEMBERS = 256
ENOUGH = 0.98

#: Members that label the objects beyond `WORKING_OBJECTS`.
LABELLERS = 32

MIXED = "mixed"


class RecipeScore(NamedTuple):
    """A recipe and how well its draws agree.

    ``agreement`` is the mean adjusted Rand index of pairs of draws, ``evenness`` the mean
    normalised entropy of their cluster sizes, ``score`` their product with the root of the latter.
    """

    name: str
    agreement: float
    evenness: float
    score: float
    chosen: bool


def judge(
    pools: Mapping[str, Any], n_clusters: int, random_state: Seed, n_jobs: int | None = None
) -> list[RecipeScore]:
    """Score recipes by the agreement of their draws, and choose one.

    Parameters
    ----------
    pools : mapping of str to (labels, consensus)
        Label matrix of the members of each recipe and the method that combines a draw, the
        recipe that answers in doubt first.
    n_clusters : int
    random_state : int, RandomState or None
    n_jobs : int, optional
    """
    found = []
    for name, (labels, consensus) in pools.items():
        n_members = labels.shape[1]
        drawn = DrawnConsensus(
            min(n_clusters, len(np.unique(labels, axis=0))),
            consensus=consensus,
            n_draws=RACE_DRAWS,
            max_members=max(1, n_members // 2),
            random_state=random_state,
            n_jobs=n_jobs,
        )
        with repeated(len(pools)):
            drawn.fit(compacted(labels))
        similar = pairwise_ari(drawn.draws_)
        agreement = float(similar[np.triu_indices(len(similar), 1)].mean())
        evenness = float(normalized_entropy(drawn.draws_).mean())
        score = agreement * sqrt(evenness)
        found.append(RecipeScore(name, agreement, evenness, score, False))
        _logger.info("recipe %s: agreement %.3f, evenness %.3f", name, agreement, evenness)
    best = max(found, key=lambda own: own.score)
    winner = best if best.score > found[0].score + MARGIN else found[0]
    return [own._replace(chosen=own is winner) for own in found]


def compacted(labels: np.ndarray) -> Ensemble:
    """Ensemble of some objects, without the clusters that none of them is in."""
    return Ensemble(np.column_stack([compact(column) for column in labels.T]))


class RecipeEngine:
    """Members of X by kind, trained when they are needed.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        The objects that the engine works on.
    random_state : int, RandomState or None
    n_jobs : int, optional
    store : path, optional
        Folder for finished members, see `generate.MixedEnsemble`.
    """

    def __init__(
        self, X: Any, random_state: Seed, n_jobs: int | None = None, store: Any = None
    ) -> None:
        self.X = X
        self.members_seed, self.draws_seed = spawn_seeds(random_state, 2)
        self.n_jobs = n_jobs
        self.store = store
        self.kinds = ["kmeans"] if issparse(X) else list(MEMBER_KINDS)
        self._n_clusters: int | None = None
        self._trained: dict[Any, Any] = {}

    @property
    def n_clusters(self) -> int | None:
        """Number of clusters that is looked for; None while it is being chosen."""
        return self._n_clusters

    @n_clusters.setter
    def n_clusters(self, value: int) -> None:
        self._n_clusters = value
        self._trained.clear()  # members depend on it

    def generator(self, recipe: str, n_estimators: int) -> MixedEnsemble:
        """Generator of the members of a recipe, which shares what is trained already."""
        made = MixedEnsemble(
            n_estimators=n_estimators,
            kinds=tuple(self.kinds) if recipe == MIXED else (recipe,),
            n_clusters=self.n_clusters,
            random_state=self.members_seed,
            n_jobs=self.n_jobs,
            # members that only help to choose a number are not stored
            store=self.store if self.n_clusters is not None else None,
        )
        made._trained = self._trained
        return made

    def label(self, rows: Any, recipe: str, n_estimators: int) -> np.ndarray:
        """Labels of rows by the first members of a recipe."""
        models = self.generator(recipe, n_estimators).train(self.X)
        return np.asarray(label_rows(rows, models, self.n_jobs))

    def compete(self, n_clusters: int) -> list[RecipeScore]:
        """Let the recipes compete on a sample of the objects."""
        objects = self.X[_some_rows(self.X.shape[0], RACE_OBJECTS, self.draws_seed)]
        names = [MIXED, *self.kinds] if len(self.kinds) > 1 else self.kinds
        pools = {name: (self.label(objects, name, RACE_MEMBERS), None) for name in names}
        return judge(pools, n_clusters, self.draws_seed, self.n_jobs)

    def grow(self, recipe: str, n_clusters: int, **options: Any) -> tuple[Any, DrawnConsensus]:
        """Add members of a recipe until their halves agree, and combine them."""
        generator = self.generator(recipe, FIRST_MEMBERS)
        ensemble = generator.fit_transform(self.X)
        found = self._combine(n_clusters, ensemble, None, options)
        while found.agreement_ < ENOUGH and ensemble.shape[1] < MOST_MEMBERS:
            before = found
            ensemble = generator.extend(self.X, ensemble, 2 * ensemble.shape[1])
            found = self._combine(n_clusters, ensemble, before, options)
        _logger.info("%d members, halves agree to %.3f", ensemble.shape[1], found.agreement_)
        generator._trained = None
        return generator, found

    def _combine(
        self, n_clusters: int, ensemble: Ensemble, before: Any, options: Mapping[str, Any]
    ) -> DrawnConsensus:
        consensus = DrawnConsensus(n_clusters, random_state=self.draws_seed, n_jobs=self.n_jobs)
        if before is not None:
            consensus.continue_from(before)
        return consensus.fit(ensemble, **options)


#: Fewest members for which draws are combined; of fewer, `LWEA` combines all.
ENOUGH_MEMBERS = 20

#: Largest number of objects for methods of quadratic time, without and with missing labels.
MAX_QUADRATIC = 50_000
MAX_QUADRATIC_MISSING = 10_000


def default_generator(consensus: Any = None, n_clusters: int | None = None) -> Any:
    """Return the default generator of a consensus, or a `MixedEnsemble`.

    Parameters
    ----------
    consensus : consensus estimator, optional
    n_clusters : int, optional
        Number of clusters of the consensus.
    """
    if not hasattr(consensus, "default_generator"):
        return MixedEnsemble()
    consensus = clone(consensus)
    if n_clusters is not None:
        consensus.set_params(n_clusters=n_clusters)
    return consensus.default_generator()


def default_consensus(
    ensemble: Ensemble, n_clusters: int, random_state: Seed = None, n_jobs: int | None = None
) -> tuple[Any, list[RecipeScore]]:
    """Return the default method for given members, and the recipes that competed.

    Of 20 members or more, draws are combined by `CosineLWEA`, or by `LWEA` with θ = 0.25 if that
    scores higher by more than 0.15.  Fewer members of at most 50,000 objects (10,000 if labels are
    missing) are combined by `LWEA`.  ``python -m studies.defaults`` compares them with other
    methods.
    """
    n, n_members = ensemble.shape
    if n_members < ENOUGH_MEMBERS:
        stats = label_stats(ensemble.labels)
        most = MAX_QUADRATIC_MISSING if stats.missing or stats.noise else MAX_QUADRATIC
        if n <= most:
            return LWEA(n_clusters), []
    seed = spawn_seeds(random_state, 1)[0]
    drawn = DrawnConsensus(n_clusters, random_state=seed, n_jobs=n_jobs)
    if n_members < ENOUGH_MEMBERS or n_clusters == 1:
        return drawn, []
    rows = _some_rows(n, RACE_OBJECTS, seed)
    labels = take_rows(ensemble.labels, rows)
    labels = labels[(labels >= 0).any(axis=1)]
    if len(np.unique(labels, axis=0)) < n_clusters:
        return drawn, []
    pools = {"CosineLWEA": (labels, CosineLWEA()), "LWEA": (labels, None)}
    recipes = judge(pools, n_clusters, seed, n_jobs)
    chosen = next(own.name for own in recipes if own.chosen)
    return drawn.set_params(consensus=pools[chosen][1]), recipes


def _some_rows(n: int, most: int, seed: int) -> np.ndarray:
    """Numbers of at most `most` of n objects, drawn at random, in ascending order."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, most, replace=False))


def sample_rows(X: Any, random_state: Seed) -> tuple[Any, bool]:
    """The objects that the engine works on, in memory, and whether these are all."""
    n = X.shape[0]
    rows = _some_rows(n, WORKING_OBJECTS, spawn_seeds(random_state, 1)[0])
    return (load(X) if len(rows) == n else take_rows(X, rows)), len(rows) == n


def label_others(generator: Any, consensus: DrawnConsensus, X: Any) -> None:
    """Label all rows of X by a few of the members, and assign them to the clusters."""
    generator.members_ = generator.members_[:LABELLERS]
    generator.set_params(n_estimators=LABELLERS)
    models = [member.model for member in generator.members_]
    widest = max(model.n_clusters for model in models)
    labels = keep_labels(label_rows(X, models, generator.n_jobs), widest)
    ensemble = Ensemble(
        labels,
        [member.record for member in generator.members_],
        [member.payload for member in generator.members_],
    )
    consensus.extend(ensemble, np.arange(LABELLERS))
