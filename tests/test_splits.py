"""Splits that are tested against data without clusters."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import make_blobs, make_moons

from consens import ConsensusClustering
from consens.choose.splits import _local_graph, best_split, measured, split_tree
from consens.generate import KMeansEnsemble
from consens.measure import ari
from studies._datasets import make_cube, make_spirals


def sizes(tree):
    return sorted(leaf.size for leaf in tree.leaves)


class TestOneCluster:
    # each set is split with probability 0.05 at most; three of ten have probability 0.01
    @pytest.mark.parametrize("kind", ["uniform", "normal"])
    def test_data_without_clusters_are_seldom_split(self, kind):
        trees = [
            split_tree(
                getattr(np.random.default_rng(seed), kind)(size=(120, 3)), random_state=seed
            )
            for seed in range(10)
        ]
        assert sum(tree.n_clusters > 1 for tree in trees) < 3
        assert all(0 < tree.p <= 1 for tree in trees)

    def test_the_reason_is_kept(self):
        tree = split_tree(make_cube(100, random_state=0)[0], random_state=0)
        assert tree.children == ()
        assert tree.leaves == [tree]
        assert tree.reason.startswith("not split (connection ")
        assert repr(tree).startswith("100 objects: not split")

    def test_few_or_equal_objects_are_not_tested(self):
        few = split_tree(np.random.default_rng(0).normal(size=(19, 2)))
        assert (few.p, few.reason) == (None, "fewer than 20 objects")
        same = split_tree(np.zeros((50, 2)))
        assert (same.p, same.reason) == (None, "fewer than 20 distinct objects")


class TestClusters:
    def test_clusters_inside_clusters_of_other_size_and_density(self):
        X, _ = make_blobs(
            [120, 60, 40],
            centers=[[0, 0], [60, 0], [64, 0]],
            cluster_std=[6, 0.5, 0.5],
            random_state=0,
        )
        tree = split_tree(X, random_state=0)
        assert sizes(tree) == [40, 60, 120]
        assert [child.size for child in tree.children] == [120, 100]
        assert max(tree.p, tree.children[1].p) < 0.05

    @pytest.mark.parametrize(
        "X",
        [
            make_moons(300, noise=0.06, random_state=0)[0],
            make_spirals(random_state=0)[0],
        ],
        ids=["moons", "spirals"],
    )
    def test_curves_are_separated_and_not_cut(self, X):
        half = len(X) // 2
        assert sizes(split_tree(X, random_state=0)) == [half, half]

    def test_many_objects_follow_a_sample(self):
        X, _ = make_blobs([900, 600], centers=[[0, 0], [12, 0]], random_state=0)
        assert sizes(split_tree(X, random_state=0)) == [600, 900]


class TestInvariance:
    X, y = make_blobs(120, centers=[[0, 0], [7, 0], [0, 7]], random_state=0)

    def test_same_seed_same_tree(self):
        assert split_tree(self.X, random_state=1) == split_tree(self.X, random_state=1)

    @pytest.mark.parametrize("change", ["order", "scale", "rotation"])
    def test_order_scale_and_rotation_change_nothing(self, change):
        other = {
            "order": self.X[np.random.default_rng(0).permutation(120)],
            "scale": 1000 * self.X + 5,
            "rotation": self.X @ np.array([[0.6, 0.8], [-0.8, 0.6]]),
        }[change]
        tree, again = (split_tree(data, random_state=0) for data in (self.X, other))
        assert sizes(tree) == sizes(again) == [40, 40, 40]
        assert again.p == pytest.approx(tree.p, rel=1e-4)


class TestModel:
    X, _ = make_blobs([420, 280], centers=[[0, 0], [12, 0]], random_state=0)

    def test_tree_of_a_sample(self):
        model = ConsensusClustering(2, recipe="kmeans", random_state=0).fit(self.X)
        assert model.tree_ is model.tree_
        assert model.tree_.size == 600
        assert model.tree_.n_clusters == 2
        model.fit(make_cube(100, random_state=0)[0])
        assert (model.tree_.size, model.tree_.n_clusters) == (100, 1)

    def test_scaled_rows_are_split(self):
        X = self.X * [1, 1e6]
        model = ConsensusClustering(2, recipe="kmeans", scale="standard", random_state=0).fit(X)
        assert model.tree_.n_clusters == 2

    def test_sparse_rows_have_the_same_tree(self):
        model = ConsensusClustering(2, random_state=0).fit(self.X[::7])
        sparse = ConsensusClustering(2, random_state=0).fit(csr_matrix(self.X[::7]))
        assert repr(sparse.tree_) == repr(model.tree_)

    def test_the_first_split_is_that_of_the_tree(self):
        tree = split_tree(self.X[::5], random_state=3)
        first = split_tree(self.X[::5], first_only=True, random_state=3)
        assert replace(tree, children=(), stability=None) == first
        assert first.n_clusters == 1 < tree.n_clusters

    @pytest.mark.parametrize("seed", range(3))
    def test_a_choice_of_one_cluster_is_an_empty_tree(self, seed):
        model = ConsensusClustering(random_state=seed).fit(make_cube(150, random_state=seed)[0])
        assert model.n_clusters_ == model.tree_.n_clusters == 1
        assert model.tree_.p == model.results_.p_split


class TestStatistic:
    def test_by_hand(self):
        # a path a-b-c-d with weights 1, 1/2, 1, cut in the middle: both objects at the cut count
        graph = np.array([[0, 1, 0, 0], [1, 0, 0.5, 0], [0, 0.5, 0, 1], [0, 0, 1, 0]])
        cost, share = np.exp(measured(graph, np.array([0, 0, 1, 1]), 1).statistic)
        assert cost == pytest.approx((0.5 + 0.5) * (1 / 2.5 + 1 / 2.5))
        assert share == pytest.approx((0.5 + 0.1) / (1.25 * 2))

    def test_weights_of_the_graph(self):
        # neighbours at 1 and 2: each scale is the distance to the nearest one
        graph = _local_graph(np.array([[0.0], [1.0], [3.0]]), 1)
        expected = np.exp([-1.0, -4 / np.sqrt(1 * 4)])
        np.testing.assert_allclose(graph[[0, 1], [1, 2]], expected)
        assert graph[0, 2] == 0
        np.testing.assert_array_equal(graph, graph.T)

    def test_the_best_split_is_that_of_separated_clusters(self):
        X, y = make_blobs([30, 90], centers=[[0, 0], [9, 9]], random_state=0)
        assert ari(best_split(X, 10).labels, y) == 1


class TestWhatIsKept:
    X, y = make_blobs(120, centers=[[0, 0], [7, 0], [0, 7]], random_state=0)

    def test_rows_of_every_part(self):
        tree = split_tree(self.X, random_state=0)
        np.testing.assert_array_equal(tree.rows, np.arange(120))
        for leaf in tree.leaves:
            assert leaf.size == len(leaf.rows)
            assert len(set(self.y[leaf.rows])) == 1
        again = tree.renumbered(np.arange(100, 220))
        np.testing.assert_array_equal(again.leaves[0].rows, tree.leaves[0].rows + 100)

    def test_stability_of_splits_that_were_made(self):
        tree = split_tree(self.X, random_state=0)
        assert tree.stability < 1  # any of the three may come first
        assert tree.children[0].stability == 1
        assert all(leaf.stability is None for leaf in tree.leaves)
        assert tree == split_tree(self.X, random_state=0)

    def test_a_model_numbers_its_own_objects(self):
        X = np.random.default_rng(0).normal(size=(700, 2)) + np.repeat([[0], [30]], 350, axis=0)
        model = ConsensusClustering(2, generator=KMeansEnsemble(10), random_state=0).fit(X)
        first, second = (leaf.rows for leaf in model.tree_.leaves)
        assert len(first) + len(second) == 600
        assert {*(first < 350), *(second >= 350)} in ({True}, {False})
