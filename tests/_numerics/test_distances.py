"""Locally weighted distances: the compiled kernel and the sparse products."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix

from consens._kernels import kmeans as kernels
from consens._numerics import distances
from consens._numerics.distances import sweep, weighted_squares
from consens._numerics.nearest import nearest


def problem(seed, n=150, d=6, k=3, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(dtype)
    centers = rng.normal(size=(k, d))
    weights = rng.dirichlet(np.ones(d), k)
    return X, centers, weights


def slow_squares(X, centers, weights):
    """One object, one centre, one feature after the other."""
    out = np.zeros((len(X), len(centers)))
    for i, x in enumerate(X.astype(np.float64)):
        for j in range(len(centers)):
            for s in range(X.shape[1]):
                t = x[s] - centers[j, s]
                out[i, j] += weights[j, s] * (t * t)
    return out


def slow_sweep(X, centers, weights):
    labels = slow_squares(X, centers, weights).argmin(axis=1)
    counts = np.bincount(labels, minlength=len(centers))
    deviations, squares = np.zeros_like(centers), np.zeros_like(centers)
    for x, j in zip(X, labels, strict=True):
        deviations[j] += x - centers[j]
        squares[j] += (x - centers[j]) ** 2
    return labels, counts, deviations, squares


def plain_sweep(X, centers, weights):
    """NumPy in the same order of additions: running sums, and sums row after row."""
    squares = [
        np.cumsum(np.square(X - c) * w, axis=1)[:, -1]
        for c, w in zip(centers, weights, strict=True)
    ]
    labels = np.argmin(squares, axis=0)
    deviations = X - centers[labels]
    counts = np.bincount(labels, minlength=len(centers))
    sums, sums_of_squares = np.zeros_like(centers), np.zeros_like(centers)
    np.add.at(sums, labels, deviations)
    np.add.at(sums_of_squares, labels, np.square(deviations))
    return labels, counts, sums, sums_of_squares


@pytest.fixture(autouse=True)
def _several_chunks(monkeypatch):
    monkeypatch.setattr(distances, "CHUNK", 60)  # the last one is shorter


def test_by_hand():
    X = np.array([[3.0, 1.0], [1.0, 4.0]])
    centers = np.array([[1.0, 1.0], [3.0, 0.0]])
    weights = np.array([[0.25, 0.75], [0.5, 0.5]])
    expected = [[0.25 * 4, 0.5], [0.75 * 9, 0.5 * 4 + 0.5 * 16]]
    np.testing.assert_array_equal(weighted_squares(X, centers, weights), expected)
    done = sweep(X, centers, weights)
    np.testing.assert_array_equal(done.labels, [1, 0])
    np.testing.assert_array_equal(done.counts, [1, 1])
    np.testing.assert_array_equal(done.deviations, [[0, 3], [0, 1]])
    np.testing.assert_array_equal(done.squares, [[0, 9], [0, 1]])


@pytest.mark.parametrize("d", [1, 4, 6])
def test_every_sum_runs_over_the_features_from_first_to_last(d):
    problem_ = problem(0, d=d)
    np.testing.assert_array_equal(weighted_squares(*problem_), slow_squares(*problem_))


def test_a_sweep_equals_the_plain_loops():
    problem_ = problem(1)
    done = sweep(*problem_)
    labels, counts, deviations, squares = slow_sweep(*problem_)
    np.testing.assert_array_equal(done.labels, labels)
    np.testing.assert_array_equal(done.counts, counts)
    np.testing.assert_allclose(done.deviations, deviations, atol=1e-12)
    np.testing.assert_allclose(done.squares, squares, rtol=1e-12)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 1000),
    n=st.integers(1, 200),
    d=st.integers(1, 9),
    k=st.integers(1, 5),
    grid=st.booleans(),
)
def test_the_kernel_equals_its_plain_twin_to_the_last_bit(seed, n, d, k, grid):
    X, centers, weights = problem(seed, n, d, k)
    if grid:  # full of ties
        X, centers, weights = np.rint(X), np.rint(centers), np.full((k, d), 1 / d)
    labels = np.empty(n, dtype=np.int32)
    given = (distances._double(array) for array in (X, centers, weights))
    compiled = labels, *kernels.sweep_rows(*given, labels)
    plain = plain_sweep(X, centers, weights)
    for a, b in zip(compiled, plain, strict=True):
        np.testing.assert_array_equal(a, b)


def test_of_equally_near_centers_the_first():
    X = np.zeros((5, 2))
    centers = np.array([[2.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    weights = np.full((3, 2), 0.5)
    np.testing.assert_array_equal(nearest(X, centers, weights), 1)
    np.testing.assert_array_equal(sweep(X, centers, weights).labels, 1)


def test_single_precision_and_any_memory_layout():
    X, centers, weights = problem(2, dtype=np.float32)
    expected = sweep(X.astype(np.float64), centers, weights)
    for form in (X, np.asfortranarray(X), X.astype(np.float64)[::-1][::-1]):
        for a, b in zip(sweep(form, centers, weights), expected, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("form", [csr_array, csr_matrix])
def test_sparse_rows_give_the_same_within_rounding(form):
    X, centers, weights = problem(3)
    X[np.random.default_rng(0).random(X.shape) < 0.7] = 0
    np.testing.assert_allclose(
        weighted_squares(form(X), centers, weights), slow_squares(X, centers, weights), rtol=1e-10
    )
    dense, sparse = sweep(X, centers, weights), sweep(form(X), centers, weights)
    np.testing.assert_array_equal(sparse.labels, dense.labels)
    np.testing.assert_array_equal(sparse.counts, dense.counts)
    np.testing.assert_allclose(sparse.deviations, dense.deviations, atol=1e-10)
    np.testing.assert_allclose(sparse.squares, dense.squares, rtol=1e-8)


def test_a_sparse_row_is_at_no_distance_from_itself():
    X = np.random.default_rng(0).normal(1e6, 1, size=(5, 7))
    assert (np.diag(weighted_squares(csr_array(X), X, np.full((5, 7), 1 / 7))) == 0).all()
