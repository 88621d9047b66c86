"""Average link of objects by the clusters they share, over lists of groups per cluster.

A group A is represented by its histogram h_A over the clusters; the sum of its similarities with
group B is Σ_c v(c) h_A(c) h_B(c).  The entries of a histogram form a linked list by ascending
cluster, and every cluster lists the groups with an entry for it.  When two groups are merged, the
entries of one are added or moved to the other, so that the lists become shorter as the groups
become fewer.
"""

from typing import NamedTuple

import numpy as np

from consens._kernels._njit import njit

VERIFY = 4  # verifying a candidate costs about as much as reading this many entries of a list


# numba finds types in its cache by name: a renamed type needs another line, or an empty cache
class AverageGroups(NamedTuple):
    """Groups, initially one per distinct row; a union replaces the smaller of its two parts."""

    head: np.ndarray  # first entry of the histogram
    size: np.ndarray
    reach: np.ndarray  # Σ_c v(c) h(c): upper bound of the sum of similarities with one object


class Entries(NamedTuple):
    """Entries of the histograms."""

    cluster: np.ndarray
    mass: np.ndarray
    next: np.ndarray
    place: np.ndarray  # position in the list of the cluster


class Lists(NamedTuple):
    """Groups with an entry for each cluster: cluster c owns ``start[c] + range(length[c])``."""

    start: np.ndarray
    length: np.ndarray
    group: np.ndarray
    mass: np.ndarray
    entry: np.ndarray


class Work(NamedTuple):
    """Scratch space of a search; zero between searches, except `touched`."""

    value: np.ndarray  # v(c) h_A(c)
    shared: np.ndarray  # sum of similarities with each group
    touched: np.ndarray


@njit
def average_chain(
    codes: np.ndarray,
    weights: np.ndarray,
    mass: np.ndarray,
    size: np.ndarray,
    slack: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Merges of average link by a nearest-neighbour chain: (first, second, similarity).

    Row i of `codes` (u × M, int32) holds the clusters of object i, ascending from left to right,
    -1 for none.  A row adds `mass` (its size times its scale) to histograms and `size` objects to
    groups; similarities with a relative difference below `slack` count as equal.  Merges are
    given by the rows that represent the groups, the smaller first, in the order of the chain.
    """
    u = len(codes)
    groups, entries, lists = _index(codes, weights, mass, size)
    work = Work(np.zeros(len(weights)), np.zeros(u), np.empty(u + 1, np.int32))
    highest = 0.0
    for i in range(u):
        highest = max(highest, mass[i] / size[i])
    alive = np.ones(u, np.bool_)
    on_chain = np.zeros(u, np.bool_)
    chain = np.empty(u, np.int32)
    link = np.zeros(u)  # similarity of an element of the chain with the previous one
    first = np.empty(u - 1, np.int32)
    second = np.empty(u - 1, np.int32)
    similarity = np.empty(u - 1)
    depth = lowest = merged = 0
    union = int(np.int64(-1))  # no literal: callees would be compiled for it as well
    while merged < u - 1:
        while not alive[lowest]:
            lowest += 1
        if depth == 0:
            chain[0] = lowest
            on_chain[lowest] = True
            depth = 1
        a = chain[depth - 1]
        b, best = _nearest(
            a, union, link[depth - 1], highest, groups, entries, lists, weights, work, slack
        )
        union = -1
        if b < 0:  # no group shares anything with a
            b = lowest if lowest != a else a + 1
            while not alive[b]:
                b += 1
        if not on_chain[b]:
            chain[depth], link[depth] = b, best
            on_chain[b] = True
            depth += 1
            continue
        b = chain[depth - 2]  # rounding could point to an earlier group of the chain
        depth -= 2
        on_chain[a] = on_chain[b] = alive[max(a, b)] = False
        first[merged], second[merged], similarity[merged] = min(a, b), max(a, b), best
        merged += 1
        union = min(a, b)
        _merge(union, max(a, b), groups, entries, lists)
    return first, second, similarity


@njit
def _index(
    codes: np.ndarray, weights: np.ndarray, mass: np.ndarray, size: np.ndarray
) -> tuple[AverageGroups, Entries, Lists]:
    u, n_members = codes.shape
    cluster = codes.ravel()
    start = np.zeros(len(weights) + 1, np.int64)
    for c in cluster:
        if c >= 0:
            start[c + 1] += 1
    start = np.cumsum(start)
    length = np.zeros(len(weights), np.int64)
    groups = AverageGroups(np.full(u, -1, np.int32), size.copy(), np.zeros(u))
    entries = Entries(
        cluster,
        np.empty(u * n_members),
        np.empty(u * n_members, np.int32),
        np.empty(u * n_members, np.int32),
    )
    lists = Lists(
        start,
        length,
        np.empty(start[-1], np.int32),
        np.empty(start[-1]),
        np.empty(start[-1], np.int32),
    )
    for i in range(u):
        for e in range((i + 1) * n_members - 1, i * n_members - 1, -1):
            c = cluster[e]
            entries.mass[e] = mass[i]
            if c >= 0:
                p = start[c] + length[c]
                length[c] += 1
                lists.group[p], lists.mass[p], lists.entry[p] = i, mass[i], e
                entries.place[e] = p
                entries.next[e] = groups.head[i]
                groups.head[i] = e
                groups.reach[i] += weights[c] * mass[i]
    return groups, entries, lists


@njit
def _nearest(
    a: int,
    hint: int,
    known: float,
    highest: float,
    groups: AverageGroups,
    entries: Entries,
    lists: Lists,
    weights: np.ndarray,
    work: Work,
    slack: float,
) -> tuple[int, float]:
    """The most similar group, the smallest among equals, and its mean similarity; -1 if none.

    Lists are read until a group in none of them cannot be as similar as the best one found; the
    remaining candidates are then verified.
    """
    value, shared, touched = work.value, work.shared, work.touched
    size = groups.size[a]
    e = groups.head[a]
    while e >= 0:
        value[entries.cluster[e]] = weights[entries.cluster[e]] * entries.mass[e]
        e = entries.next[e]
    best = known
    if hint >= 0 and hint != a:
        best = max(best, _shared(hint, groups, entries, value) / (size * groups.size[hint]))
    # The mean similarity with B gains at most v(c) h_A(c) / |A| · h_B(c) / |B| from a cluster,
    # and h_B(c) / |B| is at most the highest scale.
    per_share = highest / size
    rest = groups.reach[a] * per_share
    rounding = 1e-12 * rest
    count = int(np.int64(0))  # as for the union in `average_chain`
    e = groups.head[a]
    while e >= 0 and rest + rounding >= best * (1 - slack):
        c = entries.cluster[e]
        x = value[c]
        for p in range(lists.start[c], lists.start[c] + lists.length[c]):
            b = lists.group[p]
            before = shared[b]
            touched[count] = b
            count += int(before == 0.0)
            shared[b] = before + x * lists.mass[p]
        rest -= x * per_share
        e = entries.next[e]
    shared[a] = 0.0
    # Drop groups that cannot be the best; read on while that costs less than verifying.
    while True:
        if e < 0:
            rest = 0.0
        least = size * (best * (1 - slack) - rest - rounding)
        kept = 0
        for t in range(count):
            b = touched[t]
            keep = shared[b] >= least * groups.size[b]
            touched[kept] = b
            kept += int(keep)
            shared[b] *= np.float64(keep)
        count = kept
        if e < 0 or lists.length[entries.cluster[e]] > VERIFY * count:
            break
        c = entries.cluster[e]
        x = value[c]
        for p in range(lists.start[c], lists.start[c] + lists.length[c]):
            b = lists.group[p]
            shared[b] += np.float64(shared[b] != 0.0) * x * lists.mass[p]
        rest -= x * per_share
        e = entries.next[e]
    for t in range(count):
        b = touched[t]
        if b != a:
            if e >= 0:
                shared[b] = _shared(b, groups, entries, value)
            best = max(best, shared[b] / (size * groups.size[b]))
    near, similarity = -1, 0.0
    for t in range(count):
        b = touched[t]
        mean = shared[b] / (size * groups.size[b])
        if b != a and mean >= best * (1 - slack) and (near < 0 or b < near):
            near, similarity = b, mean
        shared[b] = 0.0
    e = groups.head[a]
    while e >= 0:
        value[entries.cluster[e]] = 0.0
        e = entries.next[e]
    return near, similarity


@njit
def _shared(b: int, groups: AverageGroups, entries: Entries, value: np.ndarray) -> float:
    """Sum of the similarities with group b, from its histogram."""
    total = 0.0
    e = groups.head[b]
    while e >= 0:
        total += value[entries.cluster[e]] * entries.mass[e]
        e = entries.next[e]
    return total


@njit
def _merge(keep: int, drop: int, groups: AverageGroups, entries: Entries, lists: Lists) -> None:
    """Merge two histograms, and remove obsolete entries from the lists."""
    x, y = groups.head[keep], groups.head[drop]
    tail = -1
    while x >= 0 or y >= 0:
        if y < 0 or (x >= 0 and entries.cluster[x] < entries.cluster[y]):
            e, x = x, entries.next[x]
        elif x < 0 or entries.cluster[y] < entries.cluster[x]:
            e, y = y, entries.next[y]
            lists.group[entries.place[e]] = keep
        else:
            e, gone = x, y
            x, y = entries.next[x], entries.next[y]
            entries.mass[e] += entries.mass[gone]
            lists.mass[entries.place[e]] = entries.mass[e]
            c, p = entries.cluster[gone], entries.place[gone]
            lists.length[c] -= 1
            last = lists.start[c] + lists.length[c]
            lists.group[p], lists.mass[p] = lists.group[last], lists.mass[last]
            lists.entry[p] = lists.entry[last]
            entries.place[lists.entry[p]] = p
        if tail < 0:
            groups.head[keep] = e
        else:
            entries.next[tail] = e
        tail = e
    if tail >= 0:
        entries.next[tail] = -1
    groups.size[keep] += groups.size[drop]
    groups.reach[keep] += groups.reach[drop]
