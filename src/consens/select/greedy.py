"""Selection by quality, by diversity, and by both in one criterion (Fern and Lin 2008)."""

from numbers import Real

import numpy as np

from consens._params import Interval, one_of, rules
from consens.select._base import AgreementSelector, best, n_members


class SelectQuality(AgreementSelector):
    """Keep the members that agree most with the library as a whole.

    The quality of member C_i of the library L of r members is SNMI(C_i, L) = Σ_j NMI(C_i, C_j)
    (Eq. 3.1), here divided by r; the `n_selected` members of the highest quality are kept, even
    if they are redundant (`SelectJoint` also looks at diversity).

    Parameters
    ----------
    {n_selected}

    Attributes
    ----------
    quality_ : ndarray of shape (M,)
        Mean NMI of each member with all members, itself included.
    diversity_ : float
        Mean of 1 - NMI over the pairs of kept members.
    similarity_ : ndarray of shape (M, M)
        NMI of all pairs of members.
    order_ : ndarray of shape (n_selected_,)
        Kept members in the order of their selection: the first m are the selection of size m.
    n_selected_ : int
    n_features_in_ : int

    Notes
    -----
    The first one wins among equal members.  O(n M²) time for the NMI of all pairs, once per
    `Ensemble` for all selectors; O(M²) memory.

    {fern_lin_2008}

    {four_objects}
    >>> from consens.select import SelectQuality
    >>> SelectQuality(2).fit(labels).get_support(indices=True)
    array([0, 1])
    """

    def __init__(self, n_selected: int | float = 0.2) -> None:
        self.n_selected = n_selected

    def _choose(self, nmi: np.ndarray, quality: np.ndarray) -> list[int]:
        return _greedy(nmi, quality, 1.0, n_members(self.n_selected, len(nmi)))


class SelectDiversity(AgreementSelector):
    """Keep members that agree least with each other.

    Starts with the member of the highest quality (see `SelectQuality`) and adds, one at a time,
    the member for which Σ NMI(C_i, C_j) over all kept pairs grows least (Section 3.2).

    Parameters
    ----------
    {n_selected}
    init : {"quality", "pair"}, default="quality"
        First members: the one of the highest quality, or the two that agree least (footnote 1 of
        the paper).

    Attributes
    ----------
    quality_, diversity_, similarity_, order_, n_selected_ : as in `SelectQuality`

    Notes
    -----
    The greedy algorithm of the paper; the first one wins among equal members.  O(n M²) time for
    the NMI of all pairs, O(M) for each added member; O(M²) memory.

    {fern_lin_2008}

    {four_objects}
    >>> from consens.select import SelectDiversity
    >>> SelectDiversity(2).fit(labels).get_support(indices=True)
    array([0, 2])
    """

    _parameter_constraints = rules(init=one_of("quality", "pair"))

    def __init__(self, n_selected: int | float = 0.2, *, init: str = "quality") -> None:
        self.n_selected = n_selected
        self.init = init

    def _choose(self, nmi: np.ndarray, quality: np.ndarray) -> list[int]:
        size = n_members(self.n_selected, len(nmi))
        first = [best(quality)]
        if self.init == "pair" and size > 1:
            pairs = np.triu_indices(len(nmi), k=1)
            least = best(-nmi[pairs])
            first = [int(pairs[0][least]), int(pairs[1][least])]
        return _greedy(nmi, quality, 0.0, size, first=first)


class SelectJoint(AgreementSelector):
    """Keep members that agree with the library but not with each other.

    Starts with the member of the highest quality and adds, one at a time, the member that
    raises the joint criterion most (Eq. 5.2, with both sums divided by their number of terms for
    K kept members)::

        α / K Σ_i q(C_i) + (1 - α) / (K (K - 1) / 2) Σ_{i<j} (1 - NMI(C_i, C_j)).

    Parameters
    ----------
    {n_selected}
    alpha : float in [0, 1], default=0.5
        Weight of the quality: 1 is `SelectQuality`, 0 is `SelectDiversity`.

    Attributes
    ----------
    quality_, diversity_, similarity_, order_, n_selected_ : as in `SelectQuality`

    Notes
    -----
    The paper adds up the terms of the criterion; their means reproduce its results.  The first one
    wins among equal members.  O(n M²) time for the NMI of all pairs, O(M) for each added member;
    O(M²) memory.

    {fern_lin_2008}

    {four_objects}
    >>> from consens.select import SelectJoint
    >>> SelectJoint(2).fit(labels).get_support(indices=True)
    array([0, 2])
    """

    _parameter_constraints = rules(alpha=[Interval(Real, 0, 1, closed="both")])

    def __init__(self, n_selected: int | float = 0.2, *, alpha: float = 0.5) -> None:
        self.n_selected = n_selected
        self.alpha = alpha

    def _choose(self, nmi: np.ndarray, quality: np.ndarray) -> list[int]:
        size = n_members(self.n_selected, len(nmi))
        return _greedy(nmi, quality, self.alpha, size)


def _greedy(
    nmi: np.ndarray,
    quality: np.ndarray,
    alpha: float,
    size: int,
    first: list[int] | None = None,
) -> list[int]:
    """Add the member with the largest gain in Eq. 5.2, one at a time."""
    chosen = [best(quality)] if first is None else first
    # Σ (1 - NMI) of each member with all chosen ones except the last
    away = (1.0 - nmi[chosen[:-1]]).sum(axis=0)
    while len(chosen) < size:
        away += 1.0 - nmi[chosen[-1]]
        gain = alpha * quality + (1.0 - alpha) * 2.0 / len(chosen) * away
        gain[chosen] = -np.inf
        chosen.append(best(gain))
    return chosen
