"""The codes for noise and missing labels, and statistics of a label matrix."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consens._blocks import Collection, RowMask, cached, collect_rows, map_rows

NOISE = -1
MISSING = -2


class LabelStats(NamedTuple):
    """Statistics from one pass over a label matrix.

    ``n_clusters`` of each member (highest label + 1), the number of ``noise`` and of ``missing``
    labels, and for each block the number of ``clustered`` objects, which are in a cluster of at
    least one member.
    """

    n_clusters: np.ndarray
    noise: int
    missing: int
    clustered: tuple[int, ...]


def label_stats(labels: Collection) -> LabelStats:
    """Statistics of a label matrix or vector; cached for labels in blocks."""
    return cached(find_label_stats, labels)


def find_label_stats(labels: Collection) -> LabelStats:
    """Compute the statistics of compact labels in one pass."""
    found = collect_rows(_stats_of_block, labels)
    return LabelStats(
        np.max([block.n_clusters for block in found], axis=0),
        sum(block.noise for block in found),
        sum(block.missing for block in found),
        tuple(count for block in found for count in block.clustered),
    )


def _stats_of_block(block: np.ndarray) -> LabelStats:
    columns = as_columns(block)
    n_clusters = np.maximum(columns.max(axis=0, initial=-1), -1).astype(np.int64) + 1
    if columns.min(initial=0) >= 0:
        return LabelStats(n_clusters, 0, 0, (len(columns),))
    noise, missing = (int(np.count_nonzero(columns == code)) for code in (NOISE, MISSING))
    return LabelStats(n_clusters, noise, missing, (int(in_a_cluster(columns).sum()),))


def n_clusters_per_member(labels: Collection) -> np.ndarray:
    """Number of clusters of each member (highest label + 1; codes do not count)."""
    return label_stats(labels).n_clusters


def has_code(labels: Collection, code: int) -> bool:
    """Whether any label is `NOISE`, or `MISSING`, as `code` says."""
    stats = label_stats(labels)
    return bool(stats.noise if code == NOISE else stats.missing)


def clustered_rows(labels: Collection) -> RowMask:
    """Objects that at least one member put in a cluster, as a `RowMask`."""
    mask = map_rows(in_a_cluster, labels, dtype=bool)
    return RowMask(mask, label_stats(labels).clustered)


def in_a_cluster(labels: np.ndarray) -> np.ndarray:
    """Mask of the objects that at least one member put in a cluster."""
    return in_some_member(labels, above=NOISE)


def in_some_member(labels: np.ndarray, *, above: int) -> np.ndarray:
    """Mask of the objects with a label above a code; stops when all objects have one."""
    found = labels[:, 0] > above
    for column in labels.T[1:]:
        if found.all():
            break
        found |= column > above
    return found


def as_columns(labels: np.ndarray) -> np.ndarray:
    """Convert a label vector to a matrix of one column."""
    return labels[:, None] if labels.ndim == 1 else labels
