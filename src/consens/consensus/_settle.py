"""Reassign objects to the cluster that they are most often together with."""

from functools import partial

import numpy as np

from consens._blocks import Collection, map_rows, persist, sum_rows
from consens._labels import Profiles, n_clusters_per_member, profiles
from consens.measure.confidence import mean_association

MAX_ROUNDS = 10  # two or three rounds are enough for nearly all ensembles

#: Ratio of co-associations beyond which an object moves.  A ratio of 1 breaks up elongated
#: clusters, whose objects are seldom all together; 2 only resolves contradictions.
CONTRADICTION = 2.0


def settle(ensemble: Collection, labels: Collection, ratio: float = 1.0) -> Collection:
    """Move objects to a cluster they are together with more often, until none moves.

    With a(i, c) the mean co-association of object i with the other objects of cluster c, an object
    of cluster b moves to the cluster c with the largest a(i, c) if a(i, c) > ratio · a(i, b).  In
    each of at most 10 rounds all objects move at once, but no cluster becomes empty.
    """
    k = int(n_clusters_per_member(labels)[0])
    for _ in range(MAX_ROUNDS):
        spread = profiles(ensemble, labels, k)
        moved = map_rows(partial(_move, spread, ratio), ensemble, labels, dtype=np.int32)
        sizes = sum_rows(lambda own: np.bincount(own[own >= 0], minlength=k), moved)
        moved = persist(map_rows(partial(_stay, sizes == 0), moved, labels, dtype=np.int32))
        if not sum_rows(lambda new, old: int(np.count_nonzero(new != old)), moved, labels):
            break
        labels = moved
    return labels


def _move(spread: Profiles, ratio: float, ensemble: np.ndarray, labels: np.ndarray) -> np.ndarray:
    mean = mean_association(ensemble, labels, spread)
    inside = np.flatnonzero(labels >= 0)
    own = inside, labels[inside]
    mean[own] = ratio * mean[own] + 1e-9
    best = mean.argmax(axis=1)
    return np.where(mean.max(axis=1) > 0, best, labels).astype(np.int32)


def _stay(emptied: np.ndarray, moved: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Undo the moves out of clusters that would become empty."""
    return np.where((labels >= 0) & emptied[labels], labels, moved).astype(np.int32)
