"""Cluster and Select (Fern and Lin 2008): the best member of each group of similar members."""

import numpy as np

from consens._params import one_of, rules
from consens._support.seeds import Seed, spawn_seeds
from consens.partition import spectral_cut
from consens.select._base import AgreementSelector, best, n_members


class ClusterAndSelect(AgreementSelector):
    """Group similar members and keep the best one of each group.

    Spectral clustering of the pairwise NMI groups the members, and the member of the highest
    quality (see `SelectQuality`) of each group is kept (Section 5).  So no two kept members are
    near copies, and none is poor unless its whole group is.

    Parameters
    ----------
    n_selected : int or float, default=0.2
        Number of groups and so of members to keep, or their share.
    init : {"orthogonal", "careful"}, default="orthogonal"
        Start of the k-means in spectral clustering: orthogonal rows of the eigenvectors, as in
        Ng, Jordan and Weiss, or the best of ten k-means++ starts.  See Notes.
    random_state : int, RandomState or None, default=None
        For the start of k-means.

    Attributes
    ----------
    groups_ : ndarray of shape (M,)
        Group of each member.
    quality_, diversity_, similarity_, order_, n_selected_ : as in `SelectQuality`
        `order_` sorts the kept members by decreasing quality.

    Notes
    -----
    Selections of different sizes are not nested.  Orthogonal starts form groups of the members
    that differ from all others, however few; with k-means++ the selection resembles the library.

    O(n M²) time for the NMI of all pairs and O(M³) at most for the eigenvectors; O(M²) memory.

    {fern_lin_2008}

    {four_objects}
    >>> from consens.select import ClusterAndSelect
    >>> selector = ClusterAndSelect(2, random_state=0).fit(labels)
    >>> selector.groups_, selector.get_support(indices=True)
    (array([0, 0, 1], dtype=int32), array([0, 2]))
    """

    _parameter_constraints = rules(init=one_of("orthogonal", "careful"))

    def __init__(
        self,
        n_selected: int | float = 0.2,
        *,
        init: str = "orthogonal",
        random_state: Seed = None,
    ) -> None:
        self.n_selected = n_selected
        self.init = init
        self.random_state = random_state

    def _choose(self, nmi: np.ndarray, quality: np.ndarray) -> list[int]:
        n_groups = n_members(self.n_selected, len(nmi))
        seed = spawn_seeds(self.random_state, 1)[0]
        self.groups_ = spectral_cut(nmi, n_groups, init=self.init, seed=seed)
        members = [np.flatnonzero(self.groups_ == group) for group in range(n_groups)]
        kept = [int(group[best(quality[group])]) for group in members]
        return sorted(kept, key=lambda member: (-quality[member], member))
