"""Counts of members that put two objects together, and that saw both."""

from __future__ import annotations

from typing import Any

import numpy as np

from consens._kernels import worth_compiling
from consens._labels.codes import MISSING
from consens._labels.overlap import narrow, shared_members


def pair_seconds(n: int, n_members: int, nanoseconds: float) -> float:
    """Estimate the time to count all pairs of n rows, with a fixed cost per pair in addition."""
    return 1e-9 * n * n * (nanoseconds + 0.05 * n_members)


class PairCounts:
    """Counts of members for pairs of objects, between blocks of rows and all rows.

    Noise is seen but never together, not even with itself; missing labels are not seen.
    """

    def __init__(self, labels: np.ndarray) -> None:
        self.labels = narrow(labels)
        self.n_members = labels.shape[1]
        self._compiled = worth_compiling("comparisons", len(labels) * labels.size)
        missing = labels == MISSING
        self._saw = None if not missing.any() else (~missing).astype(np.float64)

    @property
    def complete(self) -> bool:
        """Whether every member saw all objects."""
        return self._saw is None

    def together(self, rows: slice, label_weights: np.ndarray | None = None) -> np.ndarray:
        """Number of members that put two objects in one cluster, or the sum of their weights."""
        own = self.labels[rows]
        return shared_members(own, self.labels, label_weights, compiled=self._compiled)

    def seen(self, rows: slice, weights: np.ndarray | None = None) -> Any:
        """Number of members that saw both objects; a scalar if every member saw all objects."""
        if self._saw is None:
            return self.n_members if weights is None else weights.sum()
        if weights is None:
            return (self._saw[rows] @ self._saw.T).astype(np.intp)
        return (self._saw[rows] * weights) @ self._saw.T
