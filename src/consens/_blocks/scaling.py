"""Scaling of features, by sums that do not depend on where blocks end."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from consens._blocks.functions import (
    bits_for,
    collect_rows,
    fixed,
    map_rows,
    sum_rows,
    take_rows,
)
from consens._blocks.rows import Rows
from consens._blocks.scan import scan_rows
from consens._support.printable import listed

SCALES = ("standard", "robust", "minmax", "log", "auto", "none")  # ways to scale features
N_SAMPLED = 100_000  # rows from which quantiles and skewness are computed, equally spaced
MIN_ROWS_FOR_FLAGS = 10  # number of rows from which on a feature of two values is a category
SKEWED = 1.0  # skewness above which "auto" takes the logarithm of a feature
NORMAL_RANGE = 1.349  # interquartile range of a normal distribution, in standard deviations


@dataclass(frozen=True)
class Scaler:
    """Subtracts `center` from features, or from log(1 + x) of those in `log`, over `size`."""

    center: np.ndarray
    size: np.ndarray
    log: np.ndarray | None = None
    how: str = "standard"

    @classmethod
    def fit(
        cls,
        X: Any,
        how: str,
        sample: np.ndarray | None = None,
        *,
        categories: Sequence[slice] = (),
        numbers: slice = slice(None),
    ) -> Scaler:
        """Fit to the features; loads a `sample` of `Rows`, by number, in the same pass if it can.

        ======== ====================================================================
        standard mean 0 and standard deviation 1
        robust   median 0, and the interquartile range of a standard normal variable
        minmax   from 0 to 1
        log      log(1 + x) of features without negative values, then as "standard"
        auto     as "log", but only for features whose skewness is above 1 and falls
        ======== ====================================================================

        A constant feature becomes 0.  The features of one-hot encoded `categories` are divided by
        2√(L − 1) for L values, in standard deviations of the median other feature, and a feature
        of two values beside others counts as a category; `numbers` may take logarithms.

        Sparse features are not shifted, and can only be scaled by "standard" and "minmax".
        Other than the scan of the features, moments need one pass ("minmax" only beside
        categories); medians and skewness are those of up to 100,000 rows.
        """
        if hasattr(X, "toarray"):
            return cls._fit_sparse(X, how)
        n, d = X.shape
        scan = scan_rows(X)
        low, high = (np.asarray(ends, dtype=np.float64) for ends in (scan.low, scan.high))
        varies, extent = low < high, high - low
        mean_of_two = low + extent * scan.n_high / n
        encoded, may_log = np.zeros((2, d), dtype=bool)
        may_log[numbers] = True
        for block in categories:
            encoded[block] = True
        two = varies & (scan.n_low + scan.n_high == n) & ~encoded
        alone = not categories and not (varies & ~two).any()
        if n < MIN_ROWS_FOR_FLAGS or alone:
            two[:] = False  # too few rows to tell, or no other features to compare with
        apart = two | encoded
        others = varies & ~apart
        log = None
        if how in ("log", "auto"):
            log = (low >= 0) & may_log & ~apart
            if how == "auto":
                log &= _is_skewed(_sampled(X))
            low, high = (_logarithm(ends[None], log)[0] for ends in (low, high))
        center, size = low, np.where(high > low, high - low, 1.0)
        deviation = size
        if how != "minmax" or (apart.any() and others.any()):
            mean, deviation = _moments(X, low, size, log, sample)
        if how == "robust":
            quarter, center, last = np.quantile(_sampled(X), (0.25, 0.5, 0.75), axis=0)
            size = np.where(last > quarter, (last - quarter) / NORMAL_RANGE, deviation)
        elif how != "minmax":
            center, size = mean, deviation
        variance = np.median((deviation / size)[others] ** 2) if others.any() else 1.0
        size = np.where(two, extent * np.sqrt(2 / variance), size)
        for block in categories:
            size[block] = 2 * np.sqrt(max(block.stop - block.start - 1, 1) / variance)
        return cls(np.where(apart, mean_of_two, center), size, log, how)

    @classmethod
    def _fit_sparse(cls, X: Any, how: str) -> Scaler:
        from sklearn.preprocessing import MaxAbsScaler, StandardScaler

        if how not in ("standard", "minmax"):
            raise ValueError(
                f"scale={how!r} needs dense features, got a sparse matrix; use 'standard' or "
                "'minmax', or pass X.toarray()"
            )
        scaler = StandardScaler(with_mean=False) if how == "standard" else MaxAbsScaler()
        return cls(np.zeros(X.shape[1]), scaler.fit(X).scale_, how=how)

    def by_feature(self, names: Iterable[Any]) -> dict[str, str]:
        """Return how each feature is scaled: as `Scaler.fit` says, without "auto"."""
        plain = "standard" if self.how in ("log", "auto") else self.how
        log = np.zeros(len(self.size), dtype=bool) if self.log is None else self.log
        return {str(name): "log" if own else plain for name, own in zip(names, log, strict=True)}

    def notes(self, names: Iterable[Any]) -> list[str]:
        """Return a sentence about features whose logarithm is used, if that was a question."""
        logs = [name for name, how in self.by_feature(names).items() if how == "log"]
        if not logs:
            why = "is skewed" if self.how == "auto" else "is without negative values"
            return [] if self.log is None else [f"log(1 + x) is used for no column: none {why}"]
        many = "columns" if len(logs) > 1 else "column"
        return [f"log(1 + x) is used for {many} {listed(logs)}"]

    def __call__(self, X: Any) -> Any:
        """Scale features, in memory or in blocks."""
        if hasattr(X, "toarray"):
            return X.multiply(1.0 / self.size).tocsr()
        d = len(self.size)
        scaled = map_rows(
            lambda block: (_logarithm(block, self.log) - self.center) / self.size,
            X,
            bytes_per_row=8 * d,
            width=d,
        )
        if isinstance(X, Rows):
            scaled.names = X.names
            if X.loaded is not None:
                scaled.loaded = X.loaded[0], self(X.loaded[1])
        return scaled


def _logarithm(block: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    """Replace the features in a mask by log(1 + x); new values below 0 count as 0."""
    if mask is None or not mask.any():
        return block
    values = np.array(block, dtype=np.float64)
    values[:, mask] = np.log1p(np.maximum(values[:, mask], 0.0))
    return values


def _sampled(X: Any) -> np.ndarray:
    n = X.shape[0]
    rows = np.unique(np.linspace(0, n - 1, min(n, N_SAMPLED)).astype(np.intp))
    return np.asarray(take_rows(X, rows), dtype=np.float64)


def _is_skewed(X: np.ndarray) -> np.ndarray:
    """Whether features are skewed to the right, and less so after the logarithm."""
    from scipy.stats import skew

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about constant features
        before = skew(X, axis=0)
        after = skew(np.log1p(np.maximum(X, 0.0)), axis=0)
    skewed: np.ndarray = (before > SKEWED) & (np.abs(after) < before)
    return skewed


def _moments(
    X: Any, low: np.ndarray, size: np.ndarray, log: np.ndarray | None, sample: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return means and standard deviations, given the ranges; loads a sample of `Rows`."""
    n, d = X.shape
    bits = bits_for(n)

    def add_up(block: np.ndarray) -> np.ndarray:
        """Sums of scaled features and of their squares, in units of 2^-bits."""
        values = (_logarithm(block, log) - low) / size
        both = np.stack([values, np.square(values)])
        total: np.ndarray = fixed(both, bits).astype(np.int64).sum(axis=1)
        return total

    def add_up_and_pick(
        rows: np.ndarray, block: np.ndarray, start: int
    ) -> tuple[np.ndarray, np.ndarray]:
        first, end = np.searchsorted(rows, (start, start + len(block)))
        return sum_rows(add_up, block, bytes_per_row=64 * d), block[rows[first:end] - start]

    if sample is not None and isinstance(X, Rows):
        totals, picked = zip(
            *collect_rows(partial(add_up_and_pick, sample), X, with_start=True), strict=True
        )
        X.loaded = sample, np.concatenate(picked)
        total = np.sum(totals, axis=0)
    else:
        total = sum_rows(add_up, X, bytes_per_row=64 * d)
    sums, squares = total.astype(object)
    mean = np.ldexp(sums.astype(np.float64), -bits) / n
    # in integers, because both terms of the difference are large
    spread = (n * squares * 2**bits - sums * sums).astype(np.float64)
    deviation = np.sqrt(np.maximum(np.ldexp(spread, -2 * bits), 0.0)) / n
    return low + mean * size, size * np.where(deviation > 0, deviation, 1.0)
