"""Script that reads an h5ad file in a separate process; see `consens.io.h5ad`.

It imports nothing of consens.  The argument is a JSON object.  The result is written to standard
output: for the task ``header`` as JSON, for ``read`` as an Arrow stream.  The exit code is 3 if
the file does not hold the requested array, and 4 if clusterings must be named among its columns;
the reason is then on standard error.
"""

import json
import sys
from fnmatch import fnmatchcase
from typing import Any, NoReturn

import h5py

OBS_NAMES = "obs_names"
ENSEMBLE = "consens_ensemble"
PREFERRED = "X_pca"

Elements = dict[str, Any]  # HDF5 groups and datasets by name


def main(request: dict[str, Any]) -> None:
    """Write the requested header or table to standard output."""
    with h5py.File(request["path"], "r") as file:
        if request["purpose"] == "features":
            found = _feature_element(file, request["array"])
        else:
            found = _label_elements(file, **request)
        if request["task"] == "header":
            json.dump(_header(found), sys.stdout)
        else:
            _write_table(file, found)


def _feature_element(file: h5py.File, array: str | None) -> Elements:
    """Choose the matrix of features: X, a layer, an array of obsm, or a column of obs."""
    within, layers = list(file.get("obsm", ())), list(file.get("layers", ()))
    columns = [name for name in file["obs"] if name != file["obs"].attrs["_index"]]
    if array is None:
        array = PREFERRED if PREFERRED in within else "X"
    if array in within:
        return {array: file["obsm"][array]}
    if array in layers:
        return {array: file["layers"][array]}
    if array != "X" and array in columns:
        return {array: file["obs"][array]}
    if array != "X" or "X" not in file:
        _refuse(array, [*(["X"] if "X" in file else []), *layers, *within, *columns])
    return {"X": file["X"]}


def _label_elements(
    file: h5py.File, array: str | None, purpose: str, patterns: list[str], **_: Any
) -> Elements:
    """Choose the clusterings: the ensemble in obsm, or columns of obs."""
    obs, within = file["obs"], list(file.get("obsm", ()))
    index = obs.attrs["_index"]
    columns = [name for name in obs if name not in (index, "__categories")]
    order = list(map(str, obs.attrs.get("column-order", ())))
    columns.sort(key=lambda name: order.index(name) if name in order else len(order))
    if patterns:
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in columns):
                _fail(f"has no column {pattern!r} in obs; its columns are {_quoted(columns)}")
        return {n: obs[n] for n in columns if any(fnmatchcase(n, p) for p in patterns)}
    wanted = array or ENSEMBLE
    if wanted in within:
        return {wanted: file["obsm"][wanted]}
    if array is not None:
        if array not in columns:
            _refuse(array, [*within, *columns])
        return {array: obs[array]}
    kept = [n for n in columns if obs[n].attrs.get("encoding-type") == "categorical"]
    if purpose == "labels" or not kept:
        text = _quoted([*kept, *(n for n in columns if n not in kept)])
        _fail(f"has columns in obs that need not be clusterings: {text}", 4)
    return {name: obs[name] for name in kept}


def _shape(element: Any) -> tuple[int, int]:
    shape = element.attrs.get("shape", getattr(element, "shape", None))
    if shape is None:  # a group: categories, or a data frame
        parts = [element[name] for name in ("codes", "values") if name in element]
        shape = parts[0].shape if parts else (len(element[element.attrs["_index"]]), len(element))
    n, width = (*map(int, shape), 1)[:2]
    return n, width


def _header(found: Elements) -> dict[str, Any]:
    shapes = [_shape(element) for element in found.values()]
    n = shapes[0][0] if shapes else 0
    columns = {OBS_NAMES: "string"}
    for name, (_, width) in zip(found, shapes, strict=True):
        names = [name] if width == 1 else [f"{name}{i}" for i in range(1, width + 1)]
        columns |= dict.fromkeys(names, "label" if width == 1 else "double")
    return {"columns": columns, "n_rows": n, "n_bytes": 8.0 * sum(a * b for a, b in shapes)}


def _write_table(file: h5py.File, found: Elements) -> None:
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    from anndata.io import read_elem

    obs = read_elem(file["obs"])
    columns = {}
    for name, element in found.items():
        values = read_elem(element)
        if hasattr(values, "toarray"):
            values = values.toarray()
        if getattr(values, "ndim", 1) == 1:
            if isinstance(getattr(values, "dtype", None), pd.CategoricalDtype):
                values = np.asarray(values.astype(values.categories.dtype))
            columns[name] = values
            continue
        names = [f"{name}{i}" for i in range(1, values.shape[1] + 1)]
        if name == ENSEMBLE:
            names = [f"m{i}" for i in range(values.shape[1])]
        elif isinstance(values, pd.DataFrame):
            names = list(map(str, values.columns))
        elif element.parent.name == "/" or element.parent.name == "/layers":
            names = list(map(str, read_elem(file["var"]).index))
        if len(set(names)) < len(names):
            _fail("has two columns with the same name")
        columns |= dict(zip(names, np.asarray(values).T, strict=True))
    if OBS_NAMES in columns:
        _fail(f"has a column called {OBS_NAMES!r}, a name that is reserved")
    arrays = {OBS_NAMES: pa.array([str(name) for name in obs.index])}
    arrays |= {name: pa.array(values, from_pandas=True) for name, values in columns.items()}
    table = pa.table(arrays).replace_schema_metadata({"array": next(iter(found))})
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream:
        stream.write_table(table)


def _refuse(array: str, known: list[str]) -> NoReturn:
    _fail(f"has no array {array!r}; it holds {_quoted(known)}")


def _quoted(names: list[str]) -> str:
    return ", ".join(map(repr, names[:20])) + (" ..." if len(names) > 20 else "")


def _fail(message: str, code: int = 3) -> NoReturn:
    sys.stderr.write(message + "\n")
    sys.exit(code)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
