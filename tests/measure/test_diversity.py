"""Diversity and accuracy (paper 0, Section 8) by hand and by scikit-learn, pair by pair."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from consens import MISSING, NOISE
from consens.measure import ari, diversity
from consens.measure.agreement import pairwise_ari


@pytest.fixture
def members():
    return np.random.default_rng(0).integers(0, 3, (40, 6))


def nmi(a, b):
    return normalized_mutual_info_score(a, b, average_method="geometric")


def test_by_hand():
    # the first two agree; the third is crossed with them: NMI 0, and of 6 pairs 2 + 2 are
    # together with none in common, so ARI = (0 - 4/6) / (2 - 4/6) = -1/2
    a, b = [0, 0, 1, 1], [0, 1, 0, 1]
    measured = diversity([a, a, b], labels=a, y=b)
    expected = {
        "D_NMI": 2 / 3,
        "D_p": (0 + 1.5 + 1.5) / 3,
        "D_np1": 0.5,
        "D_np2": np.sqrt((0.25 + 0.25 + 1) / 2),
        "D_ARI": (1 - 0.5 + np.sqrt(0.75)) / 2,
        "Acc_NMI": 1 / 3,
        "Acc_ARI": (-0.5 - 0.5 + 1) / 3,
        "Acc*_NMI": 0,
        "Acc*_ARI": -0.5,
    }
    assert list(measured) == list(expected)
    assert measured == pytest.approx(expected)


def test_equals_scikit_learn_pair_by_pair(members):
    rng = np.random.default_rng(1)
    consensus, y = rng.integers(0, 3, 40), rng.integers(0, 2, 40)
    measured = diversity(members, consensus, y)
    pairs = list(combinations(members.T, 2))
    apart = [1 - adjusted_rand_score(column, consensus) for column in members.T]
    assert measured == pytest.approx(
        {
            "D_NMI": np.mean([1 - nmi(a, b) for a, b in pairs]),
            "D_p": np.mean([1 - adjusted_rand_score(a, b) for a, b in pairs]),
            "D_np1": np.mean(apart),
            "D_np2": np.std(apart, ddof=1),
            "D_ARI": (1 - np.mean(apart) + np.std(apart, ddof=1)) / 2,
            "Acc_NMI": np.mean([nmi(column, y) for column in members.T]),
            "Acc_ARI": np.mean([adjusted_rand_score(column, y) for column in members.T]),
            "Acc*_NMI": nmi(consensus, y),
            "Acc*_ARI": adjusted_rand_score(consensus, y),
        }
    )


def test_what_needs_a_consensus_or_classes_is_left_out(members):
    assert list(diversity(members)) == ["D_NMI", "D_p"]
    assert "Acc_ARI" not in diversity(members, labels=members[:, 0])
    assert "D_np1" not in diversity(members, y=members[:, 0])


def test_identical_members_have_no_diversity(members):
    same = np.repeat(members[:, :1], 4, axis=1)
    assert diversity(same, labels=members[:, 0]) == {
        "D_NMI": 0,
        "D_p": 0,
        "D_np1": 0,
        "D_np2": 0,
        "D_ARI": 0.5,
    }


def test_pairs_of_members_with_missing_and_noise(members):
    rng = np.random.default_rng(2)
    members[rng.random(members.shape) < 0.2] = MISSING
    members[rng.random(members.shape) < 0.2] = NOISE
    table = pairwise_ari(members)
    for a, b in combinations(range(6), 2):
        left, right = members[:, a], members[:, b]
        seen = (left != MISSING) & (right != MISSING)
        alone = np.arange(40) + 10  # a noise object is a cluster of its own
        expected = adjusted_rand_score(
            np.where(left == NOISE, alone, left)[seen],
            np.where(right == NOISE, alone, right)[seen],
        )
        assert table[a, b] == table[b, a] == pytest.approx(expected)
        assert ari(left, right) == pytest.approx(expected)
    np.testing.assert_array_equal(np.diag(table), 1)


def test_one_member_has_no_diversity():
    with pytest.raises(ValueError, match="got 1 member; diversity needs at least 2"):
        diversity([[0, 1, 1]])
