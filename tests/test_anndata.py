"""AnnData objects are clustered in the manner of scanpy, and scanpy reads the results."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import make_blobs

import consens

anndata = pytest.importorskip("anndata")


@pytest.fixture
def adata():
    X, y = make_blobs(120, centers=3, n_features=4, cluster_std=0.5, random_state=0)
    obs = pd.DataFrame(index=[f"c{i}" for i in range(120)])
    made = anndata.AnnData(csr_matrix(np.abs(X)), obs)
    made.obsm["X_pca"] = X
    made.layers["counts"] = np.abs(X)
    made.obs["truth"] = pd.Categorical(y.astype(str))
    for m, flip in enumerate([0, 3, 7]):
        labels = y.copy()
        labels[flip::11] = (labels[flip::11] + 1) % 3
        made.obs[f"leiden_{m}"] = pd.Categorical(labels.astype(str))
    return made


def ari(adata, key="consens"):
    return consens.measure.ari(adata.obs["truth"].cat.codes, adata.obs[key].cat.codes)


def test_cluster(adata):
    assert consens.anndata.cluster(adata, 3, random_state=0) is None
    assert ari(adata) == 1
    assert adata.obs["consens_confidence"].between(0, 1).all()
    assert adata.obsm["consens_ensemble"].shape[0] == 120
    assert adata.uns["consens"]["params"]["use_rep"] == "X_pca"
    graph = adata.obsp["consens_connectivities"]
    assert graph.shape == (120, 120)
    assert (graph != graph.T).nnz == 0
    assert 0 < graph.max() <= 1
    expected = consens.ConsensusClustering(3, random_state=0).fit(adata.obsm["X_pca"]).labels_
    assert adata.obs["consens"].cat.codes.tolist() == expected.tolist()


@pytest.mark.parametrize("use_rep", ["X", "counts"])
def test_other_representations(adata, use_rep):
    copy = consens.anndata.cluster(
        adata, 3, use_rep=use_rep, key_added="cc", copy=True, random_state=0
    )
    assert "cc" not in adata.obs
    assert copy.uns["cc"]["params"]["use_rep"] == use_rep
    with pytest.raises(ValueError, match=r"'X_umap' is not in .* \['X', 'counts', 'X_pca'\]"):
        consens.anndata.cluster(adata, 3, use_rep="X_umap")


@pytest.mark.parametrize("with_pca", [True, False])
def test_combine(adata, with_pca):
    if not with_pca:
        del adata.obsm["X_pca"]
    consens.anndata.combine(adata, ["leiden_0", "leiden_1", "leiden_2"], 3)
    assert ari(adata) > 0.95
    assert adata.obsm["consens_ensemble"].shape == (120, 3)
    assert adata.obsp["consens_connectivities"].nnz
    with pytest.raises(ValueError, match="no column 'louvain' is in obs"):
        consens.anndata.combine(adata, ["louvain"], 3)


def test_results_survive_a_file(adata, tmp_path):
    consens.anndata.cluster(adata, 3, random_state=0)
    adata.write_h5ad(tmp_path / "a.h5ad")
    again = anndata.read_h5ad(tmp_path / "a.h5ad")
    assert again.obs["consens"].tolist() == adata.obs["consens"].tolist()
    assert again.uns["consens"]["connectivities_key"] == "consens_connectivities"
    assert (again.obsp["consens_distances"] != adata.obsp["consens_distances"]).nnz == 0


def test_fitting_an_object_names_the_way(adata):
    with pytest.raises(TypeError, match=r"consens\.anndata\.cluster\(adata"):
        consens.ConsensusClustering(3).fit(adata)


@pytest.mark.filterwarnings("ignore")  # scanpy's, about what it imports
def test_scanpy_reads_the_results(adata):
    sc = pytest.importorskip("scanpy")
    consens.anndata.cluster(adata, 3, random_state=0)
    sc.tl.umap(adata, neighbors_key="consens", maxiter=5)
    axes = sc.pl.umap(adata, color=["consens", "consens_confidence"], show=False)
    assert len(axes) == 2
    assert len(adata.uns["consens_colors"]) == 3
    sc.tl.dendrogram(adata, groupby="consens", use_rep="X_pca")


def test_communities_of_a_graph(adata):
    from scipy.sparse import block_diag, csr_matrix

    n = adata.n_obs
    with pytest.raises(ValueError, match="obsp='connectivities' is not in the AnnData object"):
        consens.anndata.cluster(adata, obsp="connectivities")
    half = np.ones((n // 2, n // 2)) - np.eye(n // 2)
    rest = np.ones((n - n // 2, n - n // 2)) - np.eye(n - n // 2)
    adata.obsp["connectivities"] = csr_matrix(block_diag([half, rest]))
    consens.anndata.cluster(adata, 2, obsp="connectivities", n_estimators=20, random_state=0)
    labels = adata.obs["consens"].tolist()
    assert labels == ["0"] * (n // 2) + ["1"] * (n - n // 2)
    assert adata.obsm["consens_ensemble"].shape == (n, 20)
