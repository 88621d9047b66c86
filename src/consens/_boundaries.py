"""Gaussian boundaries: one Gaussian for each cluster, where the data speak for it.

Members with many small clusters find clusters of any shape, but the boundaries of overlapping
ones are rough.  The draws of all recipes are starts of EM.  If a mixture with one Gaussian for
each cluster predicts objects that it has not seen better than any with two or four, and the
likeliest mixtures from different starts agree, then the likeliest one answers.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from consens._labels import first_seen
from consens.generate.mixtures import (
    COVARIANCES,
    MixtureFit,
    MixtureModel,
    maximize_likelihood,
    principal_axes,
    project,
)

_logger = logging.getLogger("consens")

N_FOLDS = 5
LIKELIEST = 0.25  # share of the mixtures that must agree
BOUNDARY_STEPS = 100
LEAST_VARIANCE = 1e-4  # of the variance inside the clusters, added to that of every component


class Boundaries(NamedTuple):
    """A mixture with one component for each cluster, and its kind of covariance.

    ``agreement`` is the mean adjusted Rand index between the likeliest mixture and other likely
    ones, from different starts.
    """

    covariance: str
    model: MixtureModel
    agreement: float

    def refine(self, X: np.ndarray, n_clusters: int) -> "Boundaries | None":
        """Fit the mixture to X, and number its clusters by their first rows.

        None if X has fewer clusters.
        """
        model = draw_boundaries(X, self.model.label(X), self.covariance)
        order = first_seen(model.label(X))
        if len(order) < n_clusters:
            return None
        return self._replace(model=model.keep(order))


def find_boundaries(
    X: np.ndarray,
    answers: Sequence[np.ndarray],
    draws: Sequence[np.ndarray],
    n_clusters: int,
    enough: float,
) -> Boundaries | None:
    """Find Gaussians that predict held-out objects better than more for each cluster, if any.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    answers, draws : sequence of labels
        Partitions of the rows of X by recipes, which decide on the covariance, and by draws of
        them.
    n_clusters : int
    enough : float
        Least agreement of the likeliest mixtures.
    """
    from consens._kernels.draws import mutual_ari

    axes = principal_axes(X)
    rows = project(X, axes)
    origin = rows.mean(axis=0)
    rows = rows - origin
    whole = [own for own in answers if len(np.unique(own)) == n_clusters]
    some = [own for own in draws if len(np.unique(own)) == n_clusters]
    comparable = whole and len(whole) + len(some) > 1
    covariance = best_covariance(rows, whole) if comparable else None
    if covariance is None:
        return None
    fits = fits_from(rows, [*whole, *some], covariance)
    fits.sort(key=lambda fit: -fit.likelihood)
    likely = fits[: max(2, round(LIKELIEST * len(fits)))]
    found = np.stack([fit.model.label(rows) for fit in likely])
    agreement = float(mutual_ari(found[:1], found[1:]).mean())
    _logger.info("Gaussians (%s): agreement %.3f", covariance, agreement)
    if not agreement >= enough:
        return None
    return Boundaries(covariance, replace(fits[0].model, origin=origin, axes=axes), agreement)


def fits_from(rows: np.ndarray, starts: Sequence[np.ndarray], covariance: str) -> list[MixtureFit]:
    """Mixtures that EM finds from partitions of the rows."""
    found = []
    for own in starts:
        k, least = int(own.max()) + 1, LEAST_VARIANCE * variance_inside(rows, own)
        found.append(maximize_likelihood(rows, own, k, covariance, BOUNDARY_STEPS, least))
    return found


def variance_inside(rows: np.ndarray, labels: np.ndarray) -> float:
    """Mean variance of the features inside the clusters, of which points have a little, too."""
    means = np.zeros((int(labels.max()) + 1, rows.shape[1]))
    clustered = labels >= 0
    np.add.at(means, labels[clustered], rows[clustered])
    means /= np.maximum(np.bincount(labels[clustered], minlength=len(means)), 1)[:, None]
    inside = np.square(rows[clustered] - means[labels[clustered]]).mean()
    return float(max(inside, LEAST_VARIANCE * rows.var(axis=0).mean()))


def draw_boundaries(X: np.ndarray, labels: np.ndarray, covariance: str) -> MixtureModel:
    """Mixture that EM finds from a partition of X."""
    axes = principal_axes(X)
    rows = project(X, axes)
    origin = rows.mean(axis=0)
    [found] = fits_from(rows - origin, [labels], covariance)
    return replace(found.model, origin=origin, axes=axes)


def best_covariance(rows: np.ndarray, starts: Sequence[np.ndarray]) -> str | None:
    """Covariance of the mixture that predicts best; None if one of more components is better.

    These have two or four for each cluster.
    """
    value, labels = {}, {}
    for covariance in COVARIANCES:
        likeliest = max(fits_from(rows, starts, covariance), key=lambda fit: fit.likelihood)
        labels[covariance] = likeliest.model.label(rows)
        value[covariance] = held_out(rows, labels[covariance], covariance)
    best = max(COVARIANCES, key=lambda covariance: value[covariance])
    for covariance in sorted(COVARIANCES, key=lambda covariance: -value[covariance]):
        richer = labels[covariance]
        for _ in range(2):
            richer = halve_clusters(rows, richer)
            if held_out(rows, richer, covariance) > value[best]:
                return None
    return best


def held_out(rows: np.ndarray, labels: np.ndarray, covariance: str) -> float:
    """Log likelihood of the rows, each by a mixture that is fitted to other folds of them."""
    folds = np.random.default_rng(0).permutation(len(rows)) % N_FOLDS
    total = 0.0
    for fold in range(N_FOLDS):
        seen = folds != fold
        [fit] = fits_from(rows[seen], [labels[seen]], covariance)
        total += float(fit.model.log_likelihood(rows[~seen]).sum())
    return total


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
