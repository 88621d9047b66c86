"""Synthetic data of the papers: those of `consens.datasets`, and those that only studies need.

Background objects belong to no class and have `NOISE` (-1) in y, so that `measure.error_rate`
ignores them.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from consens._docs import shared_paragraphs
from consens._support.seeds import Seed
from consens._validation import check_integer, check_number
from consens.datasets import (
    Data,
    band,
    generator,
    make_half_rings,
    make_rings,
    make_two_gaussians,
)
from consens.datasets import stack as stack_classes

__all__ = [
    "make_cigars",
    "make_complex_image",
    "make_cube",
    "make_half_rings",
    "make_paths",
    "make_rings",
    "make_spirals",
    "make_three_gaussians",
    "make_two_gaussians",
]


def stack(classes: Sequence[np.ndarray], background: np.ndarray | None = None) -> Data:
    """Stack the rows of the classes, followed by the background with the label -1."""
    X, y = stack_classes(classes)
    if background is None or not len(background):
        return X, y
    return np.concatenate([X, background]), np.concatenate([y, np.full(len(background), -1)])


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


def clouds(
    n_samples: Any, published: Sequence[int], shapes: Sequence[Any], random_state: Seed
) -> Data:
    """Normal clouds, given by their means and variances."""
    rng, counts = generator(random_state), class_sizes(n_samples, published)
    return stack([gaussian(rng, n, *shape) for n, shape in zip(counts, shapes, strict=True)])


def gaussian(rng: np.random.Generator, n: int, mean: Any, variance: Any) -> np.ndarray:
    """Normal cloud with independent features."""
    return rng.normal(mean, np.sqrt(variance), size=(n, len(mean)))


@shared_paragraphs
def make_three_gaussians(n_samples: Any = None, *, random_state: Seed = None) -> Data:
    """Three normal clouds in a row, the middle one horizontal (Three-Gaussian, Table I).

    Means (2, 5), (12, 5), (23, 5), variances (1, 9), (6, 2), (1, 9); see `make_two_gaussians`.

    Parameters
    ----------
    n_samples : int or sequence of 3 ints, default (300, 300, 300)
        Total number of objects, or per class.
    {plane}

    {domeniconi_2009}

    Examples
    --------
    >>> from studies._datasets import make_three_gaussians
    >>> X, y = make_three_gaussians(90, random_state=0)
    >>> [int((y == c).sum()) for c in range(3)]
    [30, 30, 30]
    """
    shapes = [((2, 5), (1, 9)), ((12, 5), (6, 2)), ((23, 5), (1, 9))]
    return clouds(n_samples, (300, 300, 300), shapes, random_state)


@shared_paragraphs
def make_cigars(n_samples: Any = None, *, random_state: Seed = None) -> Data:
    """Two parallel, long and sparse normal clouds and two small dense ones (cigars, Fig. 4).

    The paper shows four clusters in a figure without parameters; its error rates are multiples
    of 1/250 and fit classes of 100, 100, 25 and 25.  Means and variances are our choice.

    Parameters
    ----------
    n_samples : int or sequence of 4 ints, default (100, 100, 25, 25)
        Total number of objects, or per class: the two cigars, then the two dense clouds.
    {plane}

    {fred_jain_2005}

    Examples
    --------
    >>> from studies._datasets import make_cigars
    >>> X, y = make_cigars(random_state=0)
    >>> X.shape
    (250, 2)
    """
    long, dense = (0.02, 0.9), (0.008, 0.008)
    shapes = [((-0.7, 0.0), long), ((0.7, 0.0), long), ((-2.0, 2.0), dense), ((2.0, -2.0), dense)]
    return clouds(n_samples, (100, 100, 25, 25), shapes, random_state)


@shared_paragraphs
def make_cube(n_samples: int = 300, n_features: int = 5, *, random_state: Seed = None) -> Data:
    """Uniform points in the unit cube: one class, no cluster (Fig. 6a).

    Parameters
    ----------
    n_samples : int
    n_features : int
    random_state : int, RandomState, Generator or None

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of zeros

    {fred_jain_2005}

    Examples
    --------
    >>> from studies._datasets import make_cube
    >>> make_cube(random_state=0)[0].shape
    (300, 5)
    """
    rng, n_features = generator(random_state), check_integer(n_features, "n_features")
    [n] = class_sizes(n_samples, (300,))
    return stack([box(rng, n, np.zeros(n_features), np.ones(n_features))])


@shared_paragraphs
def make_spirals(
    n_samples: Any = None,
    *,
    n_arms: int = 2,
    noise: float = 0.0,
    n_noise: int = 0,
    random_state: Seed = None,
) -> Data:
    """Intertwined Archimedean spirals (2-spirals, Fig. 1).

    The arms are r = 1/2 + 2θ/π, rotated by equal angles, with points at equal steps of θ from
    π/32 to 100π/32.  Two arms of 100 points are the classical two spirals: one and a half turns,
    from r = 0.56 to 6.75.

    Parameters
    ----------
    n_samples : int or sequence of n_arms ints, default 100 per arm
        Total number of objects, or per arm; without the background.
    n_arms : int
    noise : float
        Standard deviation of the normal noise added to every point of an arm.
    n_noise : int
        Number of background objects, uniform in the box around the arms, with y = -1.
    random_state : int, RandomState, Generator or None
        Has no effect without noise and background.

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,)

    {li_2007}

    Examples
    --------
    >>> from studies._datasets import make_spirals
    >>> X, y = make_spirals(n_noise=20, random_state=0)
    >>> X.shape, int((y == -1).sum())
    ((220, 2), 20)
    """
    rng, n_arms = generator(random_state), check_integer(n_arms, "n_arms")
    noise, n_noise = check_number(noise, "noise"), check_integer(n_noise, "n_noise", least=0)
    arms = []
    for arm, n in enumerate(class_sizes(n_samples, (100,) * n_arms)):
        along = np.linspace(np.pi / 32, 100 * np.pi / 32, n)
        radius = 1 / 2 + 2 / np.pi * along
        angle = np.pi / 2 - along + 2 * np.pi * arm / n_arms
        arms.append(radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]))
    reach = np.abs(np.concatenate(arms)).max(axis=0)
    arms = [arm + rng.normal(0.0, noise, arm.shape) for arm in arms]
    return stack(arms, box(rng, n_noise, -reach, reach))


@shared_paragraphs
def make_complex_image(
    n_samples: Any = None,
    *,
    outer: str = "noise",
    n_outer: int = 10,
    random_state: Seed = None,
) -> Data:
    """Rings, bars and clouds of different density within a sparse circle (complex image, Fig. 1).

    A ring around a cloud, two interlocking half-rings, two parallel bars and a small dense
    cloud, enclosed by ten points on an outer circle.  The papers show such a scene in a figure
    and state only the sizes: the shapes are our choice.

    Parameters
    ----------
    n_samples : int or sequence of 7 ints, default (200, 200, 100, 100, 50, 50, 33)
        Total number of objects, or per class, without the outer circle: ring, lower half-ring,
        upper half-ring, cloud within the ring, two bars, small cloud.
    outer : {"noise", "class"}
        Whether the points of the outer circle are background with y = -1, as in Li et al., or a
        class of their own, as in Fred and Jain.
    n_outer : int
        Number of points on the outer circle.
    {plane}

    {fred_jain_2005}
    Also in Y. Li et al., PAKDD 2007, Table 1. doi:10.1007/978-3-540-71701-0

    Examples
    --------
    >>> from studies._datasets import make_complex_image
    >>> X, y = make_complex_image(random_state=0)
    >>> len(X), int((y == -1).sum())
    (743, 10)
    """
    if outer not in ("noise", "class"):
        raise ValueError(f"outer={outer!r}; allowed are 'noise' and 'class'")
    rng, n_outer = generator(random_state), check_integer(n_outer, "n_outer", least=0)
    ring, lower, upper, cloud, bar, other_bar, small = class_sizes(
        n_samples, (200, 200, 100, 100, 50, 50, 33)
    )
    circle = np.radians(np.arange(n_outer) * 360 / max(n_outer, 1))
    outside = 5.2 * np.column_stack([np.cos(circle), np.sin(circle)])
    outside += rng.normal(0.0, 0.1, outside.shape)
    classes = [
        band(rng, ring, (-1.7, 1.3), (1.55, 1.85)),
        band(rng, lower, (-0.4, -1.9), (1.15, 1.5), (180, 360)),
        band(rng, upper, (1.1, -2.2), (1.1, 1.5), (0, 180)),
        gaussian(rng, cloud, (-1.7, 1.3), (0.07, 0.07)),
        box(rng, bar, (1.2, 2.5), (3.4, 2.75)),
        box(rng, other_bar, (1.2, 1.5), (3.4, 1.75)),
        gaussian(rng, small, (3.3, 0.0), (0.02, 0.02)),
    ]
    if outer == "class":
        return stack([*classes, outside])
    return stack(classes, outside)


@shared_paragraphs
def make_paths(
    n_samples: Any = None,
    *,
    noise: float = 0.06,
    n_noise: int = 200,
    random_state: Seed = None,
) -> Data:
    """Three winding paths among background points (3-paths, Fig. 2b).

    Three waves above each other, with points at random positions along them, in a box of uniform
    background.  The paper states only the sizes: the shapes are our choice.

    Parameters
    ----------
    n_samples : int or sequence of 3 ints, default (200, 200, 200)
        Total number of objects, or per path; without the background.
    noise : float
        Standard deviation of the normal noise across and along a path.
    n_noise : int
        Number of background objects, uniform in the box around the paths, with y = -1.
    {plane}

    {li_2007}

    Examples
    --------
    >>> from studies._datasets import make_paths
    >>> X, y = make_paths(random_state=0)
    >>> len(X), int((y == -1).sum())
    (800, 200)
    """
    rng = generator(random_state)
    noise, n_noise = check_number(noise, "noise"), check_integer(n_noise, "n_noise", least=0)
    paths = []
    for path, n in enumerate(class_sizes(n_samples, (200, 200, 200))):
        along = rng.uniform(0.0, 6.0, n)
        across = 2.2 * path + 0.6 * np.sin(np.pi / 2 * along)
        paths.append(np.column_stack([along, across]) + rng.normal(0.0, noise, (n, 2)))
    points = np.concatenate(paths)
    low, high = points.min(axis=0) - 0.5, points.max(axis=0) + 0.5
    return stack(paths, box(rng, n_noise, low, high))


def box(rng: np.random.Generator, n: int, low: Any, high: Any) -> np.ndarray:
    """Uniform in a box."""
    return rng.uniform(low, high, size=(n, len(low)))
