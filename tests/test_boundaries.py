"""Gaussian boundaries: when they take over from the members, and that everything follows them."""

import pickle  # noqa: TID251 - estimators must survive it; no file of ours is read by it

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import consens
from consens import ConsensusClustering
from consens._blocks import Rows
from consens._boundaries import (
    LEAST_VARIANCE,
    N_FOLDS,
    best_covariance,
    draw_boundaries,
    find_boundaries,
    halve_clusters,
    held_out,
)
from consens.datasets import make_rings
from consens.generate.mixtures import (
    COVARIANCES,
    REGULARIZATION,
    maximize_likelihood,
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
        assert best_covariance(X, [y]) == covariance


def test_held_out_objects_are_predicted_by_fits_to_the_others():
    X, y = overlapping(100, k=2)
    X -= X.mean(axis=0)
    folds = np.random.default_rng(0).permutation(100) % N_FOLDS
    expected = 0.0
    for fold in range(N_FOLDS):
        seen, shares = folds != fold, np.eye(2)[y]
        inside = np.mean([(X[seen & (y == j)].var(axis=0)) for j in range(2)])
        likelihood = before = -np.inf
        while before == -np.inf or likelihood >= before + 1e-3:
            own, before = shares[seen], likelihood
            means = [np.average(X[seen], axis=0, weights=weights) for weights in own.T]
            away = np.column_stack([((X[seen] - mean) ** 2).mean(axis=1) for mean in means])
            variance = np.average(away, weights=own) + LEAST_VARIANCE * inside
            densities = np.column_stack(
                [
                    weight * multivariate_normal(mean, variance * np.eye(3)).pdf(X)
                    for weight, mean in zip(own.mean(axis=0), means, strict=True)
                ]
            )
            shares = densities / densities.sum(axis=1, keepdims=True)
            likelihood = np.log(densities[seen].sum(axis=1)).mean()
        expected += np.log(densities.sum(axis=1))[~seen].sum()
    constant = -0.5 * 3 * 100 * np.log(2 * np.pi)  # the same for all mixtures
    assert held_out(X, y, "ball") + constant == pytest.approx(expected)


def test_more_than_one_gaussian_in_a_cluster_leaves_the_boundaries_to_the_members():
    X, y = overlapping(400, k=4, spread=0.5)
    assert best_covariance(X - X.mean(axis=0), [y]) == "ball"
    assert best_covariance(X - X.mean(axis=0), [y // 2]) is None


def test_arms_of_spirals_are_not_gaussian():
    rng = np.random.default_rng(0)
    y, t = np.repeat([0, 1], 200), np.tile(np.linspace(1, 3, 200), 2)
    angle = 3 * t + np.pi * y
    X = np.column_stack([t * np.cos(angle), t * np.sin(angle)]) + rng.normal(0, 0.1, (400, 2))
    assert best_covariance(X - X.mean(axis=0), [y]) is None


def test_mixtures_of_four_times_the_size_compete(monkeypatch):
    X, y = overlapping(100, k=2)
    for best in (2, 4, 8):
        value = {2: 0.0, 4: -1.0, 8: -1.0} | {best: 1.0}
        monkeypatch.setattr(
            "consens._boundaries.held_out",
            lambda rows, labels, covariance, value=value: value[len(np.unique(labels))],
        )
        assert (best_covariance(X - X.mean(axis=0), [y]) is None) == (best > 2)


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
    X, _ = overlapping(3600, k=5, d=2, spread=0.7)
    model = ConsensusClustering(5, random_state=0).fit(X)
    assert model.boundaries_ != "members"
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert len(model.confidence_) == len(X)


def test_mixtures_that_depend_on_their_start_do_not_answer():
    X, y = overlapping(240, k=12, d=4, spread=2.5)
    rng = np.random.default_rng(0)
    rough = [rng.permutation(y) for _ in range(8)]
    assert find_boundaries(X, rough[:1], rough, 12, 0.9) is None
    found = find_boundaries(X, rough[:1], rough, 12, 0.0)
    assert found.agreement < 0.9
    clear, y = overlapping(600, k=3, spread=0.5)
    found = find_boundaries(clear, [y], [y] * 8, 3, 0.9)
    assert (found.covariance, found.agreement) == ("ball", 1.0)


def test_the_likeliest_of_all_starts_is_found():
    y = np.arange(300) % 3
    X = np.array([[0, 0], [9, 0], [0, 9]])[y] + np.random.default_rng(0).normal(size=(300, 2))
    merged = np.where(y == 2, 0, y)  # two clusters in one, and one in two
    merged[np.flatnonzero(y == 1)[::2]] = 2
    found = find_boundaries(X, [merged, y], [merged] * 8 + [y] * 8, 3, 0.9).refine(X, 3)
    assert ari(y, found.model.label(X)) > 0.95
    assert found.model.label(X)[0] == 0


def test_draws_with_other_numbers_of_clusters_are_no_starts():
    X, y = overlapping(60, k=3)
    assert find_boundaries(X, [y], [y] * 8, 4, 0.9) is None


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_clusters_may_be_points(covariance):
    y = np.arange(60) % 4
    X = np.random.default_rng(0).normal(size=(4, 3))[y] / 3  # means are rounded
    np.testing.assert_array_equal(draw_boundaries(X, y, covariance).label(X), y)


def test_a_single_start_is_not_found_again():
    X, y = overlapping(60, k=3, spread=0.5)
    assert find_boundaries(X, [y], [], 3, 0.9) is None
