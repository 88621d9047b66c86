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
