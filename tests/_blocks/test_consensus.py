"""Consensus block by block: the labels of the whole, or a clear refusal."""

import inspect

import numpy as np
import pytest

from consens import MISSING, NOISE, Ensemble, consensus
from consens._blocks import Rows
from consens._numerics import seeding
from consens.consensus import EAC, HBGF, KCC, LWGP, SEC, WBPA, Voting
from consens.consensus.voting import elect
from consens.partition.weighted_kmeans import weighted_kmeans

# each refit is the same in blocks, so that a few show as much as twenty
pytestmark = pytest.mark.usefixtures("few_refits")

METHODS = [getattr(consensus, name) for name in consensus.METHODS]
# WBPA needs more than labels, and EAC takes few distinct rows only; see test_generate.py
IN_BLOCKS = [m for m in METHODS if m._in_blocks and m not in (EAC, WBPA)]

#: Parameters with which a method takes blocks, if not by default.
PARAMETERS = {"ECPCS": {"form": "meta"}}

SIZES = [[600], [200, 200, 200], [1, 2, 97, 500]]


def noisy(lowest, n=600, m=6, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    labels = np.repeat(truth[:, None], m, axis=1)
    wrong = rng.random(labels.shape) < 0.35
    labels[wrong] = rng.integers(lowest, 6, wrong.sum())
    labels[:, 0] = truth
    return labels


def make(method, n_clusters=4):
    accepted = inspect.signature(method).parameters
    seed = {"random_state": 0} if "random_state" in accepted else {}
    return method(n_clusters=n_clusters, **seed, **PARAMETERS.get(method.__name__, {}))


def assert_same_fit(found, expected):
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_array_equal(found.confidence_, expected.confidence_)
    assert found.n_clusters_ == expected.n_clusters_


@pytest.mark.parametrize("lowest", [0, NOISE, MISSING])
@pytest.mark.parametrize("method", IN_BLOCKS, ids=lambda m: m.__name__)
def test_labels_and_confidence_are_those_of_the_whole(method, lowest):
    labels = noisy(lowest)
    if lowest == NOISE:
        labels[[3, 50, 599]] = NOISE  # in no cluster at all
        labels[0] = NOISE  # a block of one
    expected = make(method).fit(labels)
    for sizes in SIZES:
        assert_same_fit(make(method).fit(Rows.from_array(labels, sizes)), expected)


@pytest.mark.parametrize("lowest", [0, MISSING])
@pytest.mark.parametrize("method", [HBGF, KCC, LWGP, SEC], ids=lambda m: m.__name__)
def test_what_starts_from_a_sample_goes_on_block_by_block(method, lowest, monkeypatch):
    """As for more than 20,000 objects."""
    monkeypatch.setattr(seeding, "START_ROWS", 100)
    labels = noisy(lowest)
    expected = make(method).fit(labels)
    for sizes in SIZES:
        assert_same_fit(make(method).fit(Rows.from_array(labels, sizes)), expected)


def test_a_cluster_that_loses_all_objects_is_filled_again(monkeypatch):
    """The fifth centre is nearest to nothing; whichever block holds the costliest object."""
    monkeypatch.setattr(seeding, "START_ROWS", 10)
    X = np.random.default_rng(0).normal(size=(40, 2))
    centers = np.array([[0.0, 0.0], [1.0, 1.0], [-1.0, 1.0], [9.0, 9.0]])
    expected = weighted_kmeans(X, 4, init=centers)
    assert (np.bincount(expected.labels) > 0).all()
    for sizes in ([40], [13, 27], [1, 30, 9]):
        found = weighted_kmeans(Rows.from_array(X, sizes), 4, init=centers)
        np.testing.assert_array_equal(found.labels, expected.labels)
        np.testing.assert_array_equal(found.centers, expected.centers)
        assert found.inertia == expected.inertia


@pytest.mark.parametrize(
    "method", [m for m in IN_BLOCKS if m is not Voting], ids=lambda m: m.__name__
)
def test_more_clusters_than_any_member_has(method):
    labels = noisy(0)
    expected = make(method, 9).fit(labels)
    assert_same_fit(make(method, 9).fit(Rows.from_array(labels, SIZES[-1])), expected)
    with pytest.raises(ValueError, match="is more than the 3 distinct objects"):
        make(method, 4).fit(Rows.from_array(np.repeat([[0], [1], [2]], 5, axis=0), [7, 8]))


@pytest.mark.parametrize("method", IN_BLOCKS, ids=lambda m: m.__name__)
def test_one_cluster_and_nothing_but_noise(method):
    labels = noisy(0)
    one = make(method, 1).fit(Rows.from_array(labels, SIZES[1]))
    assert one.n_clusters_ == 1
    assert (one.labels_ == 0).all()
    with pytest.raises(ValueError, match="no partition holds a cluster"):
        make(method).fit(Rows.from_array(np.full((6, 2), NOISE), [2, 4]))


@pytest.mark.parametrize(
    "method", [m for m in METHODS if not m._in_blocks], ids=lambda m: m.__name__
)
def test_methods_that_need_all_objects_say_so_and_point_to_prototypes(method):
    rows = Rows.from_array(noisy(0), SIZES[1])
    for form in (rows, Ensemble.from_labels(rows)):
        with pytest.raises(TypeError, match="needs all objects at once.*PrototypeEnsemble"):
            make(method).fit(form)


@pytest.mark.parametrize("voting", ["plurality", "cumulative"])
@pytest.mark.parametrize("k", [3, 4, 6])
def test_votes(voting, k):
    """With k = 3 clusters are joined; with k = 6 some lose all objects in one round or another."""
    labels = noisy(NOISE, seed=2)
    expected = Voting(k, voting=voting).fit(labels)
    for sizes in SIZES:
        found = Voting(k, voting=voting).fit(Rows.from_array(labels, sizes))
        assert_same_fit(found, expected)
        np.testing.assert_array_equal(found.votes_, expected.votes_)
        assert found.n_iter_ == expected.n_iter_


def test_a_cluster_that_loses_the_vote_takes_an_object_back():
    votes = np.array([[3, 0, 0], [3, 1, 0], [0, 0, 2], [1, 0, 2], [3, 1.5, 0]], dtype=float)
    reference = np.array([0, 0, 2, 2, 0], dtype=np.int32)
    expected = elect(votes, reference)
    np.testing.assert_array_equal(expected, [0, 0, 2, 2, 1])
    for sizes in ([5], [2, 3], [1, 1, 3]):
        found = elect(Rows.from_array(votes, sizes), Rows.from_array(reference, sizes))
        np.testing.assert_array_equal(found, expected)


def test_voting_without_a_member_of_enough_clusters(monkeypatch):
    labels = noisy(0)
    found = Voting(9).fit(Rows.from_array(labels, SIZES[1]))
    assert_same_fit(found, Voting(9).fit(labels))
    monkeypatch.setattr("consens.consensus.eac.MAX_DISTINCT", 50)
    with pytest.raises(TypeError, match="Voting needs all .* a member with 9 clusters"):
        Voting(9).fit(Rows.from_array(noisy(0), SIZES[1]))


@pytest.mark.parametrize("lowest", [0, MISSING])
def test_soft_memberships(lowest, monkeypatch):
    monkeypatch.setattr(seeding, "START_ROWS", 100)
    labels = Ensemble.from_labels(noisy(lowest)).labels
    rng = np.random.default_rng(0)
    soft = [rng.dirichlet(np.ones(k), len(labels)) for k in labels.max(axis=0) + 1]
    soft = [own + np.eye(own.shape[1])[column] for own, column in zip(soft, labels.T, strict=True)]
    ensemble = Ensemble(labels, payload=[{"memberships": own} for own in soft])
    expected = WBPA(4, random_state=0).fit(ensemble)
    for sizes in SIZES:
        payload = [{"memberships": Rows.from_array(own, sizes)} for own in soft]
        found = WBPA(4, random_state=0).fit(
            Ensemble(Rows.from_array(labels, sizes), payload=payload)
        )
        assert_same_fit(found, expected)


def test_metis_needs_all_objects():
    with pytest.raises(TypeError, match="HBGF needs all .* use partitioner='spectral'"):
        HBGF(4, partitioner="metis").fit(Rows.from_array(noisy(0), SIZES[1]))
    with pytest.raises(TypeError, match="WBPA needs all .* use partitioner='spectral'"):
        WBPA(4, partitioner="metis").fit(Rows.from_array(noisy(0), SIZES[1]))
