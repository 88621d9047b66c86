"""Synthetic data of the papers: ``make_*`` functions that return (X, y), as in scikit-learn.

Rows are sorted by class.
"""

from collections.abc import Sequence
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np

from consens._docs import shared_paragraphs
from consens._support.seeds import Seed, spawn_seeds
from consens._validation import check_integer

__all__ = ["make_half_rings", "make_rings", "make_two_gaussians"]

#: A total number of objects, or one for each class.
Sizes: TypeAlias = "int | Sequence[int] | None"

#: Objects by features, and their classes.
Data = tuple[np.ndarray, np.ndarray]


@shared_paragraphs
def make_two_gaussians(n_samples: Sizes = None, *, random_state: Seed = None) -> Data:
    """Two normal clouds elongated in different features (Two-Gaussian, Section 5).

    Means (0.5, 5) and (12, 5), variances (1, 9) and (6, 2).  The paper calls the latter
    standard deviations, but its error rates are reproduced only if they are variances.

    Parameters
    ----------
    n_samples : int or sequence of 2 ints, default (300, 300)
        Total number of objects, or per class.
    {plane}

    {domeniconi_2009}

    Examples
    --------
    >>> from consens.datasets import make_two_gaussians
    >>> X, y = make_two_gaussians(random_state=0)
    >>> X.shape
    (600, 2)
    """
    shapes = [((0.5, 5), (1, 9)), ((12, 5), (6, 2))]
    return clouds(n_samples, (300, 300), shapes, random_state)


@shared_paragraphs
def make_half_rings(n_samples: Sizes = None, *, random_state: Seed = None) -> Data:
    """A sparse half-ring that reaches into a dense one (half-rings, Fig. 6b).

    Centres, radii and widths are measured on the published data, which fit a box of 1 × 0.58:
    the upper ring has radii 0.175 to 0.345 around (0.325, 0.255), the lower one 0.25 to 0.335
    around (0.667, 0.33).

    Parameters
    ----------
    n_samples : int or sequence of 2 ints, default (100, 300)
        Total number of objects, or per class: the upper ring, then the lower one.
    {plane}

    {fred_jain_2005}

    Examples
    --------
    >>> from consens.datasets import make_half_rings
    >>> X, y = make_half_rings(random_state=0)
    >>> X.shape
    (400, 2)
    """
    rng = generator(random_state)
    upper, lower = class_sizes(n_samples, (100, 300))
    return stack(
        [
            band(rng, upper, (0.325, 0.255), (0.175, 0.345), (5, 175)),
            band(rng, lower, (0.667, 0.33), (0.25, 0.335), (180, 360)),
        ]
    )


@shared_paragraphs
def make_rings(n_samples: Sizes = None, *, random_state: Seed = None) -> Data:
    """Three concentric rings (3-rings, Fig. 6c).

    Mean radii 1, 0.5 and 0.1, widths 0.06.  The paper states the sizes; the radii are our choice.

    Parameters
    ----------
    n_samples : int or sequence of 3 ints, default (200, 200, 50)
        Total number of objects, or per class: outer, middle and inner ring.
    {plane}

    {fred_jain_2005}

    Examples
    --------
    >>> from consens.datasets import make_rings
    >>> X, y = make_rings(random_state=0)
    >>> X.shape
    (450, 2)
    """
    rng = generator(random_state)
    counts = class_sizes(n_samples, (200, 200, 50))
    radii = [(0.97, 1.03), (0.47, 0.53), (0.07, 0.13)]
    return stack([band(rng, n, (0, 0), r) for n, r in zip(counts, radii, strict=True)])


def generator(random_state: Seed) -> np.random.Generator:
    """Make a generator from any random state of scikit-learn."""
    return np.random.default_rng(spawn_seeds(random_state, 1)[0])


def class_sizes(n_samples: Any, published: Sequence[int]) -> list[int]:
    """Number of objects per class: as published, as given, or a total split in proportion."""
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


def stack(classes: Sequence[np.ndarray]) -> Data:
    """Stack the rows of the classes."""
    return np.concatenate(classes), np.repeat(np.arange(len(classes)), [len(c) for c in classes])


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
