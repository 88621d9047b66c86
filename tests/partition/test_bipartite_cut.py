"""Bipartite graphs: the transfer cut is that of the whole graph, METIS fails no more silently."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from consens.measure import ari
from consens.partition import bipartite_cut
from consens.partition.bipartite_cut import _both_sides, _gram, metis_bipartite, transfer_cut
from consens.partition.spectral import normalized_eigenvectors
from consens.partition.weighted_kmeans import weighted_kmeans


def indicator_of(columns):
    """Objects by clusters of several label vectors."""
    return np.hstack([np.eye(max(column) + 1)[column] for column in columns])


def planted(sizes=(14, 10, 8), n_members=6, flips=0.1, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    columns = []
    for _ in range(n_members):
        column = truth.copy()
        wrong = rng.random(len(truth)) < flips
        column[wrong] = rng.integers(0, len(sizes), wrong.sum())
        columns.append(column)
    return indicator_of(columns), truth


@pytest.fixture(params=["transfer", "metis"])
def partition(request):
    if request.param == "transfer":
        return transfer_cut
    return lambda B, k, **options: metis_bipartite(B, k, imbalance=0.5, **options)


class TestBoth:
    def test_planted_parts_on_both_sides(self, partition):
        B, truth = planted()
        cut = partition(B, 3)
        np.testing.assert_array_equal(cut.objects, truth)
        np.testing.assert_array_equal(cut.clusters, np.tile([0, 1, 2], 6))

    def test_one_part_and_as_many_as_objects(self, partition):
        B, _truth = planted()
        np.testing.assert_array_equal(partition(B, 1).objects, 0)
        np.testing.assert_array_equal(partition(B, len(B)).objects, np.arange(len(B)))

    def test_components(self, partition):
        B, truth = planted((6, 5, 4, 4), flips=0.0)
        np.testing.assert_array_equal(partition(B, 4).objects, truth)
        grouped = partition(B, 2).objects
        assert all(len(set(grouped[truth == c])) == 1 for c in range(4))

    def test_clusters_without_objects_belong_nowhere(self, partition):
        B, truth = planted()
        B = np.insert(B, 2, 0.0, axis=1)
        cut = partition(B, 3)
        np.testing.assert_array_equal(cut.objects, truth)
        assert cut.clusters[2] == -1
        assert set(np.delete(cut.clusters, 2)) == {0, 1, 2}

    def test_an_object_without_edges_gets_a_part(self, partition):
        B, _truth = planted()
        B[5] = 0.0
        cut = partition(B, 3)
        assert set(cut.objects) == {0, 1, 2}

    @pytest.mark.parametrize("bad", [-1.0, np.nan])
    def test_bad_weights(self, partition, bad):
        with pytest.raises(ValueError, match="finite and >= 0"):
            partition(np.array([[1.0, bad], [0.0, 1.0]]), 2)

    @pytest.mark.parametrize("k", [0, 33])
    def test_impossible_numbers_of_parts(self, partition, k):
        with pytest.raises(ValueError, match=f"n_clusters={k}"):
            partition(planted()[0], k)

    @settings(max_examples=40, deadline=None)
    @given(seed=st.integers(0, 10**6), n=st.integers(2, 20), data=st.data())
    def test_always_exactly_k_parts(self, seed, n, data):
        rng = np.random.default_rng(seed)
        n_members = data.draw(st.integers(1, 4))
        B = indicator_of([rng.integers(0, 4, n) for _ in range(n_members)])
        B = B * (rng.random(B.shape) < 0.9) * rng.uniform(0.1, 1, B.shape)
        k = data.draw(st.integers(1, n))
        assert set(transfer_cut(B, k, n_init=2).objects) == set(range(k))
        assert set(metis_bipartite(B, k).objects) == set(range(k))


class TestTransferCut:
    def test_the_cluster_side_solves_the_whole_graph(self):
        B, _ = planted(flips=0.3)
        B = B * np.random.default_rng(1).uniform(0.5, 1.5, B.shape)
        n, m = B.shape
        whole = np.block([[np.zeros((n, n)), B], [B.T, np.zeros((m, m))]])
        sigma, vectors = normalized_eigenvectors(csr_array(whole), 4)
        values, small = normalized_eigenvectors(_gram(csr_array(B)), 4)
        np.testing.assert_allclose(values, sigma**2)
        # an eigenvector of the whole graph has half of its mass on either side
        np.testing.assert_allclose(
            np.abs(small), np.sqrt(2) * np.abs(vectors[n:]), rtol=1e-6, atol=1e-9
        )
        lifted = (B / np.sqrt(B.sum(axis=1))[:, None]) @ (small / np.sqrt(B.sum(axis=0))[:, None])
        np.testing.assert_allclose(
            np.abs(lifted / sigma), np.sqrt(2) * np.abs(vectors[:n]), rtol=1e-6, atol=1e-9
        )

    @pytest.mark.parametrize("seed", range(3))
    def test_the_best_of_starts_from_random_objects(self, monkeypatch, seed):
        """The starts are distinct objects, and neither their order nor that of columns matters."""
        B, _ = planted(flips=0.4, seed=seed)
        B = B * np.random.default_rng(seed).uniform(0.5, 1.5, B.shape)
        runs = []

        def means(X, k, *, init):
            assert len(init) == k
            assert all(sum(np.array_equal(row, own) for own in X) == 1 for row in init)
            runs.append(weighted_kmeans(X, k, init=init))
            return runs[-1]

        monkeypatch.setattr(bipartite_cut, "weighted_kmeans", means)
        found = transfer_cut(B, 3, start="objects", n_init=4, seed=seed).objects
        assert len(runs) == 4
        np.testing.assert_array_equal(found, min(runs, key=lambda run: run.inertia).labels)
        rng = np.random.default_rng(seed)
        objects, columns = rng.permutation(B.shape[0]), rng.permutation(B.shape[1])
        again = transfer_cut(B[objects][:, columns], 3, start="objects", n_init=4, seed=seed)
        assert ari(again.objects, found[objects]) == 1

    def test_a_product_made_elsewhere_is_used(self):
        B, _truth = planted(flips=0.3)
        gram = _gram(csr_array(B))
        np.testing.assert_array_equal(
            transfer_cut(B, 3, gram=gram).objects, transfer_cut(B, 3).objects
        )

    def test_more_parts_than_clusters(self):
        # eight objects told apart by three members of two clusters each
        bits = np.array([[(i >> m) & 1 for m in range(3)] for i in range(8)])
        B = indicator_of(bits.T)
        assert set(transfer_cut(B, 7).objects) == set(range(7))

    def test_the_numbers_of_the_clusters_do_not_matter(self):
        B, _ = planted(flips=0.4)
        order = np.random.default_rng(0).permutation(B.shape[1])
        np.testing.assert_array_equal(
            transfer_cut(B[:, order], 3).objects, transfer_cut(B, 3).objects
        )


class TestMetisBipartite:
    def test_every_part_holds_clusters(self):
        # ten objects per cluster vertex and a balance that METIS could keep with objects alone
        rng = np.random.default_rng(0)
        for seed in range(5):
            B = indicator_of([rng.integers(0, 3, 300) for _ in range(3)])
            cut = metis_bipartite(B, 3, seed=seed)
            assert set(cut.clusters) == {0, 1, 2}
            assert set(cut.objects) == {0, 1, 2}

    def test_objects_are_divided_as_evenly_as_asked(self):
        B, _ = planted((120, 100, 80), n_members=4, flips=0.2)
        B = B * np.random.default_rng(0).uniform(0.5, 1, B.shape)
        for imbalance in (0.001, 0.1):
            sizes = np.bincount(metis_bipartite(B, 3, imbalance=imbalance).objects)
            assert sizes.max() <= 100 * (1 + imbalance)

    def test_few_heavy_cluster_vertices_do_not_spoil_the_cut(self):
        # 15 clusters of 300 objects, weights that differ by a half: METIS alone mixes the parts
        rng = np.random.default_rng(0)
        truth = np.repeat([0, 1, 2], 100)
        soft = 1 + 0.5 * np.tile(np.eye(3)[truth], (1, 5)) + rng.uniform(0, 0.3, (300, 15))
        cut = metis_bipartite(soft, 3, imbalance=0.001)
        np.testing.assert_array_equal(cut.objects, truth)
        np.testing.assert_array_equal(cut.clusters, np.tile([0, 1, 2], 5))

    def test_doubling_all_clusters_changes_nothing(self):
        B, _ = planted(flips=0.4)
        once = metis_bipartite(B, 3, imbalance=0.3)
        twice = metis_bipartite(np.hstack([B, B]), 3, imbalance=0.3)
        np.testing.assert_array_equal(twice.objects, once.objects)
        np.testing.assert_array_equal(twice.clusters, np.tile(once.clusters, 2))

    def test_equal_objects_may_be_one_row(self):
        B, truth = planted((6, 4, 4), flips=0.2)
        counts = np.random.default_rng(0).integers(1, 5, len(B))
        cut = metis_bipartite(B * counts[:, None], 3, object_weights=counts, imbalance=0.6)
        np.testing.assert_array_equal(cut.objects, truth)

    def test_repair_gives_a_part_the_cluster_that_lies_most_in_it(self):
        B = csr_array(indicator_of([[0, 0, 1, 1], [0, 1, 2, 2]]))
        objects, clusters = _both_sides(B, np.array([0, 0, 1, 1]), np.zeros(5, dtype=int), 2)
        np.testing.assert_array_equal(clusters, [0, 1, 0, 0, 0])
        np.testing.assert_array_equal(objects, [0, 0, 1, 1])

    def test_repair_gives_a_part_the_object_tied_most_to_it(self):
        B = csr_array(np.array([[1.0, 0.2], [1.0, 0.0], [0.1, 1.0]]))
        objects, _ = _both_sides(B, np.zeros(3, dtype=int), np.array([0, 1]), 2)
        np.testing.assert_array_equal(objects, [0, 0, 1])
