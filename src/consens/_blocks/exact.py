"""Real numbers on a grid, whose sums are exact and do not depend on their order.

The rounding of a sum of floats depends on the order of its terms, and one digit may decide a tie.
Integer multiples of a power of two add up without rounding as long as the sum fits: in int64, or
in float64 below 2^53, where even a matrix product is exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np

#: Binary places of numbers whose rounding errors should be negligible.
FINE = 44


def bits_for(n: int) -> int:
    """Binary places such that n numbers of size up to 1 add up in int64."""
    return min(FINE, 62 - int(n).bit_length())


def fixed(values: Any, bits: int) -> np.ndarray:
    """Numbers in units of 2^-bits, rounded to integers (as floats)."""
    units = np.multiply(values, 2.0**bits)
    return np.rint(units, out=units) if isinstance(units, np.ndarray) else np.rint(units)


def fixed_total(values: np.ndarray, bits: int) -> int:
    """Exact sum of numbers up to 1 in units of 2^-bits."""
    return int(fixed(values, bits).astype(np.int64).sum())
