"""Ensemble folders: what goes in comes out, and other tools read it without us."""

import json
import os
import tempfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array

from consens import MISSING, NOISE, Ensemble
from consens._support import memory
from consens.generate import KMeansEnsemble, LACEnsemble
from consens.io import read_ensemble, read_labels, read_meta, write_ensemble

LABELS = np.array([[0, 0], [0, NOISE], [1, MISSING], [1, 1]], dtype=np.int32)


def same(one, other):
    np.testing.assert_array_equal(one.labels, other.labels)
    assert list(map(dict, one.records)) == list(map(dict, other.records))
    assert len(one.payload) == len(other.payload)
    for own, their in zip(one.payload, other.payload, strict=True):
        assert own.keys() == their.keys()
        for name in own:
            if hasattr(own[name], "toarray"):
                assert (own[name] != their[name]).nnz == 0
            else:
                np.testing.assert_array_equal(own[name], their[name])
                assert own[name].dtype == their[name].dtype
    assert (one.obs is None) == (other.obs is None)
    if one.obs is not None:
        np.testing.assert_array_equal(one.obs, other.obs)


@pytest.fixture
def made():
    X = pd.DataFrame(
        np.random.default_rng(0).normal(size=(30, 3)), index=[f"s{i}" for i in range(30)]
    )
    return KMeansEnsemble(4, n_clusters=(2, 5), random_state=0).fit_transform(X)


def test_what_goes_in_comes_out(tmp_path, made):
    write_ensemble(made, tmp_path / "a.ens", parameters={"n_estimators": 4}, seed=0)
    same(read_ensemble(tmp_path / "a.ens"), made)
    meta = read_meta(tmp_path / "a.ens")
    assert meta["encoding-type"] == "consens-ensemble"
    assert meta["encoding-version"] == "1"
    assert (meta["seed"], meta["parameters"]) == (0, {"n_estimators": 4})
    assert meta["versions"].keys() == {"consens", "numpy", "scikit-learn"}
    assert os.listdir(tmp_path) == ["a.ens"]


@st.composite
def ensembles(draw):
    """Any ensemble that numbers, text and JSON can tell."""
    shape = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    labels = draw(hnp.arrays(np.int32, shape, elements=st.integers(MISSING, 3)))
    value = st.one_of(st.integers(), st.text(), st.booleans(), st.floats(allow_nan=False))
    value = value.filter(lambda v: not isinstance(v, float) or np.isfinite(v))
    names = st.text(min_size=1, max_size=5).filter(lambda name: name != "column")
    record = st.dictionaries(names, value | st.lists(value) | st.dictionaries(st.text(), value))
    kinds = st.sampled_from([np.float32, np.float64, np.int16, bool, "U3"])
    arrays = hnp.arrays(kinds, hnp.array_shapes(max_dims=3, max_side=3))
    clusters = {"centers": np.eye(4)}  # keeps the numbers as they are
    per_member = [
        clusters | draw(st.dictionaries(st.text("abc"), arrays)) for _ in range(shape[1])
    ]
    obs = draw(st.sampled_from([None, np.arange(shape[0]), np.array(list("abcdef"))[: shape[0]]]))
    records = [draw(record) for _ in range(shape[1])]
    return Ensemble(labels, records, per_member, obs)


@settings(max_examples=40, deadline=None)
@given(ensembles())
def test_any_ensemble_comes_back(ensemble):
    with tempfile.TemporaryDirectory() as folder:
        write_ensemble(ensemble, f"{folder}/a.ens")
        same(read_ensemble(f"{folder}/a.ens"), ensemble)


def test_codes_come_back(tmp_path):
    write_ensemble(Ensemble(LABELS), tmp_path / "a.ens")
    same(read_ensemble(tmp_path / "a.ens"), Ensemble(LABELS))


def test_what_members_share_is_stored_once(tmp_path):
    X = np.random.default_rng(0).normal(size=(200, 5))
    ensemble = LACEnsemble(3, inverse_h=(1, 2, 5, 9), random_state=0).fit_transform(X)
    write_ensemble(ensemble, tmp_path / "a.ens")
    again = read_ensemble(tmp_path / "a.ens")
    same(again, ensemble)
    assert len({id(entries["features"]) for entries in again.payload}) == 1
    assert (tmp_path / "a.ens" / "payload.npz").stat().st_size < 2 * X.nbytes


def test_sparse_features(tmp_path):
    features = csr_array(np.array([[0, 1.5], [2, 0], [0, 0], [3, 4]]))
    ensemble = Ensemble(LABELS, payload=[{"features": features}] * 2)
    write_ensemble(ensemble, tmp_path / "a.ens")
    same(read_ensemble(tmp_path / "a.ens"), ensemble)


def test_odd_records_come_back(tmp_path):
    records = [
        {"name": "a", "weight": 0.5, "seed": 2**70, "note": [1, {"x": None}]},
        {"parameters": {"h": float("inf"), "k": np.int64(3)}, "seed": 1, "n_clusters": 2},
    ]
    write_ensemble(Ensemble(LABELS, records), tmp_path / "a.ens")
    first, second = read_ensemble(tmp_path / "a.ens").records
    assert first == records[0]
    assert second == records[1] | {"parameters": {"h": "Infinity", "k": 3}}


def test_the_same_ensemble_is_the_same_bytes(tmp_path, made):
    for name in ("a.ens", "b.ens"):
        write_ensemble(made, tmp_path / name, seed=0)
    for name in os.listdir(tmp_path / "a.ens"):
        assert (tmp_path / "a.ens" / name).read_bytes() == (tmp_path / "b.ens" / name).read_bytes()


def test_labels_as_a_table(tmp_path):
    write_ensemble(Ensemble(LABELS, obs=["a", "b", "c", "d"]), tmp_path / "a.ens")
    table = read_labels(tmp_path / "a.ens")
    assert table.ids == ["a", "b", "c", "d"]
    assert table.id_column == "object"
    assert table.labels.isna().to_numpy().tolist() == (LABELS == MISSING).tolist()
    same(
        read_ensemble(tmp_path / "a.ens", drop=["m0"], id_column=False),
        Ensemble(LABELS[:, 1:]),
    )


# ------------------------------------------------------------------------ without our code


def test_pandas_alone_reads_a_folder(tmp_path):
    write_ensemble(Ensemble(LABELS, obs=["a", "b", "c", "d"]), tmp_path / "a.ens")
    labels = pd.read_parquet(tmp_path / "a.ens" / "labels.parquet")
    members = pd.read_parquet(tmp_path / "a.ens" / "members.parquet")
    assert labels.index.tolist() == ["a", "b", "c", "d"]
    assert labels.columns.tolist() == members["column"].tolist() == ["m0", "m1"]
    assert labels["m1"].tolist() == [0, NOISE, pd.NA, 1]


def test_pyarrow_alone_reads_a_folder(tmp_path):
    write_ensemble(Ensemble(LABELS), tmp_path / "a.ens")
    table = pq.read_table(tmp_path / "a.ens" / "labels.parquet")
    assert table.schema.names == ["m0", "m1"]
    assert set(table.schema.types) == {pa.int32()}
    assert table["m1"].to_pylist() == [0, -1, None, 1]


@pytest.mark.filterwarnings("ignore:.*inplace")  # dask's own calls of pandas
def test_dask_reads_a_folder(tmp_path):
    dask = pytest.importorskip("dask.dataframe")
    write_ensemble(Ensemble(LABELS, obs=["a", "b", "c", "d"]), tmp_path / "a.ens")
    found = dask.read_parquet(tmp_path / "a.ens" / "labels.parquet").compute()
    assert found["m1"].tolist() == [0, NOISE, pd.NA, 1]
    assert found.index.tolist() == ["a", "b", "c", "d"]


def test_polars_reads_a_folder(tmp_path):
    polars = pytest.importorskip("polars")
    write_ensemble(Ensemble(LABELS, obs=["a", "b", "c", "d"]), tmp_path / "a.ens")
    found = polars.read_parquet(tmp_path / "a.ens" / "labels.parquet")
    assert found.columns == ["object", "m0", "m1"]
    assert found["m1"].to_list() == [0, NOISE, None, 1]


def by_hand(folder, **changed):
    """Write a folder as docs/format.md says, with pyarrow and json only."""
    folder.mkdir()
    parts = {
        "labels": {"object": ["x", "y", "z"], "kmeans": [1, 1, 2], "hdbscan": [5, -1, None]},
        "members": {"column": ["hdbscan", "kmeans"], "weight": [0.5, 1.0]},
        "meta": {"encoding-type": "consens-ensemble", "encoding-version": "1"},
    } | changed
    pq.write_table(pa.table(parts["labels"]), folder / "labels.parquet")
    pq.write_table(pa.table(parts["members"]), folder / "members.parquet")
    (folder / "meta.json").write_text(json.dumps(parts["meta"]))
    return folder


def test_a_folder_by_hand(tmp_path):
    ensemble = read_ensemble(by_hand(tmp_path / "a.ens"))
    assert ensemble.labels.tolist() == [[0, 0], [NOISE, 0], [MISSING, 1]]
    assert ensemble.obs.tolist() == ["x", "y", "z"]
    assert ensemble.weights.tolist() == [0.5, 1.0]
    assert read_labels(tmp_path / "a.ens", drop=["hdbscan"]).labels.columns == ["kmeans"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"meta": {"encoding-type": "consens-ensemble", "encoding-version": "2"}}, "version '2'"),
        ({"meta": {"encoding-type": "anndata"}}, "not an ensemble folder"),
        ({"meta": []}, "not an ensemble folder"),
        ({"members": {"column": ["kmeans", "other"]}}, "no column 'other'"),
        ({"members": {"column": ["kmeans"]}}, "'hdbscan', which is neither 'object' nor named"),
        ({"members": {"column": ["kmeans", "kmeans"]}}, "twice"),
        ({"members": {"weight": [1.0]}}, "text in 'column'"),
        ({"labels": {"kmeans": [0.5, 1.0], "hdbscan": [1, 2]}}, "double, not integers"),
        ({"labels": {"kmeans": [-3, 1], "hdbscan": [1, 2]}}, "the label -3"),
        ({"labels": {"object": ["x", None], "kmeans": [0, 1], "hdbscan": [1, 2]}}, "without an"),
    ],
)
def test_wrong_folders(tmp_path, changed, words):
    with pytest.raises(ValueError, match=words):
        read_ensemble(by_hand(tmp_path / "a.ens", **changed))


def test_a_flipped_bit_is_refused_or_harmless(tmp_path, made):
    """Checksums of pages and arrays find what changes a value."""
    write_ensemble(made, tmp_path / "a.ens", seed=0)
    rng = np.random.default_rng(0)
    names = ["labels.parquet", "members.parquet", "payload.npz"]
    refused = 0
    for name in rng.choice(names, 150):
        path = tmp_path / "a.ens" / name
        whole = path.read_bytes()
        damaged = bytearray(whole)
        damaged[rng.integers(len(whole))] ^= 1 << rng.integers(8)
        path.write_bytes(damaged)
        try:
            found = read_ensemble(tmp_path / "a.ens")
        except ValueError:
            refused += 1
        else:  # names of columns, which have no checksum, may have changed
            same(replace(found, records=()), replace(made, records=()))
        path.write_bytes(whole)
    assert refused > 30


# ------------------------------------------------------------------------------ replacing


def test_another_folder_is_never_replaced(tmp_path, made):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.tex").write_text("x")
    with pytest.raises(ValueError, match="not replaced.*thesis.tex"):
        write_ensemble(made, tmp_path / "home")
    write_ensemble(made, tmp_path / "a.ens")
    (tmp_path / "a.ens" / "notes.txt").write_text("x")
    with pytest.raises(ValueError, match="not replaced.*notes.txt"):
        write_ensemble(made, tmp_path / "a.ens")
    with pytest.raises(ValueError, match="is a file"):
        write_ensemble(made, tmp_path / "home" / "thesis.tex")
    assert os.listdir(tmp_path / "home") == ["thesis.tex"]


def test_a_new_ensemble_takes_the_place_of_the_old(tmp_path, made):
    for ensemble in (made, Ensemble(LABELS), made[:, :2]):
        write_ensemble(ensemble, tmp_path / "a.ens")
        np.testing.assert_array_equal(read_ensemble(tmp_path / "a.ens").labels, ensemble.labels)
        assert os.listdir(tmp_path) == ["a.ens"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes of POSIX systems")
@pytest.mark.parametrize("name", ["meta.json", "labels.parquet", "members.parquet"])
def test_a_pipe_in_a_folder_is_refused_at_once(tmp_path, name):
    write_ensemble([[0, 0, 1], [0, 1, 1]], tmp_path / "a.ens")
    (tmp_path / "a.ens" / name).unlink()
    os.mkfifo(tmp_path / "a.ens" / name)
    with pytest.raises(ValueError, match=f"a.ens is damaged: {name} is a pipe, not a file"):
        read_ensemble(tmp_path / "a.ens")


@pytest.mark.parametrize("part", ["labels", "payload"])
def test_an_ensemble_that_cannot_fit_is_refused_before_it_is_read(tmp_path, monkeypatch, part):
    n = 50_000
    payload = [{"features": np.zeros((n, 4))}] if part == "payload" else ()
    write_ensemble(Ensemble(np.zeros((n, 1), dtype=np.int32), payload=payload), tmp_path / "a.ens")
    monkeypatch.setattr(memory, "available_memory", lambda: 1e6 if part == "payload" else 4e5)
    needs = "payload of .*a.ens needs 1.5 MiB" if part == "payload" else "a.ens .*needs 390.6 KiB"
    with pytest.raises(MemoryError, match=needs):
        read_ensemble(tmp_path / "a.ens")


@pytest.mark.parametrize("parameters", [3, "x", [("seed", 0)], np.arange(2)])
def test_parameters_of_another_type_are_named(tmp_path, parameters):
    with pytest.raises(TypeError, match="parameters=.*; expected a mapping, or None"):
        write_ensemble([[0, 0], [1, 1]], tmp_path / "x.ens", parameters=parameters)
