"""Links that spread, against the dense iteration."""

import numpy as np
import pytest

from consens._labels import unique_rows
from consens.consensus import SDGCA
from consens.consensus._copies import Laplacian, with_diagonal
from consens.consensus.sdgca import spread_links
from consens.evidence import coassociation
from consens.evidence.link_analysis import cluster_graph
from consens.evidence.trajectories import trajectory_similarity
from consens.measure.reliability import cluster_uncertainty, normalized_reliability
from tests.consensus._plain import (
    check_merges,
    noisy_labels,
    numbers,
    plain_jaccard,
    plain_related,
    plain_walks,
    with_copies,
)


def plain_nwca(labels, theta):
    """B diag(w) B' / M over its largest entry, with a unit diagonal."""
    H = cluster_uncertainty(labels)
    k = np.repeat(labels.max(axis=0) + 1, labels.max(axis=0) + 1)
    w = np.exp(-H / (np.log2(k) * theta * labels.shape[1]))
    B = np.zeros((len(labels), len(w)))
    for x, own in enumerate(numbers(labels)):
        B[x, own] = 1
    W = B @ np.diag(w) @ B.T / labels.shape[1]
    W /= W.max()
    np.fill_diagonal(W, 1)
    return W


def plain_links(labels, eta, theta, must_at, cannot_at):
    CA = coassociation(labels)
    NWCA = plain_nwca(labels, theta)
    ML = np.where(must_at <= CA, NWCA, 0)
    Z = plain_walks(plain_jaccard(labels), 20)
    np.fill_diagonal(Z, 1)
    CL = 1 - plain_related(labels, Z)
    CL[cannot_at > CL] = 0
    ML[CL > 0] = 0
    ML -= ML.min()
    ML /= ML.max()
    ML[ML > 0] = ML[ML > 0] / 5 + 0.8
    return NWCA, np.where(eta <= CA, CA, 0), ML, CL


def plain_spread(H, ML, CL):
    """The iteration as written in the definition, with a dense inverse in each step."""
    n = len(H)
    L = np.diag(H.sum(axis=1)) - H
    S = D = F1 = F2 = Y1 = Y2 = np.zeros((n, n))
    mu = 1
    t = 0
    while t < 300:
        t += 1
        S_old, D_old = S, D
        inverse = np.linalg.inv(2 * L + 2 * mu * np.eye(n))
        S = (2 * mu * F1 - D.T - Y1) @ inverse
        F1 = np.clip(Y1 / (2 * mu) + S, 0, 1)
        F1[ML > 0] = ML[ML > 0]
        F1 = (F1 + F1.T) / 2
        D = (2 * mu * F2 - S.T - Y2) @ inverse
        F2 = np.clip(Y2 / (2 * mu) + D, 0, 1)
        F2[CL > 0] = CL[CL > 0]
        F2 = (F2 + F2.T) / 2
        Y1 = Y1 + mu * (S - F1)
        Y2 = Y2 + mu * (D - F2)
        mu = min(1.1 * mu, 1e6)
        if max(map(np.linalg.norm, (S - S_old, D - D_old, S - F1, D - F2))) < 1e-3:
            break
    return (*(np.clip((m + m.T) / 2, 0, 1) for m in (S, D)), t)


def without_copies(full, first, inverse):
    """The matrix in the form of `consensus._copies`, with 0 for copies of a single row."""
    pairs = full[np.ix_(first, first)].copy()
    for row in range(len(first)):
        own = np.flatnonzero(inverse == row)
        pairs[row, row] = full[own[0], own[-1]] if len(own) > 1 else 0.0
    return np.vstack([pairs, full[first, first]])


def test_every_merge_is_that_of_the_definition():
    labels = noisy_labels(0, n=40)
    NWCA, H, ML, CL = plain_links(labels, 0.7, 0.1, 0.8, 0.1)
    assert (ML > 0).sum() > len(labels)
    assert (CL > 0).any()
    S, D, n_iter = plain_spread(H, ML, CL)
    alike = unique_rows(labels)
    assert len(alike.rows) < len(labels)
    first = np.unique(alike.inverse, return_index=True)[1]
    H, ML, CL = (without_copies(matrix, first, alike.inverse) for matrix in (H, ML, CL))
    found = spread_links(Laplacian(H, alike.counts), ML, CL)
    assert found[2] == n_iter
    np.testing.assert_allclose(with_copies(found[0], alike.inverse), S, atol=1e-9)
    np.testing.assert_allclose(with_copies(found[1], alike.inverse), D, atol=1e-9)
    W = np.where(S >= D, 1 - (1 - S + D) * (1 - NWCA), (1 + S - D) * NWCA)
    model = SDGCA(3, eta=0.7, theta=0.1, must_link=0.8, cannot_link=0.1).fit(labels)
    assert model.n_iter_ == n_iter
    check_merges(model.linkage_, np.clip(W, 0, 1))


def test_without_links_it_is_average_link_of_the_weighted_coassociation():
    labels = noisy_labels(1, n=30)
    model = SDGCA(3, eta=1.1, theta=0.1).fit(labels)
    assert model.n_iter_ == 0
    check_merges(model.linkage_, plain_nwca(labels, 0.1))


def test_a_pair_that_no_partition_saw_is_no_cannot_link():
    labels = np.array([[0, -2], [0, -2], [0, 0], [0, 0], [-2, 0], [-2, 0], [1, 1], [1, 1]])
    rows = labels[::2]
    plain = with_diagonal(coassociation(rows), 1.0)
    similarity = trajectory_similarity(cluster_graph(labels), 20)
    _, cannot = SDGCA()._links(rows, similarity, plain, plain)
    np.testing.assert_array_equal(cannot[0, 2], 0)
    assert (cannot[:3, 3] > 0.8).all()
    model = SDGCA(2).fit(labels)
    np.testing.assert_array_equal(model.labels_, [0, 0, 0, 0, 0, 0, 1, 1])


def test_weights_of_partitions_with_a_single_cluster():
    labels = np.array([[0, 0], [0, 0], [0, 1], [0, 1]])
    np.testing.assert_array_equal(normalized_reliability(labels), [0, 1, 1])
    np.testing.assert_array_equal(normalized_reliability(labels[:, :1]), [1])
    with pytest.raises(ValueError, match="theta=0; expected a number > 0"):
        normalized_reliability(labels, 0)


@pytest.mark.parametrize("given", [{"eta": 0}, {"must_link": 2}, {"cannot_link": -1}])
def test_bad_parameters(given):
    with pytest.raises(ValueError, match=f"'{next(iter(given))}' parameter of SDGCA"):
        SDGCA(2, **given).fit([[0, 0], [0, 1], [1, 1]])
