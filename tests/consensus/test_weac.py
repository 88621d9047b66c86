"""Weighted evidence accumulation: weights, and what they do."""

import numpy as np
import pytest

from consens._labels import check_labels
from consens.consensus import EAC, WEAC
from consens.evidence import coassociation
from consens.measure import ari, member_reliability

TRUTH = np.repeat([0, 1, 2], [8, 7, 6])


def with_bad_members(n_bad, seed=0):
    """Three good members and some that are random."""
    rng = np.random.default_rng(seed)
    good = np.repeat(TRUTH[:, None], 3, axis=1)
    good[[0, 9, 16], [0, 1, 2]] = [1, 2, 0]
    return check_labels(np.hstack([good, rng.integers(0, 3, (len(TRUTH), n_bad))]))


@pytest.mark.parametrize("beta", [0.5, 2])
@pytest.mark.parametrize("linkage", ["average", "single", "complete"])
def test_heights_are_those_of_the_weighted_co_association(linkage, beta):
    labels = with_bad_members(3)
    weac = WEAC(3, linkage=linkage, beta=beta).fit(labels)
    weights = member_reliability(labels) ** beta
    np.testing.assert_allclose(weac.member_weights_, weights)
    similarity = coassociation(labels, weights)
    between = {"average": np.mean, "single": np.max, "complete": np.min}[linkage]
    groups = {i: [i] for i in range(len(labels))}
    for step, (a, b, height, _) in enumerate(weac.linkage_):
        a, b = int(a), int(b)
        assert 1 - height == pytest.approx(between(similarity[np.ix_(groups[a], groups[b])]))
        groups[len(labels) + step] = groups.pop(a) + groups.pop(b)


def test_members_that_agree_with_nobody_lose_their_say():
    labels = with_bad_members(6)
    weights = WEAC(3).fit(labels).member_weights_
    assert weights[:3].min() > 2 * weights[3:].max()
    assert ari(WEAC(3, beta=4).fit_predict(labels), TRUTH) == 1


def test_beta_zero_is_evidence_accumulation():
    labels = with_bad_members(4)
    np.testing.assert_allclose(
        WEAC(3, beta=0).fit(labels).linkage_, EAC(3).fit(labels).linkage_, atol=1e-12
    )


def test_one_object_beside_noise():
    weac = WEAC(1).fit(np.array([[0, 0], [-1, -1], [-1, -2]]))
    np.testing.assert_array_equal(weac.labels_, [0, -1, -1])
