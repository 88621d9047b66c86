"""Tables of other libraries are taken wherever a data frame is."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse import dok_array

from consens import ConsensusClustering, Ensemble, combine
from consens._support.frames import to_frame
from consens.consensus import EAC
from consens.generate import KMeansEnsemble

pl = pytest.importorskip("polars")

FEATURES = {"a": [0.0, 0.1, 5.0, 5.1, 0.2, 5.2], "b": [1, 1, 9, 9, 1, 9]}
LABELS = {"one": ["x", "x", "y", "y", None, "y"], "two": [0, 0, 1, 1, 0, 1]}
KINDS = {
    "dict": dict,
    "dict of arrays": lambda table: {name: np.array(values) for name, values in table.items()},
    "polars": pl.DataFrame,
    "lazy polars": pl.LazyFrame,
    "pyarrow": pa.table,
}


@pytest.mark.parametrize("kind", KINDS)
def test_features(kind):
    table, frame = KINDS[kind](FEATURES), pd.DataFrame(FEATURES)
    model = ConsensusClustering(2, random_state=0).fit(table)
    np.testing.assert_array_equal(
        model.labels_, ConsensusClustering(2, random_state=0).fit(frame).labels_
    )
    np.testing.assert_array_equal(model.predict(table), model.predict(frame))
    members = KMeansEnsemble(2, n_clusters=2, random_state=0)
    np.testing.assert_array_equal(members.fit_transform(table), members.fit_transform(frame))
    assert members.feature_names_in_.tolist() == ["a", "b"]


@pytest.mark.parametrize("kind", KINDS)
def test_labels(kind):
    table, expected = KINDS[kind](LABELS), Ensemble.from_labels(pd.DataFrame(LABELS))
    np.testing.assert_array_equal(Ensemble.from_labels(table).labels, expected.labels)
    assert list(Ensemble.from_labels(table).records) == list(expected.records)
    np.testing.assert_array_equal(EAC(2).fit(table).labels_, EAC(2).fit(expected).labels_)
    np.testing.assert_array_equal(combine(table, "eac", 2).labels_, EAC(2).fit(expected).labels_)


def test_columns_of_different_length():
    with pytest.raises(ValueError, match="the columns of the table do not fit together"):
        combine({"one": [0, 1, 1], "two": [0, 1]}, "eac", 2)


def test_what_is_no_table_stays():
    for other in ([[0, 1]], np.eye(2), pd.DataFrame(LABELS), pl.Series([1, 2])):
        assert to_frame(other) is other


@pytest.mark.parametrize("fit", [ConsensusClustering(2).fit, EAC(2).fit, KMeansEnsemble().fit])
def test_an_anndata_object_names_the_way(fit):
    adata = SimpleNamespace(obs=0, var=0, obsm={}, uns={}, X=np.eye(3), shape=(3, 3))
    with pytest.raises(TypeError, match=r"consens.anndata.cluster\(adata, use_rep='X_pca'\)"):
        fit(adata)


def test_a_sparse_matrix_is_no_dictionary():
    matrix = dok_array((3, 2))
    assert to_frame(matrix) is matrix
