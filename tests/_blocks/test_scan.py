"""One pass over features tells what is not finite, and their checksum wherever blocks end."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from consens._blocks import Rows
from consens._blocks.scan import scan_rows
from consens._support.progress import watch_progress


@given(st.integers(1, 5), st.sampled_from([np.float32, np.float64]))
def test_the_checksum_does_not_depend_on_where_blocks_end(cut, dtype):
    X = np.random.default_rng(0).normal(size=(6, 3)).astype(dtype)
    assert scan_rows(Rows.from_array(X, [cut, 6 - cut])).checksum == scan_rows(X).checksum


@given(st.integers(0, 17), st.integers(0, 17))
def test_the_checksum_depends_on_every_value_and_its_place(one, other):
    X = np.random.default_rng(0).normal(size=(6, 3))
    whole = scan_rows(X).checksum
    negated = X.copy()
    negated.flat[[one, other]] *= -1
    assert scan_rows(negated).checksum != whole
    swapped = X.copy()
    swapped.flat[[one, other]] = X.flat[[other, one]]
    assert (scan_rows(swapped).checksum == whole) == (one == other)


def test_values_are_counted_per_column():
    X = np.arange(12.0).reshape(6, 2)
    X[[0, 4], 1] = np.nan
    X[5, 0] = -np.inf
    for rows in (X, np.asfortranarray(X), Rows.from_array(X, [1, 3, 2])):
        scan = scan_rows(rows)
        assert scan.n_nan.tolist() == [0, 2]
        assert scan.n_bad.tolist() == [1, 2]
        assert scan.checksum == scan_rows(X).checksum


def test_rows_in_blocks_are_read_once():
    rows = Rows.from_array(np.eye(4), [1, 3])
    seen = []
    with watch_progress(seen.append, "blocks"):
        assert scan_rows(rows) == scan_rows(rows)
    assert len(seen) == 2


@given(st.lists(st.sampled_from([0, 1, 2]), min_size=6, max_size=6), st.integers(1, 5))
def test_ends_of_ranges_are_counted_wherever_blocks_end(values, cut):
    column = np.array(values, dtype=float)
    scan = scan_rows(Rows.from_array(column[:, None], [cut, 6 - cut]))
    assert scan.n_low == (column == column.min()).sum()
    assert scan.n_high == (column == column.max()).sum()
