"""Features that outweigh others by their scale."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from consens.blocks import take_rows

#: Standard deviations of features may differ by this factor.
SCALE_FACTOR = 100.0

#: A column with one value but for this share of the rows is nearly constant.
RARE = 0.02


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


def warn_of_scales(X: Any, names: Any) -> None:
    """Warn of features that others outweigh by far, judged by up to 1000 rows."""
    if hasattr(X, "toarray"):
        return
    factor, large, small = scale_factor(take_rows(X, np.arange(min(1000, X.shape[0]))))
    if factor > SCALE_FACTOR:
        pair = (large, small) if names is None else (repr(names[large]), repr(names[small]))
        warnings.warn(
            f"the scales of features differ by a factor of {factor:,.0f} (columns {pair[0]} and "
            f"{pair[1]}), so few of them decide; set scale='standard', or scale='none' to keep "
            "them as they are",
            UserWarning,
            stacklevel=3,
        )
