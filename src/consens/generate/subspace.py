"""k-means members on random subsets of the features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags

from consens.base import spawn_seeds
from consens.constraints import Interval
from consens.generate._members import FOLDER, SAMPLE, Generator, Member, Task, describe
from consens.generate._nearest import nearest
from consens.generate._sizes import integer_range
from consens.generate.kmeans import partition, sizes


class SubspaceEnsemble(Generator):
    """Run k-means on features drawn at random, fewer or more of them in each member.

    Members that look at different features make different mistakes; clusters that several views
    show are worth believing [1]_.

    Parameters
    ----------
    {n_estimators}
    {n_clusters_range}
    n_features : int, (low, high) or None, default=None
        Features of each member, drawn without replacement, their number as that of clusters.
        None means (2, ⌊d / 2⌋) as far as there are that many.
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
    ProjectionEnsemble : random linear projections.
    library : the libraries of Fern and Lin.

    Notes
    -----
    The ensemble holds, per member, ``payload["columns"]``, the features in ascending order, and
    ``payload["centers"]``, whose row j is the centre of cluster j in these features.  Cost and
    memory as in `KMeansEnsemble`, for the features that a member looks at.

    References
    ----------
    .. [1] X. Z. Fern and W. Lin, "Cluster ensemble selection", Statistical Analysis and Data
       Mining 1 (2008) 128-141, doi:10.1002/sam.10008.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "n_clusters": [Interval(Integral, 1, None, closed="left"), tuple, list, None],
        "n_features": [Interval(Integral, 1, None, closed="left"), tuple, list, None],
        "max_samples": SAMPLE,
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "store": FOLDER,
    }

    def __init__(
        self,
        n_estimators: int = 50,
        n_clusters: int | tuple[int, int] | None = None,
        n_features: int | tuple[int, int] | None = None,
        max_samples: int | float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_clusters = n_clusters
        self.n_features = n_features
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store

    def _tasks(self, X: Any) -> list[Task]:
        n, d = X.shape
        k_range, size = sizes(n, self.n_clusters, self.max_samples)
        d_range = integer_range("n_features", self.n_features, half_of(d), d, f"{d} features of X")
        seeds = spawn_seeds(self.random_state, self.n_estimators)
        return [
            partial(cluster, seed=seed, k_range=k_range, d_range=d_range, size=size)
            for seed in seeds
        ]

    def _model_class(self) -> type:
        return SubspaceCenters

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@dataclass(frozen=True)
class SubspaceCenters:
    """A member that is its features and its centres there: a row belongs to the nearest."""

    columns: np.ndarray
    centers: np.ndarray

    def label(self, X: Any) -> np.ndarray:
        """Cluster of each row."""
        return nearest(X[:, self.columns], self.centers)


def half_of(d: int) -> tuple[int, int]:
    """From 2 to half of d dimensions, as far as there are that many."""
    high = max(1, d // 2)
    return min(2, high), high


def cluster(
    X: Any,
    *,
    seed: int,
    k_range: tuple[int, int],
    d_range: tuple[int, int],
    size: int | None,
) -> tuple[np.ndarray, Member]:
    """Make one member: draw features, run k-means on them."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(*d_range, endpoint=True))
    columns = np.sort(rng.choice(X.shape[1], d, replace=False, shuffle=False))
    done = partition(X[:, columns], rng, seed, k_range, size)
    record = describe(
        "KMeans, feature subset", done.labels, seed, done.parameters | {"n_features": d}
    )
    payload = {"columns": columns, "centers": done.centers}
    return done.labels, Member(SubspaceCenters(columns, done.centers), record, payload)
