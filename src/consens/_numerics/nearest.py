"""The nearest point of each row, exactly: the assignment step of all that has centres.

A matrix product gives all distances fast, but its rounding depends on the library, the number
of threads and where a block of rows ends.  So the product only *rules out* candidates: it gives
a lower bound for every pair, less the rounding error, and the candidates that remain are compared
by the plain sum of squares.  The result is that of the plain formula on every machine, and single
precision is enough for nearly all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse

from consens._blocks import map_rows
from consens._numerics.distances import nearest_weighted

TILE_ENTRIES = 2**17  # one tile of rows and its bounds stay in the processor's cache
PAIR_BYTES = 2**25


def nearest(X: Any, points: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Index of the point nearest to each row of X, the smallest index among equals.

    The argmin of Σⱼ (xⱼ - pⱼ)², summed from left to right, whatever the other rows and threads
    are; `weights` (k × d) are those of the features for each point.  O(n·k·d) time.
    """
    if weights is not None:
        return nearest_weighted(X, points, weights)
    points = np.asarray(points, dtype=np.float64)
    k, d = points.shape
    if k == 1:
        return np.zeros(X.shape[0], dtype=np.int32)
    if issparse(X):
        bounds = [_Bounds(points, np.float64, sparse=True)]
    else:
        X = np.asarray(X)
        bounds = [_Bounds(points, np.float32), _Bounds(points, np.float64)]
    step = max(64, TILE_ENTRIES // (k + 2 * d))

    def label(rows: Any) -> np.ndarray:
        tiles = [slice(start, start + step) for start in range(0, rows.shape[0], step)]
        return np.concatenate([_nearest_in_tile(rows[t], points, bounds) for t in tiles])

    # a bound that overflows rules out nothing, so the plain formula decides
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return map_rows(label, X, bytes_per_row=16 * d)


def _nearest_in_tile(rows: Any, points: np.ndarray, bounds: Sequence[_Bounds]) -> np.ndarray:
    lower, length = bounds[0](rows)
    best = lower.argmin(axis=1)
    cap = lower[np.arange(len(best)), best] + bounds[0].width(length, best)
    ruled_out = lower > cap.astype(lower.dtype)[:, None]  # false for bounds that overflowed
    best = best.astype(np.int32)
    if np.count_nonzero(ruled_out) == ruled_out.size - len(best):
        return best
    row, candidate = np.nonzero(~ruled_out)
    undecided = np.bincount(row, minlength=len(best)) > 1
    if len(bounds) > 1:
        best[undecided] = _nearest_in_tile(rows[undecided], points, bounds[1:])
    else:
        open_pairs = undecided[row]
        _compare(best, rows, points, row[open_pairs], candidate[open_pairs])
    return best


def _compare(
    best: np.ndarray, rows: Any, points: np.ndarray, row: np.ndarray, candidate: np.ndarray
) -> None:
    """Decide between the candidates of a row by the plain formula."""
    size = max(1, PAIR_BYTES // (8 * points.shape[1]))
    chunks = [slice(start, start + size) for start in range(0, len(row), size)]
    squares = []
    for c in chunks:
        own = rows[row[c]].toarray() if issparse(rows) else rows[row[c]]
        # cumsum adds from left to right, whatever the shape
        squares.append(np.cumsum(np.square(own - points[candidate[c]]), axis=1)[:, -1])
    distance = np.concatenate(squares)
    order = np.lexsort((candidate, distance, row))
    first = np.ones(len(order), dtype=bool)
    first[1:] = row[order[1:]] != row[order[:-1]]
    best[row[order[first]]] = candidate[order[first]]


# With u the unit roundoff, a product of d + 2 terms in any order of summation, of numbers that
# were rounded once, is off by less than (d + 5) u (|x||p| + |p|²).  `_rounding` is more than
# twice that, which also covers the rounding of the bounds themselves.  The plain formula is off
# by (d + 3) u (|x| + |p|)² in double precision; its share in |x|² is added in `width`.


def _rounding(d: int, dtype: Any) -> float:
    return (d + 8) * float(np.finfo(dtype).eps)


class _Bounds:
    """Lower bounds of |x - p|²/2 - |x|²/2 = |p|²/2 - x·p, and the lengths of the rows.

    Dense rows are shifted by the median of the points and scaled, so that single precision is
    enough; the bounds are one product with (x, 1, |x|).
    """

    def __init__(self, points: np.ndarray, dtype: Any, *, sparse: bool = False) -> None:
        if not sparse:
            self.origin = np.median(points, axis=0)
            points = points - self.origin
            radius = float(np.linalg.norm(points, axis=1).max())
            self.scale = 1 / radius if radius else 1.0
            points = points * self.scale
        self.norm = np.linalg.norm(points, axis=1)
        self.error = _rounding(points.shape[1], dtype)
        self.error_of_formula = _rounding(points.shape[1], np.float64)
        self.constant = (0.5 - self.error) * self.norm**2
        self.weights = np.ascontiguousarray(-points.T)
        if not sparse:
            weights = np.vstack([self.weights, self.constant, -self.error * self.norm])
            self.weights = weights.astype(dtype)

    def __call__(self, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        if issparse(rows):
            length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel())
            lower = rows @ self.weights + self.constant
            lower -= self.error * length[:, None] * self.norm
            return lower, length
        n, d = rows.shape
        shifted = (rows - self.origin) * self.scale
        length = np.sqrt(np.einsum("ij,ij->i", shifted, shifted))
        table = np.empty((n, d + 2), dtype=self.weights.dtype)
        table[:, :d] = shifted
        table[:, d] = 1
        table[:, d + 1] = length
        return table @ self.weights, length

    def width(self, length: np.ndarray, best: np.ndarray) -> np.ndarray:
        """Difference between the upper and the lower bound of the best point of each row."""
        norm = self.norm[best]
        return 2 * self.error * (length + norm) * norm + 4 * self.error_of_formula * length**2
