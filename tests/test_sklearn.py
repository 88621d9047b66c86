"""Every estimator keeps scikit-learn's contracts."""

import pickle  # noqa: TID251 - estimators must survive it; no file of ours is read by it

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from consens import ConsensusClustering, Ensemble, consensus, generate, select

GENERATORS = [
    generate.BoostedKMeans(n_estimators=3),
    generate.KMeansEnsemble(n_estimators=5),
    generate.PrototypeEnsemble(generate.KMeansEnsemble(n_estimators=3)),
    generate.EstimatorEnsemble(n_estimators=3),
]
SELECTORS = [getattr(select, name)() for name in select.__all__ if name[0].isupper()]
CONSENSUS = [getattr(consensus, name)() for name in consensus.__all__]
FRONT_DOOR = [ConsensusClustering(generator=generate.KMeansEnsemble(n_estimators=10))]


# methods on weighted clusters refuse labels alone; here they get what certain labels imply
pytestmark = pytest.mark.usefixtures("certain_labels_as_features")


def expected_failures(estimator):
    name = type(estimator).__name__
    if name not in [*consensus.__all__, *select.__all__]:
        return {}
    # both feed what no label is: real numbers, and integers below the code of missing labels
    checks = ["check_positive_only_tag_during_fit"]
    checks += ["check_clustering"] if name in consensus.__all__ else []
    reasons = dict.fromkeys(checks, "the check feeds numbers where labels are due")
    if name == "WSBPA":
        reason = "fit takes labels, which may be missing; predict takes features, which may not"
        reasons["check_estimators_pickle"] = reason
    return reasons


@parametrize_with_checks(
    GENERATORS + SELECTORS + CONSENSUS + FRONT_DOOR, expected_failed_checks=expected_failures
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
