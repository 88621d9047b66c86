"""Compiled moves of single objects against the plain ones."""

import numpy as np
import pytest

from consens.generate import KMeansEnsemble
from studies._moves import MovedKMeans, move_objects


def sum_of_squares(X, labels):
    return sum(((own - own.mean(axis=0)) ** 2).sum() for own in clusters(X, labels))


def clusters(X, labels):
    return [X[labels == j] for j in range(labels.max() + 1)]


def plain(X, labels, sweeps):
    """Look at all objects in turn; each goes where the sum of squares falls most."""
    labels = labels.copy()
    k = labels.max() + 1
    for _ in range(sweeps):
        before = labels.copy()
        for i, own in enumerate(labels):
            if (labels == own).sum() == 1:
                continue
            sums = []
            for j in range(k):
                moved = labels.copy()
                moved[i] = j
                sums.append(sum_of_squares(X, moved))
            if min(sums) < sums[own] - 1e-9:
                labels[i] = int(np.argmin(sums))
        if (labels == before).all():
            break
    return labels


@pytest.fixture(params=[(30, 1, 3), (40, 5, 4), (25, 9, 6)])
def data(request):
    n, d, k = request.param
    rng = np.random.default_rng(n)
    labels = rng.permutation(np.arange(n) % k)
    return rng.normal(size=(n, d)), labels


def run(X, labels, sweeps):
    labels = labels.copy()
    centers = np.stack([own.mean(axis=0) for own in clusters(X, labels)])
    move_objects(X, labels, centers, sweeps)
    return labels, centers


@pytest.mark.parametrize("sweeps", [1, 2, 100])
def test_moves_are_the_plain_ones(data, sweeps):
    X, labels = data
    found, centers = run(X, labels, sweeps)
    np.testing.assert_array_equal(found, plain(X, labels, sweeps))
    means = [own.mean(axis=0) for own in clusters(X, found)]
    np.testing.assert_allclose(centers, means, atol=1e-12)


def test_the_last_object_of_a_cluster_stays():
    X = np.array([[0.0], [0.1], [0.2]])
    labels, _ = run(X, np.array([0, 0, 1]), 100)
    assert sorted(np.bincount(labels)) == [1, 2]


def test_moves_leave_an_optimum_of_the_sweeps():
    # both means are as near as they can be: 2.5 is nearer to 1 than to 4.2, and yet it costs
    # less beside the single object, whose mean comes to meet it
    X = np.array([[0.0], [0.5], [2.5], [4.2]])
    labels, _ = run(X, np.array([0, 0, 0, 1]), 100)
    np.testing.assert_array_equal(labels, [0, 0, 1, 1])


def test_moved_members_are_better_and_cannot_be_improved_by_a_move():
    X = np.random.default_rng(0).normal(size=(120, 3))
    given = {"n_clusters": 12, "random_state": 0}
    members = KMeansEnsemble(2, **given).fit_transform(X)
    generator = MovedKMeans(2, **given)
    moved = generator.fit_transform(X)
    np.testing.assert_array_equal(generator.transform(X).labels, moved.labels)
    for old, new in zip(members.labels.T, moved.labels.T, strict=True):
        least = sum_of_squares(X, new)
        assert least < sum_of_squares(X, old)
        for i in range(len(X)):
            for j in range(12):
                other = np.where(np.arange(len(X)) == i, j, new)
                assert sum_of_squares(X, other) > least - 1e-9


def test_moves_leave_out_what_no_object_belongs_to():
    E = MovedKMeans(2, n_clusters=3, random_state=0).fit_transform([[0.0], [0.0], [1.0]])
    assert all(column.max() == 1 for column in E.labels.T)
