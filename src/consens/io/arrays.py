"""Arrays from npy, npz and MATLAB files, as tables.  Nothing is read by pickle."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from consens.io.text import listed

HDF5 = b"\x89HDF\r\n\x1a\n"


def read_npy(path: Path) -> pa.Table:
    """Read an array of one or two dimensions."""
    _require_start(path, np.lib.format.MAGIC_PREFIX, "an npy file")  # numpy opens more than that
    array = _undamaged(path, "an npy file", lambda: np.load(path, "r", allow_pickle=False))
    return _table(path, array)


def read_npz(path: Path, array: str | None, names: Sequence[str]) -> pa.Table:
    """Read the array that is meant from an npz file, or all its vectors."""

    def load() -> dict[str, np.ndarray]:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in _wanted(archive.files, array, names)}

    _require_start(path, b"PK", "an npz file")
    return _joined(path, _undamaged(path, "an npz file", load), array, names)


def read_mat(path: Path, array: str | None, names: Sequence[str]) -> pa.Table:
    """Read the array that is meant from a MATLAB file, or all its vectors."""
    with open(path, "rb") as file:
        if HDF5 in file.read(1024):
            raise ValueError(
                f"{path} is a MATLAB file of version 7.3, which is HDF5; save it in MATLAB by "
                "save(..., '-v7'), or its arrays as npy or csv"
            )

    def load() -> dict[str, np.ndarray]:
        from scipy.io import loadmat, whosmat

        wanted = _wanted([name for name, _, _ in whosmat(path)], array, names)
        arrays = loadmat(path, variable_names=wanted) if wanted else {}
        return {name: arrays[name] for name in wanted}

    return _joined(path, _undamaged(path, "a MATLAB file", load), array, names)


def _require_start(path: Path, start: bytes, kind: str) -> None:
    with open(path, "rb") as file:
        if file.read(len(start)) != start:
            raise ValueError(f"{path} is not {kind}, or a damaged one")


def _undamaged(path: Path, kind: str, load: Callable[[], Any]) -> Any:
    try:
        return load()
    except PermissionError:
        raise
    except Exception as error:  # numpy, zipfile and scipy have dozens of them for damaged bytes
        if "Python objects" in str(error) or "Object arrays" in str(error):
            raise ValueError(
                f"{path} holds Python objects, which only pickle could read; "
                "save numbers or text instead"
            ) from None
        raise ValueError(f"{path} is not {kind}, or a damaged one") from None


def _wanted(found: Sequence[str], array: str | None, names: Sequence[str]) -> list[str]:
    """The array that is meant: the one with a name for it, else all there are."""
    if array in found:
        return [str(array)]
    known = [name for name in names if name in found]
    return known[:1] or list(found)


def _joined(
    path: Path, arrays: Mapping[str, Any], array: str | None, names: Sequence[str]
) -> pa.Table:
    """The table of the only array, or of several vectors, one per column."""
    if array is not None and array not in arrays:
        raise ValueError(f"{path} has no array {array!r}; it holds {listed(list(arrays))}")
    if not arrays:
        raise ValueError(f"{path} holds no array")
    if len(arrays) == 1:
        return _table(path, next(iter(arrays.values())))
    shapes = {np.shape(array) for array in arrays.values()}
    if len(shapes) > 1 or max(len(shape) - shape.count(1) for shape in shapes) > 1:
        raise ValueError(
            f"{path} holds {listed(list(arrays))}; say which is meant by array, or call it "
            f"{names[0]!r}"
        )
    columns = [_table(path, np.ravel(array))[0] for array in arrays.values()]
    return pa.table(columns, names=list(arrays))


def _table(path: Path, array: Any) -> pa.Table:
    if hasattr(array, "toarray"):  # MATLAB's sparse matrices
        array = array.toarray()
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise ValueError(f"{path}: expected an array of 2 dimensions, got {array.ndim}")
    if array.shape[0] == 1 and path.suffix.lower() == ".mat":
        array = array.T  # vectors lie down there
    if array.dtype.kind not in "biufU":
        raise ValueError(f"{path}: expected an array of numbers or text, got {array.dtype}")
    if array.dtype.kind == "f" and array.dtype != np.float32:
        with np.errstate(all="ignore"):  # what is too large becomes infinite, and is refused
            array = array.astype(np.float64, copy=False)
    native = array.dtype.newbyteorder("=")
    columns = [pa.array(np.ascontiguousarray(column, dtype=native)) for column in array.T]
    return pa.table(columns, names=[f"column{i}" for i in range(1, len(columns) + 1)])
