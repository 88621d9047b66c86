"""Trees of merges: order of tied merges, lifetimes of levels, cuts at k clusters."""

from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from consens._labels import first_seen_order
from consens._validation import check_number
from consens.partition.graph import check_n_parts


def order_merges(
    first: np.ndarray,
    second: np.ndarray,
    similarity: np.ndarray,
    *,
    equal: int = 0,
    slack: float = 0.0,
) -> np.ndarray:
    """Sort merges so that the best available pair of groups is always merged next.

    A nearest-neighbour chain finds the right merges, but not in the right order.  A merge comes
    after those that made its groups; the first `equal` merges are of equal objects.  Of equal
    similarities (up to `slack`) these come first, then the smallest first object, then the
    smallest second one.
    """
    descending = np.argsort(-similarity, kind="stable")
    sorted_ = similarity[descending]
    level = np.empty(len(first), dtype=np.int64)
    level[descending] = np.cumsum(
        np.concatenate([[0], sorted_[1:] < sorted_[:-1] * (1 - slack)])[: len(first)]
    )
    unequal = np.arange(len(first)) >= equal
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.lexsort((second, first, unequal, level))] = np.arange(len(first))
    # A merge waits for the last merge that made its groups; then it is next, because at that
    # moment it is better than all other available merges.
    waits = [-1] * (len(rank) + 1)
    turns = []
    for own, a, b in zip(rank.tolist(), first.tolist(), second.tolist(), strict=True):
        waits[a] = max(own, waits[a], waits[b])
        turns.append(waits[a])
    return np.argsort(np.array(turns, dtype=np.int64), kind="stable")


def merge_tree(first: np.ndarray, second: np.ndarray, similarity: np.ndarray) -> np.ndarray:
    """Convert ordered merges to a tree in the format of scipy.cluster.hierarchy.linkage."""
    # equal similarities of weighted sums may differ in the last digit
    heights = np.maximum.accumulate(1.0 - similarity)
    return merge_table(first, second, heights, len(first) + 1)


def merge_table(first: np.ndarray, second: np.ndarray, values: np.ndarray, n: int) -> np.ndarray:
    """Merges of n objects with SciPy's node numbers: two nodes, a value and the size per row."""
    node, size = list(range(n)), [1] * n
    merges = []
    for step, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True), start=n):
        size[a] += size[b]
        merges.append((node[a], node[b], size[a]))
        node[a] = step
    left, right, sizes = np.array(merges, dtype=np.int64).reshape(-1, 3).T
    return np.column_stack([np.minimum(left, right), np.maximum(left, right), values, sizes])


def first_objects(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First objects of the two groups that each successive edge of a spanning tree joins."""
    root = list(range(len(first) + 1))
    kept, dropped = [], []
    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        while root[a] != a:
            root[a] = a = root[root[a]]
        while root[b] != b:
            root[b] = b = root[root[b]]
        keep, drop = (a, b) if a < b else (b, a)
        root[drop] = keep
        kept.append(keep)
        dropped.append(drop)
    return np.array(kept, dtype=np.int64), np.array(dropped, dtype=np.int64)


def check_tree(merges: Any) -> np.ndarray:
    """Check a tree in the format of scipy.cluster.hierarchy.linkage."""
    merges = np.asarray(merges)
    if merges.ndim != 2 or merges.shape[1] != 4 or merges.dtype.kind not in "iuf":
        raise ValueError(
            "expected a tree with four numbers per merge, as scipy.cluster.hierarchy.linkage, got "
            f"{merges.dtype} of shape {merges.shape}"
        )
    nodes, n = merges[:, :2], len(merges) + 1
    known = (nodes >= 0) & (nodes < n + np.arange(n - 1)[:, None]) & (nodes == np.rint(nodes))
    if not known.all() or not np.isfinite(merges).all():
        raise ValueError(f"a merge joins nodes that do not exist among {n} objects")
    return merges


def lifetimes(merges: np.ndarray, top: float = 1.0) -> np.ndarray:
    """Length of the range of thresholds that gives k clusters, in entry k - 1.

    The lifetime of k clusters is the height at which k becomes k - 1 less the height at which
    k + 1 became k; n clusters live from 0 to the first merge, one cluster from the last merge
    to `top`, the largest possible distance (Fred and Jain 2005, Section 3.3).

    Examples
    --------
    >>> import numpy as np
    >>> from consens.partition import lifetimes
    >>> merges = np.array([[0, 1, 0.1, 2], [2, 3, 0.7, 3]])
    >>> lifetimes(merges).round(2)
    array([0.3, 0.6, 0.1])
    """
    merges, top = check_tree(merges), check_number(top, "top")
    heights = np.concatenate([[0.0], merges[:, 2], [top]])
    return np.maximum(np.diff(heights)[::-1], 0.0)


def longest_lifetime(lives: np.ndarray) -> int:
    """Number of clusters with the longest lifetime; the smaller of numbers equal up to 1e-12."""
    return int(np.flatnonzero(lives >= lives.max() - 1e-12)[0]) + 1


def cut(merges: np.ndarray, n_clusters: int) -> np.ndarray:
    """Cut a tree into n_clusters groups, by making only the first n - n_clusters merges.

    There are always exactly n_clusters groups, even if merges have equal heights, which a
    threshold on the height could not separate.  Groups are numbered by their first object.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.partition import cut
    >>> cut(np.array([[1, 2, 0.1, 2], [0, 3, 0.7, 3]]), 2)
    array([0, 1, 1], dtype=int32)
    """
    merges = check_tree(merges)
    n = len(merges) + 1
    n_clusters = check_n_parts(n_clusters, n)
    done = merges[: n - n_clusters, :2].astype(np.int64)
    parents = np.repeat(n + np.arange(len(done)), 2)
    graph = coo_array(
        (np.ones(2 * len(done), dtype=np.int8), (parents, done.ravel())), shape=(2 * n, 2 * n)
    )
    return first_seen_order(connected_components(graph, directed=False)[1][:n])
