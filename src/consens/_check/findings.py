"""Common mistakes in a table, and what to do about them."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from consens._cells import MOSTLY
from consens._check.table import ID_NAME, RARE, SCALE_FACTOR, ColumnTable, scale_factor
from consens._support.printable import listed
from consens.measure import nmi

#: Distance from the median, in interquartile ranges, that makes a value an extreme outlier.
FAR = 50.0

MAX_CATEGORIES = 50  # largest number of distinct values in a column of categories
MAX_CLASSES = 20  # largest number of distinct values in a column that may be the class
MOST_SENTENCES = 4  # number of columns up to which each gets a sentence of its own

SENTINELS = (-1e9, 1e9, *(float(s + 3 * d) for s in ("-", "") for d in "78"))
SENTINELS += tuple(s * (10.0**m - i) for s in (-1, 1) for m in (2, 3, 4, 5) for i in (1, 2, 3))

#: Dates that often stand for missing ones.
DATE_CODES = ("0001-01-01", "1900-01-01", "1970-01-01", "2099-12-31", "2999-12-31", "9999-12-31")

CLASS_NAME = re.compile(
    r"(^|[_\W])(class|label|labels|target|species|cluster|segment|truth|category|group|diagnosis"
    r"|outcome|response|churn|churned|default|defaulted|fraud|converted|survived|cultivar|y"
    r"|klasse|gruppe|diagnose|classe|groupe)$",
    re.I | re.A,
)

#: Names of known classes rather than of a clustering.
TRUTH_NAME = re.compile(
    r"(^|[_\W])(truth|ground_?truth|gt|target|y|y_true|true_labels?|class|classes|klasse|classe"
    r"|species|cultivar|diagnosis|diagnose|outcome)$",
    re.I | re.A,
)
COUNTED = ", and counts as one of the clusterings"

#: Rows of clusterings that are looked at, and the least number with a label that tells.
N_COMPARED, N_TOLD = 2000, 10

#: Names of columns with numbers that are not quantities.
CODE_NAMES = {
    "postal codes": r"plz|zip|zip_?code|post_?code|postal|postal_?code|postleitzahl|code_?postal",
    "telephone numbers": r"(telephone|telefon|phone|tel|mobile?|handy|fax|ruf)_?(nu\w+|n[ro])?",
}
PHONE_NUMBER = re.compile(
    r"(?=(?:\D*\d){7})(?!\d{1,4}([./-])\d{1,2}\1\d{1,4}$)\+?[\d /().-]{7,20}"  # but no date
)

#: Share of the variance of the other columns that a column explains if it may be the class.
CLASS_SHARE = 0.4

MIN_ROWS_OF_TOTAL = 6  # least number of rows of which one may hold totals

ALIKE = 0.7  # mean correlation of columns that look like samples of the same quantities

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
        One word: id, nested, text, spelling, code, counter, class, constant, nearly constant,
        missing, infinite, sentinel, outlier, scale, empty, total, repeated, transposed or labels.
    columns : tuple of str
        The columns concerned; empty for a finding about the whole table.
    text : str
        What looks wrong.
    cure : str
        What to do in Python.
    option : str
        What to do on the command line.
    """

    kind: str
    columns: tuple[str, ...]
    text: str
    cure: str
    option: str = ""


def odd_clusterings(labels: pd.DataFrame) -> dict[str, str]:
    """Return columns of clusterings that may be something else, and why, if there are others."""
    found = {}
    for name, column in labels.iloc[:: len(labels) // N_COMPARED + 1].items():
        own = column.dropna()
        count = own.astype(str).nunique() if len(own) >= N_TOLD else 0
        if TRUTH_NAME.search(str(name)):
            found[str(name)] = f"looks like known classes{COUNTED}"
        elif count == 1:
            found[str(name)] = f"has one label for all objects{COUNTED}"
        elif count > MOSTLY * len(own):
            found[str(name)] = f"has a label of its own for most objects{COUNTED}"
    return found if len(found) < labels.shape[1] else {}


def find_all(table: ColumnTable, certain: Sequence[str], used: Sequence[str]) -> Iterator[Finding]:
    """Yield everything that looks wrong, ids first."""

    def about(kind: str, name: str, text: str) -> Finding:
        return Finding(kind, (name,), f"column {name!r} {text}", "leave it out", f"--drop {name}")

    for name in certain:
        kind = "text" if table.is_text(name) else "numbers"
        repeated = int(table.frame[name].duplicated().sum())
        never = f" that never repeat{'s' if kind == 'text' else ''}"
        text = f", {repeated} of them repeated" if repeated else never
        yield about("id", name, f"holds ids ({kind}{text})")
    for name in table.nested:
        yield about("nested", name, "holds lists or other nested values")
    labels = _as_labels(table, used)
    if labels:
        yield labels
        return
    ids = set(certain)
    others = [name for name in table.names if name not in ids]
    codes = {name: what for name in others if (what := _kind_of_code(table, name))}
    for name, what in codes.items():
        yield about("code", name, f"holds {what}, which are not quantities")
    for name in used:
        j = table.column[name]
        if len(table.X) > 10 and table.whole[j] and (np.diff(table.sorted[:, j]) == 1).all():
            yield about("counter", name, f"counts from {table.sorted[0, j]:g}, like a row number")
    for name in others:
        if name in codes:
            continue
        if _has_few_values(table, name) and CLASS_NAME.search(name):
            yield about("class", name, "looks like the class")
        elif (share := _explained_share(table, name, used)) > CLASS_SHARE:
            text = f"explains {100 * share:.0f} % of the variance of the others"
            yield about("class", name, f"may be the class: it {text}")
        elif _has_few_values(table, name) and table.is_text(name) and name == others[-1]:
            yield about("class", name, "may be the class: it is text and comes last")
    for name in others:
        if table.is_text(name) and (pair := _spelled_alike(table.frame[name])):
            text = f"column {name!r} holds values that differ in case or spaces only: {pair}"
            yield Finding("spelling", (name,), text, "give them one spelling")
    yield from _about_values(table, used)
    yield from _about_dates(table)
    if empty := np.flatnonzero(table.frame[others].isna().all(axis=1)).tolist():
        where = f"{len(empty)} rows have" if len(empty) > 1 else f"row {empty[0] + 1} has"
        yield Finding("empty", (), f"{where} no value", "leave them out")
    yield from _about_rows(table, used)


def _about_values(table: ColumnTable, used: Sequence[str]) -> Iterator[Finding]:
    columns = [table.column[name] for name in used]
    if not columns:
        return

    def those(mask: np.ndarray) -> tuple[str, ...]:
        return tuple(name for name, one in zip(used, mask, strict=True) if one)

    n, X, ordered = len(table.X), table.X[:, columns], table.sorted[:, columns]
    infinite = table.infinite[:, columns]
    for kind, where, cure, option in (
        ("missing", np.isnan(X) & ~infinite, "impute them", "--impute median"),
        ("infinite", infinite, "replace them by numbers, or by NaN and impute", ""),
    ):
        if named := those(where.any(axis=0)):
            count = int(where.sum())
            text = f"{count} value{'s are' if count > 1 else ' is'} {kind} in {_columns(named)}"
            yield Finding(kind, named, text, cure, option)
    if constant := those(table.n_distinct[columns] <= 1):
        text = f"{_columns(constant)} {'is' if len(constant) == 1 else 'are'} constant"
        yield Finding("constant", constant, text, "leave out", _drop(constant))
    if n >= 50:  # a value in more than half of the rows is the median
        same = (ordered[n // 2] == X).sum(axis=0)
        rare = (same >= (1 - RARE) * n) & (table.n_distinct[columns] > 1)
        if few := those(rare):
            text = f"{_columns(few)} {'is' if len(few) == 1 else 'are'} nearly constant"
            yield Finding("nearly constant", few, text, "leave out", _drop(few))
    yield from _outliers(used, ordered)
    factor, large, small = scale_factor(X)
    if factor > SCALE_FACTOR:
        pair = used[large], used[small]
        text = f"scales differ by a factor of {factor:,.0f} ({pair[0]!r} to {pair[1]!r})"
        yield Finding("scale", pair, text, 'set scale="standard"', "--scale standard")


def _outliers(used: Sequence[str], ordered: np.ndarray) -> Iterator[Finding]:
    """Yield codes for missing values and extreme outliers in sorted columns."""
    count = np.isfinite(ordered).sum(axis=0)
    least, low, middle, high, most = (
        ordered[(share * np.maximum(count - 1, 0)).astype(np.intp), np.arange(len(used))]
        for share in (0, 0.25, 0.5, 0.75, 1)
    )
    code = np.isin(least, (*SENTINELS, *range(-9, 0))) | np.isin(most, (*SENTINELS, 7, 8, 9))
    far = np.maximum(most - middle, middle - least) > FAR * (high - low)
    strange = (count >= 10) & (least < most) & (code | (far & (high > low)))
    found: dict[float, list[tuple[str, int]]] = {}
    outliers: list[tuple[str, int, float]] = []
    for j in np.flatnonzero(strange).tolist():
        values = ordered[: count[j], j]
        rest = values[~np.isin(values, SENTINELS)]
        codes = [
            end
            for end in np.unique(values[np.isin(values, SENTINELS)]).tolist()
            if len(rest) > 1
            and (
                np.abs(rest - end).min() > max(rest[-1] - rest[0], abs(end) / 4)
                or (end < 0 <= rest[0] and (values == end).sum() > 1)
            )
        ] + _one_digit_codes(values)
        for end in codes:
            found.setdefault(end, []).append((used[j], int((values == end).sum())))
        if not codes and far[j] and high[j] > low[j]:
            beyond = np.abs(values - middle[j]) > FAR * (high[j] - low[j])
            worst = values[np.abs(values - middle[j]).argmax()]
            outliers.append((used[j], int(beyond.sum()), worst))
    for end, places in sorted(found.items()):
        if end in (7, 8, 9) and len(places) < 2:
            continue  # a questionnaire has the same code for several questions
        for names, total in _together(places):
            times = "once" if total == 1 else f"{total} times"
            verb = "holds" if len(names) == 1 else "hold"
            text = f"{_columns(names)} {verb} {end:g} {times}, like a missing value"
            known = {place for place, _ in places}
            usual = [j for j, name in enumerate(used) if name not in known]
            quantity = abs(end) < 10 and (ordered[:, usual] == end).any()  # elsewhere
            option = "" if quantity else f"--na {end:g}"
            yield Finding("sentinel", names, text, "replace it by NaN and impute", option)
    for names, total in _together([(name, total) for name, total, _ in outliers]):
        worst = max((w for name, _, w in outliers if name in names), key=abs)
        verb = "has" if len(names) == 1 else "have"
        some = "an extreme value," if total == 1 else f"{total} extreme values, up to"
        text = f"{_columns(names)} {verb} {some} {worst:g}"
        yield Finding("outlier", names, text, "correct it or leave out the rows")


def _one_digit_codes(values: np.ndarray) -> list[float]:
    """Return codes such as -9, or 8 and 9 beside answers from 1 to 5, in a sorted column."""
    distinct, counts = np.unique(values, return_counts=True)
    n_below = int((distinct < 0).sum())
    below, rest = distinct[:n_below], distinct[n_below:]
    if 0 < n_below <= 3 <= len(rest) and below[0] >= -9 and counts[:n_below].min() > 1:
        gap, spread = rest[0] - below[-1], rest[-1] - rest[0]
        apart = gap > min(spread, 9.0) or (n_below == 1 and spread > 9)
        return below.tolist() if apart and (below == np.round(below)).all() else []
    if n_below or not 3 <= len(distinct) <= 10 or (distinct != np.round(distinct)).any():
        return []
    jump = np.flatnonzero(np.diff(distinct) > 2)
    start = int(jump[0]) + 1 if len(jump) == 1 else 0
    found = start > 1 and distinct[start] >= 7 and distinct[-1] <= 9 and counts[start:].min() > 1
    return distinct[start:].tolist() if found else []


def _together(places: Sequence[tuple[str, int]]) -> list[tuple[tuple[str, ...], int]]:
    """Join what is said of many columns, each with a count; few columns are kept apart."""
    names, counts = zip(*places, strict=True) if places else ((), ())
    if len(places) > MOST_SENTENCES:
        return [(names, sum(counts))]
    return [((name,), count) for name, count in places]


def _about_dates(table: ColumnTable) -> Iterator[Finding]:
    """Yield dates that stand for missing ones, such as 9999-12-31."""
    for name in table.frame.select_dtypes(["datetime", "datetimetz"]):
        days = table.frame[name].dropna().dt.tz_localize(None).dt.normalize()
        for end in {days.min(), days.max()} if len(days) else ():
            rest, code = days[days != end], f"{end:%Y-%m-%d}"
            if code not in DATE_CODES or len(rest) < 2:
                continue
            if (rest - end).abs().min() > rest.max() - rest.min():
                times = f"{len(days) - len(rest)} times"
                text = f"column {name!r} holds {code} {times}, like a missing value"
                cure = "replace it by NaT and impute"
                yield Finding("sentinel", (name,), text, cure, f"--na {code}")


def _about_rows(table: ColumnTable, used: Sequence[str]) -> Iterator[Finding]:
    if not used:
        return
    n, d = len(table.frame), len(used)
    for row in (0, -1) if n >= MIN_ROWS_OF_TOTAL else ():
        if sums := [name for name in used if _is_total(table.frame[name], row)]:
            text = f"the {'last' if row else 'first'} row holds totals of {_columns(sums)}"
            yield Finding("total", tuple(sums), text, "leave the row out")
    rows = np.ascontiguousarray(table.X[:, [table.column[name] for name in used]])
    repeated = len(rows) - len({row.tobytes() for row in rows})
    if repeated and len(rows) == n:
        text = "1 row repeats another" if repeated == 1 else f"{repeated} rows repeat others"
        yield Finding("repeated", (), text, "leave them out if that is wrong", "--drop-duplicates")
    samples = sum(bool(SAMPLE_NAME.match(name)) for name in used)
    numbered = sum(
        bool(re.search(r"\d+$", name)) and not FEATURE_NAME.match(name) for name in used
    )
    if d >= 4 and (samples > 0.8 * d or (d > n and numbered > 0.8 * d)):
        text = f"the column names look like samples ({used[0]!r}, {used[1]!r}, ...)"
        yield Finding(
            "transposed", (), text, "transpose the table if columns are samples", "--transpose"
        )
    elif d >= 6 and n > 10 * d and (alike := _likeness(rows)) > ALIKE:
        text = (
            f"the columns look like samples of the same {n:,} quantities: their mean correlation "
            f"is {alike:.2f}"
        )
        yield Finding(
            "transposed", (), text, "transpose the table if columns are samples", "--transpose"
        )


def _is_total(column: pd.Series, row: int) -> bool:
    """Whether one value is the sum of the others, which are not negative."""
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    total, others = values[row], np.delete(values, row)
    others = others[(others != 0) & ~np.isnan(others)]
    known = len(others) >= MIN_ROWS_OF_TOTAL / 2 and others.min() > 0
    return bool(known and np.isclose(total, others.sum(), rtol=1e-9))


def _as_labels(table: ColumnTable, used: Sequence[str]) -> Finding | None:
    """Return a finding if all columns look like clusterings that agree with each other."""
    known = set(used)
    names = [
        name
        for name in table.names
        if name in known or (table.is_text(name) and not table.certainly_ids(name))
    ]
    if len(names) < 2:
        return None
    most = max(2, min(50, len(table.X) // 3))
    for name in names:
        if table.distinct(name) > most:
            return None
        if name in known:
            j = table.column[name]
            least = table.sorted[0, j]
            if np.isnan(least) or not table.whole[j] or least < -1:
                return None
            if least + table.n_distinct[j] + 1 < np.nanmax(table.X[:, j]):  # gaps
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


def _spelled_alike(column: pd.Series) -> str:
    """Return two of few values that differ in case or spaces only, or nothing."""
    values = column.dropna().astype(str).value_counts().index
    first: dict[str, str] = {}
    for value in values if len(values) <= MAX_CATEGORIES else ():
        other = first.setdefault(" ".join(value.casefold().split()), value)
        if other != value:
            return f"{other!r} and {value!r}"
    return ""


def _has_few_values(table: ColumnTable, name: str) -> bool:
    """Whether a column has as few values as classes, all whole numbers or text."""
    j = table.column.get(name)
    few = 2 <= table.distinct(name) <= min(MAX_CLASSES, len(table.X) // 5)
    return few and (j is None or bool(table.whole[j]))


def _kind_of_code(table: ColumnTable, name: str) -> str | None:
    """Return what the numbers of a column are, if they are not quantities."""
    for kind, names in CODE_NAMES.items():
        if re.search(rf"(^|[_\W])({names})($|[_\W\d])", name, re.I | re.A):
            j = table.column.get(name)
            large = j is not None and table.whole[j] and np.nanmax(table.X[:, j]) > 999
            if large or table.is_text(name):
                return kind
    discrete = table.is_text(name) or (name in table.column and table.whole[table.column[name]])
    if ID_NAME.search(name) and discrete and table.distinct(name) > MAX_CLASSES:
        return "ids that repeat"
    if table.is_text(name):
        cells = table.frame[name].dropna().astype(str).iloc[:1000]
        if len(cells) and cells.str.fullmatch(PHONE_NUMBER).mean() > 0.9:
            return "telephone numbers"
    elif name in table.column and table.whole[j := table.column[name]] and table.n_distinct[j]:
        least, most = np.nanmin(table.X[:, j]), np.nanmax(table.X[:, j])
        digits = len(f"{most:.0f}")
        if least >= 10.0 ** max(digits - 1, 8) and table.is_distinct(name):
            return f"numbers of {digits} digits, like ids or telephone numbers"
    return None


def _explained_share(table: ColumnTable, name: str, used: Sequence[str]) -> float:
    """Return the mean share of the variance of other columns that the values of one explain."""
    others = [table.column[other] for other in used if other != name]
    if len(others) < 3 or not _has_few_values(table, name):
        return 0.0
    rows = table.rows
    codes, values = pd.factorize(table.frame[name].iloc[rows].astype(str))
    X = table.X[:, others]
    known = ~np.isnan(X).any(axis=1)
    if known.sum() < 50:
        return 0.0
    known &= codes >= 0
    codes, X = codes[known], X[known]
    deviation = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    sizes = np.bincount(codes, minlength=len(values))
    sums = np.stack([np.bincount(codes, x, minlength=len(values)) for x in X.T], axis=1)
    between = (sums**2 / np.maximum(sizes, 1)[:, None]).sum(axis=0) / len(X)
    return float(between[deviation > 0].mean()) if (deviation > 0).any() else 0.0


def _likeness(rows: np.ndarray) -> float:
    """Return the mean correlation of columns, or 0 if their medians differ much."""
    X = rows[~np.isnan(rows).any(axis=1)][:5000, :60]
    medians = np.median(X, axis=0) if len(X) > 10 else np.zeros(1)
    if not (medians > 0).all() or medians.max() > 2 * medians.min() or (X.std(axis=0) == 0).any():
        return 0.0
    correlation = np.corrcoef(X.T)
    d = len(correlation)
    return float((correlation.sum() - d) / (d * (d - 1)))


def _columns(names: Sequence[str]) -> str:
    return f"column {names[0]!r}" if len(names) == 1 else f"columns {listed(names, 6)}"


def _drop(names: Sequence[str]) -> str:
    return " ".join(f"--drop {name}" for name in names[:6]) + (" ..." if len(names) > 6 else "")
