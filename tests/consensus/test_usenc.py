"""The consensus of U-SENC, and the members that it takes by default."""

import numpy as np
from scipy.sparse import csr_array
from sklearn.datasets import load_digits

from consens import ConsensusClustering
from consens._labels import indicator
from consens.consensus import HBGF, USENC
from consens.evidence.bipartite import Bipartite
from consens.generate import LandmarkEnsemble
from consens.measure import ari, nmi
from consens.partition import bipartite_cut
from consens.partition.bipartite_cut import transfer_cut
from consens.partition.spectral import normalized_eigenvectors
from tests.consensus._plain import noisy_labels


def test_it_is_the_transfer_cut_of_the_indicator():
    labels = noisy_labels(0)
    found = USENC(3, random_state=0).fit(labels)
    cut = transfer_cut(indicator(labels).toarray(), 3)
    assert ari(found.labels_, cut.objects) == 1
    assert ari(found.cluster_labels_, cut.clusters) == 1
    np.testing.assert_array_equal(found.labels_, HBGF(3, random_state=0).fit_predict(labels))


def test_members_are_spectral_by_default():
    X, y = load_digits(return_X_y=True)
    X, y = X[::3], y[::3]
    model = ConsensusClustering(10, consensus=USENC(), random_state=0).fit(X)
    assert isinstance(model.generator_, LandmarkEnsemble)
    sizes = model.ensemble_.n_clusters
    assert len(sizes) == 20
    assert sizes.min() >= 20
    assert sizes.max() <= 60
    assert nmi(model.labels_, y) > 0.8


def test_eight_objects_worked_out_by_hand(monkeypatch):
    """Two members: A = {0123} and B = {4567}; C = {0}, D = {123456} and E = {7}.

    Every object has two clusters, so the product of the cut counts shared objects and halves them.
    Vectors on A, B, C, D, E solve product · v = σ² · sizes · v.  With (x, -x, y, 0, -y), A gives
    2 x + y / 2 = 4 σ² x and C gives (x + y) / 2 = σ² y: (σ² - 1/2)² = 1/16, so σ² is 3/4 with
    y = 2 x, or 1/4.  With (x, x, y, d, y), σ² is 1 (all alike), 1/2 (x = 0, y = -3 d) or 0.

    The cut into two takes the first vector, (1, 1, 1, 1, 1) / 4 with σ = 1, and the second,
    (1, -1, 2, 0, -2) / 4 with σ = √3 / 2; the products with the sizes and the squares add up to
    16 / 16.  An object has half the sum of its clusters, by σ: 1/4 and (1 + 2) / (4 √3) = √3 / 4
    for object 0, 1/4 and 1 / (4 √3) for 1, 2 and 3.  These are angles of 60 and 30 degrees, those
    of the other half -30 and -60.
    """
    labels = np.array([[0, 0], [0, 1], [0, 1], [0, 1], [1, 1], [1, 1], [1, 1], [1, 2]])
    rows = []

    def means(X, *given, **options):
        rows.append(X)
        return weighted_kmeans(X, *given, **options)

    weighted_kmeans = bipartite_cut.weighted_kmeans
    monkeypatch.setattr(bipartite_cut, "weighted_kmeans", means)
    found = USENC(2, random_state=0).fit(labels)
    np.testing.assert_array_equal(found.labels_, [0, 0, 0, 0, 1, 1, 1, 1])
    np.testing.assert_array_equal(found.cluster_labels_[[0, 1, 2, 4]], [0, 1, 0, 1])

    product = csr_array(Bipartite(found.ensemble_).gram()).toarray()
    shared = [[4, 0, 1, 3, 0], [0, 4, 0, 3, 1], [1, 0, 1, 0, 0], [3, 3, 0, 6, 0], [0, 1, 0, 0, 1]]
    np.testing.assert_allclose(2 * product, shared)
    values, _ = normalized_eigenvectors(csr_array(product), 4)
    np.testing.assert_allclose(values, [1, 3 / 4, 1 / 2, 1 / 4])
    angles = np.radians([60, 30, 30, 30, -30, -30, -30, -60])
    own = np.asarray(rows[-1])
    np.testing.assert_allclose(own @ own.T, np.cos(np.subtract.outer(angles, angles)), atol=1e-9)
