"""Boosted k-means: doubts, weights, and what is drawn next."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from consens import Ensemble
from consens.consensus import Voting
from consens.generate import BoostedKMeans, watch
from consens.generate.boosted import doubts, memberships, reweigh
from consens.measure import error_rate


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(150, centers=[[0, 0], [6, 0], [3, 5]], random_state=0)


def test_hand_worked_memberships_and_doubts():
    # distances 1 and 3: memberships 3/4 and 1/4; on a centre; half way
    h = memberships(np.array([[1.0], [0.0], [2.0]]), np.array([[0.0], [4.0]]))
    np.testing.assert_allclose(h, [[0.75, 0.25], [1, 0], [0.5, 0.5]])
    np.testing.assert_allclose(doubts(h), [0.5, 0, 1])


def test_doubts_between_three_centres_look_at_the_best_and_the_worst():
    h = np.array([[0.6, 0.3, 0.1]])
    np.testing.assert_allclose(doubts(h), [1 - 0.6 + 0.1])


def test_one_cluster_leaves_no_doubt():
    np.testing.assert_array_equal(doubts(np.ones((3, 1))), 0)


def test_hand_worked_reweighing():
    loss, weights = reweigh(np.array([0.5, 0.5]), np.array([0.2, 0.6]))
    assert loss == pytest.approx(0.2)  # half of the mean doubt
    # β = 4: weights grow by 4^0.2 and 4^0.6
    np.testing.assert_allclose(weights, np.array([4**0.2, 4**0.6]) / (4**0.2 + 4**0.6))


def test_objects_in_doubt_are_drawn_more_often(blobs):
    X, _ = blobs
    generator = BoostedKMeans(10, n_clusters=3, random_state=0).fit(X)
    weights = generator.sample_weights_
    assert weights.sum() == pytest.approx(1)
    # sums over the members: doubt raises a weight, so the two go together
    in_doubt = np.mean(
        [doubts(memberships(X, m.payload["centers"])) for m in generator.members_],
        axis=0,
    )
    assert np.corrcoef(np.log(weights), in_doubt)[0, 1] > 0.9


def test_plain_twin_of_the_sequence(blobs):
    X, _ = blobs
    made = BoostedKMeans(4, n_clusters=3, random_state=5).fit(X)
    weights = np.full(len(X), 1 / len(X))
    for member in made.members_:
        distance = np.linalg.norm(X[:, None] - member.payload["centers"], axis=2)
        h = 1 / distance
        h /= h.sum(axis=1, keepdims=True)
        doubt = 1 - h.max(axis=1) + h.min(axis=1)
        loss = (weights * doubt).sum() / 2
        assert member.record["pseudoloss"] == pytest.approx(loss)
        assert member.record["weight"] == pytest.approx(np.log((1 - loss) / loss))
        weights = weights * ((1 - loss) / loss) ** doubt
        weights /= weights.sum()
    np.testing.assert_allclose(made.sample_weights_, weights)


def test_the_aggregate_adds_weighted_memberships_under_matching_names(blobs):
    X, y = blobs
    made = BoostedKMeans(6, n_clusters=3, random_state=0).fit(X)
    total, orders = np.zeros((len(X), 3)), list(permutations(range(3)))
    for member in made.members_:
        h = memberships(X, member.payload["centers"])
        own, so_far = h.argmax(axis=1), total.argmax(axis=1)
        # column c of the aggregate goes with cluster order[c] of the member
        shared = [sum(((own == o[c]) & (so_far == c)).sum() for c in range(3)) for o in orders]
        best = orders[int(np.argmax(shared))] if total.any() else (0, 1, 2)
        total += member.record["weight"] * h[:, best]
    np.testing.assert_allclose(made.memberships_, total / total.sum(axis=1, keepdims=True))
    assert error_rate(y, made.labels_) < 0.05


def test_the_rule_of_the_paper_stops_early(blobs):
    X, _ = blobs
    every = BoostedKMeans(40, n_clusters=3, random_state=0).fit(X)
    loss = [member.record["pseudoloss"] for member in every.members_]
    below = 0
    for stop, own in enumerate(loss, 1):
        below = below + 1 if own < max(loss[:stop]) else 0
        if below == 3:
            break
    assert stop < 40
    early = BoostedKMeans(40, n_clusters=3, n_iter_no_change=3, random_state=0)
    E = early.fit_transform(X)
    np.testing.assert_array_equal(E.labels, every.transform(X).labels[:, :stop])


def test_weights_reach_the_vote(blobs):
    X, y = blobs
    E = BoostedKMeans(9, n_clusters=3, random_state=0).fit_transform(X)
    assert isinstance(E, Ensemble)
    np.testing.assert_array_equal(E.weights, E.members["weight"])
    assert (E.weights > 0).all()
    assert len(set(E.weights)) > 1
    assert error_rate(y, Voting(3).fit_predict(E)) < 0.05
    shares = Voting(3).fit(E).votes_ * E.weights.sum()
    # an object whose members differ gets a sum of their weights, not a count
    split = (shares > 1e-9).sum(axis=1) > 1
    sums = [E.weights[list(picked)].sum() for picked in _subsets(9)]
    assert all(np.isclose(sums, value).any() for value in shares[split].ravel())


def _subsets(n):
    return ([m for m in range(n) if bits >> m & 1] for bits in range(2**n))


def test_same_seed_same_members_and_more_members_continue(blobs):
    X, _ = blobs
    few = BoostedKMeans(3, n_clusters=3, random_state=1).fit_transform(X)
    many = BoostedKMeans(6, n_clusters=3, random_state=1).fit_transform(X)
    np.testing.assert_array_equal(many.labels[:, :3], few.labels)
    other = BoostedKMeans(6, n_clusters=3, random_state=2).fit_transform(X)
    assert not np.array_equal(many.labels, other.labels)


def test_new_rows_are_labelled_as_the_old_ones(blobs):
    X, _ = blobs
    generator = BoostedKMeans(4, n_clusters=3, random_state=0)
    E = generator.fit_transform(X)
    np.testing.assert_array_equal(generator.transform(X).labels, E.labels)


def test_progress_is_told_member_by_member(blobs):
    told = []
    with watch(lambda progress: told.append((progress.done, progress.total))):
        BoostedKMeans(2, n_clusters=3, random_state=0).fit(blobs[0])
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_objects_without_any_doubt_give_a_finite_weight():
    X = np.repeat([[0.0], [1.0]], 5, axis=0)
    E = BoostedKMeans(3, n_clusters=2, random_state=0).fit_transform(X)
    assert np.isfinite(E.weights).all()


def test_more_clusters_than_drawn_objects_are_refused():
    with pytest.raises(ValueError, match="n_clusters=4 is more than the 3 drawn objects"):
        BoostedKMeans(2, n_clusters=4, max_samples=3).fit(np.arange(20.0)[:, None])
