"""Multilevel recursive bisection of hypergraphs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array

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


def multilevel_bisection(
    edges: csr_array,
    copies: np.ndarray,
    weights: np.ndarray,
    n_clusters: int,
    imbalance: float,
    rng: np.random.Generator,
    split: bool,
) -> np.ndarray:
    """Bisect a hypergraph until there are n_clusters parts.

    A part weighs at most (1 + imbalance) times its share in each bisection.  If `split`, the
    pieces of a cut hyperedge count inside each side; otherwise it is dropped.
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
        kept = (left > 1) & (split | (left == sizes))
        labels[inside] = start + multilevel_bisection(
            inner[:, kept], copies[kept], weights[inside], n_parts, imbalance, rng, split
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
    from consens._kernels.hypergraph import refine_bisection

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
    from consens._kernels.hypergraph import Hypergraph, group_by_first_choice

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
