"""The nearest few of many points, by plain sums of squares."""

import numpy as np

from consens._kernels._njit import njit

#: Number of rows that share one pass over the points.
ROWS = 4


@njit
def nearest_few(
    X: np.ndarray, columns: np.ndarray, index: np.ndarray, squares: np.ndarray
) -> None:
    """Fill in the indices and squared distances of the nearest points, nearest first.

    `columns` holds the points by feature (d × p), `index` and `squares` are n × q.
    """
    n, d = X.shape
    p = columns.shape[1]
    distance = np.empty((ROWS, p))
    for start in range(0, n, ROWS):
        distance[:] = 0.0
        # each sum over features has the order of the plain formula; the last few rows are
        # padded by copies of the last one
        a, b, c, e = start, min(start + 1, n - 1), min(start + 2, n - 1), min(start + 3, n - 1)
        for s in range(d):
            x, y, z, w = X[a, s], X[b, s], X[c, s], X[e, s]
            for j in range(p):
                point = columns[s, j]
                distance[0, j] += (x - point) * (x - point)
                distance[1, j] += (y - point) * (y - point)
                distance[2, j] += (z - point) * (z - point)
                distance[3, j] += (w - point) * (w - point)
        for i in range(start, min(start + ROWS, n)):
            _keep_nearest(distance[i - start], index[i], squares[i])


@njit
def _keep_nearest(distance: np.ndarray, index: np.ndarray, squares: np.ndarray) -> None:
    """Store the smallest distances in ascending order and their indices, ties by index."""
    q, found = len(index), 0
    for j in range(len(distance)):
        if found == q and distance[j] >= squares[q - 1]:
            continue
        place = found if found < q else q - 1
        while place > 0 and squares[place - 1] > distance[j]:
            squares[place] = squares[place - 1]
            index[place] = index[place - 1]
            place -= 1
        squares[place] = distance[j]
        index[place] = j
        found = min(found + 1, q)
