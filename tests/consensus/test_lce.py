"""Link-based cluster ensemble against the matrix and the whole graph."""

import numpy as np
import pytest
from scipy.sparse import block_array

from consens.consensus import HBGF, LCE
from consens.consensus.lce import RefinedAssociation
from consens.ensemble import Ensemble
from consens.evidence.link_analysis import linked_clusters
from consens.measure import ari
from consens.partition import spectral_cut
from consens.partition.bipartite_cut import transfer_cut
from tests.consensus._plain import noisy_labels, numbers, plain_jaccard


def plain_refined(labels, decay):
    """RM by its definition."""
    W = plain_jaccard(labels)
    n = len(W)
    WCT = np.array(
        [[np.minimum(W[i], W[j]).sum() if i != j else 0 for j in range(n)] for i in range(n)]
    )
    sim = decay * WCT / WCT.max()
    np.fill_diagonal(sim, 1.0)
    own = numbers(labels)
    owner = np.repeat(np.arange(labels.shape[1]), labels.max(axis=0) + 1)
    RM = np.zeros((len(labels), n))
    for x in range(len(labels)):
        for C in range(n):
            if own[x, owner[C]] >= 0:
                RM[x, C] = sim[own[x, owner[C]], C]
    return RM


@pytest.mark.parametrize("lowest", [0, -2])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_spectral_cut_of_the_whole_graph(seed, lowest):
    labels = noisy_labels(seed, lowest)
    RM = plain_refined(labels, 0.9)
    found = LCE(3, random_state=0).fit_predict(labels)
    assert ari(found, transfer_cut(RM, 3).objects) == 1
    whole = spectral_cut(block_array([[None, RM], [RM.T, None]], format="csr"), 3)
    assert ari(found, whole[: len(labels)]) == 1


@pytest.mark.parametrize("lowest", [0, -2])
def test_the_refined_matrix_is_never_formed(lowest):
    labels = noisy_labels(7, lowest)
    RM = plain_refined(labels, 0.7)
    refined = RefinedAssociation(Ensemble(labels), linked_clusters(labels, 0.7))
    columns = np.random.default_rng(0).normal(size=(RM.shape[1], 2))
    np.testing.assert_allclose(refined @ columns, RM @ columns, atol=1e-12)
    gram = RM.T @ (RM / RM.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(refined.gram().toarray(), gram, rtol=1e-6)


def test_without_links_it_is_the_plain_graph():
    labels = noisy_labels(3)
    found = LCE(3, decay=0, random_state=0).fit_predict(labels)
    np.testing.assert_array_equal(found, HBGF(3, random_state=0).fit_predict(labels))


def test_links_worked_out_by_hand():
    """Partitions {012, 3}, {01, 23} and the first one again; the scale is that of its copies."""
    labels = np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 1]])
    # the triples of a cluster {0, 1, 2} and its copy are 2/3 + 1/4
    links = np.array([1 / 4, 1 / 2, 1 / 4]) / (2 / 3 + 1 / 4)
    expected = np.eye(6)
    for m, link in enumerate(links):
        expected[2 * m, 2 * m + 1] = expected[2 * m + 1, 2 * m] = 0.9 * link
    np.testing.assert_allclose(linked_clusters(labels, 0.9), expected, atol=1e-12)


@pytest.mark.parametrize("decay", [-0.1, 1.5, "high"])
def test_impossible_decay(decay):
    with pytest.raises(ValueError, match="'decay' parameter of LCE"):
        LCE(2, decay=decay).fit([[0, 0], [0, 1], [1, 1]])
