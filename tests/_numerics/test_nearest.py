"""Assignment: the labels of the plain formula, whatever the block, precision or layout."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array, csr_matrix
from threadpoolctl import threadpool_limits

from consens import _blocks as blocks
from consens._numerics import nearest as module
from consens._numerics.nearest import nearest


def plain_nearest(X, points):
    """The definition, one pair at a time."""
    labels = []
    for x in np.asarray(X, dtype=float):
        distances = [sum((a - b) ** 2 for a, b in zip(x, p, strict=True)) for p in points]
        labels.append(distances.index(min(distances)))
    return np.array(labels)


def grid(n, d):
    # small integers: half of all comparisons are exact ties
    return arrays(np.float64, (n, d), elements=st.integers(-3, 3).map(float))


@settings(deadline=None)
@given(grid(12, 2), grid(5, 2), st.sampled_from([1.0, 0.1, 1e-12, 1e12]), st.floats(-1e6, 1e6))
def test_ties_go_to_the_smaller_number_at_any_scale_and_offset(X, points, scale, offset):
    X, points = X * scale + offset, points * scale + offset
    np.testing.assert_array_equal(nearest(X, points), plain_nearest(X, points))


@settings(deadline=None)
@given(
    arrays(np.float64, (8, 3), elements=st.floats(-1e150, 1e150)),
    arrays(np.float64, (4, 3), elements=st.floats(-1e150, 1e150)),
)
def test_numbers_of_any_size(X, points):
    np.testing.assert_array_equal(nearest(X, points), plain_nearest(X, points))


@pytest.mark.parametrize("d", [1, 2, 17, 200])
@pytest.mark.parametrize("k", [2, 30])
def test_real_data_give_the_labels_of_the_plain_formula(k, d):
    rng = np.random.default_rng(k + d)
    X, points = rng.normal(size=(300, d)), rng.normal(size=(k, d))
    np.testing.assert_array_equal(nearest(X, points), plain_nearest(X, points))


def test_a_far_point_does_not_blur_the_near_ones():
    rng = np.random.default_rng(0)
    points = np.vstack([rng.normal(size=(9, 2)), [[1e9, -1e9]]])
    X = np.vstack([rng.normal(size=(200, 2)), [[1e9, -1e9], [4e8, 0.0]]])
    np.testing.assert_array_equal(nearest(X, points), plain_nearest(X, points))


def test_tight_groups_far_apart():
    rng = np.random.default_rng(1)
    centers = np.repeat([[0.0, 0.0], [1e5, 1e5]], 10, axis=0)
    points = centers + rng.normal(size=(20, 2))
    X = np.repeat(centers, 20, axis=0) + rng.normal(size=(400, 2))
    np.testing.assert_array_equal(nearest(X, points), plain_nearest(X, points))


def test_equal_points_count_as_the_first():
    assert nearest(np.eye(3), np.zeros((4, 3))).tolist() == [0, 0, 0]


@pytest.fixture(scope="module")
def ties_everywhere():
    rng = np.random.default_rng(2)
    return rng.integers(0, 8, size=(500, 4)) / 10, rng.integers(0, 8, size=(40, 4)) / 10


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_blocks_and_tiles_of_any_size(ties_everywhere, size, monkeypatch):
    X, points = ties_everywhere
    expected = plain_nearest(X, points)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 64 * size)
    monkeypatch.setattr(module, "TILE_ENTRIES", size)
    monkeypatch.setattr(module, "PAIR_BYTES", size)
    np.testing.assert_array_equal(nearest(X, points), expected)


@pytest.mark.parametrize("threads", [1, 2])
def test_any_number_of_threads(ties_everywhere, threads):
    X, points = ties_everywhere
    with threadpool_limits(threads):
        np.testing.assert_array_equal(nearest(X, points), plain_nearest(X, points))


@pytest.mark.parametrize("container", [csr_array, csr_matrix, np.asfortranarray])
def test_layout_changes_nothing(ties_everywhere, container):
    X, points = ties_everywhere
    np.testing.assert_array_equal(nearest(container(X), points), plain_nearest(X, points))


def test_single_precision_rows_are_compared_in_double(ties_everywhere):
    X, points = ties_everywhere
    X = X.astype(np.float32)
    np.testing.assert_array_equal(nearest(X, points), plain_nearest(X, points))


def test_a_row_is_labelled_alone_as_among_others(ties_everywhere):
    X, points = ties_everywhere
    together = nearest(X, points)
    assert [int(nearest(x[None], points)[0]) for x in X[:50]] == together[:50].tolist()
