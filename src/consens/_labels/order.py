"""Canonical numbers of clusters and order of members, distinct rows, repair of empty clusters."""

from functools import partial
from typing import Any, Generic, NamedTuple

import numpy as np

from consens._blocks import (
    C,
    Collection,
    Rows,
    collect_rows,
    load,
    map_rows,
    preset,
    split_like,
    sum_rows,
    take_columns,
)
from consens._labels.codes import (
    MISSING,
    NOISE,
    find_label_stats,
    label_stats,
    rename_clusters,
    rows_to_combine,
)
from consens._labels.parse import look_up, pieces


def first_seen_order(labels: C) -> C:
    """Renumber clusters by their first object, so that equal partitions get equal vectors."""
    order = first_seen(labels)
    if order.max(initial=0) > 4 * len(labels) + 1024:  # sorting needs less memory than a table
        ranks = np.argsort(order)
        numbers = ranks.astype(np.int32)
        ascending = order[ranks]

        def renumber(part: np.ndarray) -> np.ndarray:
            found = numbers[np.minimum(np.searchsorted(ascending, part), len(numbers) - 1)]
            return np.where(part < 0, part, found).astype(np.int32)
    else:
        names = names_of(order, int(order.max(initial=-1)) + 1)

        def renumber(part: np.ndarray) -> np.ndarray:
            return look_up(names, part)

    return map_rows(renumber, labels, dtype=np.int32)


def names_of(order: np.ndarray, n_clusters: int) -> np.ndarray:
    """Table that maps cluster order[j] to j; the codes -2 and -1 index its last two entries."""
    names = np.zeros(n_clusters + 2, dtype=np.int32)
    names[order] = np.arange(len(order))
    names[-2:] = MISSING, NOISE
    return names


def first_seen(labels: Collection) -> np.ndarray:
    """Clusters in the order of their first objects."""
    return _first_of(np.concatenate(collect_rows(_first_seen, labels)))


def _first_seen(labels: np.ndarray) -> np.ndarray:
    highest = int(labels.max(initial=-1))
    if highest > 4 * len(labels) + 1024:
        return _first_of(labels[labels >= 0])
    seen = np.zeros(highest + 3, dtype=bool)
    seen[-2:] = True  # where the codes -2 and -1 point to
    order = [np.empty(0, dtype=labels.dtype)]
    for part in pieces(labels):
        fresh = part[~seen[part]]
        if len(fresh):
            order.append(_first_of(fresh))
            seen[order[-1]] = True
    return np.concatenate(order)


def _first_of(values: np.ndarray) -> np.ndarray:
    """Distinct values in the order of their first occurrence."""
    return values[np.sort(np.unique(values, return_index=True)[1])]


def canonical_members(labels: C) -> tuple[C, np.ndarray]:
    """Number the clusters of each member by first object, and sort the members by their hashes.

    Column j of the result, which depends neither on names nor on the order, is member
    ``order[j]``.
    """
    stats = label_stats(labels)
    found = collect_rows(lambda block: [_first_seen(column) for column in block.T], labels)
    names = [
        names_of(_first_of(np.concatenate([block[m] for block in found])), int(k))
        for m, k in enumerate(stats.n_clusters)
    ]
    renamed = rename_clusters(labels, names)

    def hashes(block: np.ndarray, start: int) -> np.ndarray:
        return np.array([column_hash(column, start) for column in block.T])

    order = np.argsort(sum_rows(hashes, renamed, with_start=True), kind="stable")
    result = take_columns(renamed, order)
    stats = stats._replace(n_clusters=stats.n_clusters[order])
    return preset(find_label_stats, result, stats), order


def column_hash(column: np.ndarray, start: int = 0) -> np.uint64:
    """Sum of hashes of the labels and their positions, which begin at `start`."""
    total = np.zeros(1, dtype=np.uint64)  # an array, because scalars warn of overflow
    for part in pieces(column):
        places = np.arange(start, start + len(part), dtype=np.uint64)
        start += len(part)
        keys = places * np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio
        keys ^= (part.astype(np.int64) - MISSING).astype(np.uint64) * np.uint64(0xD6E8FEB86659FD93)
        keys ^= keys >> np.uint64(32)
        keys *= np.uint64(0xD6E8FEB86659FD93)
        keys ^= keys >> np.uint64(29)
        total += keys.sum(dtype=np.uint64)
    return np.uint64(total[0])


class UniqueRows(NamedTuple, Generic[C]):
    """Distinct rows of a label matrix, in order of first appearance.

    Object i has the row ``rows[inverse[i]]``; row r belongs to ``counts[r]`` objects.
    """

    rows: np.ndarray
    inverse: C
    counts: np.ndarray


def unique_rows(labels: C, at_least: int = 1) -> UniqueRows[C]:
    """Collapse objects with equal label rows, exactly, to one row with a multiplicity.

    If that leaves fewer than `at_least` rows, each object keeps one.  O(n·M + n log n) time.
    """
    n = len(labels)
    found: Any = few_unique_rows(labels, n) if isinstance(labels, Rows) else _unique(load(labels))
    if len(found.rows) < at_least:
        found = load(labels), split_like(np.arange(n), labels), np.ones(n, dtype=np.intp)
    return UniqueRows(*found)


def few_unique_rows(labels: Rows, most: int) -> UniqueRows[Rows] | None:
    """`unique_rows`, or None if there are more than `most`; `inverse` is computed lazily."""

    def few_unique(block: np.ndarray) -> UniqueRows[np.ndarray] | None:
        found = _unique(block)
        return None if len(found.rows) > most else found._replace(inverse=np.empty(0))

    found = collect_rows(few_unique, labels)
    kept = [block for block in found if block is not None]
    if len(kept) < len(found):
        return None
    rows, inverse, _ = _unique(np.concatenate([block.rows for block in kept]))
    if len(rows) > most:
        return None
    counts = np.bincount(inverse, np.concatenate([block.counts for block in kept]))
    number = map_rows(partial(_row_numbers, rows), labels, dtype=np.intp)
    return UniqueRows(rows, number, counts.astype(np.int64))


def _row_numbers(rows: np.ndarray, block: np.ndarray) -> np.ndarray:
    """Number of the row in `rows` that equals each row of the block; all must occur there."""
    number = {row.tobytes(): i for i, row in enumerate(np.ascontiguousarray(rows))}
    found = _unique(block)
    own = [number[row.tobytes()] for row in np.ascontiguousarray(found.rows, dtype=rows.dtype)]
    return np.take(np.array(own, dtype=np.intp), found.inverse)


def _unique(labels: np.ndarray) -> UniqueRows[np.ndarray]:
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


def count_distinct_rows(labels: Collection) -> int:
    """Number of distinct label rows, the largest possible number of clusters; noise is ignored."""
    objects = rows_to_combine(labels)
    if not sum(objects.counts):
        return 0

    def distinct(block: np.ndarray) -> np.ndarray:
        return _unique(np.where(block == NOISE, MISSING, block)).rows

    found = collect_rows(distinct, objects.filter(labels))
    return len(found[0] if len(found) == 1 else _unique(np.concatenate(found)).rows)


def _row_hashes(labels: np.ndarray) -> np.ndarray:
    keys = np.zeros(len(labels), dtype=np.uint64)
    for column in labels.T:
        keys ^= column.astype(np.uint64)
        keys *= np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: Fibonacci hashing
        keys ^= keys >> np.uint64(29)
    return keys


def fill_empty(labels: Any, loss: Any, n_clusters: int) -> Any:
    """Move into each empty cluster, one after the other, the object with the smallest loss.

    `loss` is that of moving an object to any cluster (n values) or to each (n × k).  The only
    object of a cluster never moves, nor does one with a negative label; of equal losses the first
    moves.
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
