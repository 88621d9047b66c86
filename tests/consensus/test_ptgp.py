"""Graph partitioning by probability trajectories against the matrix."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from consens.consensus import PTGP, _base
from consens.evidence.trajectories import probability_trajectories
from consens.measure import ari
from consens.partition import bipartite_cut
from consens.partition.bipartite_cut import transfer_cut
from consens.partition.spectral import normalized_eigenvectors
from tests.consensus._plain import noisy_labels, numbers, plain_trajectories


@pytest.mark.parametrize("lowest", [0, -2])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_cut_of_mean_similarities(seed, lowest):
    labels = noisy_labels(seed, lowest)
    ptgp = PTGP(3, n_neighbors=6, n_steps=6, random_state=0).fit(labels)
    rows, inverse, PTS = plain_trajectories(labels, 6, 6)
    own = numbers(rows)
    b = np.array(
        [
            [PTS[i, (own == C).any(axis=1)].mean() for C in range(own.max() + 1)]
            for i in range(len(rows))
        ]
    )
    cut = transfer_cut(b, 3)
    assert ari(ptgp.labels_, cut.objects[inverse]) == 1
    assert ari(ptgp.cluster_labels_, cut.clusters) == 1


def test_eight_objects_worked_out_by_hand(monkeypatch):
    """Three members: all together; {a, c} and {b}; {a}, {b} and {c}.

    The microclusters a, b and c have 2, 4 and 2 objects.  Their co-association is 2/3 for ac and
    1/3 for ab and bc; K = 2 keeps all.  Weighted by sizes, from a the walk goes to b with 4/3 and
    to c with 4/3, from b to a with 2/3 and to c with 2/3: every step is P = (J - I) / 2 (J all
    ones), the second P² = (J + I) / 4.  So G = P P' + P² P²' has 1/2 + 3/8 = 7/8 on its diagonal
    and 1/4 + 5/16 = 9/16 elsewhere, and the similarity of different microclusters is 9/14.

    Weights, in units of 1/84, are 84 and 54 for one microcluster, 69 = (84 + 54) / 2 inside
    {a, c}, and 64 = (84 + 54 + 54) / 3.  Rows of them add up to 379, 394 and 379, all columns to
    192.  The second vector of the cut is (197, -379, 197) on a, b and c, because 2 * 379 * 197 =
    394 * 379: it has (5, 35, -55, 35, -55, 35) on the clusters, which comes back as 1625 / 379 =
    σ² 197.  The third, (1, 0, -1), has σ² = 30² / (379 * 192).  The second is as long, in D_x, as
    √(379 * 197) (1, 1, 1), the first: the unit rows are (√379, √197) / 24 of a and c, and
    (√197, -√379) / 24 of b, at right angles.
    """
    labels = np.array([[0, 0, 0]] * 2 + [[0, 1, 1]] * 4 + [[0, 0, 2]] * 2)
    graphs, rows = [], []

    def cut(graph, *given, **options):
        graphs.append(graph)
        return transfer_cut(graph, *given, **options)

    def means(X, *given, **options):
        rows.append(X)
        return weighted_kmeans(X, *given, **options)

    weighted_kmeans = bipartite_cut.weighted_kmeans
    monkeypatch.setattr(_base, "transfer_cut", cut)
    monkeypatch.setattr(bipartite_cut, "weighted_kmeans", means)
    ptgp = PTGP(2, random_state=0).fit(labels)
    np.testing.assert_array_equal(ptgp.labels_, [0, 0, 1, 1, 1, 1, 0, 0])
    np.testing.assert_array_equal(ptgp.cluster_labels_[1:], [0, 1, 0, 1, 0])

    found, similarity = probability_trajectories(labels)
    np.testing.assert_array_equal(found.counts[found.inverse], [2, 2, 4, 4, 4, 4, 2, 2])
    np.testing.assert_allclose(similarity, (5 * np.eye(3) + 9) / 14)
    first = [int(found.inverse[i]) for i in (0, 2, 6)]
    weights = np.asarray(graphs[0])[first]
    a, b, c = [64, 69, 54, 84, 54, 54], [64, 54, 84, 54, 84, 54], [64, 69, 54, 54, 54, 84]
    np.testing.assert_allclose(84 * weights, [a, b, c])
    gram = weights.T @ (weights / weights.sum(axis=1)[:, None])
    values, _ = normalized_eigenvectors(csr_array(gram), 3)
    np.testing.assert_allclose(values, [1, 1625 / (379 * 197), 900 / (379 * 192)])
    own = rows[-1][first]
    np.testing.assert_allclose(own @ own.T, [[1, 0, 1], [0, 1, 0], [1, 0, 1]], atol=1e-9)
    np.testing.assert_allclose(np.sort(np.abs(own), axis=1), np.sqrt([[197, 379]] * 3) / 24)
