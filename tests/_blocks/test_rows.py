"""Rows in blocks: made when asked for, and the same wherever the blocks end."""

import numpy as np
import pytest

from consens._blocks import (
    Engine,
    RowMask,
    Rows,
    Task,
    cached,
    collect_rows,
    load,
    map_rows,
    persist,
    preset,
    recall,
    split_like,
    sum_rows,
    take_columns,
    take_rows,
    to_user,
)
from consens._support.progress import watch_progress

SIZES = [[7], [3, 4], [1, 1, 5], [1] * 7]
X = np.arange(14.0).reshape(7, 2) ** 2


@pytest.fixture(params=SIZES, ids=str)
def rows(request):
    return Rows.from_array(X, request.param)


def test_it_has_the_shape_of_the_whole(rows):
    assert rows.shape == (7, 2)
    assert len(rows) == 7
    assert rows.dtype == np.float64
    np.testing.assert_array_equal(np.asarray(rows), X)


def test_mapping_gives_what_it_gives_for_the_whole(rows):
    doubled = map_rows(lambda block: 2 * block, rows, bytes_per_row=8, width=2)
    assert isinstance(doubled, Rows)
    np.testing.assert_array_equal(doubled.load(), 2 * X)
    both = rows.map(lambda a, b: (a - b).sum(axis=1), doubled)
    np.testing.assert_array_equal(both.load(), -X.sum(axis=1))


def test_arrays_beside_the_rows_are_cut_alike(rows):
    weights = np.arange(7)
    product = map_rows(lambda w, block: w * block[:, 0], weights, rows, bytes_per_row=8)
    np.testing.assert_array_equal(product.load(), weights * X[:, 0])
    total = sum_rows(lambda block, w: w @ block, rows, weights, bytes_per_row=8)
    np.testing.assert_array_equal(total, weights @ X)


def test_tuples_are_added_up_entry_by_entry(rows):
    number, total = sum_rows(lambda block: (len(block), block.sum(axis=0)), rows)
    assert number == 7
    np.testing.assert_array_equal(total, X.sum(axis=0))


def test_rows_can_be_taken_by_their_numbers(rows):
    np.testing.assert_array_equal(rows.take(np.array([0, 3, 6])), X[[0, 3, 6]])
    np.testing.assert_array_equal(rows.take(np.array([], dtype=int)), X[:0])
    np.testing.assert_array_equal(rows.take(np.arange(2)), X[:2])


def test_only_blocks_that_hold_the_rows_are_made():
    made = []

    def make(number):
        made.append(number)
        return X[:2] + number

    rows = Rows([Task(make, number) for number in range(3)], [2, 2, 2], 2, float)
    rows.take(np.arange(2))
    rows.take(np.array([5]))
    assert made == [0, 2]


def test_what_is_found_out_about_rows_is_kept(rows):
    calls = []

    def size(own):
        calls.append(len(own))
        return len(own)

    assert recall(size, rows) is None
    assert cached(size, rows) == cached(size, rows) == recall(size, rows) == 7
    assert len(calls) == 1
    assert recall(size, preset(size, rows.map(np.sum), 3)) == 3
    assert cached(size, X) == cached(size, X) == 7  # an array may have been changed
    assert len(calls) == 3


@pytest.mark.parametrize("rows", [X, Rows.from_array(X, [3, 4])], ids=["array", "blocks"])
def test_functions_take_arrays_and_rows_alike(rows):
    """An array is a collection of one block."""
    numbers = map_rows(lambda block, start: start + np.arange(len(block)), rows, with_start=True)
    np.testing.assert_array_equal(load(numbers), np.arange(7))
    assert sum_rows(lambda block, start: start + len(block), rows, with_start=True) >= 7
    assert sum(collect_rows(len, rows)) == 7
    np.testing.assert_array_equal(take_rows(rows, np.array([2, 5])), X[[2, 5]])
    np.testing.assert_array_equal(load(take_columns(rows, [1])), X[:, [1]])
    chosen = RowMask.of(map_rows(lambda block: block[:, 0] > 50, rows, dtype=bool))
    inside = X[:, 0] > 50
    assert sum(chosen.counts) == inside.sum()
    assert not chosen.complete
    np.testing.assert_array_equal(load(chosen.filter(rows)), X[inside])
    first = map_rows(lambda block: block[:, 0], chosen.filter(rows))
    np.testing.assert_array_equal(
        load(chosen.scatter(first, -1.0)), np.where(inside, X[:, 0], -1.0)
    )
    for own in (X, Rows.from_array(X, [3, 4])):
        np.testing.assert_array_equal(load(split_like(own, rows)), X)
        assert type(split_like(own, rows)) is type(rows)
    np.testing.assert_array_equal(to_user(persist(rows)), X)


def test_rows_of_a_mask_and_back(rows):
    mask = rows.map(lambda block: block[:, 0] > 50, dtype=bool)
    sizes = list(mask.collect(np.count_nonzero))
    chosen = rows.filter(mask, sizes)
    np.testing.assert_array_equal(chosen.load(), X[X[:, 0] > 50])
    first = chosen.map(lambda block: block[:, 0])
    expected = np.where(X[:, 0] > 50, X[:, 0], -1)
    np.testing.assert_array_equal(first.scatter(mask, sizes, -1).load(), expected)


def test_nothing_is_made_before_it_is_asked_for_and_shared_steps_are_made_once():
    made = []

    def make(number):
        made.append(number)
        return X[:2] + number

    rows = Rows([Task(make, 0), Task(make, 1)], [2, 2], 2, float)
    squares = rows.map(np.square, width=2)
    both = squares.map(np.add, rows, width=2)
    assert made == []
    sum_rows(np.sum, both)
    assert made == [0, 1]


def test_what_is_kept_is_made_once():
    made = []

    def make(number):
        made.append(number)
        return np.full(3, number)

    kept = Rows([Task(make, 5), Task(make, 6)], [3, 3], None, int).persist()
    assert kept.load().tolist() == [5, 5, 5, 6, 6, 6] == kept.load().tolist()
    assert made == [5, 6]


def test_what_does_not_fit_is_kept_in_files_that_go_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    rows = Rows.from_array(X, [3, 4], Engine(memory_limit=16)).persist()
    assert len(list(tmp_path.glob("consens-*/*.npy"))) == 2
    np.testing.assert_array_equal(rows.load(), X)
    del rows
    assert list(tmp_path.iterdir()) == []


def test_who_watches_is_told_of_every_block():
    told = []
    with watch_progress(told.append, "blocks"):
        sum_rows(np.sum, Rows.from_array(X, [3, 4]))
    assert [(report.done, report.total) for report in told] == [(1, 2), (2, 2)]


def test_collections_with_other_blocks_do_not_go_together():
    with pytest.raises(ValueError, match="2 and 1 blocks cannot be combined"):
        sum_rows(np.add, Rows.from_array(X, [3, 4]), Rows.from_array(X, [7]))
    with pytest.raises(ValueError, match="got 5 rows for a collection of 7 rows"):
        sum_rows(np.add, Rows.from_array(X, [3, 4]), X[:5])
