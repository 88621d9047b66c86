"""HGPA: few clusters are torn apart."""

import numpy as np
import pytest

from consens._labels import indicator
from consens.consensus import HGPA
from consens.measure import ari

TRUTH = np.repeat([0, 1, 2], [14, 12, 10])


def ensemble(seed, n_members=8, flips=0.05):
    rng = np.random.default_rng(seed)
    labels = np.repeat(TRUTH[:, None], n_members, axis=1)
    wrong = rng.random(labels.shape) < flips
    labels[wrong] = rng.integers(0, 3, wrong.sum())
    return labels


@pytest.mark.parametrize("seed", range(3))
def test_no_more_clusters_are_torn_apart_than_by_the_truth(seed):
    labels = ensemble(seed)
    model = HGPA(3, random_state=0).fit(labels)

    def connectivity(parts):
        edges = indicator(labels).toarray().T
        return sum(len(set(parts[edge > 0])) - 1 for edge in edges)

    assert connectivity(model.labels_) <= connectivity(TRUTH)


def test_equal_objects_stay_together():
    labels = ensemble(3, n_members=3, flips=0.4)
    found = HGPA(3, random_state=0).fit_predict(labels)
    rows = np.unique(labels, axis=0, return_inverse=True)[1].ravel()
    assert all(len(set(found[rows == r])) == 1 for r in range(rows.max() + 1))


def test_parts_are_balanced():
    labels = np.repeat(TRUTH[:, None], 4, axis=1)
    labels[np.arange(len(TRUTH)), np.arange(len(TRUTH)) % 4] = np.arange(len(TRUTH)) % 3
    sizes = np.bincount(HGPA(3, imbalance=0.1, random_state=0).fit_predict(labels))
    assert sizes.max() <= 1.1 * 12 + 1


def test_as_published_balance_tears_equal_objects_apart():
    labels = np.repeat(np.repeat([0, 1], [30, 10])[:, None], 3, axis=1)
    labels[28:32, 0] = [1, 1, 0, 0]
    whole = HGPA(2, imbalance=0.05, random_state=0).fit_predict(labels)
    assert ari(whole, labels[:, 1]) > 0.6
    published = HGPA(2, imbalance=0.05, merge_equal=False, random_state=0)
    assert np.bincount(published.fit_predict(labels)).max() <= 1.05 * 20
