"""Every estimator keeps scikit-learn's contracts."""

import inspect
import pickle  # noqa: TID251 - estimators must survive it; no file of ours is read by it

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

from consens import ConsensusClustering, Ensemble, consensus, generate, select

# methods on weighted clusters refuse labels alone; here they get what certain labels imply
pytestmark = pytest.mark.usefixtures("certain_labels_as_features")

#: Parameters under which a class shows most of what it does in little time; others get the
#: defaults, with few members.
PARAMETERS = {
    "ConsensusClustering": {"generator": generate.KMeansEnsemble(3), "max_clusters": 3},
    "EstimatorEnsemble": {
        "estimators": [KMeans(2, n_init=1), AgglomerativeClustering()],
        "max_samples": 0.9,
        "max_features": 0.5,
    },
    "KMeansEnsemble": {"max_samples": 0.9},
    "LAC": {"n_clusters": 3},
    "LACEnsemble": {"n_clusters": (1, 2), "inverse_h": [1, 2], "init": "random"},
    "LatentEM": {"max_clusters": 3, "n_init": 2},
    "PrototypeEnsemble": {"generator": generate.KMeansEnsemble(3)},
    "SpectralEnsemble": {"max_samples": 0.8},
}


def make(kind):
    given = dict(PARAMETERS.get(kind.__name__, {}))
    if "n_estimators" in inspect.signature(kind).parameters:
        given.setdefault("n_estimators", 2)
    return kind(**given)


def estimators():
    """Each public estimator once; a class of the package takes no line here."""
    public = [
        getattr(part, name)
        for part in (generate, select, consensus)
        for name in part.__all__
        if not name.startswith("Base")
    ]
    kinds = [kind for kind in public if inspect.isclass(kind) and issubclass(kind, BaseEstimator)]
    made = [make(kind) for kind in [*kinds, ConsensusClustering]]
    # scikit-learn's checks have no texts
    return [estimator for estimator in made if get_tags(estimator).input_tags.two_d_array]


def expected_failures(estimator):
    name = type(estimator).__name__
    if name == "ConsensusClustering":
        checks = ["check_estimator_sparse_array", "check_estimator_sparse_matrix"]
        return dict.fromkeys(checks, "the checks expect predict_proba of classifiers only")
    if name not in [*consensus.METHODS, *select.__all__]:
        return {}
    # both checks pass invalid labels: real numbers, and integers below the code of missing labels
    checks = ["check_positive_only_tag_during_fit"]
    checks += ["check_clustering"] if name in consensus.METHODS else []
    reasons = dict.fromkeys(checks, "the check passes real numbers instead of labels")
    if name == "WSBPA":
        reason = "fit takes labels, which may be missing; predict takes features, which may not"
        reasons["check_estimators_pickle"] = reason
    return reasons


@pytest.mark.parametrize("estimator", estimators(), ids=lambda estimator: type(estimator).__name__)
def test_scikit_learn_contracts(estimator):
    expected = expected_failures(estimator)
    results = check_estimator(
        estimator, expected_failed_checks=expected, on_skip=None, on_fail=None
    )
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert not failed
    assert {r["check_name"] for r in results if r["status"] == "xfail"} == expected.keys()


@pytest.mark.parametrize("estimator", estimators(), ids=lambda estimator: type(estimator).__name__)
def test_every_parameter_has_a_rule(estimator):
    assert estimator._parameter_constraints.keys() == estimator.get_params(deep=False).keys()


@pytest.mark.parametrize("estimator", estimators(), ids=lambda estimator: type(estimator).__name__)
def test_only_the_first_parameter_is_positional(estimator):
    others = list(inspect.signature(type(estimator)).parameters.values())[1:]
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in others)


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
