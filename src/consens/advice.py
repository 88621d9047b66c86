"""A look at a table before it is clustered: what will be used, and what looks wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from consens.frames import to_frame
from consens.measure import nmi

#: Values that are looked at; of larger tables, rows at even distances.
SAMPLED_VALUES = 4_000_000

#: Standard deviations of features may differ by this factor.
SCALE_FACTOR = 100.0

#: Distance from the median, in interquartile ranges, that makes a value an extreme outlier.
FAR = 50.0

#: A column with one value but for this share of the rows is nearly constant.
RARE = 0.02

#: A class has this many values at most.
MAX_CLASSES = 20

SENTINELS = (-1e9, -99999.0, -9999.0, -999.0, -99.0, 999.0, 9999.0, 99999.0, 1e9)

ID_NAME = re.compile(r"(^|[_\W])(id|ids|index|key|uuid|guid|nr|no|row)$|^unnamed|ID$|Id$", re.A)
CLASS_NAME = re.compile(
    r"(^|[_\W])(class|label|labels|target|species|cluster|truth|category|group|diagnosis|outcome"
    r"|cultivar|y)$",
    re.I | re.A,
)
SAMPLE_NAME = re.compile(
    r"^(sample|patient|subject|donor|cell|control|ctrl|treated|case|tumou?r|normal|gsm|tcga|srr)"
    r"[\W_]*[a-z]*\d+",
    re.I | re.A,
)
FEATURE_NAME = re.compile(
    r"^(x|v|f|var|feature|feat|column|col|dim|pc|pixel|gene|probe|q|item|attr)?[\W_]*\d", re.I
)


class Finding(NamedTuple):
    """Something in a table that looks wrong.

    Attributes
    ----------
    kind : str
        One word: id, counter, class, constant, nearly constant, missing, sentinel, outlier,
        scale, repeated, transposed or labels.
    columns : tuple of str
        The columns it is about; empty when it is about the table.
    text : str
        What looks wrong.
    cure : str
        What to do, in Python's words.
    option : str
        What to do, as an option of the command line.
    """

    kind: str
    columns: tuple[str, ...]
    text: str
    cure: str
    option: str = ""


@dataclass(frozen=True)
class Advice:
    """What `check` found in a table.

    Attributes
    ----------
    n_objects : int
    used : list of str
        Columns of numbers, which can be clustered as they are.
    left_out : list of str
        Other columns, and those that are certainly ids.
    findings : list of Finding
    """

    n_objects: int
    used: list[str]
    left_out: list[str]
    findings: list[Finding]

    @property
    def ids(self) -> list[str]:
        """Columns that are certainly ids."""
        return [name for found in self.findings if found.kind == "id" for name in found.columns]

    def __str__(self) -> str:
        lines = [f"{self.n_objects} objects, {len(self.used)} columns of numbers"]
        if self.left_out:
            lines.append(f"left out: {_names(self.left_out)}")
        lines += [f"- {found.text}: {found.cure}" for found in self.findings]
        return "\n".join(lines if self.findings else [*lines, "nothing looks wrong"])


def check(X: Any) -> Advice:
    """Look at a table before it is clustered, and say what looks wrong.

    Finds ids and counters, a column that looks like the class, constant and nearly constant
    columns, missing values, extreme outliers and codes such as -999 for missing values, scales
    that differ more than 100-fold, repeated rows, tables whose samples are columns, and tables of
    clusterings.  Changes nothing.

    Parameters
    ----------
    X : data frame, or array-like of shape (n, d)
        Columns may hold anything.

    Returns
    -------
    Advice
        Prints as a list; ``findings`` has the details.

    Notes
    -----
    O(n·d·log n) for up to 4 million values; of larger tables rows at even distances are looked at,
    though ids are looked for in all.

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
    table = _Table(frame)
    certain = [name for name in table.names if table.certainly_ids(name)]
    ids = set(certain)
    used = [name for name in table.numeric if name not in ids]
    left_out = [name for name in table.names if name in ids or name not in table.column]
    findings = list(_findings(table, certain, used))
    return Advice(len(frame), used, left_out, findings)


def as_frame(X: Any) -> pd.DataFrame:
    """A table of any library, a dictionary of columns or an array, as a data frame."""
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
    frame.columns = [str(name) for name in frame.columns]
    return frame


def scale_factor(X: np.ndarray) -> tuple[float, int, int]:
    """How many times the largest standard deviation is the smallest, and the two columns.

    Columns that are constant, or nearly, do not count.
    """
    with np.errstate(all="ignore"):
        deviation = np.nanstd(X, axis=0)
    same = (np.sort(X, axis=0)[len(X) // 2] == X).sum(axis=0)
    spread = np.flatnonzero(
        (same < (1 - RARE) * len(X)) & (deviation > 0) & np.isfinite(deviation)
    )
    if len(spread) < 2:
        return 1.0, 0, 0
    large, small = spread[deviation[spread].argmax()], spread[deviation[spread].argmin()]
    return float(deviation[large] / deviation[small]), int(large), int(small)


class _Table:
    """The columns of a table: text, and numbers sorted once for all questions."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame, self.names = frame, list(frame.columns)
        self.numeric = [
            name
            for name, kind in frame.dtypes.items()
            if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind)
        ]
        n, d = len(frame), max(1, len(self.numeric))
        size = min(n, max(1000, SAMPLED_VALUES // d))
        rows = np.linspace(0, n - 1, size).astype(np.intp) if size < n else np.arange(n)
        self.X = frame[self.numeric].iloc[rows].to_numpy(dtype=np.float64, na_value=np.nan)
        self.sorted = np.sort(self.X, axis=0)  # NaN last
        self.column = {name: j for j, name in enumerate(self.numeric)}
        steps = np.diff(self.sorted, axis=0)
        with np.errstate(invalid="ignore"):
            self.n_distinct = (steps > 0).sum(axis=0) + np.isfinite(self.X).any(axis=0)
            self.whole = ((np.round(self.X) == self.X) | np.isnan(self.X)).all(axis=0)

    def is_text(self, name: str) -> bool:
        if name in self.column or pd.api.types.is_bool_dtype(self.frame[name].dtype):
            return False
        return pd.api.types.infer_dtype(self.frame[name]) not in ("date", "datetime", "datetime64")

    def distinct(self, name: str) -> int:
        if name in self.column:
            return int(self.n_distinct[self.column[name]])
        return int(self.frame[name].astype(str).nunique())

    def all_distinct(self, name: str) -> bool:
        j = self.column.get(name)
        if j is not None and (not self.whole[j] or self.n_distinct[j] < len(self.X)):
            return False
        return bool(self.frame[name].is_unique and self.frame[name].notna().all())

    def counts_rows(self, name: str) -> bool:
        """Whether a column is 0, 1, 2, ... or 1, 2, 3, ..."""
        j = self.column.get(name)
        if j is None or not self.whole[j] or self.sorted[0, j] not in (0, 1):
            return False
        values = self.frame[name].to_numpy(dtype=np.float64, na_value=np.nan)
        return bool(np.array_equal(values, values[0] + np.arange(len(values))))

    def certainly_ids(self, name: str) -> bool:
        """Text that never repeats, or whole numbers that never do and are called an id."""
        if len(self.frame) < 10 or len(self.names) == 1:
            return False
        if self.is_text(name):
            return self.all_distinct(name)
        named = bool(ID_NAME.search(name))
        return (named and self.all_distinct(name)) or (
            (named or name == self.names[0]) and self.counts_rows(name)
        )


def _findings(table: _Table, certain: Sequence[str], used: Sequence[str]) -> Iterator[Finding]:
    drop = "leave it out"
    for name in certain:
        kind = "text that never repeats" if table.is_text(name) else "numbers that never repeat"
        text = f"column {name!r} holds ids ({kind})"
        yield Finding("id", (name,), text, drop, f"--drop {name}")
    labels = _as_labels(table, used)
    if labels:
        yield labels
        return
    for name in used:
        j = table.column[name]
        if table.n_distinct[j] == len(table.X) > 10 and table.whole[j]:
            steps = np.diff(table.sorted[:, j])
            if (steps == 1).all():
                text = f"column {name!r} counts from {table.sorted[0, j]:g}, like a row number"
                yield Finding("counter", (name,), text, drop, f"--drop {name}")
    ids = set(certain)
    others = [name for name in table.names if name not in ids]
    for name in others:
        if _looks_like_class(table, name, last=name == others[-1]):
            text = f"column {name!r} looks like the class"
            yield Finding("class", (name,), text, drop, f"--drop {name}")
    yield from _about_values(table, used)
    yield from _about_rows(table, used)


def _about_values(table: _Table, used: Sequence[str]) -> Iterator[Finding]:
    columns = [table.column[name] for name in used]
    if not columns:
        return
    n, X, ordered = len(table.X), table.X[:, columns], table.sorted[:, columns]
    missing = np.isnan(X)
    if missing.any():
        named = tuple(name for name, bad in zip(used, missing.any(axis=0), strict=True) if bad)
        count = int(missing.sum())
        text = f"{count} value{'s are' if count > 1 else ' is'} missing in {_columns(named)}"
        yield Finding("missing", named, text, "impute them", "--impute median")
    constant = tuple(
        name for name, few in zip(used, table.n_distinct[columns] <= 1, strict=True) if few
    )
    if constant:
        text = f"{_columns(constant)} {'is' if len(constant) == 1 else 'are'} constant"
        yield Finding("constant", constant, text, "leave out", _drop(constant))
    if n >= 50:  # a value that most rows have is the median
        same = (ordered[n // 2] == X).sum(axis=0)
        rare = (same >= (1 - RARE) * n) & (table.n_distinct[columns] > 1)
        few = tuple(name for name, one in zip(used, rare, strict=True) if one)
        if few:
            text = f"{_columns(few)} hold{'s' if len(few) == 1 else ''} one value but for a few"
            yield Finding("nearly constant", few, text, "leave out", _drop(few))
    yield from _outliers(used, ordered)
    factor, large, small = scale_factor(X)
    if factor > SCALE_FACTOR:
        pair = used[large], used[small]
        text = f"scales differ by a factor of {factor:,.0f} ({pair[0]!r} to {pair[1]!r})"
        yield Finding("scale", pair, text, 'set scale="standard"', "--scale standard")


def _outliers(used: Sequence[str], ordered: np.ndarray) -> Iterator[Finding]:
    """Codes for missing values, and values far from all others, in columns that are sorted."""
    count = np.isfinite(ordered).sum(axis=0)
    least, low, middle, high, most = (
        ordered[(share * np.maximum(count - 1, 0)).astype(np.intp), np.arange(len(used))]
        for share in (0, 0.25, 0.5, 0.75, 1)
    )
    code = np.isin(least, SENTINELS) | np.isin(most, SENTINELS)
    far = np.maximum(most - middle, middle - least) > FAR * (high - low)
    strange = (count >= 10) & (least < most) & (code | (far & (high > low)))
    for j in np.flatnonzero(strange).tolist():
        values = ordered[: count[j], j]
        ends = [end for end in (values[0], values[-1]) if end in SENTINELS]
        rest = values[values != ends[0]] if ends else values
        if ends and len(rest) > 1 and np.abs(rest - ends[0]).min() > rest[-1] - rest[0]:
            times = _times(len(values) - len(rest))
            text = f"column {used[j]!r} holds {ends[0]:g} {times}, like a missing value"
            yield Finding("sentinel", (used[j],), text, "replace it by NaN and impute")
        elif far[j] and high[j] > low[j]:
            beyond = np.abs(values - middle[j]) > FAR * (high[j] - low[j])
            worst = values[np.abs(values - middle[j]).argmax()]
            some = (
                "an extreme value,"
                if beyond.sum() == 1
                else f"{beyond.sum()} extreme values, up to"
            )
            text = f"column {used[j]!r} has {some} {worst:g}"
            yield Finding("outlier", (used[j],), text, "correct it or leave out the rows")


def _about_rows(table: _Table, used: Sequence[str]) -> Iterator[Finding]:
    if not used:
        return
    n, d = len(table.frame), len(used)
    rows = np.ascontiguousarray(table.X[:, [table.column[name] for name in used]])
    repeated = len(rows) - len({row.tobytes() for row in rows})
    if repeated and len(rows) == n:
        text = "1 row repeats another" if repeated == 1 else f"{repeated} rows repeat others"
        yield Finding("repeated", (), text, "leave them out if that is wrong")
    samples = sum(bool(SAMPLE_NAME.match(name)) for name in used)
    numbered = sum(
        bool(re.search(r"\d+$", name)) and not FEATURE_NAME.match(name) for name in used
    )
    if d >= 4 and (samples > 0.8 * d or (d > n and numbered > 0.8 * d)):
        text = f"the columns are called like samples ({used[0]!r}, {used[1]!r}, ...)"
        yield Finding("transposed", (), text, "transpose if they are", "--transpose")


def _as_labels(table: _Table, used: Sequence[str]) -> Finding | None:
    """A finding when all columns look like clusterings of the rows that agree with each other."""
    known = set(used)
    names = [name for name in table.names if name in known or table.is_text(name)]
    names = [name for name in names if name in known or not table.certainly_ids(name)]
    if len(names) < 2:
        return None
    most = max(2, min(50, len(table.X) // 3))
    for name in names:
        if table.distinct(name) > most:
            return None
        j = table.column.get(name)
        if j is not None and (not table.whole[j] or table.sorted[0, j] < -1):
            return None
        if j is not None and table.sorted[0, j] + table.n_distinct[j] + 1 < np.nanmax(
            table.X[:, j]
        ):
            return None
    rows = slice(None, None, max(1, len(table.frame) // 2000))
    codes = [pd.factorize(table.frame[name].iloc[rows].astype(str))[0] for name in names[:6]]
    if np.mean([nmi(a, b) for a, b in combinations(codes, 2)]) < 0.4:
        return None
    return Finding(
        "labels",
        tuple(names),
        f"the {len(names)} columns look like clusterings of the rows, not like features",
        "combine them with consens.combine",
        "consens combine",
    )


def _looks_like_class(table: _Table, name: str, *, last: bool) -> bool:
    values = table.distinct(name)
    if not 2 <= values <= min(MAX_CLASSES, len(table.X) // 5):
        return False
    j = table.column.get(name)
    if j is not None and not table.whole[j]:
        return False
    return bool(CLASS_NAME.search(name)) or (last and table.is_text(name))


def _names(names: Sequence[str], most: int = 6) -> str:
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _columns(names: Sequence[str]) -> str:
    return f"column {names[0]!r}" if len(names) == 1 else f"columns {_names(names)}"


def _drop(names: Sequence[str]) -> str:
    return " ".join(f"--drop {name}" for name in names[:6]) + (" ..." if len(names) > 6 else "")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
