"""The engine of the default answer: kinds of members compete, and the winner grows.

A *recipe* is a kind of member, or several kinds mixed, together with a way to combine a draw of
members.  The draws of a recipe that sees a structure agree with each other, and with those of
other kinds that see it; the draws of one that imposes a structure do not.  So a first batch of
members of each kind decides on the recipe, and only the recipe that answers makes more members,
until one half of them gives the same answer as the other half.

All of this happens on at most `WORKING_OBJECTS` objects.  The clusters of all others follow from
their labels by a few members, in one pass.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import ceil, sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone

from consens._blocks import in_blocks, take_columns, take_rows
from consens._boundaries import Boundaries, draw_boundaries, find_boundaries
from consens._kernels import repeated
from consens._labels import MISSING, compact, keep_labels, label_stats
from consens._support.seeds import Seed, spawn_seeds
from consens._support.threads import in_one_thread, one_thread
from consens._validation import count_distinct
from consens.consensus import LWEA, CosineLWEA, DrawnConsensus
from consens.consensus._refits import MOST_FITS, SHARE, Rivals
from consens.consensus.drawn import MAX_DRAWS
from consens.ensemble import Ensemble, read_only
from consens.generate import MixedEnsemble
from consens.generate._label import label_rows
from consens.generate.mixed import MEMBER_KINDS, MEMBERS_IN_TURN
from consens.measure.evenness import normalized_entropy

_logger = logging.getLogger("consens")

#: Objects that members are trained on at most, and objects that all members label.
WORKING_OBJECTS = 10_000
COMPARED_OBJECTS = 3_000

RACE_OBJECTS = 1000  # objects on which recipes compete
MARGIN = 0.1  # the first recipe answers unless the draws of another one agree more by this much

#: Standard deviation of the difference between the agreements of two fits, and races with it.
AGREEMENT_NOISE = 0.06
N_RACES = 2000

#: Kinds with less of the largest support are not mixed with others, and do not win alone.
MIN_SUPPORT = 0.7

DRAWS_OF_KIND = 40  # draws of each kind when recipes compete
DRAWS_FOR_EM = 8  # of these, draws from which EM starts

#: Members of all kinds at first, and at most; a kind that wins alone has at most half as many.
FIRST_MEMBERS = 64
MOST_MEMBERS = 512

ENOUGH = 0.98  # agreement of the halves of the members that is enough
LABELLERS = 32  # members that label the objects that are not compared

MIXED = "mixed"


class RecipeScore(NamedTuple):
    """A recipe and how well its draws agree.

    ``agreement`` is the mean adjusted Rand index of draws of one half of the members with draws of
    the other half, ``evenness`` the mean normalised entropy of their cluster sizes.  ``support``
    tells how far other kinds agree with a kind, see `mutual_support`; it is 1 for recipes that are
    not one of several kinds.
    """

    name: str
    agreement: float
    evenness: float
    chosen: bool
    support: float = 1.0


#: Scores of recipes, and the fitted draws of each.
Judged: TypeAlias = tuple[list[RecipeScore], dict[str, DrawnConsensus]]


def judge(
    pools: Mapping[str, tuple[Ensemble, Any]],
    n_clusters: int,
    random_state: Seed,
    n_jobs: int | None = None,
    n_draws: int | None = None,
) -> Judged:
    """Score recipes by the agreement of their draws.

    Parameters
    ----------
    pools : mapping of str to (ensemble, consensus)
        The members of each recipe and the method that combines a draw.
    n_clusters : int
    random_state : int, RandomState or None
    n_jobs, n_draws : int, optional
        As in `DrawnConsensus`.

    Returns
    -------
    list of RecipeScore, and the fitted draws of each recipe
    """
    found, fitted = [], {}
    for name, (members, consensus) in pools.items():
        drawn = DrawnConsensus(
            min(n_clusters, len(np.unique(members.matrix, axis=0))),
            consensus=consensus,
            n_draws=n_draws,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        with repeated(len(pools)):
            fitted[name] = drawn.fit(members)
        draws = _draws(drawn)
        # too few members to draw from give a single draw, which agrees with nothing
        agreement = _mean_ari(draws[::2], draws[1::2]) if len(draws) > 1 else 0.0
        evenness = float(normalized_entropy(drawn.draws_).mean())
        found.append(RecipeScore(name, agreement, evenness, False))
        _logger.info("recipe %s: agreement %.3f, evenness %.3f", name, agreement, evenness)
    return found, fitted


def mark_winner(recipes: Sequence[RecipeScore]) -> list[RecipeScore]:
    """Mark the recipe that answers: the first, unless one with support agrees clearly more."""
    supported = [own for own in recipes if own.support >= MIN_SUPPORT]
    best = max(supported, key=lambda own: own.agreement)
    winner = best if best.agreement > recipes[0].agreement + MARGIN else recipes[0]
    return [own._replace(chosen=own is winner) for own in recipes]


def mutual_support(recipes: Sequence[RecipeScore], fitted: Mapping[str, Any]) -> np.ndarray:
    """How far the draws of each recipe agree with those of all, at most 1.

    These are the entries of the leading eigenvector of the mean adjusted Rand indices between
    draws of two recipes, times the fourth root of the evenness of each: recipes that cut off
    fragments agree with themselves, but have little support.  If the errors of recipes are
    independent, the eigenvector orders them by accuracy:
    F. Parisi, F. Strino, B. Nadler and Y. Kluger, "Ranking and combining multiple predictors
    without labeled data", PNAS 111, 2014. doi:10.1073/pnas.1219097111
    """
    draws = [_draws(fitted[own.name]) for own in recipes]
    mutual = np.diag([own.agreement * sqrt(own.evenness) for own in recipes])
    for i, j in combinations(range(len(recipes)), 2):
        even = (recipes[i].evenness * recipes[j].evenness) ** 0.25
        mutual[i, j] = mutual[j, i] = max(0.0, even * _mean_ari(draws[i], draws[j]))
    leading = np.abs(np.linalg.eigh(mutual)[1][:, -1])
    return np.asarray(leading / leading.max())


def _draws(drawn: DrawnConsensus) -> np.ndarray:
    return np.ascontiguousarray(drawn.draws_.matrix.T)


def _mean_ari(left: np.ndarray, right: np.ndarray) -> float:
    from consens._kernels.draws import mutual_ari

    return float(mutual_ari(left, right).mean())


def rivals_of(
    recipes: list[RecipeScore], fitted: Mapping[str, DrawnConsensus], rows: np.ndarray
) -> Rivals:
    """Recipes that a refit may choose instead, with probabilities.

    The agreements in a refit differ from these by normal noise of standard deviation
    `AGREEMENT_NOISE`.
    """
    known = np.array([own.agreement if own.support >= MIN_SUPPORT else -1.0 for own in recipes])
    races = known + np.random.default_rng(0).normal(0.0, AGREEMENT_NOISE, (N_RACES, len(known)))
    winners = np.where(races.max(axis=1) > races[:, 0] + MARGIN, races.argmax(axis=1), 0)
    chances = np.bincount(winners, minlength=len(known)) / N_RACES
    others = [i for i, own in enumerate(recipes) if not own.chosen and chances[i] > 0]
    draws = [fitted[recipes[i].name].draws_.matrix for i in others]
    return Rivals(rows, draws, [float(chances[i]) for i in others])


def compacted(labels: np.ndarray, kinds: Sequence[str] = ()) -> Ensemble:
    """Ensemble of some objects, without the clusters that none of them is in.

    `kinds` are the kinds of the members.
    """
    records = [{"algorithm": kind} for kind in kinds]
    return Ensemble(np.column_stack([compact(column) for column in labels.T]), records)


class Answer(NamedTuple):
    """The recipe that answers, the scores of all, its members and their consensus."""

    recipe: str
    recipes: list[RecipeScore]
    generator: Any
    consensus: DrawnConsensus
    boundaries: Boundaries | None = None


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
        #: The kinds that are mixed.
        self.voters = list(self.kinds)
        #: Numbers of the objects that all members label; None for all.
        self.compared: np.ndarray | None = None
        if X.shape[0] > COMPARED_OBJECTS:
            self.compared = drawn_rows(X.shape[0], COMPARED_OBJECTS, self.draws_seed)
        self.rivals: Rivals | None = None
        #: Number of clusters that is looked for; None while it is being chosen.
        self.n_clusters: int | None = None
        self._trained: dict[Any, Any] = {}

    def generator(self, recipe: str, n_estimators: int) -> MixedEnsemble:
        """Generator of the members of a recipe, which shares what is trained already."""
        made = MixedEnsemble(
            n_estimators=n_estimators,
            kinds=tuple(self.voters) if recipe == MIXED else (recipe,),
            n_clusters=self.n_clusters,
            random_state=self.members_seed,
            n_jobs=self.n_jobs,
        )
        # members that only help to choose a number are not stored, and those to store not shared
        if self.store is None or self.n_clusters is not None:
            made._trained = self._trained
            made.store = self.store
        return made

    @in_one_thread
    def label(self, rows: Any, recipe: str, n_estimators: int) -> np.ndarray:
        """Labels of rows by the first members of a recipe."""
        models = self.generator(recipe, n_estimators)._train(self.X)
        return np.asarray(label_rows(rows, models, self.n_jobs))

    def label_by_kind(self, rows: Any, n_members: int) -> dict[str, np.ndarray]:
        """Labels of rows by the first members of each kind."""
        return {kind: self.label(rows, kind, n_members // len(self.kinds)) for kind in self.kinds}

    @in_one_thread
    def answer(self, n_clusters: int, **options: Any) -> Answer:
        """Let the recipes compete, and grow the one that answers until it knows.

        If the first members, mixed, agree so well that no recipe can be ahead of them, or if
        Gaussians describe the data, they answer.  Otherwise the recipes compete with all members
        that may be made.
        """
        if n_clusters == 1 or len(self.kinds) == 1:
            return self.grow(
                MIXED if len(self.kinds) > 1 else self.kinds[0], n_clusters, **options
            )
        size = FIRST_MEMBERS
        labels = self._race_labels(size)
        recipes, fitted = self._compete(n_clusters, labels, self._score_mixed(n_clusters, labels))
        boundaries = self._find_boundaries(n_clusters, fitted)
        if boundaries is not None:
            recipes = [own._replace(chosen=own.name == MIXED) for own in recipes]
        elif recipes[0].agreement < 1 - MARGIN and size < MOST_MEMBERS:
            size = MOST_MEMBERS
            recipes, fitted = self._compete(n_clusters, self._race_labels(size), None)
        name = next(own.name for own in recipes if own.chosen)
        size = size // len(self.kinds) * (len(self.voters) if name == MIXED else 1)
        if boundaries is None:
            self.rivals = rivals_of(recipes, fitted, self._race_rows())
            if self.compared is not None:
                self.rivals = self.rivals.among(self.compared)
        drawn = fitted[name] if self.X.shape[0] <= RACE_OBJECTS else None
        found = self.grow(name, n_clusters, size, drawn, boundaries, **options)
        return found._replace(recipes=recipes)

    def _find_boundaries(
        self, n_clusters: int, fitted: Mapping[str, DrawnConsensus]
    ) -> Boundaries | None:
        """Find Gaussians that describe the data, from the draws of all recipes."""
        answers = [np.asarray(own.labels_) for own in fitted.values()]
        draws = [own.draws_.matrix.T for own in fitted.values()]
        some = [one for own in draws for one in own[:: ceil(len(own) / DRAWS_FOR_EM)]]
        X = self.X[self._race_rows()]
        found = find_boundaries(X, answers, some, n_clusters, 1 - MARGIN)
        return found and found.refine(self._compared_rows(), n_clusters)

    def _compared_rows(self) -> Any:
        return self.X if self.compared is None else self.X[self.compared]

    def _race_labels(self, n_members: int) -> dict[str, np.ndarray]:
        """Labels of the objects on which recipes compete, by kind of member."""
        return self.label_by_kind(self.X[self._race_rows()], n_members)

    def _score_mixed(self, n_clusters: int, labels: Mapping[str, np.ndarray]) -> Judged:
        """Score the mixture of the kinds that vote."""
        kinds = [np.full((1, labels[kind].shape[1]), kind) for kind in self.voters]
        members = compacted(
            _in_turn([labels[kind] for kind in self.voters]), _in_turn(kinds)[0].tolist()
        )
        return judge({MIXED: (members, None)}, n_clusters, self.draws_seed, self.n_jobs)

    def _compete(
        self, n_clusters: int, labels: Mapping[str, np.ndarray], mixed: Judged | None
    ) -> Judged:
        """Let all recipes compete; unless `mixed` is known, the kinds with support are mixed."""
        pools = {kind: (compacted(own), None) for kind, own in labels.items()}
        recipes, fitted = judge(pools, n_clusters, self.draws_seed, self.n_jobs, DRAWS_OF_KIND)
        support = mutual_support(recipes, fitted).tolist()
        recipes = [own._replace(support=one) for own, one in zip(recipes, support, strict=True)]
        if mixed is None:
            self.voters = [own.name for own in recipes if own.support >= MIN_SUPPORT]
            mixed = self._score_mixed(n_clusters, labels)
        recipes = mark_winner([*mixed[0], *recipes])
        if len(self.voters) == 1:  # nothing is mixed
            recipes = [own._replace(chosen=own.name == self.voters[0]) for own in recipes]
        return recipes, {**mixed[1], **fitted}

    def _race_rows(self) -> np.ndarray:
        return drawn_rows(self.X.shape[0], RACE_OBJECTS, self.draws_seed)

    @in_one_thread
    def grow(
        self,
        recipe: str,
        n_clusters: int,
        n_members: int | None = None,
        drawn: DrawnConsensus | None = None,
        boundaries: Boundaries | None = None,
        **options: Any,
    ) -> Answer:
        """Add members of a recipe until their halves agree, and combine them.

        It starts with `n_members`, of which there may be draws already.  With Gaussian boundaries,
        these are enough.
        """
        # as many of each mixed kind as compete, twice as many of one alone
        mixed = recipe == MIXED
        most = MOST_MEMBERS // len(MEMBER_KINDS) * (len(self.voters) if mixed else 2)
        generator = self.generator(recipe, n_members or FIRST_MEMBERS)
        generator._labelled = self.compared
        ensemble = generator.fit_transform(self.X)
        while True:
            found = self._combine(n_clusters, ensemble, drawn, options)
            if boundaries is not None:
                self._take_boundaries(found, boundaries)
                break
            if not found.agreement_ < ENOUGH or ensemble.shape[1] >= most:
                break
            ensemble = generator._extend(self.X, ensemble, min(2 * ensemble.shape[1], most))
            drawn = None
        _logger.info("%d members, halves agree to %.3f", ensemble.shape[1], found.agreement_)
        generator._trained = generator._labelled = None
        return Answer(recipe, [], generator, found, boundaries)

    def _take_boundaries(self, consensus: DrawnConsensus, boundaries: Boundaries) -> None:
        """Replace the clusters of a consensus of the compared objects."""
        X, (covariance, model, agreement) = self._compared_rows(), boundaries

        def smooth(objects: np.ndarray) -> np.ndarray:
            rows = X[objects]
            with one_thread():
                return draw_boundaries(rows, model.label(rows), covariance).label(rows)

        consensus.take_boundaries(model.label(X), smooth, agreement)

    def _combine(
        self, n_clusters: int, ensemble: Ensemble, before: Any, options: Mapping[str, Any]
    ) -> DrawnConsensus:
        consensus = DrawnConsensus(n_clusters, random_state=self.draws_seed, n_jobs=self.n_jobs)
        consensus.set_params(**options)
        if before is not None:
            consensus.continue_from(before)
        consensus.compete_with(self.rivals)
        return consensus.fit(ensemble)


def fit_samples(
    X: Any,
    compared: np.ndarray | None,
    n_clusters: int,
    recipe: str | None,
    random_state: Seed,
    n_jobs: int | None,
    options: Mapping[str, Any],
) -> Iterator[np.ndarray]:
    """Partitions of the compared objects by fits to nine tenths of all, with other seeds.

    Objects that are not in a sample are missing.
    """
    n = X.shape[0]
    for seed in spawn_seeds(random_state, MOST_FITS):
        rows = drawn_rows(n, ceil(SHARE * n), seed)
        if count_distinct(X[rows], n_clusters) < n_clusters:
            continue
        engine = RecipeEngine(X[rows], seed, n_jobs)
        engine.n_clusters = n_clusters
        places = rows
        if compared is not None:
            _, engine.compared, places = np.intersect1d(rows, compared, return_indices=True)
        again = (
            engine.answer(n_clusters, **options)
            if recipe is None
            else engine.grow(recipe, n_clusters, **options)
        )
        labels = np.full(n if compared is None else len(compared), MISSING, dtype=np.int32)
        labels[places] = again.consensus.labels_
        yield labels


ENOUGH_MEMBERS = 20  # fewest members for which draws are combined; of fewer, `LWEA` combines all

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

    Of 20 members or more, draws are combined by `LWEA` with θ = 0.25 and `CosineLWEA` in turn, or
    by one of them if its draws agree more by 0.1.  Fewer members of at most 50,000 objects
    (10,000 if labels are missing) are combined by `LWEA`.  ``python -m studies.defaults`` compares
    them with other methods.
    """
    n, n_members = ensemble.shape
    if n_members < ENOUGH_MEMBERS:
        stats = label_stats(ensemble.labels)
        most = MAX_QUADRATIC_MISSING if stats.missing or stats.noise else MAX_QUADRATIC
        if n <= most:
            return LWEA(n_clusters), []
    seed = spawn_seeds(random_state, 1)[0]
    drawn = DrawnConsensus(
        n_clusters, consensus=[None, CosineLWEA()], random_state=seed, n_jobs=n_jobs
    )
    if n_members < ENOUGH_MEMBERS or n_clusters == 1:
        return drawn, []
    drawn.set_params(n_draws=MAX_DRAWS)
    rows = drawn_rows(n, RACE_OBJECTS, seed)
    labels = take_rows(ensemble.labels, rows)
    rows, labels = rows[(labels >= 0).any(axis=1)], labels[(labels >= 0).any(axis=1)]
    if len(np.unique(labels, axis=0)) < n_clusters:
        return drawn, []
    members = compacted(labels)
    ways = {MIXED: drawn.consensus, "LWEA": None, "CosineLWEA": CosineLWEA()}
    pools = {name: (members, way) for name, way in ways.items()}
    recipes, fitted = judge(pools, n_clusters, seed, n_jobs)
    recipes = mark_winner(recipes)
    drawn.compete_with(rivals_of(recipes, fitted, rows))
    chosen = next(own.name for own in recipes if own.chosen)
    return drawn.set_params(consensus=ways[chosen]), recipes


def drawn_rows(n: int, most: int, seed: int) -> np.ndarray:
    """Numbers of at most `most` of n objects, drawn at random, in ascending order."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, most, replace=False))


def working_rows(n: int, random_state: Seed) -> np.ndarray:
    """Numbers of the objects that the engine works on."""
    return drawn_rows(n, WORKING_OBJECTS, spawn_seeds(random_state, 1)[0])


def _in_turn(kinds: list[np.ndarray]) -> np.ndarray:
    """Members of several kinds, of equal number, in the order of `generate.MixedEnsemble`."""
    groups = [np.split(own, own.shape[1] // MEMBERS_IN_TURN, axis=1) for own in kinds]
    return np.hstack([own for turn in zip(*groups, strict=True) for own in turn])


def label_others(
    generator: Any, consensus: DrawnConsensus, X: Any, boundaries: Boundaries | None
) -> None:
    """Label all rows of X by a few of the members, and assign them to the clusters."""
    generator.members_ = generator.members_[:LABELLERS]
    generator.set_params(n_estimators=len(generator.members_))
    models: list[Any] = [member.model for member in generator.members_]
    # rows in blocks are read once for all; in memory, the labels need no copy without the last
    smooth = [boundaries.model] if boundaries is not None and in_blocks(X) else []
    widest = max(model.n_clusters for model in [*models, *smooth])
    labels = keep_labels(label_rows(X, [*models, *smooth], generator.n_jobs), widest)
    ensemble = Ensemble(
        read_only(take_columns(labels, np.arange(len(models))) if smooth else labels),
        [member.record for member in generator.members_],
        [member.payload for member in generator.members_],
    )
    smoothed = None
    if boundaries is not None:
        smoothed = take_columns(labels, len(models)) if smooth else boundaries.model.label(X)
    consensus.extend(ensemble, np.arange(len(models)), smoothed)
