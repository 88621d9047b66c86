"""Gaussian boundaries: when they take over from the members, and that everything follows them."""

import pickle  # noqa: TID251 - estimators must survive it; no file of ours is read by it

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import consens
from consens import ConsensusClustering
from consens._blocks import Rows
from consens._boundaries import best_covariance, draw_boundaries, halve_clusters
from consens.datasets import make_rings
from consens.generate.mixtures import (
    COVARIANCES,
    REGULARIZATION,
    maximize_likelihood,
    n_parameters,
)
from consens.measure import ari


@pytest.fixture(autouse=True)
def _defaults(defaults_of_users):
    with defaults_of_users():
        yield


def overlapping(n=240, k=4, d=3, seed=0, spread=1.6):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return 4 * rng.normal(size=(k, d))[y] + spread * rng.normal(size=(n, d)), y


#: Two clusters that one covariance describes, and simpler ones do not.
DRAWN = {
    "ball": lambda z, y: 1.5 * z,
    "spherical": lambda z, y: z * np.where(y, 3.0, 0.5)[:, None],
    "diag": lambda z, y: z * np.where(y[:, None], [3.0, 0.4, 1.0], [0.4, 3.0, 1.0]),
    "tied": lambda z, y: z @ np.array([[2.0, 1.8, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.7]]),
    "full": lambda z, y: np.where(
        y[:, None],
        z @ [[2, 1.8, 0], [0, 0.4, 0], [0, 0, 1]],
        z @ [[2, -1.8, 0], [0, 0.4, 0], [0, 0, 1]],
    ),
}


def drawn(covariance, n=600, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(np.int32)
    X = DRAWN[covariance](rng.normal(size=(n, 3)), y)
    X[:, 2] += 6 * y
    return X - X.mean(axis=0), y


def plain_em(X, labels, k, covariance, steps):
    """EM with loops over objects and components, by the textbook."""
    d = X.shape[1]
    least = REGULARIZATION * X.var(axis=0).mean() * np.eye(d)
    shares = np.eye(k)[labels]
    for _ in range(steps):
        weights = shares.mean(axis=0)
        means = [np.average(X, axis=0, weights=shares[:, j]) for j in range(k)]
        own = []
        for j in range(k):
            away = X - means[j]
            own.append(np.average([np.outer(z, z) for z in away], axis=0, weights=shares[:, j]))
        own = [matrix + least for matrix in own]
        if covariance == "tied":
            own = [sum(w * matrix for w, matrix in zip(weights, own, strict=True))] * k
        if covariance in ("diag", "spherical", "ball"):
            own = [np.diag(np.diag(matrix)) for matrix in own]
        if covariance in ("spherical", "ball"):
            own = [np.trace(matrix) / d * np.eye(d) for matrix in own]
        if covariance == "ball":
            own = [sum(w * matrix for w, matrix in zip(weights, own, strict=True))] * k
        densities = np.column_stack(
            [
                w * multivariate_normal(m, c).pdf(X)
                for w, m, c in zip(weights, means, own, strict=True)
            ]
        )
        shares = densities / densities.sum(axis=1, keepdims=True)
    return densities.argmax(axis=1), float(np.log(densities.sum(axis=1)).sum())


@pytest.mark.parametrize("covariance", COVARIANCES)
class TestCovariances:
    def test_em_is_that_of_the_textbook(self, covariance):
        X, y = overlapping(80, k=3)
        X -= X.mean(axis=0)
        rough = np.where(np.arange(80) % 7 == 0, 0, y)
        for steps in (1, 3):
            found = maximize_likelihood(X, rough, 3, covariance, steps)
            labels, likelihood = plain_em(X, rough, 3, covariance, steps)
            assert found.likelihood == pytest.approx(likelihood, abs=1e-6)
            np.testing.assert_array_equal(found.model.label(X), labels)

    def test_the_covariance_that_drew_the_data_is_found(self, covariance):
        X, y = drawn(covariance)
        assert best_covariance(X, y, 2) == covariance

    def test_every_parameter_counts(self, covariance):
        free = {"ball": 1, "spherical": 4, "diag": 12, "tied": 6, "full": 24}
        assert n_parameters(covariance, 4, 3) == free[covariance] + 4 * 3 + 3


def test_more_than_one_gaussian_in_a_cluster_leaves_the_boundaries_to_the_members():
    X, y = overlapping(400, k=4, spread=0.5)
    assert best_covariance(X - X.mean(axis=0), y, 4) == "ball"
    assert best_covariance(X - X.mean(axis=0), y // 2, 2) is None


def test_clusters_are_halved_across_their_longest_axis():
    rows = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 0.0], [9.0, 1.0], [5.0, 50.0]])
    halved = halve_clusters(rows, np.array([0, 0, 0, 0, 1]))
    assert sorted(map(sorted, (halved[:2].tolist(), halved[2:4].tolist()))) == [[0, 0], [2, 2]]
    assert halved[4] == 1


def test_the_boundary_of_two_equal_balls_is_halfway():
    X = np.array([[-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0]])
    model = draw_boundaries(X, np.array([0, 0, 0, 1, 1, 1]), "ball")
    assert model.label(np.array([[-0.01], [0.01]])).tolist() == [0, 1]


def test_overlapping_gaussians_have_better_boundaries_than_by_members():
    X, y = overlapping(600, k=6, d=4, spread=1.9)
    model = ConsensusClustering(6, random_state=0).fit(X)
    members = ConsensusClustering(6, random_state=0, recipe="mixed").fit(X)
    assert model.boundaries_ == "ball"
    assert members.boundaries_ == "members"
    assert ari(y, model.labels_) > ari(y, members.labels_)


def test_blocks_have_the_boundaries_of_an_array():
    X, _ = overlapping(4000, k=4, d=4)
    whole = ConsensusClustering(4, random_state=0).fit(X)
    parts = ConsensusClustering(4, random_state=0).fit(Rows.from_array(X, [1500, 2500]))
    assert whole.boundaries_ == parts.boundaries_ == "ball"
    assert parts.labels_.dtype == whole.labels_.dtype
    np.testing.assert_array_equal(parts.labels_, whole.labels_)


def test_rings_keep_the_boundaries_of_the_members():
    X, y = make_rings(random_state=0)
    model = ConsensusClustering(3, random_state=0).fit(X)
    assert model.boundaries_ == "members"
    assert ari(y, model.labels_) == 1


class TestFittedModel:
    @pytest.fixture
    def X(self):
        return overlapping(spread=1.0)[0]

    @pytest.fixture
    def model(self, X):
        model = ConsensusClustering(4, random_state=0).fit(X)
        assert model.boundaries_ == "ball"
        return model

    def test_new_rows_go_to_the_likeliest_cluster(self, X, model):
        np.testing.assert_array_equal(model.predict(X), model.labels_)
        shares = model.predict_proba(X)
        np.testing.assert_array_equal(shares.argmax(axis=1), model.labels_)
        np.testing.assert_allclose(shares.sum(axis=1), 1)

    def test_clusters_are_numbered_by_their_first_object(self, model):
        assert [np.flatnonzero(model.labels_ == c)[0] for c in range(4)] == sorted(
            np.flatnonzero(model.labels_ == c)[0] for c in range(4)
        )

    def test_files_and_copies_predict_the_same(self, X, model, tmp_path):
        consens.save(model, tmp_path / "model")
        again = consens.load(tmp_path / "model")
        np.testing.assert_array_equal(again.predict(X), model.labels_)
        copy = pickle.loads(pickle.dumps(model))  # noqa: S301
        np.testing.assert_array_equal(copy.predict(X), model.labels_)
        np.testing.assert_array_equal(copy.confidence_, model.confidence_)

    def test_names_of_an_earlier_model_stay(self, X, model):
        earlier = (model.labels_ + 1) % 4
        again = ConsensusClustering(4, random_state=0).fit(X, names_from=earlier)
        np.testing.assert_array_equal(again.labels_, earlier)
        np.testing.assert_array_equal(again.predict(X), earlier)

    def test_refits_have_such_boundaries_too(self, X, model):
        assert model.stability_.ari > 0.9
        sure = model.predict_proba(X).max(axis=1) > 0.99
        assert model.confidence_[sure].mean() > model.confidence_[~sure].mean()


def test_many_objects_are_labelled_by_the_gaussians():
    X, _ = overlapping(3600, k=5, d=2, spread=1.0)
    model = ConsensusClustering(5, random_state=0).fit(X)
    assert model.boundaries_ != "members"
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert len(model.confidence_) == len(X)


def test_boundaries_that_depend_on_the_members_are_left_to_them():
    # a mixture with many clusters for its objects ends elsewhere from the other half of the draws
    X, y = overlapping(240, k=12, d=4, spread=2.5)
    model = ConsensusClustering(12, random_state=0).fit(X)
    assert model.boundaries_ == "members"
    consensus, before = model.consensus_, model.labels_.copy()
    agreement = consensus.agreement_
    halves = iter([np.zeros(240, dtype=np.int32), y.astype(np.int32)])
    assert not consensus.take_boundaries(y, lambda labels, objects: next(halves), 0.98)
    np.testing.assert_array_equal(consensus.labels_, before)
    assert consensus.agreement_ == agreement
    same = y.astype(np.int32)
    assert consensus.take_boundaries(same, lambda labels, objects: same, 0.98)
    np.testing.assert_array_equal(consensus.labels_, same)
    assert consensus.agreement_ == 1
