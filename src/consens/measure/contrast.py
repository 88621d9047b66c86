"""Contrast: features in which the objects of a cluster differ from all others."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from consens._blocks import FeatureMatrix, Labels
from consens._labels import compact, indicator
from consens._validation import check_finite


class Contrast(NamedTuple):
    """Result of `contrast`: arrays of shape (k, d)."""

    means: np.ndarray
    others: np.ndarray
    differences: np.ndarray


def contrast(X: FeatureMatrix, labels: Labels) -> Contrast:
    """Standardised mean difference of every feature between each cluster and all other objects.

    For cluster c and feature j, (mean of j in c - mean of j outside c) / s_j, with s_j the
    standard deviation of j over all objects.  It does not depend on the unit and origin of a
    feature.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Features, scaled or not.
    labels : label vector of n
        Objects in no cluster are left out.

    Returns
    -------
    means : ndarray of shape (k, d)
        Mean of each feature in each cluster, in the units of X.
    others : ndarray of shape (k, d)
        Mean of each feature over the objects of all other clusters; equal to `means` for a
        single cluster.
    differences : ndarray of shape (k, d)
        0 for a constant feature and for a single cluster.

    Notes
    -----
    With p the share of c and D the difference of means, s_j² = pooled² + p(1 - p) D².  O(n·d)
    time; sparse X stays sparse.

    Examples
    --------
    >>> from consens.measure import contrast
    >>> contrast([[0.0, 5.0], [2.0, 5.0], [4.0, 5.0], [6.0, 5.0]], [0, 0, 1, 1]).differences
    array([[-1.78885438,  0.        ],
           [ 1.78885438,  0.        ]])
    """
    labels = compact(labels)
    X = check_finite(X, "X")
    if X.shape[0] != len(labels):
        raise ValueError(f"X has {X.shape[0]} rows for {len(labels)} labels")
    clustered = labels >= 0
    if not clustered.any():
        raise ValueError("no object is in a cluster: there is nothing to compare")
    if not clustered.all():
        X, labels = X.tocsr()[clustered] if issparse(X) else X[clustered], labels[clustered]
    n = len(labels)
    sums = indicator(labels[:, None]).T @ X
    sums = sums.toarray() if hasattr(sums, "toarray") else np.asarray(sums)
    sizes = np.bincount(labels)[:, None]
    means = sums / sizes
    if len(sizes) == 1:
        return Contrast(means, means.copy(), np.zeros_like(means))
    others = (sums.sum(axis=0) - sums) / (n - sizes)
    if issparse(X):
        from sklearn.utils.sparsefuncs import mean_variance_axis

        mean, variance = mean_variance_axis(X.tocsr(), axis=0)
        spread = np.sqrt(variance)
    else:
        mean, spread = X.mean(axis=0), X.std(axis=0)
    spread = np.where(spread > 1e-12 * np.abs(mean), spread, 0.0)  # else rounding errors
    differences = np.divide(means - others, spread, out=np.zeros_like(means), where=spread > 0)
    return Contrast(means, others, differences)
