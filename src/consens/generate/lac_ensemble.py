"""Members of locally adaptive clustering, one per value of h."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from consens._numerics.nearest import nearest
from consens._params import RANGE_RULE, one_of, rules
from consens._support.seeds import Seed, spawn_seeds
from consens.generate._base import BaseGenerator
from consens.generate._plan import Model, Plan, Sample, Trained
from consens.generate._sizes import WithReplacement, training_sizes
from consens.generate.lac import adapt, starting_centers

#: Largest number of objects for which members are trained on all of them.  A sample of a thousand
#: objects per cluster estimates variances, and so the exponents of the weights, within about 4 %.
LARGE = 2**18
MIN_OBJECTS = 100_000
OBJECTS_PER_CENTER = 1000


@dataclass(frozen=True)
class WeightedCenters(Model):
    """A member that assigns rows to the nearest weighted centre."""

    centers: np.ndarray
    weights: np.ndarray
    per_cluster: ClassVar[tuple[str, ...]] = ("centers", "weights")
    in_payload: ClassVar[tuple[str, ...]] = ("centers", "weights")

    def label(self, X: Any) -> np.ndarray:
        """Cluster of each row."""
        return nearest(X, self.centers, self.weights)


class LACEnsemble(BaseGenerator):
    """Run locally adaptive clustering for many values of h, from one start or from many.

    A good h of `LAC` is hard to choose, so every value makes a member, and the consensus decides.
    The payload keeps the centres and feature weights of the clusters, and the data, which `WSPA`,
    `WBPA` and `WSBPA` need.

    Parameters
    ----------
    n_clusters : int, (low, high) or None, default=8
        Clusters of each member; with a pair, each member draws its own number uniformly from
        low to high, both included.  None means (2, ⌈√n⌉).
    inverse_h : sequence of numbers >= 0, default=1, 2, ..., 25
        1/h of each member; 0 means k-means.
    init : {"shared", "random"}, default="shared"
        "shared": all members start from the same well-scattered objects, so that they differ only
        by h.  "random": each starts from objects drawn at random.
    max_iter : int, default=100
        Maximum number of iterations of a member.
    max_samples : int, float, "bootstrap" or None, default=None
        Number, or share, of the objects that the members are trained on, the same for all.  None
        means all of up to 262,144 objects; of more it means 1000 per cluster, at least 100,000.
        "bootstrap" draws n with replacement for each member.  All objects are assigned.
    random_state : int, RandomState or None, default=None
        An integer gives the same members for every `n_jobs`.
    {jobs_and_store}

    {generator_attributes}
    n_iter_ : int
        Largest number of iterations of a member.

    Notes
    -----
    The payload of each member holds ``centers`` and ``weights`` (row j is cluster j), and
    ``features``: X itself, shared by all members.  Empty clusters are left out.

    M members of k clusters, t iterations and s training objects: O(M·k·d·(s·t + n)) time; memory
    is the labels (4·n·M bytes) and, per job, O(n + k·d) in addition to X.

    {domeniconi_2009}

    {lac_members}
    >>> E
    Ensemble: 6 objects, 3 partitions of 2 clusters
    >>> E.payload[0]["weights"].round(2)
    array([[0.74, 0.26],
           [0.35, 0.65]])
    """

    _parameter_constraints = rules(
        n_clusters=RANGE_RULE, inverse_h=["array-like"], init=one_of("shared", "random")
    )
    _model_class = WeightedCenters

    def __init__(
        self,
        n_clusters: int | tuple[int, int] | None = 8,
        *,
        inverse_h: Sequence[float] = tuple(range(1, 26)),
        init: str = "shared",
        max_iter: int = 100,
        max_samples: int | float | str | None = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.inverse_h = inverse_h
        self.init = init
        self.max_iter = max_iter
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store

    def _plans(self, X: Any) -> list[Plan]:
        n = X.shape[0]
        k_range, size = training_sizes(n, self.n_clusters, self.max_samples)
        if size is None and n > LARGE:
            size = min(n, max(MIN_OBJECTS, OBJECTS_PER_CENTER * k_range[1]))
        inverse_h = _check_inverse_h(self.inverse_h)
        start_seed, *seeds = spawn_seeds(self.random_state, len(inverse_h) + 1)
        sample = Sample(np.random.default_rng(start_seed), n, size)
        plans = []
        for seed, inverse in zip(seeds, inverse_h, strict=True):
            rng = np.random.default_rng(seed)
            k, own_seed = int(rng.integers(*k_range, endpoint=True)), int(rng.integers(2**32))
            start = ("farthest", start_seed) if self.init == "shared" else ("random", own_seed)
            parameters: dict[str, Any] = {
                "n_clusters": k,
                "inverse_h": inverse,
                "max_iter": self.max_iter,
            }
            fit = partial(fit_lac, start=start, **parameters)
            if isinstance(size, WithReplacement):  # a sample for each member
                sample = Sample(np.random.default_rng(own_seed), n, size)
            plans.append(Plan(fit, "LAC", seed, sample, parameters))
        return plans

    def _shared_payload(self, X: Any) -> dict[str, Any]:
        return {"features": X}

    @property
    def n_iter_(self) -> int:
        """Largest number of iterations of a member."""
        return max(member.record["n_iter"] for member in self.members_)


def fit_lac(
    rows: Any,
    *,
    start: tuple[str, int],
    n_clusters: int,
    inverse_h: float,
    max_iter: int,
) -> Trained:
    """Run LAC; `start` is the method and the seed that choose the initial objects."""
    centers = starting_centers(rows, n_clusters, *start)
    done = adapt(rows, centers, 1 / inverse_h if inverse_h else np.inf, max_iter)
    return Trained(WeightedCenters(done.centers, done.weights), {"n_iter": done.n_iter})


def _check_inverse_h(values: Any) -> list[float]:
    inverse_h = np.asarray(list(values), dtype=np.float64)
    if inverse_h.ndim != 1 or len(inverse_h) == 0:
        raise ValueError(
            f"inverse_h has shape {inverse_h.shape}; expected one number per member, such as "
            "range(1, 26)"
        )
    if not (np.isfinite(inverse_h) & (inverse_h >= 0)).all():
        raise ValueError(f"inverse_h={values!r}; expected finite numbers >= 0")
    return inverse_h.tolist()
