"""Steps of the Leiden algorithm: moves of vertices, and merges inside communities.

A graph is a symmetric CSR matrix without a diagonal; ``strengths`` are the degrees of the
vertices, including edges inside a vertex that stands for several.  ``penalty`` is γ / 2m, so that
a vertex v gains w(v, C) - penalty · k_v · K_C by being in community C.
"""

import numpy as np

from consens._kernels._njit import njit


@njit
def _weights_to(
    v: int,
    pointers: np.ndarray,
    neighbors: np.ndarray,
    weights: np.ndarray,
    groups: np.ndarray,
    totals: np.ndarray,
    touched: np.ndarray,
) -> int:
    """Fill in `totals` of the groups next to v, and list these groups; their number."""
    found = 0
    for e in range(pointers[v], pointers[v + 1]):
        group = groups[neighbors[e]]
        if totals[group] == 0.0:
            touched[found] = group
            found += 1
        totals[group] += weights[e]
    return found


@njit
def move_vertices(
    pointers: np.ndarray,
    neighbors: np.ndarray,
    weights: np.ndarray,
    strengths: np.ndarray,
    penalty: float,
    order: np.ndarray,
    labels: np.ndarray,
) -> None:
    """Move vertices, by a queue, to their best communities until none gains; changes `labels`."""
    n = len(strengths)
    mass = np.zeros(n)
    size = np.zeros(n, dtype=np.int64)
    for v in range(n):
        mass[labels[v]] += strengths[v]
        size[labels[v]] += 1
    empty = np.empty(n + 1, dtype=np.int64)
    n_empty = 0
    for c in range(n):
        if size[c] == 0:
            empty[n_empty] = c
            n_empty += 1
    queue, waits = order.copy(), np.ones(n, dtype=np.bool_)
    first, length = 0, n
    totals, touched = np.zeros(n), np.empty(n, dtype=np.int64)
    while length > 0:
        v = queue[first]
        first = (first + 1) % n
        length -= 1
        waits[v] = False
        own = labels[v]
        mass[own] -= strengths[v]
        size[own] -= 1
        found = _weights_to(v, pointers, neighbors, weights, labels, totals, touched)
        best, most = own, totals[own] - penalty * strengths[v] * mass[own]
        margin = 1e-12 * strengths[v]  # so that rounding does not move a vertex for ever
        for i in range(found):
            gain = totals[touched[i]] - penalty * strengths[v] * mass[touched[i]]
            if gain > most + margin:
                best, most = touched[i], gain
        if most < -margin and size[own] > 0:  # alone is better
            n_empty -= 1
            best = empty[n_empty]
        for i in range(found):
            totals[touched[i]] = 0.0
        mass[best] += strengths[v]
        size[best] += 1
        if best == own:
            continue
        if size[own] == 0:
            empty[n_empty] = own
            n_empty += 1
        labels[v] = best
        for e in range(pointers[v], pointers[v + 1]):
            u = neighbors[e]
            if not waits[u] and labels[u] != best:
                queue[(first + length) % n] = u
                length += 1
                waits[u] = True


@njit
def merge_inside(
    pointers: np.ndarray,
    neighbors: np.ndarray,
    weights: np.ndarray,
    strengths: np.ndarray,
    penalty: float,
    order: np.ndarray,
    labels: np.ndarray,
) -> np.ndarray:
    """Merge single vertices inside each community where this gains; the parts that result.

    A vertex, or a part, takes part if it is well connected with the rest of its community S:
    w(C, S - C) >= penalty · K_C · (K_S - K_C).
    """
    n = len(strengths)
    community = np.zeros(n)
    for v in range(n):
        community[labels[v]] += strengths[v]
    parts = np.arange(n)
    mass, size = strengths.copy(), np.ones(n, dtype=np.int64)
    outward = np.zeros(n)  # weight from a part to the rest of its community
    for v in range(n):
        for e in range(pointers[v], pointers[v + 1]):
            if labels[neighbors[e]] == labels[v]:
                outward[v] += weights[e]
    totals, touched = np.zeros(n), np.empty(n, dtype=np.int64)
    for v in order:
        own = parts[v]
        whole = community[labels[v]]
        if size[own] > 1 or outward[own] < penalty * strengths[v] * (whole - strengths[v]):
            continue
        found = _weights_to(v, pointers, neighbors, weights, parts, totals, touched)
        best, most = own, 0.0
        for i in range(found):
            part = touched[i]
            if part == own or labels[v] != labels[part]:  # a part has the number of a vertex in it
                continue
            gain = totals[part] - penalty * strengths[v] * mass[part]
            if gain > most and outward[part] >= penalty * mass[part] * (whole - mass[part]):
                best, most = part, gain
        if best != own:
            parts[v] = best
            mass[best] += strengths[v]
            size[best] += 1
            outward[best] += outward[own] - 2 * totals[best]
            size[own] = 0
        for i in range(found):
            totals[touched[i]] = 0.0
    return parts
