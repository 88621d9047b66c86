"""The last step of a consensus: objects leave clusters that the evidence speaks against."""

from __future__ import annotations

from functools import partial

import numpy as np

from consens.blocks import Collection, map_rows, persist, sum_rows
from consens.labels import Profiles, n_clusters_per_member, profiles
from consens.measure.confidence import mean_association

#: Nearly all come to rest after two or three.
MAX_ROUNDS = 10

#: How many times closer another cluster must be than the own one.  With 1 chained clusters, whose
#: objects are seldom all together, fall apart; with 2 only contradictions go.
CONTRADICTION = 2.0


def settle(ensemble: Collection, labels: Collection, ratio: float = 1.0) -> Collection:
    """Move objects to a cluster they are together with more often, until none moves.

    With a(i, c) the mean co-association of object i with the other objects of cluster c, an object
    of cluster b moves to the cluster c of the largest a(i, c) if a(i, c) > ratio · a(i, b).  All
    objects move at once, round after round, 10 rounds at most; the objects of a cluster that a
    round would empty stay.

    Parameters
    ----------
    ensemble : label matrix of shape (n, M)
        Missing labels and noise are no evidence.
    labels : labels of shape (n,)
    ratio : float, >= 1

    Returns
    -------
    labels of shape (n,)
        The clusters keep their numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.consensus._settle import settle
    >>> labels = np.array([[0, 0, 0], [0, 0, 0], [0, 1, 1], [1, 1, 1], [1, 1, 1]])
    >>> start = np.array([0, 0, 0, 1, 1])  # the third is together with the others in 1/3, not 2/3
    >>> settle(labels, start)
    array([0, 0, 1, 1, 1], dtype=int32)
    >>> settle(labels, start, ratio=2)
    array([0, 0, 0, 1, 1])
    """
    k = int(n_clusters_per_member(labels)[0])
    for _ in range(MAX_ROUNDS):
        spread = profiles(ensemble, labels, k)
        moved = map_rows(partial(_move, spread, ratio), ensemble, labels, dtype=np.int32)
        sizes = sum_rows(partial(_sizes, k), moved)
        moved = persist(map_rows(partial(_stay, sizes == 0), moved, labels, dtype=np.int32))
        if not sum_rows(_n_moves, moved, labels):
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
    """Undo the moves out of clusters that would be empty."""
    return np.where((labels >= 0) & emptied[labels], labels, moved).astype(np.int32)


def _sizes(k: int, labels: np.ndarray) -> np.ndarray:
    return np.bincount(labels[labels >= 0], minlength=k)


def _n_moves(moved: np.ndarray, labels: np.ndarray) -> int:
    return int(np.count_nonzero(moved != labels))
