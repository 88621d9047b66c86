"""Clusters of different shapes, sizes and densities, with background."""

from __future__ import annotations

from typing import Any

import numpy as np

from consens._support.seeds import Seed
from consens._validation import check_integer, check_number
from consens.datasets._draw import Data, band, box, class_sizes, gaussian, generator, stack


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
    >>> from consens.datasets import make_complex_image
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
    >>> from consens.datasets import make_paths
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
