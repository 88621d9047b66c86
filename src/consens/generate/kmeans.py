"""k-means members with random starts: the ensemble of evidence accumulation."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags

from consens.base import spawn_seeds
from consens.blocks import Rows
from consens.constraints import Interval
from consens.generate._blocks import Trained, Training
from consens.generate._members import FOLDER, SAMPLE, Generator, Member, Task, describe, one_thread
from consens.generate._nearest import nearest
from consens.generate._sizes import cluster_range, draw, sample_size
from consens.labels import compact

MAX_SWEEPS = 300

# A centre that is the mean of 256 sampled objects is off by a sixteenth of the spread of its
# cluster, which adds 1/256 to the inertia, whatever n (measured: up to 1 %, because borders
# move as well).  More sweeps over such a sample change the inertia by less than that, and the
# first of them, which only leave the random start, need no more than a quarter of it.
SAMPLES_PER_CENTER = 256
MIN_SAMPLES = 10_000
SWEEPS_OF_QUARTER = 10
SWEEPS_OF_SAMPLE = 5


class KMeansEnsemble(Generator):
    """Run k-means many times from random initial centres, with a fixed or a random k.

    Each member is one run of Lloyd's algorithm that starts from k objects drawn at random and
    ends in the local optimum next to them.  Where the members agree although starts and k
    differ, the data hold a cluster; a k well above the number of clusters, drawn anew for each
    member, lets clusters of any shape appear as unions of small round ones [1]_.

    Parameters
    ----------
    {n_estimators}
    {n_clusters_range}
    {max_samples_kmeans}
    {seed_of_members}
    {n_jobs}
    {store}

    Attributes
    ----------
    {members_}
    {features_in}

    See Also
    --------
    EstimatorEnsemble : members from any clusterer.

    Notes
    -----
    The ensemble holds, per member, ``payload["centers"]``, whose row j is the centre of cluster
    j, and a record with the seed from which the member can be made again.  Objects belong to
    the nearest centre exactly, in double precision, the smaller number among equals; this rule
    gives `fit_transform` and `transform` the same labels.  Clusters that no object belongs to
    (there may be fewer distinct objects than k) are left out.

    With M members of k centres, t sweeps and s training objects, the cost is
    O(M·k·d·(s·t + n)) time; memory is the labels (4·n·M bytes) and a copy of the training
    objects per job.

    References
    ----------
    .. [1] A. L. N. Fred and A. K. Jain, "Combining multiple clusterings using evidence
       accumulation", IEEE TPAMI 27 (2005) 835-850, doi:10.1109/TPAMI.2005.113.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.generate import KMeansEnsemble
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> generator = KMeansEnsemble(n_estimators=3, n_clusters=2, random_state=0)
    >>> E = generator.fit_transform(X)
    >>> E
    Ensemble: 4 objects, 3 partitions of 2 clusters
    >>> generator.transform([[0.05]]).labels[0] == E.labels[0]
    array([ True,  True,  True])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "n_clusters": [Interval(Integral, 1, None, closed="left"), tuple, list, None],
        "max_samples": SAMPLE,
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "store": FOLDER,
    }

    def __init__(
        self,
        n_estimators: int = 50,
        n_clusters: int | tuple[int, int] | None = None,
        max_samples: int | float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_clusters = n_clusters
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store

    def _tasks(self, X: Any) -> list[Task]:
        k_range, size = sizes(X.shape[0], self.n_clusters, self.max_samples)
        seeds = spawn_seeds(self.random_state, self.n_estimators)
        return [partial(cluster, seed=seed, k_range=k_range, size=size) for seed in seeds]

    def _trainings(self, X: Rows) -> list[Training]:
        k_range, size = sizes(len(X), self.n_clusters, self.max_samples)
        seeds = spawn_seeds(self.random_state, self.n_estimators)
        return [training(len(X), seed, k_range, size) for seed in seeds]

    def _model_class(self) -> type:
        return Centers

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@dataclass(frozen=True)
class Centers:
    """A member that is its centres: a row belongs to the nearest."""

    centers: np.ndarray

    def label(self, X: Any) -> np.ndarray:
        """Cluster of each row."""
        return nearest(X, self.centers)


def cluster(
    X: Any, *, seed: int, k_range: tuple[int, int], size: int | None
) -> tuple[np.ndarray, Member]:
    """Make one member: draw k and the training objects, run k-means, assign all objects."""
    done = partition(X, np.random.default_rng(seed), seed, k_range, size)
    record = describe("KMeans", done.labels, seed, done.parameters)
    return done.labels, Member(Centers(done.centers), record, {"centers": done.centers})


def sizes(
    n: int, n_clusters: Any, max_samples: float | None
) -> tuple[tuple[int, int], int | None]:
    """What `n_clusters` and `max_samples` mean for n objects."""
    size = sample_size("max_samples", max_samples, n, "objects")
    trained_on = n if size is None else size
    objects = f"{n} objects of X"
    if trained_on < n:
        objects = f"{trained_on} objects that max_samples={max_samples} leaves"
    return cluster_range(n_clusters, n, trained_on, objects), size


class Partition(NamedTuple):
    """Labels of all objects, centres of the clusters, and how they came about."""

    labels: np.ndarray
    centers: np.ndarray
    parameters: dict[str, Any]


class Plan(NamedTuple):
    """Clusters of a member, the objects it is trained on (None for all), and how thoroughly."""

    k: int
    rows: np.ndarray | None
    large: bool


def plan(n: int, rng: np.random.Generator, k_range: tuple[int, int], size: int | None) -> Plan:
    """Draw k and the training objects."""
    k = int(rng.integers(*k_range, endpoint=True))
    enough = max(MIN_SAMPLES, SAMPLES_PER_CENTER * k)
    large = size is None and n > enough
    return Plan(k, draw(rng, n, enough if large else size), large)


def trained_centers(rows: Any, *, k: int, seed: int, large: bool) -> np.ndarray:
    """Centres of k-means on the training objects."""
    centers: Any = "random"
    if large:
        centers = run_kmeans(rows[::4], k, centers, seed, SWEEPS_OF_QUARTER)
    return run_kmeans(rows, k, centers, seed, SWEEPS_OF_SAMPLE if large else MAX_SWEEPS)


def training(n: int, seed: int, k_range: tuple[int, int], size: int | None) -> Training:
    """How `cluster` makes a member, for a collection in blocks."""
    k, rows, large = plan(n, np.random.default_rng(seed), k_range, size)
    rows = np.arange(n) if rows is None else rows
    parameters = {"n_clusters": k, "max_samples": len(rows)}
    return Training(
        rows,
        partial(_trained, k=k, seed=seed, large=large),
        lambda n_clusters: describe("KMeans", np.arange(n_clusters), seed, parameters),
    )


def _trained(rows: np.ndarray, *, k: int, seed: int, large: bool) -> Trained:
    with one_thread():
        return Trained(Centers(trained_centers(rows, k=k, seed=seed, large=large)), {})


def partition(
    X: Any, rng: np.random.Generator, seed: int, k_range: tuple[int, int], size: int | None
) -> Partition:
    """Draw k and the training objects, run k-means, assign all objects to the centres."""
    k, rows, large = plan(X.shape[0], rng, k_range, size)
    trained_on = X if rows is None else X[rows]
    centers = trained_centers(trained_on, k=k, seed=seed, large=large)
    numbers = nearest(X, centers)
    centers = centers[np.flatnonzero(np.bincount(numbers))]
    parameters = {"n_clusters": k, "max_samples": trained_on.shape[0]}
    return Partition(compact(numbers), centers, parameters)


def run_kmeans(X: Any, k: int, start: Any, seed: int, sweeps: int) -> np.ndarray:
    """Centres of one run of Lloyd's algorithm."""
    model = KMeans(k, init=start, n_init=1, max_iter=sweeps, random_state=seed)
    with warnings.catch_warnings():
        # fewer distinct objects than k: such clusters are left out
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X).cluster_centers_
