"""No cluster stays without objects."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from consens._blocks import Rows
from consens._labels import fill_empty
from consens.partition.spectral import ncut


def plainly_filled(labels, loss, k):
    """The same, object by object."""
    labels = labels.copy()
    for cluster in sorted(set(range(k)) - set(labels)):
        sizes = np.bincount(labels[labels >= 0], minlength=k)
        movable = [i for i, own in enumerate(labels) if own >= 0 and sizes[own] > 1]
        if movable:
            losses = loss if loss.ndim == 1 else loss[:, cluster]
            labels[min(movable, key=lambda i: (losses[i], i))] = cluster
    return labels


@given(st.integers(0, 10**6), st.booleans())
def test_the_object_that_loses_least_moves(seed, one_for_all):
    rng = np.random.default_rng(seed)
    n, k = rng.integers(2, 12), rng.integers(1, 8)
    labels = rng.integers(-1, rng.integers(1, k + 1), n)
    loss = rng.integers(0, 5, n if one_for_all else (n, k)).astype(float)
    expected = plainly_filled(labels, loss, k)
    np.testing.assert_array_equal(fill_empty(labels, loss, k), expected)
    blocks = Rows.from_array(labels, [n // 2, n - n // 2])
    found = fill_empty(blocks, blocks.split_like(loss), k)
    np.testing.assert_array_equal(np.asarray(found), expected)


def test_full_clusters_stay():
    labels = np.array([0, 1, 0, 1])
    assert fill_empty(labels, np.ones(4), 2) is labels


def test_a_part_of_a_normalised_cut_that_stays_empty_gets_a_loosely_tied_vertex():
    # rows of eigenvectors of a complete graph point anywhere: discretisation leaves parts empty
    for k in range(2, 8):
        for seed in range(5):
            assert set(ncut(np.ones((9, 9)), k, seed=seed)) == set(range(k))
