"""Mutual information of all pairs of members: compiled, sparse and counted by hand."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from consens import Ensemble, measure
from consens import _blocks as blocks
from consens._kernels import COMPILED_FROM
from consens._labels import MISSING, NOISE, compact
from consens.measure import agreement


def plain_joint(a, b):
    """Objects seen by both, I, H(a), H(b); every noise object is a cluster of its own."""
    seen = [i for i in range(len(a)) if MISSING not in (a[i], b[i])]
    a, b = ([("noise", i) if v[i] == NOISE else v[i] for i in seen] for v in (a, b))
    n = len(seen)
    if n == 0:
        return 0, 0.0, 0.0, 0.0
    of_a, of_b, of_both = Counter(a), Counter(b), Counter(zip(a, b, strict=True))
    mutual = sum(c / n * math.log(c * n / (of_a[p] * of_b[q])) for (p, q), c in of_both.items())
    entropy_a, entropy_b = (
        -sum(c / n * math.log(c / n) for c in o.values()) for o in (of_a, of_b)
    )
    return n, mutual, entropy_a, entropy_b


def compacted(labels):
    return np.stack([compact(column) for column in labels.T], axis=1)


# few clusters: a counter for each cell; about as many as objects: a sparse table
matrices = st.tuples(st.integers(2, 30), st.sampled_from([1, 3, 40])).flatmap(
    lambda size: hnp.arrays(np.int32, (size[0], 4), elements=st.integers(-2, size[1]))
)


# the first call compiles; the fixture only sets a threshold
COMPILING = settings(
    deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def joint(labels, others, compiled=True):
    """Objects seen by both, I and both entropies of each pair of columns."""
    sums = agreement._sums_of_pairs if compiled else agreement._sums_of_cells
    total, of_cells, of_rows, of_columns = sums(labels, others, agreement._x_log_x)
    of_all, n = agreement._x_log_x(total), np.maximum(total, 1)
    mutual = (of_all - of_rows) + (of_cells - of_columns)
    return total, mutual / n, (of_all - of_rows) / n, (of_all - of_columns) / n


@pytest.fixture
def always_compiled(monkeypatch):
    monkeypatch.setitem(COMPILED_FROM, "counts", 0)


@pytest.mark.usefixtures("always_compiled")
class TestJoint:
    @COMPILING
    @given(matrices)
    @pytest.mark.parametrize("compiled", [True, False])
    def test_equals_counting_by_hand(self, compiled, labels):
        labels = compacted(labels)
        total, information, h_left, h_right = joint(labels, labels[:, 1:], compiled)
        for p, a in enumerate(labels.T):
            for q, b in enumerate(labels[:, 1:].T):
                n, *expected = plain_joint(a, b)
                assert total[p, q] == n
                if n:
                    got = [information[p, q], h_left[p, q], h_right[p, q]]
                    np.testing.assert_allclose(got, expected, atol=1e-13)

    @COMPILING
    @given(matrices)
    def test_crossed_with_itself_is_symmetric_to_the_bit(self, labels):
        labels = compacted(labels)
        total, information, h_left, h_right = joint(labels, labels)
        for table in (total, information):
            np.testing.assert_array_equal(table, table.T)
        np.testing.assert_array_equal(h_left, h_right.T)
        whole = joint(labels, labels.copy())
        np.testing.assert_allclose(information, whole[1], atol=1e-13)

    def test_counts_beyond_the_table_of_logarithms(self):
        n = 150_000  # x log x is looked up to 65,536
        a = np.zeros((n, 1), dtype=np.int32)
        a[: n // 3] = 1
        total, information, h_left, _ = joint(a, a)
        expected = math.log(3) / 3 + 2 / 3 * math.log(3 / 2)
        assert total[0, 0] == n
        assert information[0, 0] == h_left[0, 0] == pytest.approx(expected, rel=1e-12)


class TestPairwiseNMI:
    def library(self, seed=0):
        labels = np.random.default_rng(seed).integers(-2, 5, (60, 8))
        labels[0] = 0
        return compacted(labels)

    def test_the_compiled_way_is_taken_and_gives_the_same(self, monkeypatch):
        labels = self.library()
        sparse = measure.pairwise_nmi(Ensemble(labels))
        monkeypatch.setitem(COMPILED_FROM, "counts", 0)
        monkeypatch.setattr(agreement, "_sums_of_cells", None)
        np.testing.assert_allclose(measure.pairwise_nmi(Ensemble(labels)), sparse, atol=1e-13)

    def test_the_sparse_way_does_not_depend_on_blocks(self, monkeypatch):
        labels = self.library()
        whole = measure.pairwise_nmi(Ensemble(labels))
        monkeypatch.setattr(blocks, "BLOCK_BYTES", 100 * 60 * 8 * 3)  # three members at a time
        np.testing.assert_array_equal(measure.pairwise_nmi(Ensemble(labels)), whole)

    @pytest.mark.parametrize("compiled_from", [0, 10**9])
    def test_independent_partitions_have_none_and_equal_ones_have_all(
        self, compiled_from, monkeypatch
    ):
        monkeypatch.setitem(COMPILED_FROM, "counts", compiled_from)
        i = np.arange(84)
        labels = np.stack([i % 3, i % 7, i % 4, np.zeros_like(i), 6 - i % 7], axis=1)
        expected = np.eye(5)
        expected[1, 4] = expected[4, 1] = 1
        np.testing.assert_allclose(measure.pairwise_nmi(labels), expected, atol=1e-15)
        assert (measure.pairwise_nmi(labels)[:3, 3] == 0).all()
