"""k-means with little overhead: Lloyd's algorithm, and moves of single objects."""

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


@njit
def move_objects(X: np.ndarray, labels: np.ndarray, centers: np.ndarray, sweeps: int) -> None:
    """Move objects one by one while that lowers the sum of squares, in place.

    Moving x from cluster a to b changes the sum by n_b / (n_b + 1) |x - c_b|² less
    n_a / (n_a - 1) |x - c_a|²; both means change at once.  It ends after a sweep without a move.
    `centers` must be the means of nonempty clusters, which stay nonempty.
    """
    n, k = len(X), len(centers)
    sizes = np.bincount(labels, minlength=k)
    # Most clusters do not change in late sweeps.  An object is compared only with clusters that
    # changed since its last visit; `floor` is the least cost of moving to any other cluster then.
    changed = np.zeros(k, dtype=np.int64)
    seen = np.full(n, -1, dtype=np.int64)
    floor = np.zeros(n)
    now, last = 0, -1
    for _ in range(sweeps):
        for i in range(n):
            if i == last:
                return  # one sweep since the last move
            own = labels[i]
            if sizes[own] == 1:
                continue
            cost = _square(X[i], centers[own]) * sizes[own] / (sizes[own] - 1)
            again = floor[i] < cost
            target, least = -1, np.inf
            for j in range(k):
                if j != own and (again or changed[j] > seen[i]):
                    value = _square(X[i], centers[j]) * sizes[j] / (sizes[j] + 1)
                    if value < least:
                        target, least = j, value
            floor[i] = least if again else min(floor[i], least)
            seen[i] = now
            if least < cost * (1.0 - 1e-12):
                now += 1
                last = i
                _shift(centers[own], X[i], -1.0 / (sizes[own] - 1))
                _shift(centers[target], X[i], 1.0 / (sizes[target] + 1))
                sizes[own] -= 1
                sizes[target] += 1
                changed[own] = changed[target] = now
                labels[i] = target
                seen[i] = -1
                floor[i] = 0.0
        if last < 0:
            return


@njit
def _square(a: np.ndarray, b: np.ndarray) -> float:
    """Squared distance; four independent sums, which processors add in parallel."""
    d = len(a)
    whole = d - d % 4
    first = second = third = fourth = 0.0
    for s in range(0, whole, 4):
        first += (a[s] - b[s]) ** 2
        second += (a[s + 1] - b[s + 1]) ** 2
        third += (a[s + 2] - b[s + 2]) ** 2
        fourth += (a[s + 3] - b[s + 3]) ** 2
    for s in range(whole, d):
        first += (a[s] - b[s]) ** 2
    return first + second + third + fourth


@njit
def _shift(center: np.ndarray, x: np.ndarray, share: float) -> None:
    for s in range(len(center)):
        center[s] += share * (x[s] - center[s])
