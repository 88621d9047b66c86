"""Random selection: a random subset, or the one with the median diversity among many."""

import numpy as np

from consens._params import COUNT_RULE, rules
from consens._support.seeds import Seed, spawn_seeds
from consens.ensemble import Ensemble
from consens.select._base import AgreementSelector, BaseSelector, n_members, pair_diversity


class SelectRandom(BaseSelector):
    """Keep a random subset of the members, as a baseline for other selectors.

    Parameters
    ----------
    {n_selected}
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    order_ : ndarray of shape (n_selected_,)
        Kept members in the order in which they were drawn; with the same seed, a smaller
        selection is the beginning of a larger one.
    n_selected_ : int
    n_features_in_ : int

    Notes
    -----
    O(M) time and memory.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.select import SelectRandom
    >>> SelectRandom(2, random_state=0).fit_transform(np.eye(5, dtype=int)).shape
    (5, 2)
    """

    def __init__(self, n_selected: int | float = 0.2, *, random_state: Seed = None) -> None:
        self.n_selected = n_selected
        self.random_state = random_state

    def _select(self, ensemble: Ensemble) -> np.ndarray:
        size = n_members(self.n_selected, ensemble.shape[1])
        rng = np.random.default_rng(spawn_seeds(self.random_state, 1)[0])
        return rng.permutation(ensemble.shape[1])[:size]


class SelectMedianDiversity(AgreementSelector):
    """Keep the subset with the median diversity among many random subsets.

    Members with too little diversity are redundant, and with too much their consensus is
    arbitrary; the median of random subsets is a safe choice.  The diversity of a subset is the
    mean of 1 - NMI over its pairs.

    Parameters
    ----------
    n_selected : int or float, default=0.2
        Number of members in a subset, or their share of the library.
    n_candidates : int, default=50
        Number of subsets to draw.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    candidates_ : ndarray of shape (n_candidates, n_selected_)
        The members of each subset.
    diversities_ : ndarray of shape (n_candidates,)
        Diversity of each subset.
    quality_, diversity_, similarity_, order_, n_selected_ : as in `SelectQuality`

    Notes
    -----
    O(n M²) time for the NMI of all pairs and O(m²) for each subset of m; O(M²) memory.

    References
    ----------
    S. Hadjitodorov, L. Kuncheva and L. Todorova, "Moderate diversity for better cluster
    ensembles", Information Fusion 7(3), 2006. doi:10.1016/j.inffus.2005.01.008

    Examples
    --------
    >>> import numpy as np
    >>> from consens.select import SelectMedianDiversity
    >>> labels = np.random.default_rng(0).integers(0, 3, (20, 10))
    >>> selector = SelectMedianDiversity(4, n_candidates=9, random_state=0).fit(labels)
    >>> float(np.median(selector.diversities_)) == selector.diversity_
    True
    """

    _parameter_constraints = rules(n_candidates=COUNT_RULE)

    def __init__(
        self, n_selected: int | float = 0.2, *, n_candidates: int = 50, random_state: Seed = None
    ) -> None:
        self.n_selected = n_selected
        self.n_candidates = n_candidates
        self.random_state = random_state

    def _choose(self, nmi: np.ndarray, quality: np.ndarray) -> np.ndarray:
        size = n_members(self.n_selected, len(nmi))
        draws = [
            np.random.default_rng(seed).permutation(len(nmi))[:size]
            for seed in spawn_seeds(self.random_state, self.n_candidates)
        ]
        self.candidates_ = np.sort(draws, axis=1)
        self.diversities_ = np.array([pair_diversity(nmi, chosen) for chosen in self.candidates_])
        return self.candidates_[_median(self.diversities_)]


def _median(values: np.ndarray) -> int:
    return int(np.argsort(np.round(values, 10), kind="stable")[(len(values) - 1) // 2])
