"""Connected-triple similarity: merges against the definition."""

import numpy as np
import pytest

from consens.consensus import CTS, EAC
from tests.consensus._plain import check_merges, plain_jaccard, plain_related, random_labels

JOINS = {"average": np.mean, "single": np.max, "complete": np.min}


def plain_links(labels, decay):
    """Similarity of clusters, scaled by the largest triples of clusters of one partition."""
    W = plain_jaccard(labels)
    owner = np.repeat(np.arange(labels.shape[1]), labels.max(axis=0) + 1)
    n = len(W)
    WCT = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j and owner[i] == owner[j]:
                WCT[i, j] = sum(min(W[i, k], W[j, k]) for k in range(n))
    return np.eye(n) + decay * WCT / WCT.max()


@pytest.mark.parametrize("lowest", [0, -2])
@pytest.mark.parametrize("linkage", JOINS)
def test_every_merge_is_the_best_available_pair(linkage, lowest):
    labels = random_labels(0, lowest)
    cts = CTS(3, linkage=linkage).fit(labels)
    S = plain_related(labels, plain_links(labels, 0.8))
    check_merges(cts.linkage_, S, JOINS[linkage])


def test_worked_out_by_hand():
    """Partitions {012, 3}, {01, 23} and the first one again.

    The triples of the two clusters are 1/4 in the first and third partition and 1/2 in the second,
    so their similarities are 0.4 and 0.8.
    """
    labels = np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 1]])
    cts = CTS(2).fit(labels)
    # S(0, 2) = (1 + 0.8 + 1) / 3, S(0, 3) = 1.6 / 3 and S(2, 3) = 1.8 / 3
    np.testing.assert_allclose(cts.linkage_[:, 2], [0, 0.2 / 3, 1 - 5 / 9], atol=1e-12)
    np.testing.assert_array_equal(cts.labels_, [0, 0, 0, 1])


def test_without_links_it_is_evidence_accumulation():
    labels = random_labels(1)
    heights = CTS(3, decay=0).fit(labels).linkage_[:, 2]
    np.testing.assert_allclose(heights, EAC(3).fit(labels).linkage_[:, 2], atol=1e-12)


def test_a_single_partition_has_no_links():
    cts = CTS(2).fit(np.array([[0], [0], [1]]))
    np.testing.assert_allclose(cts.linkage_[:, 2], [0, 1])
