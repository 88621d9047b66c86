"""k-means with little overhead: Lloyd's algorithm, and weighted distances.

For weighted distances, a tile of objects is transposed, so that the innermost loop runs over
objects and is vectorised without changing the order of any addition.  Four features at a time
halve the memory traffic.  Each distance is the sum over features from the first to the last, as
in the plain formula.
"""

import numpy as np

from consens._kernels._njit import njit

LANES = 64  # objects per tile; with 50 features a tile fits in the first-level cache


@njit
def move_centers(X: np.ndarray, centers: np.ndarray, sweeps: int, still: int) -> None:
    """Move centres to the means of their objects, until at most `still` objects change centres."""
    n, d = X.shape
    k = len(centers)
    labels = np.full(n, -1, dtype=np.int64)
    half = np.empty(k)
    sizes = np.empty(k)
    sums = np.empty((k, d))
    for _ in range(sweeps):
        for j in range(k):
            square = 0.0
            for s in range(d):
                square += centers[j, s] * centers[j, s]
            half[j] = square / 2.0
        products = np.dot(X, centers.T)  # |x - c|² / 2 = |x|² / 2 + |c|² / 2 - x'c
        moved = 0
        sizes[:] = 0.0
        sums[:] = 0.0
        for i in range(n):
            best = 0
            least = half[0] - products[i, 0]
            for j in range(1, k):
                value = half[j] - products[i, j]
                if value < least:
                    least = value
                    best = j
            if labels[i] != best:
                labels[i] = best
                moved += 1
            sizes[best] += 1.0
            for s in range(d):
                sums[best, s] += X[i, s]
        if moved <= still:
            break
        for j in range(k):
            if sizes[j] > 0.0:
                for s in range(d):
                    centers[j, s] = sums[j, s] / sizes[j]


@njit
def _squares_of_tile(
    X: np.ndarray,
    start: int,
    size: int,
    centers: np.ndarray,
    weights: np.ndarray,
    tile: np.ndarray,
    squares: np.ndarray,
) -> None:
    d = X.shape[1]
    for i in range(size):
        for s in range(d):
            tile[s, i] = X[start + i, s]
    squares[:] = 0.0
    s = 0
    while s + 4 <= d:
        for j in range(len(centers)):
            c0, c1, c2, c3 = centers[j, s], centers[j, s + 1], centers[j, s + 2], centers[j, s + 3]
            w0, w1, w2, w3 = weights[j, s], weights[j, s + 1], weights[j, s + 2], weights[j, s + 3]
            for i in range(LANES):
                t0 = tile[s, i] - c0
                t1 = tile[s + 1, i] - c1
                t2 = tile[s + 2, i] - c2
                t3 = tile[s + 3, i] - c3
                total = squares[j, i] + w0 * (t0 * t0)
                total = total + w1 * (t1 * t1)
                total = total + w2 * (t2 * t2)
                squares[j, i] = total + w3 * (t3 * t3)
        s += 4
    while s < d:
        for j in range(len(centers)):
            c0, w0 = centers[j, s], weights[j, s]
            for i in range(LANES):
                t0 = tile[s, i] - c0
                squares[j, i] += w0 * (t0 * t0)
        s += 1


@njit
def squares_of_rows(X: np.ndarray, centers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Squared distances Σ_s w_js (x_is - c_js)² of all objects to all centres, n × k."""
    n, k = len(X), len(centers)
    tile = np.zeros((X.shape[1], LANES))
    squares = np.empty((k, LANES))
    out = np.empty((n, k))
    for start in range(0, n, LANES):
        size = min(LANES, n - start)
        _squares_of_tile(X, start, size, centers, weights, tile, squares)
        for i in range(size):
            for j in range(k):
                out[start + i, j] = squares[j, i]
    return out


@njit
def sweep_rows(
    X: np.ndarray, centers: np.ndarray, weights: np.ndarray, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fill in the nearest centres; return sizes, Σ (x - c) and Σ (x - c)² of each cluster."""
    n, d = X.shape
    k = len(centers)
    tile = np.zeros((d, LANES))
    squares = np.empty((k, LANES))
    best = np.empty(LANES)
    nearest = np.empty(LANES, dtype=np.int64)
    counts = np.zeros(k, dtype=np.int64)
    sums = np.zeros((k, d))
    sums_of_squares = np.zeros((k, d))
    for start in range(0, n, LANES):
        size = min(LANES, n - start)
        _squares_of_tile(X, start, size, centers, weights, tile, squares)
        for i in range(LANES):  # to assign a row, numba compiles an error message, for seconds
            best[i], nearest[i] = squares[0, i], 0
        for j in range(1, k):
            for i in range(LANES):
                closer = squares[j, i] < best[i]
                best[i] = squares[j, i] if closer else best[i]
                nearest[i] = j if closer else nearest[i]
        for i in range(size):
            j = nearest[i]
            labels[start + i] = j
            counts[j] += 1
            for s in range(d):
                t = X[start + i, s] - centers[j, s]
                sums[j, s] += t
                sums_of_squares[j, s] += t * t
    return counts, sums, sums_of_squares
