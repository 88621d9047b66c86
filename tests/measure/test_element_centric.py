"""Element-centric similarity against personalised PageRank."""

import numpy as np
import pytest

from consens.measure import element_similarity, object_consistency, object_similarity


def plain(a, b, alpha):
    """The definition: stationary distributions of walks that restart at the object."""
    n = len(a)

    def walks(labels):
        together = (labels[:, None] == labels).astype(float)
        steps = together / together.sum(axis=1, keepdims=True)
        return (1 - alpha) * np.linalg.inv(np.eye(n) - alpha * steps)

    return 1 - np.abs(walks(a) - walks(b)).sum(axis=1) / (2 * alpha)


@pytest.mark.parametrize("alpha", [0.5, 0.9])
@pytest.mark.parametrize("seed", range(3))
def test_equal_to_walks_with_restarts(seed, alpha):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 4, (2, 25))
    np.testing.assert_allclose(object_similarity(a, b), plain(a, b, alpha), atol=1e-12)
    assert element_similarity(a, b) == pytest.approx(plain(a, b, alpha).mean())


def test_worked_out_by_hand():
    """Clusters {0, 1, 2}, {3} against {0, 1}, {2, 3}."""
    expected = [2 / 3, 2 / 3, 1 / 3, 1 / 2]
    np.testing.assert_allclose(object_similarity([0, 0, 0, 1], [0, 0, 1, 1]), expected)
    np.testing.assert_array_equal(object_similarity(["x", "x", "y"], [7, 7, 1]), 1)


def test_noise_is_a_cluster_of_its_own_and_missing_objects_are_left_out():
    a = np.array([0, 0, 0, -1, -1, -2])
    b = np.array([0, 0, -1, -1, 0, 0])
    # among the first five, object 4 is alone in a, and one of {0, 1, 4} in b
    found = object_similarity(a, b)
    np.testing.assert_allclose(found[:5], [2 / 3, 2 / 3, 1 / 3, 1, 1 / 3])
    assert np.isnan(found[5])
    assert element_similarity(a, b) == pytest.approx(found[:5].mean())
    with pytest.raises(ValueError, match="no labelled object in common"):
        element_similarity([0, -2], [-2, 0])


def test_consistency_is_the_mean_over_pairs_of_members():
    labels = np.random.default_rng(0).integers(-2, 3, (20, 5))
    pairs = [
        object_similarity(labels[:, p], labels[:, q]) for p in range(5) for q in range(p + 1, 5)
    ]
    seen = (labels != -2).sum(axis=1) > 1
    found = object_consistency(labels)
    np.testing.assert_allclose(found[seen], np.nanmean(np.array(pairs)[:, seen], axis=0))
    assert np.isnan(found[~seen]).all()
    np.testing.assert_array_equal(object_consistency(np.repeat(labels[:, :1] % 3, 3, axis=1)), 1)


def test_partitions_of_different_length():
    with pytest.raises(ValueError, match="partitions of 2 and 3 objects"):
        element_similarity([0, 1], [0, 1, 1])
