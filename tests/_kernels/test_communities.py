"""Moves and merges of the Leiden algorithm, against modularity by its definition."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from consens._kernels.communities import merge_inside, move_vertices


def random_graph(seed, n=14):
    rng = np.random.default_rng(seed)
    half = np.triu(rng.random((n, n)) < 0.3, 1) * rng.integers(1, 4, (n, n))
    return (half + half.T).astype(float)


def quality(A, labels, resolution=1.0):
    """Σ_C (w(C, C) - γ K_C² / 2m), by its definition."""
    degrees = A.sum(axis=1)
    expected = resolution * np.outer(degrees, degrees) / degrees.sum()
    return ((A - expected) * (labels[:, None] == labels)).sum()


def arguments(A, resolution=1.0, seed=0):
    graph, degrees = csr_array(A), A.sum(axis=1)
    order = np.random.default_rng(seed).permutation(len(A))
    penalty = resolution / degrees.sum()
    return graph.indptr, graph.indices, graph.data, degrees, penalty, order


@pytest.mark.parametrize("resolution", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("seed", range(6))
def test_no_vertex_gains_by_another_move_in_the_end(seed, resolution):
    """The queue overlooks vertices that are not next to one that moved, until the next call."""
    A = random_graph(seed)
    n = len(A)
    labels = np.random.default_rng(seed).integers(0, 4, n)
    before = None
    while before is None or (labels != before).any():
        before = labels.copy()
        move_vertices(*arguments(A, resolution, seed), labels)
        best = quality(A, labels, resolution)
        assert best >= quality(A, before, resolution) - 1e-9
    for v in range(n):
        for c in range(n):  # which includes empty communities
            other = labels.copy()
            other[v] = c
            assert quality(A, other, resolution) <= best + 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_merges_gain_inside_communities(seed):
    A = random_graph(seed, 20)
    labels = np.random.default_rng(seed).integers(0, 2, 20)
    parts = merge_inside(*arguments(A, 1.0, seed), labels)
    assert len(np.unique(parts)) < 20
    for part in np.unique(parts):
        assert len(set(labels[parts == part])) == 1
        inside = A[np.ix_(parts == part, parts == part)]
        reached = np.linalg.matrix_power(inside + np.eye(len(inside)), len(inside)) > 0
        assert reached.all()  # parts are connected
    assert quality(A, parts) > quality(A, np.arange(20))


def test_a_community_of_two_components_falls_apart():
    A = np.zeros((4, 4))
    A[0, 1] = A[1, 0] = A[2, 3] = A[3, 2] = 1
    parts = merge_inside(*arguments(A), np.zeros(4, dtype=np.int64))
    assert parts[0] == parts[1] != parts[2] == parts[3]
