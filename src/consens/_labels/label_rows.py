"""Label matrices in blocks: conversion to compact labels, stored in the smallest type."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from consens._blocks import C, Rows, collect_rows, map_rows, persist, preset, recall, take_columns
from consens._labels.codes import (
    MISSING,
    NOISE,
    LabelStats,
    find_label_stats,
)
from consens._labels.parse import distinct_labels, numbered


def check_label_rows(rows: Rows) -> Rows:
    """Number the labels of each member from 0, as `check_labels` does, and persist them.

    Labels must be integers, or floats with integer values and NaN for missing labels.
    """
    if rows.ndim != 2:
        raise ValueError(
            "expected a label matrix with one row per object and one column per partition, got "
            "a vector in blocks; one partition is a matrix of one column"
        )
    if len(rows) < 2:
        raise ValueError(f"a clustering needs at least two objects, got {len(rows)}")
    found = collect_rows(_read, rows)
    blocks, counts = zip(*found, strict=True)
    distinct = [np.unique(np.concatenate(values)) for values in zip(*blocks, strict=True)]
    for m, values in enumerate(distinct):
        if (values == MISSING).all():
            raise ValueError(
                f"label column {m} is empty: every label is missing; leave this partition out"
            )
    noise, missing, clustered = zip(*counts, strict=True)
    n_clusters = np.array([int((values >= 0).sum()) for values in distinct])
    stats = LabelStats(n_clusters, sum(noise), sum(missing), clustered)
    labels: Rows = map_rows(partial(_number, distinct), rows, width=rows.width, dtype=np.int32)
    return keep_labels(labels, int(n_clusters.max(initial=1)), stats)


def _read(block: np.ndarray) -> tuple[list[np.ndarray], tuple[int, int, int]]:
    """Distinct labels of each column; numbers of noise, missing labels and clustered objects."""
    distinct, clustered, n_noise, n_missing = [], np.zeros(len(block), bool), 0, 0
    for column in block.T:
        values, own = distinct_labels(column)
        distinct.append(own)
        clustered |= values >= 0
        n_missing += int((values == MISSING).sum())
        n_noise += int((values == NOISE).sum())
    return distinct, (n_noise, n_missing, int(clustered.sum()))


def _number(distinct: list[np.ndarray], block: np.ndarray) -> np.ndarray:
    result = np.empty(block.shape, dtype=np.int32, order="F")
    for m, column in enumerate(block.T):
        result[:, m] = numbered(column, distinct[m])
    return result


def keep_labels(labels: C, n_clusters: int, stats: LabelStats | None = None) -> C:
    """Persist compact labels in the smallest type; blocks are converted to int32 when read.

    `n_clusters` is the largest number of clusters that a member can have; `stats` are the
    statistics of the labels, if they are known.
    """
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
