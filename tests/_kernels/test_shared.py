"""Counting shared clusters, compiled and plain."""

import numpy as np
import pytest

from consens._labels import narrow, shared_members


@pytest.mark.parametrize("k", [3, 254, 255, 256, 300])  # the border of one byte among them
@pytest.mark.parametrize("n", [1, 256, 300])
def test_compiled_counts_equal_the_plain_ones(k, n):
    rng = np.random.default_rng(k)
    labels = rng.integers(-2, k, (n, 5))
    labels[0] = k - 1
    rows = rng.integers(-2, k, (7, 5))
    plain = (rows[:, None] == labels) & (rows[:, None] >= 0)
    for compiled in (False, True):
        shared = shared_members(rows, narrow(labels), compiled=compiled)
        np.testing.assert_array_equal(shared, plain.sum(axis=2))
        assert shared.dtype == np.int8


def test_a_row_may_have_labels_that_no_object_has():
    shared = shared_members(np.array([[300, 1]]), np.array([[0, 1], [44, 1]]), compiled=True)
    np.testing.assert_array_equal(shared, [[1, 1]])


def test_many_members_do_not_overflow():
    labels = np.zeros((3, 200), dtype=np.int32)
    for compiled in (False, True):
        np.testing.assert_array_equal(
            shared_members(labels, labels, compiled=compiled), np.full((3, 3), 200)
        )
