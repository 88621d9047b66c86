"""Agglomeration by normalised edges over adjacency lists that are put in order when read.

A group owns the lists of its objects.  Entries keep the name of the object they once pointed
to; who reads a list looks up the groups of today (union-find), adds entries of one group up and
writes them back, so a merge touches the lists of the two groups only.

Each group knows its best neighbour, and a heap holds one entry per group.  When the best
neighbour of a group is merged, the old value stays as a bound: all other neighbours were worse,
and the value with the union is known at once.  Only when such a stale entry reaches the top, the
list is read again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consens._kernels._njit import njit


# numba finds types in its cache by name: a renamed type needs another line, or an empty cache
class EdgeGroups(NamedTuple):
    """By the first object of a group; what is said of others is out of date."""

    root: np.ndarray  # union-find
    size: np.ndarray
    next: np.ndarray  # the next object whose list belongs to the group, or -1
    last: np.ndarray
    near: np.ndarray  # best neighbour, or -1
    value: np.ndarray  # normalised edges with it
    stale: np.ndarray  # whether these two are a bound only


class Adjacency(NamedTuple):
    """Lists of objects: entries ``start[i] : end[i]`` are of object i, `stop` ends its room."""

    start: np.ndarray
    end: np.ndarray
    stop: np.ndarray
    neighbor: np.ndarray
    edges: np.ndarray


class Heap(NamedTuple):
    """Groups by their best pair, the best on top."""

    group: np.ndarray
    place: np.ndarray
    length: np.ndarray  # an array of one number


@njit
def agglomerate(
    indptr: np.ndarray, indices: np.ndarray, power: np.ndarray, n_clusters: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Merge the two groups with the largest normalised edges until n_clusters are left.

    `indptr` and `indices`, which is overwritten, are a symmetric graph without loops;
    ``power[s]`` is s ** (1 + f).  Returns the first objects of the groups merged, and their
    normalised edges; fewer than n - n_clusters when the edges come to an end.
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
    heap = Heap(np.arange(n), np.arange(n), np.array([n]))
    mark = np.full(n, -1)
    for i in range(n):
        _read(i, groups, lists, mark, power)
    for p in range(n // 2 - 1, -1, -1):
        _sift_down(p, heap, groups)
    first = np.empty(max(n - n_clusters, 0), np.int64)
    second = np.empty(max(n - n_clusters, 0), np.int64)
    value = np.empty(max(n - n_clusters, 0))
    merged = 0
    while merged < n - n_clusters:
        top = heap.group[0]
        if groups.stale[top]:
            _read(top, groups, lists, mark, power)
            _sift_down(0, heap, groups)
            continue
        if groups.near[top] < 0:
            break
        a, b = min(top, groups.near[top]), max(top, groups.near[top])
        first[merged], second[merged], value[merged] = a, b, groups.value[top]
        merged += 1
        _join(a, b, groups)
        _remove(b, heap, groups)
        _read(a, groups, lists, mark, power)
        _fix(heap.place[a], heap, groups)
        _tell_neighbors(a, b, groups, lists, heap, power)
    return first[:merged], second[:merged], value[:merged]


@njit
def _join(a: int, b: int, groups: EdgeGroups) -> None:
    groups.root[b] = a
    groups.size[a] += groups.size[b]
    groups.next[groups.last[a]] = b
    groups.last[a] = groups.last[b]


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
    """Put the lists of a group in order, and find its best neighbour."""
    target, free = a, lists.start[a]  # where the next entry goes; never ahead of what is read
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
def _tell_neighbors(
    a: int, b: int, groups: EdgeGroups, lists: Adjacency, heap: Heap, power: np.ndarray
) -> None:
    """Let the neighbours of a new union (a, that took in b) look at it."""
    i = a
    while i >= 0:
        for p in range(lists.start[i], lists.end[i]):
            c = lists.neighbor[p]
            value = _normalized(lists.edges[p], groups.size[a], groups.size[c], power)
            near = groups.near[c]
            if value > groups.value[c] or (value == groups.value[c] and a <= near):
                groups.near[c], groups.value[c], groups.stale[c] = a, value, False
                _fix(heap.place[c], heap, groups)
            elif near in (a, b):
                groups.stale[c] = True
        i = groups.next[i]


@njit
def _before(a: int, b: int, groups: EdgeGroups) -> bool:
    """Whether the best pair of group a goes before that of group b."""
    if groups.value[a] != groups.value[b]:
        return groups.value[a] > groups.value[b]
    low_a, low_b = min(a, groups.near[a]), min(b, groups.near[b])
    if low_a != low_b:
        return low_a < low_b
    return max(a, groups.near[a]) < max(b, groups.near[b])


@njit
def _swap(p: int, q: int, heap: Heap) -> None:
    heap.group[p], heap.group[q] = heap.group[q], heap.group[p]
    heap.place[heap.group[p]], heap.place[heap.group[q]] = p, q


@njit
def _sift_down(p: int, heap: Heap, groups: EdgeGroups) -> None:
    while 2 * p + 1 < heap.length[0]:
        child = 2 * p + 1
        other = child + 1
        if other < heap.length[0] and _before(heap.group[other], heap.group[child], groups):
            child = other
        if not _before(heap.group[child], heap.group[p], groups):
            break
        _swap(p, child, heap)
        p = child


@njit
def _fix(p: int, heap: Heap, groups: EdgeGroups) -> None:
    """Move an entry whose pair has changed to where it belongs."""
    while p > 0 and _before(heap.group[p], heap.group[(p - 1) // 2], groups):
        _swap(p, (p - 1) // 2, heap)
        p = (p - 1) // 2
    _sift_down(p, heap, groups)


@njit
def _remove(a: int, heap: Heap, groups: EdgeGroups) -> None:
    p = heap.place[a]
    heap.length[0] -= 1
    last = heap.length[0]
    if p != last:
        _swap(p, last, heap)
        _fix(p, heap, groups)
