"""AnnData in and out."""

import json
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import consens
from consens import MISSING, NOISE, ConsensusClustering, Ensemble
from consens.cli import run
from consens.consensus import EAC
from consens.io import (
    from_anndata,
    h5ad,
    read_ensemble,
    read_labels,
    to_anndata,
)
from consens.io.tables import read_header

from ._features import read_features, read_truth


def test_without_anndata_the_way_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setattr(h5ad, "find_spec", lambda name: None)
    (tmp_path / "a.h5ad").write_bytes(b"\x89HDF")
    with pytest.raises(ImportError, match=r"pip install 'consens\[anndata\]'"):
        read_features(tmp_path / "a.h5ad")


def test_a_reader_that_crashes_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(h5ad, "find_spec", lambda name: True)
    (tmp_path / "child.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    monkeypatch.setattr(h5ad, "_CHILD", tmp_path / "child.py")
    (tmp_path / "a.h5ad").write_bytes(b"\x89HDF")
    with pytest.raises(ValueError, match="not an h5ad file, or a damaged one"):
        read_features(tmp_path / "a.h5ad")


@pytest.fixture
def adata():
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(0)
    obs = pd.DataFrame(
        {
            "leiden": pd.Categorical(["0", "0", "1", "1"]),
            "louvain": pd.Categorical(["a", None, "b", "b"]),
            "n_counts": [3.5, 2.0, 1.0, 9.5],
        },
        index=["c1", "c2", "c3", "c4"],
    )
    X = csr_array(np.array([[0, 1.0, 0], [2, 0, 0], [0, 0, 3], [0, 4, 0]]))
    made = anndata.AnnData(X, obs, pd.DataFrame(index=["g1", "g2", "g3"]))
    made.layers["counts"] = 2 * X
    made.obsm["X_pca"] = rng.normal(size=(4, 2))
    return made


@pytest.fixture
def path(adata, tmp_path):
    adata.write_h5ad(tmp_path / "a.h5ad")
    return tmp_path / "a.h5ad"


def test_features(adata, path):
    table = read_features(path)
    np.testing.assert_array_equal(table.X, adata.obsm["X_pca"])
    assert table.columns == ["X_pca1", "X_pca2"]
    assert table.ids == ["c1", "c2", "c3", "c4"]
    assert table.array == "X_pca"
    table = read_features(path, array="X", id_column=False, drop=["g1"])
    np.testing.assert_array_equal(table.X, adata.X.toarray()[:, 1:])
    assert table.columns == ["g2", "g3"]
    assert table.ids == range(4)
    np.testing.assert_array_equal(read_features(path, array="counts").X, 2 * adata.X.toarray())
    with pytest.raises(ValueError, match="no array 'X_umap'; it holds 'X', 'counts', 'X_pca'"):
        read_features(path, array="X_umap")
    header = read_header(path)
    assert header[:2] == ({"obs_names": "string", "X_pca1": "double", "X_pca2": "double"}, 4)


def test_labels(path, adata):
    table = read_labels(path, columns=["l*"])
    assert table.labels.columns.tolist() == ["leiden", "louvain"]
    expected = [[0, 0], [0, MISSING], [1, 1], [1, 1]]
    found = read_ensemble(path, columns=["louvain", "leiden"])
    assert found.labels.tolist() == expected
    assert found.obs.tolist() == ["c1", "c2", "c3", "c4"]
    assert from_anndata(adata, ["leiden", "louvain"]).labels.tolist() == expected
    assert from_anndata(adata, ["leiden"]).labels.ravel().tolist() == [0, 0, 1, 1]
    assert read_truth(path, array="leiden").tolist() == [0, 0, 1, 1]
    with pytest.raises(ValueError, match="no column 'kmeans' is in obs; its columns are 'leiden'"):
        from_anndata(adata, ["kmeans"])
    with pytest.raises(ValueError, match=r"no column 'k\*' in obs; its columns are 'leiden'"):
        read_labels(path, columns=["k*"])


def test_clusterings_must_be_named(path, adata):
    """A class or a batch is never taken for a clustering."""
    with pytest.raises(ValueError, match=r"need not be clusterings: 'leiden', .* columns=\["):
        read_labels(path)
    with pytest.raises(ValueError, match="name those that are clusterings among 'leiden'"):
        from_anndata(adata)


def test_names_become_categories(adata):
    names = np.array(["B", "T", "NK"])[np.arange(adata.n_obs) % 3]
    to_anndata(adata, consens.combine(np.column_stack([names, names])))
    assert adata.obs["consens"].tolist() == names.tolist()


def test_objects_without_any_label_have_no_category(adata):
    labels = [[0, 0], [MISSING, MISSING], [1, 1], [NOISE, NOISE]]
    with pytest.warns(UserWarning, match="1 object"):
        consensus = EAC(2).fit(labels)
    assert consensus.labels_.tolist() == [0, MISSING, 1, NOISE]
    to_anndata(adata, consensus)
    assert adata.obs["consens"].cat.codes.tolist() == [0, -1, 1, -1]


def test_there_and_back(adata, tmp_path):
    labels = np.array([[0, 0], [0, MISSING], [1, 1], [NOISE, NOISE]])
    ensemble = Ensemble(labels, [{"algorithm": "a", "parameters": {"k": 2}}, {"weight": 0.5}])
    consensus = EAC(2).fit(ensemble)
    to_anndata(adata, consensus)
    adata.write_h5ad(tmp_path / "a.h5ad")
    again = pytest.importorskip("anndata").read_h5ad(tmp_path / "a.h5ad")
    assert again.obs["consens"].cat.codes.tolist() == consensus.labels_.tolist() == [0, 0, 1, -1]
    np.testing.assert_array_equal(again.obs["consens_confidence"], consensus.confidence_)
    np.testing.assert_array_equal(again.obsm["consens_ensemble"], labels)
    assert again.uns["consens"]["method"] == "EAC"
    assert json.loads(again.uns["consens"]["parameters"])["n_clusters"] == 2
    for found in (from_anndata(again), read_ensemble(tmp_path / "a.h5ad")):
        np.testing.assert_array_equal(found.labels, labels)
        assert found.obs.tolist() == ["c1", "c2", "c3", "c4"]
    assert list(from_anndata(again).records) == list(ensemble.records)


def test_the_front_door(adata):
    model = ConsensusClustering(2, random_state=0).fit(adata.obsm["X_pca"])
    to_anndata(adata, model, key="cc")
    assert adata.obs["cc"].cat.codes.tolist() == model.labels_.tolist()
    assert adata.uns["cc"]["method"] == "DrawnConsensus"
    with pytest.raises(ValueError, match="has 4 objects, the AnnData object has 3"):
        to_anndata(adata[:3].copy(), model)


def test_damaged(path, tmp_path):
    whole = path.read_bytes()
    for content in (whole[: len(whole) // 2], b"a,b\n1,2\n"):
        (tmp_path / "b.h5ad").write_bytes(content)
        with pytest.raises(ValueError, match="not an h5ad file, or a damaged one"):
            read_labels(tmp_path / "b.h5ad")


def test_flipped_bytes(path, tmp_path):
    whole, rng = path.read_bytes(), np.random.default_rng(0)
    for _ in range(8):
        content = bytearray(whole)
        for place in rng.integers(0, len(content), 20):
            content[place] ^= int(rng.integers(1, 256))
        (tmp_path / "b.h5ad").write_bytes(bytes(content))
        with suppress(ValueError):  # this process lives on, which is the point
            assert read_features(tmp_path / "b.h5ad").X.shape[0] == 4


@pytest.mark.parametrize("use", [None, "X"])
def test_the_shell_says_which_matrix_it_takes(path, tmp_path, capsys, use):
    options = [] if use is None else ["--use", use]
    out = str(tmp_path / "out")
    assert run(["cluster", str(path), "-k", "2", "--members", "3", "-o", out, *options]) == 0
    assert ("X_pca is used; --use X takes the matrix itself" in capsys.readouterr().err) == (
        not use
    )
