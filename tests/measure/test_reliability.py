"""Reliability of clusters (ECI) and members (NCAI) against plain twins."""

import numpy as np
import pytest

from consens import MISSING, NOISE
from consens._kernels import repeated
from consens._labels import check_labels
from consens.measure import cluster_reliability, member_reliability, nmi
from consens.measure.reliability import cluster_uncertainty


def random_labels(seed, n=40, n_members=5, lowest=-2):
    rng = np.random.default_rng(seed)
    labels = rng.integers(lowest, 4, (n, n_members))
    labels[:, 0] = rng.integers(0, 3, n)  # every object is seen
    return check_labels(labels)


def entropy(objects):
    """Entropy in bits of the labels of some objects; noise objects are apart from all."""
    objects = objects[objects != MISSING]
    names = np.where(objects == NOISE, -10 - np.arange(len(objects)), objects)
    share = np.unique(names, return_counts=True)[1] / len(names)
    return -(share * np.log2(share)).sum()


def plain_uncertainty(labels):
    n_members = labels.shape[1]
    result = []
    for p in range(n_members):
        for c in range(labels[:, p].max() + 1):
            inside = labels[labels[:, p] == c]
            known = [entropy(column) for column in inside.T if (column != MISSING).any()]
            result.append(n_members * np.mean(known))
    return np.array(result)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("lowest", [-2, 0])
def test_uncertainty_equals_the_plain_twin(seed, lowest):
    labels = random_labels(seed, lowest=lowest)
    np.testing.assert_allclose(cluster_uncertainty(labels), plain_uncertainty(labels), atol=1e-12)
    with repeated(10**9):  # compiled
        found = cluster_uncertainty(labels)
    np.testing.assert_allclose(found, plain_uncertainty(labels), atol=1e-12)


@pytest.mark.parametrize("theta", [0.25, 0.5, 1.0])
def test_reliability_is_exp_of_the_mean_uncertainty(theta):
    labels = random_labels(9)
    expected = np.exp(-plain_uncertainty(labels) / (theta * labels.shape[1]))
    np.testing.assert_allclose(cluster_reliability(labels, theta), expected, atol=1e-12)


def test_hand_worked_uncertainty():
    # {0,1,2,3} is split 2:2 by one member and 1:1:2 by another: 1 + 1.5 bits
    labels = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 2], [0, 1, 2], [1, 2, 3]])
    assert cluster_uncertainty(labels)[0] == pytest.approx(2.5)
    assert cluster_reliability(labels, theta=0.5)[0] == pytest.approx(np.exp(-2.5 / 1.5))


def test_a_cluster_that_nobody_splits_is_wholly_reliable():
    labels = np.repeat([[0], [1], [1], [2]], 4, axis=1)
    np.testing.assert_array_equal(cluster_reliability(labels), 1.0)


def test_a_member_that_saw_nothing_of_a_cluster_says_nothing_about_it():
    labels = np.array([[0, 0], [0, 1], [1, MISSING], [1, MISSING]])
    np.testing.assert_array_equal(cluster_uncertainty(labels), [1, 0, 0, 0])


def test_noise_scatters_a_cluster():
    labels = np.array([[0, NOISE], [0, NOISE], [0, NOISE], [0, NOISE], [1, 0]])
    assert cluster_uncertainty(labels)[0] == pytest.approx(2)  # log2(4)


@pytest.mark.parametrize("seed", range(3))
def test_member_reliability_equals_the_plain_twin(seed):
    labels = random_labels(seed)
    members = labels.T
    crowd = np.array(
        [
            np.mean([nmi(a, b) for j, b in enumerate(members) if j != i])
            for i, a in enumerate(members)
        ]
    )
    np.testing.assert_allclose(member_reliability(labels), crowd / crowd.max(), atol=1e-12)


def test_members_that_do_not_agree_at_all_are_equally_reliable():
    labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    np.testing.assert_array_equal(member_reliability(labels), [1, 1])
    np.testing.assert_array_equal(member_reliability(labels[:, :1]), [1])
