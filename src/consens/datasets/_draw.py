"""Shapes that the data sets are made of."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from consens._support.seeds import Seed, spawn_seeds
from consens._validation import check_integer

#: Objects by features, and their classes.
Data = tuple[np.ndarray, np.ndarray]


def generator(random_state: Seed) -> np.random.Generator:
    """Make a generator from any random state of scikit-learn."""
    return np.random.default_rng(spawn_seeds(random_state, 1)[0])


def class_sizes(n_samples: Any, published: Sequence[int]) -> list[int]:
    """Number of objects per class: as published, as given, or a total split in proportion.

    A total is split by largest remainders, so that the sizes add up to it.
    """
    if n_samples is None:
        return list(published)
    if isinstance(n_samples, Integral):
        check_integer(n_samples, "n_samples")
        shares = np.asarray(published) * int(n_samples) / sum(published)
        given = np.floor(shares).astype(int)
        lacking = int(n_samples) - given.sum()
        given[np.argsort(given - shares, kind="stable")[:lacking]] += 1
    else:
        given = np.asarray(n_samples)
        if given.dtype.kind not in "iu" or given.shape != (len(published),):
            raise ValueError(
                f"n_samples={n_samples!r}: expected a total or {len(published)} class sizes, "
                f"as {tuple(published)}"
            )
    if (given < 1).any():
        raise ValueError(
            f"n_samples={n_samples!r} leaves a class of {len(published)} without objects"
        )
    return given.tolist()


def stack(classes: Sequence[np.ndarray], background: np.ndarray | None = None) -> Data:
    """Stack the rows of the classes, followed by the background with the label -1."""
    X, y = np.concatenate(classes), np.repeat(np.arange(len(classes)), [len(c) for c in classes])
    if background is None or not len(background):
        return X, y
    return np.concatenate([X, background]), np.concatenate([y, np.full(len(background), -1)])


def clouds(
    n_samples: Any, published: Sequence[int], shapes: Sequence[Any], random_state: Seed
) -> Data:
    """Normal clouds, given by their means and variances."""
    rng, counts = generator(random_state), class_sizes(n_samples, published)
    return stack([gaussian(rng, n, *shape) for n, shape in zip(counts, shapes, strict=True)])


def gaussian(rng: np.random.Generator, n: int, mean: Any, variance: Any) -> np.ndarray:
    """Normal cloud with independent features."""
    return rng.normal(mean, np.sqrt(variance), size=(n, len(mean)))


def band(
    rng: np.random.Generator, n: int, center: Any, radii: Any, degrees: Any = (0.0, 360.0)
) -> np.ndarray:
    """Part of a ring: radius and angle uniform in their intervals."""
    angle = np.radians(rng.uniform(degrees[0], degrees[1], n))
    radius = rng.uniform(radii[0], radii[1], n)
    return np.asarray(center) + radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def box(rng: np.random.Generator, n: int, low: Any, high: Any) -> np.ndarray:
    """Uniform in a box."""
    return rng.uniform(low, high, size=(n, len(low)))
