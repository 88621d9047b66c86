"""WSBPA: weights of features per cluster, centres, and prediction by them."""

import pickle  # noqa: TID251 - estimators must survive it

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from consens import NOISE, Ensemble
from consens.consensus import WBPA, WSBPA
from consens.generate import KMeansEnsemble, LACEnsemble
from consens.measure import error_rate
from studies._datasets import make_three_gaussians


@pytest.fixture(scope="module")
def gaussians():
    """Three-Gaussian as in the paper, with a third of its values of h."""
    X, y = make_three_gaussians(random_state=0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X, y, LACEnsemble(3, inverse_h=range(1, 51, 3), random_state=0).fit_transform(X)


@pytest.fixture(scope="module", params=["metis", "spectral"])
def fitted(request, gaussians):
    return WSBPA(3, partitioner=request.param, imbalance=0.001, random_state=0).fit(gaussians[2])


class TestByHand:
    """Two members, four objects in two features; the graph falls into two halves."""

    X = np.array([[0.0, 0.0], [0.0, 2.0], [8.0, 8.0], [10.0, 8.0]])
    labels = np.array([[0, 1], [0, 1], [1, 0], [1, 0]])
    weights = (np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[0.4, 0.6], [0.7, 0.3]]))

    def fit(self, weights=weights, **params):
        payload = [
            {
                "features": self.X,
                "centers": np.array([self.X[column == j].mean(axis=0) for j in (0, 1)]),
                "weights": own,
            }
            for column, own in zip(self.labels.T, weights, strict=True)
        ]
        return WSBPA(2, random_state=0, **params).fit(Ensemble(self.labels, payload=payload))

    def test_weights_are_means_over_the_clusters_of_a_part(self):
        # part 0 holds cluster 0 of member 0 and cluster 1 of member 1
        np.testing.assert_allclose(self.fit().feature_weights_, [[0.8, 0.2], [0.3, 0.7]])

    def test_centers_are_means_over_the_objects_of_a_part(self):
        np.testing.assert_array_equal(self.fit().cluster_centers_, [[0, 1], [9, 8]])

    def test_objects_go_to_the_nearest_weighted_center(self):
        wsbpa = self.fit()
        np.testing.assert_array_equal(wsbpa.labels_, [0, 0, 1, 1])
        # (5, 0): 0.8·25 + 0.2·1 = 20.2 against 0.3·16 + 0.7·64 = 49.6;
        # (0, 7): 0.2·36 = 7.2 against 0.3·81 + 0.7 = 25; (6, 9): 41.6 against 3.4
        np.testing.assert_array_equal(wsbpa.predict([[5, 0], [0, 7], [6, 9]]), [0, 0, 1])

    def test_members_with_a_cluster_that_weighs_all_alike_are_left_out(self):
        degenerate = (self.weights[0], np.array([[0.5, 0.5], [0.7, 0.3]]))
        kept = self.fit(degenerate).feature_weights_
        np.testing.assert_array_equal(kept, self.weights[0])
        np.testing.assert_array_equal(self.fit(degenerate).cluster_labels_, [0, 1, -1, -1])
        everything = self.fit(degenerate, drop_degenerate=False).feature_weights_
        np.testing.assert_allclose(everything, [[0.8, 0.2], [0.35, 0.65]])

    def test_where_all_members_are_degenerate_none_is_left_out(self):
        alike = np.full((2, 2), 0.5)
        np.testing.assert_array_equal(self.fit((alike, alike)).feature_weights_, alike)


def test_members_with_a_tiny_cluster_are_left_out(gaussians):
    """Two objects far off say nothing about features: their member would spoil the means."""
    X, _y, E = gaussians
    column = np.zeros(len(X), dtype=np.int32)
    column[:4], column[4:450] = 1, 2  # 300 objects would be an even share, 15 are enough
    centers = np.array([X[column == j].mean(axis=0) for j in range(3)])
    weights = np.array([[0.3, 0.7], [0.01, 0.99], [0.2, 0.8]])
    tiny = Ensemble(
        column[:, None], payload=[{"features": X, "centers": centers, "weights": weights}]
    )
    expected = WSBPA(3, partitioner="spectral", random_state=0).fit(E)
    joined = WSBPA(3, partitioner="spectral", random_state=0).fit(np.hstack([E, tiny]))
    np.testing.assert_array_equal(joined.labels_, expected.labels_)
    np.testing.assert_array_equal(joined.feature_weights_, expected.feature_weights_)
    np.testing.assert_array_equal(joined.cluster_labels_[-3:], -1)
    kept = WSBPA(3, partitioner="spectral", drop_degenerate=False, random_state=0).fit(
        np.hstack([E, tiny])
    )
    assert not np.array_equal(kept.feature_weights_, expected.feature_weights_)


def test_three_gaussians_of_the_paper(fitted, gaussians):
    """Table IV: 1.3 % by METIS, 1.56 % by eigenvectors."""
    X, y, _E = gaussians
    assert error_rate(y, fitted.labels_) <= 0.02
    np.testing.assert_array_equal(fitted.predict(X), fitted.labels_)


def test_the_outer_clouds_are_told_by_the_first_feature(fitted, gaussians):
    """They are upright, the middle one lies: its variances are 6 and 2, theirs 1 and 9."""
    _X, y, _E = gaussians
    weights = fitted.feature_weights_
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    by_class = weights[[np.bincount(fitted.labels_[y == c]).argmax() for c in range(3)]]
    assert (by_class[[0, 2], 0] > 0.9).all()
    assert by_class[1, 0] < by_class[[0, 2], 0].min()


def test_parts_are_those_of_wbpa(gaussians):
    E = gaussians[2]
    wsbpa = WSBPA(3, partitioner="metis", imbalance=0.001, random_state=0).fit(E)
    wbpa = WBPA(3, partitioner="metis", imbalance=0.001, random_state=0).fit(E)
    names = wsbpa.partition_[np.unique(wbpa.labels_, return_index=True)[1]]
    np.testing.assert_array_equal(names[wbpa.labels_], wsbpa.partition_)
    np.testing.assert_array_equal(names[wbpa.cluster_labels_], wsbpa.cluster_labels_)


def test_centers_follow_the_numbers_of_the_clusters(gaussians):
    X, _y, E = gaussians
    backwards = np.arange(len(X))[::-1]
    wsbpa = WSBPA(3, partitioner="spectral", random_state=0).fit(E[backwards])
    np.testing.assert_array_equal(wsbpa.predict(X[backwards]), wsbpa.labels_)
    assert wsbpa.labels_[0] == 0
    for part in range(3):
        objects = X[backwards][wsbpa.partition_ == part]
        np.testing.assert_allclose(wsbpa.cluster_centers_[part], objects.mean(axis=0))


def test_noise_is_left_out(gaussians):
    X, _y, E = gaussians
    labels = E.labels.copy()
    labels[7] = NOISE
    wsbpa = WSBPA(3, partitioner="spectral", random_state=0).fit(
        Ensemble(labels, payload=E.payload)
    )
    assert wsbpa.labels_[7] == NOISE
    assert len(wsbpa.partition_) == len(X) - 1
    rest = np.delete(np.arange(len(X)), 7)
    np.testing.assert_array_equal(wsbpa.predict(X[rest]), wsbpa.labels_[rest])


def test_a_pipeline_predicts_from_data(gaussians):
    X, y, _E = gaussians
    generator = LACEnsemble(3, inverse_h=range(1, 51, 5), random_state=0)
    pipeline = make_pipeline(
        StandardScaler(), generator, WSBPA(3, partitioner="spectral", random_state=0)
    )
    labels = pipeline.fit_predict(X)
    assert error_rate(y, labels) <= 0.04
    np.testing.assert_array_equal(pipeline.predict(X), labels)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(pipeline)).predict(X), labels)  # noqa: S301


def test_sparse_data(gaussians):
    X, _y, _E = gaussians
    sparse = csr_array(np.where(np.abs(X) < 0.3, 0, X))
    generator = LACEnsemble(3, inverse_h=range(1, 6), random_state=0)
    wsbpa = WSBPA(3, partitioner="spectral", random_state=0).fit(generator.fit_transform(sparse))
    dense = WSBPA(3, partitioner="spectral", random_state=0).fit(
        generator.fit_transform(sparse.toarray())
    )
    np.testing.assert_array_equal(wsbpa.labels_, dense.labels_)
    np.testing.assert_allclose(wsbpa.feature_weights_, dense.feature_weights_, atol=1e-9)
    np.testing.assert_array_equal(wsbpa.predict(sparse), wsbpa.labels_)


class TestRefusals:
    def test_labels_alone(self):
        with pytest.raises(ValueError, match="member 0 holds no features and no centers"):
            WSBPA(2).fit(np.array([[0, 0], [0, 1], [1, 1]]))

    def test_memberships_alone(self):
        labels = np.array([[0], [0], [1]])
        payload = [{"memberships": np.eye(2)[labels[:, 0]]}]
        with pytest.raises(ValueError, match="member 0 holds no features and no centers"):
            WSBPA(2).fit(Ensemble(labels, payload=payload))

    def test_members_of_different_features(self, gaussians):
        X, _y, E = gaussians
        other = LACEnsemble(3, inverse_h=[1], random_state=0).fit_transform(X * 2)
        with pytest.raises(ValueError, match="member 17 clustered other features"):
            WSBPA(3).fit(np.hstack([E, other]))

    def test_members_without_data(self, gaussians):
        E = KMeansEnsemble(2, n_clusters=3, random_state=0).fit_transform(gaussians[0])
        with pytest.raises(ValueError, match="member 0 holds no features in its payload"):
            WSBPA(3).fit(E)

    def test_rows_of_other_features(self, fitted):
        with pytest.raises(ValueError, match="X has 3 features, but WSBPA is expecting 2"):
            fitted.predict(np.zeros((2, 3)))
