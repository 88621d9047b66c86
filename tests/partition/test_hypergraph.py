"""Hypergraph cuts: exactly k parts, a connectivity that no single move can lower."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consens._labels import first_seen_order
from consens.partition.hypergraph import connectivity, hypergraph_cut


def plain_connectivity(incidence, labels):
    total = 0
    for edge in incidence.T:
        reached = set(labels[edge != 0])
        total += max(len(reached) - 1, 0)
    return total


def plain_cut(incidence, labels):
    """Hyperedges that reach more than one part."""
    return sum(len(set(labels[np.flatnonzero(column)])) > 1 for column in incidence.T)


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

    def test_no_single_move_lowers_the_connectivity(self):
        edges, _ = planted(flips=0.4, seed=3)
        labels = hypergraph_cut(edges, 3, imbalance=0.3)
        now = connectivity(edges, labels)
        limit = max(1.3 * len(labels) / 3, np.bincount(labels).max())
        for v, part in product(range(len(labels)), range(3)):
            moved = labels.copy()
            moved[v] = part
            if len(set(moved)) == 3 and np.bincount(moved).max() <= limit:
                assert connectivity(edges, moved) >= now

    def test_neither_numbering_nor_doubling_changes_anything(self):
        edges, _ = planted(flips=0.4)
        rng = np.random.default_rng(0)
        labels = hypergraph_cut(edges, 3, imbalance=0.3)
        columns = rng.permutation(edges.shape[1])
        np.testing.assert_array_equal(hypergraph_cut(edges[:, columns], 3, imbalance=0.3), labels)
        np.testing.assert_array_equal(
            hypergraph_cut(np.hstack([edges, edges]), 3, imbalance=0.3), labels
        )

    @pytest.mark.parametrize("partitioner", ["metis", "bisection"])
    @settings(max_examples=40, deadline=None)
    @given(seed=st.integers(0, 10**6), n=st.integers(1, 15), m=st.integers(1, 8), data=st.data())
    def test_always_exactly_k_parts(self, partitioner, seed, n, m, data):
        rng = np.random.default_rng(seed)
        edges = rng.random((n, m)) < data.draw(st.sampled_from([0.0, 0.3, 0.9]))
        k = data.draw(st.integers(1, n))
        weights = 10.0 ** rng.uniform(0, 2, n)
        labels = hypergraph_cut(edges, k, vertex_weights=weights, partitioner=partitioner)
        assert set(labels) == set(range(k))


@given(st.integers(0, 10**6))
def test_connectivity_equals_the_plain_twin(seed):
    rng = np.random.default_rng(seed)
    edges, labels = rng.random((9, 5)) < 0.4, first_seen_order(rng.integers(0, 3, 9))
    assert connectivity(edges, labels) == plain_connectivity(edges, labels)


@pytest.mark.parametrize("k", [0, 22])
def test_impossible_numbers_of_parts(k):
    with pytest.raises(ValueError, match=f"n_clusters={k}"):
        hypergraph_cut(planted()[0], k)


@pytest.mark.parametrize("seed", range(4))
def test_each_objective_is_served_at_least_as_well_by_its_own_cut(seed):
    rng = np.random.default_rng(seed)
    edges = (rng.random((40, 25)) < 0.12).astype(int)
    cut = hypergraph_cut(edges, 4, imbalance=0.3, objective="cut")
    connected = hypergraph_cut(edges, 4, imbalance=0.3)
    assert plain_cut(edges, cut) <= plain_cut(edges, connected)
    assert plain_connectivity(edges, connected) <= plain_connectivity(edges, cut)


def test_no_single_move_lowers_the_cut():
    rng = np.random.default_rng(5)
    edges = (rng.random((24, 14)) < 0.2).astype(int)
    labels = hypergraph_cut(edges, 3, imbalance=0.5, objective="cut")
    cost, limit = plain_cut(edges, labels), 1.5 * 8
    for vertex, part in product(range(24), range(3)):
        moved = labels.copy()
        moved[vertex] = part
        if np.bincount(moved, minlength=3).min() and np.bincount(moved).max() <= limit:
            assert plain_cut(edges, moved) >= cost


def test_unknown_objective():
    with pytest.raises(ValueError, match="allowed are 'connectivity' and 'cut'"):
        hypergraph_cut(np.eye(3), 2, objective="weight")


def test_unknown_partitioner():
    with pytest.raises(ValueError, match="partitioner='hmetis'"):
        hypergraph_cut(planted()[0], 2, partitioner="hmetis")


class TestBisection:
    def cut(self, edges, k, **options):
        return hypergraph_cut(edges, k, partitioner="bisection", **options)

    @pytest.mark.parametrize("objective", ["cut", "connectivity"])
    def test_planted_parts(self, objective):
        truth = np.repeat(np.arange(3), 60)
        edges = np.zeros((180, 180))
        for e, start in enumerate(60 * truth):  # every six neighbours on three rings
            edges[start + (e + np.arange(6)) % 60, e] = 1
        labels = self.cut(edges, 3, imbalance=0.1, objective=objective)
        np.testing.assert_array_equal(labels, truth)

    def test_the_best_balanced_cut_of_a_small_hypergraph(self):
        rng = np.random.default_rng(0)
        for _ in range(5):
            edges = rng.random((8, 6)) < 0.3
            halves = [np.array(h) for h in product((0, 1), repeat=8) if 3 <= sum(h) <= 5]
            best = min(plain_cut(edges, h) for h in halves)
            assert plain_cut(edges, self.cut(edges, 2, imbalance=0.25, objective="cut")) == best

    def test_sides_keep_the_balance_of_every_bisection(self):
        rng = np.random.default_rng(1)
        edges = rng.random((200, 60)) < 0.03
        sizes = np.bincount(self.cut(edges, 4, imbalance=0.1, objective="cut"))
        assert sizes.max() <= 200 * 0.55**2 + 1
        assert sizes.min() >= 200 * 0.45**2 - 1

    def test_what_every_bisection_cuts_says_nothing(self):
        # two clusters of 70 and 30: any 45 to 55 cuts the larger, whichever way it goes
        edges = np.repeat(np.eye(2), [70, 30], axis=0)
        labels = self.cut(np.hstack([edges] * 5), 2, imbalance=0.1, objective="cut")
        assert np.bincount(labels).max() <= 55

    def test_same_seed_same_answer_whatever_the_numbering(self):
        edges, _ = planted(sizes=(40, 50, 60), flips=0.3)
        labels = self.cut(edges, 3, imbalance=0.1)
        columns = np.random.default_rng(0).permutation(edges.shape[1])
        np.testing.assert_array_equal(self.cut(edges[:, columns], 3, imbalance=0.1), labels)


class TestKahypar:
    @pytest.fixture(autouse=True)
    def extra(self):
        pytest.importorskip("mtkahypar", reason="the extra 'hypergraph' is not installed")

    def test_planted_parts(self):
        edges, truth = planted(flips=0.05)
        labels = hypergraph_cut(edges, 3, imbalance=0.2, partitioner="kahypar")
        np.testing.assert_array_equal(labels, truth)

    @settings(max_examples=15, deadline=None)
    @given(seed=st.integers(0, 10**6), n=st.integers(1, 12), m=st.integers(1, 8), data=st.data())
    def test_always_exactly_k_parts(self, seed, n, m, data):
        rng = np.random.default_rng(seed)
        edges = rng.random((n, m)) < data.draw(st.sampled_from([0.0, 0.3, 0.9]))
        k = data.draw(st.integers(1, n))
        weights = 10.0 ** rng.uniform(0, 2, n)
        labels = hypergraph_cut(edges, k, vertex_weights=weights, partitioner="kahypar")
        assert set(labels) == set(range(k))
