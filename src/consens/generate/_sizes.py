"""Numbers of objects, features and clusters of a member, from parameters or drawn at random."""

from math import ceil, floor, sqrt
from numbers import Integral
from typing import Any

import numpy as np


class WithReplacement(int):
    """A number of objects that are drawn with replacement."""


def sample_size(name: str, value: float | str | None, n: int, what: str) -> int | None:
    """Convert `max_samples` or `max_features` to a number; a share is rounded down, at least 1."""
    if value is None:
        return None
    if isinstance(value, str):
        return WithReplacement(n)
    if isinstance(value, int | np.integer):
        if value > n:
            raise ValueError(
                f"{name}={value} is more than the {n} {what} of X; expected an integer from 1 "
                f"to {n}, a share in (0, 1], or None"
            )
        return int(value)
    return max(1, floor(value * n))


def training_sizes(
    n: int, n_clusters: Any, max_samples: float | str | None
) -> tuple[tuple[int, int], int | None]:
    """Range of the number of clusters, and number of training objects (None means all)."""
    size = sample_size("max_samples", max_samples, n, "objects")
    most = n if size is None else size
    objects = f"{n} objects of X"
    if most < n:
        objects = f"{most} objects that max_samples={max_samples} leaves"
    high = min(ceil(sqrt(n)), most)
    return integer_range("n_clusters", n_clusters, (min(2, high), high), most, objects), size


def draw_dimensions(rng: np.random.Generator, name: str, value: Any, d: int) -> int:
    """Draw a number of features from the range of a parameter; None means (2, ⌊d / 2⌋)."""
    high = max(1, d // 2)
    bounds = integer_range(name, value, (min(2, high), high), d, f"{d} features of X")
    return int(rng.integers(*bounds, endpoint=True))


def integer_range(
    name: str, value: Any, default: tuple[int, int], most: int, things: str
) -> tuple[int, int]:
    """Bounds of a parameter that is an integer k, meaning (k, k), a pair, or None (`default`)."""
    if value is None:
        return default
    if isinstance(value, tuple | list):
        if len(value) != 2 or not all(isinstance(bound, Integral) for bound in value):
            raise ValueError(f"{name}={value!r} is not a range; expected two integers (low, high)")
        low, high = int(value[0]), int(value[1])
        if not 1 <= low <= high:
            raise ValueError(f"{name}={value!r} is not a range; expected 1 <= low <= high")
    else:
        low = high = int(value)
    if high > most:
        raise ValueError(f"{name}={value!r} is more than the {things}; at most {most} is allowed")
    return low, high


def draw(rng: np.random.Generator, n: int, size: int | None) -> np.ndarray | None:
    """Draw `size` of n indices, in ascending order; None means all."""
    if isinstance(size, WithReplacement):
        return np.sort(rng.integers(0, n, size))
    if size is None or size >= n:
        return None
    return np.sort(rng.choice(n, size, replace=False, shuffle=False))


GOLDEN = (sqrt(5) - 1) / 2  # its multiples modulo 1 fill the unit interval evenly


def spread_evenly(i: int, low: int, high: int, step: float = GOLDEN) -> int:
    """The i-th number of a sequence whose beginnings all fill low to high evenly."""
    return low + int((high - low + 1) * ((i + 0.5) * step % 1))


def few_clusters(n: int, n_clusters: int = 0) -> tuple[int, int]:
    """Range of the number of clusters of members with few: 2 to √n / 1.5, at most 20."""
    high = max(1, min(20, n, int(max(2, sqrt(n) / 1.5))))
    high = max(high, min(2 * n_clusters, n // 4))
    return min(2, high), high
