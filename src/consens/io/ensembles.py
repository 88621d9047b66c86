"""Write ensemble folders ``x.ens/``: labels, members, payload and metadata.

The format is specified in ``docs/format.md``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
from numpy.typing import ArrayLike

from consens._labels import MISSING
from consens._support.files import as_path, whole_folder
from consens._support.plain import package_versions, plain_value
from consens._support.printable import listed
from consens.ensemble import Ensemble
from consens.io.folders import (
    COLUMN,
    ENCODING_TYPE,
    ENCODING_VERSION,
    LABELS,
    MEMBERS,
    META,
    OBJECT,
    PAYLOAD,
    SPARSE_PARTS,
    is_ensemble_folder,
)


def write_ensemble(
    ensemble: Ensemble | ArrayLike | pd.DataFrame,
    path: str | Path,
    *,
    parameters: Mapping[str, Any] | None = None,
    seed: int | None = None,
) -> None:
    """Write an ensemble as a folder, atomically.

    Parameters
    ----------
    ensemble : Ensemble or label matrix
    path : path
        The folder, usually ``x.ens``.  An existing ensemble is replaced once the new one is
        complete and on the disk.  Any other existing folder is refused.
    parameters : mapping, optional
        How the ensemble was made; stored as JSON.
    seed : int, optional
        The seed that the ensemble was made with.

    Raises
    ------
    ValueError
        If a value cannot be stored without pickle, or `path` is not an ensemble.
    OSError
        If the folder cannot be written.

    Examples
    --------
    >>> from consens import Ensemble
    >>> from consens.io import read_ensemble, write_ensemble
    >>> folder = getfixture("tmp_path") / "votes.ens"
    >>> write_ensemble(Ensemble.from_labels([[0, 0, 1], [0, 1, 1]]), folder, seed=0)
    >>> sorted(file.name for file in folder.iterdir())
    ['labels.parquet', 'members.parquet', 'meta.json']
    >>> read_ensemble(folder)
    Ensemble: 3 objects, 2 partitions of 2 clusters
    """
    path = as_path(path)
    if not isinstance(parameters, Mapping | None):
        raise TypeError(f"parameters={parameters!r}; expected a mapping, or None")
    ensemble = Ensemble.from_labels(ensemble)
    n, n_members = ensemble.shape
    if not n or not n_members:
        raise ValueError(f"an ensemble of {n} objects and {n_members} partitions is empty")
    check_replaceable(path)
    columns = [f"m{i}" for i in range(n_members)]
    members, in_json = _members_table(ensemble.records, columns)
    meta = {
        "encoding-type": ENCODING_TYPE,
        "encoding-version": ENCODING_VERSION,
        "shape": [n, n_members],
        "seed": plain_value(seed),
        "parameters": plain_value(dict(parameters or {})),
        "json-columns": in_json,
        "versions": package_versions("numpy", "scikit-learn"),
    }
    with whole_folder(path) as folder:
        if any(ensemble.payload):
            with open(folder / PAYLOAD, "wb") as file:
                meta["payload"] = _write_payload(ensemble.payload, file)
        for name, table in ((LABELS, _labels_table(ensemble, columns)), (MEMBERS, members)):
            with open(folder / name, "wb") as file:
                pyarrow.parquet.write_table(table, file, write_page_checksum=True)
        text = json.dumps(meta, indent=1, ensure_ascii=False, allow_nan=False)
        (folder / META).write_text(text + "\n", encoding="utf-8")


def check_replaceable(path: Path) -> None:
    """Raise unless `path` is free, empty or an ensemble: other files would be lost."""
    if path.exists() and not path.is_dir():
        raise ValueError(f"{path} is a file; an ensemble is written as a folder of its own")
    if not path.is_dir():
        return
    found = set(os.listdir(path))
    foreign = sorted(found - {META, LABELS, MEMBERS, PAYLOAD, ".DS_Store"})
    if foreign or (found and not is_ensemble_folder(path)):
        raise ValueError(
            f"the folder {path} is not replaced, because it is not an ensemble or holds other "
            f"files ({listed(foreign or sorted(found), 3)}); give another name"
        )


def _labels_table(ensemble: Ensemble, columns: list[str]) -> pa.Table:
    arrays = {
        name: pa.array(column, mask=column == MISSING)
        for name, column in zip(columns, ensemble.matrix.T, strict=True)
    }
    # so that pandas reads integers with missing values as integers, and the ids as the index
    shown = pd.DataFrame({name: pd.array([], dtype="Int32") for name in columns})
    if ensemble.obs is not None:
        if pd.isna(ensemble.obs).any():
            raise ValueError("an object has no id; give ids to all objects or to none")
        storable = ensemble.obs.dtype.kind in "iuU"
        ids = pa.array(ensemble.obs if storable else list(map(str, ensemble.obs)))
        arrays = {OBJECT: ids} | arrays
        shown.index = pd.Index(ids.slice(0, 0).to_pandas(), name=OBJECT)
    schema = pa.Schema.from_pandas(shown, preserve_index=ensemble.obs is not None)
    return pa.table(arrays).replace_schema_metadata(schema.metadata)


def _members_table(
    records: Sequence[Mapping[str, Any]], columns: list[str]
) -> tuple[pa.Table, list[str]]:
    """Return a table with a row per member, and the columns whose cells are JSON."""
    names = list(dict.fromkeys(str(name) for record in records for name in record))
    if COLUMN in names:
        raise ValueError(f"records of members cannot have an entry {COLUMN!r}: it is reserved")
    arrays = {COLUMN: pa.array(columns)}
    in_json = []
    for name in names:
        values = [plain_value(record.get(name)) for record in records]
        try:
            if any(isinstance(value, dict | list) for value in values):
                raise pa.ArrowInvalid
            arrays[name] = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):  # nested, mixed or large
            in_json.append(name)
            cells = [None if v is None else json.dumps(v, ensure_ascii=False) for v in values]
            arrays[name] = pa.array(cells, pa.string())
    return pa.table(arrays), in_json


def _write_payload(
    payload: Sequence[Mapping[str, Any]], file: BinaryIO
) -> list[dict[str, str | int]]:
    """Write the arrays of all members, shared ones once.

    Returns a list with the number of the member, its entry and the array of each entry.
    """
    arrays: dict[str, np.ndarray] = {}
    written: dict[int, str] = {}
    index: list[dict[str, str | int]] = []
    for m, entries in enumerate(payload):
        for name, value in entries.items():
            if id(value) not in written:
                written[id(value)] = f"{name}/{m}"
                for part, array in _parts(value):
                    if array.dtype.kind not in "biufcUSMm":
                        raise ValueError(
                            f"{name!r} in the payload of member {m} holds {array.dtype} values, "
                            "which only pickle could store; give numbers or text"
                        )
                    arrays[f"{name}/{m}{part}"] = array
            index.append({"member": m, "name": name, "array": written[id(value)]})
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return index


def _parts(value: Any) -> list[tuple[str, np.ndarray]]:
    if not hasattr(value, "tocsr"):
        return [("", np.asarray(value))]
    rows = value.tocsr()
    return [(f"/{part}", np.asarray(getattr(rows, part))) for part in SPARSE_PARTS]
