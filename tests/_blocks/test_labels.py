"""The label algebra block by block equals that of the whole matrix, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consens import MISSING, NOISE, Ensemble
from consens import _labels as labels
from consens._blocks import Rows, load
from consens._kernels import COMPILED_FROM
from consens._labels import check_label_rows, label_stats
from consens.measure import (
    anmi,
    cluster_confidence,
    cluster_reliability,
    member_reliability,
    object_association,
    pairwise_nmi,
)
from consens.measure.evenness import normalized_entropy
from consens.select import SelectJoint

FEW = settings(max_examples=15, deadline=None)  # the first example may compile


@st.composite
def matrices_in_blocks(draw, lowest=MISSING):
    n, m = draw(st.integers(5, 30)), draw(st.integers(1, 4))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    matrix = rng.integers(lowest, 5, (n, m))
    matrix[:, 0] = rng.integers(0, 3, n)  # every object is seen
    matrix[0] = 0  # no member is empty
    borders = np.unique(draw(st.lists(st.integers(1, n - 1), max_size=4)))
    sizes = np.diff([0, *borders, n])
    return matrix, sizes


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-13)


def same(a, b):
    np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


@FEW
@given(matrices_in_blocks())
def test_the_door_numbers_labels_as_for_the_whole(case):
    matrix, sizes = case
    gaps = np.where(matrix < 0, matrix, 3 * matrix + 7)
    expected = labels.check_labels(gaps)
    rows = check_label_rows(Rows.from_array(gaps, sizes))
    same(rows, expected)
    same(label_stats(rows).n_clusters, labels.n_clusters_per_member(expected))


@FEW
@given(matrices_in_blocks())
def test_floats_with_nan_are_labels_with_missing_ones(case):
    matrix, sizes = case
    floats = np.where(matrix == MISSING, np.nan, matrix)
    expected = labels.check_labels(floats)
    rows = check_label_rows(Rows.from_array(floats, sizes))
    same(rows, expected)
    for own in (rows, expected):
        stats = label_stats(own)
        assert stats.missing == (expected == MISSING).sum()
        assert stats.noise == (expected == NOISE).sum()
        assert sum(stats.clustered) == labels.in_a_cluster(expected).sum()


@FEW
@given(matrices_in_blocks(), st.booleans())
def test_counts(case, noise):
    matrix, sizes = case
    matrix = labels.check_labels(matrix)
    rows = check_label_rows(Rows.from_array(matrix, sizes))
    for own, other in ((rows, matrix), (rows, matrix[:, 0])):
        expected = labels.contingency(matrix, other, noise=noise)
        found = labels.contingency(own, other, noise=noise)
        same(found.toarray(), expected.toarray())
    expected, found = labels.contingency(matrix), labels.contingency(rows)
    same(found.indices, expected.indices)
    same(found.data, expected.data)
    weights = np.arange(1, len(matrix) + 1)
    same(
        labels.contingency(rows, weights=weights).toarray(),
        labels.contingency(matrix, weights=weights).toarray(),
    )
    same(cluster_reliability(Ensemble(rows)), cluster_reliability(Ensemble(matrix)))
    same(labels.sums_of_numbers(rows), labels.sums_of_numbers(matrix))
    for a, b in zip(
        labels.profiles(rows, matrix[:, 0]), labels.profiles(matrix, matrix[:, 0]), strict=True
    ):
        same(a, b)


@FEW
@given(matrices_in_blocks())
def test_orders_and_distinct_rows(case):
    matrix, sizes = case
    matrix = labels.check_labels(matrix)
    rows, vector = (
        check_label_rows(Rows.from_array(matrix, sizes)),
        Rows.from_array(matrix[:, -1], sizes),
    )
    same(labels.first_seen_order(vector), labels.first_seen_order(matrix[:, -1]))
    same(labels.first_seen(vector), labels.first_seen(matrix[:, -1]))
    for own, other in zip(labels.unique_rows(rows), labels.unique_rows(matrix), strict=True):
        same(load(own), other)
    assert labels.count_distinct_rows(rows) == labels.count_distinct_rows(matrix)


@FEW
@given(matrices_in_blocks(lowest=NOISE))
def test_sums_and_votes(case):
    matrix, sizes = case
    matrix = labels.check_labels(matrix)
    rows, starts = check_label_rows(Rows.from_array(matrix, sizes)), labels.offsets(matrix)
    table = np.random.default_rng(0).normal(size=(starts[-1], 3))
    same(labels.cluster_sums(rows, starts, table), labels.cluster_sums(matrix, starts, table))
    same(labels.cluster_votes(rows, starts, table), labels.cluster_votes(matrix, starts, table))


def test_first_seen_by_hand():
    vector = np.array([4, NOISE, 4, 0, MISSING, 2, 0])
    same(labels.first_seen(vector), [4, 0, 2])
    same(labels.first_seen(Rows.from_array(vector, [2, 3, 2])), [4, 0, 2])


def test_sums_of_numbers_by_hand():
    matrix = np.array([[0, 1], [1, -1], [0, 0], [1, 1]], dtype=np.int32)
    same(labels.sums_of_numbers(matrix), [0 + 2, 1 + 3, 2, 0 + 3])


class TestBadLabels:
    def test_features(self):
        with pytest.raises(ValueError, match="did you mean ConsensusClustering"):
            check_label_rows(Rows.from_array(np.random.default_rng(0).normal(size=(6, 2)), [2, 4]))

    def test_names(self):
        with pytest.raises(ValueError, match="must be integers, got names"):
            check_label_rows(Rows.from_array(np.array([["a", "b"]] * 4), [2, 2]))

    def test_a_partition_without_labels(self):
        matrix = np.zeros((6, 2), dtype=int)
        matrix[:, 1] = MISSING
        with pytest.raises(ValueError, match="label column 1 is empty"):
            check_label_rows(Rows.from_array(matrix, [2, 4]))

    def test_impossible_codes(self):
        with pytest.raises(ValueError, match="got the label -3"):
            check_label_rows(Rows.from_array(np.array([[0], [-3]]), [1, 1]))

    def test_a_vector(self):
        with pytest.raises(ValueError, match="a matrix of one column"):
            check_label_rows(Rows.from_array(np.zeros(4, dtype=int), [2, 2]))


def test_an_ensemble_in_blocks_gives_members():
    matrix = np.array([[0, 1, 0], [1, 1, 1], [1, 0, 0]])
    E = Ensemble.from_labels(Rows.from_array(matrix, [2, 1]))
    assert repr(E) == "Ensemble: 3 objects, 3 partitions of 2 clusters, in 2 blocks"
    same(E[:, [2, 0]], matrix[:, [2, 0]])
    same(E[:, 1], matrix[:, 1])
    same(E.n_clusters, [2, 2, 2])
    with pytest.raises(TypeError, match="no single rows"):
        E[:2]


@pytest.mark.parametrize("compiled_from", [10**9, 0])
@FEW
@given(case=matrices_in_blocks())
def test_measures(compiled_from, case):
    matrix, sizes = case
    matrix = labels.check_labels(matrix)
    whole, blocks = Ensemble(matrix), Ensemble(check_label_rows(Rows.from_array(matrix, sizes)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(COMPILED_FROM, "counts", compiled_from)
        # the kernel adds in another order; methods round before they compare
        close(pairwise_nmi(blocks), pairwise_nmi(whole))
        close(member_reliability(blocks), member_reliability(whole))
        assert anmi(matrix[:, 0], blocks) == pytest.approx(anmi(matrix[:, 0], whole))
    same(normalized_entropy(blocks), normalized_entropy(whole))
    partition = labels.first_seen_order(matrix[:, 0])
    same(cluster_confidence(blocks, partition), cluster_confidence(whole, partition))
    same(
        object_association(blocks, partition, [3, 1]), object_association(whole, partition, [3, 1])
    )


@FEW
@given(matrices_in_blocks())
def test_members_in_a_fixed_order(case):
    matrix, sizes = case
    matrix = labels.check_labels(matrix)
    found, order = labels.canonical_members(check_label_rows(Rows.from_array(matrix, sizes)))
    expected, expected_order = labels.canonical_members(matrix)
    same(found, expected)
    same(order, expected_order)
    same(labels.n_clusters_per_member(found), labels.n_clusters_per_member(expected))


def test_selection():
    matrix = np.random.default_rng(0).integers(0, 3, (40, 8))
    whole = SelectJoint(3).fit(matrix)
    blocks = SelectJoint(3).fit(Rows.from_array(matrix, [15, 25]))
    same(blocks.order_, whole.order_)
    kept = blocks.transform(Rows.from_array(matrix, [15, 25]))
    same(kept, whole.transform(matrix))
