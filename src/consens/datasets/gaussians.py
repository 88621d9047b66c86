"""Normal clouds, and a uniform cube without clusters."""

from __future__ import annotations

from typing import Any

from consens._support.seeds import Seed
from consens.datasets._draw import Data, clouds


def make_two_gaussians(n_samples: Any = None, *, random_state: Seed = None) -> Data:
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
    >>> from consens.datasets import make_three_gaussians
    >>> X, y = make_three_gaussians(90, random_state=0)
    >>> [int((y == c).sum()) for c in range(3)]
    [30, 30, 30]
    """
    shapes = [((2, 5), (1, 9)), ((12, 5), (6, 2)), ((23, 5), (1, 9))]
    return clouds(n_samples, (300, 300, 300), shapes, random_state)
