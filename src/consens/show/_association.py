"""Association of clusters with columns of a table: annotations and profiles for the report."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from consens._check import as_frame
from consens._profile import named_flags, profile
from consens._tabular import day_text, plain_columns
from consens.show._plain import readable, rounded, short

#: A column of numbers with at most this many different values is treated as categories.
FEW_VALUES = 10

#: An annotation by text with more different values looks like ids, and is refused.
MANY_VALUES = 100

MAX_LEVELS = 20  # most categories that a contingency table lists and a map colours

#: Expected counts below this make the p-value of a contingency table an approximation.
LEAST_EXPECTED = 5

N_SHADES = 10  # levels of the colour scale for annotations by numbers

#: Most columns that a profile compares, and most that it lists for a cluster.
MAX_PROFILE_COLUMNS = 60
N_LISTED = 6


def take_annotations(annotate: Any, X: Any, n: int) -> tuple[pd.DataFrame | None, Any]:
    """Split annotations from features: returns the table of annotations, and X without them."""
    if annotate is None:
        return None, X
    if isinstance(annotate, str):
        annotate = [annotate]
    if isinstance(annotate, Sequence) and all(isinstance(name, str) for name in annotate):
        known = list(map(str, getattr(X, "columns", ())))
        unknown = [name for name in annotate if name not in known]
        if unknown:
            have = f"has the columns {', '.join(known[:10])}" if known else "is not a data frame"
            raise ValueError(f"annotate={unknown[0]!r} is not a column of X, which {have}")
        names = dict.fromkeys(annotate)
        return as_frame(X)[list(names)], X.drop(columns=list(names))
    if isinstance(annotate, pd.Series):
        annotate = annotate.to_frame(str(annotate.name or "annotation"))
    table = as_frame(annotate)
    if len(table) != n:
        raise ValueError(f"annotate has {len(table)} rows, but {n} objects were clustered")
    return table, X


def describe_annotations(
    table: pd.DataFrame, labels: np.ndarray, objects: np.ndarray
) -> list[dict[str, Any]]:
    """Test each annotation for association with the clusters.

    Categories: χ² test, with Cramér's V = √(χ² / (n·(min(rows, columns) - 1))) as effect size.
    Numbers and dates: Kruskal-Wallis test, with ε² = H / (n - 1).  ``q`` is the p-value corrected
    for the number of annotations (Benjamini and Hochberg).  ``codes`` are the colours of the
    `objects` on the map, -1 for missing values.
    """
    plain, _, dates = plain_columns(table)
    found = []
    for name in plain:
        values = plain[name]
        original = table[name]
        few = values.nunique() <= FEW_VALUES and name not in dates
        if few or values.dtype == object:
            one = _categories(short(name), original, labels, objects)
        else:
            one = _quantities(short(name), values.to_numpy(), labels, objects, name in dates)
        found.append(one)
    corrected(found)
    return found


def corrected(tests: Sequence[dict[str, Any]]) -> None:
    """Add to each test its p-value corrected for the false discovery rate, as ``q``."""
    known = [test for test in tests if test["p"] is not None]
    for test in tests:
        test["q"] = None
    if known:
        adjusted = stats.false_discovery_control([test["p"] for test in known])
        for test, q in zip(known, adjusted.tolist(), strict=True):
            test["q"] = q


def _categories(
    name: str, values: pd.Series, labels: np.ndarray, objects: np.ndarray
) -> dict[str, Any]:
    text = values.astype(str).where(values.notna())
    counts = text.value_counts()
    if len(counts) > MANY_VALUES:
        raise ValueError(
            f"the annotation {name!r} has {len(counts)} different values, such as "
            f"{short(counts.index[0], 30)!r}; expected categories (at most {MANY_VALUES}), "
            "numbers or dates"
        )
    levels = sorted(counts.index, key=lambda level: (-counts[level], level))
    codes = pd.Categorical(text, levels).codes.astype(np.int64)
    known = (codes >= 0) & (labels >= 0)
    k = int(labels.max(initial=-1)) + 1
    table = np.zeros((len(levels), k), dtype=np.int64)
    np.add.at(table, (codes[known], labels[known]), 1)
    used = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    test: dict[str, Any] = {"statistic": None, "p": None, "effect": None, "sparse": False}
    if min(used.shape, default=0) > 1:
        result = stats.chi2_contingency(used, correction=False)
        effect = np.sqrt(result.statistic / used.sum() / (min(used.shape) - 1))
        test = {
            "statistic": rounded(result.statistic, 2),
            "p": float(result.pvalue),
            "effect": rounded(effect, 3),
            "sparse": bool((result.expected_freq < LEAST_EXPECTED).mean() > 0.2),
        }
    shown = table[:MAX_LEVELS]
    if len(table) > MAX_LEVELS:
        shown = np.vstack([table[: MAX_LEVELS - 1], table[MAX_LEVELS - 1 :].sum(axis=0)])
        others = f"{len(levels) - MAX_LEVELS + 1} others"
        levels, codes = [*levels[: MAX_LEVELS - 1], others], np.minimum(codes, MAX_LEVELS - 1)
    return {
        "name": name,
        "kind": "categories",
        "test": "χ²",
        "effect_name": "Cramér's V",
        **test,
        "n": int(known.sum()),
        "n_missing": int((codes < 0).sum()),
        "levels": [short(level, 60) for level in levels],
        "counts": shown.tolist(),
        "codes": codes[objects].tolist(),
    }


def _quantities(
    name: str, values: np.ndarray, labels: np.ndarray, objects: np.ndarray, is_date: bool
) -> dict[str, Any]:
    known = ~np.isnan(values) & (labels >= 0)
    k = int(labels.max(initial=-1)) + 1
    groups = [values[known & (labels == c)] for c in range(k)]
    test: dict[str, Any] = {"statistic": None, "p": None, "effect": None, "sparse": False}
    filled = [group for group in groups if len(group)]
    if len(filled) > 1 and np.ptp(values[known]) > 0:
        result = stats.kruskal(*filled)
        test["statistic"], test["p"] = rounded(result.statistic, 2), float(result.pvalue)
        test["effect"] = rounded(result.statistic / (known.sum() - 1), 3)
    show = day_text if is_date else readable
    quartiles = [
        list(map(show, np.quantile(own, (0.25, 0.5, 0.75)))) if len(own) else None
        for own in groups
    ]
    codes = np.full(len(values), -1)
    seen = ~np.isnan(values)
    if seen.any():
        share = (stats.rankdata(values[seen]) - 0.5) / seen.sum()
        codes[seen] = np.minimum((N_SHADES * share).astype(int), N_SHADES - 1)
    scale = np.quantile(values[seen], np.linspace(0, 1, N_SHADES + 1)) if seen.any() else []
    return {
        "name": name,
        "kind": "numbers",
        "test": "Kruskal-Wallis",
        "effect_name": "ε²",
        **test,
        "n": int(known.sum()),
        "n_missing": int((~seen).sum()),
        "levels": list(map(show, scale)),
        "quartiles": quartiles,
        "counts": [len(group) for group in groups],
        "codes": codes[objects].tolist(),
    }


# ------------------------------------------------------------------------------- the profile


def profile_sheet(table: Any, labels: np.ndarray, names: list[str] | None) -> dict[str, Any]:
    """Profile of each cluster by the columns of a table in original units.

    The most distinctive columns first, each with the p-value of a test of the cluster against all
    other objects, corrected for all tests: Mann-Whitney for numbers and dates, χ² for categories.
    """
    frame = as_table(table, names)
    n_columns = frame.shape[1]
    frame = most_different(frame, labels)
    inside = np.maximum(labels, -1)
    rows = profile(frame, inside)
    plain, _, dates = plain_columns(named_flags(frame))
    p = {name: _against_rest(plain[name], inside) for name in plain}
    tests: list[dict[str, Any]] = [
        {"p": p[column][int(cluster)]}
        for cluster, column in zip(rows["cluster"], rows["column"], strict=True)
    ]
    corrected(tests)
    clusters: dict[int, dict[str, Any]] = {}
    for row, test in zip(rows.to_dict("records"), tests, strict=True):
        own = clusters.setdefault(
            int(row["cluster"]), {"label": int(row["cluster"]), "size": row["size"], "columns": []}
        )
        if len(own["columns"]) < N_LISTED:
            own["columns"].append(_described(row, test, row["column"] in dates))
    return {
        "clusters": list(clusters.values()),
        "n_columns": n_columns,
        "n_compared": frame.shape[1],
        "n_listed": min(N_LISTED, frame.shape[1]),
    }


def _described(row: dict[str, Any], test: dict[str, Any], is_date: bool) -> dict[str, Any]:
    """A row of the profile, with values as text."""
    median, others = row["median"], row["others"]
    found = {
        "name": short(row["column"]),
        "typical": "",
        "range": "",
        "others": "",
        "share_missing": rounded(row["share_missing"], 3),
        "difference": rounded(row["difference"], 2),
        **test,
    }
    if isinstance(row["most_frequent"], str):
        found["typical"] = f"{short(row['most_frequent'], 60)} ({row['share']:.0%})"
        found["others"] = f"{others:.0%}"
    elif not pd.isna(median):
        show = str if is_date else readable
        found["typical"] = show(median)
        found["range"] = f"{show(row['quartile_1'])} to {show(row['quartile_3'])}"
        found["others"] = "" if pd.isna(others) else show(others)
    return found


def as_table(table: Any, names: list[str] | None) -> pd.DataFrame:
    """Table with unique names of columns; those of an array are given."""
    if hasattr(table, "columns"):
        return as_frame(table)
    values = table.toarray() if hasattr(table, "toarray") else np.asarray(table)
    unique: dict[str, None] = {}
    for j, name in enumerate(names or [f"feature {j}" for j in range(values.shape[1])]):
        unique[name if name not in unique else f"{name} ({j})"] = None
    return pd.DataFrame(values, columns=list(unique))


def most_different(frame: pd.DataFrame, labels: np.ndarray) -> pd.DataFrame:
    """At most `MAX_PROFILE_COLUMNS` columns: those in which clusters differ most."""
    if frame.shape[1] <= MAX_PROFILE_COLUMNS:
        return frame
    shares = [
        share_between(column.to_numpy(dtype=np.float64), labels)
        if pd.api.types.is_numeric_dtype(column.dtype)
        else 1.0
        for _, column in frame.items()
    ]
    return frame.iloc[
        :, np.sort(np.argsort(-np.array(shares), kind="stable")[:MAX_PROFILE_COLUMNS])
    ]


def share_between(values: np.ndarray, labels: np.ndarray) -> float:
    """Share of the variance of a feature that is between clusters (η²)."""
    known = ~np.isnan(values) & (labels >= 0)
    values, labels = values[known], labels[known]
    total = float(((values - values.mean()) ** 2).sum()) if len(values) else 0.0
    if total <= 0:
        return 0.0
    sizes = np.bincount(labels)
    means = np.bincount(labels, values) / np.maximum(sizes, 1)
    return float((sizes * (means - values.mean()) ** 2).sum()) / total


def _against_rest(column: pd.Series, labels: np.ndarray) -> list[float | None]:
    """P-value of a test of each cluster against all other objects; None if nothing varies."""
    k = int(labels.max(initial=-1)) + 1
    known = column.notna().to_numpy() & (labels >= 0)
    values, own = column.to_numpy()[known], labels[known]
    if column.dtype == object:
        codes = pd.factorize(values)[0]
        return [_chi2_p(np.bincount(codes), np.bincount(codes[own == c])) for c in range(k)]
    return _rank_p(values, own, k)


def _chi2_p(everywhere: np.ndarray, inside: np.ndarray) -> float | None:
    inside = np.pad(inside, (0, len(everywhere) - len(inside)))
    table = np.array([inside, everywhere - inside])[:, everywhere > 0]
    if table.shape[1] < 2 or not table.sum(axis=1).all():
        return None
    return float(stats.chi2_contingency(table, correction=False).pvalue)


def _rank_p(values: np.ndarray, labels: np.ndarray, k: int) -> list[float | None]:
    """Mann-Whitney test of each cluster against the rest, from one ranking of all objects."""
    n = len(values)
    sizes = np.bincount(labels, minlength=k)
    if n < 2 or np.ptp(values) == 0:
        return [None] * k
    u = np.bincount(labels, stats.rankdata(values), minlength=k) - sizes * (sizes + 1) / 2
    _, ties = np.unique(values, return_counts=True)
    tied = float((ties.astype(float) ** 3 - ties).sum()) / (n * (n - 1))
    pairs = sizes * (n - sizes).astype(float)
    deviation = np.sqrt(pairs / 12 * (n + 1 - tied))
    with np.errstate(invalid="ignore", divide="ignore"):
        z = (np.abs(u - pairs / 2) - 0.5) / deviation
    p = np.minimum(2 * stats.norm.sf(z), 1.0)
    return [float(own) if 0 < size < n else None for own, size in zip(p, sizes, strict=True)]
