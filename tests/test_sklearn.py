"""Every estimator keeps scikit-learn's contracts."""

import pickle  # noqa: TID251 - estimators must survive it; no file of ours is read by it

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from consens import ConsensusClustering, Ensemble, consensus, generate

GENERATORS = [
    generate.KMeansEnsemble(n_estimators=5),
    generate.EstimatorEnsemble(n_estimators=3),
]
CONSENSUS = [getattr(consensus, name)() for name in consensus.__all__]
FRONT_DOOR = [ConsensusClustering(generator=generate.KMeansEnsemble(n_estimators=10))]


def expected_failures(estimator):
    if type(estimator).__name__ not in consensus.__all__:
        return {}
    reason = "the check feeds real numbers where labels are due"
    return {"check_clustering": reason, "check_positive_only_tag_during_fit": reason}


@parametrize_with_checks(
    GENERATORS + CONSENSUS + FRONT_DOOR, expected_failed_checks=expected_failures
)
def test_scikit_learn_contracts(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(90, centers=[[0, 0], [8, 0], [0, 8]], random_state=0)


def test_a_pipeline_goes_from_data_to_labels(blobs):
    X, _ = blobs
    library = FeatureUnion(
        [
            ("kmeans", generate.KMeansEnsemble(10, random_state=0)),
            ("more", generate.KMeansEnsemble(10, n_clusters=3, random_state=1)),
        ]
    )
    pipeline = make_pipeline(library, consensus.EAC(3))
    labels = pipeline.fit_predict(X)
    assert isinstance(library.fit_transform(X), Ensemble)
    np.testing.assert_array_equal(clone(pipeline).fit_predict(X), labels)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(pipeline)).fit_predict(X), labels)  # noqa: S301
