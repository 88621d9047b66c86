"""Refits to resampled members: confidence, stability, and what they are compared by."""

import numpy as np
import pytest

from consens import MISSING, NOISE, consensus
from consens._blocks import Rows
from consens.choose.refitting import Partitions
from consens.consensus import EAC, LWEA, DrawnConsensus
from consens.consensus._refits import (
    MAX_COMPARED,
    MOST_FITS,
    SHADE,
    STANDARD_ERROR,
    Refits,
    Rivals,
    best_jaccard,
    matched_share,
    redrawn,
)
from consens.consensus.drawn import settle_draws
from consens.measure import ari
from consens.measure.confidence import object_margin

TRUTH = np.repeat([0, 1, 2], [40, 30, 20])


def members(n_members=15, flips=0.05, seed=0, truth=TRUTH):
    """Members that agree with the truth but for some objects."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(truth[:, None], n_members, axis=1)
    wrong = rng.random(labels.shape) < flips
    labels[wrong] = rng.integers(0, 3, wrong.sum())
    return labels


class TestByHand:
    # the second refit names the clusters otherwise and moves object 2; the third lacks object 0
    PARTITIONS = np.array([[0, 0, 0, 1, 1], [1, 1, 0, 0, 0], [MISSING, 0, 0, 1, 1]], np.int32).T
    ANSWER = np.array([0, 0, 0, 1, 1], np.int32)

    def test_share_of_matched_refits(self):
        found = matched_share(self.PARTITIONS, self.ANSWER)
        np.testing.assert_allclose(found, [1, 1, 2 / 3, 1, 1])
        found = matched_share(self.PARTITIONS, self.ANSWER, np.array([0.1, 0.7, 0.2]))
        np.testing.assert_allclose(found, [1, 1, 0.3, 1, 1])

    def test_half_of_the_confidence_follows_the_members(self):
        refits = Refits(self.PARTITIONS, self.ANSWER, np.arange(5), np.full(3, 1 / 3))
        margin = np.array([0.2, 0.9, 0.4, 0.5, 0.8])
        # objects 0 and 2 have the lowest margins; the rising curve is their mean share, then 1
        curve = np.array([5 / 6, 1, 5 / 6, 1, 1])
        expected = (np.array([1, 1, 2 / 3, 1, 1]) + curve - SHADE * (1 - margin)) / 2
        np.testing.assert_allclose(refits.confidence(margin), expected)

    def test_fits_of_samples_tell_the_scale(self):
        partitions = np.repeat(TRUTH[:, None], 3, axis=1).astype(np.int32)
        other = TRUTH.astype(np.int32).copy()
        other[20:40] = 1  # half of cluster 0
        samples = np.column_stack([other, TRUTH]).astype(np.int32)
        refits = Refits(partitions, partitions[:, 0], np.arange(90), np.full(3, 1 / 3), samples)
        agree = 1 - 20 / 180
        margin = np.where(np.isin(np.arange(90), range(20, 40)), 0.1, 0.9)
        found = refits.confidence(margin)
        assert found.mean() == pytest.approx(agree, abs=0.01)
        assert found[20:40].mean() < 0.7 < 0.95 < np.delete(found, range(20, 40)).mean()
        alone = refits._replace(samples=None)
        assert alone.confidence(margin).min() > 0.99
        index = (1 + ari(TRUTH, other)) / 2
        assert refits.stability().ari == pytest.approx(0.2 + 0.8 * index)

    def test_fits_that_contradict_the_order_make_it_flat(self):
        partitions = np.repeat(TRUTH[:, None], 3, axis=1).astype(np.int32)
        margin = np.linspace(0, 1, 90)
        other = TRUTH.astype(np.int32).copy()
        other[margin > 0.9] = 0
        refits = Refits(partitions, partitions[:, 0], np.arange(90), np.full(3, 1 / 3))
        assert refits.confidence(margin).std() > 0
        found = refits._replace(samples=other[:, None]).confidence(margin)
        np.testing.assert_allclose(found, (margin <= 0.9).mean())
        found = refits._replace(samples=refits.partitions).confidence(margin)
        assert np.corrcoef(found, margin)[0, 1] > 0.8  # fits that all agree do not contradict

    def test_noise_is_not_the_same_cluster(self):
        partitions = np.array([[0, 0, NOISE, 1, 1]], np.int32).T
        np.testing.assert_array_equal(matched_share(partitions, self.ANSWER), [1, 1, 0, 1, 1])

    def test_jaccard_of_the_best_match(self):
        found = best_jaccard(self.ANSWER, np.array([1, 1, 0, 0, NOISE], np.int32), 3)
        # {0, 1, 2} with {0, 1}; {3, 4} with {2, 3}; the third cluster has no objects
        np.testing.assert_allclose(found, [2 / 3, 1 / 3, np.nan])

    def test_stability_is_the_mean_over_refits(self):
        weights = np.array([0.25, 0.5, 0.25])
        stability = Refits(self.PARTITIONS, self.ANSWER, np.arange(5), weights).stability()
        index = ari(self.ANSWER, self.PARTITIONS[:, 1])
        assert stability.ari == pytest.approx(0.5 + 0.5 * index)
        assert stability.interval == (pytest.approx(index), 1)
        np.testing.assert_allclose(stability.clusters, 0.5 + 0.5 * np.array([2 / 3, 2 / 3]))
        assert stability.words == ["doubtful", "doubtful"]


class TestFitsOfSamples:
    """As many as the mean agreement needs, within bounds."""

    SAME = TRUTH.astype(np.int32)
    OTHER = np.where(np.arange(90) < 20, 1, TRUTH).astype(np.int32)

    def n_fits(self, columns, n_members=64, copies=1):
        answer = np.tile(self.SAME, copies)
        refits = Refits(answer[:, None], answer, np.arange(len(answer)), np.ones(1))
        made = (np.tile(column, copies) for column in columns)
        return refits.with_samples(made, n_members).samples.shape[1]

    @pytest.fixture(autouse=True)
    def _as_users_have_it(self, defaults_of_users):
        with defaults_of_users():
            yield

    def test_few_if_they_agree(self):
        assert self.n_fits([self.SAME] * 20) == 4
        assert self.n_fits([self.SAME] * 20, copies=20) == 1
        assert self.n_fits([self.OTHER] * 20, copies=20) == 2  # it disagrees, but so does another

    def test_more_for_an_answer_that_needed_many_members(self):
        assert self.n_fits([self.SAME] * 20, n_members=512) == 6
        assert self.n_fits([self.SAME] * 20, n_members=512, copies=20) == 3

    def test_more_while_the_standard_error_is_large(self):
        # the first of n disagrees on m of 90 objects: a standard error of m / 90n
        for m, n in [(8, 5), (10, 6), (16, 9)]:
            assert m / 90 / n <= STANDARD_ERROR < m / 90 / (n - 1)
            first = np.where(np.arange(90) < m, 1, TRUTH).astype(np.int32)
            assert self.n_fits([first, *[self.SAME] * 20]) == n

    def test_no_more_than_a_bound(self):
        assert self.n_fits([self.SAME, self.OTHER] * 10) == MOST_FITS
        assert self.n_fits([self.OTHER, self.SAME] * 10, copies=20) == 3

    def test_as_many_as_can_be_made(self):
        assert self.n_fits([self.SAME]) == 1
        answer = self.SAME
        refits = Refits(answer[:, None], answer, np.arange(90), np.ones(1))
        assert refits.with_samples(iter(()), 64).samples is None


def test_objects_that_members_dispute_have_a_lower_confidence():
    labels = members()
    labels[5, ::2] = 1
    labels[50, 1::2] = 2
    model = LWEA(3).fit(labels)
    disputed = np.isin(np.arange(len(TRUTH)), [5, 50])
    assert model.confidence_[disputed].max() < 0.9
    assert model.confidence_[~disputed].min() > 0.9


def test_members_without_a_common_structure_are_unstable():
    noise = np.random.default_rng(0).integers(0, 3, (90, 10))
    clear, vague = LWEA(3).fit(members()), LWEA(3).fit(noise)
    assert clear.stability_.ari > 0.95
    assert clear.stability_.words == ["stable"] * 3
    assert vague.stability_.ari < 0.3
    assert "stable" not in vague.stability_.words
    low, high = vague.stability_.interval
    assert low <= vague.stability_.ari <= high
    assert vague.confidence_.mean() < clear.confidence_.mean() - 0.2


def test_one_cluster_is_certain():
    model = LWEA(1).fit(members())
    np.testing.assert_array_equal(model.confidence_, 1)
    assert model.stability_.ari == 1


def test_the_same_labels_have_the_same_confidence():
    first, second = (LWEA(3).fit(members(flips=0.4)).confidence_ for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert 0 < first.min() < first.mean() < 1


def test_a_new_fit_forgets_the_refits():
    model = LWEA(3).fit(members())
    assert model.stability_.ari > 0.9
    model.fit(np.random.default_rng(0).integers(0, 3, (90, 10)))
    assert model.stability_.ari < 0.3


def test_many_objects_are_compared_by_a_sample():
    truth = np.tile(TRUTH, 40)
    labels = members(flips=0.3, truth=truth)
    model = consensus.LWMC(3, random_state=0).fit(labels)
    assert len(truth) > MAX_COMPARED == len(model._refits.rows)
    assert model.confidence_.shape == truth.shape
    compared = np.isin(np.arange(len(truth)), model._refits.rows)
    own = (labels == model.labels_[:, None]).mean(axis=1)
    for some in (compared, ~compared):
        assert model.confidence_[some & (own > 0.8)].mean() > 0.97
        assert np.corrcoef(own[some], model.confidence_[some])[0, 1] > 0.5
    blocks = Rows.from_array(labels, [1000, len(labels) - 1000])
    again = consensus.LWMC(3, random_state=0).fit(blocks)
    np.testing.assert_array_equal(again.confidence_, model.confidence_)


def test_one_tree_serves_all_numbers():
    model = EAC(3).fit(members(flips=0.3))
    partitions = Partitions(model, [2, 3, 4])
    for k in (2, 4):
        expected = EAC(k).fit(model.ensemble_)
        np.testing.assert_array_equal(partitions[k], expected.labels_)
        np.testing.assert_array_equal(partitions.confidence(k), expected.confidence_)


def test_neighbours_of_all_objects_do_not_matter_to_a_refit():
    X = TRUTH[:, None] + np.random.default_rng(0).normal(0, 0.05, (90, 1))
    model = EAC(3, linkage="single", neighbors=5).fit(members(), features=X)
    assert model.confidence_.mean() > 0.7  # by single link of all pairs


class TestDraws:
    def test_refits_are_consensus_partitions_of_a_few_draws(self):
        model = DrawnConsensus(3, random_state=0).fit(members(40, 0.5))
        refits = redrawn(model.draws_.matrix, model.labels_, np.arange(90), None, settle_draws)
        margin = object_margin(model.ensemble_, model.labels_)
        np.testing.assert_array_equal(model.confidence_, refits.confidence(margin))
        assert (refits.partitions == MISSING).mean() == pytest.approx(0.1)

    def test_a_rival_counts_by_its_chance(self):
        draws = np.repeat(TRUTH[:, None], 10, axis=1).astype(np.int32)
        other = draws[::2].copy()
        other[:5] = 1  # objects 0, 2, 4, 6, 8
        rivals = Rivals(np.arange(0, 90, 2), [other], [0.25])
        answer = TRUTH.astype(np.int32)
        refits = redrawn(draws, answer, np.arange(90), rivals, settle_draws)
        shares = matched_share(refits.partitions, answer, refits.weights)
        assert refits.weights.sum() == pytest.approx(1)
        np.testing.assert_allclose(shares[:10:2], 0.75, atol=0.05)
        np.testing.assert_array_equal(np.delete(shares, range(0, 10, 2)), 1)

    def test_the_default_takes_account_of_recipes_that_nearly_won(self):
        model = DrawnConsensus(3, random_state=0)
        other = np.random.default_rng(0).integers(0, 3, (90, 10)).astype(np.int32)
        rivals = Rivals(np.arange(90), [other], [0.5])
        alone = model.fit(members(40)).stability_
        assert model.compete_with(rivals).fit(members(40)).stability_.ari < alone.ari - 0.3
        assert model.fit(members(40)).stability_.ari == alone.ari  # only once


def test_one_object_beside_noise_is_its_own_cluster():
    model = EAC(1).fit([[0, 0], [-1, -1], [-1, -2]])
    np.testing.assert_array_equal(model.labels_, [0, -1, -1])
    np.testing.assert_array_equal(model.confidence_, [1, 0, 0])
