"""WSPA: similarities of relative coordinates, cut by METIS or by eigenvectors."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.mixture import GaussianMixture

from consens import ConsensusClustering, Ensemble, combine
from consens._support import memory
from consens.consensus import CSPA, WSPA
from consens.evidence.coordinates import weighted_coassociation
from consens.generate import KMeansEnsemble, LACEnsemble
from consens.measure import ari, error_rate
from consens.partition import metis, spectral_cut
from studies._datasets import make_three_gaussians


@pytest.fixture(scope="module")
def gaussians():
    """Three-Gaussian as in the paper, with a third of its values of h."""
    X, y = make_three_gaussians(random_state=0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X, y, LACEnsemble(3, inverse_h=range(1, 51, 3), random_state=0).fit_transform(X)


@pytest.mark.parametrize("similarity", ["cosine", "kl"])
def test_it_is_evidence_and_partitioner(gaussians, similarity):
    E = gaussians[2][::3, ::4]
    graph = weighted_coassociation(E, similarity)
    by_metis = WSPA(
        3, similarity=similarity, partitioner="metis", imbalance=0.01, random_state=0
    ).fit_predict(E)
    by_eigenvectors = WSPA(
        3, similarity=similarity, partitioner="spectral", random_state=0
    ).fit_predict(E)
    assert ari(by_metis, metis(graph, 3, imbalance=0.01)) > 0.97
    assert ari(by_eigenvectors, spectral_cut(graph, 3)) > 0.97


@pytest.mark.parametrize(
    ("similarity", "partitioner", "highest"),
    [("cosine", "metis", 0.006), ("kl", "metis", 0.006), ("cosine", "spectral", 0.03)],
)
def test_three_gaussians_of_the_paper(gaussians, similarity, partitioner, highest):
    """Table IV: 0 % by METIS, 2.2 % by eigenvectors; both similarities "gave similar results"."""
    _X, y, E = gaussians
    E = E if similarity == "cosine" else E[:, ::3]
    wspa = WSPA(3, similarity=similarity, partitioner=partitioner, imbalance=0.001, random_state=0)
    assert error_rate(y, wspa.fit_predict(E)) <= highest


def test_parts_are_as_even_as_asked(gaussians):
    E = gaussians[2]
    sizes = np.bincount(
        WSPA(3, partitioner="metis", imbalance=0.001, random_state=0).fit_predict(E)
    )
    assert sizes.max() <= 302  # one more at each of two bisections


def test_certain_memberships_are_votes():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.repeat([0, 1, 2], 10)[:, None], 7, axis=1)
    wrong = rng.random(labels.shape) < 0.2
    labels[wrong] = rng.integers(0, 3, wrong.sum())
    payload = [{"memberships": np.eye(3)[column]} for column in labels.T]
    certain = Ensemble(labels, payload=payload)
    for partitioner in ("metis", "spectral"):
        np.testing.assert_array_equal(
            WSPA(3, partitioner=partitioner, imbalance=0.25, random_state=0).fit_predict(certain),
            CSPA(3, partitioner=partitioner, random_state=0).fit_predict(labels),
        )


def test_soft_clusterings_of_any_kind():
    X, y = make_blobs(90, centers=3, random_state=3)
    mixtures = [GaussianMixture(k, random_state=k).fit(X) for k in (3, 4, 5)]
    E = Ensemble(
        np.column_stack([mixture.predict(X) for mixture in mixtures]),
        payload=[{"memberships": mixture.predict_proba(X)} for mixture in mixtures],
    )
    assert ari(WSPA(3, random_state=0).fit_predict(E), y) == 1


def test_behind_the_front_door(gaussians):
    X, y, _E = gaussians
    model = ConsensusClustering(
        3,
        generator=LACEnsemble(3, inverse_h=range(1, 51, 5)),
        consensus=WSPA(),
        random_state=0,
    )
    assert error_rate(y, model.fit_predict(X)) <= 0.03
    np.testing.assert_array_equal(model.predict(X[:5]), model.labels_[:5])


class TestRefusals:
    def test_labels_alone(self):
        with pytest.raises(ValueError, match="make the ensemble with consens.generate.LACEns"):
            combine([[0, 0, 1, 1], [0, 1, 1, 1]], "wspa", n_clusters=2)

    def test_members_without_data(self):
        X = make_blobs(30, centers=3, random_state=0)[0]
        E = KMeansEnsemble(5, random_state=0).fit_transform(X)
        with pytest.raises(ValueError, match="member 0 holds no features"):
            WSPA(2).fit(E)

    def test_more_objects_than_metis_can_hold(self, gaussians, monkeypatch):
        monkeypatch.setattr(memory, "available_memory", lambda: 1e6)
        with pytest.raises(MemoryError, match="use partitioner='spectral'"):
            WSPA(3, partitioner="metis").fit(gaussians[2])
        WSPA(3, random_state=0).fit(gaussians[2])
