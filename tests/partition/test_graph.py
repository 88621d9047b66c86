"""Reading graphs, components, and the order that does not depend on numbering."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array

from consens.partition.graph import (
    canonical_order,
    check_graph,
    check_vertex_weights,
    components,
    group_components,
    without_loops,
)


def random_graph(seed, n=12, density=0.4):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1)
    return csr_array(upper + upper.T)


class TestReading:
    def test_duplicates_are_summed_and_zeros_left_out(self):
        rows, cols = [0, 0, 1, 1, 1], [1, 1, 0, 0, 2]
        graph = coo_array(([1.0, 2.0, 1.0, 2.0, 0.0], (rows, cols)), shape=(3, 3))
        assert check_graph(graph).nnz == 2
        np.testing.assert_array_equal(check_graph(graph).toarray()[0], [0, 3, 0])

    def test_rounding_is_evened_out(self):
        graph = np.array([[0, 1.0], [1.0 + 1e-15, 0]])
        read = check_graph(graph).toarray()
        assert read[0, 1] == read[1, 0]

    @pytest.mark.parametrize(
        ("graph", "message"),
        [
            (np.ones((2, 3)), "square"),
            (np.array([[0, 1.0], [2.0, 0]]), "symmetric"),
            (np.array([[0, 1.0], [0.0, 0]]), "symmetric"),
            (np.array([[0, -1.0], [-1.0, 0]]), "finite and >= 0"),
            (np.array([[0, np.nan], [np.nan, 0]]), "finite and >= 0"),
            (np.array([[0, np.inf], [np.inf, 0]]), "finite and >= 0"),
        ],
    )
    def test_what_no_partitioner_can_use_is_refused(self, graph, message):
        with pytest.raises(ValueError, match=message):
            check_graph(graph)

    @pytest.mark.parametrize("weights", [[1, 2], [1, 0, 1], [1, -1, 1], [1, np.nan, 1]])
    def test_bad_vertex_weights(self, weights):
        with pytest.raises(ValueError, match="weight"):
            check_vertex_weights(weights, 3)

    def test_loops_are_left_out(self):
        graph = check_graph(np.array([[3.0, 1.0], [1.0, 0.0]]))
        np.testing.assert_array_equal(without_loops(graph).toarray(), [[0, 1], [1, 0]])


class TestComponents:
    def test_each_stays_whole_and_groups_are_even(self):
        component = np.repeat([0, 1, 2, 3], [2, 5, 3, 1])
        # 5 | 3, then 2 joins 3, then 1 joins one of the two fives: the one opened first
        np.testing.assert_array_equal(
            group_components(component, np.ones(11), 2), np.repeat([1, 0, 1, 0], [2, 5, 3, 1])
        )

    def test_weights_count(self):
        component = np.array([0, 1, 2])
        np.testing.assert_array_equal(
            group_components(component, np.array([1.0, 1.0, 5.0]), 2), [1, 1, 0]
        )

    @given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.integers(1, 6))
    def test_no_group_is_empty(self, component, k):
        component = np.unique(component, return_inverse=True)[1]
        k = min(k, component.max() + 1)
        groups = group_components(component, np.ones(len(component)), k)
        assert set(groups) == set(range(k))
        assert all(len(set(groups[component == c])) == 1 for c in component)


class TestCanonicalOrder:
    @settings(max_examples=30)
    @given(st.integers(0, 10**6))
    def test_a_renumbered_graph_comes_out_the_same(self, seed):
        graph = random_graph(seed)
        n = graph.shape[0]
        weights = np.random.default_rng(seed).integers(1, 4, n).astype(float)
        shuffle = np.random.default_rng(seed + 1).permutation(n)
        other, other_weights = check_graph(graph[shuffle][:, shuffle]), weights[shuffle]
        order, again = canonical_order(graph, weights), canonical_order(other, other_weights)
        np.testing.assert_array_equal(
            graph[order][:, order].toarray(), other[again][:, again].toarray()
        )
        np.testing.assert_array_equal(weights[order], other_weights[again])

    def test_vertices_without_edges(self):
        order = canonical_order(csr_array((3, 3)), np.array([2.0, 1.0, 2.0]))
        assert sorted(order) == [0, 1, 2]


def test_components_are_numbered_by_first_vertex():
    graph = csr_array((4, 4))
    np.testing.assert_array_equal(components(graph), [0, 1, 2, 3])
