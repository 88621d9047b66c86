"""Members that are trained on objects drawn with replacement."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from consens._blocks import Rows, functions
from consens._labels import compact
from consens.generate import (
    BoostedKMeans,
    EstimatorEnsemble,
    FeatureWeightEnsemble,
    KMeansEnsemble,
    LACEnsemble,
    LandmarkEnsemble,
    MixtureEnsemble,
    ProjectionEnsemble,
    SpectralEnsemble,
    SubspaceEnsemble,
    TreeEnsemble,
)

X = make_blobs(120, centers=4, n_features=4, random_state=0)[0]
GIVEN = {"max_samples": "bootstrap", "random_state": 3}
GENERATORS = [
    KMeansEnsemble(3, **GIVEN),
    SubspaceEnsemble(3, **GIVEN),
    ProjectionEnsemble(3, **GIVEN),
    FeatureWeightEnsemble(3, **GIVEN),
    SpectralEnsemble(3, n_widths=17, **GIVEN),
    LandmarkEnsemble(3, **GIVEN),
    MixtureEnsemble(3, **GIVEN),
    TreeEnsemble(8, **GIVEN),
    LACEnsemble(4, inverse_h=[1, 2, 3], **GIVEN),
]


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda g: type(g).__name__)
def test_members_are_trained_on_objects_that_repeat(generator):
    E = generator.fit_transform(X)
    plans = generator._plans(X)
    draws = [plan.sample.rows() for plan in plans]
    for rows in draws:
        assert len(rows) == len(X) == len(np.sort(rows))
        # n draws of n leave out a share of about 1/e
        assert 0.5 < len(np.unique(rows)) / len(X) < 0.75
    assert any((draws[0] != other).any() for other in draws[1:])
    columns = iter(E.labels.T)
    for plan, rows in zip(plans, draws, strict=True):
        for one in plan.train(X[rows]):
            np.testing.assert_array_equal(compact(one.model.label(X)), next(columns))
    np.testing.assert_array_equal(generator.transform(X).labels, E.labels)
    assert set(E.members["trained_on"]) == {len(X)}


def test_a_clusterer_sees_objects_that_repeat():
    seen = []

    class Spy(KMeans):
        def fit_predict(self, X, y=None):
            seen.append(len(np.unique(X, axis=0)) / len(X))
            return super().fit_predict(X)

    E = EstimatorEnsemble(Spy(4, n_init=1), n_estimators=3, **GIVEN).fit_transform(X)
    assert E.shape == (120, 3)
    assert (E.labels >= 0).all()
    assert all(0.5 < share < 0.75 for share in seen)
    missing = EstimatorEnsemble(KMeans(4, n_init=1), n_estimators=3, fill="missing", **GIVEN)
    unseen = (missing.fit_transform(X).labels < 0).mean(axis=0)
    assert ((unseen > 0.25) & (unseen < 0.5)).all()


def test_boosting_always_draws_with_replacement():
    given = BoostedKMeans(3, n_clusters=4, **GIVEN).fit_transform(X)
    usual = BoostedKMeans(3, n_clusters=4, random_state=3).fit_transform(X)
    np.testing.assert_array_equal(given.labels, usual.labels)


@pytest.mark.parametrize("together", [2**28, 1])
def test_blocks_of_rows_give_the_same_members(monkeypatch, together):
    monkeypatch.setattr(
        functions, "SAMPLE_BYTES", together
    )  # jobs whose rows are gathered at once
    E = KMeansEnsemble(6, **GIVEN).fit_transform(Rows.from_array(X, [35, 50, 35]))
    np.testing.assert_array_equal(np.asarray(E), KMeansEnsemble(6, **GIVEN).fit_transform(X))


def test_jobs_whose_rows_repeat_get_their_own_rows():
    """Three rows drawn for a job are not the three gathered for all."""
    draws = [lambda: np.array([0, 0, 2]), lambda: np.array([1, 1, 1])]
    rows = Rows.from_array(np.arange(3.0)[:, None], [2, 1])
    found = dict(
        functions.run_on_samples(lambda job, own: own.ravel().tolist(), [0, 1], draws, rows)
    )
    assert found == {0: [0, 0, 2], 1: [1, 1, 1]}
