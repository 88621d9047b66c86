"""Tables from arrays in npy, npz and MATLAB files, without pickle."""

import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.lib import format as npy_format

from consens._support.printable import listed
from consens.io.formats import Content, Format, Request, TableHeader, refuse_damaged, register

#: Common names of arrays in files that hold several, by purpose.
ARRAY_NAMES = {
    "features": ("X", "features", "data", "fea"),
    "labels": ("members", "labels"),
    "truth": ("gt", "truth", "y"),
}

MAX_COLUMNS = 10**7  # limit on the columns of an array: their names alone would take a GiB

HDF5 = b"\x89HDF\r\n\x1a\n"

#: Shapes and types of arrays, by their names.
Shapes = Mapping[str, tuple[tuple[int, ...], np.dtype]]


def _register(
    suffix: str,
    shapes: Callable[[Request], Shapes],
    load: Callable[[Request, list[str]], Mapping[str, Any]],
    **about: bool,
) -> None:
    """Register a format: `shapes` lists all arrays of a file, `load` reads some of them."""

    def read(request: Request) -> Content:
        arrays = load(request, _wanted(request, shapes(request)))
        return Content(_joined(request, arrays), request.options.get("id_column") or None)

    def header(request: Request) -> TableHeader:
        return _array_header(request, shapes(request))

    register(Format((suffix,), header, read, **about))


def _load_npy(request: Request, names: list[str]) -> dict[str, np.ndarray]:
    with refuse_damaged(request, "an npy file"):
        return {name: npy_format.open_memmap(request.path, mode="r") for name in names}


def _npy_shapes(request: Request) -> Shapes:
    return {name: (array.shape, array.dtype) for name, array in _load_npy(request, [""]).items()}


def _load_npz(request: Request, names: list[str]) -> dict[str, np.ndarray]:
    with (
        refuse_damaged(request, "an npz file"),
        request.open() as file,
        np.load(file, allow_pickle=False) as archive,
    ):
        return {name: archive[name] for name in names}


def _npz_shapes(request: Request) -> Shapes:
    shapes = {}
    readers: dict[tuple[int, int], Callable[..., Any]] = {
        (1, 0): npy_format.read_array_header_1_0,
        (2, 0): npy_format.read_array_header_2_0,
    }
    with (
        refuse_damaged(request, "an npz file"),
        request.open() as file,
        zipfile.ZipFile(file) as archive,
    ):
        for name in archive.namelist():
            with archive.open(name) as member:
                version = npy_format.read_magic(member)
                shape, _, dtype = readers[version](member)
                shapes[name.removesuffix(".npy")] = shape, dtype
    return shapes


def _load_mat(request: Request, names: list[str]) -> dict[str, Any]:
    from scipy.io import loadmat

    with refuse_damaged(request, "a MATLAB file"), request.open() as file:
        arrays = loadmat(file, variable_names=names) if names else {}
        return {name: arrays[name] for name in names}


def _mat_shapes(request: Request) -> Shapes:
    from scipy.io import whosmat

    with request.open() as file:
        if HDF5 in file.read(1024):
            raise ValueError(
                f"{request} is a MATLAB file of version 7.3, which is HDF5; save it in MATLAB by "
                "save(..., '-v7'), or its arrays as npy or csv"
            )
    with refuse_damaged(request, "a MATLAB file"), request.open() as file:
        return {name: (shape, np.dtype(np.float64)) for name, shape, _ in whosmat(file)}


_register(".npy", _npy_shapes, _load_npy)
_register(".npz", _npz_shapes, _load_npz, arrays=True)
_register(".mat", _mat_shapes, _load_mat, arrays=True)


def _array_header(request: Request, shapes: Shapes) -> TableHeader:
    wanted = [shapes[name] for name in _wanted(request, shapes)]
    two = [(*shape, 1)[:2] if shape else (1, 1) for shape, _ in wanted]
    # text becomes Python objects, and numbers are copied for Arrow
    widths = [max(8, dtype.itemsize) for _, dtype in wanted]
    n_bytes = sum(float(n) * d * w for (n, d), w in zip(two, widths, strict=True))
    if max((d for _, d in two), default=0) > MAX_COLUMNS:
        n, d = max(two, key=lambda shape: shape[1])
        raise ValueError(
            f"{request} has {n} rows and {d:,} columns; at most {MAX_COLUMNS:,} are read: objects "
            "are rows, so the array may need to be transposed"
        )
    if len(wanted) == 1:
        names, types = _column_names(two[0][1]), [str(wanted[0][1])] * two[0][1]
    else:
        names, types = list(shapes), [str(dtype) for _, dtype in wanted]
    n_rows = max((n for n, _ in two), default=0)
    return TableHeader(dict(zip(names, types, strict=False)), n_rows, n_bytes)


def _wanted(request: Request, found: Shapes) -> list[str]:
    """Return the names of the arrays to read: the given one, one with a common name, or all."""
    array = request.options.get("array")
    if array is not None:
        if array not in found:
            raise ValueError(f"{request} has no array {array!r}; it holds {listed(list(found))}")
        return [array]
    known = [name for name in ARRAY_NAMES[request.purpose] if name in found]
    return known[:1] or list(found)


def _joined(request: Request, arrays: Mapping[str, Any]) -> pa.Table:
    """Make a table of one array, or of several vectors, one per column."""
    if not arrays:
        raise ValueError(f"{request} holds no array")
    if len(arrays) == 1:
        name, array = next(iter(arrays.items()))
        table = _array_table(request, array)
        return table.replace_schema_metadata({"array": name}) if name else table
    shapes = {np.shape(array) for array in arrays.values()}
    if len(shapes) > 1 or max(len(shape) - shape.count(1) for shape in shapes) > 1:
        raise ValueError(
            f"{request} holds {listed(list(arrays))}; choose one by array, or call it "
            f"{ARRAY_NAMES[request.purpose][0]!r}"
        )
    columns = [_array_table(request, np.ravel(array))[0] for array in arrays.values()]
    return pa.table(columns, names=list(arrays))


def _array_table(request: Request, array: Any) -> pa.Table:
    if hasattr(array, "toarray"):  # MATLAB's sparse matrices
        array = array.toarray()
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise ValueError(f"{request}: expected an array of 2 dimensions, got {array.ndim}")
    if array.shape[0] == 1 and request.suffix == ".mat":
        array = array.T  # vectors are rows in MATLAB
    if array.dtype.kind not in "biufU":
        raise ValueError(f"{request}: expected an array of numbers or text, got {array.dtype}")
    if array.dtype.kind == "f" and array.dtype != np.float32:
        with np.errstate(all="ignore"):  # overflow to infinity is refused later
            array = array.astype(np.float64, copy=False)
    native = array.dtype.newbyteorder("=")
    columns = [pa.array(np.ascontiguousarray(column, dtype=native)) for column in array.T]
    return pa.table(columns, names=_column_names(len(columns)))


def _column_names(n: int) -> list[str]:
    return [f"column{i}" for i in range(1, n + 1)]
