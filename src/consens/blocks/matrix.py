"""The label algebra of `consens.labels` for label matrices that come in blocks.

A function of `consens.labels` that is marked by ``in_blocks_too`` finds its twin here, under the
same name, when its labels are `Rows`.  What is counted is added up in integers and what is said
of an object depends on its own row, so every answer is that for the whole matrix to the last bit.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from consens import labels as algebra
from consens.blocks.rows import Rows, as_rows
from consens.labels import MISSING, NOISE, Profiles, UniqueRows
from consens.labels.parse import distinct_labels, numbered


class LabelStats(NamedTuple):
    """What one pass over a label matrix tells.

    ``n_clusters`` of each member, whether there is any ``noise`` and anything ``missing``, and
    how many objects of each block are ``clustered``: in a cluster of at least one member.
    """

    n_clusters: np.ndarray
    noise: bool
    missing: bool
    clustered: tuple[int, ...]


def find_label_stats(labels: Rows) -> LabelStats:
    """Make a pass over compact labels."""
    found = list(labels.collect(_facts))
    n_clusters = np.max([block.n_clusters for block in found], axis=0)
    return LabelStats(
        n_clusters,
        any(block.noise for block in found),
        any(block.missing for block in found),
        tuple(count for block in found for count in block.clustered),
    )


def _facts(block: np.ndarray) -> LabelStats:
    columns = block[:, None] if block.ndim == 1 else block
    return LabelStats(
        algebra.n_clusters_per_member(columns),
        bool((columns == NOISE).any()),
        bool((columns == MISSING).any()),
        (int(algebra.in_a_cluster(columns).sum()),),
    )


def read_labels(rows: Rows) -> Rows:
    """Number the labels of each member from 0, as `labels.check_labels` does, and keep them.

    Labels must be integers; floats that hold integers, with NaN for what is missing, will do.
    They are held in the smallest type, and seen as int32.
    """
    if rows.ndim != 2:
        raise ValueError(
            "expected a label matrix with one row per object and one column per partition, got "
            "a vector in blocks; one partition is a matrix of one column"
        )
    if len(rows) < 2:
        raise ValueError(f"a clustering needs two objects at least, got {len(rows)}")
    found = list(rows.collect(_read))
    unseen = [
        (start + first, n) for start, (_, first, n, _) in zip(rows.starts, found, strict=True) if n
    ]
    if unseen:
        raise algebra.unseen_rows(sum(n for _, n in unseen), unseen[0][0])
    distinct = [
        np.unique(np.concatenate([block[0][m] for block in found])) for m in range(rows.shape[1])
    ]
    for m, values in enumerate(distinct):
        if (values == MISSING).all():
            raise ValueError(
                f"label column {m} is empty: every label is missing; leave this partition out"
            )
    facts = LabelStats(
        np.array([int((values >= 0).sum()) for values in distinct]),
        any(NOISE in values for values in distinct),
        any(MISSING in values for values in distinct),
        tuple(clustered for *_, clustered in found),
    )
    return keep_labels(
        rows.map(partial(_numbered, distinct), width=rows.width, dtype=np.int32), facts
    )


def _read(block: np.ndarray) -> tuple[list[np.ndarray], int, int, int]:
    """Distinct labels of each column, first row without any label, their number, and clustered."""
    distinct, missing, clustered = [], np.ones(len(block), bool), np.zeros(len(block), bool)
    for column in block.T:
        values, own = distinct_labels(column)
        distinct.append(own)
        missing &= values == MISSING
        clustered |= values >= 0
    return distinct, int(missing.argmax()), int(missing.sum()), int(clustered.sum())


def _numbered(distinct: list[np.ndarray], block: np.ndarray) -> np.ndarray:
    result = np.empty(block.shape, dtype=np.int32, order="F")
    for m, column in enumerate(block.T):
        result[:, m] = numbered(column, distinct[m])
    return result


def keep_labels(labels: Rows, facts: LabelStats | None = None) -> Any:
    """Make compact labels now; they are held in the smallest type, and seen as int32."""
    if facts is None:
        facts = find_label_stats(labels)
    most = int(facts.n_clusters.max(initial=1))
    dtype = next(t for t in (np.int8, np.int16, np.int32) if most <= np.iinfo(t).max)
    narrow = labels.map(partial(_narrow, dtype), width=labels.width, dtype=dtype).persist()
    kept = narrow.map(_wide, width=labels.width, dtype=np.int32)
    kept.__dict__["facts"] = facts
    return kept


def _narrow(dtype: Any, block: np.ndarray) -> np.ndarray:
    return np.asfortranarray(block, dtype=dtype)


def _wide(block: np.ndarray) -> np.ndarray:
    return block.astype(np.int32, order="K")


def pick_members(labels: Rows, picked: np.ndarray) -> Rows:
    """Some members, with what is known of them."""
    rows = labels.columns(picked)
    facts = labels.facts
    if not (facts.noise or facts.missing):
        rows.__dict__["facts"] = facts._replace(n_clusters=facts.n_clusters[picked])
    return rows


# ------------------------------------------------------------ twins of functions of consens.labels


def n_clusters_per_member(labels: Rows) -> np.ndarray:
    """Number of clusters of each member."""
    return labels.facts.n_clusters


def has_code(labels: Rows, code: int) -> bool:
    """Whether there is any `NOISE`, or any `MISSING`."""
    return labels.facts.noise if code == NOISE else labels.facts.missing


def contingency(
    labels: Rows, b: Any = None, *, noise: bool = False, weights: Any = None
) -> csr_array:
    """Objects shared by the clusters of two label matrices; weights are integers."""
    k_a = n_clusters_per_member(labels)
    others, k_b = [], None
    if b is not None:
        others.append(b)
        k_b = algebra.n_clusters_per_member(b)
    if weights is not None:
        others.append(weights)
    count = partial(_shared, k_a, k_b, noise, b is not None, weights is not None)
    return labels.sum(count, *others)


def _shared(
    k_a: np.ndarray,
    k_b: np.ndarray | None,
    noise: bool,
    has_b: bool,
    has_weights: bool,
    a: np.ndarray,
    *others: np.ndarray,
) -> csr_array:
    b = others[0] if has_b else None
    weights = others[-1] if has_weights else None
    return algebra.shared_objects(a, b, k_a, k_b, noise=noise, weights=weights)


def profiles(labels: Rows, partition: Any, n_clusters: int | None = None) -> Profiles:
    """Count the clusters of `partition` in every cluster of the label matrix."""
    k = n_clusters_per_member(labels)
    rows = as_rows(partition)
    partition = partition if rows is None else rows
    if n_clusters is None:
        n_clusters = int(np.max(algebra.n_clusters_per_member(partition)))
    together, seen, sizes = labels.sum(partial(_counts, k, n_clusters), partition)
    return Profiles(together, seen, sizes, np.concatenate([[0], np.cumsum(k)]))


def _counts(
    k: np.ndarray, n_clusters: int, labels: np.ndarray, partition: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    counts = algebra.partition_counts(labels, partition, k, n_clusters)
    return counts.together, counts.seen, counts.sizes


def cluster_sums(labels: Rows, starts: np.ndarray, table: np.ndarray) -> Rows:
    """Add up, for each object, the rows of a table that belong to its clusters."""
    sums = partial(_with, algebra.cluster_sums, starts, table)
    return labels.map(sums, width=table.shape[1], dtype=np.float64)


def cluster_votes(labels: Rows, starts: np.ndarray, table: np.ndarray) -> Rows:
    """Column of the largest of `cluster_sums`."""
    return labels.map(partial(_with, algebra.cluster_votes, starts, table), dtype=np.int32)


def _with(function: Any, starts: np.ndarray, table: np.ndarray, block: np.ndarray) -> Any:
    return function(block, starts, table)


def first_seen(labels: Rows) -> np.ndarray:
    """Clusters in the order of their first objects."""
    found = np.concatenate(list(labels.collect(algebra.first_seen)))
    _, first = np.unique(found, return_index=True)
    return found[np.sort(first)]


def first_seen_order(labels: Rows) -> Rows:
    """Renumber clusters by their first object."""
    order = first_seen(labels)
    names = np.zeros(int(order.max(initial=-1)) + 3, dtype=np.int32)
    names[order] = np.arange(len(order))
    names[-2:] = MISSING, NOISE  # where the codes -2 and -1 point to
    return labels.map(partial(_named, names), dtype=np.int32)


def _named(names: np.ndarray, block: np.ndarray) -> np.ndarray:
    return names[block]


def unique_rows(labels: Rows, most: int | None = None) -> UniqueRows | None:
    """Distinct rows in order of first appearance, in memory; where each object is, is not told.

    None if there are more than `most`.
    """
    found = list(labels.collect(partial(_unique, most)))
    if any(block is None for block in found):
        return None
    rows, inverse, _ = algebra.unique_rows(np.concatenate([rows for rows, _ in found]))
    if most is not None and len(rows) > most:
        return None
    counts = np.bincount(inverse, np.concatenate([counts for _, counts in found]))
    return UniqueRows(rows, np.empty(0, np.intp), counts.astype(np.int64))


def _unique(most: int | None, block: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    rows, _, counts = algebra.unique_rows(block)
    return None if most is not None and len(rows) > most else (rows, counts)


def values_by_row(labels: Rows, rows: np.ndarray, values: np.ndarray) -> Rows:
    """Value of the row that is equal to each object's; every object has one."""
    return labels.map(partial(_values_by_row, rows, values), dtype=values.dtype)


def _values_by_row(rows: np.ndarray, values: np.ndarray, block: np.ndarray) -> np.ndarray:
    number = {row.tobytes(): i for i, row in enumerate(np.ascontiguousarray(rows))}
    found = algebra.unique_rows(block)
    own = [number[row.tobytes()] for row in np.ascontiguousarray(found.rows, dtype=rows.dtype)]
    return values[np.array(own)[found.inverse]]


def count_distinct_rows(labels: Rows) -> int:
    """Number of objects that the members can tell apart."""
    noisy, rows = 0, []
    for n, distinct in labels.collect(_distinct):
        noisy += n
        rows.append(distinct)
    quiet = np.concatenate(rows)
    return noisy + (len(algebra.unique_rows(quiet).rows) if len(quiet) else 0)


def _distinct(block: np.ndarray) -> tuple[int, np.ndarray]:
    noisy = (block == NOISE).any(axis=1)
    quiet = block[~noisy]
    return int(noisy.sum()), algebra.unique_rows(quiet).rows if len(quiet) else quiet


def sums_of_numbers(labels: Rows) -> np.ndarray:
    """Sum of the numbers of the objects of each cluster, in integers."""
    k = n_clusters_per_member(labels)
    return labels.sum(partial(_numbers, k), each=labels.starts)


def _numbers(k: np.ndarray, block: np.ndarray, start: int) -> np.ndarray:
    return algebra.sums_of_numbers(block, k, start)


def cluster_sizes(labels: Rows) -> np.ndarray:
    """Number of objects of each cluster, member after member."""
    return labels.sum(partial(_sizes, n_clusters_per_member(labels)))


def _sizes(k: np.ndarray, block: np.ndarray) -> np.ndarray:
    return algebra.cluster_sizes(block, k)


def canonical_members(labels: Rows) -> tuple[Rows, np.ndarray]:
    """Rename the clusters of each member by first object, and put members in a fixed order."""
    facts = labels.facts
    found = list(labels.collect(_first_seen_of_members))
    tables = []
    for m, k in enumerate(facts.n_clusters):
        seen = np.concatenate([block[m] for block in found])
        order = seen[np.sort(np.unique(seen, return_index=True)[1])]
        names = np.zeros(k + 2, dtype=np.int32)
        names[order] = np.arange(len(order))
        names[-2:] = MISSING, NOISE
        tables.append(names)
    renamed = labels.map(partial(_renamed, tables), width=labels.width, dtype=np.int32)
    keys = renamed.sum(_hashes, each=labels.starts)
    order = np.argsort(keys, kind="stable")
    result = renamed.columns(order)
    result.__dict__["facts"] = facts._replace(n_clusters=facts.n_clusters[order])
    return result, order


def _first_seen_of_members(block: np.ndarray) -> list[np.ndarray]:
    return [algebra.first_seen(column) for column in block.T]


def _renamed(tables: list[np.ndarray], block: np.ndarray) -> np.ndarray:
    result = np.empty(block.shape, dtype=np.int32, order="F")
    for m, names in enumerate(tables):
        result[:, m] = names[block[:, m]]
    return result


def _hashes(block: np.ndarray, start: int) -> np.ndarray:
    return np.array([algebra.column_hash(column, start) for column in block.T])
