"""Ensembles of any clusterer: noise, unseen objects, seeds of every part."""

import pickle  # noqa: TID251 - estimators must survive it

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import (
    DBSCAN,
    HDBSCAN,
    AgglomerativeClustering,
    Birch,
    KMeans,
    MiniBatchKMeans,
    SpectralClustering,
)
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from consens import MISSING, NOISE
from consens.generate import EstimatorEnsemble

CLUSTERERS = [KMeans(3, n_init=1), AgglomerativeClustering(3), HDBSCAN(copy=True)]
TWO_PAIRS = np.array([[0.0], [1.0], [10.0], [11.0]])


@pytest.fixture(scope="module")
def X():
    return make_blobs(200, centers=4, n_features=3, random_state=0)[0]


class Halves(BaseEstimator):
    """Splits at the middle; like some clusterers, it has labels_ but neither predict method."""

    def fit(self, X, y=None):
        self.labels_ = np.where(X[:, 0] > np.median(X[:, 0]), 30, 10)
        return self


# ------------------------------------------------------------------------------ the members


def test_one_member_per_clusterer(X):
    E = EstimatorEnsemble(CLUSTERERS, random_state=0).fit_transform(X)
    assert list(E.members["algorithm"]) == ["KMeans", "AgglomerativeClustering", "HDBSCAN"]


def test_members_cycle_over_the_list(X):
    E = EstimatorEnsemble(CLUSTERERS[:2], n_estimators=5, random_state=0).fit_transform(X)
    names = ["KMeans", "AgglomerativeClustering"]
    assert list(E.members["algorithm"]) == [*names, *names, "KMeans"]


def test_one_clusterer_needs_no_list(X):
    ensemble = EstimatorEnsemble(GaussianMixture(3), n_estimators=2, random_state=0)
    assert ensemble.fit_transform(X).shape == (200, 2)


def test_labels_become_compact():
    E = EstimatorEnsemble(Halves()).fit_transform(TWO_PAIRS)
    assert E.labels.ravel().tolist() == [0, 0, 1, 1]


def test_noise_stays_noise_and_is_no_cluster():
    X = np.array([[0.0], [0.1], [7.0], [9.0], [9.1]])
    E = EstimatorEnsemble(DBSCAN(eps=1, min_samples=2)).fit_transform(X)
    assert E.labels.ravel().tolist() == [0, 0, NOISE, 1, 1]
    assert E.records[0]["n_clusters"] == 2


def test_a_member_may_be_all_noise():
    ensemble = EstimatorEnsemble(DBSCAN(eps=0.1, min_samples=2))
    E = ensemble.fit_transform(TWO_PAIRS)
    assert E.labels.ravel().tolist() == [NOISE] * 4
    assert E.records[0]["n_clusters"] == 0
    assert ensemble.transform(TWO_PAIRS).labels.ravel().tolist() == [NOISE] * 4


def test_the_record_makes_the_member_again(X):
    E = EstimatorEnsemble(MiniBatchKMeans(5), n_estimators=3, random_state=0).fit_transform(X)
    for column, record in zip(E.labels.T, E.records, strict=True):
        own = {
            name: value
            for name, value in record["parameters"].items()
            if name not in ("max_samples", "max_features")
        }
        np.testing.assert_array_equal(MiniBatchKMeans(**own).fit_predict(X), column)


# ------------------------------------------------------------------------------------ seeds


def test_every_random_part_of_a_member_has_its_own_seed(X):
    pipeline = make_pipeline(PCA(2, svd_solver="randomized"), KMeans(3, n_init=1, random_state=0))
    ensemble = EstimatorEnsemble(pipeline, n_estimators=3, random_state=0).fit(X)
    seeds = [
        step.random_state
        for member in ensemble.members_
        for _, step in member.model.estimator.steps
    ]
    assert len(set(seeds)) == 6
    assert pipeline[-1].random_state == 0


# members of k-means go through processes in test_kmeans_ensemble
@pytest.mark.parametrize("backend", [pytest.param("loky", marks=pytest.mark.slow), "threading"])
def test_jobs_change_nothing(X, backend):
    ensemble = EstimatorEnsemble(
        [*CLUSTERERS, SpectralClustering(3)], n_estimators=8, max_samples=0.7, random_state=3
    )
    alone = ensemble.fit_transform(X)
    with parallel_config(backend):
        together = clone(ensemble).set_params(n_jobs=2).fit_transform(X)
    np.testing.assert_array_equal(together.labels, alone.labels)
    assert together.records == alone.records


def test_a_longer_ensemble_continues_a_shorter_one(X):
    short, long = (
        EstimatorEnsemble(
            CLUSTERERS, n_estimators=n, max_samples=0.5, random_state=1
        ).fit_transform(X)
        for n in (2, 4)
    )
    np.testing.assert_array_equal(long.labels[:, :2], short.labels)


# --------------------------------------------------------------- objects and features unseen


@pytest.mark.parametrize("estimator", [*CLUSTERERS, Birch(n_clusters=3), Halves()])
def test_unseen_objects_are_missing_or_predicted(X, estimator):
    ensemble = EstimatorEnsemble(
        estimator, n_estimators=4, max_samples=0.5, fill="missing", random_state=0
    )
    with_gaps = ensemble.fit_transform(X).labels
    assert ((with_gaps == MISSING).sum(axis=0) == 100).all()
    filled = ensemble.set_params(fill="predict").fit_transform(X).labels
    assert (filled != MISSING).all()
    for gaps, full in zip(with_gaps.T, filled.T, strict=True):
        seen = gaps != MISSING
        pairs = np.unique(np.column_stack([gaps[seen], full[seen]]), axis=0)
        assert len(set(pairs[:, 0])) == len(pairs) == len(set(pairs[:, 1]))


def test_new_rows_are_predicted_even_when_gaps_are_kept(X):
    ensemble = EstimatorEnsemble(KMeans(3, n_init=1), max_samples=0.5, fill="missing")
    gaps = ensemble.fit_transform(X).labels
    labels = ensemble.transform(X).labels
    np.testing.assert_array_equal(np.where(gaps == MISSING, gaps, labels), gaps)
    assert labels.min() >= 0


@pytest.mark.parametrize("n_features", [1, 20])
def test_without_predict_the_nearest_object_decides_and_noise_begets_noise(n_features):
    X = np.zeros((5, n_features))
    X[:, 0] = [0.0, 0.1, 50.0, 99.0, 99.1]
    ensemble = EstimatorEnsemble(DBSCAN(eps=1, min_samples=2)).fit(X)
    new = np.zeros((4, n_features))
    new[:, 0] = [-9.0, 40.0, 60.0, 80.0]
    assert ensemble.transform(new).labels.ravel().tolist() == [0, NOISE, NOISE, 1]


def test_rows_in_a_cluster_that_the_fit_did_not_use_are_noise():
    class Rounding(Halves):
        def fit(self, X, y=None):
            self.labels_ = self.predict(X)
            return self

        def predict(self, X):
            return X[:, 0].astype(int)

    ensemble = EstimatorEnsemble(Rounding()).fit([[3.0], [5.0]])
    labels = ensemble.transform([[3.0], [4.0], [5.0], [6.0]]).labels
    assert labels.ravel().tolist() == [0, NOISE, 1, NOISE]


def test_members_see_their_own_features():
    rng = np.random.default_rng(0)
    X = rng.permuted(np.repeat([[0.0], [9.0]], 20, axis=0) * np.ones(6), axis=0)
    ensemble = EstimatorEnsemble(
        KMeans(2, n_init=1), n_estimators=12, max_features=1, random_state=0
    )
    E = ensemble.fit_transform(X)
    for column, member in zip(E.labels.T, ensemble.members_, strict=True):
        side = X[:, member.model.features[0]] > 5
        assert len(set(column[side])) == len(set(column[~side])) == 1
    assert len({int(member.model.features[0]) for member in ensemble.members_}) > 1
    assert {record["parameters"]["max_features"] for record in E.records} == {1}


def test_a_share_of_features_is_rounded_down_to_one_at_least(X):
    E = EstimatorEnsemble(Halves(), max_features=0.01).fit_transform(X)
    assert E.records[0]["parameters"]["max_features"] == 1


# ---------------------------------------------------------------------- inputs and outputs


def test_sparse_rows_where_the_clusterers_take_them(X):
    X = csr_array(np.where(np.abs(X) < 3, 0, X))
    ensemble = EstimatorEnsemble(
        [KMeans(3, n_init=1), DBSCAN(eps=2)], max_samples=0.8, random_state=0
    )
    E = ensemble.fit_transform(X)
    assert (E.labels != MISSING).all()
    with pytest.raises(TypeError, match="dense data is required"):
        EstimatorEnsemble(GaussianMixture(2)).fit(X)


def test_data_frames_and_pipelines(X):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    ensemble = EstimatorEnsemble(make_pipeline(StandardScaler(), HDBSCAN(copy=True)))
    ensemble.set_output(transform="pandas")
    out = ensemble.fit_transform(frame)
    assert out.columns.tolist() == ["estimatorensemble0"]
    assert ensemble.transform(frame).equals(out)


def test_pickling_keeps_the_members(X):
    ensemble = EstimatorEnsemble(CLUSTERERS, random_state=0).fit(X)
    again = pickle.loads(pickle.dumps(ensemble))  # noqa: S301
    np.testing.assert_array_equal(again.transform(X).labels, ensemble.transform(X).labels)


@pytest.mark.parametrize("points", [np.zeros((30, 2)), np.repeat(np.eye(3), 9, axis=0)])
def test_the_default_clusterers_take_duplicate_objects(points):
    E = EstimatorEnsemble(random_state=0).fit_transform(points)
    assert E.n_clusters.tolist() == [len(np.unique(points, axis=0))] * 3


# --------------------------------------------------------------------------------- refusals


class Talkative(Halves):
    def fit(self, X, y=None):
        self.labels_ = np.array(["a"] * len(X))
        return self


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimators": []}, "estimators=\\[\\] is empty; give at least one clusterer"),
        ({"estimators": KMeans}, "estimators\\[0\\]=.*KMeans.* is not a clusterer; expected"),
        ({"estimators": [KMeans(2), "kmeans"]}, "estimators\\[1\\]='kmeans' is not a clusterer"),
        ({"estimators": StandardScaler()}, "StandardScaler\\(\\) is not a clusterer: it has"),
        ({"estimators": DBSCAN(metric="precomputed")}, "needs a precomputed matrix"),
        ({"estimators": Talkative()}, "Talkative returned <U1 labels .* one integer per object"),
        ({"n_estimators": 0}, "'n_estimators' .* \\[1, 2147483647\\] or None. Got 0"),
        ({"max_samples": 0.0}, "'max_samples' .* Got 0.0"),
        ({"max_samples": 201}, "max_samples=201 is more than the 200 objects of X; expected"),
        ({"max_features": -1}, "'max_features' .* Got -1"),
        ({"max_features": 4}, "max_features=4 is more than the 3 features of X; expected"),
        ({"fill": "guess"}, "'fill' .* {.*'predict'.*}. Got 'guess'"),
    ],
)
def test_parameters_out_of_range(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        EstimatorEnsemble(**parameters).fit(X)
