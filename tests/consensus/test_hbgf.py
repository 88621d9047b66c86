"""HBGF: objects and clusters partitioned together, by a spectral cut or by METIS."""

import numpy as np
import pytest

from consens import MISSING
from consens._kernels import COMPILED_FROM
from consens._labels import first_seen_order, indicator
from consens.consensus import HBGF
from consens.measure import ari
from consens.partition import spectral_cut

TRUTH = np.repeat([0, 1, 2], [16, 12, 10])


def ensemble(seed, n_members=8, flips=0.25):
    rng = np.random.default_rng(seed)
    labels = np.repeat(TRUTH[:, None], n_members, axis=1)
    wrong = rng.random(labels.shape) < flips
    labels[wrong] = rng.integers(0, 3, wrong.sum())
    return labels


def whole_graph(labels):
    B = indicator(labels).toarray()
    n, c = B.shape
    return np.block([[np.zeros((n, n)), B], [B.T, np.zeros((c, c))]])


@pytest.mark.parametrize("codes", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_spectral_is_that_of_the_whole_graph(seed, codes):
    labels = ensemble(seed, flips=0.15)
    if codes:
        where = np.random.default_rng(seed).random(labels.shape)
        labels[where < 0.1] = MISSING
        labels[where > 0.9] = MISSING
    both = spectral_cut(whole_graph(labels), 3)
    model = HBGF(3, random_state=0).fit(labels)
    np.testing.assert_array_equal(model.labels_, both[: len(labels)])
    np.testing.assert_array_equal(model.cluster_labels_, both[len(labels) :])


@pytest.mark.parametrize("partitioner", ["spectral", "metis"])
class TestBoth:
    def test_clusters_go_where_their_objects_go(self, partitioner):
        labels = ensemble(0, flips=0.1)
        model = HBGF(3, partitioner=partitioner, imbalance=0.4, random_state=0).fit(labels)
        np.testing.assert_array_equal(model.labels_, TRUTH)
        np.testing.assert_array_equal(model.cluster_labels_, np.tile([0, 1, 2], 8))

    def test_equal_objects_stay_together(self, partitioner):
        labels = ensemble(3, n_members=3)
        model = HBGF(3, partitioner=partitioner, random_state=0).fit(labels)
        rows = np.unique(labels, axis=0, return_inverse=True)[1].ravel()
        assert all(len(set(model.labels_[rows == r])) == 1 for r in range(rows.max() + 1))

    def test_more_clusters_than_the_members_have(self, partitioner):
        bits = np.array([[(i >> m) & 1 for m in range(3)] for i in range(8)])
        assert HBGF(7, partitioner=partitioner, random_state=0).fit(bits).n_clusters_ == 7


def test_only_the_spectral_cut_lets_clusters_differ_in_size():
    truth = np.repeat([0, 1], [60, 20])
    rng = np.random.default_rng(0)
    labels = np.repeat(truth[:, None], 8, axis=1)
    labels ^= rng.random(labels.shape) < 0.1
    assert ari(HBGF(2, random_state=0).fit(labels).labels_, truth) == 1
    balanced = HBGF(2, partitioner="metis", imbalance=0.05, random_state=0).fit(labels)
    assert ari(balanced.labels_, truth) < 1


def test_many_objects_take_the_same_path_to_the_same_answer(monkeypatch):
    labels = ensemble(2)
    small = HBGF(3, random_state=0).fit_predict(labels)
    monkeypatch.setitem(COMPILED_FROM, "objects", 0)
    np.testing.assert_array_equal(HBGF(3, random_state=0).fit_predict(labels), small)
    np.testing.assert_array_equal(first_seen_order(small), small)
