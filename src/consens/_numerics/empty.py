"""Repair of partitions in which some clusters have no objects."""

from __future__ import annotations

from typing import Any

import numpy as np

from consens._blocks import collect_rows, map_rows, sum_rows


def fill_empty(labels: Any, loss: Any, n_clusters: int) -> Any:
    """Move into each empty cluster, one after the other, the object with the smallest loss.

    `loss` is the loss of moving an object to any cluster (n values), or to each cluster (n ×
    k).  The only object of a cluster never moves, nor does one with a negative label; of equal
    losses the first object moves.  `labels` are returned unchanged if no cluster is empty; with
    fewer objects than clusters some clusters stay empty.
    """
    sizes = sum_rows(
        lambda own: np.bincount(own[own >= 0], minlength=n_clusters), labels, bytes_per_row=16
    )
    empty = np.flatnonzero(sizes == 0)
    if len(empty) == 0:
        return labels
    # an object is skipped if it is the last of its cluster: at most once per cluster
    n_candidates = len(empty) + n_clusters

    def cheapest(own: np.ndarray, loss: np.ndarray, start: int) -> np.ndarray:
        movable = np.flatnonzero((own >= 0) & (sizes[own] > 1))
        losses = loss[movable][:, empty] if loss.ndim == 2 else loss[movable][:, None]
        some = np.unique(np.argsort(losses, axis=0, kind="stable")[:n_candidates])
        losses = np.broadcast_to(losses[some], (len(some), len(empty)))
        return np.column_stack([start + movable[some], own[movable[some]], losses])

    found = np.concatenate(
        collect_rows(cheapest, labels, loss, bytes_per_row=32 * len(empty) + 32, with_start=True)
    )
    numbers, own = found[:, :2].T.astype(np.int64)
    moved = []
    for cluster, losses in zip(empty, found.T[2:], strict=True):
        movable = np.flatnonzero(sizes[own] > 1)
        if len(movable) == 0:
            break
        chosen = movable[losses[movable].argmin()]
        sizes[[own[chosen], cluster]] += (-1, 1)
        own[chosen] = cluster
        moved.append(chosen)
    numbers, own = numbers[moved], own[moved]

    def move(block: np.ndarray, start: int) -> np.ndarray:
        here = (numbers >= start) & (numbers < start + len(block))
        block = block.copy()
        block[numbers[here] - start] = own[here]
        return block

    return map_rows(move, labels, dtype=labels.dtype, with_start=True)
