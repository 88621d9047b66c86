"""Features from files, one object per row."""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from consens.io.annotated import annotated_features
from consens.io.tables import is_numeric, read_table
from consens.io.text import is_number, listed

#: What features are called among the arrays of an npz or a MATLAB file.
ARRAY_NAMES = ("X", "features", "data", "fea")


@dataclass(frozen=True)
class FeatureTable:
    """Features of objects.

    Attributes
    ----------
    X : ndarray of shape (n, d), float64
        Finite values.
    columns : list of str
        Names of the d features.
    ids : sequence of str or int
        One per object; row numbers from 0 when the file has no id.
    id_column : str or None
        Where the ids came from.
    """

    X: np.ndarray
    columns: list[str]
    ids: Sequence[str | int]
    id_column: str | None


def read_features(
    path: str | Path,
    *,
    id_column: str | Literal[False] | None = None,
    drop: Iterable[str] = (),
    header: bool | None = None,
    array: str | None = None,
) -> FeatureTable:
    """Read a table of numbers, one object per row.

    Parameters
    ----------
    path : path
        A csv (commas, semicolons or tabs; UTF-8), tsv, parquet, npy, npz, mat or h5ad file.
        Columns of an array, and of a text file without header, are called column1, column2 and
        so on.
    id_column : str, False or None
        The column that holds the ids; False when there is none. None takes the index of a
        DataFrame stored as parquet, else the first column when it holds text or is called
        id, index or nothing at all.
    drop : iterable of str
        Columns to leave out.
    header : bool or None
        Whether the first line of a text file names the columns; None finds out, and
        raises when the line could be either.
    array : str or None
        Which of the arrays in an npz or mat file, or of the ``obsm`` in an h5ad file; None
        takes the one called X, features, data or fea, or the only one, and X of an h5ad file.

    Returns
    -------
    FeatureTable

    Raises
    ------
    ValueError, OSError
        One line that says what is wrong with the file and what to do.
    """
    table, ids, id_column = read_table(
        Path(path), id_column, drop, header, array, names=ARRAY_NAMES, annotated=annotated_features
    )
    text = [name for name in table.column_names if not is_numeric(table[name].type)]
    if text:
        cell = _first_text(table[text[0]])
        plural = "columns {} are" if len(text) > 1 else "column {} is"
        options = " ".join(f"--drop {shlex.quote(name)}" for name in text)
        raise ValueError(
            f"{path}: {plural.format(listed(text))} not numeric (e.g. {cell!r}); "
            f"leave out what is no feature: {options}"
        )
    X = np.empty((table.num_rows, table.num_columns))
    for i, column in enumerate(table.columns):
        X[:, i] = column.cast(pa.float64(), safe=False).to_numpy()
    _refuse_non_finite(path, X, table.column_names)
    return FeatureTable(X, table.column_names, ids, id_column)


def _refuse_non_finite(path: str | Path, X: np.ndarray, names: list[str]) -> None:
    bad = {name: np.flatnonzero(~np.isfinite(X[:, i])) for i, name in enumerate(names)}
    bad = {name: rows for name, rows in bad.items() if rows.size}
    if bad:
        name, rows = next(iter(bad.items()))
        more = f", as do {listed(list(bad)[1:])}" if len(bad) > 1 else ""
        raise ValueError(
            f"{path}: column {name!r} has {rows.size} missing or infinite values, the first in "
            f"row {rows[0] + 1}{more}; fill them in, or leave columns out by --drop"
        )


def _first_text(column: pa.ChunkedArray) -> object:
    """The cell that keeps a column from being numeric, such as one '?' among numbers."""
    cells = (cell for cell in column.to_pylist() if cell is not None)
    return next((cell for cell in cells if not is_number(str(cell))), None)
