"""Sparse co-association against the dense matrix."""

import numpy as np
import pytest

from consens.evidence import coassociation, coassociation_graph


def labels_of(seed, n=40, n_members=7, codes=False):
    rng = np.random.default_rng(seed)
    labels = rng.integers(-2 if codes else 0, 4, (n, n_members))
    labels[:, 0] = rng.integers(0, 3, n)
    return labels


def plain(labels, n_neighbors):
    """Edges kept by one end or the other, spelt out."""
    dense = coassociation(labels)
    np.fill_diagonal(dense, 0.0)
    kept = np.zeros_like(dense, dtype=bool)
    for i, row in enumerate(dense):
        for threshold in np.unique(row[row > 0]):
            if (row >= threshold).sum() <= n_neighbors or threshold == row.max():
                kept[i] = row >= threshold
                break
    return np.where(kept | kept.T, dense, 0.0)


@pytest.mark.parametrize("codes", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_all_edges_are_the_dense_matrix(seed, codes):
    labels = labels_of(seed, codes=codes)
    expected = coassociation(labels)
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(coassociation_graph(labels).toarray(), expected)


@pytest.mark.parametrize("codes", [False, True])
@pytest.mark.parametrize("n_neighbors", [1, 5, 20, 39, 1000])
def test_the_strongest_are_kept(n_neighbors, codes):
    labels = labels_of(5, codes=codes)
    graph = coassociation_graph(labels, n_neighbors)
    np.testing.assert_allclose(graph.toarray(), plain(labels, n_neighbors))


def test_blocks_change_nothing(monkeypatch):
    labels = labels_of(6, codes=True)
    whole = coassociation_graph(labels, 5).toarray()
    monkeypatch.setattr("consens._blocks.BLOCK_BYTES", 16 * len(labels) * 7)
    np.testing.assert_array_equal(coassociation_graph(labels, 5).toarray(), whole)


def test_the_order_of_the_objects_does_not_matter():
    labels = labels_of(7)
    order = np.random.default_rng(0).permutation(len(labels))
    graph = coassociation_graph(labels, 6).toarray()
    np.testing.assert_array_equal(
        coassociation_graph(labels[order], 6).toarray(), graph[np.ix_(order, order)]
    )


def test_more_members_than_a_byte_counts():
    labels = np.repeat(labels_of(8, n=6, n_members=1), 300, axis=1)
    expected = 1.0 * (labels[:, :1] == labels[:, 0])
    np.fill_diagonal(expected, 0.0)
    with pytest.warns(UserWarning, match="transpose"):
        graph = coassociation_graph(labels)
    np.testing.assert_array_equal(graph.toarray(), expected)


@pytest.mark.parametrize("n_neighbors", [0, -3])
def test_no_neighbours_at_all(n_neighbors):
    with pytest.raises(ValueError, match=f"n_neighbors={n_neighbors}"):
        coassociation_graph(labels_of(0), n_neighbors)
