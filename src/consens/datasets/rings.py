"""Curved clusters: half-rings, concentric rings, spirals."""

from __future__ import annotations

from typing import Any

import numpy as np

from consens._support.seeds import Seed
from consens._validation import check_integer, check_number
from consens.datasets._draw import Data, band, box, class_sizes, generator, stack


def make_half_rings(n_samples: Any = None, *, random_state: Seed = None) -> Data:
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


def make_rings(n_samples: Any = None, *, random_state: Seed = None) -> Data:
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
    >>> from consens.datasets import make_spirals
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
