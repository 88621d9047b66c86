"""Graph partitioning with multi-granularity link analysis against the stacked matrix."""

import numpy as np
import pytest

from consens._labels import abstain, check_labels, indicator
from consens._numerics.distances import unit_rows
from consens._numerics.eigenvectors import leading_eigenvectors
from consens.consensus import GPMGLA
from consens.evidence.link_analysis import connected_triples
from consens.measure import ari, member_reliability
from consens.partition.bipartite_cut import transfer_cut
from consens.partition.weighted_kmeans import weighted_kmeans


def noisy_labels(seed, lowest, n=50):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    labels = np.repeat(truth[:, None], 6, axis=1)
    wrong = rng.random(labels.shape) < 0.25
    labels[wrong] = rng.integers(lowest, 5, wrong.sum())
    labels[:, 0] = truth
    return abstain(check_labels(labels))


@pytest.mark.parametrize("lowest", [0, -2])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_cut_of_objects_and_clusters_stacked(seed, lowest):
    labels = noisy_labels(seed, lowest)
    model = GPMGLA(3, alpha=0.7, beta=1.5, random_state=0).fit(labels)
    weights = member_reliability(labels) ** 1.5
    np.testing.assert_allclose(model.member_weights_, weights)
    weights = np.repeat(weights, labels.max(axis=0) + 1)
    n = len(labels)
    B = np.vstack(
        [indicator(labels).toarray() * 0.7 * weights, connected_triples(labels, weights)]
    )
    scaled = B / B.sum(axis=1, keepdims=True)
    gram = B.T @ scaled
    mass = np.sqrt(gram.sum(axis=1))
    _, vectors = leading_eigenvectors(gram / np.outer(mass, mass), 3)
    rows = unit_rows((scaled @ (vectors / mass[:, None]))[:n])
    assert ari(model.labels_, weighted_kmeans(rows, 3).labels) == 1


def test_ties_of_objects_alone_when_they_outweigh_those_of_clusters():
    labels = noisy_labels(4, 0)
    model = GPMGLA(3, alpha=1e9, beta=0, random_state=0).fit(labels)
    assert ari(model.labels_, transfer_cut(indicator(labels), 3).objects) == 1


def test_a_member_that_agrees_with_nobody_does_not_part_the_graph():
    truth = np.repeat([0, 1, 2], 6)
    labels = np.column_stack([truth, truth, np.zeros(18, dtype=int)])
    model = GPMGLA(3, random_state=0).fit(labels)
    assert model.member_weights_[2] == 0
    np.testing.assert_array_equal(model.labels_, truth)


@pytest.mark.parametrize("alpha", [5e-324, 1e200])
def test_weights_are_of_a_size_that_can_be_squared(alpha):
    with pytest.raises(ValueError, match="alpha"):
        GPMGLA(2, alpha=alpha).fit([[0, 0], [0, 1], [1, 1]])
