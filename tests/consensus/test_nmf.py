"""Factorisation of the co-association against dense updates."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from consens._labels import indicator
from consens.consensus import NMFConsensus
from consens.consensus.nmf import factorize
from consens.evidence import coassociation
from consens.measure import ari
from tests.consensus._plain import noisy_labels


def plain_updates(A, start, k, n_iter):
    Q = (np.eye(k)[start] + 0.2) / np.sqrt(np.bincount(start))
    S = Q.T @ A @ Q
    errors = []
    for _ in range(n_iter):
        Q = Q * np.sqrt((A @ Q @ S) / (Q @ Q.T @ A @ Q @ S))
        S = S * np.sqrt((Q.T @ A @ Q) / (Q.T @ Q @ S @ Q.T @ Q))
        errors.append(np.linalg.norm(A - Q @ S @ Q.T) ** 2 / np.linalg.norm(A) ** 2)
    return Q, errors


@pytest.mark.parametrize("seed", range(3))
def test_equal_to_dense_updates(seed):
    labels = noisy_labels(seed)
    A = coassociation(labels)
    F = csr_array(indicator(labels) / np.sqrt(labels.shape[1]))
    start = labels[:, 0]
    Q, n_iter, error = factorize(F, start, 3, 50)
    expected, errors = plain_updates(A, start, 3, n_iter)
    np.testing.assert_allclose(Q, expected, rtol=1e-8)
    assert error == pytest.approx(errors[-1])
    assert n_iter > 2


def test_the_first_update_worked_out_by_hand():
    """Two members {01}, {23}, and one {02}, {13}; the start is {01}, {23}.

    A has 1, 2/3, 1/3 and 0 for 00, 01, 02 and 03: A e = 2 e and A s = 4/3 s with e = (1, 1, 1, 1)
    and s = (1, 1, -1, -1).  The start is (1 + 0.2) / √2 in the own column and 0.2 / √2 in the
    other: the columns add up to 1.4 e / √2 and differ by s / √2.  S = Q' A Q has 1.4² · 2 = 3.92
    on (1, 1) and 4/3 on (1, -1), and the columns of A Q S add up to 1.4 · 2 · 3.92 = 10.976 times
    e / √2 and differ by 16/9 s / √2.  Q Q' = 0.49 e e' + 0.25 s s' multiplies them by 1.96 and 1.
    """
    labels = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    A = [[3, 2, 1, 0], [2, 3, 0, 1], [1, 0, 3, 2], [0, 1, 2, 3]]
    F = csr_array(indicator(labels) / np.sqrt(3))
    np.testing.assert_allclose(3 * (F @ F.T).toarray(), A)
    Q, _, _ = factorize(F, labels[:, 0], 2, 1)
    own = 1.2 / np.sqrt(2) * np.sqrt((10.976 + 16 / 9) / (1.96 * 10.976 + 16 / 9))
    other = 0.2 / np.sqrt(2) * np.sqrt((10.976 - 16 / 9) / (1.96 * 10.976 - 16 / 9))
    np.testing.assert_allclose(Q, [[own, other]] * 2 + [[other, own]] * 2)
    found = NMFConsensus(2, random_state=0).fit_predict(labels)
    np.testing.assert_array_equal(found, [0, 0, 1, 1])


def test_the_labels_are_the_largest_entries_and_beat_other_partitions():
    labels = noisy_labels(4)
    model = NMFConsensus(3, random_state=0).fit(labels)
    assert ari(model.labels_, labels[:, 0]) > 0.9  # the member without errors
    assert 0 < model.objective_ < 1
    assert NMFConsensus(3, max_iter=1, random_state=0).fit(labels).n_iter_ == 1


def test_members_that_agree_are_factorised_without_error():
    """A is then the sum of the outer products of three indicators."""
    truth = np.repeat([0, 1, 2], [4, 3, 2])
    model = NMFConsensus(3, max_iter=5000, random_state=0).fit(np.column_stack([truth, truth]))
    np.testing.assert_array_equal(model.labels_, truth)
    assert model.objective_ < 1e-2
