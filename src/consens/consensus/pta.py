"""Probability trajectory accumulation (Huang, Lai and Wang 2016)."""

import numpy as np

from consens._params import COUNT_RULE, rules
from consens._support.seeds import Seed
from consens.consensus._base import BaseConsensus
from consens.ensemble import Ensemble
from consens.evidence.trajectories import probability_trajectories
from consens.partition import cut
from consens.partition import linkage as agglomerate


class PTA(BaseConsensus):
    """Probability trajectories: agglomerates objects from which random walks go the same way.

    Objects with equal labels form microclusters.  On the graph of their co-association with K
    elite neighbours each, the similarity of two is the cosine of the probability trajectories of
    random walks of T steps.  It is agglomerated; every microcluster counts once, whatever its
    size.

    {n_clusters}
    linkage : {"average", "single", "complete"}
        PTA-AL, PTA-SL and PTA-CL.
    n_neighbors : int or None
        K; None means min(20, ⌊√u / 2⌋) for u microclusters, but at least 2.
    n_steps : int or None
        T; None means the same number.
    {unseeded}
    {linkage_}
    {combined}

    Notes
    -----
    Use it for up to a few thousand distinct rows of labels, if members are noisy: walks along
    reliable edges smooth the co-association.

    O(u² M + T K u²) time and 32 u² bytes for u distinct rows of labels.  Components of the graph
    have similarity 0: cuts into fewer clusters are ties, broken as in `EAC`.

    {huang_2016}

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from consens.consensus import PTA
    >>> from consens.generate import KMeansEnsemble
    >>> X, _ = load_digits(n_class=3, return_X_y=True)
    >>> E = KMeansEnsemble(20, random_state=0).fit_transform(X)
    >>> np.bincount(PTA(n_clusters=3).fit_predict(E))
    array([178, 153, 206])
    """

    _parameter_constraints = rules(n_neighbors=[*COUNT_RULE, None], n_steps=[*COUNT_RULE, None])

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        linkage: str = "average",
        n_neighbors: int | None = None,
        n_steps: int | None = None,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.linkage = linkage
        self.n_neighbors = n_neighbors
        self.n_steps = n_steps

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        rows, similarity = probability_trajectories(ensemble, self.n_neighbors, self.n_steps)
        self.linkage_ = agglomerate(
            similarity, self.linkage, inverse=rows.inverse, count_copies=False, overwrite=True
        )
        return cut(self.linkage_, self.n_clusters)
