"""Hypergraph partitioning (Strehl and Ghosh 2002)."""

import numpy as np

from consens._labels import indicator, unique_rows
from consens._support.seeds import Seed, spawn_seeds
from consens.consensus._base import BaseConsensus
from consens.ensemble import Ensemble
from consens.partition.hypergraph import hypergraph_cut


class HGPA(BaseConsensus):
    """Hypergraph partitioning: divides the objects so that few clusters are split.

    Every cluster of every partition is a hyperedge over its objects.  The objects are divided
    into `n_clusters` parts of about equal size such that hyperedges span few parts::

        minimise Σ_h (number of parts that hyperedge h spans - 1)

    {n_clusters}
    imbalance : float
        A part may hold (1 + imbalance) times its fair share of the objects, as in `CSPA`.  Strehl
        and Ghosh allow sides of 45 and 55 % at every bisection, which is 0.1.
    {merge_equal}
    {seed}

    {attributes}
    {combined}

    Notes
    -----
    Use it for parts of equal size when there are many small clusters.  Published results
    correspond to ``merge_equal=False`` and ``imbalance=0.1`` with hMETIS, which minimises the
    number of cut hyperedges by recursive bisection.

    A hyperedge is cut or not, however many of its objects are on the other side, so this is the
    fastest of Strehl and Ghosh's three methods and the weakest on noisy partitions.

    Noise and missing labels are in no hyperedge.  About O(n M k) time, O(n M) memory.

    {strehl_ghosh_2002}

    {five_objects}
    >>> from consens.consensus import HGPA
    >>> HGPA(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        imbalance: float = 0.25,
        merge_equal: bool = True,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.imbalance = imbalance
        self.merge_equal = merge_equal

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        at_least = self.n_clusters if self.merge_equal else len(ensemble) + 1
        rows, inverse, counts = unique_rows(ensemble.labels, at_least)
        parts = hypergraph_cut(
            indicator(rows),
            self.n_clusters,
            vertex_weights=counts,
            imbalance=self.imbalance,
            seed=spawn_seeds(self.random_state, 1)[0],
        )
        return parts[inverse]
