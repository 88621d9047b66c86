"""Scaling of features, by sums that do not depend on where blocks end."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from consens._blocks.exact import bits_for, fixed
from consens._blocks.functions import map_rows, sum_rows
from consens._blocks.scan import scan_rows


@dataclass(frozen=True)
class Scaler:
    """Subtracts `center` from features and divides them by `size`."""

    center: np.ndarray
    size: np.ndarray

    @classmethod
    def fit(cls, X: Any, how: str) -> Scaler:
        """Fit to mean and standard deviation ("standard") or to the range ("minmax") of features.

        A constant feature becomes 0.  Sparse features are not shifted.  "standard" needs two
        passes in addition to the scan of the features.

        Examples
        --------
        >>> import numpy as np
        >>> from consens._blocks.scaling import Scaler
        >>> X = np.array([[1.0, 5.0], [3.0, 5.0], [5.0, 5.0]])
        >>> Scaler.fit(X, "minmax")(X)
        array([[0. , 0. ],
               [0.5, 0. ],
               [1. , 0. ]])
        """
        if hasattr(X, "toarray"):
            return cls._fit_sparse(X, how)
        n, d = X.shape
        scan = scan_rows(X)
        center, high = (np.asarray(ends, dtype=np.float64) for ends in (scan.low, scan.high))
        size = np.where(high > center, high - center, 1.0)
        if how == "standard":
            bits = bits_for(n)
            add_up = partial(_total, center, size, bits)
            total = sum_rows(partial(add_up, None), X, bytes_per_row=32 * d)
            mean = np.ldexp(total.astype(np.float64), -bits) / n
            total = sum_rows(partial(add_up, mean), X, bytes_per_row=32 * d)
            deviation = np.sqrt(np.ldexp(total.astype(np.float64), -bits) / n)
            center = center + mean * size
            size = size * np.where(deviation > 0, deviation, 1.0)
        return cls(center, size)

    @classmethod
    def _fit_sparse(cls, X: Any, how: str) -> Scaler:
        from sklearn.preprocessing import MaxAbsScaler, StandardScaler

        scaler = StandardScaler(with_mean=False) if how == "standard" else MaxAbsScaler()
        return cls(np.zeros(X.shape[1]), scaler.fit(X).scale_)

    def __call__(self, X: Any) -> Any:
        """Scale features, in memory or in blocks."""
        if hasattr(X, "toarray"):
            return X.multiply(1.0 / self.size).tocsr()
        d = len(self.size)
        scaled = map_rows(
            lambda block: (block - self.center) / self.size, X, bytes_per_row=8 * d, width=d
        )
        if hasattr(X, "names"):
            scaled.names = X.names
        return scaled


def _total(
    low: np.ndarray, size: np.ndarray, bits: int, mean: np.ndarray | None, block: np.ndarray
) -> np.ndarray:
    """Sum of scaled features, or of their squared deviations from `mean`, in units of 2^-bits."""
    values = (block - low) / size
    if mean is not None:
        values = np.square(values - mean)
    total: np.ndarray = fixed(values, bits).astype(np.int64).sum(axis=0)
    return total
