"""Consensus clustering of AnnData objects, with the conventions of scanpy.

Results are stored in the object: labels and confidences in ``obs``, the combined clusterings in
``obsm``, the co-association graph in ``obsp``, method and parameters in ``uns``.  So
``sc.pl.umap(adata, color="consens")`` and ``sc.tl.umap(adata, neighbors_key="consens")`` work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import coo_array, csr_matrix
from sklearn.base import BaseEstimator

from consens._support.seeds import stage_seeds
from consens.cluster import ConsensusClustering
from consens.combination import combine as combine_labels
from consens.ensemble import Ensemble
from consens.evidence import coassociation_graph
from consens.evidence.coassociation import pair_coassociation
from consens.evidence.neighbors import neighbor_pairs
from consens.generate import GraphEnsemble
from consens.io import from_anndata, to_anndata

if TYPE_CHECKING:
    from consens.io.annotated import AnnData

PREFERRED = "X_pca"

__all__ = ["cluster", "combine"]


def cluster(
    adata: AnnData,
    n_clusters: int | None = None,
    *,
    key_added: str = "consens",
    use_rep: str | None = None,
    obsp: str | None = None,
    n_neighbors: int = 15,
    copy: bool = False,
    **parameters: Any,
) -> AnnData | None:
    """Cluster the observations of an AnnData object by the consensus of many clusterings.

    Parameters
    ----------
    adata : AnnData
    n_clusters : int, optional
        None lets `ConsensusClustering` choose it.
    key_added : str
        Prefix of the results: ``obs[key_added]`` holds the labels as categories, called as in
        ``names_``, NaN for noise;
        ``obs[key_added + "_confidence"]`` how clearly each observation belongs to its cluster;
        ``obsm[key_added + "_ensemble"]`` the combined clusterings;
        ``obsp[key_added + "_connectivities"]`` the co-association of neighbours, which is the
        share of clusterings that put them together, and ``"_distances"`` 1 minus that;
        ``uns[key_added]`` method, parameters and versions.
    use_rep : str, optional
        A key of ``obsm``, a layer, or ``X``.  None takes ``X_pca`` if present, else ``X``.
    obsp : str, optional
        A key of ``obsp``, such as ``"connectivities"``: combines communities of that graph
        (`generate.GraphEnsemble`) instead of clusterings of the representation.
    n_neighbors : int
        Neighbours of each observation in the graph.
    copy : bool
        Whether to return a copy with the results and leave `adata` unchanged.
    **parameters
        Further parameters of `ConsensusClustering`, or with `obsp` of `GraphEnsemble`, such as
        ``random_state``.

    Returns
    -------
    AnnData or None
        The copy, if `copy` is true.

    Examples
    --------
    >>> import numpy as np, pytest
    >>> anndata = pytest.importorskip("anndata")
    >>> import consens
    >>> X = np.repeat([[0.0, 0.0], [9.0, 9.0]], 10, axis=0)
    >>> adata = anndata.AnnData(X + np.random.default_rng(0).normal(size=X.shape))
    >>> consens.anndata.cluster(adata, 2, random_state=0)
    >>> adata.obs["consens"].value_counts().tolist()
    [10, 10]
    """
    adata = adata.copy() if copy else adata
    name, X = representation(adata, use_rep)
    if obsp is None:
        model = ConsensusClustering(n_clusters, **parameters).fit(X)
    else:
        model = _combine_communities(adata, obsp, n_clusters, **parameters)
    to_anndata(adata, model, key=key_added)
    _add_graph(adata, model.ensemble_, key_added, n_neighbors, name, X)
    return adata if copy else None


def combine(
    adata: AnnData,
    keys: Sequence[str],
    n_clusters: int | None = None,
    *,
    method: str | BaseEstimator | Callable[..., Any] | None = None,
    key_added: str = "consens",
    use_rep: str | None = None,
    n_neighbors: int = 15,
    copy: bool = False,
    **parameters: Any,
) -> AnnData | None:
    """Combine clusterings in ``obs``, such as those of Leiden at many resolutions, into one.

    Parameters
    ----------
    adata : AnnData
    keys : sequence of str
        Columns of ``obs``, one clustering each.
    n_clusters : int, optional
        As in `consens.combine`.
    method : str, consensus estimator or callable, optional
        As in `consens.combine`.
    key_added, n_neighbors, copy
        As in `cluster`.
    use_rep : str, optional
        Where to look for neighbours, as in `cluster`.  None takes ``X_pca`` if present, else
        the observations that the clusterings put together most often, in O(n² M) time.
    **parameters
        Further parameters of the method.

    Returns
    -------
    AnnData or None
        The copy, if `copy` is true.

    Examples
    --------
    >>> import pandas as pd, pytest
    >>> anndata = pytest.importorskip("anndata")
    >>> import consens
    >>> obs = pd.DataFrame({"a": list("xxxyy"), "b": list("uuuvv"), "c": list("ssttt")})
    >>> adata = anndata.AnnData(obs=obs.set_index(pd.Index(list("12345"))))
    >>> consens.anndata.combine(adata, ["a", "b", "c"], 2)
    >>> adata.obs["consens"].tolist()
    ['0', '0', '0', '1', '1']
    """
    adata = adata.copy() if copy else adata
    made = combine_labels(from_anndata(adata, list(keys)), method, n_clusters, **parameters)
    to_anndata(adata, made, key=key_added)
    by_labels = use_rep is None and PREFERRED not in adata.obsm
    name, X = (None, None) if by_labels else representation(adata, use_rep)
    _add_graph(adata, made.ensemble_, key_added, n_neighbors, name, X)
    return adata if copy else None


def _combine_communities(
    adata: Any, key: str, n_clusters: int | None, random_state: Any = 0, **parameters: Any
) -> Any:
    """Combine communities of a graph in ``obsp``."""
    if key not in adata.obsp:
        raise ValueError(
            f"obsp={key!r} is not in the AnnData object; it holds {list(adata.obsp)}; "
            "sc.pp.neighbors(adata) makes 'connectivities'"
        )
    seed = stage_seeds(random_state)["generator"]
    parameters = {"method": "leiden"} | parameters  # graphs in obsp are of neighbours
    generator = GraphEnsemble(affinity="precomputed", random_state=seed, **parameters)
    ensemble = generator.fit_transform(adata.obsp[key])
    return combine_labels(ensemble, None, n_clusters, random_state=random_state)


def representation(adata: Any, use_rep: str | None = None) -> tuple[str, Any]:
    """Return the name and the matrix that `use_rep` stands for; see `cluster`."""
    if use_rep is None:
        use_rep = PREFERRED if PREFERRED in adata.obsm else "X"
    if use_rep in adata.obsm:
        return use_rep, adata.obsm[use_rep]
    if use_rep in adata.layers:
        return use_rep, _dense(adata.layers[use_rep])
    if use_rep != "X" or adata.X is None:
        known = [*(["X"] if adata.X is not None else []), *adata.layers, *adata.obsm]
        raise ValueError(f"use_rep={use_rep!r} is not in the AnnData object; it holds {known}")
    return "X", _dense(adata.X)


def _dense(X: Any) -> np.ndarray:
    if not hasattr(X, "toarray"):
        return np.asarray(X)
    from consens._support.memory import require_memory

    n, d = X.shape
    require_memory(2.0 * 8 * n * d, "X as a dense matrix", "reduce it first, by sc.pp.pca(adata)")
    return X.toarray()


def _add_graph(
    adata: Any, ensemble: Ensemble, key: str, n_neighbors: int, name: str | None, X: Any
) -> None:
    """Store the co-association of neighbours in X, or of neighbours by the labels if X is None."""
    n = adata.n_obs
    if X is None:
        graph = csr_matrix(coassociation_graph(ensemble, n_neighbors))
    else:
        first, second = neighbor_pairs(n_neighbors, n, X)
        shares = pair_coassociation(ensemble, first, second)
        half = coo_array((shares, (first, second)), shape=(n, n))
        graph = csr_matrix(half + half.T)
    distances = graph.copy()
    distances.data = 1 - distances.data
    adata.obsp[f"{key}_connectivities"] = graph
    adata.obsp[f"{key}_distances"] = distances
    # what scanpy's neighbors_key looks for
    adata.uns[key] |= {
        "connectivities_key": f"{key}_connectivities",
        "distances_key": f"{key}_distances",
        "params": {"n_neighbors": n_neighbors, "method": "umap", "metric": "coassociation"}
        | ({} if name is None else {"use_rep": name}),
    }
