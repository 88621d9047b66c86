"""Passes over the merges of a tree; `consens.partition.tree` has plain versions."""

from __future__ import annotations

import numpy as np

from consens._kernels._njit import njit


@njit
def turns(rank: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Largest rank among each merge and the merges that made its groups."""
    waits = np.full(len(rank) + 1, -1)
    turn = np.empty_like(rank)
    for step in range(len(rank)):
        a, b = first[step], second[step]
        waits[a] = max(rank[step], waits[a], waits[b])
        turn[step] = waits[a]
    return turn


@njit
def nodes_and_sizes(
    first: np.ndarray, second: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes that each merge joins, and the size of the union."""
    node, size = np.arange(n), np.ones(n, np.int64)
    left, right, union = np.empty_like(first), np.empty_like(first), np.empty_like(first)
    for step in range(len(first)):
        a, b = first[step], second[step]
        left[step], right[step] = node[a], node[b]
        node[a] = n + step
        size[a] += size[b]
        union[step] = size[a]
    return left, right, union


@njit
def join_edges(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First objects of the two groups that each successive edge of a spanning tree joins."""
    root = np.arange(len(first) + 1)
    keep, drop = np.empty_like(first), np.empty_like(first)
    for step in range(len(first)):
        a, b = first[step], second[step]
        while root[a] != a:
            root[a] = root[root[a]]
            a = root[a]
        while root[b] != b:
            root[b] = root[root[b]]
            b = root[b]
        keep[step], drop[step] = min(a, b), max(a, b)
        root[max(a, b)] = min(a, b)
    return keep, drop
