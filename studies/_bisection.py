"""Compiled loops of `studies._hgpa`: coarsening and bisection of hypergraphs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consens._kernels._njit import njit

MOST_TRIED = 50  # vertices of a side that are examined to find one that keeps the balance


class Hypergraph(NamedTuple):
    """The vertices of hyperedge e are ``pins[starts[e] : starts[e + 1]]``, and vice versa."""

    starts: np.ndarray
    pins: np.ndarray
    own_starts: np.ndarray  # hyperedges of vertex v are own[own_starts[v] : own_starts[v + 1]]
    own: np.ndarray
    copies: np.ndarray  # of hyperedges
    weights: np.ndarray  # of vertices


class Buckets(NamedTuple):
    """Vertices of each side by gain, in linked lists with the newest vertex first."""

    head: np.ndarray  # by side and gain + offset
    next: np.ndarray
    previous: np.ndarray
    top: np.ndarray  # by side: upper bound of the nonempty lists
    offset: int


@njit
def group_by_first_choice(
    graph: Hypergraph, order: np.ndarray, most: float
) -> tuple[np.ndarray, int]:
    """Let each ungrouped vertex join the vertex with which it shares most hyperedges.

    A hyperedge of s vertices counts copies / (s - 1).  No group weighs more than `most`.
    Returns the group of each vertex, and the number of groups.
    """
    starts, pins, own_starts, own, copies, weights = graph
    n = len(weights)
    group = np.full(n, -1, np.int64)
    load = np.zeros(n)
    shared = np.zeros(n)
    met = np.empty(n, np.int64)
    n_groups = 0
    for v in order:
        if group[v] >= 0:
            continue
        n_met = 0
        for p in range(own_starts[v], own_starts[v + 1]):
            e = own[p]
            size = starts[e + 1] - starts[e]
            if size < 2:
                continue
            for q in range(starts[e], starts[e + 1]):
                u = pins[q]
                if u != v:
                    if shared[u] == 0:
                        met[n_met] = u
                        n_met += 1
                    shared[u] += copies[e] / (size - 1)
        choice, highest = -1, 0.0
        for p in range(n_met):
            u = met[p]
            heavy = load[group[u]] if group[u] >= 0 else weights[u]
            if heavy + weights[v] <= most and shared[u] > highest * (1 + 1e-12):
                choice, highest = u, shared[u]
            shared[u] = 0.0
        if choice < 0 or group[choice] < 0:
            if choice >= 0:
                group[choice] = n_groups
                load[n_groups] = weights[choice]
            group[v] = n_groups
            n_groups += 1
        else:
            group[v] = group[choice]
        load[group[v]] += weights[v]
    return group, n_groups


@njit
def cut_weight(graph: Hypergraph, side: np.ndarray) -> int:
    """Number of hyperedges, with copies, that have vertices on both sides."""
    starts, pins, copies = graph.starts, graph.pins, graph.copies
    total = 0
    for e in range(len(copies)):
        for p in range(starts[e] + 1, starts[e + 1]):
            if side[pins[p]] != side[pins[starts[e]]]:
                total += copies[e]
                break
    return total


@njit
def refine_bisection(
    graph: Hypergraph,
    side: np.ndarray,
    low: float,
    high: float,
    order: np.ndarray,
    patience: int,
    n_passes: int,
) -> int:
    """Refine a bisection in place by Fiduccia-Mattheyses passes; return the weight of the cut.

    In a pass each vertex changes sides at most once, in order of gain, if side 0 then weighs
    `low` to `high` or comes closer to that.  The best state is kept; a pass ends after `patience`
    moves without an improvement.
    """
    starts, pins, own_starts, own, copies, weights = graph
    n = len(weights)
    offset = 0
    for v in range(n):
        degree = 0
        for p in range(own_starts[v], own_starts[v + 1]):
            degree += copies[own[p]]
        offset = max(offset, degree)
    cut = cut_weight(graph, side)
    count = np.zeros((len(copies), 2), np.int64)
    gain = np.zeros(n, np.int64)
    moves = np.empty(n, np.int64)
    for _ in range(n_passes):
        count[:] = 0
        for e in range(len(copies)):
            for p in range(starts[e], starts[e + 1]):
                count[e, side[pins[p]]] += 1
        buckets = Buckets(
            np.full((2, 2 * offset + 1), -1, np.int64),
            np.full(n, -1, np.int64),
            np.full(n, -1, np.int64),
            np.zeros(2, np.int64),
            offset,
        )
        free = np.ones(n, np.bool_)
        load = 0.0
        for v in order:
            load += weights[v] if side[v] == 0 else 0.0
            gain[v] = _gain(v, graph, count, side[v])
            _add(v, side[v], gain[v], buckets)
        least, off, kept, n_moves = cut, _off(load, low, high), 0, 0
        while True:
            v = _next_move(buckets, gain, weights, load, low, high)
            if v < 0:
                break
            free[v] = False
            cut -= gain[v]
            load += weights[v] if side[v] == 1 else -weights[v]
            _move(v, graph, count, side, gain, free, buckets)
            moves[n_moves] = v
            n_moves += 1
            now = _off(load, low, high)
            if now < off or (now == off and cut < least):
                least, off, kept = cut, now, n_moves
            elif now == 0 and n_moves - kept > patience:
                break
        for p in range(kept, n_moves):
            side[moves[p]] = 1 - side[moves[p]]
        cut = least
        if kept == 0:
            break
    return cut


@njit
def _off(load: float, low: float, high: float) -> float:
    """Amount by which side 0 is too light or too heavy."""
    return max(0.0, low - load, load - high)


@njit
def _gain(v: int, graph: Hypergraph, count: np.ndarray, side: int) -> int:
    """Decrease of the cut if a vertex changes sides."""
    gain = 0
    for p in range(graph.own_starts[v], graph.own_starts[v + 1]):
        e = graph.own[p]
        if count[e, side] == 1:
            gain += graph.copies[e]
        if count[e, 1 - side] == 0:
            gain -= graph.copies[e]
    return gain


@njit
def _next_move(
    buckets: Buckets,
    gain: np.ndarray,
    weights: np.ndarray,
    load: float,
    low: float,
    high: float,
) -> int:
    """The vertex with the highest gain that may move; ties go to the one that balances."""
    choice = -1
    now = _off(load, low, high)
    for side in range(2):
        while buckets.top[side] >= 0 and buckets.head[side, buckets.top[side]] < 0:
            buckets.top[side] -= 1
        place, tried, found = buckets.top[side], 0, -1
        while place >= 0 and found < 0 and tried < MOST_TRIED:
            v = buckets.head[side, place]
            while v >= 0 and tried < MOST_TRIED:
                tried += 1
                then = _off(load + (weights[v] if side == 1 else -weights[v]), low, high)
                if then == 0 or then < now:
                    found = v
                    break
                v = buckets.next[v]
            place -= 1
        if found >= 0 and (
            choice < 0
            or gain[found] > gain[choice]
            or (gain[found] == gain[choice] and load < (low + high) / 2)
        ):
            choice = found
    return choice


@njit
def _move(
    v: int,
    graph: Hypergraph,
    count: np.ndarray,
    side: np.ndarray,
    gain: np.ndarray,
    free: np.ndarray,
    buckets: Buckets,
) -> None:
    """Move a vertex to the other side, and update the gains of its neighbours."""
    starts, pins, own_starts, own, copies, _ = graph
    old = side[v]
    new = 1 - old
    _remove(v, old, gain[v], buckets)
    side[v] = new
    for p in range(own_starts[v], own_starts[v + 1]):
        e = own[p]
        first, last = starts[e], starts[e + 1]
        if count[e, new] == 0:  # it was uncut: another move no longer cuts it
            for q in range(first, last):
                _change(pins[q], copies[e], side, gain, free, buckets)
        elif count[e, new] == 1:  # the vertex there is no longer alone
            for q in range(first, last):
                if pins[q] != v and side[pins[q]] == new:
                    _change(pins[q], -copies[e], side, gain, free, buckets)
                    break
        count[e, old] -= 1
        count[e, new] += 1
        if count[e, old] == 0:  # it is uncut now: each move would cut it
            for q in range(first, last):
                _change(pins[q], -copies[e], side, gain, free, buckets)
        elif count[e, old] == 1:  # one vertex is left behind
            for q in range(first, last):
                if side[pins[q]] == old:
                    _change(pins[q], copies[e], side, gain, free, buckets)
                    break


@njit
def _change(
    v: int, by: int, side: np.ndarray, gain: np.ndarray, free: np.ndarray, buckets: Buckets
) -> None:
    if free[v]:
        _remove(v, side[v], gain[v], buckets)
        gain[v] += by
        _add(v, side[v], gain[v], buckets)


@njit
def _add(v: int, side: int, gain: int, buckets: Buckets) -> None:
    place = gain + buckets.offset
    after = buckets.head[side, place]
    buckets.next[v], buckets.previous[v] = after, -1
    if after >= 0:
        buckets.previous[after] = v
    buckets.head[side, place] = v
    buckets.top[side] = max(buckets.top[side], place)


@njit
def _remove(v: int, side: int, gain: int, buckets: Buckets) -> None:
    before, after = buckets.previous[v], buckets.next[v]
    if before >= 0:
        buckets.next[before] = after
    else:
        buckets.head[side, gain + buckets.offset] = after
    if after >= 0:
        buckets.previous[after] = before
