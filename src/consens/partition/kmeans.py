"""Weighted k-means with careful starts, on dense or sparse rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse

from consens.blocks import Rows, collect_rows, map_rows, sum_rows, take_rows
from consens.blocks.exact import fixed
from consens.distances import sweep, weighted_squares
from consens.labels import first_seen, first_seen_order
from consens.partition.graph import check_n_parts, check_vertex_weights

START_ROWS = 20_000  # starts are tried on no more rows than this

GRID_BITS = 32
SQUARE_UNIT = 2.0**34  # squares of a row, over this, add up in int64
_ROW_BYTES = 2**8  # cuts 2^18 rows


class KMeansResult(NamedTuple):
    """Labels numbered by first row, centres in that order, and the weighted sum of squares."""

    labels: Any
    centers: np.ndarray
    inertia: float


def weighted_kmeans(
    X: Any,
    n_clusters: int,
    weights: Any = None,
    *,
    metric: Any = None,
    init: Any = None,
    n_init: int = 10,
    max_iter: int = 300,
    tol: float = 1e-6,
    seed: int = 0,
) -> KMeansResult:
    """Minimise the sum of w_i |x_i - c_k|² over k centres.

    Starts are drawn by greedy k-means++: each further centre is the best of a few rows drawn
    with probability w_i d_i², d_i the distance to the nearest centre so far.  Of `n_init`
    starts the one with the smallest sum of squares is kept.  Where there are more than 20,000
    rows the starts compete on a sample of that many, and the best of them alone is refined on
    all rows.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n, d), or Rows
    n_clusters : int, 1 to n
    weights : array-like of shape (n,), optional
        Positive.  Not for `Rows`.
    metric : ndarray of shape (d, d), optional
        Positive semidefinite G; |x|² is then x G x'.  Rows of a product X F with F F' = G are
        clustered without forming it.
    init : ndarray of shape (n_clusters, d), optional
        Centres to start from, in place of starts that are drawn.
    n_init, max_iter : int
    tol : float
        Stops when no label changes, or when the sum of squares falls by less than this share.
    seed : int

    Returns
    -------
    KMeansResult
        Exactly n_clusters clusters: one that loses all its rows is given the row that costs
        most where it is, as long as that row is not alone.

    Notes
    -----
    A row as near to two centres goes to the first.  Independent of the number of threads.
    O(n·d·k) time per iteration, blocks of rows beside the input.

    More than 20,000 dense rows without weights are refined on a grid of 2^-32 of the largest
    value, where sums are exact (`refine_exactly`): `Rows` give the answer of the whole array,
    wherever their blocks end.

    References
    ----------
    D. Arthur and S. Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.partition import weighted_kmeans
    >>> done = weighted_kmeans(np.array([[0.0], [1.0], [9.0]]), 2, weights=[3, 1, 1])
    >>> done.labels, done.centers.ravel(), done.inertia
    (array([0, 0, 1], dtype=int32), array([0.25, 9.  ]), 0.75)
    """
    n = X.shape[0]
    check_n_parts(n_clusters, n)
    if isinstance(X, Rows):
        if n > max(START_ROWS, n_clusters):
            return _in_blocks(X, n_clusters, init, n_init, max_iter, tol, seed)
        done = weighted_kmeans(
            X.load(), n_clusters, init=init, n_init=n_init, max_iter=max_iter, tol=tol, seed=seed
        )
        return done._replace(labels=X.split_like(done.labels))
    X = csr_array(X).astype(np.float64) if issparse(X) else np.asarray(X, dtype=np.float64)
    w = check_vertex_weights(weights, n)
    if n > max(START_ROWS, n_clusters) and not issparse(X) and weights is None and metric is None:
        return _in_blocks(X, n_clusters, init, n_init, max_iter, tol, seed)
    if init is None:
        rng = np.random.default_rng(seed)
        best = _best_start(X, w, n_clusters, metric, n_init, max_iter, tol, rng)
    else:
        best = KMeansResult(np.empty(0), np.asarray(init, dtype=np.float64), np.inf)
    if len(best.labels) < n:
        best = _lloyd(X, _squares(X, metric), w, best.centers, metric, max_iter, tol)
    labels = first_seen_order(best.labels)
    _, first = np.unique(best.labels, return_index=True)
    return KMeansResult(labels, best.centers[np.argsort(first)], best.inertia)


def _in_blocks(
    X: Any, k: int, init: Any, n_init: int, max_iter: int, tol: float, seed: int
) -> KMeansResult:
    """Start from a sample, or from given centres, and refine on all rows."""
    if init is None:
        rng = np.random.default_rng(seed)
        sample = take_rows(X, np.sort(rng.choice(len(X), START_ROWS, replace=False)))
        weights = np.ones(len(sample))
        init = _best_start(sample, weights, k, None, n_init, max_iter, tol, rng).centers
    done = refine_exactly(X, np.asarray(init, dtype=np.float64), max_iter=max_iter, tol=tol)
    order = first_seen(done.labels)
    return KMeansResult(first_seen_order(done.labels), done.centers[order], done.inertia)


def refine_exactly(X: Any, centers: np.ndarray, *, max_iter: int, tol: float) -> KMeansResult:
    """Lloyd's algorithm from given centres with sums that depend on no order.

    Rows and centres are rounded to integer multiples of a unit, 2^-32 of the largest value.
    Sums of them over 2^18 rows are exact in float64, and over all rows in int64.
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
        grid = _Grid(bits, state.means())
        state = grid.sums(X)
        inertia = grid.inertia(state, total)
        if before - inertia <= tol * before or np.array_equal(grid.centers, last.centers):
            break
    labels = grid.labels(X) if state.labels is None else state.labels
    labels = labels.persist() if isinstance(labels, Rows) else labels
    return KMeansResult(labels, np.ldexp(grid.centers, -bits), math.ldexp(inertia, -2 * bits))


class _Sums(NamedTuple):
    """Exact sums over the rows of each cluster, in units of the grid."""

    counts: np.ndarray
    sums: np.ndarray
    labels: Any = None  # where they are not those of the nearest centres

    def means(self) -> np.ndarray:
        """Means, rounded to the grid."""
        return np.rint(self.sums / self.counts[:, None])


@dataclass(frozen=True)
class _Grid:
    """Centres in units of 2^-bits."""

    bits: int
    centers: np.ndarray

    def sums(self, X: Any) -> _Sums:
        """Assign all rows, none of the centres without any, and add them up."""
        counts, sums = sum_rows(self._sums, X, bytes_per_row=_ROW_BYTES)
        if counts.all():
            return _Sums(counts, sums)
        cost = map_rows(self._costs, X, bytes_per_row=_ROW_BYTES)
        labels = refill(self.labels(X), cost, len(self.centers))
        counts, sums = sum_rows(self._sums_of, X, labels, bytes_per_row=_ROW_BYTES)
        return _Sums(counts, sums, labels)

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

    def _sweep(self, rows: np.ndarray) -> Any:
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

    def _costs(self, rows: np.ndarray) -> np.ndarray:
        return weighted_squares(
            fixed(rows, self.bits), self.centers, np.ones_like(self.centers)
        ).min(axis=1)


def _best_start(
    X: Any,
    w: np.ndarray,
    k: int,
    metric: np.ndarray | None,
    n_init: int,
    max_iter: int,
    tol: float,
    rng: np.random.Generator,
) -> KMeansResult:
    """The best of several starts, of all rows or of a sample."""
    n = X.shape[0]
    if n > START_ROWS > k:
        rows = np.sort(rng.choice(n, START_ROWS, replace=False))
        X, w = X[rows], w[rows]
    squares = _squares(X, metric)
    best = None
    for _ in range(max(1, n_init)):
        centers = _careful_start(X, squares, w, k, metric, rng)
        done = _lloyd(X, squares, w, centers, metric, max_iter, tol)
        # a start must be clearly better to replace an earlier one, not by rounding alone
        if best is None or done.inertia < best.inertia * (1 - 1e-9):
            best = done
    assert best is not None
    return best


def _squares(X: Any, metric: np.ndarray | None) -> np.ndarray:
    if metric is not None:
        return map_rows(
            lambda rows: (
                np.asarray((rows.multiply(rows @ metric)).sum(axis=1)).ravel()
                if issparse(rows)
                else np.einsum("ij,ij->i", rows @ metric, rows)
            ),
            X,
            bytes_per_row=16 * X.shape[1],
        )
    if issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)


def _distances(
    X: Any, squares: np.ndarray, centers: np.ndarray, metric: np.ndarray | None
) -> np.ndarray:
    """Squared distances of all rows to some centres."""
    images = centers if metric is None else centers @ metric
    cross = np.asarray(X @ images.T)
    return np.maximum(squares[:, None] - 2 * cross + np.einsum("ij,ij->i", centers, images), 0.0)


def _dense(X: Any, rows: Any) -> np.ndarray:
    return X[rows].toarray() if issparse(X) else X[rows]


def _careful_start(
    X: Any,
    squares: np.ndarray,
    w: np.ndarray,
    k: int,
    metric: np.ndarray | None,
    rng: np.random.Generator,
) -> np.ndarray:
    n_trials = 2 + int(np.log(k))
    chosen = [_draw(w, rng, 1)[0]]
    nearest = _distances(X, squares, _dense(X, chosen), metric)[:, 0]
    for _ in range(1, k):
        trials = _draw(w * nearest, rng, n_trials)
        if trials[0] < 0:  # every row is a centre already
            trials = np.setdiff1d(np.arange(len(w)), chosen)[:1]
        tried = _distances(X, squares, _dense(X, trials), metric)
        reach = np.minimum(nearest[:, None], tried)
        best = int((w @ reach).argmin())
        chosen.append(trials[best])
        nearest = reach[:, best]
    return _dense(X, chosen)


def _draw(mass: np.ndarray, rng: np.random.Generator, size: int) -> np.ndarray:
    """Rows drawn in proportion to `mass`, or -1 where there is none."""
    total = np.cumsum(mass)
    places = rng.random(size) * total[-1]
    if total[-1] <= 0:
        return np.full(size, -1)
    return np.minimum(np.searchsorted(total, places, side="right"), len(mass) - 1)


def _lloyd(
    X: Any,
    squares: np.ndarray,
    w: np.ndarray,
    centers: np.ndarray,
    metric: np.ndarray | None,
    max_iter: int,
    tol: float,
) -> KMeansResult:
    labels, means, inertia = _step(X, squares, w, centers, metric)
    for _ in range(max_iter):
        centers, before, old = means, inertia, labels
        labels, means, inertia = _step(X, squares, w, centers, metric)
        if before - inertia <= tol * before or np.array_equal(labels, old):
            break
    return KMeansResult(labels, centers, inertia)


def _step(
    X: Any, squares: np.ndarray, w: np.ndarray, centers: np.ndarray, metric: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, float]:
    """Labels by the nearest centre, the means of these clusters, and the sum of squares."""
    k = len(centers)
    labels, cost = _assign(X, squares, centers, metric)
    labels = refill(labels, w * cost, k)
    return labels, _means(X, w, labels, k), float(w @ cost)


def _assign(
    X: Any, squares: np.ndarray, centers: np.ndarray, metric: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Nearest centre of each row and its squared distance."""

    def block(rows: Any, own: np.ndarray) -> np.ndarray:
        distances = _distances(rows, own, centers, metric)
        labels = distances.argmin(axis=1)
        return np.column_stack([labels, distances[np.arange(len(own)), labels]])

    both = map_rows(block, X, squares, bytes_per_row=24 * (len(centers) + 2))
    return both[:, 0].astype(np.int64), both[:, 1]


def _means(X: Any, w: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
    n = len(labels)
    members = csr_array((w, labels, np.arange(n + 1)), shape=(n, k)).T.tocsr()
    sums = members @ X
    sums = sums.toarray() if issparse(sums) else sums
    return sums / np.bincount(labels, w, minlength=k)[:, None]


def refill(labels: Any, cost: Any, k: int) -> Any:
    """Give each cluster without rows the costliest row that is not alone in its cluster.

    Of equally costly rows the first goes.  Labels and costs may be `Rows`.
    """
    sizes = sum_rows(lambda own: np.bincount(own, minlength=k), labels, bytes_per_row=8)
    if sizes.all():
        return labels
    # a row is passed over when it is the last of its cluster, which happens once per cluster
    wanted = int((sizes == 0).sum()) + k

    def costliest(own: np.ndarray, costs: np.ndarray, start: int = 0) -> np.ndarray:
        some = np.flatnonzero(sizes[own] > 1)
        some = some[np.argsort(-costs[some], kind="stable")[:wanted]]
        return np.column_stack([some + start, own[some], costs[some]])

    if isinstance(labels, Rows):
        found = np.concatenate(list(labels.collect(costliest, cost, each=labels.starts)))
    else:
        found = costliest(labels, cost)
    moved = {}
    for number, own, _ in found[np.lexsort((found[:, 0], -found[:, 2]))]:
        if sizes.all():
            break
        if sizes[int(own)] > 1:
            sizes[int(own)] -= 1
            moved[int(number)] = int(sizes.argmin())
            sizes[moved[int(number)]] += 1
    numbers, new = np.array(list(moved)), np.array(list(moved.values()))

    def move(own: np.ndarray, start: int = 0) -> np.ndarray:
        own = own.copy()
        here = (numbers >= start) & (numbers < start + len(own))
        own[numbers[here] - start] = new[here]
        return own

    if isinstance(labels, Rows):
        return labels.map(move, each=labels.starts, dtype=labels.dtype)
    return move(labels)
