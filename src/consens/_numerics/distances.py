"""Squared distances with a weight per centre and feature, and sums over nearest centres.

A *weighted cluster* is a centre c_j with weights w_j, one per feature (Domeniconi and Al-Razgan
2009, Section 3).  Sparse rows are never made dense.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from consens._blocks import map_rows

CHUNK = 8192  # objects; sums are added up per chunk and then over chunks


def weighted_squares(X: Any, centers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Squared distances Σ_s w_js (x_is - c_js)² of each object to each weighted centre, n × k."""
    if hasattr(X, "toarray"):
        width = 24 * len(centers)
        return map_rows(_sparse_squares(centers, weights), X, bytes_per_row=width)
    from consens._kernels.kmeans import squares_of_rows

    centers, weights = _double(centers), _double(weights)
    return map_rows(
        lambda rows: squares_of_rows(_double(rows), centers, weights),
        X,
        bytes_per_row=8 * sum(centers.shape),
    )


def _double(X: np.ndarray) -> np.ndarray:
    """Rows in the type for which the kernels are compiled, which is read-only."""
    rows = np.ascontiguousarray(X, dtype=np.float64).view()
    rows.flags.writeable = False
    return rows


def nearest_weighted(X: Any, centers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Index of the nearest weighted centre of each object (Eq. 1), the lowest among equals."""
    k, d = centers.shape
    return map_rows(
        lambda rows: weighted_squares(rows, centers, weights).argmin(axis=1).astype(np.int32),
        X,
        bytes_per_row=32 * (k + d),
    )


def cluster_means(X: Any, labels: np.ndarray, k: int) -> np.ndarray:
    """Mean of the objects of each of k clusters, none of them empty; O(nnz) time."""
    sums = _membership(labels, k) @ X
    sums = sums.toarray() if hasattr(sums, "toarray") else sums
    return sums / np.bincount(labels, minlength=k)[:, None]


def unit_rows(vectors: np.ndarray) -> np.ndarray:
    """Scale rows to length 1; rows of zeros stay zero."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    lengths[lengths == 0] = 1.0
    return vectors / lengths[:, None]


class Sweep(NamedTuple):
    """Result of one pass over the objects: their clusters, and sums over each cluster.

    ``deviations`` holds Σ (x - c) and ``squares`` Σ (x - c)² over the objects of each cluster, per
    feature, with c the centre to which they were assigned.
    """

    labels: np.ndarray
    counts: np.ndarray
    deviations: np.ndarray
    squares: np.ndarray


def sweep(X: Any, centers: np.ndarray, weights: np.ndarray) -> Sweep:
    """Assign objects to the nearest weighted centre and sum up their deviations from it."""
    if hasattr(X, "toarray"):
        return _sparse_sweep(X, centers, weights)
    from consens._kernels.kmeans import sweep_rows

    n, (k, d) = len(X), centers.shape
    centers, weights = _double(centers), _double(weights)
    labels = np.empty(n, dtype=np.int32)
    counts, deviations, squares = np.zeros(k, np.int64), np.zeros((k, d)), np.zeros((k, d))
    for start in range(0, n, CHUNK):
        part = slice(start, start + CHUNK)
        found = sweep_rows(_double(X[part]), centers, weights, labels[part])
        for total, own in zip((counts, deviations, squares), found, strict=True):
            total += own
    return Sweep(labels, counts, deviations, squares)


def _membership(labels: np.ndarray, k: int) -> Any:
    """0/1 matrix of clusters by objects."""
    from scipy.sparse import csr_array

    order = np.argsort(labels, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=k))])
    return csr_array((np.ones(len(labels)), order, indptr), shape=(k, len(labels)))


def _sparse_squares(centers: np.ndarray, weights: np.ndarray) -> Callable[[Any], np.ndarray]:
    """Σ w (x - c)² = Σ w x² - 2 Σ w c x + Σ w c², where the first two sums skip zeros of x."""
    quadratic = np.ascontiguousarray(weights.T)
    linear = np.ascontiguousarray((weights * centers).T)
    constant = (weights * centers * centers).sum(axis=1)

    def squares_of(X: Any) -> np.ndarray:
        parts = X.multiply(X).tocsr() @ quadratic + constant
        squares = parts - 2 * (X @ linear)
        # differences below the rounding error are zero, such as the distance of x to itself
        return np.where(squares > 1e-14 * parts, squares, 0.0)

    return squares_of


def _sparse_sweep(X: Any, centers: np.ndarray, weights: np.ndarray) -> Sweep:
    labels = nearest_weighted(X, centers, weights)
    members = _membership(labels, len(centers))
    counts = np.bincount(labels, minlength=len(centers))
    sums = (members @ X).toarray()
    about_zero = (members @ X.multiply(X).tocsr()).toarray()
    # Σ (x - c)² = Σ x² - 2 c Σ x + |S| c²
    squares = about_zero - centers * (2 * sums - counts[:, None] * centers)
    return Sweep(labels, counts, sums - counts[:, None] * centers, np.maximum(squares, 0.0))
