"""Leaving out degenerate members (Fern and Lin 2008, Section 7.2)."""

import numpy as np

from consens.ensemble import Ensemble
from consens.measure.evenness import normalized_entropy
from consens.select._base import BaseSelector, n_members


class DropDegenerate(BaseSelector):
    """Leave out the members that put nearly all objects into one cluster.

    The members are ranked by the entropy of their cluster sizes, divided by its maximum log k;
    those with the lowest entropy are left out (Section 7.2).

    Parameters
    ----------
    n_selected : int or float, default=0.9
        Members to keep, or their share of the library: most, as few are degenerate.

    Attributes
    ----------
    entropy_ : ndarray of shape (M,)
        Normalised entropy of each member: 1 if all clusters are equally large, 0 if there is
        only one.
    order_ : ndarray of shape (n_selected_,)
        Kept members by decreasing entropy.
    n_selected_ : int
    n_features_in_ : int

    Notes
    -----
    Among members with equal entropy, later ones are left out first.  O(n·M) time.

    {fern_lin_2008}

    Examples
    --------
    >>> import numpy as np
    >>> from consens.select import DropDegenerate
    >>> labels = np.array([[0, 0], [0, 0], [1, 0], [1, 1]])
    >>> DropDegenerate(1).fit(labels).get_support()
    array([ True, False])
    """

    def __init__(self, n_selected: int | float = 0.9) -> None:
        self.n_selected = n_selected

    def _select(self, ensemble: Ensemble) -> np.ndarray:
        self.entropy_ = normalized_entropy(ensemble)
        kept = np.argsort(-np.round(self.entropy_, 12), kind="stable")
        return kept[: n_members(self.n_selected, ensemble.shape[1])]
