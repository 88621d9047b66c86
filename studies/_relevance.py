"""Relevance: features that matter to clusters with feature weights."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from consens._validation import check_finite, check_integer


class RelevantFeature(NamedTuple):
    """Feature that matters to a cluster; see `relevant_features`."""

    name: str
    weight: float
    mean: float
    share: float


def relevant_features(
    estimator: object, names: Sequence[str] | None = None, top: int = 10, by: str = "weight"
) -> list[list[RelevantFeature]]:
    """List the features that matter most to each cluster, with their weights.

    A feature is heavy in a cluster if its weight is more than an even share, 1/d.  If it is heavy
    in several, it is listed where it is most frequent: a word that occurs in all documents of one
    topic and in no others has variance 0, and so a large weight, in every topic (Section 7.1).

    Parameters
    ----------
    estimator : fitted estimator
        With ``feature_weights_`` and ``cluster_centers_`` of shape (k, d), such as `WSBPA` and
        `LAC`.
    names : array-like of d names, optional
        By default ``feature_names_in_``, or x0, x1, ...
    top : int
        Maximum number of features per cluster.
    by : {"weight", "frequency"}
        "weight", as in the paper, lists the features that are heavy in the cluster, some because
        they are absent from it.  "frequency" lists each feature that is heavy in any cluster where
        it is most frequent.

    Returns
    -------
    list of k lists of RelevantFeature, heaviest first
        ``name``; ``weight`` in this cluster (with "frequency" the largest in any cluster);
        ``mean`` of the feature in this cluster; ``share``, this mean divided by the sum of the
        means of all clusters: 1/k for a feature that is equally frequent everywhere, NaN if a
        mean is negative, 0 if no cluster has the feature.

    C. Domeniconi and M. Al-Razgan, "Weighted cluster ensembles: methods and analysis", ACM TKDD
    2(4), 2009. doi:10.1145/1460797.1460800
    """
    found = []
    for name in ("feature_weights_", "cluster_centers_"):
        if not hasattr(estimator, name):
            raise TypeError(
                f"{type(estimator).__name__} has no {name}; fit a model with feature weights, "
                "such as consens.consensus.WSBPA or consens.generate.LAC"
            )
        found.append(check_finite(getattr(estimator, name), name))
    weights, means = found
    if weights.shape != means.shape or 0 in weights.shape:
        raise ValueError(f"weights have shape {weights.shape}, centres {means.shape}")
    k, d = weights.shape
    top = check_integer(top, "top", least=0)
    if names is None:
        names = getattr(estimator, "feature_names_in_", [f"x{i}" for i in range(d)])
    names = [str(name) for name in names]
    if len(names) != d:
        raise ValueError(f"{len(names)} names for {d} features")
    if by not in ("weight", "frequency"):
        raise ValueError(f"by={by!r}; allowed are 'weight' and 'frequency'")
    heavy = weights > 1 / d
    if by == "frequency":
        heavy[:] = heavy.any(axis=0)
        weights = np.broadcast_to(weights.max(axis=0), (k, d))
    # of the clusters in which a feature is heavy, the one with the largest mean
    owner = np.where(heavy, means, -np.inf).argmax(axis=0)
    totals = means.sum(axis=0)
    shares = np.divide(means, totals, out=np.zeros_like(means), where=totals > 0)
    shares[:, (means < 0).any(axis=0)] = np.nan
    found = []
    for j in range(k):
        own = np.flatnonzero(heavy[j] & (owner == j))
        order = own[np.lexsort((-means[j, own], -weights[j, own]))][:top]
        numbers = np.stack([weights[j, order], means[j, order], shares[j, order]]).tolist()
        words = zip([names[i] for i in order], *numbers, strict=True)
        found.append([RelevantFeature(*word) for word in words])
    return found
