"""CSPA is METIS or spectral clustering of the co-association, without the matrix."""

import numpy as np
import pytest

from consens import MISSING
from consens._labels import first_seen_order
from consens.consensus import CSPA
from consens.evidence import coassociation
from consens.measure import ari
from consens.partition import metis, spectral_cut

TRUTH = np.repeat([0, 1, 2], [16, 12, 10])


def ensemble(seed=0, n_members=8, flips=0.25, truth=TRUTH):
    rng = np.random.default_rng(seed)
    labels = np.repeat(truth[:, None], n_members, axis=1)
    wrong = rng.random(labels.shape) < flips
    labels[wrong] = rng.integers(0, 3, wrong.sum())
    return labels


def distinct(labels):
    """Only one object of each label row, so that no vertex stands for several."""
    return labels[np.sort(np.unique(labels, axis=0, return_index=True)[1])]


@pytest.mark.parametrize("seed", range(3))
def test_metis_cuts_the_dense_similarity_graph(seed):
    labels = distinct(ensemble(seed, flips=0.4))
    graph = coassociation(labels)
    from consens._support.seeds import spawn_seeds

    expected = metis(graph, 3, imbalance=0.25, seed=spawn_seeds(0, 1)[0])
    np.testing.assert_array_equal(CSPA(3, random_state=0).fit_predict(labels), expected)


@pytest.mark.parametrize("seed", range(3))
def test_spectral_is_that_of_the_dense_matrix(seed):
    labels = ensemble(seed)
    expected = spectral_cut(coassociation(labels), 3)
    model = CSPA(3, partitioner="spectral", random_state=0)
    np.testing.assert_array_equal(model.fit_predict(labels), expected)


def test_spectral_with_missing_labels_is_that_of_the_dense_matrix():
    labels = ensemble(1)
    labels[np.random.default_rng(2).random(labels.shape) < 0.2] = MISSING
    expected = spectral_cut(coassociation(labels), 3)
    model = CSPA(3, partitioner="spectral", random_state=0)
    np.testing.assert_array_equal(model.fit_predict(labels), expected)


@pytest.mark.parametrize("partitioner", ["metis", "spectral"])
class TestBoth:
    def test_equal_objects_stay_together(self, partitioner):
        labels = ensemble(3, n_members=3)
        model = CSPA(3, partitioner=partitioner, random_state=0).fit(labels)
        rows = np.unique(labels, axis=0, return_inverse=True)[1].ravel()
        assert all(len(set(model.labels_[rows == r])) == 1 for r in range(rows.max() + 1))

    def test_near_identical_members_leave_more_components_than_clusters(self, partitioner):
        # six groups that no member ever joins
        truth = np.repeat(np.arange(6), 5)
        labels = np.repeat(truth[:, None], 4, axis=1)
        model = CSPA(2, partitioner=partitioner, random_state=0).fit(labels)
        assert model.n_clusters_ == 2
        assert all(len(set(model.labels_[truth == g])) == 1 for g in range(6))


def test_balance_is_the_price_of_metis():
    truth = np.repeat([0, 1], [60, 20])
    labels = ensemble(0, flips=0.1, truth=truth)
    labels = np.minimum(labels, 1)
    balanced = CSPA(2, imbalance=0.05, random_state=0).fit(labels)
    assert np.bincount(balanced.labels_).min() >= 30
    assert ari(CSPA(2, imbalance=0.6, random_state=0).fit(labels).labels_, truth) == 1
    assert ari(CSPA(2, partitioner="spectral", random_state=0).fit(labels).labels_, truth) == 1


def test_fewer_neighbours_still_find_clear_clusters():
    labels = ensemble(4, flips=0.1)
    np.testing.assert_array_equal(
        CSPA(3, imbalance=0.3, n_neighbors=6, random_state=0).fit_predict(labels), TRUTH
    )


def test_labels_are_numbered_by_first_object():
    labels = CSPA(3, random_state=0).fit_predict(ensemble(5))
    np.testing.assert_array_equal(first_seen_order(labels), labels)


def test_as_published_balance_tears_equal_objects_apart():
    """Three members find clusters of 30 and 10 objects; parts of equal size cannot."""
    labels = np.repeat(np.repeat([0, 1], [30, 10])[:, None], 3, axis=1)
    labels[28:32, 0] = [1, 1, 0, 0]
    whole = CSPA(2, imbalance=0.05, random_state=0).fit_predict(labels)
    assert ari(whole, labels[:, 1]) > 0.6
    torn = CSPA(2, imbalance=0.05, merge_equal=False, random_state=0).fit_predict(labels)
    assert np.bincount(torn).max() <= 1.05 * 20


def test_unrefined_metis_finds_clear_clusters():
    truth = np.repeat([0, 1, 2], 12)
    labels = np.repeat(truth[:, None], 5, axis=1)
    labels[[0, 13, 26], [0, 1, 2]] = 1
    published = CSPA(3, partitioner="pmetis", imbalance=0.001, merge_equal=False, random_state=0)
    np.testing.assert_array_equal(published.fit_predict(labels), truth)
