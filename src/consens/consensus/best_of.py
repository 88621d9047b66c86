"""The best of several methods (the supra-consensus of Strehl and Ghosh 2002)."""

from collections.abc import Sequence

import numpy as np
from sklearn.base import BaseEstimator, clone

from consens._params import rules
from consens._support.seeds import Seed, spawn_seeds
from consens.consensus._base import BaseConsensus
from consens.consensus.cspa import CSPA
from consens.consensus.hgpa import HGPA
from consens.consensus.mcla import MCLA
from consens.ensemble import Ensemble
from consens.measure import anmi


class BestOf(BaseConsensus):
    """Best of several methods: the result that shares most information with the partitions.

    Every method combines the ensemble, and the result with the largest mean normalised mutual
    information with the members wins (the supra-consensus function of Strehl and Ghosh)::

        π = argmax_{π_a} 1/M Σ_m NMI(π_a, π_m)

    No method is best on all ensembles, and this criterion needs no true classes.

    Parameters
    ----------
    n_clusters : int
        Passed to every method.
    methods : list of consensus estimators, optional
        By default CSPA, HGPA and MCLA, as in the paper.
    {noise_and_settle}
    random_state : int, RandomState or None
        Seeds every method that has no seed of its own.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Of the winner.
    n_clusters_ : int
    scores_ : list of float
        Mean normalised mutual information of each result with the members; the first best wins.
    methods_ : list of fitted estimators
    best_ : fitted estimator
        The winner.
    {combined}

    Notes
    -----
    Use it when it is not clear which method fits and several can run.  It cannot correct a mistake
    that most members share.  Costs as much as all methods together, and O(n M) per score.

    {strehl_ghosh_2002}

    {five_objects}
    >>> from consens.consensus import EAC, HBGF, BestOf
    >>> best = BestOf(n_clusters=2, methods=[EAC(), HBGF()], random_state=0).fit(labels)
    >>> best.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> [round(score, 2) for score in best.scores_]
    [0.81, 0.81]
    """

    _slow = True
    _parameter_constraints = rules(methods=[list, tuple, None])

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        methods: Sequence[BaseEstimator] | None = None,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.methods = methods

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        methods = [CSPA(), HGPA(), MCLA()] if self.methods is None else list(self.methods)
        if not methods:
            raise ValueError("methods is empty: there is nothing to choose from")
        for method in methods:
            if not hasattr(method, "fit_predict") or isinstance(method, type):
                raise ValueError(
                    f"methods holds {method!r}; expected consensus estimators, such as [EAC(), "
                    "HBGF()]"
                )
        self.methods_ = []
        for method, seed in zip(
            methods, spawn_seeds(self.random_state, len(methods)), strict=True
        ):
            given = {"n_clusters": self.n_clusters}
            if "random_state" in method.get_params() and method.random_state is None:
                given["random_state"] = seed
            self.methods_.append(clone(method).set_params(**given).fit(ensemble))
        self.scores_ = [anmi(m.labels_, ensemble) for m in self.methods_]
        self.best_ = self.methods_[int(np.argmax(np.round(self.scores_, 12)))]
        return self.best_.labels_
