"""Agglomeration by normalised edges over adjacency lists that are updated when they are read.

A group owns the lists of its objects.  Entries keep the object they originally pointed to; a read
looks up the current groups (union-find), adds up the entries of each group and writes them back,
so a merge only touches the lists of the two groups.

Each group stores its best neighbour.  When that is merged, the old value remains as an upper
bound: all other neighbours were worse, and the value with the union is known at once.  The list is
read again only when such a stale value is the largest of all.
"""

from typing import NamedTuple

import numpy as np

from consens._kernels._njit import njit


# numba finds types in its cache by name: a renamed type needs another line, or an empty cache
class EdgeGroups(NamedTuple):
    """Groups, indexed by their first object; other entries are out of date."""

    root: np.ndarray  # union-find
    size: np.ndarray
    next: np.ndarray  # the next object whose list belongs to the group, or -1
    last: np.ndarray
    near: np.ndarray  # best neighbour, or -1
    value: np.ndarray  # normalised edges with it
    stale: np.ndarray  # whether the value is only an upper bound


class Adjacency(NamedTuple):
    """Adjacency lists: ``start[i] : end[i]`` are the entries of object i, with room to `stop`."""

    start: np.ndarray
    end: np.ndarray
    stop: np.ndarray
    neighbor: np.ndarray
    edges: np.ndarray


@njit
def agglomerate(
    indptr: np.ndarray, indices: np.ndarray, power: np.ndarray, n_clusters: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Merge the two groups with the largest normalised edges until n_clusters are left.

    ``power[s]`` is s ** (1 + f); `indices` are overwritten.  Returns the first objects of the
    merged groups and their normalised edges, fewer if no edges are left.
    """
    n = len(indptr) - 1
    groups = EdgeGroups(
        np.arange(n),
        np.ones(n, np.int64),
        np.full(n, -1),
        np.arange(n),
        np.full(n, -1),
        np.zeros(n),
        np.zeros(n, np.bool_),
    )
    lists = Adjacency(
        indptr[:-1].astype(np.int64),
        indptr[1:].astype(np.int64),
        indptr[1:].astype(np.int64),
        indices,
        np.ones(len(indices), np.int32),
    )
    mark = np.full(n, -1)
    for i in range(n):
        _read(i, groups, lists, mark, power)
    first = np.empty(max(n - n_clusters, 0), np.int64)
    second = np.empty(max(n - n_clusters, 0), np.int64)
    value = np.empty(max(n - n_clusters, 0))
    merged = 0
    while merged < n - n_clusters:
        top = _best_pair(groups)
        while groups.stale[top]:
            _read(top, groups, lists, mark, power)
            top = _best_pair(groups)
        if groups.near[top] < 0:
            break
        a, b = min(top, groups.near[top]), max(top, groups.near[top])
        first[merged], second[merged], value[merged] = a, b, groups.value[top]
        merged += 1
        groups.root[b] = a
        groups.value[b] = -1.0
        groups.size[a] += groups.size[b]
        groups.next[groups.last[a]] = b
        groups.last[a] = groups.last[b]
        _read(a, groups, lists, mark, power)
        _update_neighbors(a, b, groups, lists, power)
    return first[:merged], second[:merged], value[:merged]


@njit
def _best_pair(groups: EdgeGroups) -> int:
    """Group with the best pair: the largest value, then the smallest pair."""
    best, most = 0, -1.0
    for a in range(len(groups.value)):
        if groups.value[a] >= most:
            near, other = groups.near[a], groups.near[best]
            pair, least = (min(a, near), max(a, near)), (min(best, other), max(best, other))
            if groups.value[a] > most or pair < least:
                best, most = a, groups.value[a]
    return best


@njit
def _find(i: int, root: np.ndarray) -> int:
    while root[i] != i:
        root[i] = root[root[i]]
        i = root[i]
    return i


@njit
def _normalized(edges: int, size_a: int, size_b: int, power: np.ndarray) -> float:
    return edges / (power[size_a + size_b] - (power[size_a] + power[size_b]))


@njit
def _read(
    a: int, groups: EdgeGroups, lists: Adjacency, mark: np.ndarray, power: np.ndarray
) -> None:
    """Update the lists of a group, and find its best neighbour."""
    target, free = a, lists.start[a]  # where to write; never ahead of where we read
    i = a
    while i >= 0:
        for p in range(lists.start[i], lists.end[i]):
            b = _find(lists.neighbor[p], groups.root)
            if b == a:
                continue
            if mark[b] >= 0:
                lists.edges[mark[b]] += lists.edges[p]
                continue
            while free == lists.stop[target]:
                lists.end[target] = free
                target = groups.next[target]
                free = lists.start[target]
            lists.neighbor[free], lists.edges[free] = b, lists.edges[p]
            mark[b] = free
            free += 1
        i = groups.next[i]
    lists.end[target] = free
    groups.next[target], groups.last[a] = -1, target
    near, most = -1, 0.0
    i = a
    while i >= 0:
        for p in range(lists.start[i], lists.end[i]):
            b = lists.neighbor[p]
            mark[b] = -1
            value = _normalized(lists.edges[p], groups.size[a], groups.size[b], power)
            if value > most or (value == most and b < near):
                near, most = b, value
        i = groups.next[i]
    groups.near[a], groups.value[a], groups.stale[a] = near, most, False


@njit
def _update_neighbors(
    a: int, b: int, groups: EdgeGroups, lists: Adjacency, power: np.ndarray
) -> None:
    """Update the best pairs of the neighbours of a new union (a, which absorbed b)."""
    i = a
    while i >= 0:
        for p in range(lists.start[i], lists.end[i]):
            c = lists.neighbor[p]
            value = _normalized(lists.edges[p], groups.size[a], groups.size[c], power)
            near = groups.near[c]
            if value > groups.value[c] or (value == groups.value[c] and a <= near):
                groups.near[c], groups.value[c], groups.stale[c] = a, value, False
            elif near in (a, b):
                groups.stale[c] = True
        i = groups.next[i]
