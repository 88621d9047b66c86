"""k-means ensembles: the same seed gives the same partitions, and labels fit the centres."""

import pickle  # noqa: TID251 - estimators must survive it

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from consens import Ensemble
from consens import _blocks as blocks
from consens.generate import EstimatorEnsemble, KMeansEnsemble, kmeans_ensemble


@pytest.fixture(scope="module")
def X():
    return make_blobs(300, centers=4, n_features=3, random_state=0)[0]


def test_four_objects_in_two_pairs():
    E = KMeansEnsemble(5, n_clusters=2, random_state=0).fit_transform([[0], [1], [10], [11]])
    assert isinstance(E, Ensemble)
    assert E.shape == (4, 5)
    for column, payload in zip(E.labels.T, E.payload, strict=True):
        assert column[0] == column[1] != column[2] == column[3]
        assert payload["centers"][column].ravel().tolist() == [0.5, 0.5, 10.5, 10.5]


def test_as_many_clusters_as_objects():
    E = KMeansEnsemble(3, n_clusters=4, random_state=0).fit_transform([[0], [1], [10], [11]])
    assert all(sorted(column) == [0, 1, 2, 3] for column in E.labels.T)


# ----------------------------------------------------------------- same seed, same answer


@pytest.mark.parametrize("max_samples", [None, 100])
@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_jobs_change_nothing(X, backend, max_samples):
    generator = KMeansEnsemble(6, max_samples=max_samples, random_state=3)
    alone = generator.fit_transform(X)
    with parallel_config(backend):
        together = clone(generator).set_params(n_jobs=2).fit_transform(X)
    np.testing.assert_array_equal(together.labels, alone.labels)
    for a, b in zip(together.payload, alone.payload, strict=True):
        np.testing.assert_array_equal(a["centers"], b["centers"])


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_change_nothing(X, threads):
    expected = KMeansEnsemble(3, random_state=0).fit(X).members_
    with threadpool_limits(threads):
        members = KMeansEnsemble(3, random_state=0).fit(X).members_
    for a, b in zip(members, expected, strict=True):
        np.testing.assert_array_equal(a.payload["centers"], b.payload["centers"])


def test_block_sizes_change_nothing(X, monkeypatch):
    expected = KMeansEnsemble(5, random_state=0).fit_transform(X).labels
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1000)
    monkeypatch.setattr("consens._numerics.nearest.TILE_ENTRIES", 1)
    np.testing.assert_array_equal(
        KMeansEnsemble(5, random_state=0).fit_transform(X).labels, expected
    )


def test_a_longer_ensemble_continues_a_shorter_one(X):
    short = KMeansEnsemble(3, random_state=1).fit_transform(X)
    long = KMeansEnsemble(6, random_state=1).fit_transform(X)
    np.testing.assert_array_equal(long.labels[:, :3], short.labels)
    assert long.records[:3] == short.records


def test_different_seeds_give_different_ensembles(X):
    first, second = (KMeansEnsemble(3, random_state=s).fit_transform(X).labels for s in (0, 1))
    assert (first != second).any()


def test_a_member_is_scikit_learns_k_means_from_random_centres(X):
    E = KMeansEnsemble(3, n_clusters=5, random_state=0).fit_transform(X)
    for column, record in zip(E.labels.T, E.records, strict=True):
        model = KMeans(5, init="random", n_init=1, random_state=record["seed"]).fit(X)
        np.testing.assert_array_equal(column, model.labels_)


# --------------------------------------------------------------------------------- starts


def first_centers(X, k, init, seed):
    """The start of a member by its definition."""
    rng = np.random.default_rng((seed, 2))
    if init == "box":
        return rng.uniform(X.min(axis=0), X.max(axis=0), (k, X.shape[1]))
    assigned = rng.permutation(len(X)) % k
    return np.array([X[assigned == c].mean(axis=0) for c in range(k)])


@pytest.mark.parametrize("init", ["box", "assignment"])
def test_members_start_where_init_says(X, init):
    E = KMeansEnsemble(4, n_clusters=5, init=init, random_state=0).fit_transform(X)
    others = KMeansEnsemble(4, n_clusters=5, random_state=0).fit_transform(X)
    assert (E.labels != others.labels).any()
    for column, record in zip(E.labels.T, E.records, strict=True):
        assert record["parameters"]["init"] == init
        start = first_centers(X, 5, init, record["seed"])
        expected = KMeans(5, init=start, n_init=1).fit(X)
        np.testing.assert_array_equal(column, expected.labels_)


@pytest.mark.parametrize("init", ["box", "assignment"])
def test_starts_of_sparse_and_of_many_objects(X, init, monkeypatch):
    sparse = csr_array(np.where(np.abs(X) < 2, 0, X))
    generator = KMeansEnsemble(3, n_clusters=3, init=init, random_state=0)
    np.testing.assert_array_equal(
        generator.fit_transform(sparse).labels, generator.fit_transform(sparse.toarray()).labels
    )
    monkeypatch.setattr(kmeans_ensemble, "MIN_SAMPLES", 60)
    monkeypatch.setattr(kmeans_ensemble, "SAMPLES_PER_CENTER", 10)
    E = generator.fit_transform(X)
    assert [record["trained_on"] for record in E.records] == [60] * 3


# ----------------------------------------------------------------------- labels and centres


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30),
    st.integers(1, 30),
    st.sampled_from([None, 0.6]),
    st.integers(0, 2**31),
)
def test_labels_are_compact_aligned_with_centres_and_stable(points, k, max_samples, seed):
    X = np.array(points, dtype=float)
    trained_on = len(X) if max_samples is None else max(1, int(0.6 * len(X)))
    k = min(k, trained_on)
    generator = KMeansEnsemble(2, n_clusters=k, max_samples=max_samples, random_state=seed)
    E = generator.fit_transform(X)
    np.testing.assert_array_equal(generator.transform(X).labels, E.labels)
    for m, column in enumerate(E.labels.T):
        centers = E.payload[m]["centers"]
        assert set(column) == set(range(len(centers)))
        assert E.records[m]["n_clusters"] == len(centers) <= min(k, len(set(points)))
        distances = ((X[:, None] - centers) ** 2).sum(axis=-1)
        assert (distances[range(len(X)), column] <= distances.min(axis=1) + 1e-12).all()


def test_fewer_distinct_objects_than_clusters_leave_clusters_out():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 10, axis=0)
    E = KMeansEnsemble(5, n_clusters=7, random_state=0).fit_transform(X)
    assert E.n_clusters.tolist() == [2] * 5
    assert [record["parameters"]["n_clusters"] for record in E.records] == [7] * 5


def test_new_rows_get_the_numbers_of_the_fit(X):
    generator = KMeansEnsemble(5, random_state=0)
    E = generator.fit_transform(X[::2])
    np.testing.assert_array_equal(generator.transform(X[::2][::-1]).labels, E.labels[::-1])
    new = generator.transform(X[1::2])
    assert (new.labels.max(axis=0) < E.n_clusters).all()
    assert new.records == E.records


def test_fit_and_fit_transform_learn_the_same(X):
    fitted = KMeansEnsemble(4, random_state=0).fit(X)
    np.testing.assert_array_equal(
        fitted.transform(X).labels, KMeansEnsemble(4, random_state=0).fit_transform(X).labels
    )


# ------------------------------------------------------------------- k and training objects


def drawn(E):
    return [record["parameters"]["n_clusters"] for record in E.records]


def test_every_number_of_the_range_is_drawn_and_no_other(X):
    E = KMeansEnsemble(80, n_clusters=(3, 6), max_samples=20, random_state=0).fit_transform(X)
    assert set(drawn(E)) == {3, 4, 5, 6}


@pytest.mark.parametrize(("n", "highest"), [(2, 2), (4, 2), (5, 3), (16, 4), (17, 5)])
def test_without_n_clusters_k_goes_from_two_to_the_root_of_n(n, highest):
    E = KMeansEnsemble(60, random_state=0).fit_transform(np.arange(n)[:, None])
    assert set(drawn(E)) == set(range(2, highest + 1))


def test_a_range_may_be_a_list(X):
    assert set(drawn(KMeansEnsemble(9, n_clusters=[4, 4]).fit_transform(X))) == {4}


def test_few_training_objects_bound_the_default_range(X):
    assert max(drawn(KMeansEnsemble(20, max_samples=5, random_state=0).fit_transform(X))) <= 5
    assert drawn(KMeansEnsemble(1, max_samples=1).fit_transform(X)) == [1]


@pytest.mark.parametrize(("max_samples", "trained_on"), [(None, 300), (50, 50), (0.5, 150)])
def test_all_objects_are_labelled_whatever_the_training_sample(X, max_samples, trained_on):
    E = KMeansEnsemble(3, n_clusters=4, max_samples=max_samples, random_state=0).fit_transform(X)
    assert E.shape == (300, 3)
    assert E.labels.min() == 0
    assert [r["parameters"]["max_samples"] for r in E.records] == [trained_on] * 3


def test_large_data_train_on_a_sample_that_grows_with_k(X, monkeypatch):
    monkeypatch.setattr(kmeans_ensemble, "MIN_SAMPLES", 60)
    monkeypatch.setattr(kmeans_ensemble, "SAMPLES_PER_CENTER", 25)
    E = KMeansEnsemble(40, n_clusters=(1, 13), random_state=0).fit_transform(X)
    for record in E.records:
        expected = min(300, max(60, 25 * record["parameters"]["n_clusters"]))
        assert record["parameters"]["max_samples"] == expected


def test_a_sample_loses_little_inertia():
    X = np.random.default_rng(0).normal(size=(40_000, 4))

    def inertia(max_samples):
        E = KMeansEnsemble(
            3, n_clusters=10, max_samples=max_samples, random_state=0
        ).fit_transform(X)
        pairs = zip(E.labels.T, E.payload, strict=True)
        return np.mean([((X - p["centers"][column]) ** 2).sum() for column, p in pairs])

    assert inertia(None) < 1.02 * inertia(1.0)


# ---------------------------------------------------------------------- inputs and outputs


def test_sparse_rows_are_labelled_as_dense_ones(X):
    X = np.where(np.abs(X) < 3, 0, X)
    generator = KMeansEnsemble(5, random_state=0)
    E = generator.fit_transform(csr_array(X))
    np.testing.assert_array_equal(generator.transform(X).labels, E.labels)


def test_single_precision_stays_single_in_the_centres(X):
    generator = KMeansEnsemble(3, random_state=0)
    E = generator.fit_transform(X.astype(np.float32))
    assert E.labels.dtype == np.int32
    assert E.payload[0]["centers"].dtype == np.float32


def test_data_frames_keep_their_row_ids_and_can_come_out(X):
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=[f"row{i}" for i in range(len(X))])
    generator = KMeansEnsemble(2, random_state=0)
    assert generator.fit_transform(frame).obs[7] == "row7"
    out = generator.set_output(transform="pandas").fit_transform(frame)
    assert out.columns.tolist() == ["kmeansensemble0", "kmeansensemble1"]
    assert out.index.equals(frame.index)
    np.testing.assert_array_equal(out.to_numpy(), generator.transform(frame))


def test_pickling_keeps_the_members(X):
    generator = KMeansEnsemble(3, random_state=0).fit(X)
    again = pickle.loads(pickle.dumps(generator))  # noqa: S301
    np.testing.assert_array_equal(again.transform(X).labels, generator.transform(X).labels)


def test_a_union_of_generators_keeps_the_records(X):
    union = FeatureUnion([("k", KMeansEnsemble(2)), ("any", EstimatorEnsemble())])
    E = make_pipeline(StandardScaler(), union).fit_transform(X)
    assert isinstance(E, Ensemble)
    assert [record["algorithm"] for record in E.records] == [
        *["KMeans"] * 3,
        "BisectingKMeans",
        "GaussianMixture",
    ]
    columns = ["algorithm", "n_clusters", "seed", "parameters", "trained_on", "weight"]
    assert E.members.columns.tolist() == columns
    assert list(E.payload[0]) == ["centers"]


# --------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "'n_estimators' .* int in the range \\[1, 2147483647\\]. Got 0"),
        ({"n_clusters": 0}, "'n_clusters' .* int in the range \\[1, 2147483647\\].* Got 0"),
        ({"n_clusters": 301}, "n_clusters=301 is more than the 300 objects of X; at most 300"),
        ({"n_clusters": (2, 301)}, "n_clusters=\\(2, 301\\) is more than the 300 objects"),
        ({"n_clusters": (5, 3)}, "n_clusters=\\(5, 3\\) .* 1 <= low <= high"),
        ({"n_clusters": (0, 3)}, "n_clusters=\\(0, 3\\) .* 1 <= low <= high"),
        ({"n_clusters": (2, 3, 4)}, "n_clusters=\\(2, 3, 4\\) .* \\(low, high\\)"),
        ({"n_clusters": (2, 3.5)}, "n_clusters=\\(2, 3.5\\) .* \\(low, high\\)"),
        ({"n_clusters": "many"}, "'n_clusters' .* Got 'many'"),
        ({"n_clusters": 9, "max_samples": 8}, "9 .* the 8 objects that max_samples=8 leaves"),
        ({"max_samples": 0}, "'max_samples' .* Got 0"),
        ({"max_samples": 1.5}, "'max_samples' .* \\(0.0, 1.0\\].* Got 1.5"),
        ({"max_samples": 301}, "max_samples=301 is more than the 300 objects of X; expected"),
    ],
)
def test_parameters_out_of_range(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        KMeansEnsemble(**parameters).fit(X)


def test_missing_values_are_named_by_column(X):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.loc[3, "b"] = np.nan
    with pytest.raises(ValueError, match="NaN in column 'b'"):
        KMeansEnsemble().fit(frame)


# ------------------------------------------------------------------ moves of single objects


def sum_of_squares(X, labels):
    groups = [X[labels == j] for j in np.unique(labels)]
    return sum(((own - own.mean(axis=0)) ** 2).sum() for own in groups)
