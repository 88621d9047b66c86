"""The consensus of U-SENC, and the members that it takes by default."""

import numpy as np
from sklearn.datasets import load_digits

from consens import ConsensusClustering
from consens._labels import indicator
from consens.consensus import HBGF, USENC
from consens.generate import LandmarkEnsemble
from consens.measure import ari, nmi
from consens.partition.bipartite_cut import transfer_cut
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
