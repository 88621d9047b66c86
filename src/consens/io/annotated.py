"""AnnData objects: clusterings in `obs`, ensembles in `obsm`, metadata in `uns`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from consens._labels import NOISE
from consens._support.plain import package_versions, plain_value
from consens._support.printable import listed
from consens.ensemble import Ensemble

if TYPE_CHECKING:
    from anndata import AnnData as AnnData

    from consens.cluster import ConsensusClustering
    from consens.consensus import BaseConsensus

KEY = "consens"
ANNDATA_ENCODING = {"encoding-type": "consens-result", "encoding-version": "1"}


def to_anndata(
    adata: AnnData, consensus: BaseConsensus | ConsensusClustering, *, key: str = KEY
) -> None:
    """Put a consensus and its ensemble into an AnnData object.

    Parameters
    ----------
    adata : AnnData
        With the same objects in the same order; existing entries are replaced.
    consensus : fitted consensus or ConsensusClustering
        With ``labels_``, ``confidence_`` and ``ensemble_``.
    key : str
        ``obs[key]`` holds the labels, as categories with the names of ``names_``, NaN for noise
        and for objects without any label;
        ``obs[key + "_confidence"]`` how clearly each object belongs to its cluster;
        ``obsm[key + "_ensemble"]`` the label matrix of the members, -1 noise and -2 missing;
        ``uns[key]`` method, parameters, members and versions.

    Examples
    --------
    >>> import pytest
    >>> anndata = pytest.importorskip("anndata")
    >>> from consens.consensus import EAC
    >>> from consens.io import to_anndata
    >>> adata = anndata.AnnData(shape=(4, 0))
    >>> to_anndata(adata, EAC(2).fit([[0, 0], [0, 0], [1, 1], [1, 1]]))
    >>> adata.obs["consens"].tolist()
    ['0', '0', '1', '1']
    """
    labels = np.asarray(consensus.labels_)
    made: Any = getattr(consensus, "consensus_", consensus)
    ensemble: Ensemble = made.ensemble_
    if adata.n_obs != len(labels):
        raise ValueError(
            f"the consensus has {len(labels)} objects, the AnnData object has {adata.n_obs}"
        )
    names = list(consensus.names_)
    # pandas has one code, -1, for objects without a category: noise, and objects without labels
    adata.obs[key] = pd.Categorical.from_codes(np.maximum(labels, NOISE), categories=names)
    adata.obs[f"{key}_confidence"] = np.asarray(consensus.confidence_, dtype=np.float64)
    adata.obsm[f"{key}_ensemble"] = np.ascontiguousarray(ensemble.labels)

    adata.uns[key] = ANNDATA_ENCODING | {
        "method": type(made).__name__,
        "parameters": json.dumps(plain_value(consensus.get_params(deep=False))),
        "members": json.dumps([plain_value(dict(record)) for record in ensemble.records]),
        "versions": package_versions("numpy", "scikit-learn"),
    }


def from_anndata(
    adata: AnnData, columns: Sequence[str] | None = None, *, key: str = KEY
) -> Ensemble:
    """Make an ensemble from clusterings in an AnnData object.

    Parameters
    ----------
    adata : AnnData
    columns : sequence of str, optional
        Columns of ``obs``, one clustering each.  None takes the ensemble that `to_anndata`
        stored.
    key : str
        The key that was passed to `to_anndata`.

    Returns
    -------
    Ensemble
        With the names of the observations as its `obs`.

    Examples
    --------
    >>> import pandas as pd, pytest
    >>> anndata = pytest.importorskip("anndata")
    >>> from consens.io import from_anndata
    >>> obs = pd.DataFrame({"leiden": ["0", "0", "1"], "louvain": ["0", "1", "1"]})
    >>> obs.index = ["a", "b", "c"]
    >>> from_anndata(anndata.AnnData(obs=obs), ["leiden", "louvain"])
    Ensemble: 3 objects, 2 partitions of 2 clusters
    """
    obs = adata.obs_names.to_numpy()
    stored = f"{key}_ensemble"
    if columns is None and stored in adata.obsm:
        records: Any = json.loads(adata.uns.get(key, {}).get("members", "[]"))
        return Ensemble(np.asarray(adata.obsm[stored]), records, obs=obs)
    unknown = [name for name in columns or () if name not in adata.obs]
    if unknown or not columns:
        known = listed(list(adata.obs), 20)
        raise ValueError(
            f"no column {listed(unknown)} is in obs; its columns are {known}"
            if unknown
            else f"columns={columns}; name those that are clusterings among {known}"
        )
    return Ensemble.from_labels(adata.obs[list(columns)], obs=obs)
