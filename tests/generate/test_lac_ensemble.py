"""Ensembles of locally adaptive clusterings: what differs, what is shared, what is kept."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_blobs

from consens import Ensemble
from consens._numerics.nearest import nearest
from consens.generate import LAC, KMeansEnsemble, LACEnsemble
from consens.generate.lac import starting_centers


@pytest.fixture(scope="module")
def X():
    return make_blobs(120, centers=4, n_features=3, random_state=0)[0]


def test_one_member_per_value_of_h(X):
    E = LACEnsemble(4, inverse_h=[0.5, 1, 7], random_state=0).fit_transform(X)
    assert [record["parameters"]["inverse_h"] for record in E.records] == [0.5, 1, 7]
    assert set(E.members["algorithm"]) == {"LAC"}
    assert LACEnsemble(4, random_state=0).fit_transform(X).shape == (120, 25)


def test_members_share_their_start_and_are_plain_runs_of_lac(X):
    generator = LACEnsemble(4, inverse_h=[0.2, 3], random_state=0)
    first, second = (plan.fit.keywords["start"] for plan in generator._plans(X))
    assert first == second
    first = starting_centers(X, 4, *first)
    E = generator.fit_transform(X)
    for m, inverse in enumerate([0.2, 3]):
        alone = LAC(4, h=1 / inverse, init=first).fit(X)
        np.testing.assert_array_equal(E.labels[:, m], alone.labels_)
        np.testing.assert_array_equal(E.payload[m]["centers"], alone.cluster_centers_)
        np.testing.assert_array_equal(E.payload[m]["weights"], alone.feature_weights_)


def test_1_over_h_of_0_is_k_means(X):
    E = LACEnsemble(4, inverse_h=[0], random_state=0).fit_transform(X)
    assert (E.payload[0]["weights"] == 1 / 3).all()


def test_random_starts_make_members_differ_at_one_h(X):
    E = LACEnsemble(6, inverse_h=[2] * 8, init="random", random_state=0).fit_transform(X)
    assert len({column.tobytes() for column in E.labels.T}) > 1
    same = LACEnsemble(6, inverse_h=[2] * 8, random_state=0).fit_transform(X)
    assert len({column.tobytes() for column in same.labels.T}) == 1


def test_members_may_have_different_numbers_of_clusters(X):
    E = LACEnsemble((2, 6), inverse_h=range(1, 21), random_state=0).fit_transform(X)
    assert set(E.n_clusters) == {2, 3, 4, 5, 6}
    for entries, k in zip(E.payload, E.n_clusters, strict=True):
        assert entries["centers"].shape == entries["weights"].shape == (k, 3)


def test_the_payload_explains_the_labels(X):
    E = LACEnsemble((2, 6), inverse_h=range(1, 6), random_state=0).fit_transform(X)
    for entries, column in zip(E.payload, E.labels.T, strict=True):
        labels = nearest(entries["features"], entries["centers"], entries["weights"])
        np.testing.assert_array_equal(labels, column)


def test_members_share_the_data_without_a_copy(X):
    E = LACEnsemble(3, inverse_h=[1, 2], random_state=0).fit_transform(X)
    assert all(entries["features"] is X for entries in E.payload)
    part = E[[5, 1], :]
    np.testing.assert_array_equal(part.payload[0]["features"], X[[5, 1]])
    assert part.payload[0]["features"] is part.payload[1]["features"]
    assert part.payload[0]["centers"] is E.payload[0]["centers"]


def test_new_rows_are_labelled_by_the_members(X):
    generator = LACEnsemble(4, inverse_h=[1, 5], random_state=0)
    E = generator.fit_transform(X)
    again = generator.transform(X[:7])
    np.testing.assert_array_equal(again.labels, E.labels[:7])
    np.testing.assert_array_equal(again.payload[0]["features"], X[:7])
    assert isinstance(again, Ensemble)


def test_clusters_without_objects_are_left_out():
    X = np.repeat([[0.0, 0], [1, 1], [9, 9]], 4, axis=0)
    E = LACEnsemble(5, inverse_h=[1] * 6, init="random", random_state=0).fit_transform(X)
    assert E.n_clusters.max() <= 3
    for entries, column in zip(E.payload, E.labels.T, strict=True):
        assert len(entries["centers"]) == column.max() + 1 == len(np.unique(column))


def test_jobs_change_nothing(X):
    alone = LACEnsemble((2, 5), inverse_h=range(1, 5), random_state=1)
    together = LACEnsemble((2, 5), inverse_h=range(1, 5), random_state=1, n_jobs=2)
    np.testing.assert_array_equal(together.fit_transform(X).labels, alone.fit_transform(X).labels)


def test_sparse_data_stay_sparse(X):
    sparse = csr_array(np.where(np.abs(X) < 1, 0, X))
    E = LACEnsemble(4, inverse_h=[1, 3], random_state=0).fit_transform(sparse)
    dense = LACEnsemble(4, inverse_h=[1, 3], random_state=0).fit_transform(sparse.toarray())
    np.testing.assert_array_equal(E.labels, dense.labels)
    assert E.payload[0]["features"][3:5].shape == (2, 3)
    assert hasattr(E[3:5].payload[0]["features"], "toarray")


def test_data_frames_keep_their_index(X):
    frame = pd.DataFrame(X, index=[f"o{i}" for i in range(len(X))], columns=["a", "b", "c"])
    E = LACEnsemble(4, inverse_h=[1], random_state=0).fit_transform(frame)
    assert list(E.obs[:2]) == ["o0", "o1"]
    np.testing.assert_array_equal(E.payload[0]["features"], X)


def test_members_join_those_of_other_generators(X):
    lac = LACEnsemble(4, inverse_h=[1], random_state=0).fit_transform(X)
    kmeans = KMeansEnsemble(2, n_clusters=4, random_state=0).fit_transform(X)
    joined = np.hstack([lac, kmeans])
    assert list(joined.members["algorithm"]) == ["LAC", "KMeans", "KMeans"]
    np.testing.assert_array_equal(joined[:5].payload[0]["features"], X[:5])


def test_the_start_is_that_of_the_seed(X):
    first, second = (LACEnsemble(3, inverse_h=[1], random_state=s)._plans(X) for s in (0, 1))
    starts = [plan.fit.keywords["start"] for plan in (*first, *second)]
    assert starts[0] != starts[1]


@pytest.mark.parametrize("bad", [[], [[1, 2]], [-1.0], [np.nan], [np.inf]])
def test_impossible_values_of_h(X, bad):
    with pytest.raises(ValueError, match="inverse_h"):
        LACEnsemble(3, inverse_h=bad).fit(X)


def test_more_clusters_than_objects(X):
    with pytest.raises(ValueError, match="n_clusters=200 is more than the 120 objects of X"):
        LACEnsemble(200).fit(X)
