"""Locally weighted graph partitioning against the cut of the matrix itself."""

import numpy as np
import pytest

from consens._labels import abstain, check_labels, indicator
from consens.consensus import HBGF, LWGP
from consens.measure import ari, cluster_reliability
from consens.partition.bipartite_cut import transfer_cut


def random_labels(seed, lowest, n=60):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    labels = np.repeat(truth[:, None], 7, axis=1)
    wrong = rng.random(labels.shape) < 0.3
    labels[wrong] = rng.integers(lowest, 5, wrong.sum())
    labels[:, 0] = truth
    return abstain(check_labels(labels))


@pytest.mark.parametrize("lowest", [0, -2])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_transfer_cut_of_the_weighted_matrix(seed, lowest):
    labels = random_labels(seed, lowest)
    lwgp = LWGP(3, theta=0.6, random_state=0).fit(labels)
    reliability = cluster_reliability(labels, 0.6)
    np.testing.assert_array_equal(lwgp.cluster_reliability_, reliability)
    matrix = indicator(labels).toarray() * reliability
    assert ari(lwgp.labels_, transfer_cut(matrix, 3).objects) == 1


def test_equal_weights_are_hbgf():
    labels = random_labels(5, 0)
    lwgp = LWGP(3, theta=float("inf"), random_state=0).fit(labels)
    np.testing.assert_array_equal(lwgp.labels_, HBGF(3, random_state=0).fit_predict(labels))
    np.testing.assert_array_equal(lwgp.cluster_reliability_, 1)


def test_clusters_go_where_their_objects_go():
    truth = np.repeat([0, 1, 2], 5)
    lwgp = LWGP(3, random_state=0).fit(np.column_stack([truth, (truth + 1) % 3, truth]))
    np.testing.assert_array_equal(lwgp.cluster_labels_, [0, 1, 2, 2, 0, 1, 0, 1, 2])
