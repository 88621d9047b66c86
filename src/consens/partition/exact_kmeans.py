"""Lloyd's algorithm on an integer grid, with sums that do not depend on the order of the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from consens._blocks import collect_rows, map_rows, persist, sum_rows
from consens._blocks.exact import fixed
from consens._numerics.distances import Sweep, sweep, weighted_squares
from consens.partition.empty import fill_empty

GRID_BITS = 32
SQUARE_UNIT = 2.0**34  # squared row norms are stored in this unit, so that they add up in int64
_ROW_BYTES = 2**8  # makes blocks of 2^18 rows


class KMeansResult(NamedTuple):
    """Labels numbered by first row, centres in that order, and the weighted sum of squares."""

    labels: Any
    centers: np.ndarray
    inertia: float


def refine_exactly(X: Any, centers: np.ndarray, *, max_iter: int, tol: float) -> KMeansResult:
    """Run Lloyd's algorithm from given centres with exact sums.

    Rows and centres are rounded to integer multiples of a unit, 2^-32 of the largest value.
    Their sums over 2^18 rows are exact in float64, and over all rows in int64.
    """
    ranges = collect_rows(lambda rows: float(np.abs(rows).max()), X, bytes_per_row=8 * X.shape[1])
    largest = max([*ranges, float(np.abs(centers).max()), np.finfo(float).tiny])
    bits = GRID_BITS - int(np.frexp(largest)[1])
    grid = _Grid(bits, fixed(centers, bits))
    total = sum_rows(grid.square, X, bytes_per_row=_ROW_BYTES)
    state = grid.sums(X)
    inertia = grid.inertia(state, total)
    for _ in range(max_iter):
        before, last = inertia, grid
        grid = _Grid(bits, np.rint(state.sums / state.counts[:, None]))
        state = grid.sums(X)
        inertia = grid.inertia(state, total)
        if before - inertia <= tol * before or np.array_equal(grid.centers, last.centers):
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
