"""Weighted similarity partitioning (Domeniconi and Al-Razgan 2009)."""

import numpy as np

from consens._labels import MISSING, has_code
from consens._params import one_of, rules
from consens._support.memory import require_memory
from consens._support.seeds import Seed, spawn_seeds
from consens.consensus._base import BaseConsensus
from consens.ensemble import Ensemble
from consens.evidence.coordinates import unit_coordinates, weighted_coassociation
from consens.generate import LACEnsemble
from consens.partition import metis, spectral_cut
from consens.partition.spectral import spectral_cut_of_product

METIS_BYTES = 60  # per pair of objects: the matrix, METIS's graph of it, and METIS's own copies


class CoordinateConsensus(BaseConsensus):
    """Base of methods that partition a graph of relative coordinates P(C | x)."""

    n_clusters: int

    _parameter_constraints = rules(partitioner=one_of("metis", "spectral"))

    def default_generator(self) -> LACEnsemble:
        """Return an ensemble with feature weights and as many clusters as the consensus."""
        return LACEnsemble(self.n_clusters)


class WSPA(CoordinateConsensus):
    """Weighted similarity: partitions the graph of mean similarities of P(C | x).

    In every member an object has relative coordinates P_i = (P(C_1 | x_i), ..., P(C_k | x_i)),
    estimated from its distances to the weighted centres (Eqs. 6 and 7).  The complete graph with
    the mean cosines Ψ of P_i and P_j (Eqs. 8 and 10) is partitioned.  So certainty counts, unlike
    in `CSPA`.

    {n_clusters}
    similarity : {"cosine", "kl"}
        "kl": 1 - d_ij / max d with the symmetric Kullback-Leibler divergence d (Eq. 9).
    partitioner : {"spectral", "metis"}
        "spectral" (Ng, Jordan and Weiss) allows clusters of any size; "metis" minimises the
        weight cut between parts of about equal size.
    imbalance : float
        With "metis", a part may hold (1 + imbalance) times its fair share of the objects: little,
        because METIS uses all of it here.  Published results correspond to equal parts: 0.001.
    smoothing : float or "auto"
        The constant in Eq. 6, by default the mean distance between the centres of a member, and 1
        in the paper.  See `relative_coordinates`.
    {seeded}
    {combined}

    Notes
    -----
    Use it with members that weight features, for clusters in different subspaces.  The ensemble
    must come from `generate.LACEnsemble`, or hold soft memberships.

    With K clusters in total: Ψ takes O(n² K) time and 8 n² bytes, with METIS 60 n² bytes, refused
    if they do not fit; `WBPA` needs no such matrix.  "spectral" with the cosine is exact in O(n
    K²) time and O(n K) memory.

    {domeniconi_2009}

    {lac_members}
    >>> from consens.consensus import WSPA
    >>> WSPA(n_clusters=2, random_state=0).fit_predict(E)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    _parameter_constraints = rules(similarity=one_of("cosine", "kl"))

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        similarity: str = "cosine",
        partitioner: str = "spectral",
        imbalance: float = 0.03,
        smoothing: float | str = "auto",
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.similarity = similarity
        self.partitioner = partitioner
        self.imbalance = imbalance
        self.smoothing = smoothing

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        n, k = len(ensemble), int(self.n_clusters)
        [seed] = spawn_seeds(self.random_state, 1)
        if self.partitioner == "metis":
            require_memory(
                METIS_BYTES * float(n) * n,
                f"METIS on the complete graph of {n} objects",
                "use partitioner='spectral', which needs memory linear in their number, or WBPA",
            )
            graph = weighted_coassociation(ensemble, self.similarity, self.smoothing)
            return metis(graph, k, imbalance=self.imbalance, seed=seed)
        if self.similarity == "cosine" and not has_code(ensemble.labels, MISSING):
            return spectral_cut_of_product(
                unit_coordinates(ensemble, self.smoothing), k, seed=seed
            )
        graph = weighted_coassociation(ensemble, self.similarity, self.smoothing)
        return spectral_cut(graph, k, seed=seed)
