"""Locally weighted evidence accumulation on cosines: heights against the plain matrix."""

import numpy as np
import pytest

from consens._labels import abstain, check_labels
from consens.consensus import CosineLWEA
from consens.measure import cluster_reliability


def plain_cosines(labels, theta):
    """S_ij = Σ_m v(c) [together in c] / √(s_i s_j), v = ECI / √|c|, entry by entry."""
    n, n_members = labels.shape
    starts = np.concatenate([[0], np.cumsum(labels.max(axis=0) + 1)])
    reliability = cluster_reliability(labels, theta)
    shared = np.zeros((n, n))
    for m in range(n_members):
        for c in range(labels[:, m].max() + 1):
            inside = labels[:, m] == c
            weight = reliability[starts[m] + c] / np.sqrt(inside.sum())
            shared += weight * np.outer(inside, inside)
    length = np.sqrt(np.diag(shared))
    return shared / np.outer(length, length)


@pytest.mark.parametrize("lowest", [0, -2])
def test_every_merge_is_the_best_available_pair(lowest):
    rng = np.random.default_rng(0)
    labels = rng.integers(lowest, 4, (20, 6))
    labels[:, 0] = rng.integers(0, 3, 20)
    labels = abstain(check_labels(labels))
    similarity = plain_cosines(labels, 0.3)
    model = CosineLWEA(2, theta=0.3).fit(labels)
    groups = {i: [i] for i in range(len(labels))}
    for step, (a, b, height, _) in enumerate(model.linkage_):
        means = {
            (p, q): similarity[np.ix_(groups[p], groups[q])].mean()
            for p in groups
            for q in groups
            if p < q
        }
        assert 1 - height == pytest.approx(max(means.values()), abs=1e-12)
        assert means[min(a, b), max(a, b)] == pytest.approx(1 - height, abs=1e-12)
        groups[len(labels) + step] = groups.pop(int(a)) + groups.pop(int(b))


def test_weights_by_hand():
    # {0, 1} is split by nothing: ECI 1; {0, 1, 2, 3} is split in halves: 1 bit of 2 members
    labels = np.array([[0, 0], [0, 0], [0, 1], [0, 1]])
    model = CosineLWEA(2, theta=0.5).fit(labels)
    expected = [np.exp(-1 / (0.5 * 2)) / 2, 1 / np.sqrt(2), 1 / np.sqrt(2)]
    np.testing.assert_allclose(model.cluster_weights_, expected)
    np.testing.assert_array_equal(model.labels_, [0, 0, 1, 1])
    # pairs across share the large cluster only
    across = expected[0] / (expected[0] + expected[1])
    assert model.linkage_[-1, 2] == pytest.approx(1 - across)


def test_one_object_beside_noise():
    model = CosineLWEA(1).fit(np.array([[0, 0], [-1, -1], [-1, -2]]))
    np.testing.assert_array_equal(model.labels_, [0, -1, -1])
