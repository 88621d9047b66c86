"""Labels from files of every kind that holds clusterings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from consens.docstrings import shared_paragraphs
from consens.ensemble import Ensemble
from consens.files import present_folder
from consens.io.folders import OBJECT, read_folder
from consens.io.formats import ReadOptions, is_numeric, is_text
from consens.io.tables import load_table
from consens.labels import MISSING, compact
from consens.printable import listed


@shared_paragraphs
@dataclass(frozen=True)
class LabelTable:
    """Clusterings of objects, one per column.

    Attributes
    ----------
    labels : DataFrame of shape (n, M)
        Integers, booleans or text as they stand in the file; missing cells are missing.
    {ids_of_rows}
    """

    labels: pd.DataFrame
    ids: Sequence[str | int]
    id_column: str | None


@shared_paragraphs
def read_labels(path: str | Path, **options: Unpack[ReadOptions]) -> LabelTable:
    """Read a table of clusterings: one object per row, one clustering per column.

    Every column but the id is a clustering.  In text files the cells
    ``NA N/A #N/A NaN nan null NULL None <NA>`` and empty ones are missing labels; in parquet
    and npy files only nulls and NaN are.  Whole numbers stored as reals, as pandas writes
    integers with gaps, are integers again.

    Parameters
    ----------
    path : path
        A file that `read_table` reads, or an ensemble folder.  A mat file counts clusters from 1.
    **options
        As in `read_table`.  Without `array`, that called members or labels is read, or all
        vectors if they are of one length; from an h5ad file the ensemble that `to_anndata` left
        there, or else all categorical columns of ``obs``.

    Returns
    -------
    LabelTable

    {read_errors}
    """
    if present_folder(path).is_dir():
        ensemble, columns = _from_folder(path, options)
        shown = pd.DataFrame(ensemble.labels, columns=columns).astype("Int64")
        shown = shown.mask(ensemble.labels == MISSING)
        if ensemble.obs is None:
            return LabelTable(shown, range(len(shown)), None)
        return LabelTable(shown, ensemble.obs.tolist(), OBJECT)
    table, ids, found, _ = load_table(path, "labels", options)
    _refuse_zeros(Path(path), table)
    labels = {name: _label_column(path, name, table[name]) for name in table.column_names}
    return LabelTable(pd.DataFrame(labels), ids, found)


@shared_paragraphs
def read_ensemble(path: str | Path, **options: Unpack[ReadOptions]) -> Ensemble:
    """Read an ensemble from whatever holds clusterings: its folder, or a table of labels.

    Parameters
    ----------
    path : path
        A folder that `write_ensemble` made, or that follows the specification of its format;
        or a file that `read_labels` reads.
    **options
        As in `read_labels`.  In an ensemble folder `drop` leaves out members, by the names of
        their columns.

    Returns
    -------
    Ensemble
        With the ids as its `obs`, where the file has any.  The clusters of members without
        payload are numbered from 0 in ascending order of the numbers or names in the file.

    {read_errors}
    """
    if present_folder(path).is_dir():
        return _from_folder(path, options)[0]
    table = read_labels(path, **options)
    ensemble = Ensemble.from_labels(table.labels)
    return replace(ensemble, obs=None if table.id_column is None else np.array(table.ids))


def read_truth(
    path: str | Path, column: str | None = None, **options: Unpack[ReadOptions]
) -> np.ndarray:
    """Read known classes to compare with: one per object.

    Parameters
    ----------
    path : path
        An npz or mat file with the classes as ``gt``, ``truth`` or ``y`` (the pools of cluster
        ensembles that are published as mat files hold ``gt`` beside ``members``), or a table.
    column : str, optional
        The column of the classes; needed when the table has several beside the id.
    **options
        As in `read_table`.

    Returns
    -------
    ndarray of n integers
        From 0 in the order of the values in the file; NaN is `MISSING`.
    """
    try:
        return compact(read_truth_table(path, column, **options).labels.iloc[:, 0])
    except ValueError as error:
        text = str(error)
        raise ValueError(text if text.startswith(str(path)) else f"{path}: {text}") from None


def read_truth_table(
    path: str | Path, column: str | None = None, **options: Unpack[ReadOptions]
) -> LabelTable:
    """Read known classes as they stand in the file, with the ids of the objects."""
    table, ids, found, _ = load_table(path, "truth", options)
    if column is not None:
        if column not in table.column_names:
            known = listed(table.column_names)
            raise ValueError(f"{path} has no column {column!r} of classes; it has {known}")
        table = table.select([column])
    if table.num_columns > 1:
        raise ValueError(
            f"{path}: the known classes are one column, not {listed(table.column_names)}; name "
            "it, or leave out the others"
        )
    name = table.column_names[0]
    return LabelTable(pd.DataFrame({name: _label_column(path, name, table[name])}), ids, found)


def _from_folder(path: str | Path, options: ReadOptions) -> tuple[Ensemble, list[str]]:
    """The ensemble of a folder without the members to leave out, and their names."""
    ensemble, columns = read_folder(path)
    id_column, dropped = options.get("id_column"), set(options.get("drop", ()))
    if id_column not in (None, False, OBJECT):
        raise ValueError(f"{path} has its ids in {OBJECT!r}, not in {id_column!r}")
    if id_column is False:
        ensemble = replace(ensemble, obs=None)
    unknown = sorted(dropped - set(columns))
    if unknown:
        raise ValueError(f"{path} has no member {listed(unknown)}; they are {listed(columns)}")
    kept = [m for m, name in enumerate(columns) if name not in dropped]
    if not kept:
        raise ValueError(f"{path} has no member left beside what is left out")
    if dropped:
        ensemble = ensemble[:, kept]
    return ensemble, [columns[m] for m in kept]


def _refuse_zeros(path: Path, table: pa.Table) -> None:
    """Refuse 0 where labels count from 1: it may be a cluster, noise or a gap."""
    if path.suffix.lower() != ".mat":
        return
    numeric = [name for name in table.column_names if is_numeric(table[name].type)]
    for name in numeric:
        if pc.any(pc.equal(table[name].cast(pa.float64(), safe=False), 0)).as_py():
            raise ValueError(
                f"{path}: {name!r} holds the label 0, where MATLAB counts from 1; write -1 for "
                "noise, NaN for objects that were not seen, or number the clusters from 1"
            )


def _label_column(path: str | Path, name: str, column: pa.ChunkedArray) -> pd.Series:
    kind = column.type
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        column = column.cast(pa.float64(), safe=False)
        column = pc.if_else(pc.is_nan(column), None, column)
        whole = pc.and_(pc.equal(column, pc.round(column)), pc.less(pc.abs(column), 2.0**53))
        if not pc.all(whole, min_count=0).as_py():
            cell = column.filter(pc.invert(whole))[0].as_py()
            raise ValueError(
                f"{path}: column {name!r} holds real values (e.g. {cell:g}) where labels are "
                "due; for a table of features use consens cluster"
            )
        column = column.cast(pa.int64())
    elif not (is_numeric(kind) or is_text(kind)):
        try:
            column = column.cast(pa.string())
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            raise ValueError(
                f"{path}: column {name!r} holds {kind} values where labels are due, which are "
                "numbers or names"
            ) from None
    if pa.types.is_uint64(column.type) and (pc.max(column).as_py() or 0) >= 2**63:
        column = column.cast(pa.string())  # too large to count with, but names as well
    if pa.types.is_integer(column.type):
        column = column.cast(pa.int64())
        return column.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    return column.to_pandas()
