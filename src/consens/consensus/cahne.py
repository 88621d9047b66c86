"""Clustering ensembles based on normalised edges (Li, Yu, Hao and Li 2007)."""

from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from consens._blocks import row_blocks
from consens._labels import PairCounts, pair_seconds, unique_rows
from consens._params import BOOLEAN_RULE, Interval, rules
from consens._support.memory import require_memory, warn_of_time
from consens._support.seeds import Seed
from consens.consensus._base import BaseConsensus
from consens.ensemble import Ensemble
from consens.evidence.coassociation import group_coassociation
from consens.partition.linkage import SLACK, Pairs, chain
from consens.partition.tree import merge_table, order_merges

SAMPLE_ROWS = 2000  # size of the sample that estimates the number of edges


class CAHNE(BaseConsensus):
    """Normalised edges: merges groups with many frequent pairs between them, relative to size.

    Two objects have an edge if more than a share θ of the partitions put them together (Eq. 2).
    The method repeatedly merges the two groups with the largest normalised edges

        NE(A, B) = edges(A, B) / ((n_A + n_B)^(1+f) - n_A^(1+f) - n_B^(1+f))          (3)

    with f = (1 - θ) / (1 + θ): the number of edges over the number expected for these sizes.
    Groups of any shape grow along chains of similar objects, as with single link, but a few stray
    edges do not join large groups.

    {n_clusters}
    threshold : float in [0, 1)
        θ; the paper uses 0.3 and finds that 0.1 to 0.4 work.
    complete : bool
        What to do if no edges are left but more than `n_clusters` groups.  True merges the groups
        with the largest mean co-association; False stops with more clusters, as in the paper.
    {unseeded}
    merges_ : ndarray of shape (number of merges, 4)
        Over the objects with a cluster in at least one partition: the two nodes merged (node
        n + t is the union that merge t made), their normalised edges, and the size of the union.
        The values are not monotone, so this is not a dendrogram; 0 for merges without edges.
    n_edges_ : int
        Pairs of objects with an edge.
    {combined}

    Notes
    -----
    Use it for clusters of any shape with stray objects between them, which single link would join,
    on members with more clusters than the data.  Avoid it beyond about ten thousand objects.

    The number of clusters of the partitions matters more than θ: well above that of the data if
    clusters are not round.  Ties are broken as in `EAC`.

    O(u² M) time for the edges of u distinct label rows, and O(n² + E) to O(n E) for the merges of
    n objects with E edges; 20 bytes per edge and direction, refused when that does not fit.

    {li_2007}

    {five_objects}
    >>> from consens.consensus import CAHNE
    >>> model = CAHNE(n_clusters=2).fit(labels)
    >>> model.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> model.merges_.round(2)
    array([[0.  , 1.  , 1.11, 2.  ],
           [2.  , 5.  , 1.32, 3.  ],
           [3.  , 4.  , 1.11, 2.  ]])
    """

    _parameter_constraints = rules(
        threshold=[Interval(Real, 0, 1, closed="left")], complete=BOOLEAN_RULE
    )

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        threshold: float = 0.3,
        complete: bool = True,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.threshold = threshold
        self.complete = complete

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        n = len(ensemble)
        theta = float(self.threshold)
        graph = threshold_graph(ensemble, theta)
        self.n_edges_ = graph.nnz // 2
        f = (1 - theta) / (1 + theta)
        merges = normalized_edges(graph, int(self.n_clusters), 1 + f)
        groups = _groups(merges, n)
        missing = int(groups.max()) + 1 - int(self.n_clusters)
        if self.complete and missing > 0:
            more = _by_mean_coassociation(ensemble, groups, missing)
            merges = Pairs(*(np.concatenate(parts) for parts in zip(merges, more, strict=True)))
            groups = _groups(merges, n)
        self.merges_ = merge_table(*merges, n)
        return groups


def threshold_graph(ensemble: Any, threshold: float) -> csr_array:
    """Unweighted graph of the pairs whose co-association is larger than a threshold θ (Eq. 2).

    Integers are compared, with the threshold as a decimal number: 9 of 30 is not more than 0.3.
    O(u² M) time for the u distinct label rows; 10 bytes per directed edge.
    """
    labels = Ensemble.from_labels(ensemble).matrix
    rows, inverse, counts = unique_rows(labels)
    # smallest number of members above the threshold if 0, 1, ..., M members saw both
    share = Fraction(threshold).limit_denominator(10**6)
    least = np.array([int(share * seen) + 1 for seen in range(labels.shape[1] + 1)])
    if len(rows) > SAMPLE_ROWS:
        sample = np.linspace(0, len(labels) - 1, SAMPLE_ROWS).astype(np.int64)
        n_edges = len(_pairs_of_rows(labels[sample], least)[0]) * (len(labels) / SAMPLE_ROWS) ** 2
        _require_edges(n_edges, threshold)
        warn_of_time(
            pair_seconds(len(rows), labels.shape[1], 2) + 1e-6 * n_edges,
            f"merging {len(labels)} objects by their frequent pairs",
            "combine prototypes of the objects, or use LWGP or SEC, which take linear time",
        )
    pairs = _pairs_of_rows(rows, least)
    _require_edges(counts[pairs[0]] @ counts[pairs[1]], threshold)
    return _expand(pairs, inverse, counts)


def _require_edges(n_edges: float, threshold: float) -> None:
    require_memory(
        20.0 * n_edges,
        f"the graph of {n_edges:.0f} pairs with co-association > {threshold}",
        "use a larger threshold, members with more clusters, or prototypes of the objects",
    )


def _pairs_of_rows(rows: np.ndarray, least: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs (a, b) of distinct rows with an edge, in both directions and including a = b."""
    n = len(rows)
    counts = PairCounts(rows)
    found = []
    for block in row_blocks(n, bytes_per_row=16 * n):
        together, needed = counts.together(block), least[counts.seen(block)]
        a, b = np.divmod(np.flatnonzero(together >= needed), n)
        found.append(((a + block.start).astype(np.int32), b.astype(np.int32)))
    return np.concatenate([a for a, _ in found]), np.concatenate([b for _, b in found])


def _expand(
    pairs: tuple[np.ndarray, np.ndarray], inverse: np.ndarray, counts: np.ndarray
) -> csr_array:
    """Expand edges between distinct rows to edges between objects."""
    n, u = len(inverse), len(counts)
    rows = csr_array((np.ones(len(pairs[0]), dtype=np.int8), pairs), shape=(u, u))
    holds = csr_array((np.ones(n, dtype=np.int8), inverse, np.arange(n + 1)), shape=(n, u))
    graph = rows if n == u else (holds @ (rows @ holds.T.tocsr())).tocsr()
    graph.setdiag(0)
    graph.eliminate_zeros()
    graph.sort_indices()
    return graph


def normalized_edges(graph: csr_array, n_clusters: int, exponent: float) -> Pairs:
    """Merges by Eq. 3 with 1 + f as exponent, as pairs of the first vertices of the groups."""
    from consens._kernels.normalized_edges import agglomerate

    power = np.arange(graph.shape[0] + 2, dtype=np.float64) ** exponent
    indices = graph.indices.astype(np.int32, copy=True)
    return Pairs(*agglomerate(graph.indptr.astype(np.int64), indices, power, n_clusters))


def _groups(merges: Pairs, n: int) -> np.ndarray:
    """Group of each object; groups are numbered by first object."""
    joined = coo_array((np.ones(len(merges.first)), merges[:2]), shape=(n, n))
    return connected_components(joined, directed=False)[1]


def _by_mean_coassociation(ensemble: Ensemble, groups: np.ndarray, number: int) -> Pairs:
    """First merges of average link on groups that have no edges between them."""
    sizes = np.bincount(groups).astype(np.float64)
    sums = group_coassociation(ensemble, groups) * sizes[:, None] * sizes
    merges = chain(sums, sizes, "average", SLACK)
    order = order_merges(*merges, slack=SLACK)[:number]
    objects = np.unique(groups, return_index=True)[1]
    return Pairs(objects[merges.first[order]], objects[merges.second[order]], np.zeros(number))
