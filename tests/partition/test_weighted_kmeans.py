"""Weighted k-means: optimal on small cases, weights as multiplicities, no empty cluster."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from consens._numerics import seeding
from consens.partition.weighted_kmeans import weighted_kmeans


def inertia(X, labels, weights):
    """The sum of squares, spelt out."""
    total = 0.0
    for k in set(labels):
        rows, w = X[labels == k], weights[labels == k]
        center = (w[:, None] * rows).sum(axis=0) / w.sum()
        total += (w * ((rows - center) ** 2).sum(axis=1)).sum()
    return total


@pytest.mark.parametrize("seed", range(5))
def test_the_optimum_of_a_small_problem_is_found(seed):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(8, 2)), rng.integers(1, 5, 8).astype(float)
    done = weighted_kmeans(X, 3, w, seed=seed)
    # the first object is in cluster 0: other names change nothing
    partitions = (np.array([0, *p]) for p in product(range(3), repeat=7))
    best = min(inertia(X, p, w) for p in partitions if len(set(p)) == 3)
    assert done.inertia == pytest.approx(best)
    assert inertia(X, done.labels, w) == pytest.approx(best)


def test_a_weight_is_a_multiplicity():
    rng = np.random.default_rng(0)
    X, counts = rng.normal(size=(15, 2)), rng.integers(1, 5, 15)
    weighted = weighted_kmeans(X, 3, counts, n_init=30)
    repeated = weighted_kmeans(np.repeat(X, counts, axis=0), 3, n_init=30)
    assert weighted.inertia == pytest.approx(repeated.inertia)
    np.testing.assert_array_equal(np.repeat(weighted.labels, counts), repeated.labels)


def test_sparse_rows_give_the_answer_of_dense_ones():
    X = (np.random.default_rng(0).random((40, 12)) < 0.3).astype(float)
    dense, sparse = weighted_kmeans(X, 4), weighted_kmeans(csr_array(X), 4)
    np.testing.assert_array_equal(dense.labels, sparse.labels)
    np.testing.assert_allclose(dense.centers, sparse.centers)


@pytest.mark.parametrize("sparse", [False, True])
def test_a_metric_stands_for_a_product(sparse):
    rng = np.random.default_rng(0)
    X, F = (rng.random((30, 6)) < 0.4).astype(float), rng.normal(size=(6, 4))
    product = weighted_kmeans(X @ F, 3)
    metric = weighted_kmeans(csr_array(X) if sparse else X, 3, metric=F @ F.T)
    np.testing.assert_array_equal(metric.labels, product.labels)
    assert metric.inertia == pytest.approx(product.inertia)
    np.testing.assert_allclose(metric.centers @ F, product.centers)


def test_centres_are_in_the_order_of_the_labels():
    X = np.array([[5.0], [0.0], [5.2], [0.1]])
    done = weighted_kmeans(X, 2)
    np.testing.assert_array_equal(done.labels, [0, 1, 0, 1])
    np.testing.assert_allclose(done.centers.ravel(), [5.1, 0.05])


def test_given_centres_are_where_it_starts():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    np.testing.assert_array_equal(weighted_kmeans(X, 2, init=[[0.0], [10.0]]).labels, [0, 0, 1, 1])


@settings(max_examples=50)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 4), st.data())
def test_exactly_k_clusters_even_of_equal_rows(seed, n, distinct, data):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(distinct, 2))[rng.integers(0, distinct, n)]
    k = data.draw(st.integers(1, n))
    assert set(weighted_kmeans(X, k, n_init=2).labels) == set(range(k))


def test_many_rows_start_from_a_sample(monkeypatch):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 600)
    X = np.array([[0, 0], [9, 0], [0, 9], [9, 9.0]])[truth] + rng.normal(size=(600, 2))
    full = weighted_kmeans(X, 4)
    monkeypatch.setattr(seeding, "START_ROWS", 50)
    np.testing.assert_array_equal(weighted_kmeans(X, 4).labels, full.labels)


def test_the_same_seed_gives_the_same_answer():
    X = np.random.default_rng(0).normal(size=(200, 3))
    first, second = (weighted_kmeans(X, 8, n_init=1, seed=5) for _ in range(2))
    np.testing.assert_array_equal(first.labels, second.labels)
    assert first.inertia == second.inertia


@pytest.mark.parametrize("k", [0, 4])
def test_impossible_numbers_of_clusters(k):
    with pytest.raises(ValueError, match=f"n_clusters={k}"):
        weighted_kmeans(np.eye(3), k)


def test_exact_sums_find_what_lloyd_finds(monkeypatch):
    X = np.concatenate([np.random.default_rng(c).normal(c, 1, (60, 3)) for c in range(3)])
    init = X[[0, 70, 130]]
    expected = weighted_kmeans(X, 3, init=init)
    monkeypatch.setattr(seeding, "START_ROWS", 50)
    found = weighted_kmeans(X, 3, init=init)
    np.testing.assert_array_equal(found.labels, expected.labels)
    np.testing.assert_allclose(found.centers, expected.centers, rtol=1e-8, atol=1e-8)
    assert found.inertia == pytest.approx(expected.inertia, rel=1e-7)


def test_exact_sums_depend_on_no_order(monkeypatch):
    monkeypatch.setattr(seeding, "START_ROWS", 50)
    X = np.random.default_rng(0).normal(size=(300, 2)) * 1e3
    order = np.random.default_rng(1).permutation(300)
    first = weighted_kmeans(X, 4, init=X[:4])
    second = weighted_kmeans(X[order], 4, init=X[:4])
    assert first.inertia == second.inertia
    np.testing.assert_array_equal(np.sort(first.centers, axis=0), np.sort(second.centers, axis=0))
