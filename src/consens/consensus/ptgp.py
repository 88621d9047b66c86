"""Probability trajectory based graph partitioning (Huang, Lai and Wang 2016)."""

import numpy as np

from consens._labels import indicator
from consens._params import COUNT_RULE, rules
from consens._support.seeds import Seed
from consens.consensus._base import BaseConsensus
from consens.ensemble import Ensemble
from consens.evidence.trajectories import probability_trajectories


class PTGP(BaseConsensus):
    """Probability trajectories: cuts the graph of microclusters and clusters.

    Objects with equal labels form microclusters.  The weight between a microcluster and a cluster
    is the mean similarity of the microcluster to those in the cluster, where the similarity is the
    cosine of the probability trajectories of random walks.
    The bipartite graph is partitioned by a normalised cut, solved on the side of the clusters, in
    which k-means starts three times from random microclusters, as in the authors' program.

    {n_clusters}
    n_neighbors : int or None
        Number of elite neighbours K; None means min(20, ⌊√u / 2⌋) for u microclusters, but at
        least 2.
    n_steps : int or None
        Length of the walks T; None means the same number.
    {transfer_cut}
    {combined}

    Notes
    -----
    Use it like `PTA`, for up to a few thousand distinct rows of labels, if clusters should not
    depend on single merges.  What k-means finds depends on `random_state`.

    O(u² M + T K u²) time and 32 u² bytes for u distinct rows of labels.  Every microcluster counts
    once, whatever its size.  Missing labels as in `PTA`; a cluster consists of the microclusters
    whose labels name it.

    {huang_2016}

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from consens.consensus import PTGP
    >>> from consens.generate import KMeansEnsemble
    >>> X, _ = load_digits(n_class=3, return_X_y=True)
    >>> E = KMeansEnsemble(20, random_state=0).fit_transform(X)
    >>> np.bincount(PTGP(n_clusters=3, random_state=0).fit_predict(E))
    array([178, 166, 193])
    """

    _slow = True
    _parameter_constraints = rules(n_neighbors=[*COUNT_RULE, None], n_steps=[*COUNT_RULE, None])

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_neighbors: int | None = None,
        n_steps: int | None = None,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.n_neighbors = n_neighbors
        self.n_steps = n_steps

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        rows, similarity = probability_trajectories(ensemble, self.n_neighbors, self.n_steps)
        inside = indicator(rows.rows)
        weights = (inside.T @ similarity).T / np.maximum(inside.sum(axis=0), 1)
        return self._transfer_cut(weights, start="objects", n_init=3)[rows.inverse]
