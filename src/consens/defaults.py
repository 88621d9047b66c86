"""Default generator and consensus."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from consens._labels import label_stats
from consens.consensus import LWEA, DrawnConsensus
from consens.ensemble import Ensemble
from consens.generate import MixedEnsemble

#: Smallest number of members for which `DrawnConsensus` is the default.
ENOUGH_MEMBERS = 20

#: Largest number of objects for methods of quadratic time, without and with missing labels.
MAX_QUADRATIC = 50_000
MAX_QUADRATIC_MISSING = 10_000


def default_generator(consensus: Any = None, n_clusters: int | None = None) -> Any:
    """Return the default generator of a consensus, or a `MixedEnsemble`.

    Parameters
    ----------
    consensus : consensus estimator, optional
    n_clusters : int, optional
        Number of clusters of the consensus.
    """
    if not hasattr(consensus, "default_generator"):
        return MixedEnsemble()
    consensus = clone(consensus)
    if n_clusters is not None:
        consensus.set_params(n_clusters=n_clusters)
    return consensus.default_generator()


def default_consensus(ensemble: Ensemble) -> Any:
    """Return the default method for an ensemble.

    `DrawnConsensus`, whose time is linear in the objects; or `LWEA` with θ = 0.25 for fewer than
    20 members, too few to draw from, of at most 50,000 objects (10,000 if labels are missing).
    ``python -m studies.defaults`` compares them with the other methods.
    """
    n, n_members = ensemble.shape
    if n_members < ENOUGH_MEMBERS:
        stats = label_stats(ensemble.labels)
        most = MAX_QUADRATIC_MISSING if stats.missing or stats.noise else MAX_QUADRATIC
        if n <= most:
            return LWEA(theta=0.25)
    return DrawnConsensus()


def settles(asked: bool | None, method: Any) -> bool:
    """Whether objects settle; by default, they do unless the user chose a method."""
    return method is None if asked is None else asked
