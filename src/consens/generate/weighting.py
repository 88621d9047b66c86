"""k-means members on features with random weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils import Tags

from consens.base import spawn_seeds
from consens.constraints import Interval
from consens.generate._members import FOLDER, SAMPLE, Generator, Member, Task, describe
from consens.generate._nearest import nearest
from consens.generate.kmeans import partition, sizes

EXPONENTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5)


class FeatureWeightEnsemble(Generator):
    """Run k-means on features multiplied by random weights, mostly small and a few large.

    Each member draws a whole number from 1 to Z for every feature, the number i with a
    probability proportional to 1 / i^α (Zipf), and multiplies the feature by it; features with
    large weights decide what is near [1]_, [2]_.  With α = 0 all weights are as likely, the
    larger α the fewer features stand out.

    Parameters
    ----------
    {n_estimators}
    {n_clusters_range}
    exponents : sequence of numbers >= 0, default=0, 0.25, ..., 1.5
        Values of α; each member draws one of them.
    max_weight : int, default=10
        Z, the largest weight.
    max_samples : int, float or None, default=None
        Number, or share, of the objects that a member is trained on, as in `KMeansEnsemble`.
    {seed_of_members}
    {n_jobs}
    {store}

    Attributes
    ----------
    {members_}
    {features_in}

    See Also
    --------
    SubspaceEnsemble : weights 0 and 1.
    LACEnsemble : weights that fit the clusters.
    library : the libraries of Fern and Lin.

    Notes
    -----
    The papers do not print Z.  Features should have comparable scales, or the weights are
    nothing against those.  The ensemble holds, per member, ``payload["scale"]``, the weight of
    each feature, and ``payload["centers"]``, whose row j is the centre of cluster j among the
    weighted features.  Cost and memory as in `KMeansEnsemble`, and a copy of X per job.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "n_clusters": [Interval(Integral, 1, None, closed="left"), tuple, list, None],
        "exponents": ["array-like"],
        "max_weight": [Interval(Integral, 1, None, closed="left")],
        "max_samples": SAMPLE,
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "store": FOLDER,
    }

    def __init__(
        self,
        n_estimators: int = 50,
        n_clusters: int | tuple[int, int] | None = None,
        exponents: Sequence[float] = EXPONENTS,
        max_weight: int = 10,
        max_samples: int | float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_clusters = n_clusters
        self.exponents = exponents
        self.max_weight = max_weight
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store

    def _tasks(self, X: Any) -> list[Task]:
        k_range, size = sizes(X.shape[0], self.n_clusters, self.max_samples)
        exponents = np.asarray(self.exponents, dtype=np.float64)
        if exponents.ndim != 1 or not len(exponents) or not (exponents >= 0).all():
            raise ValueError(
                f"exponents={self.exponents!r}; expected numbers >= 0, one or more in a sequence"
            )
        drawn = {"exponents": exponents.tolist(), "max_weight": int(self.max_weight)}
        seeds = spawn_seeds(self.random_state, self.n_estimators)
        return [partial(cluster, seed=seed, k_range=k_range, size=size, **drawn) for seed in seeds]

    def _model_class(self) -> type:
        return ScaledCenters

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@dataclass(frozen=True)
class ScaledCenters:
    """A member that is its weights and its centres there: a row belongs to the nearest."""

    scale: np.ndarray
    centers: np.ndarray

    def label(self, X: Any) -> np.ndarray:
        """Cluster of each row."""
        return nearest(scaled(X, self.scale), self.centers)


def cluster(
    X: Any,
    *,
    seed: int,
    k_range: tuple[int, int],
    size: int | None,
    exponents: Sequence[float],
    max_weight: int,
) -> tuple[np.ndarray, Member]:
    """Make one member: draw α and the weights, run k-means on the weighted features."""
    rng = np.random.default_rng(seed)
    exponent = exponents[int(rng.integers(len(exponents)))]
    scale = zipf(rng, exponent, max_weight, X.shape[1])
    done = partition(scaled(X, scale), rng, seed, k_range, size)
    parameters = done.parameters | {"exponent": exponent, "max_weight": max_weight}
    record = describe("KMeans, feature weights", done.labels, seed, parameters)
    payload = {"scale": scale, "centers": done.centers}
    return done.labels, Member(ScaledCenters(scale, done.centers), record, payload)


def zipf(rng: np.random.Generator, exponent: float, largest: int, n: int) -> np.ndarray:
    """Draw n numbers from 1 to `largest`, i with a probability proportional to 1 / i^exponent."""
    chance = np.arange(1, largest + 1) ** -float(exponent)
    return rng.choice(np.arange(1.0, largest + 1), size=n, p=chance / chance.sum())


def scaled(X: Any, scale: np.ndarray) -> Any:
    """X with its features multiplied."""
    if not issparse(X):
        return X * scale
    return csr_array((X.data * scale[X.indices], X.indices, X.indptr), shape=X.shape)
