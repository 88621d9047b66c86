"""Multilevel bisection of hypergraphs, again and again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array

COARSE_VERTICES = 100  # the coarsest hypergraph has about so many
N_STARTS = 10  # bisections of the coarsest hypergraph of which the best goes on
HEAVIEST = 1 / 20  # share of all weight that a coarse vertex may have
LEAST_REDUCTION = 0.05  # coarsening ends when a level has so few vertices less
PASSES_COARSE, PASSES = 10, 4
PATIENCE = 0.01  # share of the vertices that move in vain before a pass ends
LEAST_PATIENCE = 50


class Level(NamedTuple):
    """A hypergraph, and to which vertex of the next coarser one its vertices belong."""

    edges: csc_array
    vertices: csr_array  # the same by rows
    copies: np.ndarray
    weights: np.ndarray
    group: np.ndarray | None = None


def multilevel_bisection(
    edges: csr_array,
    copies: np.ndarray,
    n_clusters: int,
    weights: np.ndarray,
    imbalance: float,
    seed: int,
    split: bool,
) -> np.ndarray:
    """Bisect a hypergraph until there are n_clusters parts.

    A part weighs at most (1 + imbalance) times its share in each bisection.  Of hyperedges that
    were cut the rest inside each side counts on if `split`, and nothing otherwise.
    """
    rng = np.random.default_rng(seed)
    labels = np.zeros(len(weights), dtype=np.int64)
    _divide(
        csc_array(edges),
        copies,
        weights,
        np.arange(len(weights)),
        n_clusters,
        labels,
        imbalance=imbalance,
        split=split,
        rng=rng,
    )
    return labels


def _divide(
    edges: csc_array,
    copies: np.ndarray,
    weights: np.ndarray,
    members: np.ndarray,
    n_clusters: int,
    labels: np.ndarray,
    *,
    imbalance: float,
    split: bool,
    rng: np.random.Generator,
) -> None:
    """Number the parts of some vertices from the label on that these have."""
    if n_clusters == 1:
        return
    if len(members) <= n_clusters:
        labels[members] += np.arange(len(members))
        return
    n_left = n_clusters // 2
    side = _bisect(edges, copies, weights, n_left / n_clusters, imbalance, rng)
    labels[members[side == 1]] += n_left
    rows = csr_array(edges)
    sizes = np.diff(edges.indptr)
    for half, n_parts in ((0, n_left), (1, n_clusters - n_left)):
        inside = np.flatnonzero(side == half)
        inner = csc_array(rows[inside])
        left = np.diff(inner.indptr)
        kept = (left > 1) & (split | (left == sizes))
        _divide(
            inner[:, kept],
            copies[kept],
            weights[inside],
            members[inside],
            n_parts,
            labels,
            imbalance=imbalance,
            split=split,
            rng=rng,
        )


def _bisect(
    edges: csc_array,
    copies: np.ndarray,
    weights: np.ndarray,
    share: float,
    imbalance: float,
    rng: np.random.Generator,
) -> np.ndarray:
    """Sides of the vertices: the first has about `share` of all weight."""
    from consens._kernels.hypergraph import refine_bisection

    total = weights.sum()
    high = (1 + imbalance) * share * total
    low = total - (1 + imbalance) * (1 - share) * total
    levels = _coarsen(edges, copies, weights, rng)

    def refine(level: Level, side: np.ndarray, patience: int, passes: int) -> int:
        n = len(level.weights)
        arrays = (level.edges.indptr, level.edges.indices, level.vertices.indptr)
        return refine_bisection(
            *arrays,
            level.vertices.indices,
            level.copies,
            level.weights,
            side,
            low,
            high,
            rng.permutation(n),
            patience,
            passes,
        )

    coarsest = levels[-1]
    n = len(coarsest.weights)
    best, least = np.zeros(n, dtype=np.int64), np.inf
    for _ in range(N_STARTS):
        order = rng.permutation(n)
        side = np.ones(n, dtype=np.int64)
        side[order[np.cumsum(coarsest.weights[order]) <= share * total]] = 0
        cut = refine(coarsest, side, n, PASSES_COARSE)
        if cut < least:
            best, least = side, cut
    side = best
    for level in levels[-2::-1]:
        side = side[level.group]
        refine(level, side, max(LEAST_PATIENCE, int(PATIENCE * len(side))), PASSES)
    return side


def _coarsen(
    edges: csc_array, copies: np.ndarray, weights: np.ndarray, rng: np.random.Generator
) -> list[Level]:
    """The hypergraph and coarser ones of it, each of groups of vertices of the one before."""
    from consens._kernels.hypergraph import group_by_first_choice

    levels = [_level(edges, copies, weights)]
    most = max(float(weights.max()), HEAVIEST * float(weights.sum()))
    while (n := len(levels[-1].weights)) > COARSE_VERTICES:
        now = levels[-1]
        group, n_groups = group_by_first_choice(
            now.edges.indptr,
            now.edges.indices,
            now.vertices.indptr,
            now.vertices.indices,
            now.copies,
            now.weights,
            rng.permutation(n),
            most,
        )
        if n_groups > (1 - LEAST_REDUCTION) * n:
            break
        levels[-1] = now._replace(group=group)
        ones = np.ones(n, dtype=np.int64)
        joined = csr_array((ones, (group, np.arange(n))), shape=(n_groups, n))
        coarse = csc_array(joined @ now.edges)
        kept = np.diff(coarse.indptr) > 1
        coarse = coarse[:, kept]
        load = np.bincount(group, now.weights, minlength=n_groups)
        levels.append(_level(coarse, now.copies[kept], load))
    return levels


def _level(edges: csc_array, copies: np.ndarray, weights: np.ndarray) -> Level:
    """A level whose indices have one type, so that kernels are compiled once."""
    vertices = csr_array(edges)
    for matrix in (edges, vertices):
        matrix.indptr = matrix.indptr.astype(np.int64, copy=False)
        matrix.indices = matrix.indices.astype(np.int64, copy=False)
    return Level(edges, vertices, copies, weights)
