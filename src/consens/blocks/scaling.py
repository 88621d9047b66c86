"""Comparable features of collections in blocks, by sums that depend on no block borders."""

from __future__ import annotations

from functools import partial

import numpy as np

from consens.blocks.exact import bits_for, fixed
from consens.blocks.rows import Rows


def scaled(rows: Rows, how: str) -> Rows:
    """Bring features to mean 0 and variance 1 ("standard") or to the range 0 to 1 ("minmax").

    A constant feature becomes 0.  One pass for the range, two more for mean and variance.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.blocks import Rows
    >>> from consens.blocks.scaling import scaled
    >>> rows = Rows.from_array(np.array([[1.0, 5.0], [3.0, 5.0], [5.0, 5.0]]), [2, 1])
    >>> scaled(rows, "minmax").load()
    array([[0. , 0. ],
           [0.5, 0. ],
           [1. , 0. ]])
    """
    low, high = (np.array(ends) for ends in zip(*rows.collect(_ends), strict=True))
    center, size = low.min(axis=0), high.max(axis=0) - low.min(axis=0)
    size[size == 0] = 1.0
    if how == "standard":
        n, bits = len(rows), bits_for(len(rows))
        total = rows.sum(partial(_total, center, size, bits, None))
        mean = np.ldexp(total.astype(np.float64), -bits) / n
        total = rows.sum(partial(_total, center, size, bits, mean))
        deviation = np.sqrt(np.ldexp(total.astype(np.float64), -bits) / n)
        center = center + mean * size
        size = size * np.where(deviation > 0, deviation, 1.0)
    names = rows.names
    result = rows.map(partial(_scaled, center, size), width=rows.width, dtype=np.float64)
    result.names = names
    return result


def _ends(block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return block.min(axis=0).astype(np.float64), block.max(axis=0).astype(np.float64)


def _total(
    low: np.ndarray, size: np.ndarray, bits: int, mean: np.ndarray | None, block: np.ndarray
) -> np.ndarray:
    """Sum of features in [0, 1], or of their squared deviations, in units of 2^-bits."""
    values = (block - low) / size
    if mean is not None:
        values = np.square(values - mean)
    total: np.ndarray = fixed(values, bits).astype(np.int64).sum(axis=0)
    return total


def _scaled(center: np.ndarray, size: np.ndarray, block: np.ndarray) -> np.ndarray:
    scaled: np.ndarray = (block - center) / size
    return scaled
