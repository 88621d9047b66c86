"""The few nearest of many points, by plain sums of squares."""

from __future__ import annotations

import numpy as np

from consens._kernels._njit import njit


@njit
def nearest_few(
    X: np.ndarray, columns: np.ndarray, index: np.ndarray, squares: np.ndarray
) -> None:
    """Numbers and squared distances of the nearest points, nearest first.

    `columns` holds the points by feature (d × p), `index` and `squares` have n × q entries.
    """
    n, d = X.shape
    p, q = columns.shape[1], index.shape[1]
    distance = np.empty(p)
    for i in range(n):
        distance[:] = 0.0
        for s in range(d):  # the sum over features is that of the plain formula, in its order
            value = X[i, s]
            for j in range(p):
                step = value - columns[s, j]
                distance[j] += step * step
        found = 0
        for j in range(p):
            if found == q and distance[j] >= squares[i, q - 1]:
                continue
            place = found if found < q else q - 1
            while place > 0 and squares[i, place - 1] > distance[j]:
                squares[i, place] = squares[i, place - 1]
                index[i, place] = index[i, place - 1]
                place -= 1
            squares[i, place] = distance[j]
            index[i, place] = j
            found = min(found + 1, q)
