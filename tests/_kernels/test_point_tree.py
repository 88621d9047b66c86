"""Spanning trees of points, and their cuts into clusters of bounded inequality."""

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform

from consens._kernels.point_tree import cut_evenly, shortest_tree
from consens.measure import ari


def sorted_tree(X):
    first, second, squares = shortest_tree(X)
    order = np.argsort(squares, kind="stable")
    return first[order], second[order], squares[order]


def plain_cut(first, second, most, k):
    """Merge edge by edge, with the Gini index of all pairs of clusters."""
    n = len(first) + 1
    labels, edges = np.arange(n), list(zip(first, second, strict=True))
    while len(set(labels.tolist())) > k:
        sizes = np.bincount(np.unique(labels, return_inverse=True)[1])
        gini = np.abs(sizes[:, None] - sizes).sum() / 2 / ((len(sizes) - 1) * n)
        size_of = np.bincount(labels, minlength=n)[labels]
        touching = [e for e, ends in enumerate(edges) if min(size_of[list(ends)]) == sizes.min()]
        a, b = edges.pop(0 if gini <= most else touching[0])
        labels[labels == labels[b]] = labels[a]
    return labels


@pytest.mark.parametrize("seed", range(5))
def test_the_tree_is_the_shortest(seed):
    X = np.random.default_rng(seed).normal(size=(40, 3))
    expected = minimum_spanning_tree(squareform(pdist(X))).sum()
    assert np.sqrt(shortest_tree(X)[2]).sum() == pytest.approx(expected)


@pytest.mark.parametrize("most", [0.1, 0.3, 0.5, 0.7, 1.0])
@pytest.mark.parametrize("seed", range(8))
def test_cuts_are_those_of_the_definition(most, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 40))
    first, second, _ = sorted_tree(rng.normal(size=(n, 2)))
    k = int(rng.integers(1, n))
    labels = cut_evenly(first, second, most, k)
    assert len(np.unique(labels)) == k
    assert ari(labels, plain_cut(first, second, most, k)) == 1


def test_a_bound_keeps_an_outlier_in_a_cluster():
    X = np.array([[0.0], [1.0], [4.0], [5.1], [20.0]])
    first, second, _ = sorted_tree(X)
    np.testing.assert_array_equal(cut_evenly(first, second, 1.0, 2), [0, 0, 0, 0, 1])
    np.testing.assert_array_equal(cut_evenly(first, second, 0.1, 2), [0, 0, 1, 1, 1])
