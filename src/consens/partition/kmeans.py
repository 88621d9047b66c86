"""Weighted k-means with careful starts, on dense or sparse rows."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse

from consens._blocks import in_blocks, load, map_rows, split_like, take_rows
from consens._labels import first_seen, first_seen_order
from consens._validation import check_finite, check_integer, check_number
from consens.partition.empty import fill_empty
from consens.partition.exact_kmeans import KMeansResult, refine_exactly
from consens.partition.graph import check_n_parts, check_vertex_weights
from consens.partition.seeding import far_rows, start_sample


def weighted_kmeans(
    X: Any,
    n_clusters: int,
    weights: ArrayLike | None = None,
    *,
    metric: np.ndarray | None = None,
    init: ArrayLike | None = None,
    n_init: int = 10,
    max_iter: int = 300,
    tol: float = 1e-6,
    seed: int = 0,
) -> KMeansResult:
    """Minimise the sum of w_i |x_i - c_k|² over k centres.

    The best of `n_init` starts of greedy k-means++ (`seeding.far_rows`) is kept.  With more than
    20,000 rows the starts run on a sample of that size, and only the best one is refined on all
    rows.

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
        Initial centres, instead of random starts.
    n_init, max_iter : int
    tol : float
        Stop when no label changes, or when the sum of squares falls by less than this share.
    seed : int

    Returns
    -------
    KMeansResult
        Exactly n_clusters clusters: an empty one gets the row farthest from its centre.

    Notes
    -----
    Of equally near centres the first wins.  The result does not depend on the number of threads.
    O(n·d·k) time per iteration, in blocks of rows.

    More than 20,000 dense rows without weights are refined on a grid of 2^-32 of the largest
    value, where sums are exact (`refine_exactly`): `Rows` give the same result as an array,
    whatever their block sizes.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.partition import weighted_kmeans
    >>> done = weighted_kmeans(np.array([[0.0], [1.0], [9.0]]), 2, weights=[3, 1, 1])
    >>> done.labels, done.centers.ravel(), done.inertia
    (array([0, 0, 1], dtype=int32), array([0.25, 9.  ]), 0.75)
    """
    X = X if in_blocks(X) else check_finite(X, "X")
    n, d = X.shape
    n_clusters = check_n_parts(n_clusters, n)
    n_init, tol = check_integer(n_init, "n_init"), check_number(tol, "tol")
    max_iter = check_integer(max_iter, "max_iter", least=0)
    if metric is not None:
        metric = _of_shape(metric, "metric", (d, d))
    if init is not None:
        init = _of_shape(init, "init", (n_clusters, d))
    rng = np.random.default_rng(seed)
    sample = start_sample(n, n_clusters, rng)
    on_grid = len(sample) < n and weights is None and metric is None and not issparse(X)
    w = check_vertex_weights(weights, len(sample) if on_grid else n)
    rows = X if on_grid else load(X)
    if issparse(rows):
        rows = csr_array(rows).astype(np.float64)
    else:
        rows = map_rows(partial(np.asarray, dtype=np.float64), rows, width=X.shape[1])
    if init is None:
        drawn = _WeightedRows(take_rows(rows, sample), w if on_grid else w[sample], metric)
        best = drawn.best_of_starts(n_clusters, n_init, max_iter, tol, rng)
    else:
        best = KMeansResult(np.empty(0), np.asarray(init, dtype=np.float64), np.inf)
    if on_grid:
        best = refine_exactly(rows, best.centers, max_iter=max_iter, tol=tol)
    elif len(best.labels) < n:
        best = _WeightedRows(rows, w, metric).lloyd(best.centers, max_iter, tol)
    order = first_seen(best.labels)
    labels = split_like(first_seen_order(best.labels), X)
    return KMeansResult(labels, best.centers[order], best.inertia)


def _of_shape(matrix: Any, name: str, shape: tuple[int, int]) -> np.ndarray:
    matrix = check_finite(matrix, name)
    if issparse(matrix) or matrix.shape != shape:
        raise ValueError(f"{name} has shape {matrix.shape}; expected an array of shape {shape}")
    return matrix


class _WeightedRows:
    """Rows, their weights, and the metric in which they are clustered."""

    def __init__(self, X: Any, weights: np.ndarray, metric: np.ndarray | None) -> None:
        self.X, self.weights, self.metric = X, weights, metric
        self.squares = _squares(X, metric)

    def best_of_starts(
        self, k: int, n_init: int, max_iter: int, tol: float, rng: np.random.Generator
    ) -> KMeansResult:
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
            centers = self._dense([start.row for start in found])
            done = self.lloyd(centers, max_iter, tol)
            # a later start must be better by more than rounding
            if best is None or done.inertia < best.inertia * (1 - 1e-9):
                best = done
        assert best is not None
        return best

    def lloyd(self, centers: np.ndarray, max_iter: int, tol: float) -> KMeansResult:
        """Alternate between assigning rows to the nearest centre and moving the centres."""
        labels, means, inertia = self._step(centers)
        for _ in range(max_iter):
            centers, before, old = means, inertia, labels
            labels, means, inertia = self._step(centers)
            if before - inertia <= tol * before or np.array_equal(labels, old):
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
