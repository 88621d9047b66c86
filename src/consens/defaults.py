"""Which generator and which consensus are used when none is given."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from consens.consensus import EAC, LWEA, LWGP
from consens.ensemble import Ensemble
from consens.generate import KMeansEnsemble
from consens.labels import label_stats

#: Objects up to which the default consensus may take quadratic time, without and with missing
#: labels.
MAX_QUADRATIC = 50_000
MAX_QUADRATIC_MISSING = 10_000


def default_generator(consensus: Any = None, n_clusters: int | None = None) -> Any:
    """Return the generator that a consensus is made for, or k-means members.

    Parameters
    ----------
    consensus : consensus estimator, optional
    n_clusters : int, optional
        Number of clusters that the consensus is to find.
    """
    if not hasattr(consensus, "default_generator"):
        return KMeansEnsemble()
    consensus = clone(consensus)
    if n_clusters is not None:
        consensus.set_params(n_clusters=n_clusters)
    return consensus.default_generator()


def default_consensus(ensemble: Ensemble) -> Any:
    """Return the method that combines an ensemble when none is given.

    `LWEA` with θ = 0.25 while its quadratic time is reasonable, up to 50,000 objects (10,000 if
    labels are missing, because it then needs a matrix), and `LWGP`, whose time is linear, beyond.
    ``python -m studies.defaults`` compares them with the others.
    """
    stats = label_stats(ensemble.labels)
    most = MAX_QUADRATIC_MISSING if stats.missing or stats.noise else MAX_QUADRATIC
    return LWEA(theta=0.25) if len(ensemble) <= most else LWGP()


def default_combination(ensemble: Ensemble, n_clusters: int | None) -> Any:
    """Return the method that combines given clusterings: `EAC` finds the number of clusters."""
    if n_clusters is None:
        return EAC()
    return default_consensus(ensemble).set_params(n_clusters=n_clusters)


def needs_all_objects(n: int) -> bool:
    """Whether the default consensus of n objects may need all of them in memory."""
    return n <= MAX_QUADRATIC
