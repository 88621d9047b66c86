"""HGPA by multilevel recursive bisection, as close as possible to the published program, hMETIS.

Vertices that share small hyperedges are grouped until about 100 groups are left, the best of ten
random bisections of these is refined by passes of Fiduccia and Mattheyses, level by level, and
both sides are bisected again.  If every balanced bisection cuts most hyperedges, it finds poor
cuts, as hMETIS does; so the library itself cuts hypergraphs by METIS and single moves.

G. Karypis, R. Aggarwal, V. Kumar and S. Shekhar, "Multilevel hypergraph partitioning: applications
in VLSI domain", IEEE Trans. VLSI Syst. 7(1), 1999. doi:10.1109/92.748202
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array

from consens._labels import fill_empty, first_seen_order, indicator, unique_rows
from consens._support.seeds import spawn_seeds
from consens.consensus import HGPA
from consens.ensemble import Ensemble
from consens.partition.graph import check_factor, check_vertex_weights, group_components
from consens.partition.hypergraph import canonical_hypergraph
from studies._bisection import Hypergraph, group_by_first_choice, refine_bisection

COARSE_VERTICES = 100  # approximate size of the coarsest hypergraph
N_STARTS = 10  # random bisections of the coarsest hypergraph; the best is refined
HEAVIEST = 1 / 20  # largest share of the total weight in one coarse vertex
LEAST_REDUCTION = 0.05  # coarsening ends when a level removes fewer vertices than this share
PASSES_COARSE, PASSES = 10, 4
PATIENCE = 0.01  # share of the vertices that may move without gain before a pass ends
LEAST_PATIENCE = 50


class Level(NamedTuple):
    """A hypergraph, and the vertex of the next coarser one that each vertex belongs to."""

    edges: csc_array
    graph: Any  # the form that kernels take
    group: np.ndarray | None = None


class BisectionHGPA(HGPA):
    """HGPA that cuts few hyperedges by recursive bisection.

    An imbalance of 0.1 allows sides of 45 and 55 % in every bisection.
    """

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        at_least = self.n_clusters if self.merge_equal else len(ensemble) + 1
        rows, inverse, counts = unique_rows(ensemble.labels, at_least)
        seed = spawn_seeds(self.random_state, 1)[0]
        return bisection_cut(indicator(rows), self.n_clusters, counts, self.imbalance, seed)[
            inverse
        ]


def bisection_cut(
    incidence: Any,
    n_clusters: int,
    vertex_weights: Any = None,
    imbalance: float = 0.05,
    seed: int = 0,
) -> np.ndarray:
    """Cut a hypergraph into parts so that few hyperedges are cut."""
    incidence = check_factor(csr_array(incidence) != 0)
    n = incidence.shape[0]
    weights = check_vertex_weights(vertex_weights, n)
    graph = canonical_hypergraph(incidence, weights)
    if not len(graph.copies) or n_clusters in (1, n):
        return first_seen_order(group_components(np.arange(n), weights, n_clusters))
    edges, copies, weights, order = graph
    rng = np.random.default_rng(seed)
    parts = multilevel_bisection(edges, copies, weights, n_clusters, imbalance, rng)
    labels = np.empty(n, dtype=np.int64)
    labels[order] = fill_empty(parts, np.diff(edges.indptr), n_clusters)
    return first_seen_order(labels)


def multilevel_bisection(
    edges: csr_array,
    copies: np.ndarray,
    weights: np.ndarray,
    n_clusters: int,
    imbalance: float,
    rng: np.random.Generator,
) -> np.ndarray:
    """Bisect a hypergraph until there are n_clusters parts; cut hyperedges are dropped.

    A part weighs at most (1 + imbalance) times its share in each bisection.
    """
    n = len(weights)
    if n_clusters == 1:
        return np.zeros(n, dtype=np.int64)
    if n <= n_clusters:
        return np.arange(n)
    n_left = n_clusters // 2
    side = _bisect(csc_array(edges), copies, weights, n_left / n_clusters, imbalance, rng)
    labels = np.empty(n, dtype=np.int64)
    rows, sizes = csr_array(edges), np.diff(csc_array(edges).indptr)
    for half, start, n_parts in ((0, 0, n_left), (1, n_left, n_clusters - n_left)):
        inside = np.flatnonzero(side == half)
        inner = csc_array(rows[inside])
        left = np.diff(inner.indptr)
        kept = (left > 1) & (left == sizes)
        labels[inside] = start + multilevel_bisection(
            inner[:, kept], copies[kept], weights[inside], n_parts, imbalance, rng
        )
    return labels


def _bisect(
    edges: csc_array,
    copies: np.ndarray,
    weights: np.ndarray,
    share: float,
    imbalance: float,
    rng: np.random.Generator,
) -> np.ndarray:
    """Side (0 or 1) of each vertex; side 0 has about `share` of the weight."""
    total = weights.sum()
    high = (1 + imbalance) * share * total
    low = total - (1 + imbalance) * (1 - share) * total
    *finer, coarsest = _coarsen(edges, copies, weights, rng)
    n = len(coarsest.graph.weights)
    best, least = np.zeros(n, dtype=np.int64), np.inf
    for _ in range(N_STARTS):
        order = rng.permutation(n)
        side = np.ones(n, dtype=np.int64)
        side[order[np.cumsum(coarsest.graph.weights[order]) <= share * total]] = 0
        order = rng.permutation(n)
        cut = refine_bisection(coarsest.graph, side, low, high, order, n, PASSES_COARSE)
        if cut < least:
            best, least = side, cut
    side = best
    for level in reversed(finer):
        side = side[level.group]
        patience = max(LEAST_PATIENCE, int(PATIENCE * len(side)))
        order = rng.permutation(len(side))
        refine_bisection(level.graph, side, low, high, order, patience, PASSES)
    return side


def _coarsen(
    edges: csc_array, copies: np.ndarray, weights: np.ndarray, rng: np.random.Generator
) -> list[Level]:
    """The hypergraph and successively coarser ones, whose vertices are groups of vertices."""

    def level_of(edges: csc_array, copies: np.ndarray, weights: np.ndarray) -> Level:
        rows = csr_array(edges)
        indices = edges.indptr, edges.indices, rows.indptr, rows.indices
        # one type, so that kernels are compiled once
        starts, pins, own_starts, own = (array.astype(np.int64, copy=False) for array in indices)
        return Level(edges, Hypergraph(starts, pins, own_starts, own, copies, weights))

    levels = [level_of(edges, copies, weights)]
    most = max(float(weights.max()), HEAVIEST * float(weights.sum()))
    while (n := levels[-1].edges.shape[0]) > COARSE_VERTICES:
        now = levels[-1]
        group, n_groups = group_by_first_choice(now.graph, rng.permutation(n), most)
        if n_groups > (1 - LEAST_REDUCTION) * n:
            break
        levels[-1] = now._replace(group=group)
        ones = np.ones(n, dtype=np.int64)
        joined = csr_array((ones, (group, np.arange(n))), shape=(n_groups, n))
        coarse = csc_array(joined @ now.edges)
        kept = np.diff(coarse.indptr) > 1
        load = np.bincount(group, now.graph.weights, minlength=n_groups)
        levels.append(level_of(coarse[:, kept], now.graph.copies[kept], load))
    return levels
