"""Members from any scikit-learn clusterer, on all objects and features or on subsets."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse
from scipy.spatial import KDTree
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import BisectingKMeans, KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from sklearn.utils import InputTags, Tags, get_tags

from consens._labels import MISSING, NOISE
from consens._numerics.nearest import nearest
from consens._params import COUNT_RULE, SIZE_RULE, one_of, rules
from consens._support.seeds import Seed, spawn_seeds
from consens.generate._base import BaseGenerator
from consens.generate._plan import Model, Plan, Sample, Trained
from consens.generate._sizes import draw, sample_size

MAX_DEFAULT_CLUSTERS = 50
MAX_TREE_FEATURES = 15  # with more, a k-d tree visits most of its leaves


class EstimatorEnsemble(BaseGenerator):
    """Run any clusterers, each member with its own seed, objects and features.

    Members differ in their algorithm, their random start, the objects (`max_samples`) and the
    features (`max_features`) that they see.  Anything with ``fit_predict`` (or ``fit`` and
    ``labels_``) is a clusterer, including a `Pipeline` that ends in one.

    Parameters
    ----------
    estimators : clusterer, list of clusterers or None, default=None
        None means `KMeans` and `BisectingKMeans` with ⌈√n⌉ clusters, 50 at most, and a
        `GaussianMixture` of as many components with diagonal covariances.
    n_estimators : int or None, default=None
        Number of members M; member m uses estimator m modulo the length of the list.
    max_samples : int, float, "bootstrap" or None, default=None
        Number, or share, of the objects that a member sees; "bootstrap" draws n with replacement.
    max_features : int, float or None, default=None
        Number, or share, of the features that a member sees.
    fill : {"predict", "missing"}, default="predict"
        Label of objects that the member has not seen: the prediction of the estimator (the
        label of the nearest seen object if it cannot predict), or `MISSING`.
    random_state : int, RandomState or None, default=None
        Each member replaces every ``random_state`` inside its estimator by a seed of its own.
    {jobs_and_store}

    {generator_attributes}

    Notes
    -----
    Negative labels, such as the noise of `DBSCAN`, become `NOISE`, and so do rows predicted to be
    in a cluster without objects of the fit.  `transform` always predicts.  Estimators see plain
    arrays, and a `ConvergenceWarning` is suppressed.

    Cost and memory are those of the M runs; labelling by the nearest of s seen objects costs
    O(n·log s) with few features and O(n·s·d) with more than 15.

    {fred_jain_2005}

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import DBSCAN, KMeans
    >>> from consens.generate import EstimatorEnsemble
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1], [99.0]])
    >>> clusterers = [KMeans(2, n_init=1), DBSCAN(eps=1.0, min_samples=2)]
    >>> E = EstimatorEnsemble(clusterers, random_state=0).fit_transform(X)
    >>> E.labels[:, 1]
    array([ 0,  0,  1,  1, -1], dtype=int32)
    >>> list(E.members["algorithm"])
    ['KMeans', 'DBSCAN']
    """

    _parameter_constraints = rules(
        estimators="no_validation",
        n_estimators=[*COUNT_RULE, None],
        max_features=SIZE_RULE,
        fill=one_of("predict", "missing"),
    )
    _in_blocks = False

    def __init__(
        self,
        estimators: BaseEstimator | Sequence[BaseEstimator] | None = None,
        *,
        n_estimators: int | None = None,
        max_samples: int | float | str | None = None,
        max_features: int | float | None = None,
        fill: str = "predict",
        random_state: Seed = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
    ) -> None:
        self.estimators = estimators
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.fill = fill
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store

    def _plans(self, X: Any) -> list[Plan]:
        n, d = X.shape
        n_samples = sample_size("max_samples", self.max_samples, n, "objects")
        n_features = sample_size("max_features", self.max_features, d, "features")
        estimators = self._listed(n if n_samples is None else n_samples)
        if not estimators:
            raise ValueError("estimators=[] is empty; give at least one clusterer, or None")
        for m, estimator in enumerate(estimators):
            _check_clusterer(f"estimators[{m}]", estimator)
        plans = []
        for m, seed in enumerate(
            spawn_seeds(self.random_state, self.n_estimators or len(estimators))
        ):
            estimator = _with_seed(clone(estimators[m % len(estimators)]), seed)
            seen = Sample(np.random.default_rng(seed), n, n_samples)
            features = draw(seen.draw()[1], d, n_features)
            parameters = {
                name: value if isinstance(value, str | int | float | None) else repr(value)
                for name, value in estimator.get_params(deep=False).items()
            }
            parameters |= {"max_samples": len(seen), "max_features": n_features or d}
            fit = partial(
                fit_clusterer, estimator=estimator, seen=seen, features=features, fill=self.fill
            )
            # the fit labels unseen objects as well, so it needs all rows
            everything = Sample(np.random.default_rng(seed), n, None)
            plans.append(Plan(fit, type(estimator).__name__, seed, everything, parameters))
        return plans

    def _listed(self, n: int) -> list[Any]:
        if self.estimators is None:
            k = min(ceil(sqrt(n)), MAX_DEFAULT_CLUSTERS)
            return [
                KMeans(k, init="random", n_init=1),
                BisectingKMeans(k),
                GaussianMixture(k, covariance_type="diag"),
            ]
        if isinstance(self.estimators, tuple | list):
            return list(self.estimators)
        return [self.estimators]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inputs = [_input_tags(estimator) for estimator in self._listed(1)]
        tags.input_tags.sparse = all(tag is None or tag.sparse for tag in inputs)
        return tags


@dataclass(frozen=True)
class FittedClusterer(Model):
    """A member that predicts with its estimator, or with the nearest object it was fitted on."""

    estimator: Any
    features: np.ndarray | None
    clusters: np.ndarray  # the estimator's numbers of clusters 0, 1, ...
    objects: Any  # training objects and their labels; None if the estimator can predict
    object_numbers: np.ndarray | None

    def label(self, X: Any) -> np.ndarray:
        """Cluster of each row; `NOISE` for clusters without objects of the fit."""
        X = X if self.features is None else X[:, self.features]
        numbers = _predict(self.estimator, X, self.objects, self.object_numbers)
        return _renumber(numbers, self.clusters)


def fit_clusterer(
    X: Any, *, estimator: Any, seen: Sample, features: np.ndarray | None, fill: str
) -> Trained:
    """Run the estimator on the objects and features that it sees, and label the other objects."""
    rows = seen.rows()
    X = X if features is None else X[:, features]
    objects = X if rows is None else X[rows]
    estimator = clone(estimator)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        own = _fit_predict(estimator, objects)
    numbers = own
    if rows is not None:
        unseen = fill == "missing"
        numbers = np.full(X.shape[0], MISSING) if unseen else _predict(estimator, X, objects, own)
        numbers[rows] = own
    clusters = np.unique(numbers[numbers >= 0])
    keep = (None, None) if hasattr(estimator, "predict") else (objects, own)
    model = FittedClusterer(estimator, features, clusters, *keep)
    return Trained(model, labels=_renumber(numbers, clusters))


def _fit_predict(estimator: Any, X: Any) -> np.ndarray:
    fits = hasattr(estimator, "fit_predict")
    labels = estimator.fit_predict(X) if fits else getattr(estimator.fit(X), "labels_", None)
    if labels is None:
        raise ValueError(
            f"{estimator!r} is not a clusterer: it has neither fit_predict nor labels_"
        )
    return _checked_labels(estimator, labels, X)


def _predict(estimator: Any, X: Any, seen: Any, own: Any) -> np.ndarray:
    """Predict with the estimator, or return the label of the nearest seen object."""
    if hasattr(estimator, "predict"):
        return _checked_labels(estimator, estimator.predict(X), X)
    if X.shape[1] <= MAX_TREE_FEATURES and not issparse(X):
        return own[KDTree(seen).query(X)[1]]
    return own[nearest(X, seen.toarray() if issparse(seen) else seen)]


def _checked_labels(estimator: Any, labels: Any, X: Any) -> np.ndarray:
    """Check the labels of an estimator; negative ones become `NOISE`."""
    labels = np.asarray(labels)
    if labels.shape != (X.shape[0],) or labels.dtype.kind not in "iu":
        raise ValueError(
            f"{type(estimator).__name__} returned {labels.dtype} labels of shape {labels.shape} "
            f"for {X.shape[0]} objects; expected one integer per object"
        )
    return np.maximum(labels.astype(np.int64), NOISE)


def _renumber(numbers: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Position of each number in the sorted `clusters`; `NOISE` if it is not there."""
    labels = np.where(numbers == MISSING, MISSING, NOISE).astype(np.int32)
    known = np.isin(numbers, clusters)
    labels[known] = np.searchsorted(clusters, numbers[known])
    return labels


def _with_seed(estimator: Any, seed: int) -> Any:
    """Give every random part of the estimator its own seed, so that steps are independent."""
    names = estimator.get_params(deep=True)
    parts = sorted(name for name in names if name.split("__")[-1] == "random_state")
    return estimator.set_params(**dict(zip(parts, spawn_seeds(seed, len(parts)), strict=True)))


def _check_clusterer(name: str, estimator: Any) -> None:
    if (
        isinstance(estimator, type)
        or not hasattr(estimator, "get_params")
        or not (hasattr(estimator, "fit_predict") or hasattr(estimator, "fit"))
    ):
        raise ValueError(
            f"{name}={estimator!r} is not a clusterer; expected an object with fit_predict (or "
            "fit and labels_), get_params and set_params, for example sklearn.cluster.KMeans(8)"
        )
    tags = _input_tags(estimator)
    if tags is not None and tags.pairwise:
        raise ValueError(
            f"{name}={estimator!r} needs a precomputed matrix; members see subsets of the rows "
            "and columns of X, so give a clusterer of features"
        )


def _input_tags(estimator: Any) -> InputTags | None:
    """Input tags of a scikit-learn clusterer; None for other objects."""
    if isinstance(estimator, type) or not hasattr(estimator, "__sklearn_tags__"):
        return None
    return get_tags(estimator).input_tags
