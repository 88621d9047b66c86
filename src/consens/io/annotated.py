"""AnnData in and out: clusterings in `obs`, ensembles in `obsm`, what made them in `uns`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from consens import __version__
from consens.ensemble import Ensemble
from consens.files import whole_path
from consens.io.text import listed
from consens.memory import require_memory
from consens.plain import plain_value

OBS_NAMES = "obs_names"
KEY = "consens"
ENCODING = {"encoding-type": "consens-result", "encoding-version": "1"}

_HOW_TO_GET = "reading and writing h5ad files needs anndata: pip install 'consens[anndata]'"


def to_anndata(adata: Any, consensus: Any, *, key: str = KEY) -> None:
    """Put a consensus and its ensemble into an AnnData object.

    Parameters
    ----------
    adata : AnnData
        Of the same objects in the same order; what has the names below is replaced.
    consensus : fitted consensus or ConsensusClustering
        With ``labels_``, ``confidence_`` and ``ensemble_``.
    key : str
        ``obs[key]`` are the labels, as categories whose names are numbers, with gaps for
        noise; ``obs[key + "_confidence"]`` how clearly each object belongs to its cluster;
        ``obsm[key + "_ensemble"]`` the label matrix of the members, -1 noise and -2 missing;
        ``uns[key]`` what made them: method, parameters, members and versions.

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
    made = getattr(consensus, "consensus_", consensus)
    ensemble: Ensemble = made.ensemble_
    if adata.n_obs != len(labels):
        raise ValueError(
            f"the consensus is of {len(labels)} objects, the AnnData object holds {adata.n_obs}"
        )
    names = [str(j) for j in range(int(labels.max(initial=-1)) + 1)]
    # the code -1 is no category: pandas and scanpy show a gap
    adata.obs[key] = pd.Categorical.from_codes(labels, categories=names)
    adata.obs[f"{key}_confidence"] = np.asarray(consensus.confidence_, dtype=np.float64)
    adata.obsm[f"{key}_ensemble"] = np.ascontiguousarray(ensemble.labels)

    adata.uns[key] = ENCODING | {
        "method": type(made).__name__,
        "parameters": json.dumps(plain_value(consensus.get_params(deep=False))),
        "members": json.dumps([plain_value(dict(record)) for record in ensemble.records]),
        "versions": {"consens": __version__}
        | {name: version(name) for name in ("numpy", "scikit-learn")},
    }


def from_anndata(adata: Any, columns: Sequence[str] | None = None, *, key: str = KEY) -> Ensemble:
    """Make an ensemble from clusterings in an AnnData object.

    Parameters
    ----------
    adata : AnnData
    columns : sequence of str, optional
        Columns of ``obs``, one clustering each.  Without them the ensemble that `to_anndata`
        left is taken, or else all categorical columns.
    key : str
        Where `to_anndata` left it.

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
    if columns is None:
        columns = _categorical(adata.obs)
    unknown = [name for name in columns if name not in adata.obs]
    if unknown or not len(columns):
        raise ValueError(
            f"no column {listed(unknown)} is in obs; its columns are {listed(list(adata.obs))}"
            if unknown
            else f"obs has no categorical column; name some of {listed(list(adata.obs))}"
        )
    return Ensemble.from_labels(adata.obs[list(columns)], obs=obs)


def write_anndata(adata: Any, path: str | Path) -> None:
    """Write an AnnData object as an h5ad file, whole or not at all.

    Parameters
    ----------
    adata : AnnData
    path : path
        In an existing folder; a former file stays until the new one is whole.
    """
    with whole_path(Path(path)) as temporary:
        adata.write_h5ad(temporary)


def annotated_features(path: Path, array: str | None) -> pa.Table:
    """Read X, or one of `obsm`, of an h5ad file, with the names of the observations."""

    def load(file: Any, read: Any) -> tuple[Any, Any, list[str]]:
        obs = read(file["obs"])
        if array is None:
            return read(file["X"]), obs, list(map(str, read(file["var"]).index))
        _refuse_unknown(path, array, list(file["obsm"]))
        return read(file["obsm"][array]), obs, []

    values, obs, names = _from_file(path, load)
    if isinstance(values, pd.DataFrame):
        values, names = values.to_numpy(), list(map(str, values.columns))
    if hasattr(values, "toarray"):
        n_bytes = 8.0 * values.shape[0] * values.shape[1]
        require_memory(2 * n_bytes, f"{path} as a dense matrix", "reduce its features first")
        values = values.toarray()
    names = names or [f"{array}{i}" for i in range(1, values.shape[1] + 1)]
    return _with_names(path, obs, dict(zip(names, np.asarray(values).T, strict=True)), names)


def annotated_labels(path: Path, array: str | None) -> pa.Table:
    """Read clusterings of an h5ad file, with the names of the observations."""

    def load(file: Any, read: Any) -> tuple[Any, dict[str, Any]]:
        obs = read(file["obs"])
        within = list(file["obsm"]) if "obsm" in file else []
        asked = f"{KEY}_ensemble" if array is None else array
        if asked in within:
            matrix = np.asarray(read(file["obsm"][asked]))
            return obs, {f"m{i}": column for i, column in enumerate(matrix.T)}
        if array is not None:
            _refuse_unknown(path, array, [*within, *obs.columns])
            return obs, {array: obs[array]}
        return obs, {name: obs[name] for name in _categorical(obs)}

    obs, columns = _from_file(path, load)
    if not columns:
        raise ValueError(
            f"{path} has no categorical column in obs; name a clustering of {listed(list(obs))}"
        )
    return _with_names(path, obs, columns, list(columns))


class _Unknown(ValueError):
    """The file is whole, but does not hold what was asked for."""


def _refuse_unknown(path: Path, array: str, known: list[str]) -> None:
    if array not in known:
        raise _Unknown(f"{path} has no array {array!r}; it holds {listed(known)}")


def _from_file(path: Path, load: Any) -> Any:
    try:
        import h5py
        from anndata.io import read_elem
    except ImportError as error:
        raise ImportError(_HOW_TO_GET) from error
    try:
        with h5py.File(path, "r") as file:
            return load(file, read_elem)
    except _Unknown:
        raise
    except Exception:  # HDF5 and anndata have dozens of them for files that are damaged
        raise ValueError(f"{path} is not an h5ad file, or a damaged one") from None


def _categorical(obs: pd.DataFrame) -> list[str]:
    return [name for name in obs if isinstance(obs[name].dtype, pd.CategoricalDtype)]


def _with_names(path: Path, obs: pd.DataFrame, columns: dict[str, Any], names: list) -> pa.Table:
    if OBS_NAMES in columns or len(columns) < len(names):
        raise ValueError(f"{path}: two columns have one name, or one is called {OBS_NAMES!r}")
    arrays = {OBS_NAMES: pa.array([str(name) for name in obs.index])}
    for name, values in columns.items():
        if isinstance(getattr(values, "dtype", None), pd.CategoricalDtype):
            values = values.astype(values.cat.categories.dtype)
        arrays[str(name)] = pa.array(values, from_pandas=True)
    return pa.table(arrays)
