"""Connected triples against the plain sum."""

import numpy as np
import pytest

from consens import Ensemble
from consens._labels import check_labels
from consens.evidence.link_analysis import cluster_graph, connected_triples


def plain_triples(graph, weights):
    n = len(graph)
    triples = np.array(
        [[np.sum(weights * np.minimum(graph[i], graph[j])) for j in range(n)] for i in range(n)]
    )
    triples /= triples.max()
    np.fill_diagonal(triples, 1.0)
    return triples


@pytest.mark.parametrize("seed", range(3))
def test_equal_to_the_plain_twin(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(-2, 4, (30, 5))
    labels[:, 0] = rng.integers(0, 3, 30)
    labels = check_labels(labels)
    graph = cluster_graph(labels).toarray()
    weights = rng.uniform(0.1, 1, len(graph))
    triples = connected_triples(labels, weights)
    np.testing.assert_allclose(triples, plain_triples(graph, weights), atol=1e-12)
    np.testing.assert_array_equal(triples, triples.T)
    np.testing.assert_allclose(
        connected_triples(labels), plain_triples(graph, np.ones(len(graph))), atol=1e-12
    )


def test_a_cluster_without_objects_is_similar_to_nothing():
    part = Ensemble(np.array([[0, 0], [0, 1], [1, 1], [2, 1]]))[[0, 1, 3]]
    triples = connected_triples(part)
    np.testing.assert_array_equal(triples[1], 0)
    np.testing.assert_array_equal(np.diag(triples), [1, 0, 1, 1, 1])
