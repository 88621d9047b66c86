"""Mean co-association of groups of objects."""

from __future__ import annotations

from typing import Any

import numpy as np

from consens._labels import MISSING, compact, profiles
from consens.ensemble import Ensemble


def group_coassociation(ensemble: Any, groups: Any) -> np.ndarray:
    """Mean co-association between and within groups of objects, without the n × n matrix.

    The sum over the pairs of objects from groups A and B is the inner product of their cluster
    histograms.  Pairs are weighted by the number of members that saw both objects.

    Parameters
    ----------
    ensemble : Ensemble or label matrix of shape (n, M)
    groups : label vector of n
        Objects with -1 are in no group.

    Returns
    -------
    ndarray of shape (number of groups, number of groups), symmetric
        1 on the diagonal for a group of one object; 0 if no member saw a pair.

    Notes
    -----
    O(n·M + C·g²) time and O(C·g) memory for C clusters of all members and g groups.

    Examples
    --------
    >>> from consens.evidence.groups import group_coassociation
    >>> group_coassociation([[0, 0, 0, 1], [0, 0, 1, 1]], [0, 0, 1, 1])
    array([[1.  , 0.25],
           [0.25, 0.5 ]])
    """
    labels = Ensemble.from_labels(ensemble).matrix
    groups = compact(groups)
    if len(groups) != len(labels):
        raise ValueError(f"{len(groups)} group numbers for an ensemble of {len(labels)} objects")
    spread = profiles(labels, groups)
    together = spread.together.T @ spread.together
    seen = spread.seen.T @ spread.seen
    inside = groups >= 0
    for sums, itself in ((together, labels >= 0), (seen, labels != MISSING)):
        counts = itself.sum(axis=1)[inside]
        sums[np.diag_indices_from(sums)] -= np.bincount(groups[inside], counts)
    mean = np.divide(together, seen, out=np.zeros_like(together), where=seen > 0)
    single = np.flatnonzero(spread.sizes == 1)
    mean[single, single] = 1.0
    return mean
