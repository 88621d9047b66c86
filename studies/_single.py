"""Single runs of well-known algorithms on the features: the columns beside the ensembles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.cluster import hierarchy
from scipy.linalg import eigh
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import KMeans

from consens.partition import cut

SIGMAS = np.arange(0.08, 3.0 + 1e-9, 0.02).tolist()
STEP = 1.1

# total affinity below which an object is cut off from all others as far as numbers tell; such a
# σ makes clusters of single objects, whose squared error is 0
ISOLATED = np.sqrt(np.finfo(float).eps)


def kmeans(X: np.ndarray, k: int, seed: int) -> np.ndarray:
    """One run from random initial centres."""
    return KMeans(k, init="random", n_init=1, random_state=seed).fit_predict(X)


def plain_kmeans(X: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """One run from random objects; a cluster that loses all its objects keeps its centre.

    Where many rows are equal, two starts may be so, and one of these clusters stays empty.
    """
    centers = X[rng.choice(len(X), k, replace=False)]
    labels = np.full(len(X), -1)
    for _ in range(100):
        nearest = (np.square(centers).sum(axis=1) - 2 * X @ centers.T).argmin(axis=1)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
        for cluster in np.unique(labels):
            centers[cluster] = X[labels == cluster].mean(axis=0)
    return labels


def squared_error(X: np.ndarray, labels: np.ndarray) -> float:
    """Sum of squared distances to the means of the clusters."""
    clusters = [X[labels == cluster] for cluster in np.unique(labels)]
    return sum(float(np.square(own - own.mean(axis=0)).sum()) for own in clusters)


def movable(X: np.ndarray, labels: np.ndarray) -> float:
    """Share of the objects whose move to another cluster lowers the squared error.

    Moving x from cluster a to b lowers it if n_b / (n_b + 1) |x - c_b|² is less than
    n_a / (n_a - 1) |x - c_a|².
    """
    _, own, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    centers = np.stack([X[own == j].mean(axis=0) for j in range(len(sizes))])
    squares = np.square(centers).sum(axis=1) - 2 * X @ centers.T
    squares += np.square(X).sum(axis=1)[:, None]
    rows = np.arange(len(X))
    costs = squares * (sizes / (sizes + 1))
    leaving = np.maximum(sizes[own] - 1, 1)
    now = np.where(sizes[own] > 1, squares[rows, own] * sizes[own] / leaving, -np.inf)
    costs[rows, own] = np.inf
    scale = np.square(X).sum(axis=1)
    return float((costs.min(axis=1) < now - 1e-9 * (scale + 1)).mean())


def link(X: np.ndarray, k: int, method: str) -> np.ndarray:
    """Single or average link of the Euclidean distances."""
    return cut(hierarchy.linkage(X, method), k)


class Spectral(NamedTuple):
    """An embedding that k-means is run on."""

    sigma: float
    rows: np.ndarray

    def labels(self, k: int, seed: int) -> np.ndarray:
        return KMeans(k, n_init=10, random_state=seed).fit_predict(self.rows)


def spectral(X: np.ndarray, k: int, sigmas: Sequence[float] = SIGMAS, seed: int = 0) -> Spectral:
    """Ng, Jordan and Weiss with the σ whose embedded rows have the least squared error.

    Where every σ of the range cuts objects off, as it does on features of large scale, larger
    ones are compared in the same way: a tenth apart, to the largest distance, which cuts off none.
    """
    squares = squareform(pdist(X, "sqeuclidean"))
    found = _embeddings(squares, sigmas, k) or _embeddings(squares, larger(squares, sigmas), k)
    errors = [KMeans(k, n_init=5, random_state=seed).fit(own.rows).inertia_ for own in found]
    return found[int(np.argmin(np.round(errors, 12)))]


def larger(squares: np.ndarray, sigmas: Sequence[float]) -> np.ndarray:
    """Values of σ beyond a range, to the largest of the distances."""
    last, largest = max(sigmas), np.sqrt(squares.max())
    steps = max(1, int(np.ceil(np.log(largest / last) / np.log(STEP))))
    return last * STEP ** np.arange(1, steps + 1)


def _embeddings(squares: np.ndarray, sigmas: Iterable[float], k: int) -> list[Spectral]:
    """Embeddings for those σ that cut no object off."""
    found = [(float(sigma), _embedding(squares, sigma, k)) for sigma in sigmas]
    return [Spectral(sigma, rows) for sigma, rows in found if rows is not None]


def _embedding(squares: np.ndarray, sigma: float, k: int) -> np.ndarray | None:
    affinity = np.exp(-squares / (2 * sigma**2))
    np.fill_diagonal(affinity, 0.0)
    degree = affinity.sum(axis=1)
    if degree.min() < ISOLATED:
        return None
    scale = 1 / np.sqrt(degree)
    n = len(affinity)
    laplacian = affinity * scale[:, None] * scale
    vectors = eigh(laplacian, subset_by_index=(n - k, n - 1))[1]
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)
