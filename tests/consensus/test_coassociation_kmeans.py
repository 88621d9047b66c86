"""k-means on rows of the co-association, without the rows."""

import numpy as np
import pytest

from consens import MISSING, NOISE
from consens.consensus import CoassociationKMeans
from consens.evidence import coassociation

TRUTH = np.repeat([0, 1, 2], [16, 12, 10])


def ensemble(seed, n_members=6, flips=0.3):
    rng = np.random.default_rng(seed)
    labels = np.repeat(TRUTH[:, None], n_members, axis=1)
    wrong = rng.random(labels.shape) < flips
    labels[wrong] = rng.integers(0, 3, wrong.sum())
    return labels


def plain_inertia(rows, labels):
    return sum(
        ((rows[labels == k] - rows[labels == k].mean(axis=0)) ** 2).sum() for k in set(labels)
    )


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_sum_of_squares_is_that_of_the_rows(seed, missing):
    labels = ensemble(seed)
    if missing:
        labels[np.random.default_rng(seed).random(labels.shape) < 0.2] = MISSING
    model = CoassociationKMeans(3, random_state=0).fit(labels)
    assert model.inertia_ == pytest.approx(plain_inertia(coassociation(labels), model.labels_))


@pytest.mark.parametrize("seed", range(3))
def test_no_single_object_would_rather_be_elsewhere(seed):
    labels = ensemble(seed)
    model = CoassociationKMeans(3, random_state=0).fit(labels)
    rows = coassociation(labels)
    centers = np.array([rows[model.labels_ == k].mean(axis=0) for k in range(3)])
    nearest = ((rows[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(nearest, model.labels_)


def test_noise_is_together_with_nothing():
    labels = ensemble(0)
    labels[np.random.default_rng(0).random(labels.shape) < 0.2] = NOISE
    model = CoassociationKMeans(3, random_state=0).fit(labels)
    rows = np.mean([(c[:, None] == c) & (c >= 0) for c in labels.T], axis=0)
    assert model.inertia_ == pytest.approx(plain_inertia(rows, model.labels_))


def test_objects_that_differ_by_noise_only_can_be_told_apart():
    labels = np.array([[0, NOISE], [0, NOISE], [0, NOISE], [1, 0]])
    assert CoassociationKMeans(4, random_state=0).fit(labels).n_clusters_ == 4
