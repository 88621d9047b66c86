"""Dividing objects among parts of limited size: against all divisions there are."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from consens.partition.bipartite_cut import balanced_assignment


def kept(ties, parts):
    return ties[np.arange(len(parts)), parts].sum()


def best_of_all(ties, weights, capacity):
    n, k = ties.shape
    allowed = (
        np.array(parts)
        for parts in product(range(k), repeat=n)
        if np.bincount(parts, weights, minlength=k).max() <= capacity
    )
    return max(kept(ties, parts) for parts in allowed)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 9), room=st.integers(0, 3))
def test_two_parts_are_divided_in_the_best_way(seed, n, room):
    ties = np.random.default_rng(seed).random((n, 2))
    capacity = -(-n // 2) + room
    parts = balanced_assignment(ties, np.ones(n), capacity)
    assert np.bincount(parts, minlength=2).max() <= capacity
    assert kept(ties, parts) == pytest.approx(best_of_all(ties, np.ones(n), capacity))


@pytest.mark.parametrize("seed", range(5))
def test_more_parts_keep_nearly_all_that_can_be_kept(seed):
    n, k = 60, 4
    ties = np.random.default_rng(seed).random((n, k)) * [1, 1, 1, 2]
    parts = balanced_assignment(ties, np.ones(n), n / k)
    np.testing.assert_array_equal(np.bincount(parts), n // k)
    repeated = np.repeat(ties, n // k, axis=1)  # one column per place
    best = repeated[linear_sum_assignment(repeated, maximize=True)].sum()
    assert kept(ties, parts) >= 0.98 * best


def test_with_room_everybody_goes_where_they_are_tied_most():
    ties = np.random.default_rng(0).random((30, 3))
    np.testing.assert_array_equal(balanced_assignment(ties, np.ones(30), 30), ties.argmax(axis=1))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 30), k=st.integers(1, 5))
def test_weights_are_kept_within_one_object_of_the_capacity(seed, n, k):
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 6, n).astype(float)
    parts = balanced_assignment(rng.random((n, k)), weights, 0.0)
    assert np.bincount(parts, weights, minlength=k).max() <= weights.sum() / k + weights.max()


def test_of_equal_objects_the_last_are_moved():
    parts = balanced_assignment(np.tile([2.0, 1.0], (4, 1)), np.ones(4), 2)
    assert sorted(parts) == [0, 0, 1, 1]
