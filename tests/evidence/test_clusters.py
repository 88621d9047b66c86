"""The graph of clusters against set algebra."""

import numpy as np
import pytest

from consens import MISSING
from consens._labels import check_labels
from consens.evidence.link_analysis import cluster_graph


def plain_jaccard(labels):
    clusters = [(m, c) for m in range(labels.shape[1]) for c in range(labels[:, m].max() + 1)]
    result = np.zeros((len(clusters), len(clusters)))
    for i, (p, c) in enumerate(clusters):
        for j, (q, d) in enumerate(clusters):
            both_saw = (labels[:, p] != MISSING) & (labels[:, q] != MISSING)
            first, second = (labels[:, p] == c) & both_saw, (labels[:, q] == d) & both_saw
            if (first & second).any():
                result[i, j] = (first & second).sum() / (first | second).sum()
    return result


@pytest.mark.parametrize("seed", range(4))
def test_weights_are_jaccard_coefficients_of_what_both_members_saw(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(-2, 4, (30, 5))
    labels[:, 0] = rng.integers(0, 3, 30)
    labels = check_labels(labels)
    graph = cluster_graph(labels)
    np.testing.assert_allclose(graph.toarray(), plain_jaccard(labels), atol=1e-12)
    assert (graph != graph.T).nnz == 0


def test_equal_clusters_are_wholly_similar():
    labels = np.array([[0, 1], [0, 1], [1, 0]])
    np.testing.assert_array_equal(
        cluster_graph(labels).toarray(), [[1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]]
    )
