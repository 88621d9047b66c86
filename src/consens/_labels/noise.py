"""Consensus on noise: the objects in no cluster are decided before anything else.

An object is noise if more than half of the members that saw it call it noise.  It is then not
part of the evidence and forms no cluster.  For all other objects a noise label is an abstention:
it counts as missing.
"""

from __future__ import annotations

import numpy as np

from consens._blocks import C, Collection, RowMask, collect_rows, map_rows
from consens._labels.codes import (
    MISSING,
    NOISE,
    clustered_rows,
    in_a_cluster,
    in_some_member,
    label_stats,
)


def is_noise(labels: np.ndarray) -> np.ndarray:
    """Mask of the objects that more than half of the members that saw them call noise."""
    n_noise = np.count_nonzero(labels == NOISE, axis=1)
    return np.asarray(2 * n_noise > np.count_nonzero(labels != MISSING, axis=1))


def rows_to_combine(labels: Collection) -> RowMask:
    """Objects that some member put in a cluster and that are not noise."""
    if not label_stats(labels).noise:
        return clustered_rows(labels)
    mask = map_rows(lambda rows: in_a_cluster(rows) & ~is_noise(rows), labels, dtype=bool)
    return RowMask.of(mask)


def abstain(labels: C) -> C:
    """Replace noise labels by missing ones."""
    if not label_stats(labels).noise:
        return labels
    return map_rows(
        lambda rows: np.where(rows == NOISE, MISSING, rows),
        labels,
        width=labels.shape[1],
        dtype=labels.dtype,
    )


def unseen_rows(labels: Collection) -> np.ndarray:
    """Numbers of the objects without any label."""
    if not label_stats(labels).missing:
        return np.empty(0, dtype=np.intp)

    def unseen(block: np.ndarray, start: int) -> np.ndarray:
        return start + np.flatnonzero(~in_some_member(block, above=MISSING))

    return np.concatenate(collect_rows(unseen, labels, with_start=True))
