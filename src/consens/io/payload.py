"""Arrays of members in one npz file; shared arrays are stored once."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from consens._support.memory import require_memory
from consens.ensemble import PER_OBJECT

SPARSE_PARTS = ("data", "indices", "indptr", "shape")


def write_payload(
    payload: Sequence[Mapping[str, Any]], file: BinaryIO
) -> list[dict[str, str | int]]:
    """Write the arrays of all members, and return which array belongs to which member.

    Returns
    -------
    list of dict
        One per entry: number of the member, name of the entry, and name of the array.
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


def read_payload(
    path: str | Path, file: BinaryIO, index: Any, n: int, n_members: int
) -> list[dict[str, Any]]:
    """Read the arrays of the members; shared arrays are read once."""
    payload: list[dict[str, Any]] = [{} for _ in range(n_members)]
    try:
        with np.load(file, allow_pickle=False) as archive:
            n_bytes = sum(info.file_size for info in archive.zip.infolist())
            require_memory(n_bytes, f"the payload of {path}", "take a machine with more memory")
            arrays: dict[str, Any] = {}
            for entry in index:
                m, name, array = entry["member"], str(entry["name"]), str(entry["array"])
                if array not in arrays:
                    arrays[array] = _joined(array, archive)
                if not 0 <= m < n_members:
                    raise ValueError(f"there is no member {m}")
                if name in PER_OBJECT and arrays[array].shape[:1] != (n,):
                    raise ValueError(
                        f"{name!r} of member {m} needs one row for each of {n} objects"
                    )
                payload[m][name] = arrays[array]
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise ValueError(f"{path}: the payload cannot be read: {error}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError):
        raise ValueError(f"{path} is damaged: its payload is not a whole npz file") from None
    return payload


def _parts(value: Any) -> list[tuple[str, np.ndarray]]:
    if not hasattr(value, "tocsr"):
        return [("", np.asarray(value))]
    rows = value.tocsr()
    return [(f"/{part}", np.asarray(getattr(rows, part))) for part in SPARSE_PARTS]


def _joined(name: str, archive: Any) -> Any:
    if f"{name}/indptr" not in archive.files:
        return archive[name]
    from scipy.sparse import csr_array

    data, indices, indptr, shape = (archive[f"{name}/{part}"] for part in SPARSE_PARTS)
    rows = csr_array((data, indices, indptr), shape=tuple(map(int, shape)))
    rows.check_format()
    return rows
