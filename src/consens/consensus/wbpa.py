"""Weighted bipartite partitioning (Domeniconi and Al-Razgan 2009)."""

from typing import Any

import numpy as np
from scipy.sparse import block_array

from consens._blocks import in_blocks
from consens._params import BOOLEAN_RULE, one_of, rules
from consens._support.memory import require_memory
from consens._support.seeds import Seed, spawn_seeds
from consens.consensus.wspa import CoordinateConsensus
from consens.ensemble import Ensemble
from consens.evidence.coordinates import SoftBipartite, informed_members, relative_coordinates
from consens.partition import spectral_cut
from consens.partition.bipartite_cut import BipartiteCut, metis_bipartite, transfer_cut

# per object and cluster: coordinates, the graph, and its copies inside the partitioner
EDGE_BYTES = {"metis": 240, "joint": 60, "spectral": 8}


class WBPA(CoordinateConsensus):
    """Weighted bipartite graph: partitions objects and clusters together by P(C | x).

    Every object is joined to every cluster of every member, with the weight P(C | x) estimated
    from its distance to the weighted centre: A = (P^1 ... P^m), objects by all clusters
    (Eqs. 6 and 11).  The graph is partitioned into `n_clusters` parts.  `HBGF` is the limit of
    probabilities 0 and 1.

    {n_clusters}
    partitioner : {"spectral", "joint", "metis"}
        "spectral" is the normalised cut, solved on the side of the clusters, in time linear in n;
        "joint" clusters objects and clusters together, as in the paper; "metis" minimises the
        weight cut between parts of about equal size.
    imbalance : float
        With "metis", a part may hold (1 + imbalance) times its fair share of the objects: little,
        as in `WSPA`.
    smoothing : float or "auto"
        As in `WSPA`.
    drop_degenerate : bool
        Leave out members with a degenerate cluster, unless all have one: a cluster whose weights
        are all equal, or with less than a twentieth of an even share of the objects.
    {seed}

    {attributes}
    {cluster_labels_}
    {combined}

    Notes
    -----
    Use it with members that weight features (`generate.LACEnsemble`), for clusters in different
    subspaces, also for large n; `WSBPA` also finds which features matter to each.

    With K clusters in total, "spectral": O(n K²) time and 8 n K bytes; "metis": about O(n K) time
    with a large constant and 240 n K bytes.

    {domeniconi_2009}

    {lac_members}
    >>> from consens.consensus import WBPA
    >>> wbpa = WBPA(n_clusters=2, random_state=0).fit(E)
    >>> wbpa.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> wbpa.cluster_labels_
    array([0, 1, 0, 1, 0, 1])
    """

    _in_blocks = True
    _instead_of_blocks = "use partitioner='spectral', "

    _parameter_constraints = rules(
        partitioner=one_of("metis", "spectral", "joint"), drop_degenerate=BOOLEAN_RULE
    )

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        partitioner: str = "spectral",
        imbalance: float = 0.03,
        smoothing: float | str = "auto",
        drop_degenerate: bool = True,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.partitioner = partitioner
        self.imbalance = imbalance
        self.smoothing = smoothing
        self.drop_degenerate = drop_degenerate

    def _takes_blocks(self) -> bool:
        return self._in_blocks and self.partitioner == "spectral"

    def _combine(self, ensemble: Ensemble) -> Any:
        soft = any("memberships" in entries for entries in ensemble.payload)
        largest = None if soft else 1.0
        members = self._members(ensemble)
        coordinates = relative_coordinates(ensemble[:, members], self.smoothing)
        done = self._cut(coordinates, largest)
        self.cluster_labels_ = pad_parts(ensemble, members, coordinates, done.clusters)
        return done.objects

    def _members(self, ensemble: Ensemble) -> np.ndarray:
        if self.drop_degenerate:
            return informed_members(ensemble)
        return np.arange(ensemble.shape[1])

    def _cut(self, coordinates: list[Any], largest: float | None = None) -> BipartiteCut:
        """Partition objects and clusters of the graph A (Eq. 11)."""
        [seed] = spawn_seeds(self.random_state, 1)
        n, n_columns = len(coordinates[0]), sum(own.shape[1] for own in coordinates)
        if not in_blocks(coordinates[0]):
            require_memory(
                float(EDGE_BYTES[self.partitioner]) * n * n_columns,
                f"the graph of {n} objects and {n_columns} clusters",
                "use partitioner='spectral' or fewer members",
            )
        if self.partitioner == "spectral":
            return transfer_cut(SoftBipartite(coordinates, largest), self.n_clusters, seed=seed)
        A = np.hstack(coordinates)
        if self.partitioner == "joint":
            graph = block_array([[None, A], [A.T, None]], format="csr")
            labels = spectral_cut(graph, self.n_clusters, seed=seed)
            return BipartiteCut(labels[:n], labels[n:])
        return metis_bipartite(A, self.n_clusters, imbalance=self.imbalance, seed=seed)


def pad_parts(
    ensemble: Ensemble, members: np.ndarray, coordinates: list[Any], parts: np.ndarray
) -> np.ndarray:
    """Extend the parts of the clusters of some members to all members by -1."""
    sizes = np.array([len(entries.get("weights", ())) for entries in ensemble.payload])
    sizes[members] = [own.shape[1] for own in coordinates]
    padded = np.full(sizes.sum(), -1, dtype=parts.dtype)
    padded[np.repeat(np.isin(np.arange(len(sizes)), members), sizes)] = parts
    return padded
