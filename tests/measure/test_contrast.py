"""What distinguishes clusters: by hand, in any unit, dense and sparse."""

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

from consens import NOISE
from consens.measure import contrast


def test_by_hand():
    X = [[0.0, 1.0], [2.0, 1.0], [4.0, 2.0], [10.0, 4.0]]
    means, others, differences = contrast(X, ["a", "a", "b", "c"])
    np.testing.assert_allclose(means, [[1, 1], [4, 2], [10, 4]])
    np.testing.assert_allclose(others, [[7, 3], [4, 2], [2, 4 / 3]])
    # column 0 has mean 4 and squares 16 + 4 + 0 + 36; column 1 mean 2 and squares 1 + 1 + 0 + 4
    spread = np.sqrt([56 / 4, 6 / 4])
    np.testing.assert_allclose(differences, (means - others) / spread)


@pytest.mark.parametrize("sparse", [csr_array, csr_matrix])
def test_sparse_is_the_same(sparse):
    rng = np.random.default_rng(0)
    X = rng.poisson(0.4, (40, 6)).astype(float)
    labels = rng.integers(0, 3, 40)
    for dense, given in zip(contrast(X, labels), contrast(sparse(X), labels), strict=True):
        np.testing.assert_allclose(given, dense, atol=1e-12)


def test_unit_and_origin_do_not_matter():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(30, 4)), rng.integers(0, 3, 30)
    moved = X * [1, 10, 0.1, 3] + [0, 5, -2, 100]
    np.testing.assert_allclose(
        contrast(moved, labels).differences, contrast(X, labels).differences, atol=1e-10
    )


def test_a_constant_feature_tells_nothing():
    X = np.column_stack([np.full(6, 0.1), np.arange(6.0)])
    assert not contrast(X, [0, 0, 0, 1, 1, 1]).differences[:, 0].any()


def test_one_cluster_differs_from_nothing():
    means, others, differences = contrast([[1.0], [3.0]], [0, 0])
    assert means.tolist() == others.tolist() == [[2.0]]
    assert differences.tolist() == [[0.0]]


def test_objects_in_no_cluster_are_left_out():
    X = np.array([[0.0], [2.0], [4.0], [6.0], [1000.0]])
    labels = np.array([0, 0, 1, 1, NOISE])
    for with_noise, without in zip(contrast(X, labels), contrast(X[:4], labels[:4]), strict=True):
        np.testing.assert_array_equal(with_noise, without)


def test_lengths_that_differ():
    with pytest.raises(ValueError, match="X has 3 rows for 2 labels"):
        contrast(np.zeros((3, 1)), [0, 1])
