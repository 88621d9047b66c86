"""The bipartite graph that is never made, against the matrix."""

import numpy as np
import pytest

from consens._kernels import COMPILED_FROM
from consens._labels import check_labels, indicator
from consens.evidence.bipartite import Bipartite


def case(seed, lowest=-2, n=40):
    rng = np.random.default_rng(seed)
    labels = rng.integers(lowest, 4, (n, 5))
    labels[:, 0] = rng.integers(0, 3, n)
    labels = check_labels(labels)
    B = indicator(labels).toarray()
    return labels, B, rng.uniform(0.2, 1, B.shape[1])


@pytest.fixture(params=["scipy", "compiled"])
def path(request, monkeypatch):
    monkeypatch.setitem(COMPILED_FROM, "objects", 0 if request.param == "compiled" else 1e9)


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("lowest", [-2, 0])
@pytest.mark.parametrize("weighted", [True, False])
def test_products_and_gram_are_those_of_the_matrix(lowest, weighted):
    labels, B, weights = case(0, lowest)
    if not weighted:
        weights = np.ones(B.shape[1])
    graph = Bipartite(labels, weights if weighted else None)
    B = B * weights
    X = np.random.default_rng(1).normal(size=(B.shape[1], 3))
    np.testing.assert_allclose(graph @ X, B @ X, atol=1e-12)
    gram = graph.gram().toarray()
    np.testing.assert_allclose(gram, B.T @ (B / B.sum(axis=1, keepdims=True)), atol=1e-12)
    np.testing.assert_array_equal(gram, gram.T)
    assert graph.shape == B.shape


@pytest.mark.parametrize("weights", [[1, 1, 0, 1], [1, 1, np.inf, 1]])
def test_impossible_weights(weights):
    with pytest.raises(ValueError, match="weights"):
        Bipartite(np.array([[0, 0], [0, 1], [1, 1]]), weights)


@pytest.mark.parametrize("scale", [5e-324, 1e-200, 1e200])
def test_weights_whose_squares_vanish_or_overflow_are_refused(scale):
    labels, _, _ = case(0)
    with pytest.raises(ValueError, match="neither vanish nor overflow"):
        Bipartite(labels, np.full(int(labels.max(axis=0).sum()) + 5, scale))
