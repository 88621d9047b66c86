"""A member is decided by its plan, and its plan by the seed in its record."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from consens._labels import compact
from consens.generate import (
    EstimatorEnsemble,
    FeatureWeightEnsemble,
    KMeansEnsemble,
    LACEnsemble,
    ProjectionEnsemble,
    SpectralEnsemble,
    SubspaceEnsemble,
)

X = make_blobs(200, centers=5, n_features=4, random_state=0)[0]

GENERATORS = [
    KMeansEnsemble(3, random_state=5),
    KMeansEnsemble(3, max_samples=0.5, random_state=5),
    SubspaceEnsemble(3, max_samples=0.5, random_state=5),
    ProjectionEnsemble(3, random_state=5),
    FeatureWeightEnsemble(3, max_samples=50, random_state=5),
    SpectralEnsemble(3, max_samples=50, random_state=5),
    LACEnsemble((2, 6), inverse_h=[1, 4], init="random", random_state=5),
    LACEnsemble((2, 6), inverse_h=[1, 4], max_samples=0.5, random_state=5),
    EstimatorEnsemble(
        KMeans(6, n_init=1), n_estimators=3, max_samples=0.5, max_features=2, random_state=5
    ),
]


@pytest.mark.parametrize("generator", GENERATORS, ids=repr)
def test_a_plan_makes_the_same_member_again(generator):
    E = generator.fit_transform(X)
    plans = generator._plans(X)
    assert [plan.seed for plan in plans] == [record["seed"] for record in E.records]
    for plan, column, record in zip(plans, E.labels.T, E.records, strict=True):
        for _ in range(2):  # plans are values: making a member does not use them up
            rows = plan.sample.rows()
            (made,) = plan.train(X if rows is None else X[rows])
            labels = made.model.label(X) if made.labels is None else made.labels
            np.testing.assert_array_equal(compact(labels), column)
            (own,) = plan.records()
            assert {**own, "n_clusters": int(column.max()) + 1, **made.facts} == record
            n_objects = len(X) if rows is None else len(rows)
            assert len(plan.sample) == n_objects
