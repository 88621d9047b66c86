"""Gaussian boundaries: one Gaussian for each cluster, where these describe the data best.

Members with many small clusters find clusters of any shape, but the boundaries of overlapping
ones are rough.  Where a mixture with one Gaussian for each cluster describes the data better than
richer mixtures, by the Bayesian information criterion, and contradicts the draws of the members
hardly more than these contradict each other, its boundaries are smoother and better.
"""

import logging
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from consens._labels import first_seen
from consens.consensus import DrawnConsensus
from consens.generate.mixtures import (
    COVARIANCES,
    MixtureFit,
    MixtureModel,
    maximize_likelihood,
    n_parameters,
    principal_axes,
    project,
)

_logger = logging.getLogger("consens")

DECIDING_OBJECTS = 1000  # objects that decide on the covariances

#: How much farther from the draws the boundaries may be than the draws are from each other.
FARTHER = 1.75

BOUNDARY_STEPS = 100


class Boundaries(NamedTuple):
    """A mixture with one component for each cluster, and its kind of covariance."""

    covariance: str
    model: MixtureModel


def give_boundaries(X: np.ndarray, consensus: DrawnConsensus, enough: float) -> Boundaries | None:
    """Give the clusters of a consensus of X Gaussian boundaries, if they are better.

    The halves of the draws with such boundaries must agree `enough`.
    """
    found = find_boundaries(X, consensus)
    if found is None:
        return None

    def smooth(labels: np.ndarray, objects: np.ndarray) -> np.ndarray:
        return draw_boundaries(X[objects], labels, found.covariance).label(X[objects])

    if not consensus.take_boundaries(found.model.label(X), smooth, enough):
        return None
    _logger.info("Gaussian boundaries: %s", found.covariance)
    return found


def find_boundaries(X: np.ndarray, consensus: DrawnConsensus) -> Boundaries | None:
    """Gaussians that describe the clusters of X better than richer mixtures do, if any.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The compared objects of the consensus.
    consensus : fitted DrawnConsensus
    """
    labels, k = np.asarray(consensus.labels_), consensus.n_clusters_
    some = np.unique(np.linspace(0, len(X) - 1, min(len(X), DECIDING_OBJECTS)).astype(np.intp))
    rows = project(X[some], principal_axes(X))
    covariance = best_covariance(rows - rows.mean(axis=0), labels[some], k)
    if covariance is None:
        return None
    model = draw_boundaries(X, labels, covariance)
    order = first_seen(model.label(X))
    if len(order) < k:  # a cluster is gone
        return None
    model = model.keep(order)
    draws = np.ascontiguousarray(consensus.draws_.matrix[some].T)
    own = model.label(X[some])[None]
    if 1 - _mean_ari(own, draws) > FARTHER * (1 - _mean_ari(draws[::2], draws[1::2])):
        return None
    return Boundaries(covariance, model)


def draw_boundaries(X: np.ndarray, labels: np.ndarray, covariance: str) -> MixtureModel:
    """Mixture that EM finds from a partition of X."""
    axes = principal_axes(X)
    rows = project(X, axes)
    origin = rows.mean(axis=0)
    k = int(labels.max()) + 1
    found = maximize_likelihood(rows - origin, labels, k, covariance, BOUNDARY_STEPS)
    return replace(found.model, origin=origin, axes=axes)


def best_covariance(rows: np.ndarray, labels: np.ndarray, n_clusters: int) -> str | None:
    """Covariance of the best mixture from a partition; None if one of twice the size is better."""
    best, found = -np.inf, None
    halved = halve_clusters(rows, labels)
    for k, start, answer in ((n_clusters, labels, True), (2 * n_clusters, halved, False)):
        for covariance in COVARIANCES:
            if n_parameters(covariance, k, rows.shape[1]) < len(rows):
                value = information(rows, start, k, covariance)
                if value > best:
                    best, found = value, covariance if answer else None
    return found


def information(rows: np.ndarray, labels: np.ndarray, k: int, covariance: str) -> float:
    """Bayesian information criterion of a mixture, the larger the better.

    G. Schwarz, "Estimating the dimension of a model", Annals of Statistics 6, 1978.
    doi:10.1214/aos/1176344136
    """
    found: MixtureFit = maximize_likelihood(rows, labels, k, covariance, BOUNDARY_STEPS)
    penalty = n_parameters(covariance, k, rows.shape[1]) * np.log(len(rows))
    return found.likelihood - 0.5 * float(penalty)


def halve_clusters(rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Halve each cluster across its longest axis; the second halves follow the clusters."""
    halved, k = labels.copy(), int(labels.max(initial=-1)) + 1
    for cluster in range(k):
        inside = np.flatnonzero(labels == cluster)
        if len(inside) > 1:
            own = rows[inside] - rows[inside].mean(axis=0)
            longest = np.linalg.eigh(own.T @ own)[1][:, -1]
            halved[inside[own @ longest > 0]] = k + cluster
    return halved


def _mean_ari(left: Any, right: Any) -> float:
    from consens._kernels.draws import mutual_ari

    return float(mutual_ari(left, right).mean())
