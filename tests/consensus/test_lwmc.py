"""Locally weighted meta-clustering: scores against a plain twin, and what the vote promises."""

import numpy as np
import pytest

from consens import MISSING, Ensemble
from consens._kernels import COMPILED_FROM
from consens._labels import abstain, check_labels
from consens.consensus import LWMC
from consens.measure import cluster_reliability


def random_labels(seed, n=60, n_members=6, lowest=-2):
    rng = np.random.default_rng(seed)
    labels = rng.integers(lowest, 4, (n, n_members))
    labels[:, 0] = rng.integers(0, 3, n)
    return abstain(check_labels(labels))


def plain_scores(labels, meta, weights, k):
    """Eq. 10, cluster by cluster; members that did not see the object do not count."""
    clusters = [(m, c) for m in range(labels.shape[1]) for c in range(labels[:, m].max() + 1)]
    scores = np.zeros((len(labels), k))
    for i, row in enumerate(labels):
        for j in range(k):
            own = [x for x in range(len(clusters)) if meta[x] == j]
            seen = [x for x in own if row[clusters[x][0]] != MISSING]
            votes = [weights[x] for x in seen if row[clusters[x][0]] == clusters[x][1]]
            scores[i, j] = sum(votes) / len(seen) if seen else 0.0
    return scores


@pytest.mark.parametrize("lowest", [0, -2])
@pytest.mark.parametrize("seed", range(3))
def test_scores_and_winners_equal_the_plain_twin(seed, lowest):
    labels = random_labels(seed, lowest=lowest)
    lwmc = LWMC(3, theta=0.4, random_state=0).fit(labels)
    np.testing.assert_allclose(
        lwmc.cluster_reliability_, cluster_reliability(labels, 0.4), atol=1e-15
    )
    scores = plain_scores(labels, lwmc.meta_clusters_, lwmc.cluster_reliability_, 3)
    np.testing.assert_allclose(lwmc.scores_, scores, atol=1e-12)
    best = scores.max(axis=1)
    chosen = scores[np.arange(len(labels)), lwmc.labels_]
    np.testing.assert_allclose(chosen, best, atol=1e-12)


def test_the_compiled_path_gives_the_same(monkeypatch):
    labels = random_labels(3, lowest=0)
    expected = LWMC(3, random_state=0).fit(labels)
    monkeypatch.setitem(COMPILED_FROM, "objects", 0)
    again = LWMC(3, random_state=0).fit(labels)
    np.testing.assert_array_equal(again.labels_, expected.labels_)
    np.testing.assert_allclose(again.scores_, expected.scores_, atol=1e-12)


def test_hand_worked_scores():
    # clusters a = {0,1,2}, b = {3,4}; c = {0,1}, d = {2,3,4}: meta-clusters {a, c} and {b, d}
    labels = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1]])
    lwmc = LWMC(2, theta=0.5, random_state=0).fit(labels)
    np.testing.assert_array_equal(lwmc.meta_clusters_, [0, 1, 0, 1])
    entropy = -(2 / 3) * np.log2(2 / 3) - (1 / 3) * np.log2(1 / 3)  # of a and of d
    w = np.exp(-entropy / (0.5 * 2))
    np.testing.assert_allclose(lwmc.cluster_reliability_, [w, 1, 1, w])
    np.testing.assert_allclose(
        lwmc.scores_,
        [[(w + 1) / 2, 0], [(w + 1) / 2, 0], [w / 2, w / 2], [0, (1 + w) / 2], [0, (1 + w) / 2]],
    )
    np.testing.assert_allclose(lwmc.memberships_[:, 0], [1, 1, 0.5, 0, 0])


def test_an_unreliable_cluster_has_less_weight_than_a_reliable_one():
    # object 4 is with 0-3 in the first member and with 5-8 in the second; the others scatter 5-8
    labels = np.array(
        [[0, 0, 0, 0]] * 4
        + [[0, 1, 2, 2]]
        + [[1, 1, 1, 1], [1, 1, 1, 3], [1, 1, 3, 1], [1, 1, 3, 3]]
    )
    weighted = LWMC(2, random_state=0).fit(labels)
    assert weighted.cluster_reliability_[0] > weighted.cluster_reliability_[3]
    assert weighted.labels_[4] == 0


def test_infinite_theta_is_the_plain_vote():
    labels = random_labels(4, lowest=0)
    lwmc = LWMC(3, theta=float("inf"), random_state=0).fit(labels)
    np.testing.assert_array_equal(lwmc.cluster_reliability_, 1)
    np.testing.assert_allclose(
        lwmc.scores_, plain_scores(labels, lwmc.meta_clusters_, lwmc.cluster_reliability_, 3)
    )


@pytest.mark.parametrize("k", [2, 5, 8])
def test_as_many_clusters_as_asked_for_even_where_there_are_fewer_base_clusters(k):
    labels = np.array([[(i >> m) & 1 for m in range(3)] for i in range(8)])  # 6 base clusters
    assert LWMC(k, random_state=0).fit(labels).n_clusters_ == k


def test_objects_with_equal_labels_stay_together():
    labels = np.array([[(i >> m) & 1 for m in range(3)] for i in range(8)])
    twice = np.repeat(labels, 2, axis=0)
    model = LWMC(7, random_state=0).fit(twice)
    np.testing.assert_array_equal(model.labels_[::2], model.labels_[1::2])


def test_clusters_that_lost_all_their_objects_do_not_count():
    labels = random_labels(5, lowest=0)
    part = Ensemble(labels)[labels[:, 1] != 2]  # its second member has an empty cluster now
    lwmc = LWMC(3, random_state=0).fit(part)
    compact = LWMC(3, random_state=0).fit(check_labels(np.asarray(part)))
    np.testing.assert_array_equal(lwmc.labels_, compact.labels_)
    assert (lwmc.meta_clusters_ == -1).sum() == 1


@pytest.mark.parametrize("theta", [0, -1.0, "a"])
def test_impossible_theta(theta):
    with pytest.raises(ValueError, match="'theta' parameter of LWMC"):
        LWMC(2, theta=theta).fit(random_labels(0))
