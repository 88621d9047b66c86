"""k-means members with random starts, as used by evidence accumulation."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse

from consens._blocks import map_rows
from consens._numerics.distances import cluster_means
from consens._numerics.kmeans import run_kmeans
from consens._numerics.nearest import nearest
from consens._params import one_of, rules
from consens._support.seeds import Seed, spawn_seeds
from consens.generate._base import SampledGenerator
from consens.generate._plan import Model, Plan, Sample, Trained
from consens.generate._sizes import training_sizes

MAX_SWEEPS = 300

# A centre that is the mean of 256 sampled objects is off by a sixteenth of the spread of its
# cluster, which adds 1/256 to the inertia, whatever n (measured: up to 1 %, because borders
# move as well).  More sweeps over such a sample change the inertia by less than that, and the
# first of them, which only leave the random start, need no more than a quarter of it.
SAMPLES_PER_CENTER = 256
MIN_SAMPLES = 10_000
SWEEPS_OF_QUARTER = 10
SWEEPS_OF_SAMPLE = 5

NO_CENTERS = np.empty((0, 0))


@dataclass(frozen=True)
class Centers(Model):
    """A member that assigns rows to the nearest centre in a view of the features."""

    centers: np.ndarray
    algorithm: ClassVar[str] = "KMeans"
    in_payload: ClassVar[tuple[str, ...]] = ("centers",)

    def view(self, X: Any) -> Any:
        """The rows as the member sees them."""
        return X

    def label(self, X: Any) -> np.ndarray:
        """Cluster of each row."""
        width = 16 * (X.shape[1] + self.centers.shape[1])
        return map_rows(
            lambda rows: nearest(self.view(rows), self.centers), X, bytes_per_row=width
        )


def start_in_box(rows: Any, k: int, rng: np.random.Generator) -> np.ndarray:
    """Points drawn uniformly from the bounding box of the objects."""
    low, high = rows.min(axis=0), rows.max(axis=0)
    if issparse(rows):
        low, high = low.toarray(), high.toarray()
    return rng.uniform(low, high, (k, rows.shape[1]))


#: Centres to start from: drawn by scikit-learn, or means of random clusters of equal size.
STARTS: dict[str, Callable[..., Any]] = {
    "objects": lambda rows, k, rng: "random",
    "box": start_in_box,
    "assignment": lambda rows, k, rng: cluster_means(rows, rng.permutation(rows.shape[0]) % k, k),
}


class KMeansEnsemble(SampledGenerator):
    """Run k-means many times from random initial centres, with a fixed or a random k.

    Each member is one run of Lloyd's algorithm.  Where members agree in spite of different starts
    and k, the data contain a cluster.  With a random k well above the number of clusters, clusters
    of any shape appear as unions of small round ones.

    Parameters
    ----------
    {n_estimators}
    {n_clusters_range}
    {kmeans_init}
    max_samples : int, float, "bootstrap" or None, default=None
        Number, or share, of the objects that a member is trained on; "bootstrap" draws n with
        replacement.  None means all of up to 10,000 objects (or 256 per centre); of more it means
        a sample of that size and few sweeps, with about 1 % more inertia.  All objects are
        assigned in any case.
    {sequence_of_members}

    {generator_attributes}

    Notes
    -----
    The ensemble holds, per member, ``payload["centers"]``, whose row j is the centre of cluster j,
    and a record with its seed.  Objects belong to the nearest centre, compared exactly in double
    precision, the first of equals.  Empty clusters are left out.

    With M members of k centres, t sweeps and s training objects, the cost is
    O(M·k·d·(s·t + n)) time; memory is the labels (4·n·M bytes) and a copy of the training
    objects per job.

    {fred_jain_2005}

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

    _parameter_constraints = rules(init=one_of(*STARTS))
    _model_class: ClassVar[Any] = Centers

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        n_clusters: int | tuple[int, int] | None = None,
        init: str = "objects",
        max_samples: int | float | str | None = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_clusters = n_clusters
        self.init = init
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store

    def _draw_view(
        self, rng: np.random.Generator, seed: int, d: int
    ) -> tuple[Centers, dict[str, Any]]:
        """Draw a view of d features: a model without centres, and parameters for the record."""
        return Centers(NO_CENTERS), {}

    def _plans(self, X: Any) -> list[Plan]:
        n, d = X.shape
        k_range, size = training_sizes(n, self.n_clusters, self.max_samples)
        plans = []
        for seed in spawn_seeds(self.random_state, self.n_estimators):
            rng = np.random.default_rng(seed)
            view, drawn = self._draw_view(rng, seed, d)
            plan = plan_kmeans(n, rng, seed, k_range, size, view, self.init)
            plans.append(replace(plan, parameters={**plan.parameters, **drawn}))
        return plans


def plan_kmeans(
    n: int,
    rng: np.random.Generator,
    seed: int,
    k_range: tuple[int, int],
    size: int | None,
    view: Centers,
    init: str = "objects",
) -> Plan:
    """Draw k and the training objects of a member."""
    k = int(rng.integers(*k_range, endpoint=True))
    enough = max(MIN_SAMPLES, SAMPLES_PER_CENTER * k)
    large = size is None and n > enough
    sample = Sample(rng, n, enough if large else size)
    fit = partial(fit_kmeans, view=view, k=k, seed=seed, init=init, large=large)
    parameters = {"n_clusters": k, "max_samples": len(sample), "init": init}
    return Plan(fit, view.algorithm, seed, sample, parameters)


def fit_kmeans(
    rows: Any,
    *,
    view: Centers,
    k: int,
    seed: int,
    init: str = "objects",
    large: bool = False,
) -> Trained:
    """Run k-means on the training objects, as the member sees them."""
    rows = view.view(rows)
    centers = STARTS[init](rows, k, np.random.default_rng((seed, 2)))
    if large:
        centers = run_kmeans(rows[::4], k, centers, seed, SWEEPS_OF_QUARTER)
    centers = run_kmeans(rows, k, centers, seed, SWEEPS_OF_SAMPLE if large else MAX_SWEEPS)
    return Trained(replace(view, centers=centers))
