"""Hypergraph cuts: exactly k parts, a connectivity that no single move can lower."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consens._labels import first_seen_order
from consens.partition.hypergraph import hypergraph_cut


def plain_connectivity(incidence, labels):
    total = 0
    for edge in incidence.T:
        reached = set(labels[edge != 0])
        total += max(len(reached) - 1, 0)
    return total


def planted(sizes=(8, 7, 6), n_members=6, flips=0.1, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    columns = [
        np.where(rng.random(len(truth)) < flips, rng.integers(0, len(sizes), len(truth)), truth)
        for _ in range(n_members)
    ]
    return np.hstack([np.eye(len(sizes))[column] for column in columns]), truth


class TestOwn:
    def test_planted_parts(self):
        edges, truth = planted(flips=0.05)
        np.testing.assert_array_equal(hypergraph_cut(edges, 3, imbalance=0.2), truth)

    def test_the_best_balanced_cut_of_a_small_hypergraph(self):
        rng = np.random.default_rng(0)
        for _ in range(5):
            edges = rng.random((8, 6)) < 0.4
            halves = [np.array(h) for h in product((0, 1), repeat=8) if sum(h) == 4]
            best = min(plain_connectivity(edges, h) for h in halves)
            found = hypergraph_cut(edges, 2, imbalance=0.0)
            assert plain_connectivity(edges, found) <= best + 1

    def test_no_single_move_lowers_the_plain_connectivity(self):
        edges, _ = planted(flips=0.4, seed=3)
        labels = hypergraph_cut(edges, 3, imbalance=0.3)
        now = plain_connectivity(edges, labels)
        limit = max(1.3 * len(labels) / 3, np.bincount(labels).max())
        for v, part in product(range(len(labels)), range(3)):
            moved = labels.copy()
            moved[v] = part
            if len(set(moved)) == 3 and np.bincount(moved).max() <= limit:
                assert plain_connectivity(edges, moved) >= now

    def test_neither_numbering_nor_doubling_changes_anything(self):
        edges, _ = planted(flips=0.4)
        rng = np.random.default_rng(0)
        labels = hypergraph_cut(edges, 3, imbalance=0.3)
        columns = rng.permutation(edges.shape[1])
        np.testing.assert_array_equal(hypergraph_cut(edges[:, columns], 3, imbalance=0.3), labels)
        np.testing.assert_array_equal(
            hypergraph_cut(np.hstack([edges, edges]), 3, imbalance=0.3), labels
        )

    @settings(max_examples=40, deadline=None)
    @given(seed=st.integers(0, 10**6), n=st.integers(1, 15), m=st.integers(1, 8), data=st.data())
    def test_always_exactly_k_parts(self, seed, n, m, data):
        rng = np.random.default_rng(seed)
        edges = rng.random((n, m)) < data.draw(st.sampled_from([0.0, 0.3, 0.9]))
        k = data.draw(st.integers(1, n))
        weights = 10.0 ** rng.uniform(0, 2, n)
        labels = hypergraph_cut(edges, k, vertex_weights=weights)
        assert set(labels) == set(range(k))


@given(st.integers(0, 10**6))
def test_connectivity_equals_the_plain_twin(seed):
    rng = np.random.default_rng(seed)
    edges, labels = rng.random((9, 5)) < 0.4, first_seen_order(rng.integers(0, 3, 9))
    assert plain_connectivity(edges, labels) == plain_connectivity(edges, labels)


@pytest.mark.parametrize("k", [0, 22])
def test_impossible_numbers_of_parts(k):
    with pytest.raises(ValueError, match=f"n_clusters={k}"):
        hypergraph_cut(planted()[0], k)
