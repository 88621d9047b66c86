"""Self-enhancement of the co-association against the dense iteration."""

import numpy as np
import pytest

from consens import Ensemble
from consens._labels import unique_rows
from consens.consensus import ECCMS, LWEA
from consens.consensus._copies import copies_coassociation, with_diagonal
from consens.consensus.eccms import enhance
from consens.evidence import coassociation
from consens.measure import cluster_reliability
from tests.consensus._plain import check_merges, noisy_labels, with_copies


def plain_enhance(W, H, penalty):
    """The iteration as written in the definition, with one dense inverse."""
    n = len(W)
    L = np.diag(H.sum(axis=1)) - H
    inverse = np.linalg.inv(2 * L + 2 * np.eye(n))
    C = E = F = Y2 = np.zeros((n, n))
    Y1 = W.copy()
    n_iter = 0
    while n_iter < 100:
        n_iter += 1
        old = [C, E, F, Y1, Y2]
        C = inverse @ ((W - E + Y1) + (F - Y2))
        E = (W - C + Y1) / (penalty + 1)
        E[H > 0] = 0
        F = np.clip((C + Y2 + (C + Y2).T) / 2, 0, 1)
        Y1 = Y1 + W - C - E
        Y2 = Y2 + C - F
        pairs = zip([C, E, F, Y1, Y2], old, strict=True)
        changes = [(np.linalg.norm(a - b), np.linalg.norm(b)) for a, b in pairs]
        if all(change < max(1e-2 * size, 1e-12) for change, size in changes):
            break
    return C, n_iter


def evidence(labels, alpha):
    W = coassociation(labels, cluster_reliability(labels, 0.4))
    H = coassociation(labels) * (coassociation(labels) >= alpha)
    np.fill_diagonal(H, 0)
    return W, H


def enhanced(labels, alpha, penalty):
    """C for all objects, and the iterations, from matrices of distinct rows."""
    found = unique_rows(Ensemble.from_labels(labels).matrix)
    W = with_diagonal(copies_coassociation(found.rows, cluster_reliability(labels, 0.4)), 1.0)
    H = with_diagonal(coassociation(found.rows), 0.0)
    C, n_iter = enhance(W, H * (alpha <= H), found.counts, penalty)
    return with_copies(C, found.inverse), n_iter


@pytest.mark.parametrize("lowest", [0, -2])
@pytest.mark.parametrize("alpha", [0.5, 0.75, 1])
def test_equal_to_the_dense_iteration(alpha, lowest):
    labels = noisy_labels(0, lowest, n=30)
    assert len(unique_rows(labels).rows) < len(labels)
    W, H = evidence(labels, alpha)
    C, n_iter = plain_enhance(W, H, 0.01)
    found, found_iter = enhanced(labels, alpha, 0.01)
    assert found_iter == n_iter
    np.testing.assert_allclose(found, np.clip((C + C.T) / 2, 0, 1), atol=1e-10)
    model = ECCMS(3, alpha=alpha).fit(labels)
    assert model.n_iter_ == n_iter
    check_merges(model.linkage_, found)


def test_the_solution_is_feasible_and_smoother():
    labels = noisy_labels(1, n=40)
    W, H = evidence(labels, 0.75)
    C, _ = enhanced(labels, 0.75, 0.01)
    L = np.diag(H.sum(axis=1)) - H
    np.testing.assert_array_equal(C, C.T)
    assert np.trace(C @ L @ C) < np.trace(W @ L @ W)


def test_without_confident_pairs_nothing_spreads():
    """Then C = W is feasible but for the penalty, which shrinks all entries alike."""
    labels = np.random.default_rng(0).integers(0, 6, (12, 4))
    W, H = evidence(labels, 1)
    assert not H.any()
    C, _ = enhanced(labels, 1, 1e6)
    np.testing.assert_allclose(C, W, atol=0.02)
    heights = ECCMS(3, alpha=1, penalty=1e6).fit(labels).linkage_[:, 2]
    np.testing.assert_allclose(heights, LWEA(3).fit(labels).linkage_[:, 2], atol=0.02)


@pytest.mark.parametrize("given", [{"alpha": 1.5}, {"penalty": 0}, {"theta": 0}])
def test_bad_parameters(given):
    with pytest.raises(ValueError, match=f"'{next(iter(given))}' parameter of ECCMS"):
        ECCMS(2, **given).fit([[0, 0], [0, 1], [1, 1]])
