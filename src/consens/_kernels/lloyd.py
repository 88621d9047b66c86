"""Lloyd's algorithm with little overhead, for many small runs."""

from __future__ import annotations

import numpy as np

from consens._kernels._njit import njit


@njit
def move_centers(X: np.ndarray, centers: np.ndarray, sweeps: int, still: int) -> None:
    """Move centres to the means of their objects, until at most `still` objects change centres.

    A centre without objects stays where it is.
    """
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
