"""Graph of the pairs of objects that more than a given share of the partitions put together."""

from fractions import Fraction
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from consens._blocks import row_blocks
from consens._labels import PairCounts, pair_seconds, unique_rows
from consens._support.memory import require_memory, warn_of_time
from consens.ensemble import Ensemble

SAMPLE_ROWS = 2000  # size of the sample that estimates the number of edges


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
