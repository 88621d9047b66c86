"""Weighted k-means with careful starts, on dense or sparse rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse

from consens.blocks import map_rows
from consens.distances import sweep
from consens.labels import first_seen_order
from consens.partition.graph import check_n_parts, check_vertex_weights

START_ROWS = 20_000  # starts are tried on no more rows than this


class KMeansResult(NamedTuple):
    """Labels numbered by first row, centres in that order, and the weighted sum of squares."""

    labels: np.ndarray
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
    X : ndarray or sparse array of shape (n, d)
    n_clusters : int, 1 to n
    weights : array-like of shape (n,), optional
        Positive.
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
    X = csr_array(X).astype(np.float64) if issparse(X) else np.asarray(X, dtype=np.float64)
    n = X.shape[0]
    check_n_parts(n_clusters, n)
    w = check_vertex_weights(weights, n)
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
    if len(w) > START_ROWS and metric is None and not issparse(X) and (w == 1).all():
        done = sweep(X, centers, np.ones_like(centers))
        if done.counts.all():
            means = centers + done.deviations / done.counts[:, None]
            return done.labels, means, float(done.squares.sum())
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


def refill(labels: np.ndarray, cost: np.ndarray, k: int) -> np.ndarray:
    """Give each cluster without rows the costliest row that is not alone in its cluster."""
    sizes = np.bincount(labels, minlength=k)
    if sizes.all():
        return labels
    labels = labels.copy()
    for row in np.argsort(-cost, kind="stable"):
        if sizes.all():
            break
        if sizes[labels[row]] > 1:
            sizes[labels[row]] -= 1
            labels[row] = int(sizes.argmin())
            sizes[labels[row]] += 1
    return labels
