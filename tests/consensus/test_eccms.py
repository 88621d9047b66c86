"""Self-enhancement of the co-association against the dense iteration."""

import numpy as np
import pytest

from consens import Ensemble
from consens._labels import unique_rows
from consens.consensus import ECCMS, LWEA, eccms
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


class TestFiveObjectsByHand:
    """Members {01}, {23}, {4}, twice; and {0}, {12}, {3}, {4}.

    The pairs 01 and 23 are together in 2/3 of the members: with α = 0.6 they are the confident
    ones, of weight h = 2/3.  {01} and {23} are split by one member in halves (1 bit), {12} by two
    (2 bits).  θ = 1 / (3 log 2) makes their reliabilities 1/2 and 1/4, so
    W has 2/3 · 1/2 = 1/3 for 01 and 23, 1/3 · 1/4 = 1/12 for 12, and 1 on the diagonal.
    """

    LABELS = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 2], [2, 2, 3]])
    METHOD = ECCMS(2, alpha=0.6, penalty=2 / 3, theta=1 / (3 * np.log(2)))

    def solved(self, monkeypatch):
        """C and W as the method computes them."""
        found = []

        def kept(weighted, *given):
            found.extend([enhance(weighted, *given)[0], weighted])
            return found[0], 1

        monkeypatch.setattr(eccms, "enhance", kept)
        self.METHOD.fit(self.LABELS)
        return [with_copies(matrix, np.arange(5)) for matrix in found]

    def test_the_first_step(self, monkeypatch):
        """C = (2 L + 2 I)^-1 (2 W), where L + I is [[5, -2], [-2, 5]] / 3 on 01 and on 23.

        Its inverse is [[5, 2], [2, 5]] / 7.  Rows 0 and 1 of C have 5/7 + 2/21 = 17/21 and
        5/21 + 2/7 = 11/21 among themselves, 2/84 and 5/84 in column 2, and nothing in column 3;
        so do rows 3 and 2 in columns 1 and 0.  Symmetrised, 02 and 13 have half of 2/84.
        """
        monkeypatch.setattr(eccms, "_MAX_ITER", 1)
        C, W = self.solved(monkeypatch)
        np.testing.assert_allclose(
            12 * W,
            [
                [12, 4, 0, 0, 0],
                [4, 12, 1, 0, 0],
                [0, 1, 12, 4, 0],
                [0, 0, 4, 12, 0],
                [0] * 4 + [12],
            ],
            atol=1e-12,
        )
        np.testing.assert_allclose(
            84 * C,
            [
                [68, 44, 1, 0, 0],
                [44, 68, 5, 1, 0],
                [1, 5, 68, 44, 0],
                [0, 1, 44, 68, 0],
                [0, 0, 0, 0, 84],
            ],
            atol=1e-10,
        )

    def test_the_solution(self, monkeypatch):
        """What is smallest of h Σ_k (C_0k - C_1k)² + h Σ_k (C_2k - C_3k)² + λ/2 ‖W - C‖².

        01 and 23 stay at 1/3.  On the diagonal 2 h (c - 1/3) = λ (1 - c): 5/9 for λ = h.  The four
        pairs between 01 and 23 are a cycle, 02 - 12 - 13 - 03, whose neighbours are smoothed:
        (I + h/λ L) c = w, with 1/12 at 12 alone.  The eigenvalues of the cycle are 0, 2, 2 and 4,
        so for h = λ 12 keeps 1/4 + 1/2 · 1/3 + 1/4 · 1/5 = 7/15 of it, its neighbours 02 and 13
        get 1/4 - 1/4 · 1/5 = 1/5, and 03 gets 1/4 - 1/2 · 1/3 + 1/4 · 1/5 = 2/15.
        All is between 0 and 1.  Average link joins 01 and 23 at 2/3, both at 1 - 1/48, 4 at 1.
        """
        monkeypatch.setattr(eccms, "_MAX_ITER", 10_000)
        monkeypatch.setattr(eccms, "_TOLERANCE", 1e-12)
        C, _ = self.solved(monkeypatch)
        np.testing.assert_allclose(
            180 * C,
            [
                [100, 60, 3, 2, 0],
                [60, 100, 7, 3, 0],
                [3, 7, 100, 60, 0],
                [2, 3, 60, 100, 0],
                [0, 0, 0, 0, 180],
            ],
            atol=1e-6,
        )

    def test_labels(self, monkeypatch):
        monkeypatch.setattr(eccms, "_MAX_ITER", 10_000)
        monkeypatch.setattr(eccms, "_TOLERANCE", 1e-12)
        model = self.METHOD.fit(self.LABELS)
        np.testing.assert_allclose(model.linkage_[:, 2], [2 / 3, 2 / 3, 47 / 48, 1], atol=1e-8)
        np.testing.assert_array_equal(model.labels_, [0, 0, 0, 0, 1])
        three = ECCMS(3, **{k: v for k, v in model.get_params().items() if k != "n_clusters"})
        np.testing.assert_array_equal(three.fit_predict(self.LABELS), [0, 0, 1, 1, 2])
