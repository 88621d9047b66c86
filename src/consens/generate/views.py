"""k-means members on subsets, projections and random weights of the features."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array, issparse

from consens._params import COUNT_RULE, RANGE_RULE, rules
from consens._support.seeds import Seed
from consens.generate._sizes import draw_dimensions
from consens.generate.kmeans_ensemble import NO_CENTERS, Centers, KMeansEnsemble

EXPONENTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5)


@dataclass(frozen=True)
class SubspaceCenters(Centers):
    """A member that sees some columns."""

    columns: np.ndarray
    algorithm: ClassVar[str] = "KMeans, feature subset"
    in_payload: ClassVar[tuple[str, ...]] = ("columns", "centers")

    def view(self, X: Any) -> Any:
        """The columns of the member."""
        return X[:, self.columns]


class SubspaceEnsemble(KMeansEnsemble):
    """Run k-means on random subsets of the features, a new subset for each member.

    Members that see different features make different mistakes; clusters that appear in several
    views are credible.

    Parameters
    ----------
    {n_estimators}
    {n_clusters_range}
    n_features : int, (low, high) or None, default=None
        Number of features of each member, fixed or drawn like `n_clusters`; the features are
        drawn without replacement.  None means (2, ⌊d / 2⌋).
    {kmeans_members}

    {generator_attributes}

    Notes
    -----
    The payload holds ``columns``, the features in ascending order, and ``centers``, whose row j is
    the centre of cluster j in these.  Cost and memory as in `KMeansEnsemble`.

    {fern_lin_2008}

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from consens.generate import SubspaceEnsemble
    >>> X, y = load_wine(return_X_y=True)
    >>> E = SubspaceEnsemble(3, n_clusters=3, n_features=2, random_state=0).fit_transform(X)
    >>> E
    Ensemble: 178 objects, 3 partitions of 3 clusters
    >>> [entries["columns"].tolist() for entries in E.payload]
    [[3, 12], [3, 5], [9, 11]]
    """

    _parameter_constraints = rules(n_features=RANGE_RULE)
    _model_class = SubspaceCenters

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        n_clusters: int | tuple[int, int] | None = None,
        n_features: int | tuple[int, int] | None = None,
        init: str = "objects",
        max_samples: int | float | str | None = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_clusters = n_clusters
        self.n_features = n_features
        self.init = init
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store

    def _draw_view(
        self, rng: np.random.Generator, seed: int, d: int
    ) -> tuple[Centers, dict[str, Any]]:
        n_features = draw_dimensions(rng, "n_features", self.n_features, d)
        columns = np.sort(rng.choice(d, n_features, replace=False, shuffle=False))
        return SubspaceCenters(NO_CENTERS, columns), {"n_features": n_features}


@dataclass(frozen=True)
class ProjectedCenters(Centers):
    """A member that sees a random projection and keeps only its seed."""

    seed: int
    n_features: int
    n_components: int
    algorithm: ClassVar[str] = "KMeans, random projection"

    @property
    def projection(self) -> np.ndarray:
        """The projection matrix, of shape (d, m)."""
        shape = self.n_features, self.n_components
        rng = np.random.default_rng((self.seed, 1))
        return rng.standard_normal(shape) / np.sqrt(self.n_components)

    def view(self, X: Any) -> np.ndarray:
        """The projected rows, in double precision; each depends only on its own row of X."""
        if issparse(X):
            return np.asarray(X @ self.projection, dtype=np.float64)
        # the rounding of a matrix product depends on the number of rows
        return np.einsum("ij,jk->ik", np.ascontiguousarray(X, np.float64), self.projection)


class ProjectionEnsemble(KMeansEnsemble):
    """Run k-means on random linear projections to fewer dimensions, a new one for each member.

    A projection blurs the data; clusters that many projections separate are real [1]_, [2]_.

    Parameters
    ----------
    {n_estimators}
    {n_clusters_range}
    n_components : int, (low, high) or None, default=None
        Number of dimensions to project to, fixed or drawn like `n_clusters`.  None means
        (2, ⌊d / 2⌋).
    {kmeans_members}

    {generator_attributes}

    Notes
    -----
    Entries of the d × m matrix are independent standard normal numbers over √m.  A member keeps
    its seed: ``members_[m].model.projection`` draws it again.  The payload holds ``centers``,
    whose row j is the projected centre of cluster j.  Cost and memory as in `KMeansEnsemble`, and
    O(n·d·m) time and O((n + d)·m) memory per job for the projection.

    References
    ----------
    .. [1] X. Z. Fern and C. E. Brodley, "Random projection for high dimensional data
       clustering: a cluster ensemble approach", ICML 2003, 186-193.
    .. [2] X. Z. Fern and W. Lin, "Cluster ensemble selection", Statistical Analysis and Data
       Mining 1 (2008) 128-141, doi:10.1002/sam.10008.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from consens.generate import ProjectionEnsemble
    >>> X, y = load_wine(return_X_y=True)
    >>> generator = ProjectionEnsemble(3, n_clusters=3, n_components=2, random_state=0)
    >>> generator.fit_transform(X)
    Ensemble: 178 objects, 3 partitions of 3 clusters
    >>> generator.members_[0].model.projection.shape
    (13, 2)
    """

    _parameter_constraints = rules(n_components=RANGE_RULE)
    _model_class = ProjectedCenters

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        n_clusters: int | tuple[int, int] | None = None,
        n_components: int | tuple[int, int] | None = None,
        init: str = "objects",
        max_samples: int | float | str | None = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.init = init
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store

    def _draw_view(
        self, rng: np.random.Generator, seed: int, d: int
    ) -> tuple[Centers, dict[str, Any]]:
        m = draw_dimensions(rng, "n_components", self.n_components, d)
        return ProjectedCenters(NO_CENTERS, seed, d, m), {"n_components": m}


@dataclass(frozen=True)
class ScaledCenters(Centers):
    """A member that sees features multiplied by weights."""

    scale: np.ndarray
    algorithm: ClassVar[str] = "KMeans, feature weights"
    in_payload: ClassVar[tuple[str, ...]] = ("scale", "centers")

    def view(self, X: Any) -> Any:
        """The weighted features."""
        if not issparse(X):
            return X * self.scale
        return csr_array((X.data * self.scale[X.indices], X.indices, X.indptr), shape=X.shape)


class FeatureWeightEnsemble(KMeansEnsemble):
    """Run k-means on features multiplied by random weights, mostly small and a few large.

    Each member draws an integer weight from 1 to Z for every feature, i with a probability
    proportional to 1 / i^α (Zipf), and multiplies the feature by it [1]_, [2]_.  It draws α from
    0, 0.25, ..., 1.5: with 0 all weights are equally likely; the larger α, the fewer features
    stand out.

    Parameters
    ----------
    {n_estimators}
    {n_clusters_range}
    max_weight : int, default=10
        Z, the largest weight.
    {kmeans_members}

    {generator_attributes}

    Notes
    -----
    The papers do not state Z.  Features should have comparable scales.  The payload holds
    ``scale``, the weight of each feature, and ``centers`` in the weighted features.  Cost and
    memory as in `KMeansEnsemble`, and a copy of X per job.

    References
    ----------
    .. [1] R. Caruana, M. Elhawary, N. Nguyen and C. Smith, "Meta clustering", ICDM 2006,
       107-118, doi:10.1109/ICDM.2006.103.
    .. [2] X. Z. Fern and W. Lin, "Cluster ensemble selection", Statistical Analysis and Data
       Mining 1 (2008) 128-141, doi:10.1002/sam.10008.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from consens.generate import FeatureWeightEnsemble
    >>> X, y = load_wine(return_X_y=True)
    >>> E = FeatureWeightEnsemble(3, n_clusters=3, random_state=0).fit_transform(X)
    >>> E
    Ensemble: 178 objects, 3 partitions of 3 clusters
    >>> E.payload[0]["scale"].astype(int)
    array([ 4,  7,  5,  5,  1,  7,  7,  8,  7, 10,  2,  5,  7])
    """

    _parameter_constraints = rules(max_weight=COUNT_RULE)
    _model_class = ScaledCenters

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        n_clusters: int | tuple[int, int] | None = None,
        max_weight: int = 10,
        init: str = "objects",
        max_samples: int | float | str | None = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_clusters = n_clusters
        self.max_weight = max_weight
        self.init = init
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store

    def _draw_view(
        self, rng: np.random.Generator, seed: int, d: int
    ) -> tuple[Centers, dict[str, Any]]:
        exponent = EXPONENTS[rng.integers(len(EXPONENTS))]
        scale = draw_zipf(rng, exponent, int(self.max_weight), d)
        drawn = {"exponent": exponent, "max_weight": int(self.max_weight)}
        return ScaledCenters(NO_CENTERS, scale), drawn


def draw_zipf(rng: np.random.Generator, exponent: float, largest: int, n: int) -> np.ndarray:
    """Draw n numbers from 1 to `largest`, i with a probability proportional to 1 / i^exponent."""
    chance = np.arange(1, largest + 1) ** -float(exponent)
    return rng.choice(np.arange(1.0, largest + 1), size=n, p=chance / chance.sum())
