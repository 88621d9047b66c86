"""Nearest points by plain sums of squares, minimum spanning trees, and their even cuts."""

import numpy as np

from consens._kernels._njit import njit

ROWS = 4  # number of rows that share one pass over the points


@njit
def shortest_tree(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Minimum spanning tree (Prim): ends of the edges and squared lengths; first ones win."""
    n, d = X.shape
    length = np.full(n, np.inf)
    partner = np.zeros(n, np.int64)
    outside = np.arange(1, n)
    first, second = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64)
    squares = np.empty(n - 1)
    new = np.int64(0)
    for step in range(n - 1):
        left = n - 1 - step
        best, place = np.inf, 0
        for t in range(left):
            j = outside[t]
            square = 0.0
            for s in range(d):
                difference = X[new, s] - X[j, s]
                square += difference * difference
            if square < length[j]:
                length[j], partner[j] = square, new
            if length[j] < best:
                best, place = length[j], t
        new = outside[place]
        first[step], second[step], squares[step] = partner[new], new, best
        outside[place] = outside[left - 1]
    return first, second, squares


@njit
def _root(parent: np.ndarray, i: int) -> int:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit
def cut_evenly(first: np.ndarray, second: np.ndarray, most: float, k: int) -> np.ndarray:
    """Merge along the edges of a spanning tree until k clusters are left; their labels.

    Edges ascend by length.  While the Gini index of the sizes of m clusters,
    Σ_{i<j} |c_i - c_j| / ((m - 1) n), is at most `most`, the shortest remaining edge merges its
    two clusters; otherwise the shortest one that touches a cluster of the least size.
    """
    n = len(first) + 1
    parent, size = np.arange(n), np.ones(n, np.int64)
    n_of_size = np.zeros(n + 1, np.int64)
    n_of_size[1] = n
    used = np.zeros(n - 1, np.bool_)
    differences = 0.0  # numerator of the Gini index
    shortest = least_edge = 0
    least = least_of_edge = 1
    for m in range(n, k, -1):
        while used[shortest]:
            shortest += 1
        edge = shortest
        if differences > most * (m - 1) * n:
            while n_of_size[least] == 0:
                least += 1
            if least != least_of_edge:  # clusters of another size: search from the start
                least_edge, least_of_edge = shortest, least
            edge = least_edge
            while used[edge] or (
                size[_root(parent, first[edge])] != least
                and size[_root(parent, second[edge])] != least
            ):
                edge += 1
            least_edge = edge
        used[edge] = True
        a, b = _root(parent, first[edge]), _root(parent, second[edge])
        c_a, c_b = size[a], size[b]
        n_of_size[c_a] -= 1
        n_of_size[c_b] -= 1
        differences -= abs(c_a - c_b)
        seen, c = 0, 0
        while seen < m - 2:
            c += 1
            if n_of_size[c]:
                seen += n_of_size[c]
                change = abs(c_a + c_b - c) - abs(c_a - c) - abs(c_b - c)
                differences += n_of_size[c] * change
        n_of_size[c_a + c_b] += 1
        parent[b], size[a] = a, c_a + c_b
    labels, names = np.empty(n, np.int32), np.full(n, -1, np.int32)
    found = 0
    for i in range(n):
        root = _root(parent, i)
        if names[root] < 0:
            names[root] = found
            found += 1
        labels[i] = names[root]
    return labels


@njit
def nearest_few(
    X: np.ndarray, columns: np.ndarray, index: np.ndarray, squares: np.ndarray
) -> None:
    """Fill in indices and squares of the nearest points (d × p), nearest first."""
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
