"""Coarsening and refinement of hypergraphs against plain loops."""

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array

from consens._kernels.hypergraph import (
    Hypergraph,
    cut_weight,
    group_by_first_choice,
    refine_bisection,
)


def case(seed, n=30, m=18):
    rng = np.random.default_rng(seed)
    edges = (rng.random((n, m)) < 0.15).astype(np.int64)
    return edges, rng.integers(1, 3, m), rng.integers(1, 4, n).astype(float), rng


def hypergraph(edges, copies, weights):
    columns, rows = csc_array(edges), csr_array(edges)
    found = columns.indptr, columns.indices, rows.indptr, rows.indices
    arrays = [array.astype(np.int64) for array in found]  # as the library does: compiled once
    return Hypergraph(*arrays, copies, weights)


def plain_cut(edges, copies, side):
    return sum(c for e, c in zip(edges.T, copies, strict=True) if len(set(side[e != 0])) > 1)


def plain_groups(edges, copies, weights, order, most):
    """The neighbour with the largest sum of copies / (size - 1), of equal ones the first met."""
    groups = []
    for v in order:
        if any(v in group for group in groups):
            continue
        shared = {}
        for e in np.flatnonzero(edges[v]):
            others = [u for u in np.flatnonzero(edges[:, e]) if u != v]
            for u in others:
                shared[u] = shared.get(u, 0) + copies[e] / len(others)
        choice, highest = {v}, 0.0
        for u, value in shared.items():
            group = next((g for g in groups if u in g), {u})
            if sum(weights[list(group)]) + weights[v] <= most and value > highest + 1e-9:
                choice, highest = group, value
        groups = [group for group in groups if group is not choice] + [choice | {v}]
    return {frozenset(group) for group in groups}


@pytest.mark.parametrize("seed", range(6))
def test_each_vertex_joins_the_one_it_shares_most_with(seed):
    edges, copies, weights, rng = case(seed)
    order = rng.permutation(len(weights))
    found, n_groups = group_by_first_choice(hypergraph(edges, copies, weights), order, 9.0)
    assert {frozenset(np.flatnonzero(found == g)) for g in range(n_groups)} == plain_groups(
        edges, copies, weights, order, 9.0
    )


@pytest.mark.parametrize("seed", range(6))
def test_passes_never_cut_more_and_say_what_they_cut(seed):
    edges, copies, weights, rng = case(seed)
    n = len(weights)
    side = np.zeros(n, dtype=np.int64)
    side[rng.permutation(n)[: n // 2]] = 1
    total = weights.sum()
    low, high = 0.4 * total, 0.6 * total
    before, balanced = plain_cut(edges, copies, side), low <= weights[side == 0].sum() <= high
    graph = hypergraph(edges, copies, weights)
    after = refine_bisection(graph, side, low, high, rng.permutation(n), n, 10)
    assert after == plain_cut(edges, copies, side) == cut_weight(graph, side)
    assert low <= weights[side == 0].sum() <= high
    assert after <= before or not balanced


def test_a_pass_finds_its_way_through_moves_that_gain_nothing():
    # two triangles of hyperedges with a bridge; a start that cuts both needs several moves
    edges = np.zeros((6, 7), dtype=np.int64)
    for e, (a, b) in enumerate([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)]):
        edges[[a, b], e] = 1
    side = np.array([0, 1, 1, 0, 0, 1])
    graph = hypergraph(edges, np.ones(7, dtype=np.int64), np.ones(6))
    cut = refine_bisection(graph, side, 2.0, 4.0, np.arange(6), 6, 10)
    assert cut == 1
    assert len(set(side[:3])) == len(set(side[3:])) == 1
