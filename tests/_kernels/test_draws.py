"""Kernels of a draw against the plain methods that they replace."""

import numpy as np
import pytest

from consens import Ensemble
from consens._kernels.contingency import encode
from consens._kernels.draws import assign, cut_merges, mutual_ari, weighted_merges
from consens._labels import cluster_shares, likeliest_cluster, profiles
from consens.consensus import LWEA
from consens.measure import ari


def members(seed, n=60, n_members=12, missing=0.0, noise=0.0):
    """Noisy copies of three groups, with gaps and noise."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    copies = np.where(rng.random((n, n_members)) < 0.3, rng.integers(0, 5, (n, n_members)), 0)
    labels = (truth[:, None] + copies) % 5
    labels[rng.random(labels.shape) < missing] = -2
    labels[rng.random(labels.shape) < noise] = -1
    return Ensemble.from_labels(labels.astype(np.int32))


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(5))
def test_merges_are_those_of_lwea(seed, missing):
    E = members(seed, missing=missing)
    encoded = encode(E.matrix, E.n_clusters, noise=True)
    merges = weighted_merges(encoded.codes, encoded.widths, 0.25)
    for k in (2, 3, 6):
        assert ari(cut_merges(*merges, k), LWEA(k, theta=0.25).fit_predict(E)) == pytest.approx(1)


def test_a_cut_numbers_groups_by_their_first_object():
    first, second = np.array([1, 0, 0]), np.array([3, 2, 1])
    assert cut_merges(first, second, 4).tolist() == [0, 1, 2, 3]
    assert cut_merges(first, second, 2).tolist() == [0, 1, 0, 1]
    assert cut_merges(first, second, 1).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(("missing", "noise"), [(0.0, 0.0), (0.3, 0.0), (0.2, 0.2)])
def test_objects_go_to_their_likeliest_group(missing, noise):
    E = members(1, missing=missing, noise=noise)
    drawn, partition = np.arange(0, 60, 2), np.arange(30, dtype=np.int32) % 3
    encoded = encode(E.matrix, E.n_clusters, noise=True)
    found = assign(encoded.codes.take(drawn, axis=1), partition, 3, encoded.codes, encoded.widths)
    spread = profiles(E.matrix[drawn], partition, 3)
    np.testing.assert_array_equal(found, likeliest_cluster(E.matrix, spread))


def test_a_label_stands_for_clusters_in_proportion_to_their_shares():
    # 1 of 2 objects of cluster 0 and 1 of 4 objects of cluster 1 carry label 0: 2 to 1
    labels = np.array([[0], [1], [0], [1], [1], [1]])
    spread = profiles(labels, np.array([0, 0, 1, 1, 1, 1]))
    np.testing.assert_allclose(
        cluster_shares(np.array([[0], [-2]]), spread), [[2 / 3, 1 / 3], [0, 0]]
    )


def test_mutual_ari_is_that_of_pairs():
    rng = np.random.default_rng(0)
    partitions = rng.integers(0, 3, (4, 30)).astype(np.int32)
    partitions[0, :5] = -2
    found = mutual_ari(partitions, partitions[1:])
    for p in range(4):
        for q in range(3):
            both = (partitions[p] >= 0) & (partitions[1 + q] >= 0)
            assert found[p, q] == pytest.approx(ari(partitions[p][both], partitions[1 + q][both]))
