"""Spectral partitions: against plain twins, on graphs that fall apart, whatever the numbering."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from consens._labels import first_seen_order
from consens._numerics import eigenvectors
from consens._numerics.distances import unit_rows
from consens._numerics.eigenvectors import leading_eigenvectors
from consens.measure import ari
from consens.partition import spectral_cut
from consens.partition.spectral import (
    _orthogonal_rows,
    discretize,
    ncut,
    normalized_eigenvectors,
    spectral_cut_of_product,
)


def planted_graph(*sizes, inside=1.0, between=0.1, noise=0.3, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    graph = np.where(truth[:, None] == truth, inside, between)
    graph = graph * (1 - noise * np.triu(rng.random(graph.shape)))
    graph = np.triu(graph, 1)
    return graph + graph.T, truth


def cut_value(graph, labels):
    """Sum of cut(A, V \\ A) / vol(A), spelt out."""
    total = 0.0
    for k in set(labels):
        inside = labels == k
        volume = graph[inside].sum()
        total += graph[np.ix_(inside, ~inside)].sum() / volume
    return total


@pytest.fixture(params=[spectral_cut, ncut], ids=lambda f: f.__name__)
def partitioner(request):
    return request.param


class TestBoth:
    @pytest.mark.parametrize("sizes", [(10, 10), (20, 10, 5), (60, 80, 40, 30)])
    def test_planted_parts_of_any_size(self, partitioner, sizes):
        # the last one is solved iteratively
        graph, truth = planted_graph(*sizes)
        np.testing.assert_array_equal(partitioner(graph, len(sizes)), truth)

    def test_one_part_and_as_many_as_vertices(self, partitioner):
        graph, _ = planted_graph(4, 3)
        np.testing.assert_array_equal(partitioner(graph, 1), 0)
        np.testing.assert_array_equal(partitioner(graph, 7), np.arange(7))

    def test_as_many_components_as_parts(self, partitioner):
        graph, truth = planted_graph(5, 7, 3, between=0.0)
        np.testing.assert_array_equal(partitioner(graph, 3), truth)

    def test_more_components_than_parts_are_grouped_whole(self, partitioner):
        graph, truth = planted_graph(9, 4, 3, 2, between=0.0)
        np.testing.assert_array_equal(partitioner(graph, 2), np.array([0, 1, 1, 1])[truth])

    @pytest.mark.parametrize("scale", [1, 12])
    def test_fewer_components_than_parts(self, partitioner, scale):
        # one component holds two planted parts; scale 12 is beyond the dense solver
        left, _ = planted_graph(8 * scale, 6 * scale, seed=1)
        right, _ = planted_graph(5 * scale, seed=2)
        n = len(left) + len(right)
        graph = np.zeros((n, n))
        graph[: len(left), : len(left)] = left
        graph[len(left) :, len(left) :] = right
        truth = np.repeat([0, 1, 2], [8 * scale, 6 * scale, 5 * scale])
        np.testing.assert_array_equal(partitioner(graph, 3), truth)

    def test_vertices_without_edges_are_components(self, partitioner):
        graph = np.zeros((9, 9))
        graph[:7, :7], _ = planted_graph(4, 3)
        np.testing.assert_array_equal(partitioner(graph, 2), np.r_[np.zeros(7), 1, 1])
        assert len(set(partitioner(graph, 4))) == 4
        np.testing.assert_array_equal(partitioner(graph, 4), np.r_[np.zeros(4), np.ones(3), 2, 3])

    @pytest.mark.parametrize("seed", range(3))
    def test_the_order_of_the_vertices_does_not_matter(self, partitioner, seed):
        rng = np.random.default_rng(seed)
        upper = np.triu(rng.random((25, 25)) * (rng.random((25, 25)) < 0.5), 1)
        graph = upper + upper.T
        labels = partitioner(graph, 4)
        order = rng.permutation(25)
        again = np.empty(25, dtype=int)
        again[order] = partitioner(graph[np.ix_(order, order)], 4)
        np.testing.assert_array_equal(first_seen_order(again), labels)

    @settings(max_examples=40, deadline=None)
    @given(
        seed=st.integers(0, 10**6), n=st.integers(2, 25), density=st.floats(0, 1), data=st.data()
    )
    def test_always_exactly_k_parts(self, seed, n, density, data):
        rng = np.random.default_rng(seed)
        half = rng.random((n, n)) * (rng.random((n, n)) < density)
        k = data.draw(st.integers(1, n))
        for partitioner in (spectral_cut, ncut):
            assert set(partitioner(half + half.T, k)) == set(range(k))


def test_equal_objects_may_be_one_vertex():
    # rows of `similarity` for objects that come in groups of equal ones
    rng = np.random.default_rng(0)
    graph, truth = planted_graph(4, 3, 3)
    np.fill_diagonal(graph, 1.0)
    counts = rng.integers(1, 6, len(graph))
    objects = np.repeat(np.arange(len(graph)), counts)
    similarity = graph[np.ix_(objects, objects)]
    np.fill_diagonal(similarity, 0.0)
    contracted = graph * np.outer(counts, counts)
    contracted[np.diag_indices(len(graph))] = counts * (counts - 1)
    full = normalized_eigenvectors(csr_array(similarity), 3)
    small = normalized_eigenvectors(csr_array(contracted), 3)
    np.testing.assert_allclose(full[0], small[0])
    np.testing.assert_allclose(
        np.abs(full[1]), np.abs(small[1] / np.sqrt(counts)[:, None])[objects], atol=1e-12
    )
    np.testing.assert_array_equal(
        spectral_cut(contracted, 3, vertex_weights=counts)[objects], spectral_cut(similarity, 3)
    )
    np.testing.assert_array_equal(spectral_cut(contracted, 3, vertex_weights=counts), truth)


class TestOfProduct:
    def factor(self, seed, sizes=(12, 9, 7)):
        rng = np.random.default_rng(seed)
        truth = np.repeat(np.arange(len(sizes)), sizes)
        columns = [np.where(rng.random(len(truth)) < 0.2, 0, truth) for _ in range(6)]
        return np.hstack([np.eye(len(sizes))[column] for column in columns])

    @pytest.mark.parametrize("seed", range(4))
    def test_it_is_that_of_the_whole_graph(self, seed):
        F = self.factor(seed)
        np.testing.assert_array_equal(spectral_cut_of_product(F, 3), spectral_cut(F @ F.T, 3))

    def test_equal_rows_may_be_one(self):
        F = self.factor(0)
        rows, inverse, counts = np.unique(F, axis=0, return_inverse=True, return_counts=True)
        small = spectral_cut_of_product(rows, 3, vertex_weights=counts)[inverse]
        np.testing.assert_array_equal(first_seen_order(small), spectral_cut_of_product(F, 3))

    def test_components(self):
        F = np.array([[1.0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]])
        np.testing.assert_array_equal(spectral_cut_of_product(F, 3), [0, 0, 1, 2, 1])
        np.testing.assert_array_equal(spectral_cut_of_product(F, 2), [0, 0, 1, 0, 1])

    def test_more_clusters_than_columns(self):
        F = np.array([[(i >> m) & 1 == bit for m in range(3) for bit in (0, 1)] for i in range(8)])
        for k in range(1, 9):
            assert set(spectral_cut_of_product(F.astype(float), k)) == set(range(k))


@pytest.mark.parametrize("seed", range(4))
def test_the_normalised_cut_of_a_clear_graph_is_the_best_there_is(seed):
    assignments = [np.array(p) for p in product(range(3), repeat=7) if len(set(p)) == 3]
    graph, _ = planted_graph(3, 2, 2, between=0.2, noise=0.5, seed=seed)
    best = min(cut_value(graph, labels) for labels in assignments)
    # relaxed value <= best discrete one <= what rounding finds
    assert 3 - normalized_eigenvectors(csr_array(graph), 3)[0].sum() <= best + 1e-12
    assert cut_value(graph, ncut(graph, 3)) == pytest.approx(best, rel=1e-12)


class TestEigenvectors:
    def test_lanczos_and_the_dense_solver_agree(self, monkeypatch):
        graph, _ = planted_graph(70, 60, 50)
        graph = csr_array(graph)
        values, vectors = normalized_eigenvectors(graph, 3)
        monkeypatch.setattr(eigenvectors, "DENSE_BELOW", 10**9)
        dense_values, dense_vectors = normalized_eigenvectors(graph, 3)
        np.testing.assert_allclose(values, dense_values)
        np.testing.assert_allclose(vectors, dense_vectors, atol=1e-8)

    def test_the_largest_entry_is_positive(self):
        rng = np.random.default_rng(0)
        half = rng.normal(size=(20, 20))
        values, vectors = leading_eigenvectors(half + half.T, 5)
        assert (np.diff(values) <= 0).all()
        top = np.abs(vectors).argmax(axis=0)
        assert (vectors[top, np.arange(5)] > 0).all()

    @pytest.mark.parametrize("n_vectors", [2, 30, 60])
    def test_equal_eigenvalues_lose_no_vector(self, n_vectors):
        matrix = np.kron(np.eye(40), np.full((4, 4), 0.25))  # forty times 1, the others 0
        values, vectors = leading_eigenvectors(matrix, n_vectors, crowded=True)
        np.testing.assert_allclose(values, np.arange(n_vectors) < 40, atol=1e-12)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(n_vectors), atol=1e-12)
        np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-12)

    def test_a_cluster_that_all_members_have_is_solved(self):
        # thirteen members with an equal cluster: LAPACK finds no vectors of this matrix
        matrix = np.full((13, 13), 0.98 / 13) + 0.02 * np.eye(13)
        values, vectors = leading_eigenvectors(matrix, 7)
        np.testing.assert_allclose(values, [1.0] + [0.02] * 6, atol=1e-12)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(7), atol=1e-12)
        np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-12)

    def test_they_solve_the_normalised_problem(self):
        graph, _ = planted_graph(8, 5, between=0.3)
        degrees = graph.sum(axis=1)
        normalized = graph / np.sqrt(np.outer(degrees, degrees))
        values, vectors = normalized_eigenvectors(csr_array(graph), 4)
        np.testing.assert_allclose(normalized @ vectors, vectors * values, atol=1e-12)
        assert values[0] == pytest.approx(1)

    def test_an_offset_regularises_the_problem(self):
        from scipy.linalg import eigh

        graph, _ = planted_graph(8, 5, between=0.3)
        offset = np.linspace(0.1, 0.7, len(graph))
        degrees = graph.sum(axis=1) + 2 * offset
        values, vectors = normalized_eigenvectors(csr_array(graph), 4, offset=offset)
        expected, general = eigh(graph + np.diag(offset), np.diag(degrees))
        np.testing.assert_allclose(values, expected[::-1][:4])
        own = vectors / np.sqrt(degrees)[:, None]
        np.testing.assert_allclose(np.abs(own), np.abs(general[:, ::-1][:, :4]), atol=1e-10)


def test_with_an_offset_a_vertex_with_few_edges_is_no_part():
    # quotients of the pendant vertex and of the two groups: 1/1.1 and about 3.7/4.8 as they are,
    # 1.5/2.1 and 4.2/5.8 with the offset
    graph, truth = planted_graph(6, 6)
    graph = np.pad(graph, (0, 1))
    graph[-1, -1], graph[-1, 0], graph[0, -1] = 1.0, 0.1, 0.1
    assert ari(ncut(graph, 2)[:-1], truth) < 1
    assert ari(ncut(graph, 2, offset=0.5)[:-1], truth) == 1


class TestDiscretize:
    def test_a_rotated_partition_is_found_again(self):
        rng = np.random.default_rng(0)
        truth = rng.integers(0, 4, 50)
        rotation = np.linalg.qr(rng.normal(size=(4, 4)))[0]
        labels = discretize(np.eye(4)[truth] @ rotation)
        assert ari(labels, truth) == 1


class TestOrthogonalStart:
    @pytest.mark.parametrize("sizes", [(10, 10), (20, 10, 5), (60, 80, 40, 30)])
    @pytest.mark.parametrize("seed", range(3))
    def test_planted_parts_of_any_size(self, sizes, seed):
        graph, truth = planted_graph(*sizes)
        parts = spectral_cut(graph, len(sizes), init="orthogonal", seed=seed)
        np.testing.assert_array_equal(parts, truth)

    def test_the_next_row_is_nearest_to_right_angles_with_all_before(self):
        angles = np.radians(np.random.default_rng(0).uniform(0, 360, (30, 2)))
        rows = np.column_stack([np.cos(angles[:, 0]), np.sin(angles[:, 0]), np.sin(angles[:, 1])])
        rows = unit_rows(rows)
        chosen = _orthogonal_rows(rows, 4, seed=1)
        for step in range(1, 4):
            worst = np.abs(rows @ chosen[:step].T).max(axis=1)
            assert np.abs(chosen[step] @ chosen[:step].T).max() == pytest.approx(worst.min())

    def test_another_start_is_refused(self):
        with pytest.raises(ValueError, match="init='random'; allowed are"):
            spectral_cut(np.ones((4, 4)), 2, init="random")
