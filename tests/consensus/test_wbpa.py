"""WBPA: objects and clusters cut together by how far objects belong to clusters."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from consens import Ensemble
from consens._support import memory
from consens.consensus import HBGF, WBPA
from consens.evidence.coordinates import relative_coordinates
from consens.generate import LACEnsemble
from consens.measure import ari, error_rate
from consens.partition.bipartite_cut import transfer_cut
from studies._datasets import make_three_gaussians


@pytest.fixture(scope="module")
def gaussians():
    """Three-Gaussian as in the paper, with a third of its values of h."""
    X, y = make_three_gaussians(random_state=0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X, y, LACEnsemble(3, inverse_h=range(1, 51, 3), random_state=0).fit_transform(X)


@pytest.mark.parametrize("partitioner", ["metis", "spectral", "joint"])
def test_three_gaussians_of_the_paper(gaussians, partitioner):
    """Table IV: 0.44 % by METIS, 1.3 % by eigenvectors."""
    _X, y, E = gaussians
    wbpa = WBPA(3, partitioner=partitioner, imbalance=0.001, random_state=0).fit(E)
    assert error_rate(y, wbpa.labels_) <= (0.008 if partitioner == "metis" else 0.03)
    assert wbpa.cluster_labels_.shape == (51,)


@pytest.mark.parametrize("inverse_h", [[1, 2, 3, 4, 5], [4, 5, 6, 7, 8], [10, 20, 30, 40, 50]])
def test_few_members_do_not_collapse(gaussians, inverse_h):
    """With 15 cluster vertices METIS alone leaves parts without clusters, or one part only."""
    X, y, _E = gaussians
    E = LACEnsemble(3, inverse_h=inverse_h, random_state=0).fit_transform(X)
    wbpa = WBPA(3, partitioner="metis", imbalance=0.001, random_state=0).fit(E)
    assert set(wbpa.cluster_labels_) == {0, 1, 2}
    assert error_rate(y, wbpa.labels_) <= 0.08


def test_the_graph_is_all_coordinates_side_by_side(gaussians):
    E = gaussians[2]
    A = np.hstack(relative_coordinates(E))
    assert A.shape == (900, 51)
    wbpa = WBPA(3, partitioner="spectral", random_state=0).fit(E)
    assert ari(wbpa.labels_, transfer_cut(A, 3).objects) > 0.97


def test_joint_is_spectral_clustering_of_objects_and_clusters(gaussians):
    """The paper: eigenvectors of the graph E of all vertices, rows of length 1, k-means."""
    E = gaussians[2]
    A = np.hstack(relative_coordinates(E))
    whole = np.block([[np.zeros((900, 900)), A], [A.T, np.zeros((51, 51))]])
    degrees = whole.sum(axis=1)
    vectors = np.linalg.eigh(whole / np.sqrt(np.outer(degrees, degrees)))[1][:, -3:]
    rows = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    expected = KMeans(3, n_init=10, random_state=0).fit_predict(rows)
    wbpa = WBPA(3, partitioner="joint", random_state=0).fit(E)
    assert ari(wbpa.labels_, expected[:900]) > 0.98
    assert ari(wbpa.cluster_labels_, expected[900:]) > 0.98


def test_members_with_a_cluster_that_says_nothing_are_left_out(gaussians):
    X, _y, E = gaussians
    column = np.zeros(len(X), dtype=np.int32)
    column[0] = 1
    entries = {"features": X, "centers": X[[5, 0]], "weights": np.array([[0.3, 0.7], [0.5, 0.5]])}
    joined = np.hstack([E, Ensemble(column[:, None], payload=[entries])])
    expected = WBPA(3, random_state=0).fit(E)
    found = WBPA(3, random_state=0).fit(joined)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_array_equal(found.cluster_labels_, [*expected.cluster_labels_, -1, -1])
    kept = WBPA(3, drop_degenerate=False, random_state=0).fit(joined)
    assert (kept.cluster_labels_ >= 0).all()


def test_clusters_follow_their_objects(gaussians):
    E = gaussians[2]
    wbpa = WBPA(3, partitioner="metis", imbalance=0.01, random_state=0).fit(E)
    for own, part in zip(wbpa.cluster_labels_.reshape(17, 3), E.labels.T, strict=True):
        overlap = np.array([np.bincount(wbpa.labels_[part == j], minlength=3) for j in range(3)])
        assert (overlap.argmax(axis=1) == own).all()


def test_certain_memberships_are_the_graph_of_hbgf():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.repeat([0, 1, 2], 10)[:, None], 7, axis=1)
    wrong = rng.random(labels.shape) < 0.2
    labels[wrong] = rng.integers(0, 3, wrong.sum())
    payload = [{"memberships": np.eye(3)[column]} for column in labels.T]
    for partitioner in ("metis", "spectral"):
        np.testing.assert_array_equal(
            WBPA(3, partitioner=partitioner, imbalance=0.25, random_state=0).fit_predict(
                Ensemble(labels, payload=payload)
            ),
            HBGF(3, partitioner=partitioner, random_state=0).fit_predict(labels),
        )


def test_members_may_have_different_numbers_of_clusters(gaussians):
    X, y, _E = gaussians
    E = LACEnsemble((3, 5), inverse_h=range(1, 51, 3), random_state=0).fit_transform(X)
    wbpa = WBPA(3, partitioner="spectral", random_state=0).fit(E)
    assert len(wbpa.cluster_labels_) == E.n_clusters.sum()
    assert error_rate(y, wbpa.labels_) <= 0.05


def test_refusals(gaussians, monkeypatch):
    with pytest.raises(ValueError, match="make the ensemble with consens.generate.LACEnsemble"):
        WBPA(2).fit(np.array([[0, 0], [0, 1], [1, 1]]))
    monkeypatch.setattr(memory, "available_memory", lambda: 1e5)
    with pytest.raises(MemoryError, match="graph of 900 objects and 51 clusters"):
        WBPA(3).fit(gaussians[2])
