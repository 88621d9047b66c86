"""Spectral ensemble clustering: the weighted k-means problem is the normalised cut."""

from itertools import product

import numpy as np
import pytest

from consens._labels import check_labels, indicator
from consens.consensus import SEC


def normalised_association(labels, partition):
    B = indicator(labels).toarray()
    graph = B @ B.T
    return sum(
        graph[np.ix_(partition == k, partition == k)].sum() / graph[partition == k].sum()
        for k in np.unique(partition)
    )


def constant(labels):
    B = indicator(labels).toarray()
    return (B.sum(axis=1) / (B @ B.T).sum(axis=1)).sum()


@pytest.mark.parametrize("lowest", [0, -2])
def test_the_sum_of_squares_is_a_constant_less_the_normalised_association(lowest):
    rng = np.random.default_rng(0)
    labels = rng.integers(lowest, 4, (30, 5))
    labels[:, 0] = rng.integers(0, 3, 30)
    labels = check_labels(labels)
    model = SEC(3, random_state=0).fit(labels)
    expected = constant(labels) - normalised_association(labels, model.labels_)
    assert model.inertia_ == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_no_partition_of_a_small_ensemble_has_a_lighter_normalised_cut(seed):
    labels = np.repeat([[0], [0], [0], [1], [1], [1], [1]], 4, axis=1)  # one flip per member
    labels[np.random.default_rng(seed).integers(0, 7, 4), range(4)] = 2
    model = SEC(2, n_init=20, random_state=0).fit(labels)
    best = max(
        normalised_association(labels, np.array(p))
        for p in product([0, 1], repeat=7)
        if len(set(p)) == 2
    )
    assert normalised_association(labels, model.labels_) == pytest.approx(best, abs=1e-12)


def test_starts_at_random_objects_reach_less_than_careful_ones():
    # twelve groups of very different size: random objects rarely come from all of them
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(12), [200, 100, *[10] * 10])
    labels = np.repeat(truth[:, None], 6, axis=1)
    labels = np.where(rng.random(labels.shape) < 0.15, rng.integers(0, 12, labels.shape), labels)
    left = {
        init: [SEC(12, n_init=1, init=init, random_state=r).fit(labels).inertia_ for r in range(8)]
        for init in ("far", "objects")
    }
    assert np.mean(left["far"]) < np.mean(left["objects"]) - 0.001
    many = SEC(12, n_init=8, init="objects", random_state=0).fit(labels)
    assert many.inertia_ <= left["objects"][0]
