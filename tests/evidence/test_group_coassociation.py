"""Co-association of groups: the means of blocks of the n × n matrix."""

import numpy as np
import pytest

from consens import Ensemble
from consens.evidence import coassociation
from consens.evidence.coassociation import group_coassociation


def test_by_hand():
    # pairs between the groups: 0 with 2 and 1 with 2, in the first of two members;
    # inside the second group 2 with 3, in the second member
    result = group_coassociation([[0, 0, 0, 1], [0, 0, 1, 1]], np.array([0, 0, 1, 1]))
    np.testing.assert_allclose(result, [[1, 2 / 8], [2 / 8, 1 / 2]])


def test_means_of_blocks_of_the_matrix():
    rng = np.random.default_rng(0)
    labels = rng.integers(-1, 4, (40, 6))
    groups = rng.integers(-1, 5, 40)
    groups[groups == 4] = -1
    groups[0] = 4
    matrix = coassociation(Ensemble(labels))
    result = group_coassociation(Ensemble(labels), groups)
    for a in range(4):
        for b in range(5):
            block = matrix[np.ix_(groups == a, groups == b)]
            if a == b:
                block = block[~np.eye(len(block), dtype=bool)]
            assert result[a, b] == pytest.approx(block.mean())
    assert result[4, 4] == 1


def test_missing_pairs_do_not_count():
    labels = np.array([[0, 0], [0, -2], [1, 0]])
    result = group_coassociation(Ensemble(labels), np.array([0, 0, 1]))
    # 0 and 1: seen by the first member only, together; with 2: 0 of 1 and of (1 + 1)
    np.testing.assert_allclose(result, [[1, 1 / 3], [1 / 3, 1]])
