"""Hypergraph partitioning (Strehl and Ghosh 2002)."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from consens.base import Seed, spawn_seeds
from consens.consensus._base import BaseConsensus
from consens.constraints import Interval, StrOptions
from consens.ensemble import Ensemble
from consens.labels import indicator, unique_rows
from consens.partition import hypergraph_cut


class HGPA(BaseConsensus):
    """Hypergraph partitioning: cuts the objects in parts so that few clusters are torn apart.

    Every cluster of every partition is a hyperedge over its objects.  The objects are divided in
    `n_clusters` parts of about equal size such that hyperedges reach few parts::

        minimise Σ_h (number of parts that hyperedge h reaches - 1)

    Parameters
    ----------
    n_clusters : int
    partitioner : {"metis", "kahypar"}
        What cuts the hypergraph: METIS on an expansion of it with a refinement of our own, or
        Mt-KaHyPar (``pip install 'consens[hypergraph]'``).  See
        `consens.partition.hypergraph_cut` for how far they differ.
    imbalance : float
        A part may hold (1 + imbalance) times its fair share of the objects.  Strehl and Ghosh
        let bisections differ by 5 %.
    random_state : int, RandomState or None

    Attributes
    ----------
    {labels_}
    {combined}

    Notes
    -----
    Use it to compare with published figures, or for parts of equal size when there are many small
    clusters.

    A hyperedge is cut or not, however many of its objects are on the other side; and with few
    large clusters all are cut by any partition that is off by a few objects.  So this is the
    weakest of Strehl and Ghosh's three methods on noisy partitions, and their fastest.

    Strehl and Ghosh count hyperedges that are cut; here a hyperedge costs the number of parts
    it reaches, less one, which is the same for two parts and tells more for several.

    Objects with equal labels are one vertex, equal clusters one hyperedge.  Noise and missing
    labels are in no hyperedge.  About O(n M k) time, O(n M) memory.

    {strehl_ghosh_2002}

    Examples
    --------
    >>> import numpy as np
    >>> from consens.consensus import HGPA
    >>> labels = np.array([[0, 0, 2], [0, 0, 2], [0, 1, 2], [1, 1, 0], [1, 1, 0]])
    >>> HGPA(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    n_clusters: int

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "partitioner": [StrOptions({"metis", "kahypar"})],
        "imbalance": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        partitioner: str = "metis",
        imbalance: float = 0.25,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.partitioner = partitioner
        self.imbalance = imbalance
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        rows, inverse, counts = unique_rows(ensemble.labels, at_least=self.n_clusters)
        parts = hypergraph_cut(
            indicator(rows),
            self.n_clusters,
            vertex_weights=counts,
            imbalance=self.imbalance,
            partitioner=self.partitioner,
            seed=spawn_seeds(self.random_state, 1)[0],
        )
        return parts[inverse]
