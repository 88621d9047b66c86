"""k-means: on weighted rows, on an integer grid, by scikit-learn, and by compiled loops."""

import math
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from consens._blocks import collect_rows, fixed, map_rows, persist, sum_rows
from consens._labels import fill_empty
from consens._numerics.distances import Sweep, sweep, weighted_squares
from consens._numerics.seeding import far_rows

#: Most sweeps, and the relative fall of the sum of squares below which they end.
MOST_SWEEPS = 300
LEAST_FALL = 1e-6

GRID_BITS = 32
SQUARE_UNIT = 2.0**34  # squared row norms are stored in this unit, so that they add up in int64
_ROW_BYTES = 2**8  # makes blocks of 2^18 rows


class KMeansResult(NamedTuple):
    """Labels numbered by first row, centres in that order, and the weighted sum of squares."""

    labels: Any
    centers: np.ndarray
    inertia: float


class WeightedRows:
    """Rows, their weights, and the metric in which they are clustered."""

    def __init__(self, X: Any, weights: np.ndarray, metric: np.ndarray | None) -> None:
        self.X, self.weights, self.metric = X, weights, metric
        self.squares = _squares(X, metric)

    def best_of_starts(self, k: int, n_init: int, rng: np.random.Generator) -> KMeansResult:
        """The best of several careful starts."""
        best = None
        for _ in range(max(1, n_init)):
            found = far_rows(
                lambda rows: _squared_distances(
                    self.X, self.squares, self._dense(rows), self.metric
                ),
                self.weights,
                k,
                rng,
                n_trials=2 + int(np.log(k)),
            )
            centers = self._dense([row for row, _ in found])
            done = self.lloyd(centers)
            # a later start must be better by more than rounding
            if best is None or done.inertia < best.inertia * (1 - 1e-9):
                best = done
        assert best is not None
        return best

    def lloyd(self, centers: np.ndarray) -> KMeansResult:
        """Alternate between assigning rows to the nearest centre and moving the centres."""
        labels, means, inertia = self._step(centers)
        for _ in range(MOST_SWEEPS):
            centers, before, old = means, inertia, labels
            labels, means, inertia = self._step(centers)
            if before - inertia <= LEAST_FALL * before or np.array_equal(labels, old):
                break
        return KMeansResult(labels, centers, inertia)

    def _step(self, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Labels of the nearest centres, the means of these clusters, and the sum of squares."""

        def assign(rows: Any, squares: np.ndarray) -> np.ndarray:
            distances = _squared_distances(rows, squares, centers, self.metric)
            labels = distances.argmin(axis=1)
            return np.column_stack([labels, distances[np.arange(len(labels)), labels]])

        width = 24 * (len(centers) + 2)
        both = map_rows(assign, self.X, self.squares, bytes_per_row=width)
        cost = self.weights * both[:, 1]
        labels = fill_empty(both[:, 0].astype(np.int64), -cost, len(centers))
        return labels, self._means(labels, len(centers)), float(self.weights @ both[:, 1])

    def _means(self, labels: np.ndarray, k: int) -> np.ndarray:
        n = len(labels)
        members = csr_array((self.weights, labels, np.arange(n + 1)), shape=(n, k)).T.tocsr()
        sums = members @ self.X
        sums = sums.toarray() if issparse(sums) else sums
        return sums / np.bincount(labels, self.weights, minlength=k)[:, None]

    def _dense(self, rows: Any) -> np.ndarray:
        return self.X[rows].toarray() if issparse(self.X) else self.X[rows]


def _squares(X: Any, metric: np.ndarray | None) -> np.ndarray:
    def squares(rows: Any) -> np.ndarray:
        images = rows if metric is None else rows @ metric
        if issparse(rows):
            return np.asarray(rows.multiply(images).sum(axis=1)).ravel()
        return np.einsum("ij,ij->i", images, rows)

    return map_rows(squares, X, bytes_per_row=0 if metric is None else 16 * X.shape[1])


def _squared_distances(
    X: Any, squares: np.ndarray, centers: np.ndarray, metric: np.ndarray | None
) -> np.ndarray:
    """Squared distances of all rows to some centres."""
    images = centers if metric is None else centers @ metric
    cross = np.asarray(X @ images.T)
    return np.maximum(squares[:, None] - 2 * cross + np.einsum("ij,ij->i", centers, images), 0.0)


def refine_exactly(X: Any, centers: np.ndarray) -> KMeansResult:
    """Run Lloyd's algorithm on a grid of 2^-32 of the largest value, where sums are exact."""
    ranges = collect_rows(lambda rows: float(np.abs(rows).max()), X, bytes_per_row=8 * X.shape[1])
    largest = max([*ranges, float(np.abs(centers).max()), np.finfo(float).tiny])
    bits = GRID_BITS - int(np.frexp(largest)[1])
    grid = _Grid(bits, fixed(centers, bits))
    total = sum_rows(grid.square, X, bytes_per_row=_ROW_BYTES)
    state = grid.sums(X)
    inertia = grid.inertia(state, total)
    for _ in range(MOST_SWEEPS):
        before, last = inertia, grid
        grid = _Grid(bits, np.rint(state.sums / state.counts[:, None]))
        state = grid.sums(X)
        inertia = grid.inertia(state, total)
        if before - inertia <= LEAST_FALL * before or np.array_equal(grid.centers, last.centers):
            break
    labels = persist(grid.labels(X) if state.labels is None else state.labels)
    return KMeansResult(labels, np.ldexp(grid.centers, -bits), math.ldexp(inertia, -2 * bits))


class _Sums(NamedTuple):
    """Exact sums over the rows of each cluster, in units of the grid."""

    counts: np.ndarray
    sums: np.ndarray
    labels: Any = None  # only if they are not the nearest centres


@dataclass(frozen=True)
class _Grid:
    """Centres in units of 2^-bits."""

    bits: int
    centers: np.ndarray

    def sums(self, X: Any) -> _Sums:
        """Assign the rows to centres, none of which stays empty, and add them up per centre."""
        found = _Sums(*sum_rows(self._sums, X, bytes_per_row=_ROW_BYTES))
        if found.counts.all():
            return found
        loss = map_rows(lambda rows: -self._squares(rows).min(axis=1), X, bytes_per_row=_ROW_BYTES)
        labels = fill_empty(self.labels(X), loss, len(self.centers))
        return _Sums(*sum_rows(self._sums_of, X, labels, bytes_per_row=_ROW_BYTES), labels)

    def labels(self, X: Any) -> Any:
        """Nearest centre of each row."""
        return map_rows(
            lambda rows: self._sweep(rows).labels, X, bytes_per_row=_ROW_BYTES, dtype=np.int32
        )

    def square(self, rows: np.ndarray) -> int:
        """Sum of the squares of rows, in SQUARE_UNIT squared units."""
        units = rows * 2.0**self.bits
        squares = np.einsum("ij,ij->i", units, units) / SQUARE_UNIT
        return int(np.rint(squares).astype(np.int64).sum())

    def inertia(self, state: _Sums, total: int) -> float:
        """Sum of squared distances from the centres, in squared units."""
        between = (
            2 * (self.centers * state.sums).sum()
            - (state.counts * np.square(self.centers).sum(axis=1)).sum()
        )
        return max(total * SQUARE_UNIT - float(between), 0.0)

    def _sweep(self, rows: np.ndarray) -> Sweep:
        return sweep(fixed(rows, self.bits), self.centers, np.ones_like(self.centers))

    def _sums(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        done = self._sweep(rows)
        deviations = done.deviations.astype(np.int64)
        return done.counts, deviations + done.counts[:, None] * self.centers.astype(np.int64)

    def _sums_of(self, rows: np.ndarray, own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        k = len(self.centers)
        sums = np.zeros((k, rows.shape[1]), dtype=np.int64)
        np.add.at(sums, own, fixed(rows, self.bits).astype(np.int64))
        return np.bincount(own, minlength=k), sums

    def _squares(self, rows: np.ndarray) -> np.ndarray:
        return weighted_squares(fixed(rows, self.bits), self.centers, np.ones_like(self.centers))


def run_kmeans(X: Any, k: int, start: Any, seed: int, sweeps: int) -> np.ndarray:
    """Centres of one run of Lloyd's algorithm."""
    model = KMeans(k, init=start, n_init=1, max_iter=sweeps, random_state=seed)
    with warnings.catch_warnings():
        # fewer distinct objects than k: the empty clusters are dropped later
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X).cluster_centers_


def run_lloyd(X: np.ndarray, centers: np.ndarray, sweeps: int) -> np.ndarray:
    """Centres of a quick run of Lloyd's algorithm, until a thousandth of the objects move."""
    from consens._kernels.kmeans import move_centers

    centers = np.array(centers, dtype=np.float64, order="C")
    move_centers(np.ascontiguousarray(X, dtype=np.float64), centers, sweeps, len(X) // 1000)
    return centers
