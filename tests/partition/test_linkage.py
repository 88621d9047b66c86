"""Trees by hand: heights, lifetimes, cuts."""

import numpy as np
import pytest

from consens.partition import cut, lifetimes, linkage
from consens.partition.tree import longest_lifetime

# similarities of four objects: 0-1 .9, 2-3 .7, all others as below
SIMILARITY = np.array(
    [
        [1.0, 0.9, 0.2, 0.3],
        [0.9, 1.0, 0.1, 0.4],
        [0.2, 0.1, 1.0, 0.7],
        [0.3, 0.4, 0.7, 1.0],
    ]
)


@pytest.mark.parametrize(
    ("method", "last"),
    [("single", 1 - 0.4), ("complete", 1 - 0.1), ("average", 1 - (0.2 + 0.3 + 0.1 + 0.4) / 4)],
)
def test_hand_worked_heights(method, last):
    np.testing.assert_allclose(linkage(SIMILARITY, method)[:, 2], [0.1, 0.3, last])


def test_hand_worked_lifetimes():
    lives = lifetimes(linkage(SIMILARITY, "single"))
    # 1 cluster from .6 to 1, 2 from .3 to .6, 3 from .1 to .3, 4 from 0 to .1
    np.testing.assert_allclose(lives, [0.4, 0.3, 0.2, 0.1])
    assert longest_lifetime(lives) == 1


def test_the_smaller_number_of_clusters_wins_a_tie():
    assert longest_lifetime(np.array([0.2, 0.1 + 0.2, 0.3])) == 2


def test_paper_2_fig_3_reads_three_clusters():
    # the printed thresholds: 4 -> 3 clusters at .40, 3 -> 2 at .76, 2 -> 1 at .94
    merges = np.array([[0, 1, 0.40, 2], [4, 2, 0.76, 3], [5, 3, 0.94, 4]])
    lives = lifetimes(merges)
    np.testing.assert_allclose(lives[:3], [0.06, 0.18, 0.36])
    assert longest_lifetime(lives[:3]) == 3


@pytest.mark.parametrize(
    ("k", "expected"), [(1, [0, 0, 0, 0]), (2, [0, 0, 1, 1]), (3, [0, 0, 1, 2]), (4, [0, 1, 2, 3])]
)
def test_cuts(k, expected):
    np.testing.assert_array_equal(cut(linkage(SIMILARITY, "average"), k), expected)


def test_equal_heights_are_cut_at_exactly_k():
    merges = linkage(np.full((6, 6), 0.5), "average")
    for k in range(1, 7):
        assert len(np.unique(cut(merges, k))) == k
