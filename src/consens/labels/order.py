"""Canonical numbers and orders, and objects that no member tells apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consens.labels.codes import MISSING, NOISE, in_blocks_too
from consens.labels.parse import compact_integers, pieces


@in_blocks_too
def first_seen_order(labels: np.ndarray) -> np.ndarray:
    """Renumber clusters by their first object, so that equal partitions get equal vectors.

    One pass of O(n) time; no memory beside the result.
    """
    if labels.max(initial=0) > 4 * len(labels) + 1024:
        labels = compact_integers(labels)
    unnamed = MISSING - 1
    names = np.full(int(labels.max(initial=-1)) + 3, unnamed, dtype=np.int32)
    names[-2:] = MISSING, NOISE  # where the codes -2 and -1 point to
    result = np.empty(len(labels), dtype=np.int32)
    n_named = 0
    for source, target in zip(pieces(labels), pieces(result), strict=True):
        target[:] = names[source]
        fresh = source[target == unnamed]
        if len(fresh):
            distinct, first = np.unique(fresh, return_index=True)
            names[distinct[np.argsort(first)]] = np.arange(n_named, n_named + len(distinct))
            n_named += len(distinct)
            target[:] = names[source]
    return result


@in_blocks_too
def first_seen(labels: np.ndarray) -> np.ndarray:
    """Clusters in the order of their first objects.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.labels import first_seen
    >>> first_seen(np.array([2, -1, 2, 0]))
    array([2, 0], dtype=int32)
    """
    seen = np.zeros(int(labels.max(initial=-1)) + 3, dtype=bool)
    seen[-2:] = True  # where the codes -2 and -1 point to
    order = [np.empty(0, dtype=np.int32)]
    for part in pieces(labels):
        fresh = part[~seen[part]]
        if len(fresh):
            _, first = np.unique(fresh, return_index=True)
            order.append(fresh[np.sort(first)].astype(np.int32))
            seen[order[-1]] = True
    return np.concatenate(order)


@in_blocks_too
def canonical_members(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rename the clusters of each member by first object, and put the members in a fixed order.

    What is computed from the result, sums of floats included, depends neither on the names of
    the clusters nor on the order of the members.  The order is that of the members' hashes:
    arbitrary, but given by their contents.

    Returns
    -------
    labels : ndarray of shape (n, M)
        Renamed and reordered.
    order : ndarray of shape (M,)
        Column j of the result is member order[j].
    """
    columns = [first_seen_order(column) for column in labels.T]
    order = np.argsort([column_hash(column) for column in columns], kind="stable")
    result = np.empty(labels.shape, dtype=np.int32, order="F")
    for m, source in enumerate(order):
        result[:, m] = columns[source]
    return result, order


def column_hash(column: np.ndarray, start: int = 0) -> np.uint64:
    """Sum of hashes of the labels with their places, which begin at `start`.

    Hashes of the parts of a column add up to that of the whole, modulo 2^64.
    """
    total = np.zeros(1, dtype=np.uint64)
    for part in pieces(column):
        places = np.arange(start, start + len(part), dtype=np.uint64)
        start += len(part)
        keys = places * np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio
        keys ^= (part.astype(np.int64) - MISSING).astype(np.uint64) * np.uint64(0xD6E8FEB86659FD93)
        keys ^= keys >> np.uint64(32)
        keys *= np.uint64(0xD6E8FEB86659FD93)
        keys ^= keys >> np.uint64(29)
        total += keys.sum(dtype=np.uint64)
    return total[0]


class UniqueRows(NamedTuple):
    """Distinct rows of a label matrix, in order of first appearance."""

    rows: np.ndarray
    inverse: np.ndarray
    counts: np.ndarray


@in_blocks_too
def unique_rows(labels: np.ndarray) -> UniqueRows:
    """Collapse objects with equal label rows to one row with a multiplicity.

    Rows are compared by a 64-bit hash first and label by label afterwards, so the answer is
    exact.  O(n·M + n log n) time, O(n) memory beside the result.
    """
    keys = _row_hashes(labels)
    _, first, inverse, counts = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    if not all(np.array_equal(col[first][inverse], col) for col in labels.T):  # a collision
        _, first, inverse, counts = np.unique(
            labels, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return UniqueRows(labels[first[order]], rank[inverse.ravel()], counts[order])


@in_blocks_too
def count_distinct_rows(labels: np.ndarray) -> int:
    """Number of objects that the members can tell apart: the most clusters there can be.

    Noise is alike to nothing, not even to noise, so an object with noise is distinct.
    """
    noisy = (labels == NOISE).any(axis=1)
    distinct = int(noisy.sum())
    return distinct if noisy.all() else distinct + len(unique_rows(labels[~noisy]).rows)


def _row_hashes(labels: np.ndarray) -> np.ndarray:
    keys = np.zeros(len(labels), dtype=np.uint64)
    for column in labels.T:
        keys ^= column.astype(np.uint64)
        keys *= np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: Fibonacci hashing
        keys ^= keys >> np.uint64(29)
    return keys
