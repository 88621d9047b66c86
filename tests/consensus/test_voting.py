"""Voting: who stands for whom, who votes with which weight, and where the reference comes from."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consens import MISSING, NOISE, Ensemble
from consens._labels import first_seen_order
from consens.consensus import EAC, Voting
from consens.consensus.voting import count_votes, elect, join_clusters
from consens.evidence import coassociation
from consens.measure import anmi, ari, error_rate

TRUTH = np.repeat([0, 1, 2], [9, 7, 6])


def test_hand_worked_plurality():
    # the second member names the clusters the other way round and differs on object 2,
    # the third on object 4
    labels = np.array([[0, 1, 0], [0, 1, 0], [0, 0, 0], [1, 0, 1], [1, 0, 0]])
    vote = Voting(2).fit(labels)
    np.testing.assert_array_equal(vote.labels_, [0, 0, 0, 1, 1])
    np.testing.assert_allclose(vote.votes_[:, 0], [1, 1, 2 / 3, 0, 1 / 3])


def test_hand_worked_cumulative_vote():
    # one cluster of all six objects says 4/6 for the first and 2/6 for the second cluster
    labels = np.array([[0, 0]] * 4 + [[1, 0]] * 2)
    vote = Voting(2, voting="cumulative").fit(labels)
    np.testing.assert_array_equal(vote.labels_, [0, 0, 0, 0, 1, 1])
    np.testing.assert_allclose(vote.votes_[0], [(1 + 4 / 6) / 2, (2 / 6) / 2])
    np.testing.assert_allclose(vote.votes_[5], [(4 / 6) / 2, (1 + 2 / 6) / 2])


def plain_votes(labels, reference, weights, k):
    """Votes by the best of all one-to-one renamings, tried one after another."""
    votes = np.zeros((len(labels), k))
    for m, column in enumerate(labels.T):
        size = max(k, column.max() + 1)
        overlap = np.zeros((size, size), dtype=int)
        for c, r in zip(column, reference, strict=True):
            if c >= 0 and r >= 0:
                overlap[c, r] += 1
        best = max(
            permutations(range(size)), key=lambda p: sum(overlap[c, p[c]] for c in range(size))
        )
        for i, c in enumerate(column):
            if c < 0 or not overlap[c].any():
                continue
            name = best[c] if best[c] < k else int(overlap[c, :k].argmax())
            votes[i, name] += weights[m]
    return votes


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_renaming_shares_as_many_objects_as_the_best_of_all_renamings(seed):
    rng = np.random.default_rng(seed)
    k = 3
    reference = rng.integers(0, k, 14)
    labels = rng.integers(MISSING, 4, (14, 3))
    weights = rng.uniform(0.5, 2, 3)
    votes = count_votes(labels, reference, weights, "plurality", k)
    plain = plain_votes(labels, reference, weights, k)
    np.testing.assert_allclose(votes.sum(axis=1), plain.sum(axis=1))  # the same objects vote
    at_home = np.arange(14), reference
    # two best renamings may differ in their pairs, not in the objects that they share, but what
    # is left over adds to the shared objects: compare where nothing is left over
    for m in range(3):
        if labels[:, m].max() < k:
            alone = count_votes(labels[:, [m]], reference, np.ones(1), "plurality", k)
            expected = plain_votes(labels[:, [m]], reference, np.ones(1), k)
            assert alone[at_home].sum() == expected[at_home].sum()


def test_equal_votes_leave_an_object_where_it_was():
    votes = np.array([[1.0, 1.0], [1.0, 1.0], [2.0, 1.0], [1.0, 3.0]])
    np.testing.assert_array_equal(elect(votes, np.array([1, 0, 1, 1])), [1, 0, 0, 1])
    # without a place in the reference: the first of the equal ones
    np.testing.assert_array_equal(elect(votes, np.array([NOISE, 0, 1, 1])), [0, 0, 0, 1])


def test_a_cluster_that_lost_everything_takes_back_the_nearest_object():
    votes = np.array([[3.0, 0.0], [3.0, 1.0], [3.0, 2.0], [3.0, 1.0]])
    np.testing.assert_array_equal(elect(votes, np.array([0, 0, 1, 1])), [0, 0, 1, 0])


class TestWeights:
    labels = np.column_stack([[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]])

    def weighted(self, *weights):
        return Ensemble(self.labels, [{"weight": w} for w in weights])

    def test_a_heavy_member_outvotes_two_light_ones(self):
        np.testing.assert_array_equal(Voting(2).fit_predict(self.labels), [0, 0, 0, 1, 1, 1])
        heavy = Voting(2).fit(self.weighted(1, 1, 3))
        np.testing.assert_array_equal(heavy.labels_, [0, 0, 1, 1, 1, 1])
        np.testing.assert_allclose(heavy.votes_[2], [0.4, 0.6])

    def test_a_weight_is_as_good_as_copies(self):
        copies = self.labels[:, [0, 1, 1, 2, 2, 2]]
        np.testing.assert_allclose(
            Voting(2).fit(self.weighted(1, 2, 3)).votes_, Voting(2).fit(copies).votes_
        )

    def test_weights_stay_with_their_members_in_any_order(self):
        order = [2, 0, 1]
        again = Ensemble(self.labels[:, order], [{"weight": w} for w in (3, 1, 1)])
        np.testing.assert_array_equal(
            Voting(2).fit_predict(again), Voting(2).fit_predict(self.weighted(1, 1, 3))
        )

    @pytest.mark.parametrize("weights", [(1, -1, 1), (0, 0, 0), (1, np.inf, 1)])
    def test_impossible_weights_are_refused(self, weights):
        with pytest.raises(ValueError, match="weights of the members must be finite, >= 0"):
            Voting(2).fit(self.weighted(*weights))


class TestReference:
    def test_is_the_member_that_agrees_most_with_all(self):
        rng = np.random.default_rng(0)
        flips = [0.5, 0.05, 0.4, 0.3, 0.45]
        labels = np.repeat(TRUTH[:, None], 5, axis=1)
        for m, share in enumerate(flips):
            wrong = rng.random(len(TRUTH)) < share
            labels[wrong, m] = rng.integers(0, 3, wrong.sum())
        best = int(np.argmax([anmi(member, labels) for member in labels.T]))
        chosen = Voting(3, max_iter=1).fit(labels)
        votes = count_votes(labels, labels[:, best], np.ones(5), "plurality", 3)
        elected = elect(votes, labels[:, best])
        np.testing.assert_array_equal(chosen.labels_, first_seen_order(elected))

    def test_without_a_number_the_reference_gives_it(self):
        labels = np.column_stack([TRUTH, TRUTH, np.minimum(TRUTH, 1)])
        assert Voting().fit(labels).n_clusters_ == 3
        coarse = np.column_stack([labels[:, [2, 2, 2]], TRUTH])
        assert Voting().fit(coarse).n_clusters_ == 2

    @pytest.mark.parametrize("voting", ["plurality", "cumulative"])
    def test_members_that_are_all_finer_are_joined(self, voting):
        rng = np.random.default_rng(0)
        finer = np.column_stack([3 * TRUTH + rng.integers(0, 3, len(TRUTH)) for _ in range(8)])
        assert ari(Voting(3, voting=voting).fit_predict(finer), TRUTH) == 1

    def test_members_that_are_all_coarser_start_from_evidence_accumulation(self):
        coarse = np.column_stack([np.minimum(TRUTH, 1), np.maximum(TRUTH, 1)])
        vote = Voting(3, voting="cumulative").fit(coarse)
        np.testing.assert_array_equal(vote.labels_, EAC(3).fit_predict(coarse))

    def test_joining_is_average_link_from_the_clusters_on(self):
        rng = np.random.default_rng(1)
        labels = rng.integers(MISSING, 5, (40, 6))
        labels[:, 0] = first_seen_order(np.arange(40) % 7)
        similarity = coassociation(labels)
        groups = [np.flatnonzero(labels[:, 0] == c) for c in range(7)]
        for k in (6, 5, 4, 3, 2):
            # pairs weigh by the number of members that saw them
            pairs = [(a, b) for a in range(len(groups)) for b in range(a + 1, len(groups))]
            seen = ((labels[:, None] != MISSING) & (labels[None] != MISSING)).sum(axis=2)

            def mean(pair, groups=groups, seen=seen):
                block = np.ix_(groups[pair[0]], groups[pair[1]])
                return (similarity[block] * seen[block]).sum() / seen[block].sum()

            a, b = max(pairs, key=mean)
            groups[a] = np.sort(np.concatenate([groups[a], groups[b]]))
            del groups[b]
            expected = np.empty(40, dtype=int)
            for name, group in enumerate(groups):
                expected[group] = name
            joined = join_clusters(labels, labels[:, 0], np.ones(6), k)
            np.testing.assert_array_equal(first_seen_order(joined), first_seen_order(expected))


@pytest.mark.parametrize("voting", ["plurality", "cumulative"])
def test_members_with_different_numbers_of_clusters(voting):
    rng = np.random.default_rng(2)
    members = [
        TRUTH,
        2 * TRUTH + rng.integers(0, 2, len(TRUTH)),  # finer
        np.minimum(TRUTH, 1),  # coarser
        np.where(rng.random(len(TRUTH)) < 0.2, rng.integers(0, 3, len(TRUTH)), TRUTH),
        TRUTH,
    ]
    assert ari(Voting(3, voting=voting).fit_predict(np.column_stack(members)), TRUTH) == 1


def test_rounds_go_on_until_the_vote_confirms_itself():
    rng = np.random.default_rng(3)
    labels = np.repeat(TRUTH[:, None], 15, axis=1)
    wrong = rng.random(labels.shape) < 0.45
    labels[wrong] = rng.integers(0, 3, wrong.sum())
    once, often = Voting(3, max_iter=1).fit(labels), Voting(3).fit(labels)
    assert once.n_iter_ == 1
    assert 1 < often.n_iter_ < 20
    assert error_rate(TRUTH, often.labels_) <= error_rate(TRUTH, once.labels_)
    settled = elect(count_votes(labels, often.labels_, np.ones(15), "plurality", 3), often.labels_)
    np.testing.assert_array_equal(settled, often.labels_)


def test_objects_that_the_reference_missed_are_reached_through_other_members():
    labels = np.column_stack([TRUTH, TRUTH, TRUTH])
    labels[:4, 0] = MISSING
    labels[4:6, 1] = NOISE
    np.testing.assert_array_equal(Voting(3).fit_predict(labels), TRUTH)


def test_objects_without_a_link_to_the_reference_are_noise():
    one, other = [0, 0, 1, MISSING, MISSING], [MISSING, MISSING, MISSING, 0, 1]
    labels = np.column_stack([one, one, other])  # the first two agree: one is the reference
    vote = Voting(2).fit(labels)
    np.testing.assert_array_equal(vote.labels_, [0, 0, 1, NOISE, NOISE])
    np.testing.assert_array_equal(vote.votes_[3:], 0)
