"""Parquet files in blocks: what they hold, wherever row groups end."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from consens import ConsensusClustering
from consens._blocks import Engine, Rows
from consens._blocks.scaling import Scaler
from consens.consensus import LWMC
from consens.generate import KMeansEnsemble
from consens.io import open_parquet, read_labels, read_table
from consens.io.parquet import write_label_blocks

X = np.random.default_rng(0).normal(size=(90, 3))


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / f"{part}.parquet" for part in range(3)]
    for part, path in enumerate(paths):
        frame = pd.DataFrame(X[30 * part : 30 * part + 30], columns=["a", "b", "c"])
        frame.to_parquet(path, row_group_size=8)
    return paths


@pytest.mark.parametrize(
    ("n_rows", "sizes"),
    [(1, (8, 8, 8, 6) * 3), (16, (16, 14) * 3), (1000, (30, 30, 30))],
)
def test_blocks_are_row_groups_together(files, n_rows, sizes):
    rows = open_parquet(files, block_bytes=n_rows * 24)
    assert rows.sizes == sizes
    assert rows.names == ["a", "b", "c"]
    np.testing.assert_array_equal(rows.load(), X)


@pytest.mark.parametrize("read", [read_table, read_labels])
@pytest.mark.parametrize("note", [b"{", b"\xff", b"[1]"])
def test_a_damaged_note_of_pandas_names_the_file(tmp_path, read, note):
    path = tmp_path / "x.parquet"
    table = pa.table({"a": [1, 2], "b": [2, 1]}).replace_schema_metadata({b"pandas": note})
    pq.write_table(table, path)
    with pytest.raises(ValueError, match=r"x\.parquet is not a parquet file, or a damaged one"):
        read(path)


def test_columns_can_be_left_out_and_are_numbers(tmp_path):
    path = tmp_path / "x.parquet"
    frame = pd.DataFrame({"id": ["u", "v"], "k": [1, None], "r": np.float32([0.5, 2])})
    frame.to_parquet(path)
    rows = open_parquet(path, drop=["id"])
    assert rows.dtype == np.float64
    np.testing.assert_array_equal(rows.load(), [[1, 0.5], [np.nan, 2]])
    assert open_parquet(path, drop=["id", "k"]).dtype == np.float32
    with pytest.raises(ValueError, match="column 'id' is not numeric.* drop=\\['id'\\]"):
        open_parquet(path)
    with pytest.raises(ValueError, match="no column 'z'"):
        open_parquet(path, drop=["z"])


def test_bad_files(files, tmp_path):
    other = tmp_path / "other.parquet"
    pd.DataFrame({"a": [1.0]}).to_parquet(other)
    with pytest.raises(ValueError, match="other.parquet has the columns 'a', but"):
        open_parquet([*files, other])
    with pytest.raises(FileNotFoundError, match="no such file"):
        open_parquet(tmp_path / "none.parquet")
    other.write_text("nothing")
    with pytest.raises(ValueError, match="not a parquet file"):
        open_parquet(other)
    pd.DataFrame({"a": np.empty(0)}).to_parquet(other)
    with pytest.raises(ValueError, match="has no rows"):
        open_parquet(other)


@pytest.mark.parametrize("memory_limit", [None, 200])
def test_clustering_files_is_clustering_the_table(files, memory_limit, monkeypatch):
    """With 200 bytes, labels are kept in temporary files."""
    monkeypatch.setattr("consens.generate.kmeans_ensemble.MIN_SAMPLES", 30)
    monkeypatch.setattr("consens.generate.kmeans_ensemble.SAMPLES_PER_CENTER", 6)
    model = ConsensusClustering(
        3, generator=KMeansEnsemble(5, n_clusters=5), consensus=LWMC(), random_state=0
    )
    expected = model.fit(X).labels_
    confidence = model.confidence_
    rows = open_parquet(files, block_bytes=500, engine=Engine(memory_limit))
    np.testing.assert_array_equal(model.fit(rows).labels_, expected)
    np.testing.assert_array_equal(model.confidence_, confidence)


def test_labels_are_written_block_by_block(tmp_path):
    labels, confidence = np.array([0, 1, -1], np.int32), np.array([1, 0.5, 0])
    path = tmp_path / "labels.parquet"
    write_label_blocks(path, Rows.from_array(labels, [2, 1]), Rows.from_array(confidence, [2, 1]))
    assert pq.read_metadata(path).num_row_groups == 2
    frame = pd.read_parquet(path)
    np.testing.assert_array_equal(frame["label"], labels)
    np.testing.assert_array_equal(frame["confidence"], confidence)


@pytest.mark.parametrize("how", ["standard", "minmax"])
def test_scaling_depends_on_no_blocks(how):
    own = np.column_stack([X * [1, 1e6, 1e-3] + [0, 5, 7], np.full(len(X), 7.0)])
    one = Scaler.fit(own, how)(own)
    rows = Rows.from_array(own, [1, 50, 39])
    np.testing.assert_array_equal(Scaler.fit(rows, how)(rows).load(), one)
    if how == "standard":
        np.testing.assert_allclose(one.mean(axis=0), 0, atol=1e-9)
        np.testing.assert_allclose(one[:, :3].std(axis=0), 1, rtol=1e-9)
    else:
        np.testing.assert_array_equal(one[:, :3].min(axis=0), 0)
        np.testing.assert_array_equal(one[:, :3].max(axis=0), 1)
    np.testing.assert_array_equal(one[:, 3], 0)


def test_new_files_need_the_columns_of_the_model_in_their_order(files, tmp_path):
    model = ConsensusClustering(
        3, generator=KMeansEnsemble(5, n_clusters=5), consensus=LWMC(), random_state=0
    ).fit(open_parquet(files))
    model.predict(open_parquet(files))
    other = tmp_path / "other.parquet"
    pd.DataFrame(X, columns=["a", "c", "b"]).to_parquet(other)
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        model.predict(open_parquet(other))
