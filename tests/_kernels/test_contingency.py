"""Pair histograms against the product of indicator matrices."""

import numba  # noqa: TID251 - to vary the number of threads
import numpy as np
import pytest

from consens._kernels import COMPILED_FROM
from consens._kernels import contingency as kernel
from consens._labels import check_labels, contingency, indicator


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    monkeypatch.setitem(COMPILED_FROM, "objects", 0)


def random_labels(seed, n=60, highest=(3, 1, 9, 5), order="F"):
    rng = np.random.default_rng(seed)
    labels = np.column_stack([rng.integers(-2, k + 1, n) for k in highest])
    labels[:, 0] = rng.integers(0, highest[0] + 1, n)
    return np.array(check_labels(labels), order=order)


def product(a, b, noise):
    left, right = (indicator(v, noise=noise, dtype=np.int64).toarray() for v in (a, b))
    return left.T @ right


@pytest.mark.parametrize("noise", [False, True])
@pytest.mark.parametrize("order", ["F", "C"])
def test_counts_equal_the_product_of_indicators(order, noise):
    labels = random_labels(0, order=order)
    table = contingency(labels, noise=noise)
    np.testing.assert_array_equal(table.toarray(), product(labels, labels, noise))
    assert table.has_canonical_format
    assert (table.data > 0).all()


@pytest.mark.parametrize("noise", [False, True])
def test_two_matrices_and_a_vector(noise):
    a, b = random_labels(1), random_labels(2, highest=(6, 2))
    np.testing.assert_array_equal(contingency(a, b, noise=noise).toarray(), product(a, b, noise))
    np.testing.assert_array_equal(
        contingency(a, b[:, 0], noise=noise).toarray(), product(a, b[:, :1], noise)
    )


def test_a_member_of_noise_only_has_no_cluster():
    labels = random_labels(3)
    labels[:, 1] = -1
    np.testing.assert_array_equal(contingency(labels).toarray(), product(labels, labels, False))


def test_one_member():
    labels = random_labels(4)[:, :1]
    np.testing.assert_array_equal(
        contingency(labels).toarray(), np.diag(np.bincount(labels[:, 0]))
    )


def test_more_clusters_than_a_byte_holds():
    labels = random_labels(5, n=900, highest=(400, 3, 250))
    assert kernel.encode(labels, labels.max(axis=0) + 1, False).codes.dtype == np.uint16
    np.testing.assert_array_equal(contingency(labels).toarray(), product(labels, labels, False))


@pytest.mark.parametrize("batch", [1, 60, 200])
def test_batches_do_not_change_the_counts(monkeypatch, batch):
    labels = random_labels(6)
    expected = contingency(labels, noise=True)
    monkeypatch.setattr(kernel, "BATCH_CELLS", batch)
    table = contingency(labels, noise=True)
    np.testing.assert_array_equal(table.indptr, expected.indptr)
    np.testing.assert_array_equal(table.indices, expected.indices)
    np.testing.assert_array_equal(table.data, expected.data)


@pytest.mark.parametrize("compiled_from", [0, 10**9])
def test_weights_of_objects(monkeypatch, compiled_from):
    monkeypatch.setitem(COMPILED_FROM, "objects", compiled_from)
    labels, other = random_labels(8), random_labels(9, highest=(4,))
    weights = np.random.default_rng(0).uniform(0.5, 2, len(labels))
    B, C = indicator(labels).toarray(), indicator(other).toarray()
    table = contingency(labels, weights=weights)
    np.testing.assert_allclose(table.toarray(), B.T @ (weights[:, None] * B), atol=1e-12)
    assert (abs(table - table.T) > 1e-12).nnz == 0
    crossed = contingency(labels, other, weights=weights)
    np.testing.assert_allclose(crossed.toarray(), B.T @ (weights[:, None] * C), atol=1e-12)


def test_the_number_of_threads_changes_nothing():
    labels = random_labels(7, n=500)
    expected = contingency(labels)
    before = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        alone = contingency(labels)
    finally:
        numba.set_num_threads(before)
    np.testing.assert_array_equal(alone.data, expected.data)
    np.testing.assert_array_equal(alone.indices, expected.indices)
