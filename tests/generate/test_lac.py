"""Locally adaptive clustering: the first step by hand, its limits, and what it promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from consens._numerics.nearest import nearest
from consens.generate import LAC
from consens.generate.lac import (
    adapt,
    exponential_weights,
    regularized_error,
    starting_centers,
)
from consens.measure import error_rate
from studies._datasets import make_three_gaussians

# Two clusters: one upright at x = 0, one lying at y = 4.
CROSS = np.array([[0.0, 1], [0, 5], [0, 9], [9, 4], [12, 4], [15, 4]])


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(200, centers=4, n_features=3, random_state=0)[0]


def dispersion(X, labels, centers):
    """X_ji: mean squared deviation about the centre, cluster by cluster."""
    return np.array([((X[labels == j] - c) ** 2).mean(axis=0) for j, c in enumerate(centers)])


def slow_lac(X, centers, h, max_iter=100):
    """Eq. 4, assignment and Eq. 5 by turns, as the paper says, until nothing moves."""
    weights = np.full(centers.shape, 1 / X.shape[1])

    def assignment():
        return ((X[:, None] - centers) ** 2 * weights).sum(axis=2).argmin(axis=1)

    for _ in range(max_iter):
        before = centers, weights
        raw = np.exp(-dispersion(X, assignment(), centers) / h)
        weights = raw / raw.sum(axis=1, keepdims=True)
        labels = assignment()
        centers = np.array([X[labels == j].mean(axis=0) for j in range(len(centers))])
        if np.allclose(before[0], centers) and np.allclose(before[1], weights, rtol=1e-12):
            break
    return assignment(), centers, weights


class TestFirstStepByHand:
    """Centres (0, 1) and (15, 4): the assignment is the three left, three right, with weights ½
    and with those of the first step."""

    def first_step(self, h):
        return adapt(CROSS, CROSS[[0, 5]], h, max_iter=1)

    def test_weights_come_from_deviations_about_the_old_centers(self):
        # left:  x 0, 0, 0 about 0; y 1, 5, 9 about 1: (0 + 16 + 64) / 3
        # right: x 9, 12, 15 about 15: (36 + 9 + 0) / 3 = 15; y 4 about 4: 0
        h = 10.0
        left, right = np.exp([0, -80 / 30]), np.exp([-1.5, 0])
        expected = [left / left.sum(), right / right.sum()]
        np.testing.assert_allclose(self.first_step(h).weights, expected, rtol=1e-14)

    def test_centers_are_the_means(self):
        np.testing.assert_allclose(self.first_step(10.0).centers, [[0, 5], [12, 4]], atol=1e-14)


@pytest.mark.parametrize("h", [0.2, 1.0, 5.0])
def test_equals_the_plain_loops(blobs, h):
    start = starting_centers(blobs, 4, "farthest", seed=1)
    done = adapt(blobs, start, h, 100)
    labels, centers, weights = slow_lac(blobs, start, h)
    assert done.converged
    np.testing.assert_array_equal(done.labels, labels)
    np.testing.assert_allclose(done.centers, centers, rtol=1e-12)
    np.testing.assert_allclose(done.weights, weights, rtol=1e-9, atol=1e-15)


def test_sparse_data_give_the_same_clusters(blobs):
    X = np.where(np.abs(blobs) < 1, 0, blobs)
    dense, sparse = LAC(4, random_state=0).fit(X), LAC(4, random_state=0).fit(csr_array(X))
    np.testing.assert_array_equal(sparse.labels_, dense.labels_)
    np.testing.assert_allclose(sparse.feature_weights_, dense.feature_weights_, atol=1e-9)
    np.testing.assert_array_equal(sparse.predict(csr_array(X)), dense.labels_)


# ------------------------------------------------------------------------------- the weights


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10_000), h=st.floats(1e-3, 1e3), k=st.integers(1, 4))
def test_for_given_clusters_weights_and_centers_never_raise_the_error(seed, h, k):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(20, 3)) * [1, 5, 0.2], np.arange(20) % k
    centers, weights = rng.normal(size=(k, 3)), rng.dirichlet(np.ones(3), k)
    before = regularized_error(dispersion(X, labels, centers), weights, h)
    weights = exponential_weights(dispersion(X, labels, centers), h)
    weighed = regularized_error(dispersion(X, labels, centers), weights, h)
    means = np.array([X[labels == j].mean(axis=0) for j in range(k)])
    moved = regularized_error(dispersion(X, labels, means), weights, h)
    slack = 1e-9 * (1 + abs(before))
    assert weighed <= before + slack
    assert moved <= weighed + slack


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.floats(0, 1e9), min_size=2, max_size=6),
    st.floats(0, 1e6),
)
def test_weights_sum_to_1_and_fall_with_the_dispersion(values, h):
    [weights] = exponential_weights(np.array([values]), h)
    assert weights.sum() == pytest.approx(1)
    assert (np.diff(weights[np.argsort(values, kind="stable")]) <= 0).all()


def test_large_dispersions_do_not_underflow():
    # exp(-1000 / 0.5) is 0 in double precision
    weights = exponential_weights(np.array([[1000.0, 1000.5, 2000.0]]), 0.5)
    expected = np.array([1, np.exp(-1), 0])
    np.testing.assert_allclose(weights[0], expected / expected.sum(), rtol=1e-12)


def test_an_infinite_h_is_k_means_from_the_same_start(blobs):
    start = starting_centers(blobs, 4, "farthest", seed=3)
    lac = LAC(4, h=np.inf, init=start).fit(blobs)
    kmeans = KMeans(4, init=start, n_init=1, tol=0).fit(blobs)
    np.testing.assert_array_equal(lac.labels_, kmeans.labels_)
    np.testing.assert_allclose(lac.cluster_centers_, kmeans.cluster_centers_, rtol=1e-10)
    assert (lac.feature_weights_ == 1 / 3).all()


def test_a_large_h_comes_near_to_k_means(blobs):
    start = starting_centers(blobs, 4, "farthest", seed=3)
    almost = LAC(4, h=1e9, init=start).fit(blobs)
    np.testing.assert_array_equal(almost.labels_, LAC(4, h=np.inf, init=start).fit_predict(blobs))


def test_h_0_picks_the_feature_of_least_dispersion():
    lac = LAC(2, h=0, init=CROSS[[0, 5]]).fit(CROSS)
    np.testing.assert_array_equal(lac.labels_, [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(lac.feature_weights_, [[1, 0], [0, 1]])
    small = LAC(2, h=1e-3, init=CROSS[[0, 5]]).fit(CROSS)
    np.testing.assert_array_equal(small.feature_weights_, [[1, 0], [0, 1]])


def test_a_cluster_of_one_object_weighs_all_features_alike():
    X = np.vstack([CROSS[:3], [[50.0, 50.0]]])
    lac = LAC(2, h=0.1, random_state=0).fit(X)
    alone = lac.labels_[3]
    assert (lac.labels_ == alone).sum() == 1
    np.testing.assert_array_equal(lac.feature_weights_[alone], [0.5, 0.5])


def test_finds_clusters_that_k_means_cannot():
    """Two clouds that are long in different directions and cross in both."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal([0, 0], [0.1, 6], (200, 2)), rng.normal([5, 0], [3, 0.1], (200, 2))])
    y = np.repeat([0, 1], 200)
    assert error_rate(y, LAC(2, h=1.0, random_state=0).fit_predict(X)) < 0.05
    assert error_rate(y, KMeans(2, n_init=10, random_state=0).fit_predict(X)) > 0.15


# --------------------------------------------------------------------------- coming to rest


def test_at_rest_all_equations_hold(blobs):
    lac = LAC(4, h=0.7, random_state=0).fit(blobs)
    assert lac.converged_
    np.testing.assert_array_equal(lac.predict(blobs), lac.labels_)
    means = [blobs[lac.labels_ == j].mean(axis=0) for j in range(4)]
    np.testing.assert_allclose(lac.cluster_centers_, means, rtol=1e-12)
    spread = dispersion(blobs, lac.labels_, lac.cluster_centers_)
    np.testing.assert_allclose(lac.feature_weights_, exponential_weights(spread, 0.7), rtol=1e-9)
    error = (lac.feature_weights_ * (spread + 0.7 * np.log(lac.feature_weights_))).sum()
    assert lac.objective_ == pytest.approx(error)


def test_stopped_early_the_labels_still_belong_to_the_centers(blobs):
    lac = LAC(4, h=0.7, max_iter=1, random_state=0).fit(blobs)
    assert not lac.converged_
    assert lac.n_iter_ == 1
    np.testing.assert_array_equal(lac.predict(blobs), lac.labels_)


def test_a_cycle_ends_the_iterations():
    """The assignment minimises distances, not Eq. 3: here it leads back to an earlier state."""
    X = np.array([[3, 2], [2, 3], [1, 4], [1, 2], [0, 2], [3, 2], [2, 0], [2, 2]], dtype=float)
    done = adapt(X, X[:3], h=0.1, max_iter=100)
    assert not done.converged
    assert done.n_iter < 10
    np.testing.assert_array_equal(done.labels, nearest(X, done.centers, done.weights))


def test_an_emptied_cluster_keeps_its_center():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    start = np.array([[0.5], [10.5], [500.0]])
    lac = LAC(3, init=start).fit(X)
    np.testing.assert_array_equal(lac.labels_, [0, 0, 1, 1])
    np.testing.assert_array_equal(lac.cluster_centers_, start)


# ------------------------------------------------------------------------------------ starts


def is_farthest_first(X, centers):
    """Whether every centre but the first is as far from those before it as an object can be."""
    for j in range(1, len(centers)):
        reach = cdist(X, centers[:j]).min(axis=1)
        if cdist(centers[[j]], centers[:j]).min() < reach.max() * (1 - 1e-12):
            return False
    return True


def test_well_scattered_means_farthest_from_those_chosen(blobs):
    for seed in range(5):
        centers = starting_centers(blobs, 5, "farthest", seed)
        assert is_farthest_first(blobs, centers)
        # so that members with fewer clusters start well scattered as well
        assert is_farthest_first(blobs, centers[:3])
    assert not is_farthest_first(blobs, starting_centers(blobs, 5, "random", 0))


def test_the_first_object_of_a_start_is_drawn(blobs):
    firsts = {starting_centers(blobs, 3, "farthest", seed)[0].tobytes() for seed in range(20)}
    assert len(firsts) > 15


def test_random_starts_are_different_objects(blobs):
    centers = starting_centers(blobs, 200, "random", seed=0)
    np.testing.assert_array_equal(np.sort(centers[:, 0]), np.sort(blobs[:, 0]))


def test_the_same_seed_gives_the_same_clusters(blobs):
    first, second = (LAC(4, init="random", random_state=5).fit(blobs) for _ in range(2))
    np.testing.assert_array_equal(first.labels_, second.labels_)


def test_three_gaussians_of_the_paper():
    """Most values of h separate the clouds; the paper's best run has 1.3 % error."""
    X, y = make_three_gaussians(random_state=0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    errors = [
        error_rate(y, LAC(3, h=1 / i, random_state=1).fit_predict(X)) for i in range(1, 51, 7)
    ]
    assert min(errors) < 0.025


# --------------------------------------------------------------------------------- bad input


def test_more_clusters_than_distinct_objects():
    X = np.array([[0.0, 0], [0, 0], [1, 1], [1, 1], [1, 1]])
    with pytest.raises(ValueError, match="n_clusters=3 is more than the 2 distinct objects of X"):
        LAC(3, random_state=0).fit(X)
    with pytest.raises(ValueError, match="n_clusters=6 is more than the 5"):
        LAC(6, init="random", random_state=0).fit(X)


def test_start_of_the_wrong_shape(blobs):
    with pytest.raises(ValueError, match=r"expected finite centres of shape .* \(4, 3\)"):
        LAC(4, init=blobs[:3]).fit(blobs)


@pytest.mark.parametrize("value", [1j, np.nan, 1e200])
def test_given_centres_are_real_and_finite(blobs, value):
    with pytest.raises(ValueError, match="init must be"):
        LAC(4, init=blobs[:4] * value).fit(blobs)


@pytest.mark.parametrize(("name", "value"), [("h", -1.0), ("n_clusters", 0), ("init", "far")])
def test_impossible_parameters(blobs, name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of LAC"):
        LAC().set_params(**{name: value}).fit(blobs)
