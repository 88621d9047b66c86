"""Properties of the columns of a table."""

import re
import warnings
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from consens._blocks import in_blocks
from consens._blocks.scan import N_HEAD, scan_rows
from consens._support.frames import to_frame

#: Number of values above which a table is sampled at equally spaced rows.
SAMPLED_VALUES = 1_000_000

ID_NAME = re.compile(
    r"(?i:(^|[_\W])(id|ids|index|key|uuid|guid|no|row|customer|client|patient|account|kunde|konto)$"
    r"|(nr|nummer|number)\.?$|^unnamed)|ID$|Id$",
    re.A,
)

_TIMES = ("date", "datetime", "datetime64", "timedelta", "timedelta64")

#: Share of distinct values from which a column with the name of an id holds ids.
MOSTLY_DISTINCT = 0.9

SCALE_FACTOR = 100.0  # ratio of standard deviations above which scales are called different
RARE = 0.02  # share of other values up to which a column is nearly constant


class ColumnTable:
    """A data frame with its numeric columns as a matrix, also sorted; NaN for infinite values."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame, self.names = frame, list(frame.columns)
        self.numeric = [
            name
            for name, kind in frame.dtypes.items()
            if pd.api.types.is_numeric_dtype(kind)
            and not pd.api.types.is_bool_dtype(kind)
            and not pd.api.types.is_complex_dtype(kind)
        ]
        n, d = len(frame), max(1, len(self.numeric))
        size = min(n, max(1000, SAMPLED_VALUES // d))
        self.rows = np.linspace(0, n - 1, size).astype(np.intp) if size < n else np.arange(n)
        X = frame[self.numeric].iloc[self.rows].to_numpy(dtype=np.float64, na_value=np.nan)
        self.infinite = np.isinf(X)
        self.X = np.where(self.infinite, np.nan, X)
        self.nested = [name for name in self.names if _is_nested(frame[name])]
        self.sorted = np.sort(self.X, axis=0)  # NaN last
        self.column = {name: j for j, name in enumerate(self.numeric)}
        steps = np.diff(self.sorted, axis=0)
        with np.errstate(invalid="ignore"):
            self.n_distinct = (steps > 0).sum(axis=0) + np.isfinite(self.X).any(axis=0)
            self.whole = ((np.round(self.X) == self.X) | np.isnan(self.X)).all(axis=0)

    def is_text(self, name: str) -> bool:
        """Whether a column holds neither numbers nor dates nor booleans nor nested values."""
        if (
            name in self.column
            or name in self.nested
            or pd.api.types.is_bool_dtype(self.frame[name].dtype)
        ):
            return False
        return pd.api.types.infer_dtype(self.frame[name]) not in _TIMES

    def distinct(self, name: str) -> int:
        """Return the number of distinct values."""
        if name in self.column:
            return int(self.n_distinct[self.column[name]])
        return int(self.frame[name].astype(str).nunique())

    @cached_property
    def unrepeated(self) -> pd.DataFrame:
        """The rows without repetitions of whole rows."""
        if self.nested:
            return self.frame
        return self.frame[~self.frame.duplicated().to_numpy()]

    def is_distinct(self, name: str, share: float = 1.0) -> bool:
        """Whether a share of the values is distinct, none is missing, and numbers are integers.

        Rows that repeat others in all columns are not counted.
        """
        j = self.column.get(name)
        if j is not None and (not self.whole[j] or self.n_distinct[j] < len(self.X) / 2):
            return False
        column = self.frame[name]
        if column.isna().any():
            return False
        if column.is_unique:
            return True
        rest, count = self.unrepeated[name], column.nunique()
        return bool(count > len(column) / 2 and count >= share * len(rest))

    def counts_rows(self, name: str) -> bool:
        """Whether a column is 0, 1, 2, ... or 1, 2, 3, ..."""
        j = self.column.get(name)
        if j is None or not self.whole[j] or self.sorted[0, j] not in (0, 1):
            return False
        values = self.frame[name].to_numpy(dtype=np.float64, na_value=np.nan)
        return bool(np.array_equal(values, values[0] + np.arange(len(values))))

    def certainly_ids(self, name: str) -> bool:
        """Whether a column is distinct text, or nearly distinct integers named like an id."""
        if len(self.frame) < 10 or len(self.names) == 1 or name in self.nested:
            return False
        if self.is_text(name):
            return self.is_distinct(name)
        named = bool(ID_NAME.search(name))
        return (named and self.is_distinct(name, MOSTLY_DISTINCT)) or (
            (named or name == self.names[0]) and self.counts_rows(name)
        )


def _is_nested(column: pd.Series) -> bool:
    """Whether a column holds a list, an array or a dictionary."""
    return pd.api.types.infer_dtype(column).startswith("mixed") and any(
        isinstance(value, list | tuple | dict | set | np.ndarray) for value in column
    )


def as_frame(X: Any) -> pd.DataFrame:
    """Convert a table of any library, a dictionary of columns or an array to a data frame."""
    X = to_frame(X)
    if isinstance(X, pd.DataFrame):
        frame = X.copy(deep=False)
    else:
        values = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
        if values.ndim != 2:
            raise ValueError(
                f"expected rows and columns, got {values.ndim} dimension(s); pass a data frame or "
                "an array of shape (n, d)"
            )
        frame = pd.DataFrame(values, columns=[f"column{j + 1}" for j in range(values.shape[1])])
    if 0 in frame.shape:
        raise ValueError(
            f"expected a table with rows and columns, got {len(frame)} rows and "
            f"{frame.shape[1]} columns"
        )
    frame.columns = [str(name) for name in frame.columns]
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise ValueError(f"several columns have the name {twice[0]!r}; rename all but one")
    return frame


def scale_factor(X: np.ndarray) -> tuple[float, int, int]:
    """Return the ratio of the largest to the smallest standard deviation, and the two columns.

    Constant and nearly constant columns are ignored.
    """
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # columns without values
        deviation = np.nanstd(X, axis=0)
    same = (np.sort(X, axis=0)[len(X) // 2] == X).sum(axis=0)
    spread = np.flatnonzero(
        (same < (1 - RARE) * len(X)) & (deviation > 0) & np.isfinite(deviation)
    )
    if len(spread) < 2:
        return 1.0, 0, 0
    large, small = spread[deviation[spread].argmax()], spread[deviation[spread].argmin()]
    return float(deviation[large] / deviation[small]), int(large), int(small)


def warn_of_scales(X: Any, names: Any) -> None:
    """Warn if the scales of features differ too much in the first 1000 rows."""
    if hasattr(X, "toarray"):
        return
    factor, large, small = scale_factor(scan_rows(X).head if in_blocks(X) else X[:N_HEAD])
    if factor > SCALE_FACTOR:
        pair = (large, small) if names is None else (repr(names[large]), repr(names[small]))
        warnings.warn(
            f"the scales of features differ by a factor of {factor:,.0f} (columns {pair[0]} and "
            f"{pair[1]}), so few of them decide; set scale='standard', or scale='none' to keep "
            "them as they are",
            UserWarning,
            stacklevel=3,
        )
