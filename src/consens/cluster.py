"""The front door for data: `ConsensusClustering`."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, Self, cast

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from consens._blocks import (
    FeatureMatrix,
    Labels,
    in_blocks,
    load,
    map_rows,
    split_like,
    sum_rows,
    take_rows,
    to_user,
)
from consens._blocks.scaling import SCALES, Scaler
from consens._check import warn_of_scales
from consens._engine import (
    MAX_QUADRATIC,
    MIXED,
    RecipeEngine,
    RecipeScore,
    compacted,
    default_generator,
    drawn_rows,
    fit_samples,
    label_others,
    working_rows,
)
from consens._labels import (
    MISSING,
    NOISE,
    Profiles,
    abstain,
    cluster_shares,
    is_noise,
    likeliest_cluster,
    profiles,
)
from consens._naming import ClusterChange, Earlier, Extents, match_clusters, named_codes
from consens._params import COUNT_RULE, HasMethods, complete_rules, one_of, rules
from consens._support.fitted import NotebookForm, Shrinkable
from consens._support.progress import ProgressDisplay, active_display, announce
from consens._support.seeds import Seed, seeded, spawn_seeds, stage_seeds
from consens._validation import check_features, check_n_clusters, count_distinct
from consens.choose import Choice, choose_n_clusters
from consens.choose.refitting import Partitions
from consens.choose.rule import MAX_OBJECTS
from consens.choose.splits import SplitTree, split_tree
from consens.combination import fit_consensus, named_method
from consens.consensus import can_choose
from consens.consensus._refits import Stability
from consens.ensemble import Ensemble
from consens.generate.mixed import MEMBER_KINDS
from consens.generate.mixtures import MixtureModel

MAX_MEASURED = 100_000  # objects that measure how far clusters extend

#: Objects of the tree of splits, and their values (160 MB), of 200 objects at least.
SPLIT_OBJECTS = 600
MAX_VALUES = 20_000_000
MIN_SAMPLE = 200

#: Stage of the choice of a number of clusters, and the members of all kinds that decide on it.
CHOICE = "choice of k"
CHOOSING_MEMBERS = 128

_logger = logging.getLogger("consens")


class Within(NamedTuple):
    """A cluster of an earlier result that was split further.

    ``rows`` are the numbers of its objects among the ``n_objects`` of that result.
    """

    name: str
    n_objects: int
    rows: np.ndarray


@complete_rules
class ConsensusClustering(Shrinkable, NotebookForm, ClusterMixin, BaseEstimator):
    """Cluster data by the consensus of many clusterings of it.

    Members of several kinds cluster the data many times.  The kind whose random draws of members
    agree most with each other answers: a structure that is there is found again, one that a method
    imposes is not.  Each object gets the probability that another sample would give the same
    answer.

    Features are used as they are unless `scale` is given, as scikit-learn's clusterers do; the
    command line scales by "standard" unless told otherwise.

    Parameters
    ----------
    n_clusters : int, optional
        None tries 1 to `max_clusters` and chooses (see Notes), or lets a given `consensus`
        decide if it can.
    generator : transformer from X to an Ensemble, optional
        Makes the members instead of the recipes.  If only a `consensus` is given, its own default:
        `generate.KMeansEnsemble()`, or for a method on weighted clusters (`WSPA`, `WBPA`,
        `WSBPA`) `generate.LACEnsemble(n_clusters)`.
    selector : feature selector on the label matrix, optional
    consensus : consensus estimator or its name, such as "eac", optional
        Combines the members instead of the recipes.  If only a generator or selector is given,
        `DrawnConsensus`, or `LWEA` for fewer than 20 members of up to 50,000
        objects.  One whose ``fit`` takes `features` gets X as well.
    recipe : {"mixed", "kmeans", "spectral", "mixture", "tree"}, optional
        Kind of the members, see `generate.MixedEnsemble`; "mixed" uses all kinds together.  By
        default the one whose draws agree most (see Notes).  Excludes the three stages above.
    max_clusters : int, optional
        Largest number of clusters to try.  By default 15 or ⌊√n⌋, whichever is smaller; more, up
        to 30, if all members have more clusters.
    random_state : int, RandomState or None
        Seeds every stage that has no seed of its own.
    n_jobs : int, optional
        For stages that take it and do not set it themselves.
    scale : {"standard", "robust", "minmax", "log", "auto", "none"}, optional
        How to scale features, also in ``predict``: to mean 0 and variance 1, by median and
        quartiles, or to the range 0 to 1.  "log" takes log(1 + x) of features without negative
        values before it scales as "standard", "auto" only of skewed ones; `scaling_` lists them.
        Columns of two values beside others weigh as categories do, see `TableFeatures`.
        By default features are used as they are, as by "none", but with a warning when their
        standard deviations differ more than 100-fold.
    noise : {"keep", "assign"}, optional
        What becomes of objects that more than half of the members call noise: they stay noise
        (-1), or go to the cluster they are associated with most.  By default as `consensus` says,
        or else "keep".
    settle : bool, optional
        Whether an object moves to another cluster if it is more than twice as often together with
        the objects of that one as with those of its own, until none does.  By default as
        `consensus` says, or else False.
    store : path, optional
        Folder in which the members of recipes are saved, see `generate.MixedEnsemble`.
    verbose : bool
        Show on standard error how far the stages of a fit are.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
    n_clusters_ : int
    names_ : list of str
        Names of the clusters: those of an earlier model (see ``fit``), those that all members use,
        or else numbers.
    changes_ : list of ClusterChange or None
        With `names_from` of ``fit``: what became of the clusters of the earlier model.
    within_ : Within or None
        After ``fit_within``: the cluster of the earlier model, and its ``rows``.
    n_noise_ : int
        Number of objects that are noise.
    memberships_ : ndarray of shape (n, n_clusters_)
        How far each object belongs to each cluster; rows sum to 1, those of noise to 0.
    confidence_ : ndarray of shape (n,)
        Probability that a fit of another sample of the same data with other members, and the same
        number of clusters, puts the object in the same cluster (clusters matched one-to-one by
        overlap).  It takes account of recipes that nearly won.  Fits of samples, made when it is
        first read, tell the scale: 4 to 10 (from 6 on if the answer needed more than 128
        members), until the standard error of their mean agreement is 0.02; of more than 1,000
        objects 1 to 3.  A `consensus` of your own is refitted to resampled members.
    stability_ : Stability
        Expected adjusted Rand index with such a fit (``ari``), the range of nine in ten of them
        (``interval``), and for each cluster the expected Jaccard coefficient with its best match
        (``clusters``): above 0.85 it is stable, below 0.6 dissolved (``words``).
    recipe_ : str or None
        The recipe that answered; None if a stage was given.
    recipes_ : list of RecipeScore
        Name, agreement of draws, evenness of cluster sizes and support by other kinds of every
        recipe that competed, and whether it was chosen.
    boundaries_ : str or None
        What draws the boundaries between the clusters: "members", or Gaussians that describe the
        clusters better, by their covariances: "ball" (one variance), "spherical" (one per
        cluster), "diag" (one per cluster and feature), "tied" (one matrix) or "full" (one per
        cluster).  None if a stage was given.

        .. versionadded:: 0.1
    agreement_ : float or None
        Adjusted Rand index between the answers of two halves of the members, or between likely
        mixtures from different starts.
    ensemble_ : Ensemble
        The partitions that were combined.
    scaler_ : callable or None
        What scales the features.
    scaling_ : dict of str to str
        How each feature is scaled: "standard", "robust", "minmax", "log" (log(1 + x), then
        "standard") or "none".
    generator_, selector_, consensus_ : the fitted stages
    results_ : Choice or None
        When the number of clusters was chosen: its ``reason``, up to three ``candidates`` and a
        ``table`` of criteria; ``results_.labels[k]`` is the partition into k clusters.
    tree_ : SplitTree
        Clusters inside clusters of at most 600 objects (`consens.choose.splits.split_tree`): a
        second opinion on the number of clusters, which does not depend on the members.

    Notes
    -----
    64 mixed members answer if their draws agree so well that no kind can be ahead.  Otherwise 128
    members of each kind compete on at most 1,000 objects by the agreement of 40 draws, which
    `LWEA` combines: the mean adjusted Rand index of draws of two halves of the members.  Kinds
    with less than 0.7 of the support of the best, their entry in the leading eigenvector of the
    mean indices between kinds, times the evenness of cluster sizes, are left out.
    The others answer, mixed, unless the draws of one of them alone agree more by 0.1.
    `DrawnConsensus` combines 64 to 512 members, until the answers of two halves agree to 0.98.

    Gaussians, one for each cluster, answer instead if they predict held-out objects better than
    any mixture of two or four times the size, by five folds of at most 1,000 objects, and if the
    likeliest quarter of the mixtures that EM finds from draws of the first 64 members agree to
    0.9.  Of more than 20 features they see 20 principal components.

    All of this happens on at most 10,000 objects.  Of more, a random sample decides on the
    clusters; 32 of the members, or the mixture, label all objects, as in ``predict``.

    The number of clusters is chosen by `consens.choose.choose_n_clusters` from the first 32
    members of each kind, on at most 1,000 objects.  Where they do not see several clusters, the
    first split of `tree_` decides whether there is more than one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consens import ConsensusClustering
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConsensusClustering(n_clusters=3, random_state=0).fit(X)
    >>> model.labels_[:5]
    array([0, 0, 0, 0, 0], dtype=int32)
    >>> model.predict(X[:1])
    array([0], dtype=int32)
    """

    _gaussians: MixtureModel | None = None
    _parameter_constraints = rules(
        n_clusters=[*COUNT_RULE, None],
        generator=[HasMethods(["fit", "transform"]), None],
        selector=[HasMethods(["fit", "transform"]), None],
        consensus=[HasMethods(["fit_predict"]), str, None],
        recipe=[*one_of(MIXED, *MEMBER_KINDS), None],
        store=[str, Path, None],
        max_clusters=[*COUNT_RULE, None],
        scale=[*one_of(*SCALES), None],
        noise=[*one_of("keep", "assign"), None],
        settle=["boolean", None],
        verbose=["boolean"],
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        generator: BaseEstimator | None = None,
        selector: BaseEstimator | None = None,
        consensus: BaseEstimator | str | None = None,
        recipe: str | None = None,
        max_clusters: int | None = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        scale: str | None = None,
        noise: str | None = None,
        settle: bool | None = None,
        store: str | Path | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.generator = generator
        self.selector = selector
        self.consensus = consensus
        self.recipe = recipe
        self.max_clusters = max_clusters
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.scale = scale
        self.noise = noise
        self.settle = settle
        self.store = store
        self.verbose = verbose

    def stages(self) -> list[str]:
        """Stages of a fit, in the order in which they are announced."""
        chooses = self.n_clusters is None and not can_choose(self._given_consensus())
        selection = [] if self.selector is None else ["selection"]
        return ["members", *selection, *([CHOICE] if chooses else []), "consensus"]

    def fit(
        self,
        X: FeatureMatrix,
        y: object = None,
        *,
        names_from: BaseEstimator | Labels | None = None,
    ) -> Self:
        """Generate partitions of X and combine them.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, d)
            Also a collection in blocks, such as a Dask array or data frame; `labels_` and
            `confidence_` then have the same blocks.
        y : ignored
        names_from : fitted clusterer with ``predict``, or n labels, optional
            An earlier model, which assigns the rows of X to its clusters, or earlier labels or
            names of these rows; None, NaN and -1 stand for rows without one.  Clusters are matched
            one-to-one so that as many rows as possible stay in theirs, and keep their numbers and
            names; `changes_` lists what else happened.  A group of rows far beyond the earlier
            clusters is new only to a model of a dense array; see "From an export to segments".

            .. versionadded:: 0.1

        Returns
        -------
        self
        """
        self._validate_params()
        if not self.verbose or active_display() is not None:
            return self._fit(X, names_from)
        with ProgressDisplay(self.stages()):
            return self._fit(X, names_from)

    def fit_within(self, X: FeatureMatrix, cluster: int | str, **params: Any) -> Self:
        """Split one cluster further: cluster its objects on their own.

        Parameters
        ----------
        X : array-like, data frame or CSR matrix of shape (n, d)
            The rows that this model was fitted to.
        cluster : int or str
            Number or name of the cluster.
        **params
            Parameters of the new model that differ from those of this one.  Its `n_clusters` is
            None, unless given.

        Returns
        -------
        ConsensusClustering
            A new model, fitted to the objects of the cluster; ``within_.rows`` says which rows of
            X they are.

            .. versionadded:: 0.1

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from consens import ConsensusClustering
        >>> X = load_iris().data
        >>> model = ConsensusClustering(2, random_state=0).fit(X)
        >>> inner = model.fit_within(X, 1, n_clusters=2)
        >>> inner.within_.name, inner.within_.rows[inner.labels_ == 0][:3]
        ('1', array([50, 51, 52]))
        """
        check_is_fitted(self)
        labels, names = np.asarray(self.labels_), self.names_
        number = names.index(cluster) if isinstance(cluster, str) and cluster in names else cluster
        if number not in range(self.n_clusters_):
            raise ValueError(
                f"cluster={cluster!r}; expected one of the names {names}, or a number from 0 to "
                f"{self.n_clusters_ - 1}"
            )
        rows = np.flatnonzero(labels == number)
        features: Any = X if hasattr(X, "shape") else np.asarray(X)
        n = features.shape[0]
        if n != len(labels):
            raise ValueError(f"X has {n} rows, but the model was fitted to {len(labels)}")
        inner = clone(self).set_params(**{"n_clusters": None, **params})
        inner.fit(features.iloc[rows] if hasattr(features, "iloc") else features[rows])
        inner.within_ = Within(names[int(number)], n, rows)
        return cast(Self, inner)

    def _fit(self, X: Any, names_from: Any) -> Self:
        self.within_: Within | None = None
        self.boundaries_: str | None = None
        self._gaussians = None
        earlier = None if names_from is None else _earlier_clusters(names_from, X)
        X = rows = check_features(self, X, accept_sparse=True)
        seeds = stage_seeds(self.random_state)
        sample = working_rows(X.shape[0], seeds["generator"])
        given = self.generator, self.selector, self.consensus
        self.scaler_ = None
        if self.scale is None:
            warn_of_scales(X, getattr(self, "feature_names_in_", None))
        elif self.scale != "none":
            self.scaler_ = Scaler.fit(X, self.scale, sample)
            X = self.scaler_(X)
        if all(stage is None for stage in given):
            self._run_engine(X, sample, seeds)
        elif self.recipe is not None:
            raise ValueError(
                f"recipe={self.recipe!r} excludes a generator, selector or consensus of your own; "
                "leave one of them out"
            )
        else:
            self._run_stages(X, seeds)
        self.ensemble_ = self.consensus_.ensemble_
        self.n_clusters_ = self.consensus_.n_clusters_
        self.n_noise_ = getattr(self.consensus_, "n_noise_", 0)
        self._noise: str = getattr(self.consensus_, "noise", "keep")
        self._keep_names(earlier)
        labels = self.consensus_.labels_
        self._profiles = profiles(abstain(self.ensemble_.labels), labels, self.n_clusters_)
        self.labels_ = to_user(split_like(labels, rows))
        self._extents = _extents(rows, self.labels_, self.n_clusters_)
        shape = len(labels), self.ensemble_.shape[1]
        _logger.info("%d clusters of %d objects from %d members", self.n_clusters_, *shape)
        return self

    def _keep_names(self, earlier: Earlier | None) -> None:
        """Give clusters the numbers and names of earlier ones that they continue."""
        self.changes_: list[ClusterChange] | None = None
        self._used_names: list[str] = []
        self.__dict__.pop("names_", None)
        if earlier is None:
            return
        labels, k = self.consensus_.labels_, self.n_clusters_
        shape = len(earlier.names) + 1, k + 1

        def count(own: np.ndarray, before: np.ndarray) -> np.ndarray:
            table = np.zeros(shape, dtype=np.int64)
            np.add.at(table, (np.maximum(before, -1), np.maximum(own, -1)), 1)
            return table

        table = sum_rows(count, labels, split_like(earlier.labels, labels))
        numbers, names, self.changes_ = match_clusters(table, earlier)
        if hasattr(self.consensus_, "renumber"):
            self.consensus_.renumber(numbers)
            if self._gaussians is not None:
                self._gaussians = self._gaussians.keep(np.argsort(numbers))
        else:  # not a method of this package
            self.consensus_.labels_ = np.append(numbers, [MISSING, NOISE])[labels]
        self.consensus_.names_ = names
        self.__dict__["names_"] = names
        self._used_names = sorted({*earlier.names, *earlier.used, *names})
        self._set_choice(self.results_)  # with the new numbers

    def _run_engine(self, X: Any, rows: np.ndarray, seeds: dict[str, int]) -> None:
        """Let recipes compete on some rows of X, and fit the one whose draws agree most."""
        announce("members")
        objects = X if not in_blocks(X) and len(rows) == X.shape[0] else take_rows(X, rows)
        self._check_distinct(objects, X)
        self._set_split_sample(objects, rows, seeds["choice"])
        engine = RecipeEngine(objects, seeds["generator"], self.n_jobs, self.store)
        n_clusters, choice = self.n_clusters, None
        if n_clusters is None:
            choice = self._choose(objects, engine, seeds["choice"])
            n_clusters = choice.n_clusters
            _logger.info("choice of k: %d, %s", n_clusters, choice.rule)
        engine.n_clusters = n_clusters
        announce("consensus")
        options = self._options()
        found = (
            engine.answer(n_clusters, **options)
            if self.recipe is None
            else engine.grow(self.recipe, n_clusters, **options)
        )
        self.recipes_: list[RecipeScore] = found.recipes
        self.recipe_: str | None = found.recipe
        self.selector_ = None
        self.generator_, self.consensus_ = found.generator, found.consensus
        self.agreement_: float | None = self.consensus_.agreement_
        if n_clusters > 1:
            what = objects, engine.compared, n_clusters, self.recipe
            how = seeds["consensus"], self.n_jobs, options
            self.consensus_.judge_by(partial(fit_samples, *what, *how))
        if len(self.consensus_.labels_) < X.shape[0]:
            label_others(self.generator_, self.consensus_, X, found.boundaries)
        self.boundaries_ = "members"
        if found.boundaries is not None:
            self.boundaries_, self._gaussians, _ = found.boundaries
        self._set_choice(choice)

    def _run_stages(self, X: Any, seeds: dict[str, int]) -> None:
        """Fit the stages that the user gave, with defaults for the others."""
        announce("members")
        self.recipe_ = None
        if self.consensus is None and X.shape[0] <= MAX_QUADRATIC:
            X = load(X)
        self._check_distinct(X, X)
        self._set_split_sample(X, np.arange(X.shape[0]), seeds["choice"])
        self.generator_, self.selector_, ensemble = self._members(
            X, [seeds["generator"], seeds["selector"]]
        )
        self.consensus_ = fit_consensus(
            ensemble,
            self._given_consensus(),
            self.n_clusters,
            seeds,
            self._options(),
            n_jobs=self.n_jobs,
            features=X,
            choose=lambda: self.choose(X, ensemble, seeds["choice"]),
        )
        self.recipes_ = self.consensus_.recipes_
        if not hasattr(self.consensus_, "ensemble_"):  # not a method of this package
            self.consensus_.ensemble_ = ensemble
        self.agreement_ = getattr(self.consensus_, "agreement_", None)
        self._set_choice(self.consensus_.__dict__.get("results_"))

    def _options(self) -> dict[str, Any]:
        """Parameters of the consensus that are given here."""
        given = {"noise": self.noise, "settle": self.settle}
        return {name: value for name, value in given.items() if value is not None}

    def _check_distinct(self, sample: Any, X: Any) -> None:
        """Check the number of clusters against the objects of a sample, or else against all."""
        k = self.n_clusters
        if k is not None and count_distinct(sample, k) < k:
            check_n_clusters(k, count_distinct(X, k))

    def _set_split_sample(self, X: Any, numbers: np.ndarray, seed: int) -> None:
        """Keep the objects of `tree_`; `numbers` are those of the rows of X among all."""
        self.__dict__.pop("tree_", None)
        n, d = X.shape
        rows = drawn_rows(n, min(SPLIT_OBJECTS, max(MIN_SAMPLE, MAX_VALUES // d)), seed)
        sample = take_rows(X, rows)
        sample = sample.toarray() if issparse(sample) else sample
        self._split_sample = (sample, numbers[rows], seed)

    @cached_property
    def tree_(self) -> SplitTree:
        """Clusters inside clusters, with a test of each split."""
        check_is_fitted(self)
        X, numbers, seed = self._split_sample
        return split_tree(X, random_state=seed).renumbered(numbers)

    def _first_split(self) -> SplitTree:
        X, _, seed = self._split_sample
        return split_tree(X, first_only=True, random_state=seed)

    def _set_choice(self, choice: Choice | None) -> None:
        self.results_ = None
        if choice is not None:
            partitions = Partitions(self.consensus_, choice.numbers)
            self.results_ = replace(choice, labels=partitions)

    def _choose(self, objects: Any, engine: RecipeEngine, seed: int) -> Choice:
        """Choose the number of clusters from the first members of each kind."""
        seeds = spawn_seeds(seed, 2)
        rows = drawn_rows(objects.shape[0], MAX_OBJECTS, seeds[0])
        labels = engine.label_by_kind(objects[rows], CHOOSING_MEMBERS)
        kinds = [kind for kind, own in labels.items() for _ in own.T]
        return self._choose_from(compacted(np.hstack([*labels.values()]), kinds), seeds[1])

    def _choose_from(self, ensemble: Ensemble, seed: int) -> Choice:
        return choose_n_clusters(
            ensemble, split=self._first_split, max_clusters=self.max_clusters, random_state=seed
        )

    def predict(self, X: FeatureMatrix) -> np.ndarray:
        """Assign new rows to the clusters.

        The members label the rows.  Each label stands for the clusters in proportion to the share
        of each that carries it, and a row goes to the cluster with the largest mean share.  Where
        Gaussians draw the boundaries (`boundaries_`), a row goes to the likeliest one.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_new, d)

        Returns
        -------
        ndarray of shape (n_new,)
            -1 for rows that most members call noise.
        """
        return self._judge(_predicted, X, dtype=np.int32)

    def predict_proba(self, X: FeatureMatrix) -> np.ndarray:
        """Share of each cluster in what the members say about new rows, or its posterior.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_new, d)

        Returns
        -------
        ndarray of shape (n_new, n_clusters_)
            Rows sum to 1; those of rows that `predict` calls noise hold 0.  The largest entry
            is that of the cluster of `predict`.
        """
        check_is_fitted(self)
        return self._judge(_probabilities, X, width=self.n_clusters_)

    def _judge(self, function: Any, X: Any, **kind: Any) -> Any:
        """Apply a function to the labels that the members give to new rows."""
        check_is_fitted(self)
        X = check_features(self, X, reset=False, accept_sparse=True)
        if self.scaler_ is not None:
            X = self.scaler_(X)
        if self._gaussians is not None:
            label, share = self._gaussians.label, self._gaussians.memberships
            return to_user(share(X) if "width" in kind else label(X))
        ensemble = self.generator_.transform(X)
        if self.selector_ is not None:
            ensemble = self.selector_.transform(ensemble)
        labels = _as_ensemble(ensemble).labels
        spread = self._profiles
        width = 24 * (len(spread.sizes) + labels.shape[1])
        judge = partial(function, spread=spread, noise=self._noise)
        return to_user(map_rows(judge, labels, bytes_per_row=width, **kind))

    @property
    def scaling_(self) -> dict[str, str]:
        """How each feature is scaled."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", range(self.n_features_in_))
        if self.scaler_ is None:
            return dict.fromkeys(map(str, names), "none")
        return self.scaler_.by_feature(names)

    @property
    def confidence_(self) -> np.ndarray:
        """Probability that a refit puts each object in the same cluster."""
        check_is_fitted(self)
        if "confidence_" in vars(self):  # of a saved model
            return vars(self)["confidence_"]
        return to_user(split_like(self.consensus_.confidence_, self.labels_))

    @property
    def names_(self) -> list[str]:
        """Names of the clusters."""
        check_is_fitted(self)
        if "names_" in vars(self):  # of an earlier or a saved model
            return list(vars(self)["names_"])
        numbers = [str(cluster) for cluster in range(self.n_clusters_)]
        return getattr(self.consensus_, "names_", numbers)

    def without_members(self) -> Self:
        """Copy the model with what ``predict`` needs, as `consens.save` does."""
        kept = super().without_members()
        kept.__dict__["names_"] = list(self.names_)
        return kept

    @property
    def stability_(self) -> Stability:
        """How far a refit would give the same clusters."""
        check_is_fitted(self)
        if "stability_" in vars(self):  # of a saved model
            return cast(Stability, vars(self)["stability_"])
        found: Stability = self.consensus_.stability_
        return found

    @property
    def memberships_(self) -> np.ndarray:
        """How far each object belongs to each cluster; rows sum to 1, those of noise to 0."""
        check_is_fitted(self)
        return to_user(split_like(self.consensus_.memberships_, self.labels_))

    def _given_consensus(self) -> Any:
        given = self.consensus
        return named_method(given) if isinstance(given, str) else given

    def _members(self, X: Any, seeds: list[int]) -> tuple[Any, Any, Ensemble]:
        """Fit generator and selector, and return them with their ensemble."""
        given = self.generator or default_generator(self._given_consensus(), self.n_clusters)
        generator = seeded(given, seeds[0], self.n_jobs)
        ensemble = _as_ensemble(generator.fit_transform(X))
        _logger.info("%s: %d members", type(generator).__name__, ensemble.shape[1])
        if self.selector is None:
            return generator, None, ensemble
        announce("selection")
        selector = seeded(self.selector, seeds[1], self.n_jobs).fit(ensemble)
        selected = _as_ensemble(selector.transform(ensemble))
        _logger.info("%s: %d members kept", type(selector).__name__, selected.shape[1])
        return generator, selector, selected

    def choose(self, X: np.ndarray | csr_matrix, ensemble: Ensemble, random_state: int) -> Choice:
        """Choose the number of clusters of an ensemble that generator and selector made of X.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, d)
        ensemble : Ensemble of shape (n, M)
        random_state : int

        Returns
        -------
        Choice
        """
        n = X.shape[0]
        self._set_split_sample(X, np.arange(n), random_state)
        seeds = spawn_seeds(random_state, 2)
        rows = drawn_rows(n, MAX_OBJECTS, seeds[0])
        sample = Ensemble(take_rows(ensemble.labels, rows), ensemble.records)
        return self._choose_from(sample, seeds[1])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _earlier_clusters(names_from: Any, X: Any) -> Earlier:
    """Assign the rows of X to the clusters of an earlier model, or read earlier labels."""
    if isinstance(names_from, Earlier):
        return names_from
    if not hasattr(names_from, "predict"):
        try:
            return Earlier(*named_codes(names_from, X.shape[0] if hasattr(X, "shape") else len(X)))
        except ValueError as error:
            raise ValueError(f"names_from: {error}") from None
    model = names_from[-1] if hasattr(names_from, "steps") else names_from
    check_is_fitted(model)
    try:
        labels = names_from.predict(X)
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"names_from cannot label the rows of X: {str(error).rstrip('.')}; give a model of "
            "the same features, or earlier labels of these rows"
        ) from error
    features = X if model is names_from else names_from[:-1].transform(X)
    return earlier_clusters(model, labels, features)


def _extents(X: Any, labels: Any, n_clusters: int) -> Extents | None:
    """Measure where clusters lie by up to 100,000 rows; None for sparse rows and for blocks."""
    if not isinstance(X, np.ndarray) or not (labels >= 0).any():
        return None
    rows = np.linspace(0, len(X) - 1, min(len(X), MAX_MEASURED)).astype(np.intp)
    return Extents.of(X[rows], labels[rows], n_clusters)


def earlier_clusters(model: Any, labels: Any, X: Any) -> Earlier:
    """Describe the clusters of an earlier model by the labels that it predicts for new rows."""
    old, names = getattr(model, "labels_", None), getattr(model, "names_", None)
    extents = getattr(model, "_extents", None)
    if extents is not None and isinstance(labels, np.ndarray) and (labels >= 0).any():
        values = np.asarray(X, dtype=np.float64)
        labels = np.where(extents.beyond(values, np.maximum(labels, 0)), MISSING, labels)
    if names is None:
        most = max(int(np.max(own, initial=-1)) for own in (old, labels) if own is not None)
        names = [str(cluster) for cluster in range(most + 1)]
    return Earlier(labels, names, getattr(model, "_used_names", ()))


def _as_ensemble(labels: Any) -> Ensemble:
    """Wrap the labels of a foreign transformer without renumbering, which `predict` relies on."""
    if isinstance(labels, Ensemble):
        return labels
    labels = np.asarray(labels)
    if labels.dtype.kind not in "iu":
        raise ValueError(
            f"the generator gave {labels.dtype} values instead of integer labels; it must "
            "turn X into an n x M matrix of labels, as those of consens.generate do"
        )
    return Ensemble(labels)


def _predicted(labels: np.ndarray, spread: Profiles, noise: str) -> np.ndarray:
    found = likeliest_cluster(labels, spread)
    return np.where(is_noise(labels), NOISE, found) if noise == "keep" else found


def _probabilities(labels: np.ndarray, spread: Profiles, noise: str) -> np.ndarray:
    shares = cluster_shares(labels, spread)
    shares[_predicted(labels, spread, noise) < 0] = 0.0
    return shares
