"""Read clusterings and known classes from tables and ensemble folders."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Unpack

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from consens._docs import shared_paragraphs
from consens._labels import MISSING
from consens._support.files import present_folder
from consens._support.printable import listed
from consens.ensemble import Ensemble
from consens.io.ensembles import OBJECT, read_folder
from consens.io.formats import Dialect, ReadOptions, checked_options, is_numeric, is_text
from consens.io.tables import load_table


@shared_paragraphs
@dataclass(frozen=True)
class LabelTable:
    """Clusterings of objects, one per column.

    Attributes
    ----------
    labels : DataFrame of shape (n, M)
        Integers, booleans or text, as in the file.
    {ids_of_rows}
    {dialect_of_file}
    """

    labels: pd.DataFrame
    ids: Sequence[str | int]
    id_column: str | None
    dialect: Dialect | None = None


@shared_paragraphs
def read_labels(path: str | Path, **options: Unpack[ReadOptions]) -> LabelTable:
    """Read a table of clusterings: one object per row, one clustering per column.

    Every column but the id is a clustering.  In text files the cells
    ``NA N/A #N/A NaN nan null NULL None <NA>`` and empty ones are missing labels; in parquet
    and npy files only nulls and NaN are.  Integers stored as floats, as pandas does in columns
    with missing values, become integers.

    Parameters
    ----------
    path : path
        A file that `read_table` reads, or an ensemble folder.  Labels in mat files start at 1.
    **options
        As in `read_table`, and `columns`: the columns that are clusterings, as names or patterns
        such as ``"leiden*"``.  The default `array` is the one called members or labels, or all
        vectors if they have the same length; in an h5ad file it is the ensemble that
        `to_anndata` stored.  Columns of ``obs`` must be named.

    Returns
    -------
    LabelTable

    {read_errors}
    """
    options = checked_options(options)
    if present_folder(path).is_dir():
        ensemble, columns = _from_folder(path, options)
        shown = pd.DataFrame(ensemble.labels, columns=columns).astype("Int64")
        shown = shown.mask(ensemble.labels == MISSING)
        if ensemble.obs is None:
            return LabelTable(shown, range(len(shown)), None)
        return LabelTable(shown, ensemble.obs.tolist(), OBJECT)
    loaded = load_table(path, "labels", options)
    table = loaded.table
    if options.get("columns"):
        table = table.select(_matching(path, table.column_names, options["columns"]))
    _refuse_zeros(Path(path), table)
    labels = {name: _label_column(path, name, table[name]) for name in table.column_names}
    return LabelTable(pd.DataFrame(labels), loaded.ids, loaded.id_column, loaded.dialect)


@shared_paragraphs
def read_ensemble(path: str | Path, **options: Unpack[ReadOptions]) -> Ensemble:
    """Read an ensemble from its folder, or from a table of labels.

    Parameters
    ----------
    path : path
        A folder in the format of `write_ensemble`, or a file that `read_labels` reads.
    **options
        As in `read_labels`.  For an ensemble folder, `drop` names members to leave out.

    Returns
    -------
    Ensemble
        With the ids of the file, if any, as `obs`.  The clusters of members without payload are
        numbered from 0 in ascending order of the numbers or names in the file.

    {read_errors}
    """
    if present_folder(path).is_dir():
        return _from_folder(path, checked_options(options))[0]
    table = read_labels(path, **options)
    ensemble = Ensemble.from_labels(table.labels)
    return replace(ensemble, obs=None if table.id_column is None else np.array(table.ids))


def read_truth_table(
    path: str | Path, column: str | None = None, **options: Unpack[ReadOptions]
) -> LabelTable:
    """Read known classes as in the file, from a table or an array gt, truth or y, with ids."""
    loaded = load_table(path, "truth", options)
    table = loaded.table
    if column is not None:
        if column not in table.column_names:
            known = listed(table.column_names)
            raise ValueError(f"{path} has no column {column!r} of classes; it has {known}")
        table = table.select([column])
    if table.num_columns > 1:
        raise ValueError(
            f"{path}: expected one column of classes, got {listed(table.column_names)}; name "
            "one, or leave out the others"
        )
    name = table.column_names[0]
    labels = pd.DataFrame({name: _label_column(path, name, table[name])})
    return LabelTable(labels, loaded.ids, loaded.id_column, loaded.dialect)


def _from_folder(path: str | Path, options: ReadOptions) -> tuple[Ensemble, list[str]]:
    """Read an ensemble folder without dropped members, and the names of the others."""
    ensemble, columns = read_folder(path)
    id_column, dropped = options.get("id_column"), set(options.get("drop", ()))
    if id_column not in (None, False, OBJECT):
        raise ValueError(f"{path} has its ids in {OBJECT!r}, not in {id_column!r}")
    if id_column is False:
        ensemble = replace(ensemble, obs=None)
    unknown = sorted(dropped - set(columns))
    if unknown:
        raise ValueError(f"{path} has no member {listed(unknown)}; they are {listed(columns)}")
    wanted = _matching(path, columns, options.get("columns") or ["*"])
    kept = [m for m, name in enumerate(columns) if name in wanted and name not in dropped]
    if not kept:
        raise ValueError(f"{path} has no members other than those left out")
    if len(kept) < len(columns):
        ensemble = ensemble[:, kept]
    return ensemble, [columns[m] for m in kept]


def _matching(path: str | Path, names: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """Return the names that match a pattern, in their order; each pattern must match one."""
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) or name == pattern for name in names):
            raise ValueError(f"{path} has no column {pattern!r}; its columns are {listed(names)}")
    return [n for n in names if any(fnmatchcase(n, p) or n == p for p in patterns)]


def _refuse_zeros(path: Path, table: pa.Table) -> None:
    """Refuse the label 0 in mat files, where it may mean a cluster, noise or missing."""
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
                f"{path}: column {name!r} holds real values (e.g. {cell:g}) instead of "
                "labels; for a table of features use consens.ConsensusClustering"
            )
        column = column.cast(pa.int64())
    elif not (is_numeric(kind) or is_text(kind)):
        try:
            column = column.cast(pa.string())
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            raise ValueError(
                f"{path}: column {name!r} holds {kind} values instead of labels, which are "
                "numbers or names"
            ) from None
    if pa.types.is_uint64(column.type) and (pc.max(column).as_py() or 0) >= 2**63:
        column = column.cast(pa.string())  # too large for int64, but usable as names
    if pa.types.is_integer(column.type):
        column = column.cast(pa.int64())
        return column.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    return column.to_pandas()
