"""Read features from files, one object per row."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

import numpy as np

from consens._cells import is_number
from consens._docs import shared_paragraphs
from consens._support.printable import listed
from consens.io.formats import ReadOptions, is_numeric, not_numeric
from consens.io.tables import load_table, to_matrix


@shared_paragraphs
@dataclass(frozen=True)
class FeatureTable:
    """Features of objects.

    Attributes
    ----------
    X : ndarray of shape (n, d), float64
        Finite values.
    columns : list of str
        Names of the d features.
    {ids_of_rows}
    {array_of_file}
    """

    X: np.ndarray
    columns: list[str]
    ids: Sequence[str | int]
    id_column: str | None
    array: str | None = None


@shared_paragraphs
def read_features(path: str | Path, **options: Unpack[ReadOptions]) -> FeatureTable:
    """Read a table of numbers, one object per row.

    Parameters
    ----------
    path : path
        A file that `read_table` reads.
    **options
        As in `read_table`.  The default `array` is the one called X, features, data or fea; in
        an h5ad file it is ``X_pca``, or else X.

    Returns
    -------
    FeatureTable

    {read_errors}
    """
    loaded = load_table(path, "features", options)
    table, ids = loaded.table, loaded.ids
    text = [field.name for field in table.schema if not is_numeric(field.type)]
    if text:
        # a cell that is not a number, such as one '?' among numbers
        cells = (cell for cell in table[text[0]].to_pylist() if cell is not None)
        odd = next((cell for cell in cells if not is_number(str(cell))), None)
        raise ValueError(f"{path}: {not_numeric(text, odd)}")
    X = to_matrix(table)
    names = table.column_names
    counts = len(X) - np.isfinite(X).sum(axis=0)
    bad = np.flatnonzero(counts)
    if bad.size:
        row = int(np.flatnonzero(~np.isfinite(X[:, bad[0]]))[0])
        object_ = "" if isinstance(ids, range) else f" ({ids[row]!r})"
        more = f", as do {listed([names[i] for i in bad[1:]])}" if len(bad) > 1 else ""
        total = f"; {counts.sum()} values in all" if len(bad) > 1 else ""
        raise ValueError(
            f"{path}: column {names[bad[0]]!r} has {counts[bad[0]]} missing or infinite values, "
            f"the first in row {row + 1}{object_}{more}{total}; fill them in, or leave columns "
            "out by --drop"
        )
    return FeatureTable(X, names, ids, loaded.id_column, loaded.array)
