"""What partitioners are not made for ends in an error that says so."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from consens.partition import cut, lifetimes, linkage, metis, spectral_cut
from consens.partition.bipartite_cut import metis_bipartite
from consens.partition.hypergraph import hypergraph_cut
from consens.partition.spectral import ncut, spectral_cut_of_product
from consens.partition.weighted_kmeans import weighted_kmeans

GRAPH = np.kron(np.eye(2), np.ones((3, 3))) + 0.1
TREE = linkage(GRAPH / 1.1, "average")
CUTS = [metis, ncut, spectral_cut]


@pytest.mark.parametrize("partition", CUTS)
@pytest.mark.parametrize(
    "graph",
    [None, "graph", 3, [[1, 2], [3]], GRAPH[0], GRAPH[:, :3], GRAPH.astype(complex), -GRAPH],
)
def test_what_is_not_a_graph_is_refused(partition, graph):
    with pytest.raises((ValueError, TypeError)):
        partition(graph, 2)


@pytest.mark.parametrize("partition", CUTS)
def test_the_type_of_a_number_does_not_matter(partition):
    big = np.kron(np.eye(2), np.ones((100, 100)))
    for number in (np.int8(2), np.uint8(2), np.int64(2)):
        np.testing.assert_array_equal(partition(big, number), np.repeat([0, 1], 100))
    for number in (2.0, "2", None, True, [2]):
        with pytest.raises(TypeError, match="n_clusters"):
            partition(big, number)


@pytest.mark.parametrize("scale", [1e-300, 5e-324, 1e300])
def test_cuts_do_not_depend_on_the_scale_of_weights(scale):
    blocks = np.kron(np.eye(2), np.ones((4, 4)))
    for partition in CUTS:
        np.testing.assert_array_equal(partition(blocks * scale, 2), np.repeat([0, 1], 4))


@pytest.mark.parametrize(
    ("similarity", "says"),
    [
        (-GRAPH, ">= 0"),
        (GRAPH * np.nan, "finite"),
        (np.triu(GRAPH), "symmetric"),
        (GRAPH[:3], "square"),
        (GRAPH[0], "matrix"),
        (csr_array(GRAPH), "dense"),
        (np.zeros((0, 0)), "square"),
    ],
)
def test_what_is_not_a_similarity_is_refused(similarity, says):
    with pytest.raises(ValueError, match=says):
        linkage(similarity, "average")


def test_links_have_names():
    for link in ("ward", None, 3):
        with pytest.raises(ValueError, match="'average', 'single' and 'complete'"):
            linkage(GRAPH, link)


@pytest.mark.parametrize("tree", [TREE[:, :2], TREE[0], -TREE, TREE * np.nan, "tree", None])
def test_what_is_not_a_tree_is_refused(tree):
    for use in (lifetimes, lambda tree: cut(tree, 1)):
        with pytest.raises(ValueError, match=r"tree|nodes"):
            use(tree)


def test_a_tree_has_no_more_clusters_than_objects():
    for number in (0, 7):
        with pytest.raises(ValueError, match="expected 1 to 6"):
            cut(TREE, number)
    assert set(cut(TREE, np.int8(6))) == set(range(6))


def test_small_integers_do_not_overflow():
    large = linkage(np.eye(300), "single")
    assert len(set(cut(large, np.int8(3)))) == 3


@pytest.mark.parametrize(
    "call",
    [
        lambda: metis(GRAPH, 2, imbalance=np.nan),
        lambda: metis(GRAPH, 2, imbalance="0.1"),
        lambda: metis(GRAPH, 2, n_init=0),
        lambda: metis(GRAPH, 2, seed=-1),
        lambda: metis_bipartite(GRAPH, 2, object_weights=np.ones(5)),
        lambda: hypergraph_cut("ab", 2),
        lambda: spectral_cut_of_product(np.zeros((3, 2, 2)), 2),
        lambda: weighted_kmeans([[0.0], [np.nan]], 1),
        lambda: weighted_kmeans([[0.0], [1e200]], 1),
    ],
)
def test_parameters_are_checked(call):
    with pytest.raises((ValueError, TypeError)):
        call()


def test_a_huge_imbalance_is_as_good_as_none():
    assert set(metis(GRAPH, 2, imbalance=1e308)) == {0, 1}
