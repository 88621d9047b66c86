"""Members of locally adaptive clustering, one per value of h."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions

from consens.base import check_features, spawn_seeds
from consens.distances import nearest_center
from consens.ensemble import Ensemble
from consens.generate._members import FOLDER, Generator, Member, Task, cluster_range, describe
from consens.generate.lac import adapt, starting_centers
from consens.labels import compact


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
    n_jobs : int or None, default=None
        Members made at the same time, as joblib counts.
    store : path or None, default=None
        Folder to keep finished members in, each from the moment it is finished.  A fit with the
        same X, parameters and `random_state` takes them from there and makes only the rest,
        whatever ended the first one; a folder of another X or other parameters is refused.

    Attributes
    ----------
    members_ : list of Member
        The fitted members: model, record and payload.
    n_iter_ : int
        Iterations of the member that took most.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when X had string column names.

    See Also
    --------
    LAC : one run.

    Notes
    -----
    Per member the ensemble holds in its payload ``centers`` and ``weights`` (row j is cluster
    j), and ``features``: X itself, not a copy, shared by all members.  Clusters that no object
    belongs to are left out.

    M members of k clusters and t iterations: O(M·t·n·k·d) time; memory is the labels (4·n·M
    bytes) and what one job needs beside X, O(n + k·d).

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
    ) -> None:
        self.n_clusters = n_clusters
        self.inverse_h = inverse_h
        self.start = start
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store

    def _tasks(self, X: Any) -> list[Task]:
        n = X.shape[0]
        k_range = cluster_range(self.n_clusters, n, n, f"{n} objects of X")
        inverse_h = _check_inverse_h(self.inverse_h)
        start_seed, *seeds = spawn_seeds(self.random_state, len(inverse_h) + 1)
        shared = None
        if self.start == "shared":
            shared = starting_centers(X, k_range[1], "farthest", start_seed)
        return [
            partial(
                cluster,
                seed=seed,
                k_range=k_range,
                inverse_h=inverse,
                start=shared,
                max_iter=self.max_iter,
            )
            for seed, inverse in zip(seeds, inverse_h, strict=True)
        ]

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
) -> tuple[np.ndarray, Member]:
    """Make one member: draw k, take the shared start or draw one, and adapt."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(*k_range, endpoint=True))
    if start is None:
        centers = starting_centers(X, k, "random", int(rng.integers(2**32)))
    else:
        centers = start[:k]
    done = adapt(X, centers, 1 / inverse_h if inverse_h else np.inf, max_iter)
    filled = np.flatnonzero(np.bincount(done.labels))
    centers, weights = done.centers[filled], done.weights[filled]
    labels = compact(done.labels)
    parameters = {"n_clusters": k, "inverse_h": inverse_h, "max_iter": max_iter}
    record = describe("LAC", labels, seed, parameters) | {"n_iter": done.n_iter}
    payload = {"centers": centers, "weights": weights}
    return labels, Member(WeightedCenters(centers, weights), record, payload)


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
