"""One pass over features tells what is not finite, and their checksum wherever blocks end."""

import zlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from consens._blocks import Rows, watch_blocks
from consens._blocks.scan import Checksum, scan_rows


@given(st.binary(max_size=200), st.integers(0, 200))
def test_checksums_of_parts_join_to_that_of_the_whole(data, cut):
    whole = np.frombuffer(data, dtype=np.uint8)
    joined = Checksum.of(whole[:cut]).join(Checksum.of(whole[cut:]))
    assert joined == (zlib.crc32(data), zlib.adler32(data), len(data))


def test_values_are_counted_per_column():
    X = np.arange(12.0).reshape(6, 2)
    X[[0, 4], 1] = np.nan
    X[5, 0] = -np.inf
    for rows in (X, np.asfortranarray(X), Rows.from_array(X, [1, 3, 2])):
        scan = scan_rows(rows)
        assert scan.n_nan.tolist() == [0, 2]
        assert scan.n_bad.tolist() == [1, 2]
        assert scan.checksum == Checksum.of(X)


def test_rows_in_blocks_are_read_once():
    rows = Rows.from_array(np.eye(4), [1, 3])
    seen = []
    with watch_blocks(seen.append):
        assert scan_rows(rows) == scan_rows(rows)
    assert len(seen) == 2
