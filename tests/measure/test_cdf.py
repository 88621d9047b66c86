"""Consensus CDF, delta area and PAC: by hand and against the matrix of co-associations."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from consens import MISSING, NOISE, Ensemble
from consens import _blocks as blocks
from consens.evidence import coassociation
from consens.measure import cdf_table, consensus_cdf
from consens.measure.cdf import delta_area, members_by_n_clusters

label_matrices = st.tuples(st.integers(2, 12), st.integers(1, 5)).flatmap(
    lambda shape: hnp.arrays(np.int64, shape, elements=st.integers(-2, 3))
)


def plain_pairs(labels):
    """Co-association of every pair that some member saw, pair by pair."""
    values = []
    for i in range(len(labels)):
        for j in range(i):
            seen = [
                a != MISSING and b != MISSING for a, b in zip(labels[i], labels[j], strict=True)
            ]
            together = [a == b and a >= 0 for a, b in zip(labels[i], labels[j], strict=True)]
            if any(seen):
                values.append(sum(together) / sum(seen))
    return np.array(values)


def test_by_hand():
    # pairs: 01 together in two of three members, 12 and 13 in one, 23 in all, 02 and 03 in none
    cdf = consensus_cdf([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]])
    np.testing.assert_array_equal(cdf.values, [0, 1 / 3, 2 / 3, 1])
    np.testing.assert_allclose(cdf.shares, [2 / 6, 4 / 6, 5 / 6, 1])
    np.testing.assert_allclose(
        cdf([-0.1, 0, 0.3, 1 / 3, 0.99, 1]), np.array([0, 2, 2, 4, 5, 6]) / 6
    )
    # 0.33 · 0.33 + 0.67 · 0.33 + 0.83 · 0.33 under the steps
    assert cdf.area == pytest.approx((2 + 4 + 5) / 18)
    assert cdf.pac() == pytest.approx(3 / 6)
    assert cdf.pac(lower=0.4, upper=0.9) == pytest.approx(1 / 6)


def test_both_ends_of_the_ambiguous_range():
    # nine of ten members, and one of ten, put the pair together: 0.9 is ambiguous, 0.1 is not
    for together, pac in ((9, 1.0), (1, 0.0)):
        members = np.array([[0] * 10, [0] * together + [1] * (10 - together)])
        assert consensus_cdf(Ensemble(members)).pac() == pac


def test_members_that_agree_leave_nothing_ambiguous():
    cdf = consensus_cdf([[0, 0, 1, 1, 1]] * 4)
    np.testing.assert_array_equal(cdf.values, [0, 1])
    assert cdf.pac() == 0
    assert cdf.area == pytest.approx(6 / 10)


@given(label_matrices)
def test_equals_counting_pair_by_pair(labels):
    expected = plain_pairs(labels)
    assume(len(expected))
    cdf = consensus_cdf(Ensemble(labels))
    for threshold in (0, 0.1, 0.25, 1 / 3, 0.5, 0.9, 1):
        assert cdf(threshold) == pytest.approx(np.mean(expected <= threshold))
    assert cdf.area == pytest.approx(1 - expected.mean())
    assert cdf.shares[-1] == 1


def test_noise_is_seen_and_never_together():
    labels = np.array([[NOISE, 0], [NOISE, 0], [0, 0]])
    cdf = consensus_cdf(labels)
    np.testing.assert_array_equal(cdf.values, [0.5])


def test_blocks_change_nothing(monkeypatch):
    labels = np.random.default_rng(0).integers(0, 4, (60, 7))
    whole = consensus_cdf(labels)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 5000)
    parts = consensus_cdf(labels)
    np.testing.assert_array_equal(whole.shares, parts.shares)
    upper = np.triu_indices(60, 1)
    assert whole.area == pytest.approx(1 - coassociation(labels)[upper].mean())


def test_a_sample_stands_for_many_objects():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 3000)
    labels = np.column_stack(
        [np.where(rng.random(3000) < 0.2, rng.integers(0, 3, 3000), truth) for _ in range(10)]
    )
    whole = consensus_cdf(labels, max_objects=None)
    sample = consensus_cdf(labels, max_objects=500)
    # a mean over pairs of 500 objects, each within [0, 1]: sd below 2 · 0.5 / √500; six of them
    assert sample.area == pytest.approx(whole.area, abs=6 / np.sqrt(500))
    assert sample.area != whole.area
    assert consensus_cdf(labels, max_objects=500).area == sample.area
    assert consensus_cdf(labels, max_objects=500, random_state=1).area != sample.area
    assert consensus_cdf(labels, max_objects=3000).area == whole.area


def test_table_by_hand():
    two = [[0, 0, 0, 1], [0, 0, 0, 1]]  # three of six pairs together: area 1/2
    three = [[0, 1, 1, 2], [0, 0, 1, 2]]  # two pairs at 1/2: area 5/6, grown by 2/3
    table = cdf_table({3: three, 2: two})
    assert table.index.tolist() == [2, 3]
    assert table.index.name == "n_clusters"
    assert table.columns.tolist() == ["area", "delta_area", "pac", "n_members"]
    np.testing.assert_allclose(table["area"], [1 / 2, 5 / 6])
    np.testing.assert_allclose(table["delta_area"], [1 / 2, 2 / 3])
    np.testing.assert_allclose(table["pac"], [0, 2 / 6])
    assert table["n_members"].tolist() == [2, 2]
    together = cdf_table(np.column_stack([*two, *three]))
    assert together.equals(table)


def test_members_are_told_apart_by_their_number_of_clusters():
    members = members_by_n_clusters(np.array([[0, 0, 5], [0, 1, 7], [1, 2, 7]]))
    assert list(members) == [2, 3]
    np.testing.assert_array_equal(members[2].labels.T, [[0, 0, 1], [0, 1, 1]])


def test_growth_from_nothing_is_unknown():
    np.testing.assert_allclose(delta_area(np.array([0.0, 0.5, 0.6])), [0, np.nan, 0.2])
    np.testing.assert_array_equal(delta_area(np.array([0.4])), [0.4])


def test_without_pairs():
    with pytest.raises(ValueError, match="no pair to count"):
        consensus_cdf(Ensemble(np.array([[0, MISSING], [MISSING, 0]])))
