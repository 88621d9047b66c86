"""U-SPEC: spectral clustering by landmarks, as a clusterer and as members."""

import numpy as np
import pytest
from sklearn.cluster import spectral_clustering
from sklearn.datasets import make_blobs, make_moons

from consens import ConsensusClustering
from consens.consensus import USENC
from consens.generate import USPEC, EstimatorEnsemble
from consens.generate.landmarks import embed_landmarks
from consens.measure import ari


def test_moons_stay_whole():
    X, y = make_moons(1000, noise=0.06, random_state=0)
    model = USPEC(2, n_landmarks=300, random_state=0).fit(X[:800])
    assert ari(model.labels_, y[:800]) == 1
    assert ari(model.predict(X[800:]), y[800:]) == 1
    np.testing.assert_array_equal(model.predict(X[:800]), model.labels_)


def test_the_embedding_is_that_of_the_normalised_cut():
    """The eigenvectors of the graph of landmarks solve the problem on all objects as well."""
    rng = np.random.default_rng(0)
    X, landmarks = rng.normal(size=(60, 2)), rng.normal(size=(12, 2))
    width, shares, places = embed_landmarks(X, landmarks, 3, 4, 0)
    squares = ((X[:, None] - landmarks) ** 2).sum(axis=2)
    near = np.argsort(squares, axis=1)[:, :4]
    sigma = np.sqrt(np.take_along_axis(squares, near, axis=1)).mean()
    assert width == pytest.approx(sigma)
    B = np.zeros((60, 12))
    np.put_along_axis(B, near, np.exp(-np.take_along_axis(squares, near, 1) / (2 * sigma**2)), 1)
    joint = np.block([[np.zeros((60, 60)), B], [B.T, np.zeros((12, 12))]])
    degrees = joint.sum(axis=1)
    vector = np.concatenate([shares @ places, places])
    for column in vector.T:  # B' D^-1 B v = λ D_z v
        product = joint @ column
        ratio = product[60:] / (degrees[60:] * column[60:])
        np.testing.assert_allclose(ratio, ratio[0], rtol=1e-6)


def test_few_objects_and_wrong_numbers():
    X = np.array([[0.0], [0.1], [5.0], [5.1]])
    assert ari(USPEC(2, random_state=0).fit_predict(X), [0, 0, 1, 1]) == 1
    with pytest.raises(ValueError, match="n_clusters=5 is more than the 4"):
        USPEC(5).fit(X)


def test_members_of_usenc():
    X, y = make_blobs(400, centers=4, random_state=1)
    members = EstimatorEnsemble(
        [USPEC(k, n_landmarks=100) for k in (8, 12, 16, 20)], n_estimators=8
    )
    model = ConsensusClustering(4, generator=members, consensus=USENC(), random_state=0).fit(X)
    assert ari(model.labels_, y) > 0.9


def test_all_objects_as_landmarks_give_spectral_clustering():
    X, _ = make_moons(200, noise=0.05, random_state=0)
    found = USPEC(2, n_landmarks=100, n_neighbors=8, random_state=0).fit_predict(X)
    squares = ((X[:, None] - X) ** 2).sum(axis=2)
    full = spectral_clustering(np.exp(-squares / (2 * 0.1**2)), n_clusters=2, random_state=0)
    assert ari(found, full) == 1
