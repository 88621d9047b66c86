"""The codes for noise and missing labels, statistics of a label matrix, and its storage.

Noise is decided before anything else: an object is noise if more than half of the members that saw
it call it noise.  It is then not part of the evidence and forms no cluster.  For all other objects
a noise label is an abstention: it counts as missing.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from consens._blocks import (
    C,
    Collection,
    RowMask,
    Rows,
    cached,
    collect_rows,
    map_rows,
    persist,
    preset,
    recall,
    take_columns,
)

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


def keep_labels(labels: C, n_clusters: int, stats: LabelStats | None = None) -> C:
    """Persist compact labels in the smallest type; blocks are converted to int32 when read."""
    if not isinstance(labels, Rows):
        return labels
    dtype = narrow_type(n_clusters)
    narrow = persist(map_rows(partial(_cast, dtype), labels, width=labels.width, dtype=dtype))
    kept: C = map_rows(partial(_cast, np.int32), narrow, width=labels.width, dtype=np.int32)
    return kept if stats is None else preset(find_label_stats, kept, stats)


def narrow_type(largest: int) -> type[np.signedinteger]:
    """Smallest signed type that holds a label."""
    return next(t for t in (np.int8, np.int16, np.int32) if largest <= np.iinfo(t).max)


def _cast(dtype: type[np.signedinteger], block: np.ndarray) -> np.ndarray:
    return block.astype(dtype, order="F")


def take_members(labels: C, members: Any) -> C:
    """Select members by an index of columns; cached statistics are kept if possible."""
    chosen = take_columns(labels, members)
    stats = recall(find_label_stats, labels)
    if stats is None or stats.noise or stats.missing or chosen.ndim < 2:
        return chosen
    return preset(find_label_stats, chosen, stats._replace(n_clusters=stats.n_clusters[members]))


def rename_clusters(labels: C, names: list[np.ndarray]) -> C:
    """Rename the clusters of each member m by the table names[m], which ends in the codes."""

    def rename(block: np.ndarray) -> np.ndarray:
        result = np.empty(block.shape, dtype=np.int32, order="F")
        for m, own in enumerate(names):
            result[:, m] = own[block[:, m]]
        return result

    return map_rows(rename, labels, width=labels.shape[1], dtype=np.int32)
