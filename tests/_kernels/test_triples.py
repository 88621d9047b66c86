"""Connected triples, compiled and plain."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consens._kernels import COMPILED_FROM
from consens._kernels.triples import weighted_minima_dense
from consens.evidence import link_analysis
from consens.evidence.link_analysis import connected_triples


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_all_ways_are_equal_to_the_last_bit(seed):
    rng = np.random.default_rng(seed)
    n, members = int(rng.integers(6, 40)), int(rng.integers(1, 6))
    labels = rng.integers(0, rng.integers(1, 8), (n, members))
    plain = connected_triples(labels)
    weights = rng.random(len(plain))
    weighted = connected_triples(labels, weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(COMPILED_FROM, "triples", 0)
        for share in (0, 2):  # the kernel of dense graphs, and that of sparse ones
            patch.setattr(link_analysis, "DENSE_FROM", share)
            np.testing.assert_array_equal(connected_triples(labels), plain)
            np.testing.assert_array_equal(connected_triples(labels, weights), weighted)


@pytest.mark.parametrize("n", [31, 33, 600])
def test_blocks_of_the_dense_kernel(n):
    rng = np.random.default_rng(0)
    graph, weights = rng.random((n, n)), rng.random(n)
    graph[rng.random((n, n)) < 0.3] = 0
    graph = np.triu(graph) + np.triu(graph, 1).T
    sums = np.zeros((n, n))
    weighted_minima_dense(graph, weights, sums)
    for i, j in ((0, 0), (0, n - 1), (n // 2, n - 2), (n - 1, n - 1)):
        expected = (weights * np.minimum(graph[:, i], graph[:, j])).sum()
        assert sums[i, j] == pytest.approx(expected, rel=1e-12)
