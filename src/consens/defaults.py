"""Which generator and which consensus are used when none is given."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from consens.consensus import LWEA, DrawnConsensus
from consens.ensemble import Ensemble
from consens.generate import MixedEnsemble
from consens.labels import label_stats

#: Fewest members to draw from; fewer are combined at once.
ENOUGH_MEMBERS = 20

#: Objects up to which one consensus may take quadratic time, without and with missing labels.
MAX_QUADRATIC = 50_000
MAX_QUADRATIC_MISSING = 10_000


def default_generator(consensus: Any = None, n_clusters: int | None = None) -> Any:
    """Return the generator that a consensus is made for, or mixed members.

    Parameters
    ----------
    consensus : consensus estimator, optional
    n_clusters : int, optional
        Number of clusters that the consensus is to find.
    """
    if not hasattr(consensus, "default_generator"):
        return MixedEnsemble()
    consensus = clone(consensus)
    if n_clusters is not None:
        consensus.set_params(n_clusters=n_clusters)
    return consensus.default_generator()


def default_consensus(ensemble: Ensemble) -> Any:
    """Return the method that combines an ensemble when none is given.

    `DrawnConsensus`, whose time is linear in the objects.  Fewer than 20 members of at most 50,000
    objects (10,000 if labels are missing) leave nothing to draw: `LWEA` with θ = 0.25 combines
    them at once.  ``python -m studies.defaults`` compares them with the others.
    """
    n, n_members = ensemble.shape
    if n_members < ENOUGH_MEMBERS:
        stats = label_stats(ensemble.labels)
        most = MAX_QUADRATIC_MISSING if stats.missing or stats.noise else MAX_QUADRATIC
        if n <= most:
            return LWEA(theta=0.25)
    return DrawnConsensus()


def settles(asked: bool | None, method: Any) -> bool:
    """Whether objects settle: as asked for, or by default unless a method is given."""
    return method is None if asked is None else asked


def fits_in_memory(n: int) -> bool:
    """Whether rows in blocks are so few that the default loads them."""
    return n <= MAX_QUADRATIC
