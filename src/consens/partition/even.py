"""Assignment of objects to parts of limited size."""

from __future__ import annotations

from itertools import combinations

import numpy as np

MOST_ROUNDS = 20  # of exchanges between all pairs of parts


def balanced_assignment(ties: np.ndarray, weights: np.ndarray, capacity: float) -> np.ndarray:
    """Assign n objects to k parts with large total ties (n × k) and no part above the capacity.

    Every object goes to the part it is tied to most.  Overfull parts then give away the objects
    that lose least, and pairs of objects are swapped while that helps.  With two parts and equal
    weights the result is optimal.  If the capacity is too small, parts are as even as single
    moves allow; of equal objects the first keeps its place.
    """
    k = ties.shape[1]
    parts = ties.argmax(axis=1)
    loads = np.bincount(parts, weights, minlength=k)
    capacity = max(capacity, float(weights.sum()) / k)
    _relieve(ties, weights, parts, loads, capacity)
    _swap_pairs(ties, weights, parts)
    return parts


def _relieve(
    ties: np.ndarray, weights: np.ndarray, parts: np.ndarray, loads: np.ndarray, capacity: float
) -> None:
    """Move objects out of overfull parts, the cheapest first."""
    limit = capacity * (1 + 1e-12)
    while True:
        source = int(loads.argmax())
        if loads[source] <= limit:
            return
        inside = np.flatnonzero(parts == source)
        loss = ties[inside, source][:, None] - ties[inside]
        loss[:, source] = np.inf
        # a move must leave the other part lighter than this one was, or the loop never ends
        loss[loads + weights[inside][:, None] >= loads[source]] = np.inf
        target = loss.argmin(axis=1)
        least = loss[np.arange(len(inside)), target]
        moved = False
        for i in np.argsort(least, kind="stable"):
            vertex, to = inside[i], target[i]
            if loads[source] <= limit or least[i] == np.inf:
                break
            if loads[to] + weights[vertex] > limit and moved:
                break  # the part is full: recompute the best targets
            parts[vertex] = to
            loads[source] -= weights[vertex]
            loads[to] += weights[vertex]
            moved = True
        if not moved:
            return


def _swap_pairs(ties: np.ndarray, weights: np.ndarray, parts: np.ndarray) -> None:
    """Swap objects of equal weight between pairs of parts while the total ties grow.

    The gain of an object does not depend on the others, so the best swaps between two parts are
    those of the objects that gain most on either side.
    """
    k = ties.shape[1]
    if k < 3:
        return  # _relieve has moved the cheapest objects already
    least = 1e-12 * float(ties.max())
    for _ in range(MOST_ROUNDS):
        exchanged = False
        for weight in np.unique(weights):
            same_weight = np.flatnonzero(weights == weight)
            for a, b in combinations(range(k), 2):
                ours, gain_ours = _by_gain(ties, same_weight[parts[same_weight] == a], a, b)
                theirs, gain_theirs = _by_gain(ties, same_weight[parts[same_weight] == b], b, a)
                m = min(len(ours), len(theirs))
                n_pairs = int(np.count_nonzero(gain_ours[:m] + gain_theirs[:m] > least))
                parts[ours[:n_pairs]], parts[theirs[:n_pairs]] = b, a
                exchanged |= n_pairs > 0
        if not exchanged:
            return


def _by_gain(
    ties: np.ndarray, objects: np.ndarray, own: int, other: int
) -> tuple[np.ndarray, np.ndarray]:
    gain = ties[objects, other] - ties[objects, own]
    order = np.argsort(-gain, kind="stable")
    return objects[order], gain[order]
