"""Noise, missing labels and soft answers: decided once, for all methods."""

import inspect
from itertools import product

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN
from sklearn.datasets import load_wine, make_blobs, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import scale

import consens
from consens import MISSING, NOISE, ConsensusClustering, Ensemble, consensus
from consens._blocks import Rows
from consens.consensus import EAC, LWGP, LWMC, MCLA
from consens.generate import EstimatorEnsemble
from consens.measure import ari, cluster_confidence, object_confidence

#: Without PTA: it links every microcluster with two others, so that these few hang together.
METHODS = [getattr(consensus, name) for name in consensus.METHODS if name != "PTA"]

pytestmark = pytest.mark.usefixtures("certain_labels")


@pytest.fixture(params=METHODS, ids=lambda m: m.__name__)
def method(request):
    return request.param


def make(method, n_clusters):
    accepted = inspect.signature(method).parameters
    seed = {"random_state": 0} if "random_state" in accepted else {}
    return method(n_clusters=n_clusters, **seed)


#: Two clusters of three objects.  Object 6 is noise for two of three members and in the second
#: cluster for one, object 7 is noise for one of the two that saw it, object 8 for all.
BY_HAND = np.array(
    [
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, NOISE],
        [1, 1, 1],
        [1, 1, 1],
        [1, MISSING, 1],
        [NOISE, 1, NOISE],
        [0, NOISE, MISSING],
        [NOISE, NOISE, NOISE],
    ]
)


def test_noise_is_what_more_than_half_of_those_that_saw_it_call_noise(method):
    model = make(method, 2).fit(BY_HAND)
    np.testing.assert_array_equal(model.labels_, [0, 0, 0, 1, 1, 1, NOISE, 0, NOISE])
    assert model.n_clusters_ == 2
    assert model.n_noise_ == 2
    np.testing.assert_array_equal(model.confidence_[[6, 8]], 0)


def test_noise_can_be_assigned_if_a_member_knows_where(method):
    model = make(method, 2).set_params(noise="assign").fit(BY_HAND)
    np.testing.assert_array_equal(model.labels_, [0, 0, 0, 1, 1, 1, 1, 0, NOISE])
    assert model.n_noise_ == 1
    assert model.confidence_[6] > 0


def test_noise_is_no_evidence(method):
    """What members say of noise changes nothing for the others."""
    quiet = make(method, 2).fit(BY_HAND[:6])
    other = BY_HAND.copy()
    other[6] = [NOISE, 0, NOISE]
    for labels in (BY_HAND, other):
        np.testing.assert_array_equal(make(method, 2).fit(labels).labels_[:6], quiet.labels_)


def test_a_cluster_of_noise_only_is_none(method):
    """The third cluster of the first member holds two objects that the others call noise."""
    labels = np.vstack([BY_HAND[:6], [[2, NOISE, NOISE]] * 2])
    model = make(method, 2).fit(labels)
    np.testing.assert_array_equal(model.labels_, [0, 0, 0, 1, 1, 1, NOISE, NOISE])
    n_clusters = model.ensemble_.n_clusters.sum()
    for name in ("cluster_labels_", "cluster_reliability_", "meta_clusters_"):
        assert len(getattr(model, name, np.empty(n_clusters))) == n_clusters
    model.set_params(noise="assign").fit(labels)
    np.testing.assert_array_equal(model.labels_, [0, 0, 0, 1, 1, 1, NOISE, NOISE])


def test_names_of_clusters_of_noise_only_do_not_matter(method):
    """Attributes per cluster follow the names, whether such a cluster comes last or first."""
    labels = np.vstack([BY_HAND[:6], [[2, NOISE, NOISE]] * 2])
    renamed = labels.copy()
    renamed[:, 0] = np.where(labels[:, 0] < 0, NOISE, 2 - labels[:, 0])
    expected, found = make(method, 2).fit(labels), make(method, 2).fit(renamed)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    for name in ("cluster_labels_", "cluster_reliability_", "cluster_weights_", "meta_clusters_"):
        if hasattr(expected, name):
            own = getattr(expected, name)
            assert own[2] == (0 if own.dtype.kind == "f" else -1)
            np.testing.assert_allclose(getattr(found, name), own[[2, 1, 0, 3, 4, 5, 6]])


def test_soft_members_may_have_clusters_of_noise_only():
    """Members with memberships keep the columns of clusters that only noise objects are in."""
    labels = np.vstack([BY_HAND[:6], [[2, NOISE, NOISE]] * 2])
    memberships = [np.eye(3)[column] for column in labels.T]
    soft = Ensemble(labels, payload=[{"memberships": own} for own in memberships])
    model = consensus.WBPA(2, random_state=0).fit(soft)
    np.testing.assert_array_equal(model.labels_, [0, 0, 0, 1, 1, 1, NOISE, NOISE])


def test_an_object_that_nobody_saw_is_missing_in_the_answer(method):
    labels = np.vstack([BY_HAND[:3], [[MISSING] * 3], BY_HAND[3:6], [[MISSING] * 3]])
    expected = [0, 0, 0, MISSING, 1, 1, 1, MISSING]
    model = make(method, 2)
    with pytest.warns(UserWarning, match=r"2 object\(s\) have no label .* row 4, 8"):
        model.fit(labels)
    np.testing.assert_array_equal(model.labels_, expected)
    assert model.n_noise_ == 0
    named = Ensemble.from_labels(labels, obs=list("abcdefgh"))
    with pytest.warns(UserWarning, match="id d, h"):
        found = model.set_params(noise="assign").fit(named)
    np.testing.assert_array_equal(found.labels_, expected)


def test_memberships_are_shares(method):
    labels = np.vstack([BY_HAND, [[0, 0, 1]]])
    model = make(method, 2).fit(labels)
    assert model.memberships_.shape == (10, 2)
    np.testing.assert_allclose(model.memberships_.sum(axis=1), model.labels_ >= 0)
    own = model.labels_[:6]
    np.testing.assert_array_equal(model.memberships_[np.arange(6), own] > 0.8, True)
    assert 0.1 < model.memberships_[9, 1] < 0.9


def test_memberships_by_hand():
    """The third object is with both others of its cluster in one of two members."""
    labels = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1]])
    model = EAC(2).fit(labels)
    np.testing.assert_array_equal(model.labels_, [0, 0, 0, 1, 1])
    np.testing.assert_allclose(
        model.memberships_, [[1, 0], [1, 0], [0.5, 0.5], [1 / 7, 6 / 7], [1 / 7, 6 / 7]]
    )


@pytest.mark.parametrize("method", [EAC, LWMC, MCLA])
def test_before_fit_there_is_nothing(method):
    for name in ("confidence_", "memberships_", "stability_"):
        with pytest.raises(NotFittedError):
            getattr(method(), name)


@pytest.mark.parametrize("noise", ["keep", "assign"])
@pytest.mark.parametrize("method", [LWGP, LWMC, MCLA], ids=lambda m: m.__name__)
def test_blocks(method, noise):
    rng = np.random.default_rng(0)
    labels = np.repeat(rng.integers(0, 3, 60)[:, None], 5, axis=1)
    labels[rng.random(labels.shape) < 0.35] = NOISE
    labels[rng.random(labels.shape) < 0.1] = MISSING
    labels[0], labels[30] = MISSING, NOISE
    with pytest.warns(UserWarning, match="row 1"):
        expected = method(3, noise=noise, random_state=0).fit(labels)
    assert expected.n_noise_ > 0
    for sizes in ([60], [1, 29, 1, 29]):
        with pytest.warns(UserWarning, match="row 1"):
            found = method(3, noise=noise, random_state=0).fit(Rows.from_array(labels, sizes))
        np.testing.assert_array_equal(found.labels_, expected.labels_)
        np.testing.assert_array_equal(found.confidence_, expected.confidence_)
        np.testing.assert_array_equal(found.memberships_, expected.memberships_)
        assert found.n_noise_ == expected.n_noise_


class TestHDBSCAN:
    """Members that differ in their parameters; each finds two or three clusters and noise."""

    @staticmethod
    def members(X):
        sizes = product((10, 15, 20), (5, 8, 12))
        return np.column_stack(
            [HDBSCAN(size, min_samples=s, copy=True).fit_predict(X) for size, s in sizes]
        )

    def test_moons(self):
        X, y = make_moons(600, noise=0.11, random_state=0)
        result = consens.combine(self.members(X).T.tolist())
        assert result.n_clusters_ == 2
        assert 0 < result.n_noise_ < 60
        # as many members put one object in one moon as in the other: rounding decides
        inside = (result.labels_ >= 0) & (result.confidence_ > 0.51)
        assert np.sum(result.labels_ >= 0) - inside.sum() <= 1
        assert ari(result.labels_[inside], y[inside]) == 1

    def test_blobs_in_background_noise(self):
        X, y = make_blobs(400, centers=3, cluster_std=0.5, random_state=1)
        rng = np.random.default_rng(0)
        X = np.vstack([X, rng.uniform(X.min(axis=0) - 3, X.max(axis=0) + 3, (120, 2))])
        result = consens.combine(self.members(X).T.tolist())
        assert result.n_clusters_ == 3
        assert (result.labels_[400:] == NOISE).mean() > 0.6
        assert (result.labels_[:400] == NOISE).mean() < 0.02
        inside = result.labels_[:400] >= 0
        assert ari(result.labels_[:400][inside], y[inside]) == 1

    def test_wine(self):
        X = scale(load_wine().data)
        for method in (EAC(), EAC(2), consensus.LWEA(2), consensus.Voting(2)):
            model = method.fit(self.members(X))
            assert model.n_clusters_ == 2
            assert 50 < model.n_noise_ < 90
            assert np.bincount(model.labels_[model.labels_ >= 0]).min() > 20

    def test_the_front_door(self):
        X, _ = make_moons(300, noise=0.1, random_state=0)
        generator = EstimatorEnsemble(
            [HDBSCAN(size, min_samples=5, copy=True) for size in (10, 15, 20)]
        )
        model = ConsensusClustering(2, generator=generator, consensus=EAC(), random_state=0).fit(X)
        assert model.n_noise_ == (model.labels_ == NOISE).sum() > 0
        assert model.memberships_.shape == (300, 2)
        # members label new rows by their neighbours, and so call fewer of them noise
        proba, labels = model.predict_proba(X), model.predict(X)
        np.testing.assert_allclose(proba.sum(axis=1), labels >= 0)
        inside = labels >= 0
        np.testing.assert_array_equal(proba.argmax(axis=1)[inside], labels[inside])
        model.set_params(noise="assign").fit(X)
        assert model.n_noise_ < 20


def test_confidence_of_noise_only():
    labels = np.array([[0, 0], [1, 1], [1, 1]])
    np.testing.assert_array_equal(object_confidence(labels, [NOISE] * 3), 0)
    assert cluster_confidence(labels, [NOISE] * 3).shape == (0,)


class TestBadInput:
    def test_another_word(self):
        with pytest.raises(ValueError, match="'noise' parameter of EAC"):
            EAC(2, noise="drop").fit(BY_HAND)

    def test_everything_is_noise_for_most(self):
        labels = np.array([[0, NOISE, NOISE], [0, NOISE, NOISE], [NOISE, 0, NOISE]])
        with pytest.raises(ValueError, match="most partitions call every object noise"):
            EAC(1).fit(labels)
        model = EAC(1, noise="assign").fit(labels)
        assert model.n_clusters_ == 1

    def test_more_clusters_than_objects_that_are_not_noise(self):
        with pytest.raises(ValueError, match="n_clusters=7 is more than the 5 distinct objects"):
            EAC(7).fit(BY_HAND)
