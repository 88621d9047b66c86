"""Single runs of k-means as the papers have them."""

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import KMeans

from studies._single import (
    SIGMAS,
    _embedding,
    larger,
    movable,
    plain_kmeans,
    spectral,
    squared_error,
)


class Drawn:
    """A generator whose draw is known."""

    def __init__(self, rows):
        self.rows = rows

    def choice(self, n, size, replace):
        return np.array(self.rows)


def test_runs_end_at_the_means_of_their_clusters():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])
    assert plain_kmeans(X, 2, Drawn([0, 1])).tolist() == [0, 0, 0, 1, 1]


def test_of_two_equal_starts_one_stays_empty():
    X = np.repeat([[0.0], [9.0]], 3, axis=0)
    assert plain_kmeans(X, 3, Drawn([0, 1, 5])).tolist() == [0, 0, 0, 2, 2, 2]


def test_a_cluster_without_objects_keeps_its_centre():
    X = np.repeat([[0.0], [4.0], [9.0]], 3, axis=0)
    labels = plain_kmeans(X, 3, Drawn([0, 1, 8]))  # first 0 and 4 together, whose mean is 2
    assert labels.tolist() == [1, 1, 1, 0, 0, 0, 2, 2, 2]


def test_the_starts_are_not_overwritten():
    X = np.array([[0.0], [1.0], [5.0]])
    before = X.copy()
    plain_kmeans(X, 2, np.random.default_rng(0))
    np.testing.assert_array_equal(X, before)


def test_the_squared_error_is_about_the_means():
    X = np.array([[0.0, 0.0], [2.0, 0.0], [5.0, 1.0]])
    assert squared_error(X, np.array([0, 0, 1])) == 2.0
    assert squared_error(X, np.array([0, 1, 2])) == 0.0


def test_objects_that_could_move_are_those_whose_move_lowers_the_squared_error():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(20, 2)), np.arange(20) % 4
    labels[7] = 4  # a single object stays: the cluster would be lost

    def better(i):
        moved = [np.where(np.arange(20) == i, j, labels) for j in range(5)]
        return min(squared_error(X, new) for new in moved) < squared_error(X, labels) - 1e-12

    expected = np.mean([better(i) for i in range(20) if i != 7]) * 19 / 20
    assert 0 < expected < 1
    assert movable(X, labels) == expected


def test_beyond_the_range_the_sigma_of_least_squared_error_is_taken_too():
    X = 300 * np.random.default_rng(9).normal(size=(30, 2))
    squares = squareform(pdist(X, "sqeuclidean"))
    assert all(_embedding(squares, sigma, 3) is None for sigma in SIGMAS)
    errors = {}
    for sigma in larger(squares, SIGMAS):
        rows = _embedding(squares, sigma, 3)
        if rows is not None:
            errors[sigma] = KMeans(3, n_init=5, random_state=0).fit(rows).inertia_
    assert spectral(X, 3).sigma == min(errors, key=errors.get)
    assert max(errors) >= np.sqrt(squares.max())  # the last cuts no object off
    assert min(errors) < spectral(X, 3).sigma  # which is not the first


def test_within_the_range_larger_sigmas_are_not_tried():
    X = np.concatenate([np.zeros((10, 1)), np.ones((10, 1))]) + 0.01 * np.arange(20)[:, None]
    found = spectral(X, 2)
    assert found.sigma in SIGMAS
    assert len(np.unique(found.labels(2, 0)[:10])) == 1
