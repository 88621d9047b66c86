"""Members of locally adaptive clustering, one per value of h."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags

from consens.base import check_features, spawn_seeds
from consens.blocks import Rows, take_rows
from consens.constraints import Interval, StrOptions
from consens.distances import nearest_center
from consens.ensemble import Ensemble
from consens.generate._blocks import Trained, Training
from consens.generate._members import FOLDER, SAMPLE, Generator, Member, Task, describe, one_thread
from consens.generate._sizes import cluster_range, draw, sample_size
from consens.generate.lac import Adapted, adapt, starting_centers
from consens.labels import compact

#: Objects up to which members are trained on all of them.  A sample of a thousand per cluster
#: gives variances, and with them the exponents of the weights, to about 4 %.
LARGE = 2**18
MIN_SAMPLES = 100_000
SAMPLES_PER_CENTER = 1000


class LACEnsemble(Generator):
    """Run locally adaptive clustering for many values of h, from one start or from many.

    Which h suits the data is hard to know; instead of choosing one, every value makes a member,
    and the consensus decides [1]_.  The members keep what their clusters are: centres, weights
    of the features, and the data.  `WSPA`, `WBPA` and `WSBPA` are made for that.

    Parameters
    ----------
    n_clusters : int, (low, high) or None, default=8
        Clusters of each member; with a pair, each member draws its own number uniformly from
        low to high, both included.  None means (2, ⌈√n⌉).
    inverse_h : sequence of numbers >= 0, default=1, 2, ..., 25
        1/h of each member; 0 is k-means.
    start : {"shared", "random"}, default="shared"
        "shared": all members start from the same well-scattered objects, so that h alone makes
        them differ.  "random": each member starts from objects drawn at random; repeat a value
        in `inverse_h` to have members that differ by their start alone.
    max_iter : int, default=100
        Iterations of a member at most.
    random_state : int, RandomState or None, default=None
        An integer gives the same members whatever `n_jobs`.
    {n_jobs}
    {store}
    max_samples : int, float or None, default=None
        Number, or share, of the objects that the members are trained on, the same for all of
        them.  None means all up to 262,144 objects, and for more 1000 per cluster, at least
        100,000.  All objects are assigned in any case.

    Attributes
    ----------
    {members_}
    n_iter_ : int
        Iterations of the member that took most.
    {features_in}

    See Also
    --------
    LAC : one run.

    Notes
    -----
    Per member the ensemble holds in its payload ``centers`` and ``weights`` (row j is cluster
    j), and ``features``: X itself, not a copy, shared by all members.  Clusters that no object
    belongs to are left out.

    M members of k clusters, t iterations and s training objects: O(M·k·d·(s·t + n)) time; memory
    is the labels (4·n·M bytes) and what one job needs beside X, O(n + k·d).

    References
    ----------
    .. [1] C. Domeniconi and M. Al-Razgan, "Weighted cluster ensembles: methods and analysis",
       ACM TKDD 2(4), 2009, doi:10.1145/1460797.1460800.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.generate import LACEnsemble
    >>> X = np.array([[0, 1], [0, 5], [0, 9], [9, 4], [12, 4], [15, 4]])
    >>> E = LACEnsemble(n_clusters=2, inverse_h=[0.1, 0.5, 1], random_state=0).fit_transform(X)
    >>> E
    Ensemble: 6 objects, 3 partitions of 2 clusters
    >>> E.payload[0]["weights"].round(2)
    array([[0.74, 0.26],
           [0.35, 0.65]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), tuple, list, None],
        "inverse_h": ["array-like"],
        "start": [StrOptions({"shared", "random"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "max_samples": SAMPLE,
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "store": FOLDER,
    }

    def __init__(
        self,
        n_clusters: int | tuple[int, int] | None = 8,
        inverse_h: Any = tuple(range(1, 26)),
        start: str = "shared",
        max_iter: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
        max_samples: int | float | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.inverse_h = inverse_h
        self.start = start
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store
        self.max_samples = max_samples

    def _tasks(self, X: Any) -> list[Task]:
        return [partial(cluster, **given) for given in self._given(X)]

    def _given(self, X: Any) -> list[dict[str, Any]]:
        """What the members are made from."""
        n = X.shape[0]
        size = sample_size("max_samples", self.max_samples, n, "objects")
        k_range = cluster_range(self.n_clusters, n, size or n, f"{size or n} objects of X")
        if size is None and n > LARGE:
            size = min(n, max(MIN_SAMPLES, SAMPLES_PER_CENTER * k_range[1]))
        inverse_h = _check_inverse_h(self.inverse_h)
        start_seed, *seeds = spawn_seeds(self.random_state, len(inverse_h) + 1)
        rows = draw(np.random.default_rng(start_seed), n, size)
        shared = None
        if self.start == "shared":
            sample = X if rows is None and not isinstance(X, Rows) else _sample(X, rows)
            shared = starting_centers(sample, k_range[1], "farthest", start_seed)
        return [
            {
                "seed": seed,
                "k_range": k_range,
                "inverse_h": inverse,
                "start": shared,
                "max_iter": self.max_iter,
                "rows": rows,
            }
            for seed, inverse in zip(seeds, inverse_h, strict=True)
        ]

    def _trainings(self, X: Rows) -> list[Training]:
        return [_training(len(X), **given) for given in self._given(X)]

    def _ensemble_in_blocks(self, labels: Any, X: Rows) -> Ensemble:
        ensemble = super()._ensemble_in_blocks(labels, X)
        return replace(ensemble, payload=[{**own, "features": X} for own in ensemble.payload])

    def _ensemble(self, columns: list[np.ndarray], X: Any) -> Ensemble:
        ensemble = super()._ensemble(columns, X)
        features = check_features(self, X, reset=False, accept_sparse=True)
        payload = [{**entries, "features": features} for entries in ensemble.payload]
        return replace(ensemble, payload=payload)

    @property
    def n_iter_(self) -> int:
        """Iterations of the member that took most."""
        return max(member.record["n_iter"] for member in self.members_)

    def _model_class(self) -> type:
        return WeightedCenters

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@dataclass(frozen=True)
class WeightedCenters:
    """A member that is its weighted centres: a row belongs to the nearest."""

    centers: np.ndarray
    weights: np.ndarray

    def label(self, X: Any) -> np.ndarray:
        """Cluster of each row."""
        return nearest_center(X, self.centers, self.weights)


def cluster(
    X: Any,
    *,
    seed: int,
    k_range: tuple[int, int],
    inverse_h: float,
    start: np.ndarray | None,
    max_iter: int,
    rows: np.ndarray | None = None,
) -> tuple[np.ndarray, Member]:
    """Make one member: draw k, take the shared start or draw one, and adapt."""
    k, start_seed = _drawn(seed, k_range)
    done = _adapted(X if rows is None else X[rows], k, start_seed, inverse_h, start, max_iter)
    labels = done.labels
    if rows is not None:
        labels = nearest_center(X, done.centers, done.weights)
    filled = np.flatnonzero(np.bincount(labels))
    model = WeightedCenters(done.centers[filled], done.weights[filled])
    record = _record(len(filled), seed, k, inverse_h, max_iter) | {"n_iter": done.n_iter}
    payload = {"centers": model.centers, "weights": model.weights}
    return compact(labels), Member(model, record, payload)


def _drawn(seed: int, k_range: tuple[int, int]) -> tuple[int, int]:
    """Number of clusters, and the seed of a start of its own."""
    rng = np.random.default_rng(seed)
    return int(rng.integers(*k_range, endpoint=True)), int(rng.integers(2**32))


def _adapted(
    X: Any, k: int, start_seed: int, inverse_h: float, start: np.ndarray | None, max_iter: int
) -> Adapted:
    centers = starting_centers(X, k, "random", start_seed) if start is None else start[:k]
    return adapt(X, centers, 1 / inverse_h if inverse_h else np.inf, max_iter)


def _record(n_clusters: int, seed: int, k: int, inverse_h: float, max_iter: int) -> dict[str, Any]:
    parameters = {"n_clusters": k, "inverse_h": inverse_h, "max_iter": max_iter}
    return describe("LAC", np.arange(n_clusters), seed, parameters)


def _training(
    n: int,
    *,
    seed: int,
    k_range: tuple[int, int],
    inverse_h: float,
    start: np.ndarray | None,
    max_iter: int,
    rows: np.ndarray | None,
) -> Training:
    """How `cluster` makes a member, for a collection in blocks."""
    k, start_seed = _drawn(seed, k_range)
    return Training(
        np.arange(n) if rows is None else rows,
        partial(
            _trained,
            k=k,
            start_seed=start_seed,
            inverse_h=inverse_h,
            start=start,
            max_iter=max_iter,
        ),
        partial(_record, seed=seed, k=k, inverse_h=inverse_h, max_iter=max_iter),
    )


def _trained(X: np.ndarray, **settings: Any) -> Trained:
    with one_thread():
        done = _adapted(X, **settings)
    return Trained(WeightedCenters(done.centers, done.weights), {"n_iter": done.n_iter})


def _sample(X: Any, rows: np.ndarray | None) -> Any:
    return take_rows(X, np.arange(len(X)) if rows is None else rows)


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
