"""Links that spread, against the dense iteration."""

import numpy as np
import pytest

from consens._labels import unique_rows
from consens.consensus import SDGCA, sdgca
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


def test_eight_objects_worked_out_by_hand(monkeypatch):
    """Two members A = {0123}, B = {4567}, and one C = {0145}, D = {2367}: four pairs of copies.

    A and B are split by one member in halves (1 bit), C and D by two (2 bits): λ = 1 / (3 log 2)
    gives them the weights 1/2 and 1/4, and NWCA is (1/2 + 1/2) / (1/2 + 1/2 + 1/4) = 4/5 inside A
    and B, 1/5 inside C and D, 1 for copies.

    By Jaccard, A is like its twin A' (1) and C and D (1/3): a walk goes from A to A' with 3/5,
    to C and D with 1/5; from C to A, A', B and B' with 1/4.  So C and D have one trajectory,
    Z_CD = 1.  From A, the walk is at A, A', B, B' with m = 5/7 + 2/7 y, y = (-2/5)^s, after s
    steps; the rest is at C and D.  Between A and A' it differs by (-3/5)^s, between {A, A'} and
    {B, B'} by (3/5)^s.  Inner products are q + 3/4 (9/25)^s for A with itself and q - 1/4 (9/25)^s
    with B, where q = m² / 4 + (1 - m)² / 2 = (33 + 4 y + 12 y²) / 196.  Sums over 20 steps are
    1157/343 for q and 9/16 for (9/25)^s, but for some billionths.
    So Z_AB = (1157/343 - 9/64) / (1157/343 + 27/64) = 70961 / 83309, and all pairs between A and B
    are dissimilar by c = 2/3 (1 - Z_AB): cannot-links.  Pairs of A and of B are must-links of
    0.8 + 4/5 / 5 = 0.96, copies of 1, and spread to no other pair: S and D are 0 where they are
    not given.

    Inside A and B, 1 - (1 - 0.96) (1 - 4/5) = 0.992 results, between them (1 - c) / 5 in C and D,
    otherwise 0: a mean of (1 - c) / 10.
    """
    labels = np.repeat([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]], 2, axis=0)
    c = 2 / 3 * (1 - 70961 / 83309)
    given = []

    def kept(laplacian, must, cannot):
        given.extend([must, cannot])
        given.extend(spread_links(laplacian, must, cannot)[:2])
        return *given[2:], 1

    monkeypatch.setattr(sdgca, "spread_links", kept)
    monkeypatch.setattr(sdgca, "_TOLERANCE", 1e-6)
    options = {"eta": 0.6, "must_link": 0.6, "cannot_link": c - 1e-6}
    model = SDGCA(2, theta=1 / (3 * np.log(2)), **options).fit(labels)
    np.testing.assert_allclose(model.cluster_reliability_, [1 / 2] * 4 + [1 / 4] * 2)

    same = np.kron(np.eye(4), np.ones((2, 2)))
    halves = np.kron(np.eye(2), np.ones((4, 4)))
    must, cannot, S, D = (with_copies(own, np.arange(8) // 2) for own in given)
    np.testing.assert_allclose(must, 0.96 * halves + 0.04 * same)
    np.testing.assert_allclose(cannot, c * (1 - halves), atol=1e-9)
    np.testing.assert_allclose(S, must, atol=1e-5)
    np.testing.assert_allclose(D, cannot, atol=1e-5)
    heights = [0] * 4 + [0.008] * 2 + [1 - (1 - c) / 10]
    np.testing.assert_allclose(model.linkage_[:, 2], heights, atol=1e-5)
    np.testing.assert_array_equal(model.labels_, [0, 0, 0, 0, 1, 1, 1, 1])
