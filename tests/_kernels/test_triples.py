"""Connected triples, compiled and plain."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from consens._kernels import COMPILED_FROM
from consens.evidence import connected_triples


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_both_ways_are_equal_to_the_last_bit(seed):
    rng = np.random.default_rng(seed)
    n, members = int(rng.integers(6, 40)), int(rng.integers(1, 6))
    labels = rng.integers(0, rng.integers(1, 8), (n, members))
    plain = connected_triples(labels)
    weights = rng.random(len(plain))
    weighted = connected_triples(labels, weights)
    limit, COMPILED_FROM["triples"] = COMPILED_FROM["triples"], 0
    try:
        np.testing.assert_array_equal(connected_triples(labels), plain)
        np.testing.assert_array_equal(connected_triples(labels, weights), weighted)
    finally:
        COMPILED_FROM["triples"] = limit
