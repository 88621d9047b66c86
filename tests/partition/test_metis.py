"""METIS behind its guard rails: every edge case gets an answer, and the process lives on."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array

from consens.partition import metis
from consens.partition.metis import _edge_integers, _vertex_integers, pmetis


def blocks(*sizes, inside=1.0, between=0.0):
    """Complete blocks with weak edges between them."""
    label = np.repeat(np.arange(len(sizes)), sizes)
    graph = np.where(label[:, None] == label, inside, between)
    np.fill_diagonal(graph, 0.0)
    return graph


def planted(*sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def cut_weight(graph, labels):
    return graph[labels[:, None] != labels].sum() / 2


class TestFindsWhatIsThere:
    @pytest.mark.parametrize("method", ["recursive", "kway"])
    @pytest.mark.parametrize("k", [2, 3, 5])
    def test_equal_blocks(self, method, k):
        sizes = [40] * k
        labels = metis(blocks(*sizes, between=0.05), k, method=method)
        np.testing.assert_array_equal(labels, planted(*sizes))

    @pytest.mark.parametrize("method", ["recursive", "kway"])
    def test_unequal_blocks_need_leave_to_be_unequal(self, method):
        graph = blocks(120, 100, 80, between=0.05)
        np.testing.assert_array_equal(
            metis(graph, 3, imbalance=0.25, method=method), planted(120, 100, 80)
        )
        assert np.bincount(metis(graph, 3, imbalance=0.03, method=method)).max() <= 104

    def test_vertex_weights_are_what_is_balanced(self):
        # a chain of 8: equal halves by number, or 2 heavy vertices against 6 light ones
        chain = np.diag(np.ones(7), 1)
        chain += chain.T
        np.testing.assert_array_equal(metis(chain, 2), planted(4, 4))
        heavy = metis(chain, 2, vertex_weights=[3, 3, 1, 1, 1, 1, 1, 1])
        np.testing.assert_array_equal(heavy, planted(2, 6))

    def test_the_lightest_balanced_cut_of_a_small_graph(self):
        rng = np.random.default_rng(3)
        upper = np.triu(rng.random((8, 8)), 1)
        graph = upper + upper.T
        halves = [np.array([int(b) for b in f"{code:08b}"]) for code in range(256)]
        best = min(cut_weight(graph, h) for h in halves if h.sum() == 4)
        assert cut_weight(graph, metis(graph, 2)) == pytest.approx(best)


class TestRefinement:
    def heavy_blob(self, seed=0):
        """A dense group of two thirds, so that a balanced cut must go through it."""
        rng = np.random.default_rng(seed)
        truth = planted(40, 20)
        graph = np.where(truth[:, None] == truth, 0.9, 0.02) * (rng.random((60, 60)) < 0.8)
        graph = np.triu(graph, 1)
        return graph + graph.T, truth

    @pytest.mark.parametrize("seed", range(4))
    def test_no_single_move_lightens_the_cut(self, seed):
        graph, _ = self.heavy_blob(seed)
        labels = metis(graph, 3, imbalance=0.2)
        limit = max(1.2 * 60 / 3, np.bincount(labels).max())
        now = cut_weight(graph, labels)
        for vertex in range(60):
            for part in range(3):
                moved = labels.copy()
                moved[vertex] = part
                sizes = np.bincount(moved, minlength=3)
                if sizes.all() and sizes.max() <= limit:
                    # edges are rounded to thousandths for METIS
                    assert cut_weight(graph, moved) >= now - 0.05

    @pytest.mark.parametrize("seed", range(4))
    def test_the_seed_does_not_decide(self, seed):
        graph, truth = self.heavy_blob()
        np.testing.assert_array_equal(metis(graph, 2, imbalance=0.4, seed=seed), truth)

    def test_parts_keep_the_balance_after_several_bisections(self):
        rng = np.random.default_rng(0)
        upper = np.triu(rng.random((64, 64)) * (rng.random((64, 64)) < 0.3), 1)
        sizes = np.bincount(metis(upper + upper.T, 8, imbalance=0.25))
        assert sizes.max() <= 10


class TestEdgeCases:
    def test_one_part(self):
        np.testing.assert_array_equal(metis(blocks(3, 2), 1), 0)

    def test_as_many_parts_as_vertices(self):
        np.testing.assert_array_equal(metis(blocks(3, 2), 5), np.arange(5))

    def test_one_vertex(self):
        np.testing.assert_array_equal(metis(np.zeros((1, 1)), 1), [0])

    @pytest.mark.parametrize("k", [0, -1, 6])
    def test_impossible_numbers_of_parts(self, k):
        with pytest.raises(ValueError, match=f"n_clusters={k} parts of 5 vertices"):
            metis(blocks(3, 2), k)

    @pytest.mark.parametrize("k", [2, 7, 19])
    def test_no_edges(self, k):
        sizes = np.bincount(metis(csr_array((20, 20)), k))
        assert len(sizes) == k
        assert sizes.max() - sizes.min() <= 1

    def test_isolated_vertices(self):
        graph = np.zeros((12, 12))
        graph[:6, :6] = blocks(3, 3, between=0.1)
        labels = metis(graph, 2, imbalance=0.2)
        np.testing.assert_array_equal(np.bincount(labels), [6, 6])
        assert cut_weight(graph, labels) == 0

    def test_components_are_not_cut_where_whole_ones_balance(self):
        np.testing.assert_array_equal(
            metis(blocks(5, 5, 5, 5), 2), group(planted(5, 5, 5, 5), [0, 1, 0, 1])
        )

    def test_components_are_cut_where_balance_demands_it(self):
        labels = metis(blocks(16, 2, 2), 2, imbalance=0.1)
        assert np.bincount(labels).max() <= 11

    def test_a_vertex_heavier_than_a_part(self):
        labels = metis(blocks(10, 10, between=0.1), 7, vertex_weights=[1000] + [1] * 19)
        assert len(np.unique(labels)) == 7
        assert (labels == labels[0]).sum() == 1

    @pytest.mark.parametrize("method", ["recursive", "kway"])
    def test_a_star_which_k_way_leaves_in_one_part(self, method):
        star = np.zeros((20, 20))
        star[0, 1:] = star[1:, 0] = 1.0
        assert np.bincount(metis(star, 2, method=method)).min() >= 9

    def test_loops_change_nothing(self):
        graph = blocks(6, 6, between=0.1)
        np.testing.assert_array_equal(metis(graph + 5 * np.eye(12), 2), metis(graph, 2))

    @pytest.mark.parametrize(
        "changed", [{"imbalance": -0.1}, {"imbalance": np.nan}, {"method": "both"}]
    )
    def test_bad_options(self, changed):
        with pytest.raises(ValueError, match=next(iter(changed))):
            metis(blocks(3, 3), 2, **changed)

    @pytest.mark.parametrize("factor", [1e-300, 1e-6, 1.0, 1e9, 1e300])
    def test_a_multiple_of_a_graph_is_cut_alike(self, factor):
        graph = blocks(8, 7, 5, between=0.1)
        np.testing.assert_array_equal(
            metis(graph * factor, 3, imbalance=0.3), metis(graph, 3, imbalance=0.3)
        )

    @pytest.mark.parametrize("seed", [0, 2**31 - 1, 2**32 - 1])
    def test_any_seed_of_32_bits(self, seed):
        labels = metis(blocks(8, 8, between=0.1), 2, seed=seed)
        np.testing.assert_array_equal(labels, planted(8, 8))

    @settings(max_examples=60, deadline=None)
    @given(
        seed=st.integers(0, 10**6),
        n=st.integers(2, 40),
        density=st.sampled_from([0.0, 0.05, 0.3, 1.0]),
        spread=st.sampled_from([0, 3, 30]),
        imbalance=st.sampled_from([0.0, 0.03, 0.5, 10.0]),
        method=st.sampled_from(["recursive", "kway"]),
        data=st.data(),
    )
    def test_always_exactly_k_parts(self, seed, n, density, spread, imbalance, method, data):
        rng = np.random.default_rng(seed)
        half = random_array((n, n), density=density, rng=rng).toarray()
        half *= 10.0 ** rng.uniform(-spread, spread, (n, n))
        k = data.draw(st.integers(1, n))
        weights = 10.0 ** rng.uniform(0, 3, n)
        labels = metis(
            half + half.T, k, vertex_weights=weights, imbalance=imbalance, method=method
        )
        assert labels.shape == (n,)
        assert set(labels) == set(range(k))


class TestIntegers:
    def test_the_mean_edge_weighs_500_to_1000(self):
        # relative to the largest .25, .5, .75, 1: mean .625, scaled by 1024
        np.testing.assert_array_equal(
            _edge_integers(np.array([0.5, 1.0, 1.5, 2.0])), [256, 512, 768, 1024]
        )

    def test_a_positive_edge_is_never_lost(self):
        assert _edge_integers(np.array([1e-12, 1.0])).min() == 1

    def test_counts_stay_counts(self):
        np.testing.assert_array_equal(_vertex_integers(np.array([1.0, 7.0])), [1, 7])
        np.testing.assert_array_equal(_vertex_integers(np.array([2.0, 14.0])), [1, 7])

    def test_sums_fit_the_integers_of_metis(self, monkeypatch):
        import pymetis

        monkeypatch.setattr(pymetis, "zero_copy_dtype", lambda: np.dtype(np.int32))
        weights = np.random.default_rng(0).random(2_000_000)
        assert 0 < _edge_integers(weights).sum() < 2**31 - 1


def test_the_order_of_the_vertices_does_not_matter():
    rng = np.random.default_rng(0)
    upper = np.triu(rng.random((30, 30)) * (rng.random((30, 30)) < 0.4), 1)
    graph = upper + upper.T
    labels = metis(graph, 4)
    for _ in range(5):
        order = rng.permutation(30)
        again = np.empty(30, dtype=int)
        again[order] = metis(graph[np.ix_(order, order)], 4)
        np.testing.assert_array_equal(again[:, None] == again, labels[:, None] == labels)


def test_nothing_is_printed_and_the_process_lives(capfd):
    rng = np.random.default_rng(0)
    for n in (2, 3, 20):
        for k in {1, 2, 3, 7, 13, 19, 20} & set(range(1, n + 1)):
            half = rng.random((n, n)) * (rng.random((n, n)) < 0.3)
            for heavy, method, imbalance in product((1, 10**6), ("recursive", "kway"), (0.0, 5.0)):
                weights = np.r_[heavy, np.ones(n - 1)]
                options = {"method": method, "imbalance": imbalance}
                metis(half + half.T, k, vertex_weights=weights, **options)
    assert capfd.readouterr() == ("", "")


def group(component, groups):
    return np.asarray(groups)[component]


class TestPmetis:
    def test_blocks(self):
        labels = pmetis(blocks(40, 40, 40, between=0.05), 3, imbalance=0.001)
        np.testing.assert_array_equal(labels, planted(40, 40, 40))

    def test_it_is_one_call_of_metis_without_refinement(self):
        graph = np.random.default_rng(0).random((60, 60))
        graph += graph.T
        np.testing.assert_array_equal(
            pmetis(graph, 4, imbalance=0.001, seed=3),
            metis(graph, 4, imbalance=0.001, n_init=1, refine=False, seed=3),
        )

    def test_refinement_never_cuts_more(self):
        for seed in range(5):
            graph = np.random.default_rng(seed).random((40, 40)) ** 8
            graph += graph.T
            np.fill_diagonal(graph, 0)
            plain, refined = (
                metis(graph, 3, imbalance=0.05, refine=refine, seed=seed)
                for refine in (False, True)
            )
            assert np.bincount(refined).max() <= max(np.bincount(plain).max(), 14)
            if np.bincount(plain).max() <= 14:
                assert cut_weight(graph, refined) <= cut_weight(graph, plain) + 1e-9
