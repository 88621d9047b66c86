"""Members that are communities of a given graph, or of a graph of nearest neighbours."""

import numpy as np
import pytest
from joblib import parallel_config
from scipy.sparse import csr_array
from sklearn.datasets import load_digits, make_moons
from threadpoolctl import threadpool_limits

from consens import MISSING, NOISE, ConsensusClustering, combine
from consens.generate import GraphEnsemble
from consens.generate.graph_ensemble import communities, neighbor_graph, weigh_by_quick_runs
from consens.measure import ari
from tests._kernels.test_communities import quality, random_graph


def partitions(n):
    """All partitions of n objects, as labels in the order of their first objects."""
    found = [[0]]
    for _ in range(n - 1):
        found = [[*own, c] for own in found for c in range(max(own) + 2)]
    return np.array(found)


@pytest.mark.parametrize("seed", range(4))
def test_small_graphs_are_divided_in_the_best_way(seed):
    A = random_graph(seed, 8)
    best = max(quality(A, labels) for labels in partitions(8))
    runs = [communities(csr_array(A), 1.0, np.random.default_rng(run)) for run in range(5)]
    assert max(quality(A, labels) for labels in runs) == pytest.approx(best)


@pytest.mark.parametrize("method", ["leiden", "louvain"])
def test_cliques_on_a_ring(method):
    """Ten cliques of five, each joined to the next one by an edge: modularity finds them."""
    A = np.kron(np.eye(10), np.ones((5, 5))) - np.eye(50)
    for c in range(10):
        i, j = 5 * c, (5 * c + 6) % 50
        A[i, j] = A[j, i] = 1
    generator = GraphEnsemble(
        5, affinity="precomputed", resolution=1, max_edges=1.0, method=method, random_state=0
    )
    E = generator.fit_transform(csr_array(A))
    for column in E.labels.T:
        assert ari(column, np.repeat(np.arange(10), 5)) == 1
    assert set(E.members["algorithm"]) == {method.capitalize()}


def planted(sizes, inside, outside, seed=0):
    """A graph whose communities have edges with probability `inside`, and their numbers."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    rng = np.random.default_rng(seed)
    joined = rng.random((len(truth),) * 2) < np.where(truth[:, None] == truth, inside, outside)
    above = np.triu(joined, 1)
    return csr_array((above + above.T).astype(float)), truth


def test_edges_inside_of_cliques_keep_their_weight():
    A = np.kron(np.eye(2), np.ones((6, 6))) - np.eye(12)
    A *= 3.0
    A[0, 6] = A[6, 0] = 0.1
    weights = weigh_by_quick_runs(csr_array(A), 0.5, np.random.default_rng(0)).toarray()
    expected = A.copy()
    expected[0, 6] = expected[6, 0] = 0.05 * 0.1
    np.testing.assert_allclose(weights, expected)


def test_weighted_edges_find_communities_that_have_many_edges_between_them():
    A, truth = planted([20] * 12, 0.45, 0.06)
    scores = {}
    for method in ("leiden", "ecg"):
        generator = GraphEnsemble(10, affinity="precomputed", method=method, random_state=0)
        labels = generator.fit_transform(A).labels
        scores[method] = np.mean([ari(column, truth) for column in labels.T])
    assert scores["ecg"] > scores["leiden"] + 0.1


def test_the_method_whose_members_agree_more_is_taken():
    given = {"affinity": "precomputed", "random_state": 0}
    network = GraphEnsemble(2, **given).fit_transform(planted([20] * 12, 0.45, 0.06)[0])
    assert set(network.members["algorithm"]) == {"ECG"}
    X = load_digits().data[:400]
    near = GraphEnsemble(2, **given).fit_transform(neighbor_graph(X, 15))
    assert set(near.members["algorithm"]) == {"Leiden"}
    own = GraphEnsemble(2, random_state=0).fit_transform(X)
    np.testing.assert_array_equal(own.labels, near.labels)


def test_more_resolution_gives_more_communities():
    X = load_digits().data[:400]
    E = GraphEnsemble(30, resolution=(0.1, 10), random_state=0).fit_transform(X)
    resolutions = [record["parameters"]["resolution"] for record in E.records]
    assert min(resolutions) < 0.3 < 3 < max(resolutions)
    counts = np.array([record["n_clusters"] for record in E.records])
    assert np.corrcoef(np.log(resolutions), np.log(counts))[0, 1] > 0.9


def test_weights_of_neighbours_by_hand():
    """Places 0, 1, 3, 9 with one neighbour each: N = {0, 1}, {1, 0}, {2, 1}, {3, 2}."""
    graph = neighbor_graph(np.array([[0.0], [1.0], [3.0], [9.0]]), 1).toarray()
    expected = np.zeros((4, 4))
    expected[0, 1] = 1.0  # the same two objects
    expected[1, 2] = expected[2, 3] = 1 / 3  # one of three
    np.testing.assert_allclose(graph, expected + expected.T)


def test_the_graph_does_not_depend_on_the_number_of_threads():
    """The features of digits are small integers, so that many distances are equal."""
    graphs = []
    for limit in (1, 2):
        with threadpool_limits(limit):
            graphs.append(neighbor_graph(load_digits().data, 15))
    assert (graphs[0] != graphs[1]).nnz == 0


def test_the_same_seed_gives_the_same_members(tmp_path):
    X = load_digits().data[:200]
    alone = GraphEnsemble(4, random_state=3, store=tmp_path / "store").fit_transform(X)
    with parallel_config("threading"):
        together = GraphEnsemble(4, random_state=3, n_jobs=2).fit_transform(X)
    np.testing.assert_array_equal(alone.labels, together.labels)
    longer = GraphEnsemble(6, random_state=3, store=tmp_path / "store")
    np.testing.assert_array_equal(longer.fit_transform(X).labels[:, :4], alone.labels)
    np.testing.assert_array_equal(longer.transform(X).labels[:, :4], alone.labels)
    other = GraphEnsemble(4, random_state=4).fit_transform(X)
    assert (other.labels != alone.labels).any()


def test_neighbours_of_new_rows_vote():
    X, y = make_moons(400, noise=0.05, random_state=0)
    generator = GraphEnsemble(4, n_neighbors=10, random_state=0)
    E = generator.fit_transform(X[:300])
    np.testing.assert_array_equal(generator.transform(X[:300]).labels, E.labels)
    new = generator.transform(X[300:]).labels
    distances = np.linalg.norm(X[300:, None] - X[:300], axis=2)
    near = np.argsort(distances, axis=1)[:, :10]
    for m in range(4):
        votes = E.labels[:, m][near]
        expected = [np.bincount(own).argmax() for own in votes]
        np.testing.assert_array_equal(new[:, m], expected)
    low = GraphEnsemble(20, resolution=(0.05, 0.3))  # chains have many communities otherwise
    model = ConsensusClustering(2, generator=low, random_state=0).fit(X[:300])
    assert ari(model.labels_, y[:300]) == 1
    assert ari(model.predict(X[300:]), y[300:]) == 1


def test_objects_without_edges():
    A = np.zeros((5, 5))
    A[0, 1] = A[1, 0] = A[2, 3] = A[3, 2] = 1
    E = GraphEnsemble(20, affinity="precomputed", max_edges=0.5, random_state=0).fit_transform(A)
    assert (E.labels[4] == NOISE).all()
    # of two edges a member sees one
    assert ((E.labels[:2] == MISSING).all(axis=0) != (E.labels[2:4] == MISSING).all(axis=0)).all()
    found = combine(E, n_clusters=2).labels_
    assert found[4] == NOISE


def test_wrong_graphs_and_parameters():
    precomputed = GraphEnsemble(2, affinity="precomputed")
    with pytest.raises(ValueError, match="expects a square matrix of edge weights, got"):
        precomputed.fit(np.ones((3, 2)))
    with pytest.raises(ValueError, match="different weights from i to j and from j to i"):
        precomputed.fit(np.triu(np.ones((3, 3))))
    with pytest.raises(ValueError, match="must be >= 0, got -1"):
        precomputed.fit(-np.ones((3, 3)))
    with pytest.raises(ValueError, match="fit the graph that has them"):
        precomputed.fit(np.ones((3, 3))).transform(np.ones((1, 3)))
    with pytest.raises(ValueError, match="resolution=.* is not a range"):
        GraphEnsemble(2, resolution=(2, 1)).fit(np.eye(3))
