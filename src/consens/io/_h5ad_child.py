"""Read an h5ad file in a process of its own, without the package; see `consens.io.h5ad`.

The argument is a JSON object.  The result is written to standard output: for the task ``header``
as JSON, for ``read`` as a stream of Arrow.  Exit code 3 is a request that the file cannot meet.
"""

import json
import sys
from typing import Any, NoReturn

import h5py

OBS_NAMES = "obs_names"
ENSEMBLE = "consens_ensemble"
PREFERRED = "X_pca"

Elements = dict[str, Any]  # groups and datasets of HDF5


def answer(asked: dict[str, Any]) -> None:
    """Answer one request."""
    with h5py.File(asked["path"], "r") as file:
        found = (
            _label_elements(file, asked["array"])
            if asked["labels"]
            else _feature_element(file, asked["array"])
        )
        if asked["task"] == "header":
            json.dump(_as_json(found), sys.stdout)
        else:
            _write(file, found)


def _feature_element(file: h5py.File, array: str | None) -> Elements:
    """Name and element of the matrix of features: X, a layer, or one of obsm."""
    within, layers = list(file.get("obsm", ())), list(file.get("layers", ()))
    if array is None:
        array = PREFERRED if PREFERRED in within else "X"
    if array in within:
        return {array: file["obsm"][array]}
    if array in layers:
        return {array: file["layers"][array]}
    if array != "X" or "X" not in file:
        _refuse(array, [*(["X"] if "X" in file else []), *layers, *within])
    return {"X": file["X"]}


def _label_elements(file: h5py.File, array: str | None) -> Elements:
    """Names and elements of clusterings: the ensemble in obsm, or columns of obs."""
    obs, within = file["obs"], list(file.get("obsm", ()))
    index = obs.attrs["_index"]
    columns = [name for name in obs if name not in (index, "__categories")]
    wanted = array or ENSEMBLE
    if wanted in within:
        return {wanted: file["obsm"][wanted]}
    if array is not None:
        if array not in columns:
            _refuse(array, [*within, *columns])
        return {array: obs[array]}
    kept = [n for n in columns if obs[n].attrs.get("encoding-type") == "categorical"]
    if not kept:
        text = ", ".join(map(repr, columns[:8]))
        _end(f"has no categorical column in obs; name a clustering of {text}")
    order = [n for n in obs.attrs.get("column-order", ()) if n in kept]
    return {name: obs[name] for name in [*order, *(n for n in kept if n not in order)]}


def _shape(element: Any) -> tuple[int, int]:
    shape = element.attrs.get("shape", getattr(element, "shape", None))
    if shape is None:  # a group: categories, or a data frame
        parts = [element[name] for name in ("codes", "values") if name in element]
        shape = parts[0].shape if parts else (len(element[element.attrs["_index"]]), len(element))
    n, width = (*map(int, shape), 1)[:2]
    return n, width


def _as_json(found: Elements) -> dict[str, Any]:
    shapes = [_shape(element) for element in found.values()]
    n = shapes[0][0] if shapes else 0
    columns = {OBS_NAMES: "string"}
    for name, (_, width) in zip(found, shapes, strict=True):
        names = [name] if width == 1 else [f"{name}{i}" for i in range(1, width + 1)]
        columns |= dict.fromkeys(names, "label" if width == 1 else "double")
    return {"columns": columns, "n_rows": n, "n_bytes": 8.0 * sum(a * b for a, b in shapes)}


def _write(file: h5py.File, found: Elements) -> None:
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
            _end("has two columns of one name")
        columns |= dict(zip(names, np.asarray(values).T, strict=True))
    if OBS_NAMES in columns:
        _end(f"has a column called {OBS_NAMES!r}, which is taken")
    arrays = {OBS_NAMES: pa.array([str(name) for name in obs.index])}
    arrays |= {name: pa.array(values, from_pandas=True) for name, values in columns.items()}
    table = pa.table(arrays).replace_schema_metadata({"array": next(iter(found))})
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream:
        stream.write_table(table)


def _refuse(array: str, known: list[str]) -> NoReturn:
    _end(f"has no array {array!r}; it holds {', '.join(map(repr, known[:8]))}")


def _end(message: str) -> NoReturn:
    sys.stderr.write(message + "\n")
    sys.exit(3)


if __name__ == "__main__":
    answer(json.loads(sys.argv[1]))
