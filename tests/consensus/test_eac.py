"""Evidence accumulation: the tree, its lifetimes, and the papers' clear cases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.cluster.hierarchy import is_valid_linkage
from scipy.sparse import csr_array
from sklearn.neighbors import NearestNeighbors

from consens import ConsensusClustering, Ensemble
from consens._support import memory
from consens.consensus import EAC, get_method
from consens.consensus._label_linkage import coassociation_linkage
from consens.datasets import make_half_rings
from consens.evidence import coassociation
from consens.generate import KMeansEnsemble
from consens.measure import error_rate

# co-association: 0-1 1, 2-3 2/3, 1-2 1/3 (and 0-2), others 0
LABELS = np.array([[0, 0, 0], [0, 0, 0], [0, 1, 1], [1, 1, 1]])


def test_hand_worked_heights_and_lifetimes_of_single_link():
    eac = EAC(linkage="single").fit(LABELS)
    np.testing.assert_allclose(eac.linkage_[:, 2], [0, 1 / 3, 2 / 3])
    np.testing.assert_allclose(eac.lifetimes_, [1 / 3, 1 / 3, 1 / 3, 0], atol=1e-15)
    assert eac.n_clusters_ == 1  # equal lifetimes: the smaller number


def test_hand_worked_height_of_average_link():
    eac = EAC(2).fit(LABELS)
    # {0, 1} against {2, 3}: co-associations 1/3, 0, 1/3, 0
    assert eac.linkage_[-1, 2] == pytest.approx(1 - (2 / 3) / 4)
    np.testing.assert_array_equal(eac.labels_, [0, 0, 1, 1])


def test_hand_worked_height_of_complete_link():
    eac = EAC(2, linkage="complete").fit(LABELS)
    assert eac.linkage_[-1, 2] == 1
    np.testing.assert_array_equal(eac.labels_, [0, 0, 1, 1])


def test_longest_lifetime_of_agreeing_partitions_is_their_number():
    truth = np.repeat([0, 1, 2], 5)
    labels = np.column_stack([truth] * 4)
    labels[0, 0] = 1
    assert EAC(linkage="single").fit(labels).n_clusters_ == 3


def test_partitions_into_one_cluster_have_a_consensus_of_one():
    # the last merge is at 0, so one cluster lives from 0 to 1
    eac = EAC().fit(np.zeros((6, 3), dtype=int))
    assert eac.n_clusters_ == 1
    assert eac.lifetimes_[0] == 1


def test_partitions_into_singletons_have_a_consensus_of_singletons():
    eac = EAC().fit(np.column_stack([np.arange(5), np.arange(5)]))
    assert eac.n_clusters_ == 5


@pytest.mark.parametrize("linkage", ["average", "single", "complete"])
def test_tree_is_valid_and_reaches_every_k(linkage):
    labels = np.random.default_rng(0).integers(0, 4, (25, 7))
    for k in range(1, 15):
        eac = EAC(k, linkage=linkage).fit(labels)
        assert eac.n_clusters_ == k
    assert is_valid_linkage(eac.linkage_)


def assert_best_pairs(tree, similarity, linkage):
    """Every merge is of the most similar groups there are, at their exact height."""
    between = {"average": np.mean, "single": np.max, "complete": np.min}[linkage]
    n = len(similarity)
    groups = {i: [i] for i in range(n)}
    for step, (a, b, height, size) in enumerate(tree):
        values = {
            (p, q): between(similarity[np.ix_(groups[p], groups[q])])
            for p in groups
            for q in groups
            if p < q
        }
        assert values[a, b] == pytest.approx(1 - height, abs=1e-12)
        assert 1 - height == pytest.approx(max(values.values()), abs=1e-12)
        groups[n + step] = groups.pop(a) + groups.pop(b)
        assert len(groups[n + step]) == size


label_matrices = hnp.arrays(
    np.int32, st.tuples(st.integers(6, 12), st.integers(1, 5)), elements=st.integers(-2, 3)
).filter(lambda labels: (labels != -2).any(axis=0).all())


@pytest.mark.parametrize("linkage", ["average", "single", "complete"])
@settings(deadline=None)
@given(labels=label_matrices, weighting=st.sampled_from(["none", "members", "clusters"]))
def test_every_merge_is_the_best_available_pair(linkage, labels, weighting):
    labels = np.column_stack([np.arange(len(labels)) % 3, *labels.T])
    ensemble = Ensemble.from_labels(labels)
    length = {"members": ensemble.shape[1], "clusters": int(ensemble.n_clusters.sum())}
    weights = None if weighting == "none" else np.linspace(0.2, 1, length[weighting])
    tree = coassociation_linkage(ensemble, linkage, weights)
    assert_best_pairs(tree, coassociation(ensemble, weights), linkage)


def test_a_tree_that_cannot_fit_is_refused_with_its_size_and_the_way_out(monkeypatch):
    labels = np.random.default_rng(0).integers(0, 30, (500, 4))
    labels[0, 0] = -2
    assert EAC(2, linkage="single").fit(labels).n_clusters_ == 2
    monkeypatch.setattr(memory, "available_memory", lambda: 1e6)
    with pytest.raises(MemoryError, match="average link of .* needs .* MiB.*single link"):
        EAC(2).fit(labels)
    assert EAC(2).fit(labels[1:]).n_clusters_ == 2


class TestNeighbors:
    """Single link of the co-association of neighbours (Section 3.4)."""

    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])
    # the first partition keeps 0-1-2 and 3-4 apart, the second cuts between 1 and 2
    labels = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1]])

    def test_hand_worked_tree(self):
        # neighbours: 0-1, 1-2, 3-4; 2-3 are together once, but are no neighbours
        eac = EAC(linkage="single", neighbors=1).fit(self.labels, features=self.X)
        np.testing.assert_array_equal(
            eac.linkage_, [[0, 1, 0, 2], [3, 4, 0, 2], [2, 5, 0.5, 3], [6, 7, 1, 5]]
        )

    @pytest.mark.parametrize("seed", range(3))
    def test_with_all_neighbors_it_is_single_link(self, seed):
        rng = np.random.default_rng(seed)
        labels, X = rng.integers(0, 4, (30, 8)), rng.normal(size=(30, 2))
        some = EAC(3, linkage="single", neighbors=29).fit(labels, features=X)
        every = EAC(3, linkage="single").fit(labels)
        np.testing.assert_array_equal(some.linkage_, every.linkage_)

    def test_every_form_of_the_neighbors_gives_the_same_tree(self):
        rng = np.random.default_rng(0)
        labels, X = rng.integers(0, 3, (40, 5)), rng.normal(size=(40, 2))
        search = NearestNeighbors(n_neighbors=4).fit(X)
        expected = EAC(linkage="single", neighbors=4).fit(labels, features=X).linkage_
        for form in (
            search.kneighbors_graph(),
            search.kneighbors_graph(mode="distance"),
        ):
            tree = EAC(linkage="single", neighbors=form).fit(labels).linkage_
            np.testing.assert_array_equal(tree, expected)

    def test_neighbors_keep_their_objects_where_noise_is_left_out(self):
        labels = np.vstack([[-1, -1], self.labels])
        X = np.vstack([[0.5], self.X])
        eac = EAC(2, linkage="single", neighbors=2).fit(labels, features=X)
        np.testing.assert_array_equal(eac.labels_, [-1, 0, 0, 0, 1, 1])

    def test_the_front_door_passes_the_features_on(self):
        X, y = make_half_rings(random_state=0)
        consensus = EAC(linkage="single", neighbors=20)
        generator = KMeansEnsemble(30, n_clusters=15)
        model = ConsensusClustering(
            2, generator=generator, consensus=consensus, random_state=0
        ).fit(X)
        assert error_rate(y, model.labels_) == 0

    @pytest.mark.parametrize(
        ("params", "features", "message"),
        [
            ({"neighbors": 2}, None, r"neighbors=2 needs the features"),
            ({"neighbors": 2}, X[:3], r"features has shape \(3, 1\); expected one row for each"),
            ({"neighbors": 2, "linkage": "average"}, X, "neighbors is for linkage='single'"),
            ({"neighbors": csr_array((3, 3))}, None, r"expected a graph of shape \(5, 5\)"),
        ],
    )
    def test_what_cannot_be_is_named(self, params, features, message):
        with pytest.raises(ValueError, match=message):
            EAC(2, **({"linkage": "single"} | params)).fit(self.labels, features=features)


def test_one_object_beside_noise():
    eac = EAC().fit(np.array([[0, 0], [-1, -1], [-1, -2]]))
    np.testing.assert_array_equal(eac.labels_, [0, -1, -1])


def test_unknown_linkage_is_named():
    with pytest.raises(ValueError, match="'linkage' parameter of EAC must be a str among"):
        EAC(linkage="ward").fit(LABELS)


def test_methods_are_found_by_name():
    assert get_method("Eac") is EAC
    with pytest.raises(ValueError, match="method='kmeans' is not known; methods are .*eac"):
        get_method("kmeans")
