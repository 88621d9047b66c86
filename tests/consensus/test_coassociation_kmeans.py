"""k-means on rows of the co-association, without the rows."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from consens import MISSING, Ensemble
from consens.consensus import CoassociationKMeans
from consens.evidence import coassociation
from consens.evidence.coordinates import weighted_coassociation
from consens.generate import LACEnsemble

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


@pytest.mark.parametrize("smoothing", ["auto", 1.0, 0.01])
@pytest.mark.parametrize("missing", [False, True])
def test_weighted_rows_are_those_of_the_similarities(missing, smoothing):
    X = make_blobs(60, centers=3, random_state=0)[0]
    E = LACEnsemble((2, 4), inverse_h=[1, 3, 9], random_state=0).fit_transform(X)
    if missing:
        labels = E.labels.copy()
        labels[np.random.default_rng(0).random(labels.shape) < 0.2] = MISSING
        labels[:, 0] = E.labels[:, 0]
        E = Ensemble(labels, payload=E.payload)
    model = CoassociationKMeans(3, weighted=True, smoothing=smoothing, random_state=0).fit(E)
    rows = weighted_coassociation(E, smoothing=smoothing)
    assert model.inertia_ == pytest.approx(plain_inertia(rows, model.labels_))
    centers = np.array([rows[model.labels_ == k].mean(axis=0) for k in range(3)])
    nearest = ((rows[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(nearest, model.labels_)


def test_weights_need_an_ensemble_that_has_them():
    with pytest.raises(ValueError, match="make the ensemble with consens.generate.LACEnsemble"):
        CoassociationKMeans(2, weighted=True).fit(ensemble(0))


def test_the_constant_of_the_coordinates_is_checked():
    with pytest.raises(ValueError, match="smoothing"):
        CoassociationKMeans(2, smoothing=0).fit(ensemble(0))
