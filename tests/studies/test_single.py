"""Single runs of k-means as the papers have them."""

import numpy as np

from studies._single import plain_kmeans, squared_error


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
