"""Curved clusters: half-rings, concentric rings, spirals."""

from __future__ import annotations

from typing import Any

from consens._support.seeds import Seed
from consens.datasets._draw import Data, band, class_sizes, generator, stack


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
