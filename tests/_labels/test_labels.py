"""The door: labels in any honest form; and the algebra behind it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array

from consens import MISSING, NOISE, Ensemble
from consens._labels import (
    association,
    canonical_members,
    check_labels,
    compact,
    contingency,
    first_seen_order,
    in_a_cluster,
    indicator,
    match,
    profiles,
    unique_rows,
)
from consens.consensus import EAC

EXPECTED = np.array([[0, 0], [0, 1], [1, 1], [2, -1]])


@pytest.mark.parametrize(
    "labels",
    [
        np.array([[0, 0], [0, 1], [1, 1], [2, -1]]),
        np.array([[1, 1], [1, 2], [2, 2], [3, -1]], dtype=np.int8),
        np.array([[1, 7], [1, 9], [40, 9], [10**15, -1]]),
        np.array([[1, 7], [1, 9], [4, 9], [2**60, -1]], dtype=np.float64),
        np.array([["a", "0"], ["a", "1"], ["b", "1"], ["c", "-1"]]),
        pd.DataFrame({"a": ["x", "x", "y", "z"], "b": [0, 1, 1, -1]}),
        pd.DataFrame({"a": pd.Categorical(["x", "x", "y", "z"]), "b": ["0", "1", "1", "-1"]}),
        [np.array([5, 5, 6, 7]), np.array([False, True, True, -1], dtype=object)],
        [pd.Series([5, 5, 6, 7]), pd.Series([2, 3, 3, -1], dtype="Int64")],
        [[0, 0], [0, 1], [1, 1], [2, -1]],
    ],
    ids=lambda v: type(v).__name__,
)
def test_every_honest_form_of_one_label_matrix_reads_alike(labels):
    result = check_labels(labels)
    assert result.dtype == np.int32
    np.testing.assert_array_equal(result, EXPECTED)


@pytest.mark.parametrize(
    "column",
    [
        [1, None, 2, 1],
        [1.0, np.nan, 2.0, 1.0],
        ["b", None, "c", "b"],
        ["b", float("nan"), "c", "b"],
        np.ma.masked_array([4, 9, 5, 4], mask=[0, 1, 0, 0]),
        pd.Series([1, pd.NA, 2, 1], dtype="Int64"),
        pd.Series(["b", pd.NA, "c", "b"], dtype="string"),
        pd.Series(pd.Categorical(["b", None, "c", "b"])),
        pd.Series([1, pd.NaT, 2, 1], dtype=object),
        [4, -2, 7, 4],
    ],
)
def test_every_kind_of_missing_becomes_missing(column):
    np.testing.assert_array_equal(compact(column), [0, MISSING, 1, 0])


def test_large_integer_names_keep_apart():
    big = 2**53
    np.testing.assert_array_equal(compact([big, big + 1, None, big]), [0, 1, MISSING, 0])


def test_unsigned_labels_are_read():
    np.testing.assert_array_equal(compact(np.array([3, 5, 3], dtype=np.uint64)), [0, 1, 0])


@pytest.mark.parametrize(
    "values",
    [
        ["-1", "b", "a", "-2", "b"],
        [-1, "b", "a", None, "b"],
        [b"-1", b"b", b"a", b"-2", b"b"],
        ["-1.0", "b", "a", " -2", "b"],
    ],
)
def test_codes_among_names(values):
    np.testing.assert_array_equal(compact(np.array(values)), [-1, 1, 0, -2, 1])


class TestLists:
    """A list of rows and a list of label vectors differ in shape only."""

    ROWS = np.array([[0, 0], [0, 1], [1, 1], [2, 1]])

    @pytest.mark.parametrize("form", [list, tuple, np.ndarray.tolist])
    def test_more_sequences_than_labels_in_each_are_rows(self, form):
        np.testing.assert_array_equal(check_labels(form(self.ROWS)), self.ROWS)
        np.testing.assert_array_equal(EAC(2).fit(form(self.ROWS)).ensemble_.labels, self.ROWS)

    @pytest.mark.parametrize("form", [list, tuple, np.ndarray.tolist])
    def test_fewer_are_label_vectors(self, form):
        np.testing.assert_array_equal(check_labels(form(self.ROWS.T)), self.ROWS)
        np.testing.assert_array_equal(Ensemble.from_labels(form(self.ROWS.T)).labels, self.ROWS)

    @pytest.mark.parametrize("form", [list, np.ndarray.tolist])
    def test_as_many_can_be_both(self, form):
        square = self.ROWS[:2]
        for read in (check_labels, Ensemble.from_labels):
            with pytest.warns(
                UserWarning, match="2 sequences of 2 labels is read as 2 objects in"
            ):
                np.testing.assert_array_equal(np.asarray(read(form(square))), square.T)

    def test_rows_warn_where_label_vectors_are_expected(self):
        with pytest.warns(UserWarning, match="read as 4 objects in 2 partitions; pass an array"):
            np.testing.assert_array_equal(Ensemble.from_labels(list(self.ROWS)).labels, self.ROWS)

    def test_one_sequence_or_one_label_each(self):
        assert Ensemble.from_labels([[0, 1, 1]]).shape == (3, 1)
        assert Ensemble.from_labels([[0], [1], [1]]).shape == (3, 1)

    def test_a_matrix_has_one_row_per_object(self):
        with pytest.warns(UserWarning, match="transpose"):
            assert check_labels(self.ROWS.T).shape == (2, 4)


class TestBadInput:
    def test_features_instead_of_labels(self):
        with pytest.raises(ValueError, match="did you mean ConsensusClustering"):
            check_labels(np.array([[5.1, 3.5], [4.9, 3.0]]))

    def test_infinite_labels(self):
        with pytest.raises(ValueError, match="got real values, for example inf"):
            check_labels(np.array([[1.0, np.inf], [2.0, 1.0]]))

    def test_transposed_matrix(self):
        with pytest.warns(UserWarning, match="3 partitions of 8 objects, pass the transpose"):
            check_labels(np.zeros((3, 8), dtype=int))

    def test_ragged_vectors(self):
        with pytest.raises(ValueError, match=r"first holds 3 labels, number 1 holds 2"):
            Ensemble.from_labels([[0, 0, 1], [0, 1]])

    def test_ragged_rows(self):
        with pytest.raises(ValueError, match="rows differ in length"):
            check_labels([[0, 0, 1], [0, 1], [0, 1, 1], [1, 1, 1]])

    @pytest.mark.parametrize("empty", [[], np.empty((0, 3)), np.empty((5, 0)), pd.DataFrame()])
    def test_empty(self, empty):
        with pytest.raises(ValueError, match="no partition to combine|minimum of 2 is required"):
            check_labels(empty)

    def test_one_object(self):
        with pytest.raises(ValueError, match="at least two objects"):
            check_labels(np.array([[0, 1]]))

    def test_column_of_missing_labels(self):
        with pytest.raises(ValueError, match="label column 'b' is empty"):
            check_labels(pd.DataFrame({"a": [0, 1], "b": [None, None]}))

    def test_negative_labels(self):
        with pytest.raises(ValueError, match="got the label -7; .*-1 means noise"):
            check_labels(np.array([[0, 1], [-7, 0]]))

    def test_one_vector(self):
        with pytest.raises(ValueError, match="Reshape your data"):
            check_labels(np.array([0, 0, 1]))

    def test_sparse(self):
        with pytest.raises(TypeError, match="sparse label matrix"):
            check_labels(csr_array(np.eye(3)))

    def test_a_label_that_is_no_value(self):
        with pytest.raises(TypeError, match="one label per object"):
            compact(np.array([{"a": 1}, {"b": 2}], dtype=object))


label_matrices = hnp.arrays(
    np.int32,
    st.tuples(st.integers(2, 12), st.integers(1, 5)),
    elements=st.integers(-2, 4),
).map(lambda labels: np.column_stack([compact(c) for c in labels.T]))


@given(st.lists(st.integers(-2, 10**12), min_size=1), st.randoms())
def test_compaction_keeps_who_is_with_whom(values, random):
    codes = compact(values)
    values = np.array(values)
    same = values[:, None] == values
    np.testing.assert_array_equal(codes[:, None] == codes, same)
    clusters = np.unique(codes[codes >= 0])
    np.testing.assert_array_equal(clusters, np.arange(len(clusters)))
    np.testing.assert_array_equal(compact(codes), codes)  # nothing left to do


@given(label_matrices)
def test_indicator_and_contingency_count(labels):
    blocks = []
    for column in labels.T:
        blocks.append((column[:, None] == np.arange(max(column.max() + 1, 0))).astype(int))
    dense = np.hstack(blocks)
    np.testing.assert_array_equal(indicator(labels).toarray(), dense)
    np.testing.assert_array_equal(contingency(labels).toarray(), dense.T @ dense)


@given(label_matrices)
def test_indicator_with_noise_marks_it_in_the_last_column_of_each_member(labels):
    for m in range(labels.shape[1]):
        last = indicator(labels[:, [m]], noise=True).toarray()[:, -1]
        np.testing.assert_array_equal(last == 1, labels[:, m] == NOISE)


@given(label_matrices)
def test_unique_rows_rebuild_the_matrix(labels):
    unique = unique_rows(labels)
    np.testing.assert_array_equal(unique.rows[unique.inverse], labels)
    assert len(np.unique(labels, axis=0)) == len(unique.rows)
    np.testing.assert_array_equal(np.bincount(unique.inverse), unique.counts)
    firsts = [np.flatnonzero(unique.inverse == u)[0] for u in range(len(unique.rows))]
    assert firsts == sorted(firsts)


def test_unique_rows_survive_a_hash_collision(monkeypatch):
    monkeypatch.setattr(
        "consens._labels.order._row_hashes", lambda rows: np.zeros(len(rows), np.uint64)
    )
    labels = np.array([[1, 0], [0, 0], [1, 0]], dtype=np.int32)
    unique = unique_rows(labels)
    np.testing.assert_array_equal(unique.rows, [[1, 0], [0, 0]])
    np.testing.assert_array_equal(unique.inverse, [0, 1, 0])


def test_match_finds_the_names_of_the_reference():
    reference = np.array([0, 0, 0, 1, 1, 2])
    labels = np.array([2, 2, 0, 0, 0, -1])
    np.testing.assert_array_equal(match(labels, reference), [0, 0, 1, 1, 1, -1])


@given(hnp.arrays(np.int32, 12, elements=st.integers(0, 4)), st.permutations(range(5)))
def test_match_undoes_a_renaming(labels, names):
    labels = compact(labels)
    renamed = np.array(names)[labels]
    np.testing.assert_array_equal(match(compact(renamed), labels), labels)


def test_first_seen_order_keeps_the_codes():
    np.testing.assert_array_equal(
        first_seen_order(np.array([3, -1, 0, 3, -2, 1])), [0, -1, 1, 0, -2, 2]
    )


def test_first_seen_order_reads_names_of_any_size():
    np.testing.assert_array_equal(first_seen_order(np.array([10**9, -1, 7, 10**9])), [0, -1, 1, 0])


@given(st.lists(st.integers(-2, 9), min_size=1), st.integers(1, 4))
def test_first_seen_order_does_not_depend_on_its_pieces(values, size):
    names = dict.fromkeys(v for v in values if v >= 0)
    names = {v: i for i, v in enumerate(names)}
    expected = [names.get(v, v) for v in values]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("consens._labels.parse._PIECE", size)
        np.testing.assert_array_equal(first_seen_order(np.array(values)), expected)


@given(label_matrices)
def test_objects_in_a_cluster(labels):
    np.testing.assert_array_equal(in_a_cluster(labels), (labels >= 0).any(axis=1))


@given(label_matrices, st.data())
def test_association_with_clusters_sums_pairs(labels, data):
    partition = data.draw(hnp.arrays(np.int32, len(labels), elements=st.integers(-1, 2)))
    partition = compact(partition)
    together, seen = association(labels, profiles(labels, partition))
    for i in range(len(labels)):
        for k in range(partition.max() + 1):
            others = labels[partition == k]
            assert together[i, k] == ((others == labels[i]) & (labels[i] >= 0)).sum()
            assert seen[i, k] == ((others != MISSING) & (labels[i] != MISSING)).sum()


def test_association_reads_unknown_labels_of_new_objects_as_missing():
    labels = np.array([[0, 0], [1, 1]])
    spread = profiles(labels, np.array([0, 1]))
    together, seen = association(np.array([[0, 5]]), spread)
    np.testing.assert_array_equal(together, [[1, 0]])
    np.testing.assert_array_equal(seen, [[1, 1]])


def test_canonical_members_do_not_depend_on_names_and_order():
    rng = np.random.default_rng(0)
    matrix = rng.integers(-2, 4, (30, 6))
    shuffled = rng.permutation(6)
    renamed = np.column_stack(
        [np.where(c >= 0, rng.permutation(4)[c], c) for c in matrix[:, shuffled].T]
    )
    first, order = canonical_members(matrix)
    second, _ = canonical_members(renamed)
    np.testing.assert_array_equal(first, second)
    for column, source in zip(first.T, order, strict=True):
        np.testing.assert_array_equal(column, first_seen_order(matrix[:, source]))
