"""Profiles of clusters: typical values of the columns of a table in each of them."""

from typing import Any

import numpy as np
import pandas as pd

from consens._check import as_frame
from consens._naming import in_order
from consens._tabular import day_text, plain_columns

#: Columns of a profile.
PROFILE = (
    *("cluster", "size", "column", "median", "quartile_1", "quartile_3", "most_frequent"),
    *("share", "categories", "share_missing", "others", "difference"),
)

N_FREQUENT = 3  # number of frequent categories that are listed


def profile(X: Any, labels: Any) -> pd.DataFrame:
    """Describe each cluster by the columns of a table, in original units.

    Parameters
    ----------
    X : data frame, or array-like of shape (n, d)
        The table; columns may hold numbers, dates and text.
    labels : array-like of shape (n,)
        Numbers or names of clusters.  Objects with the label -1 or none are left out.

    Returns
    -------
    DataFrame
        A row for each cluster and column, with the most distinctive columns first.  Numbers and
        dates have a median and quartiles, categories and booleans the most frequent value, its
        share, and the most frequent `N_FREQUENT` as text.  ``others`` is the median of the other
        clusters, or the share of the value in them; ``difference`` is in standard deviations of
        the column, or a difference of shares.

    .. versionadded:: 0.1

    Examples
    --------
    >>> import pandas as pd
    >>> from consens import profile
    >>> table = pd.DataFrame({"age": [30, 34, 61, 65], "city": ["Bern", "Bern", "Genf", "Bern"]})
    >>> found = profile(table, ["young", "young", "old", "old"])
    >>> found[["cluster", "column", "median", "categories", "difference"]]
      cluster column  median            categories  difference
    0     old    age    63.0                   NaN    1.983556
    1     old   city     NaN  Bern 50 %, Genf 50 %   -0.500000
    2   young    age    32.0                   NaN   -1.983556
    3   young   city     NaN            Bern 100 %    0.500000
    """
    plain, _, dates = plain_columns(named_flags(as_frame(X)))
    given = np.asarray(labels, dtype=object)
    if given.shape != (len(plain),):
        raise ValueError(
            f"expected a label for each of {len(plain)} rows, got an array of shape {given.shape}"
        )
    clusters = pd.Series(given, index=plain.index).astype(str)
    known = ~clusters.isin(["-1", "", "None", "nan", "<NA>"]).to_numpy()
    rows = []
    for cluster in sorted(clusters[known].unique(), key=in_order):
        inside = known & (clusters == cluster).to_numpy()
        outside = known & ~inside
        own = []
        for name in plain:
            column = plain[name].to_numpy()
            row = {"cluster": cluster, "size": int(inside.sum()), "column": name}
            row["share_missing"] = float(pd.isna(column[inside]).mean())
            describe = _category if plain[name].dtype == object else _quantity
            own.append(row | describe(column[inside], column[outside], name in dates))
        rows += sorted(own, key=lambda row: -abs(row["difference"]))
    return pd.DataFrame(rows, columns=PROFILE)


def named_flags(frame: pd.DataFrame) -> pd.DataFrame:
    """Replace booleans by the words true and false, whose shares say more than a median."""
    words = {
        name: frame[name].astype(object).map({True: "true", False: "false"}, na_action="ignore")
        for name in frame.select_dtypes(["bool", "boolean"])
    }
    return frame.assign(**words)


def _quantity(inside: np.ndarray, outside: np.ndarray, is_date: bool) -> dict[str, Any]:
    inside, outside = inside[~np.isnan(inside)], outside[~np.isnan(outside)]
    if not len(inside):
        return {"difference": 0.0}
    show = day_text if is_date else float
    low, middle, high = (show(q) for q in np.quantile(inside, (0.25, 0.5, 0.75)))
    found = {"median": middle, "quartile_1": low, "quartile_3": high, "difference": 0.0}
    if len(outside):
        deviation = np.concatenate([inside, outside]).std()
        gap = inside.mean() - outside.mean()
        found["others"] = show(np.median(outside))
        found["difference"] = float(gap / deviation) if deviation > 0 else 0.0
    return found


def _category(inside: np.ndarray, outside: np.ndarray, is_date: bool) -> dict[str, Any]:
    values, counts = np.unique(inside[~pd.isna(inside)].astype(str), return_counts=True)
    if not len(values):
        return {"difference": 0.0}
    order = np.argsort(-counts, kind="stable")[:N_FREQUENT]
    shares = counts[order] / counts.sum()
    value, share = str(values[order[0]]), float(shares[0])
    listed = ", ".join(f"{values[i]} {s:.0%}" for i, s in zip(order, shares, strict=True))
    rest = outside[~pd.isna(outside)]
    others = float(np.mean(rest == value)) if len(rest) else 0.0
    found = {"most_frequent": value, "share": share, "categories": listed.replace("%", " %")}
    return found | {"others": others, "difference": share - others}
