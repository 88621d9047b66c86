"""k-means members on random linear projections."""

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
from consens.generate.subspace import half_of


class ProjectionEnsemble(Generator):
    """Run k-means on random linear projections to fewer dimensions, a new one for each member.

    A projection blurs the data; what stays apart in many of them is apart [1]_, [2]_.

    Parameters
    ----------
    {n_estimators}
    {n_clusters_range}
    n_components : int, (low, high) or None, default=None
        Dimensions to project to, their number as that of clusters.  None means (2, ⌊d / 2⌋) as
        far as there are that many.
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
    SubspaceEnsemble : random subsets of the features.
    library : the libraries of Fern and Lin.

    Notes
    -----
    Entries of the d × m projection matrix are independent standard normal numbers over √m, so
    that squared lengths are kept on average.  A member keeps the seed of its matrix, not the
    matrix: ``members_[m].model.projection`` draws it again.  The ensemble holds, per member,
    ``payload["centers"]``, whose row j is the centre of cluster j behind the projection.  Cost
    and memory as in `KMeansEnsemble`, and O(n·d·m) time and O((n + d)·m) memory per job for the
    projection.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "n_clusters": [Interval(Integral, 1, None, closed="left"), tuple, list, None],
        "n_components": [Interval(Integral, 1, None, closed="left"), tuple, list, None],
        "max_samples": SAMPLE,
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "store": FOLDER,
    }

    def __init__(
        self,
        n_estimators: int = 50,
        n_clusters: int | tuple[int, int] | None = None,
        n_components: int | tuple[int, int] | None = None,
        max_samples: int | float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store

    def _tasks(self, X: Any) -> list[Task]:
        n, d = X.shape
        k_range, size = sizes(n, self.n_clusters, self.max_samples)
        d_range = integer_range(
            "n_components", self.n_components, half_of(d), d, f"{d} features of X"
        )
        seeds = spawn_seeds(self.random_state, self.n_estimators)
        return [
            partial(cluster, seed=seed, k_range=k_range, d_range=d_range, size=size)
            for seed in seeds
        ]

    def _model_class(self) -> type:
        return ProjectedCenters

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@dataclass(frozen=True)
class ProjectedCenters:
    """A member that is a projection and centres behind it: a row belongs to the nearest."""

    seed: int
    n_features: int
    centers: np.ndarray

    @property
    def projection(self) -> np.ndarray:
        """The projection matrix, of shape (d, m)."""
        return draw_projection(self.seed, self.n_features, self.centers.shape[1])

    def label(self, X: Any) -> np.ndarray:
        """Cluster of each row."""
        return nearest(project(X, self.projection), self.centers)


def cluster(
    X: Any,
    *,
    seed: int,
    k_range: tuple[int, int],
    d_range: tuple[int, int],
    size: int | None,
) -> tuple[np.ndarray, Member]:
    """Make one member: draw a projection, run k-means behind it."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(*d_range, endpoint=True))
    d = X.shape[1]
    done = partition(project(X, draw_projection(seed, d, m)), rng, seed, k_range, size)
    parameters = done.parameters | {"n_components": m}
    record = describe("KMeans, random projection", done.labels, seed, parameters)
    model = ProjectedCenters(seed, d, done.centers)
    return done.labels, Member(model, record, {"centers": done.centers})


def draw_projection(seed: int, d: int, m: int) -> np.ndarray:
    """Matrix of shape (d, m) with normal entries that keeps squared lengths on average."""
    return np.random.default_rng((seed, 1)).standard_normal((d, m)) / np.sqrt(m)


def project(X: Any, projection: np.ndarray) -> np.ndarray:
    """X times the projection, in double precision whatever X is."""
    return np.asarray(X @ projection, dtype=np.float64)
