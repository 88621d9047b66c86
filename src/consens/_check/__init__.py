"""Checks of a table before it is clustered: usable columns, and common mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from consens._blocks import FeatureMatrix
from consens._cells import parse_columns
from consens._check.findings import Finding, find_all, odd_clusterings
from consens._check.table import ID_NAME, ColumnTable, as_frame, scale_factor, warn_of_scales
from consens._support.printable import listed

__all__ = [
    "Advice",
    "Finding",
    "as_frame",
    "check",
    "odd_clusterings",
    "scale_factor",
    "warn_of_scales",
]


@dataclass(frozen=True)
class Advice:
    """Result of `check`.

    Attributes
    ----------
    n_objects : int
    used : list of str
        Numeric columns, which can be clustered as they are.
    left_out : list of str
        All other columns, and certain ids.
    findings : list of Finding
    """

    n_objects: int
    used: list[str]
    left_out: list[str]
    findings: list[Finding]

    @property
    def ids(self) -> list[str]:
        """Columns that certainly hold ids."""
        return [name for found in self.findings if found.kind == "id" for name in found.columns]

    def __str__(self) -> str:
        lines = [f"{self.n_objects} objects, {len(self.used)} columns of numbers"]
        if self.left_out:
            lines.append(f"left out: {listed(self.left_out, 6)}")
        lines += [f"- {found.text}: {found.cure}" for found in self.findings]
        return "\n".join(lines if self.findings else [*lines, "nothing looks wrong"])


def check(X: FeatureMatrix | pd.DataFrame | Mapping[str, Any]) -> Advice:
    """Check a table for common mistakes before it is clustered.

    Finds ids and counters, numbers and dates in columns of text, postal codes and telephone
    numbers, columns that are named like the class or explain the others, categories with two
    spellings, constant and nearly constant columns, missing values, extreme outliers, codes such
    as -999 for missing values, scales that differ more than 100-fold, empty rows, totals, repeated
    rows, transposed tables, and tables of clusterings.

    Parameters
    ----------
    X : data frame, or array-like of shape (n, d)
        Columns may hold anything.

    Returns
    -------
    Advice
        Printed as a list; ``findings`` has the details.

    Notes
    -----
    O(n·d·log n) for up to 4 million values.  Larger tables are sampled at equally spaced rows,
    except in the search for ids.

    Examples
    --------
    >>> import consens
    >>> from sklearn.datasets import load_wine
    >>> wine = load_wine(as_frame=True)
    >>> print(consens.check(wine.data[["hue", "proline"]].assign(cultivar=wine.target)))
    178 objects, 3 columns of numbers
    - column 'cultivar' looks like the class: leave it out
    - scales differ by a factor of 1,378 ('proline' to 'hue'): set scale="standard"
    - 2 rows repeat others: leave them out if that is wrong
    """
    frame = as_frame(X)
    text = frame.select_dtypes(exclude=["number", "bool", "datetime", "datetimetz", "category"])
    found = parse_columns(
        text.where(text.map(lambda cell: isinstance(cell, str)), None), ask=False
    )
    hidden = [
        Finding("text", (name,), note, "convert it by TableFeatures or io.read_table")
        for name, note in found.notes.items()
    ]
    table = ColumnTable(frame.assign(**found.columns))
    certain = [
        name
        for name in table.names
        if table.certainly_ids(name) and (name not in found.mixed or ID_NAME.search(name))
    ]
    ids = set(certain)
    used = [name for name in table.numeric if name not in ids]
    left_out = [name for name in table.names if name in ids or name not in table.column]
    return Advice(len(frame), used, left_out, [*hidden, *find_all(table, certain, used)])
