"""Hybrid bipartite graph formulation (Fern and Brodley 2004)."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from consens._labels import indicator, unique_rows
from consens._params import BOOLEAN_RULE, one_of, rules
from consens._support.seeds import Seed, spawn_seeds
from consens.consensus._base import BaseConsensus
from consens.consensus._soft import SoftRows
from consens.ensemble import Ensemble
from consens.evidence.bipartite import Bipartite
from consens.evidence.coordinates import SoftBipartite, relative_coordinates
from consens.partition.bipartite_cut import metis_bipartite


class HBGF(BaseConsensus):
    """Hybrid bipartite graph: partitions objects and clusters together.

    An edge joins an object to each cluster that contains it: with B the indicator of objects by
    all clusters, the graph has the weights

        W = ( 0   B )
            ( B'  0 ).

    Neither similarity is reduced to the other, unlike in CSPA and MCLA.

    {n_clusters}
    partitioner : {"spectral", "metis"}
        "spectral" is the normalised cut, solved on the side of the clusters, in time linear in n;
        "metis" gives parts of about equal size.
    imbalance : float
        With "metis", a part may weigh (1 + imbalance) times its fair share, as in `CSPA`.
    {soft}
    {seed}

    {attributes}
    {cluster_labels_}
    {combined}

    Notes
    -----
    Use it for large n and members of about equal quality.  If their quality differs, `LWGP` is
    the same cut with weights; if parts must have about equal size, use ``partitioner="metis"``.

    Noise and missing labels have no edges.  With "metis" equal objects are one vertex, and so are
    equal clusters, which together weigh as much as the objects.

    Spectral: O(n M²) time for the contingency of clusters plus O(n M k); O(n (M + k)) memory.
    METIS: about O(n M) time with a large constant.

    References
    ----------
    X. Fern and C. Brodley, "Solving cluster ensemble problems by bipartite graph partitioning",
    ICML 2004. doi:10.1145/1015330.1015414

    {punera_ghosh_2008}

    {five_objects}
    >>> from consens.consensus import HBGF
    >>> hbgf = HBGF(n_clusters=2, random_state=0).fit(labels)
    >>> hbgf.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> hbgf.cluster_labels_
    array([0, 1, 0, 1, 1, 0])
    """

    _in_blocks = True
    _instead_of_blocks = "use partitioner='spectral', "

    _parameter_constraints = rules(partitioner=one_of("spectral", "metis"), soft=BOOLEAN_RULE)

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        partitioner: str = "spectral",
        imbalance: float = 0.25,
        soft: bool = False,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.partitioner = partitioner
        self.imbalance = imbalance
        self.soft = soft

    def _takes_blocks(self) -> bool:
        return self._in_blocks and self.partitioner == "spectral"

    def _combine(self, ensemble: Ensemble) -> Any:
        if self.partitioner == "spectral":
            if self.soft:
                return self._transfer_cut(SoftBipartite(relative_coordinates(ensemble)))
            return self._transfer_cut(Bipartite(ensemble))
        unique: Any = SoftRows.of(ensemble) if self.soft else unique_rows(ensemble.matrix)
        edges = csr_array(unique.memberships) if self.soft else indicator(unique.rows)
        edges.data *= np.repeat(unique.counts, np.diff(edges.indptr))
        done = metis_bipartite(
            edges,
            self.n_clusters,
            object_weights=unique.counts,
            imbalance=self.imbalance,
            seed=spawn_seeds(self.random_state, 1)[0],
        )
        self.cluster_labels_ = done.clusters
        return done.objects[unique.inverse]
