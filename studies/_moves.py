"""k-means members that end with moves of single objects, as the published ensembles do.

Lloyd's algorithm is followed by moves that lower the sum of squares when both means change at once
(Hartigan), so that members leave local optima of Lloyd's algorithm.  The online phase of MATLAB's
k-means makes such moves, and the members of published ensembles are such optima.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from consens._kernels._njit import njit
from consens._numerics.distances import cluster_means
from consens._numerics.nearest import nearest
from consens.generate import KMeansEnsemble
from consens.generate._plan import Plan, Trained

MAX_SWEEPS = 100


class MovedKMeans(KMeansEnsemble):
    """`KMeansEnsemble` on dense features whose members end with moves of single objects."""

    def _plans(self, X: Any) -> list[Plan]:
        return [replace(p, fit=partial(fit_moved, fit=p.fit)) for p in super()._plans(X)]


def fit_moved(rows: np.ndarray, *, fit: Callable[[Any], Any]) -> Trained:
    """Train a member, and move single objects."""
    model = fit(rows).model
    return Trained(replace(model, centers=run_moves(rows, model.centers, MAX_SWEEPS)))


def run_moves(X: np.ndarray, centers: np.ndarray, sweeps: int) -> np.ndarray:
    """Centres after moves of single objects; empty clusters are left out."""
    X = np.ascontiguousarray(X, dtype=np.float64)
    _, labels = np.unique(nearest(X, np.ascontiguousarray(centers)), return_inverse=True)
    centers = cluster_means(X, labels, int(labels.max()) + 1)
    move_objects(X, labels, centers, sweeps)
    return centers


@njit
def move_objects(X: np.ndarray, labels: np.ndarray, centers: np.ndarray, sweeps: int) -> None:
    """Move objects one by one while that lowers the sum of squares, in place.

    Moving x from cluster a to b changes the sum by n_b / (n_b + 1) |x - c_b|² less
    n_a / (n_a - 1) |x - c_a|²; both means change at once.  It ends after a sweep without a move.
    `centers` must be the means of nonempty clusters, which stay nonempty.
    """
    n, k = len(X), len(centers)
    sizes = np.bincount(labels, minlength=k)
    # Most clusters do not change in late sweeps.  An object is compared only with clusters that
    # changed since its last visit; `floor` is the least cost of moving to any other cluster then.
    changed = np.zeros(k, dtype=np.int64)
    seen = np.full(n, -1, dtype=np.int64)
    floor = np.zeros(n)
    now, last = 0, -1
    for _ in range(sweeps):
        for i in range(n):
            if i == last:
                return  # one sweep since the last move
            own = labels[i]
            if sizes[own] == 1:
                continue
            cost = _square(X[i], centers[own]) * sizes[own] / (sizes[own] - 1)
            again = floor[i] < cost
            target, least = -1, np.inf
            for j in range(k):
                if j != own and (again or changed[j] > seen[i]):
                    value = _square(X[i], centers[j]) * sizes[j] / (sizes[j] + 1)
                    if value < least:
                        target, least = j, value
            floor[i] = least if again else min(floor[i], least)
            seen[i] = now
            if least < cost * (1.0 - 1e-12):
                now += 1
                last = i
                _shift(centers[own], X[i], -1.0 / (sizes[own] - 1))
                _shift(centers[target], X[i], 1.0 / (sizes[target] + 1))
                sizes[own] -= 1
                sizes[target] += 1
                changed[own] = changed[target] = now
                labels[i] = target
                seen[i] = -1
                floor[i] = 0.0
        if last < 0:
            return


@njit
def _square(a: np.ndarray, b: np.ndarray) -> float:
    """Squared distance; four independent sums, which processors add in parallel."""
    d = len(a)
    whole = d - d % 4
    first = second = third = fourth = 0.0
    for s in range(0, whole, 4):
        first += (a[s] - b[s]) ** 2
        second += (a[s + 1] - b[s + 1]) ** 2
        third += (a[s + 2] - b[s + 2]) ** 2
        fourth += (a[s + 3] - b[s + 3]) ** 2
    for s in range(whole, d):
        first += (a[s] - b[s]) ** 2
    return first + second + third + fourth


@njit
def _shift(center: np.ndarray, x: np.ndarray, share: float) -> None:
    for s in range(len(center)):
        center[s] += share * (x[s] - center[s])
