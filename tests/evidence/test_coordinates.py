"""Relative coordinates and their similarities: by hand, by plain loops, and in their limits."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_iris, make_blobs

from consens import MISSING, NOISE, Ensemble
from consens import _blocks as blocks
from consens._support import memory
from consens.consensus import WSPA
from consens.evidence import coassociation
from consens.evidence.coordinates import (
    relative_coordinates,
    unit_coordinates,
    weighted_coassociation,
)
from consens.generate import KMeansEnsemble, LACEnsemble
from consens.measure import error_rate


@pytest.fixture(scope="module")
def lac():
    X = make_blobs(60, centers=3, n_features=4, random_state=0)[0]
    return LACEnsemble((2, 4), inverse_h=range(1, 6), random_state=0).fit_transform(X)


def crisp(labels):
    """An ensemble that is certain of its labels."""
    payload = []
    for column in labels.T:
        eye = np.eye(max(column.max() + 1, 1))
        payload.append({"memberships": np.where(column[:, None] >= 0, eye[column], 0)})
    return Ensemble(labels, payload=payload)


def slow_coordinates(entries, smoothing=1.0):
    """Eq. 6, one object and one cluster after the other."""
    X, centers, weights = entries["features"], entries["centers"], entries["weights"]
    P = np.zeros((len(X), len(centers)))
    for i, x in enumerate(X):
        d = [np.sqrt((w * (x - c) ** 2).sum()) for c, w in zip(centers, weights, strict=True)]
        k, far = len(d), max(d)
        for j in range(k):
            P[i, j] = (far - d[j] + smoothing) / (k * far + k * smoothing - sum(d))
    return P


def scaled_by(lac, factor):
    """The same members of features in another unit; weights do not know of it."""
    payload = [
        {name: value * factor if name != "weights" else value for name, value in entries.items()}
        for entries in lac.payload
    ]
    return Ensemble(lac.labels, payload=payload)


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_by_default_the_unit_of_the_features_does_not_matter(lac, factor):
    for own, other in zip(
        relative_coordinates(lac), relative_coordinates(scaled_by(lac, factor)), strict=True
    ):
        np.testing.assert_allclose(own, other, rtol=1e-9)
    assert np.ptp(relative_coordinates(scaled_by(lac, 1e-6), 1)[0]) < 1e-5


def test_the_default_adds_the_mean_distance_between_centers(lac):
    for own, entries in zip(relative_coordinates(lac), lac.payload, strict=True):
        centers, weights = entries["centers"], entries["weights"]
        between = [
            np.sqrt((w * (b - a) ** 2).sum())
            for i, (a, w) in enumerate(zip(centers, weights, strict=True))
            for j, b in enumerate(centers)
            if i != j
        ]
        np.testing.assert_allclose(own, slow_coordinates(entries, np.mean(between)), rtol=1e-9)


def test_a_member_of_one_cluster_is_certain():
    entries = {"features": np.eye(2), "centers": np.zeros((1, 2)), "weights": np.full((1, 2), 0.5)}
    E = Ensemble(np.zeros((2, 1), dtype=int), payload=[entries])
    np.testing.assert_array_equal(relative_coordinates(E)[0], 1)


def divergence(p, q):
    """Eq. 9."""
    return ((p * np.log2(p / q)).sum() + (q * np.log2(q / p)).sum()) / 2


class TestByHand:
    """One member: centres (0, 0) and (3, 4), weights (½, ½) and (1, 0), objects (0, 0), (3, 0)."""

    entries = {  # noqa: RUF012
        "features": np.array([[0.0, 0.0], [3.0, 0.0]]),
        "centers": np.array([[0.0, 0.0], [3.0, 4.0]]),
        "weights": np.array([[0.5, 0.5], [1.0, 0.0]]),
    }
    ensemble = Ensemble(np.array([[0], [1]]), payload=[entries])

    def test_coordinates(self):
        # distances: (0, 3) and (3 / √2, 0)
        d = 3 / np.sqrt(2)
        expected = [[4 / 5, 1 / 5], [1 / (2 + d), (d + 1) / (2 + d)]]
        np.testing.assert_allclose(relative_coordinates(self.ensemble, 1)[0], expected)

    def test_smoothing_replaces_the_1(self):
        expected = [3.5 / 4, 0.5 / 4]
        np.testing.assert_allclose(relative_coordinates(self.ensemble, 0.5)[0][0], expected)

    def test_cosine(self):
        first, second = relative_coordinates(self.ensemble, 1)[0]
        cosine = first @ second / np.linalg.norm(first) / np.linalg.norm(second)
        np.testing.assert_allclose(
            weighted_coassociation(self.ensemble, smoothing=1), [[1, cosine], [cosine, 1]]
        )

    def test_divergence(self):
        soft = np.array([[0.5, 0.5], [0.25, 0.75], [0.75, 0.25]])
        E = Ensemble(np.array([[0], [1], [0]]), payload=[{"memberships": soft}])
        # ½ [½ log ½/¼ + ½ log ½/¾ + ¼ log ¼/½ + ¾ log ¾/½] = ⅛ log₂ 3; the last pair
        # differs by ½ [¼ log ⅓ + ¾ log 3] + the same = ½ log₂ 3, the largest
        near = 1 - (1 / 8) / (1 / 2)
        expected = [[1, near, near], [near, 1, 0], [near, 0, 1]]
        np.testing.assert_allclose(weighted_coassociation(E, "kl"), expected, atol=1e-12)


def test_coordinates_equal_the_plain_loops(lac):
    for own, entries in zip(relative_coordinates(lac, 0.3), lac.payload, strict=True):
        np.testing.assert_allclose(own, slow_coordinates(entries, 0.3), rtol=1e-12)


def test_coordinates_sum_to_1_are_positive_and_largest_for_the_own_cluster(lac):
    for own, column in zip(relative_coordinates(lac), lac.labels.T, strict=True):
        np.testing.assert_allclose(own.sum(axis=1), 1)
        assert (own > 0).all()
        np.testing.assert_array_equal(own.argmax(axis=1), column)


@pytest.mark.parametrize("block_bytes", [blocks.BLOCK_BYTES, 2000])
@pytest.mark.parametrize("similarity", ["cosine", "kl"])
def test_similarities_equal_the_plain_loops(lac, similarity, block_bytes, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", block_bytes)
    n = len(lac)
    expected = np.zeros((n, n))
    for P in relative_coordinates(lac):
        table = np.zeros((n, n))
        for i in range(n):
            for j in range(n):
                if similarity == "cosine":
                    table[i, j] = P[i] @ P[j] / np.linalg.norm(P[i]) / np.linalg.norm(P[j])
                else:
                    table[i, j] = divergence(P[i], P[j])
        expected += (table if similarity == "cosine" else 1 - table / table.max()) / lac.shape[1]
    np.testing.assert_allclose(weighted_coassociation(lac, similarity), expected, atol=1e-12)


def test_similarity_is_a_product(lac):
    Q = unit_coordinates(lac)
    np.testing.assert_allclose(Q @ Q.T / lac.shape[1], weighted_coassociation(lac), atol=1e-12)


def test_certain_memberships_give_the_coassociation():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, (20, 5))
    labels[rng.random(labels.shape) < 0.1] = MISSING
    labels[rng.random(labels.shape) < 0.1] = NOISE
    np.testing.assert_allclose(
        weighted_coassociation(crisp(labels)), coassociation(labels), atol=1e-12
    )


@pytest.mark.parametrize("similarity", ["cosine", "kl"])
def test_missing_objects_are_left_out_and_noise_is_like_nothing(lac, similarity):
    labels = lac.labels.copy()
    labels[0, 1] = MISSING
    labels[3, 2] = NOISE
    changed = Ensemble(labels, payload=lac.payload)
    rest = weighted_coassociation(lac[:, [0, 2, 3, 4]], similarity)
    result = weighted_coassociation(changed, similarity)
    others = np.setdiff1d(np.arange(len(lac)), [0, 3])
    if similarity == "cosine":  # the largest divergence of a member may be that of object 0
        np.testing.assert_allclose(result[0, others], rest[0, others])
    without = weighted_coassociation(lac[:, [0, 1, 3, 4]], similarity)
    np.testing.assert_allclose(result[3, others], without[3, others] * 4 / 5)
    assert (np.diag(result) == 1).all()


def test_centers_without_weights_weigh_all_features_alike():
    X = make_blobs(30, centers=2, random_state=0)[0]
    kmeans = KMeansEnsemble(1, n_clusters=2, random_state=0).fit_transform(X)
    entries = {"features": X, "centers": kmeans.payload[0]["centers"]}
    plain = Ensemble(kmeans.labels, payload=[entries])
    weighed = Ensemble(kmeans.labels, payload=[entries | {"weights": np.full((2, 2), 0.5)}])
    np.testing.assert_array_equal(relative_coordinates(plain)[0], relative_coordinates(weighed)[0])


def test_sparse_features(lac):
    payload = [{**e, "features": csr_array(e["features"])} for e in lac.payload]
    sparse = Ensemble(lac.labels, payload=payload)
    np.testing.assert_allclose(unit_coordinates(sparse), unit_coordinates(lac), rtol=1e-9)


def test_equal_coordinates_are_equally_similar():
    soft = np.full((3, 2), 0.5)
    E = Ensemble(np.zeros((3, 1)), payload=[{"memberships": soft}])
    np.testing.assert_array_equal(weighted_coassociation(E, "kl"), 1)


class TestRefusals:
    def test_labels_alone(self):
        with pytest.raises(ValueError, match="member 0 holds no centers and no features"):
            relative_coordinates(Ensemble(np.zeros((4, 2), dtype=int)))

    def test_centers_without_data(self):
        X = make_blobs(30, centers=2, random_state=0)[0]
        E = KMeansEnsemble(2, n_clusters=2, random_state=0).fit_transform(X)
        with pytest.raises(ValueError, match="member 0 holds no features in its payload"):
            relative_coordinates(E)

    def test_memberships_of_other_objects(self):
        E = Ensemble(np.zeros((4, 1), dtype=int), payload=[{"memberships": np.ones((3, 2))}])
        with pytest.raises(ValueError, match="expected one row .* for each of 4 objects"):
            relative_coordinates(E)

    def test_certain_memberships_have_no_divergence(self):
        with pytest.raises(ValueError, match="use similarity='cosine'"):
            weighted_coassociation(crisp(np.array([[0], [1], [1]])), "kl")

    def test_more_objects_than_fit(self, lac, monkeypatch):
        monkeypatch.setattr(memory, "available_memory", lambda: 1000.0)
        with pytest.raises(MemoryError, match="60 x 60 matrix of similarities"):
            weighted_coassociation(lac)


def test_similarities_by_divergence_are_symmetric_to_the_last_bit():
    X = load_iris().data
    members = LACEnsemble(3, inverse_h=range(1, 30), random_state=0)
    E = members.fit_transform((X - X.min(axis=0)) / np.ptp(X, axis=0))
    similar = weighted_coassociation(E, "kl")
    np.testing.assert_array_equal(similar, similar.T)
    labels = WSPA(3, similarity="kl", partitioner="metis", random_state=0).fit_predict(E)
    assert error_rate(load_iris().target, labels) < 0.15
