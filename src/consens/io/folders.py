"""Read ensemble folders ``x.ens/``; ``docs/format.md`` specifies the format."""

from __future__ import annotations

import json
import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from consens import __version__
from consens._labels import MISSING
from consens._labels.parse import compact_integers
from consens._support.files import present_folder
from consens._support.memory import require_memory
from consens._support.printable import listed
from consens.ensemble import PER_OBJECT, Ensemble, read_only
from consens.io.parquet import parquet_bytes

ENCODING_TYPE, ENCODING_VERSION = "consens-ensemble", "1"
META, LABELS, MEMBERS, PAYLOAD = "meta.json", "labels.parquet", "members.parquet", "payload.npz"
OBJECT, COLUMN = "object", "column"  # column of ids in LABELS, of column names in MEMBERS

#: Types of the optional entries of META, with their names in JSON.
META_TYPES = {
    ("json-columns", "payload", "shape"): (list, "array"),
    ("parameters", "versions"): (dict, "object"),
}

SPARSE_PARTS = ("data", "indices", "indptr", "shape")  # arrays of a sparse matrix in a payload

_ATTEMPTS = 10  # to open a folder that other processes keep replacing


def read_folder(path: str | Path) -> tuple[Ensemble, list[str]]:
    """Read an ensemble folder, and the names of the members; see `read_ensemble`."""
    with _opened(path) as files:
        meta = _checked_meta(path, files[META])
        members = _parquet(path, MEMBERS, files)
        labels = _parquet(path, LABELS, files)
        records, columns = _records(path, members, meta)
        lost = [name for name in columns if name not in labels.column_names]
        if lost:
            raise ValueError(f"{path}: {LABELS} has no column {listed(lost)} that {MEMBERS} names")
        unnamed = [name for name in labels.column_names if name not in (OBJECT, *columns)]
        if unnamed:
            raise ValueError(
                f"{path}: {LABELS} has the column {listed(unnamed)}, which is neither {OBJECT!r} "
                f"nor named in {MEMBERS}"
            )
        n, n_members = labels.num_rows, len(columns)
        if meta.get("shape", [n, n_members]) != [n, n_members] or not n:
            raise ValueError(
                f"{path} is damaged: {META} gives the shape {meta.get('shape')}, the tables "
                f"hold {n} objects and {n_members} members"
            )
        payload: Sequence[Mapping[str, Any]] = ()
        if PAYLOAD in files:
            payload = _payload(path, files[PAYLOAD], meta.get("payload", []), n, n_members)
        matrix = np.empty((n, n_members), dtype=np.int32, order="F")
        for m, name in enumerate(columns):
            matrix[:, m] = _codes(path, name, labels[name], payload[m] if payload else {})
    return Ensemble(read_only(matrix), records, payload, _obs(path, labels)), columns


def read_meta(path: str | Path) -> dict[str, Any]:
    """Read the metadata of an ensemble folder: seed, parameters, versions, shape."""
    with _opened(path) as files:
        return _checked_meta(path, files[META])


def ensemble_shape(path: str | Path) -> tuple[int, int]:
    """Read the numbers of objects and members from the header of the labels."""
    with _opened(path) as files:
        try:
            meta = pyarrow.parquet.read_metadata(files[LABELS])
        except (pa.ArrowException, OSError):
            raise ValueError(f"{path} is damaged: {LABELS} is not a whole parquet file") from None
        return meta.num_rows, meta.num_columns - (OBJECT in meta.schema.names)


def is_ensemble_folder(path: str | Path) -> bool:
    """Whether a path is an ensemble folder, of any version, even a damaged one."""
    return (present_folder(path) / META).is_file()


@contextmanager
def _opened(path: str | Path) -> Iterator[dict[str, BinaryIO]]:
    """Open all files of the same version of a folder, even while it is being replaced."""
    for attempt in range(_ATTEMPTS):
        with ExitStack() as stack:
            try:
                files = _open_all(present_folder(path), stack)
            except FileNotFoundError as error:
                if attempt < _ATTEMPTS - 1:
                    continue
                if error.filename not in (META, LABELS, MEMBERS):
                    raise FileNotFoundError(f"no such ensemble folder: {path}") from None
                raise ValueError(
                    f"{path} is not an ensemble folder, or a damaged one: it has no "
                    f"{error.filename}"
                ) from None
            except IsADirectoryError as error:
                raise ValueError(f"{path} is damaged: {error.filename} is a folder") from None
            except ValueError as error:
                raise ValueError(f"{path} is damaged: {error}") from None
            except NotADirectoryError:
                raise ValueError(f"{path} is a file, not an ensemble folder") from None
            yield files
            return


def _open_all(folder: Path, stack: ExitStack) -> dict[str, BinaryIO]:
    opener: Callable[[str, int], int]
    if os.open in os.supports_dir_fd:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        stack.callback(os.close, handle)
        names, opener = os.listdir(handle), partial(os.open, dir_fd=handle)
    else:
        names, opener = os.listdir(folder), lambda name, flags: os.open(folder / name, flags)
    wanted = [META, LABELS, MEMBERS, *([PAYLOAD] if PAYLOAD in names else [])]
    return {name: stack.enter_context(_open_regular(name, opener)) for name in wanted}


def _open_regular(name: str, opener: Callable[[str, int], int]) -> BinaryIO:
    """Open a file, and refuse a pipe instead of waiting for its writer."""
    handle = opener(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    if stat.S_ISFIFO(os.fstat(handle).st_mode):
        os.close(handle)
        raise ValueError(f"{name} is a pipe, not a file")
    return os.fdopen(handle, "rb")


def _checked_meta(path: str | Path, file: BinaryIO) -> dict[str, Any]:
    try:
        meta = json.loads(file.read().decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise ValueError(f"{path} is damaged: its {META} is not JSON in UTF-8") from None
    if not isinstance(meta, dict) or meta.get("encoding-type") != ENCODING_TYPE:
        raise ValueError(
            f"{path} is not an ensemble folder: its {META} does not say "
            f'"encoding-type": "{ENCODING_TYPE}"'
        )
    found = meta.get("encoding-version")
    if found != ENCODING_VERSION:
        raise ValueError(
            f"{path} has the encoding-version {found!r}; consens {__version__} reads "
            f"{ENCODING_VERSION!r}: upgrade consens, or write the ensemble again"
        )
    for names, (kind, word) in META_TYPES.items():
        for name in names:
            if not isinstance(meta.get(name, kind()), kind):
                raise ValueError(f"{path}: {name!r} in {META} is not a JSON {word}")
    return meta


def _parquet(path: str | Path, name: str, files: Mapping[str, BinaryIO]) -> pa.Table:
    try:
        # without threads, which would need the interpreter lock to read a Python file
        with pyarrow.parquet.ParquetFile(
            files[name], page_checksum_verification=True, pre_buffer=False
        ) as file:
            hint = "take fewer members, or a machine with more"
            require_memory(parquet_bytes(file.metadata), f"{path} in memory", hint)
            table = file.read(use_threads=False)
    except (pa.ArrowException, OSError):
        raise ValueError(f"{path} is damaged: {name} is not a whole parquet file") from None
    if len(set(table.column_names)) < table.num_columns:
        raise ValueError(f"{path}: {name} has two columns with the same name")
    return table


def _records(
    path: str | Path, members: pa.Table, meta: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], list[str]]:
    rows = members.to_pylist()
    columns = [row.pop(COLUMN, None) for row in rows]
    if not rows or not all(isinstance(name, str) for name in columns):
        raise ValueError(f"{path}: {MEMBERS} needs one row per member, and text in {COLUMN!r}")
    if len(set(columns)) < len(columns) or OBJECT in columns:
        raise ValueError(f"{path}: {MEMBERS} names a column of labels twice, or {OBJECT!r}")
    in_json = {name for name in meta.get("json-columns", []) if isinstance(name, str)}
    records = []
    for row in rows:
        record = {name: value for name, value in row.items() if value is not None}
        for name in record.keys() & in_json:
            try:
                record[name] = json.loads(record[name])
            except (ValueError, TypeError, RecursionError):
                raise ValueError(f"{path}: a cell of {name!r} in {MEMBERS} is not JSON") from None
        records.append(record)
    return records, columns


def _codes(
    path: str | Path, name: str, column: pa.ChunkedArray, payload: Mapping[str, Any]
) -> np.ndarray:
    """Return the labels of a member, renumbered from 0 unless its payload refers to them."""
    if not pa.types.is_integer(column.type):
        raise ValueError(f"{path}: the labels in column {name!r} are {column.type}, not integers")
    try:
        codes = pc.fill_null(column.cast(pa.int64()), MISSING).to_numpy()
        if not payload:
            return compact_integers(codes)
    except (ValueError, pa.ArrowInvalid) as error:
        raise ValueError(f"{path}: column {name!r}: {error}") from None
    clusters = min(
        [len(payload[part]) for part in ("centers", "weights") if part in payload]
        + ([payload["memberships"].shape[1]] if "memberships" in payload else [])
        + [4 * len(codes) + 1024]
    )
    low, high = int(codes.min()), int(codes.max())
    if low < MISSING or high >= clusters:
        raise ValueError(
            f"{path}: column {name!r} holds the label {low if low < MISSING else high}, but its "
            f"payload has the clusters 0 to {clusters - 1}"
        )
    return codes.astype(np.int32)


def _obs(path: str | Path, labels: pa.Table) -> np.ndarray | None:
    if OBJECT not in labels.column_names:
        return None
    ids = labels[OBJECT]
    if ids.null_count:
        raise ValueError(f"{path}: column {OBJECT!r} of {LABELS} holds objects without an id")
    if pa.types.is_integer(ids.type):
        return ids.to_pandas().to_numpy()
    return np.array(ids.cast(pa.string()).to_pylist())


def _payload(
    path: str | Path, file: BinaryIO, index: Any, n: int, n_members: int
) -> list[dict[str, Any]]:
    """Read the arrays of the members; shared arrays are read once."""
    found: list[dict[str, Any]] = [{} for _ in range(n_members)]
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
                found[m][name] = arrays[array]
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise ValueError(f"{path}: the payload cannot be read: {error}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError):
        raise ValueError(f"{path} is damaged: its payload is not a whole npz file") from None
    return found


def _joined(name: str, archive: Any) -> Any:
    if f"{name}/indptr" not in archive.files:
        return archive[name]
    from scipy.sparse import csr_array

    data, indices, indptr, shape = (archive[f"{name}/{part}"] for part in SPARSE_PARTS)
    rows = csr_array((data, indices, indptr), shape=tuple(map(int, shape)))
    rows.check_format()
    return rows
