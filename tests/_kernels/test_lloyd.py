"""Compiled Lloyd sweeps against the plain ones."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from consens._numerics.kmeans import run_lloyd


def plain(X, centers, sweeps, still):
    labels = np.full(len(X), -1)
    for _ in range(sweeps):
        nearest = ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
        moved = (nearest != labels).sum()
        labels = nearest
        if moved <= still:
            break
        for j in np.unique(labels):
            centers[j] = X[labels == j].mean(axis=0)
    return centers


@pytest.mark.parametrize("sweeps", [1, 3, 300])
@pytest.mark.parametrize("n", [40, 3_000])
def test_sweeps_are_the_plain_ones(n, sweeps):
    X = np.random.default_rng(0).normal(size=(n, 3))
    start = X[:7].copy()
    found = run_lloyd(X, start, sweeps)
    np.testing.assert_array_equal(start, X[:7])  # not changed in place
    np.testing.assert_allclose(found, plain(X, start, sweeps, n // 1000), atol=1e-12)


def test_a_centre_without_objects_stays():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    found = run_lloyd(X, np.array([[0.0], [10.0], [99.0]]), 10)
    np.testing.assert_array_equal(found, [[0.5], [10.5], [99.0]])


def test_the_end_is_that_of_scikit_learn():
    X = load_iris().data
    start = X[[0, 60, 120]]
    expected = KMeans(3, init=start, n_init=1, tol=0).fit(X).cluster_centers_
    np.testing.assert_allclose(run_lloyd(X, start, 300), expected, atol=1e-12)
