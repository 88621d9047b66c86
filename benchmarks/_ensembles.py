"""Ensembles that look like those of k-means, made in no time."""

from __future__ import annotations

import numpy as np

from consens import Ensemble
from consens._labels import compact, narrow, shared_members


def voronoi(
    n: int,
    members: int = 20,
    low: int = 2,
    high: int | None = None,
    d: int = 2,
    seed: int = 0,
) -> Ensemble:
    """Members with low to high clusters (√n by default): the nearest of objects drawn at random.

    Objects lie in eight Gaussian clusters.  In two dimensions a good half of them have equal
    label rows, as in published ensembles; in ten hardly any two have.
    """
    from scipy.spatial import cKDTree

    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 0] += 3.0 * rng.integers(0, 8, size=n)
    high = int(np.sqrt(n)) if high is None else high
    columns = []
    for k in rng.integers(low, high + 1, size=members):
        centers = X[rng.choice(n, k, replace=False)]
        columns.append(compact(cKDTree(centers).query(X)[1]))
    return Ensemble(np.column_stack(columns))


def cooccurrence(ensemble: Ensemble) -> np.ndarray:
    """Number of members that put two objects together, in the smallest type that holds it."""
    return shared_members(ensemble.labels, narrow(ensemble.labels))
