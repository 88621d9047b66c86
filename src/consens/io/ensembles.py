"""Ensemble folders ``x.ens/``: labels, members, payload and metadata.

The format is specified in ``docs/format.md``.
"""

import json
import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet
from numpy.typing import ArrayLike

from consens import __version__
from consens._labels import MISSING
from consens._labels.parse import compact_integers
from consens._support.files import as_path, present_folder, whole_folder
from consens._support.memory import require_memory
from consens._support.plain import package_versions, plain_value
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
                name = Path(error.filename or "").name
                if name not in (META, LABELS, MEMBERS):
                    raise FileNotFoundError(f"no such ensemble folder: {path}") from None
                raise ValueError(
                    f"{path} is not an ensemble folder, or a damaged one: it has no {name}"
                ) from None
            except IsADirectoryError as error:
                name = Path(error.filename).name
                raise ValueError(f"{path} is damaged: {name} is a folder") from None
            except ValueError as error:
                raise ValueError(f"{path} is damaged: {error}") from None
            except NotADirectoryError:
                raise ValueError(f"{path} is a file, not an ensemble folder") from None
            yield files
            return


def _open_all(folder: Path, stack: ExitStack) -> dict[str, BinaryIO]:
    before = folder.stat()
    wanted = [META, LABELS, MEMBERS, *([PAYLOAD] if (folder / PAYLOAD).exists() else [])]
    if pipe := next((name for name in wanted if (folder / name).is_fifo()), None):
        raise ValueError(f"{pipe} is a pipe, not a file")  # which has no writer
    files: dict[str, BinaryIO] = {
        name: stack.enter_context((folder / name).open("rb")) for name in wanted
    }
    if not os.path.samestat(before, folder.stat()):
        raise FileNotFoundError(folder)
    return files


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
    """Write the arrays of all members, shared ones once."""
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
