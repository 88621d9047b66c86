"""No object stays in a cluster that the members speak against, where that is asked for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consens
from consens import ConsensusClustering, Ensemble
from consens._blocks import Rows
from consens._labels import abstain
from consens.consensus import EAC, HBGF, LWEA, LWGP, LWMC, Voting
from consens.consensus._settle import settle
from consens.measure import object_association

# object 2 is with 0 and 1 in one member, and with 3 and 4 in the other three
MEMBERS = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]])
RANDOM = np.random.default_rng(0).integers(0, 10, (60, 10))


def contradictions(labels, answer):
    """Objects that are more than twice as often with another cluster, by plain loops."""
    found = []
    for i, own in enumerate(answer):
        means = {}
        for c in np.unique(answer[answer >= 0]):
            others = [j for j in np.flatnonzero(answer == c) if j != i]
            pairs = [(labels[i], labels[j]) for j in others]
            seen = sum(int(((a != -2) & (b != -2)).sum()) for a, b in pairs)
            both = sum(int(((a == b) & (a >= 0)).sum()) for a, b in pairs)
            means[c] = both / seen if seen else 0.0
        if (answer == own).sum() > 1 and max(means.values()) > 2 * means[own] + 1e-6:
            found.append(i)
    return found


def test_twice_as_often_with_another_cluster():
    start = np.array([0, 0, 0, 1, 1])
    assert contradictions(MEMBERS, start) == [2]  # 1/4 with its own, 3/4 with the other
    np.testing.assert_array_equal(settle(MEMBERS, start, 2), [0, 0, 1, 1, 1])
    np.testing.assert_array_equal(settle(MEMBERS, start, 4), start)


def test_a_cluster_that_would_be_empty_keeps_its_objects_and_others_move():
    members = np.repeat([[0], [0], [0], [0], [1], [1]], 5, axis=1)
    start = np.array([0, 0, 1, 1, 0, 2])  # 2 and 3 are with 0 and 1 always, 4 with 5
    np.testing.assert_array_equal(settle(members, start, 2), [0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize("method", [EAC, LWEA, LWGP, LWMC, HBGF, Voting])
@settings(max_examples=12)
@given(seed=st.integers(0, 2**16))
def test_every_method_can_settle(method, seed):
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1, 2], [8, 6, 4])
    labels = np.repeat(truth[:, None], 6, axis=1)
    wrong = rng.random(labels.shape) < 0.35
    labels[wrong] = rng.integers(-1, 5, wrong.sum())
    E = Ensemble.from_labels(labels)
    model = method(3)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    plain = model.fit(E).labels_.copy()
    settled = model.set_params(settle=True).fit(E).labels_
    inner = abstain(E.labels)
    if not contradictions(inner, plain):
        np.testing.assert_array_equal(settled, plain)
    assert set(settled) == set(plain)
    left = contradictions(inner, settled)
    # what is left are the last objects of a cluster, all of which would go at once
    assert all(set(np.flatnonzero(settled == settled[i])) <= set(left) for i in left)


def test_the_same_in_blocks():
    start = np.random.default_rng(0).integers(0, 4, 60)
    whole = settle(RANDOM, start, 2)
    blocks = Rows.from_array(RANDOM, [7, 20, 33])
    apart = settle(blocks, blocks.split_like(start), 2)
    np.testing.assert_array_equal(np.asarray(apart), whole)
    assert (whole != start).any()


def test_combine_of_few_clusterings_is_lwea():
    default = consens.combine(RANDOM, n_clusters=4)
    np.testing.assert_array_equal(default.labels_, consens.combine(RANDOM, "lwea", 4).labels_)
    named = consens.combine(RANDOM, "lwea", 4, theta=0.25)
    assert contradictions(RANDOM, named.labels_)
    settled = consens.combine(RANDOM, "lwea", 4, theta=0.25, settle=True)
    assert not contradictions(RANDOM, settled.labels_)


def test_other_numbers_of_clusters_settle_too():
    found = consens.combine(RANDOM, settle=True)
    for k in found.results_.numbers:
        assert not contradictions(RANDOM, found.results_.labels[k])


def test_with_boundaries_of_members_no_object_is_much_nearer_to_another_cluster():
    X = np.random.default_rng(0).normal(size=(150, 3))
    model = ConsensusClustering(5, recipe="mixed", random_state=0).fit(X)
    assert model.boundaries_ == "members"
    mean = object_association(model.ensemble_, model.labels_)
    own = mean[np.arange(150), model.labels_]
    assert (mean.max(axis=1) <= 2 * own + 1e-6).all()


def test_set_params_reaches_noise_and_settling():
    method = LWEA(4, theta=0.25, settle=True, noise="assign")
    settled = consens.combine(RANDOM, method)
    assert settled.get_params() == {**method.get_params(), "random_state": settled.random_state}
    assert not contradictions(RANDOM, settled.labels_)
    plain = consens.combine(RANDOM, method, settle=False)
    assert contradictions(RANDOM, plain.labels_)
    assert method.settle  # its own parameter stays
    door = ConsensusClustering(4, consensus=LWEA(theta=0.25), random_state=0)
    door.set_params(consensus__settle=True, settle=None)
    assert door.fit(np.random.default_rng(0).normal(size=(60, 2))).consensus_.settle
