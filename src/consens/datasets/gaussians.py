"""Normal clouds, and a uniform cube without clusters."""

from __future__ import annotations

from typing import Any

import numpy as np

from consens._support.seeds import Seed
from consens._validation import check_integer
from consens.datasets._draw import Data, box, class_sizes, clouds, generator, stack


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
    >>> from consens.datasets import make_cigars
    >>> X, y = make_cigars(random_state=0)
    >>> X.shape
    (250, 2)
    """
    long, dense = (0.02, 0.9), (0.008, 0.008)
    shapes = [((-0.7, 0.0), long), ((0.7, 0.0), long), ((-2.0, 2.0), dense), ((2.0, -2.0), dense)]
    return clouds(n_samples, (100, 100, 25, 25), shapes, random_state)


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
    >>> from consens.datasets import make_cube
    >>> make_cube(random_state=0)[0].shape
    (300, 5)
    """
    rng, n_features = generator(random_state), check_integer(n_features, "n_features")
    [n] = class_sizes(n_samples, (300,))
    return stack([box(rng, n, np.zeros(n_features), np.ones(n_features))])
