"""Membership of objects in clusters, the overlap of clusters, and counts for pairs of objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from consens._blocks import Collection, sum_rows
from consens._kernels import worth_compiling
from consens._labels.codes import MISSING, NOISE, as_columns, n_clusters_per_member, narrow_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scipy.sparse import csr_array


#: Most cells per object of two members for which a counter for each cell is quick.
CELLS_PER_OBJECT = 8


def offsets(labels: Collection) -> np.ndarray:
    """First cluster number of each member, followed by the total number of clusters."""
    return offsets_of_widths(n_clusters_per_member(labels))


def offsets_of_widths(n_clusters: np.ndarray) -> np.ndarray:
    """`offsets` of members with these numbers of clusters."""
    return np.concatenate([[0], np.cumsum(n_clusters)])


def indicator(
    labels: np.ndarray,
    *,
    noise: bool = False,
    starts: np.ndarray | None = None,
    dtype: Any = np.float64,
) -> csr_array:
    """Sparse 0/1 matrix B of objects by the clusters of all members, and their `noise` if asked.

    If `labels` are only some rows of a label matrix, pass the `offsets` of the whole as `starts`.
    """
    from scipy.sparse import csr_array

    codes = as_columns(labels)
    if starts is None:
        starts = offsets(codes)
    if noise:
        codes = np.where(codes == NOISE, np.diff(starts), codes)
        starts = starts + np.arange(len(starts))
    marked = codes >= 0
    indptr = np.concatenate([[0], np.cumsum(marked.sum(axis=1))])
    indices = (codes + starts[:-1])[marked]
    shape = (len(labels), int(starts[-1]))
    return csr_array((np.ones(len(indices), dtype), indices, indptr), shape=shape)


def contingency(
    a: Collection,
    b: Collection | None = None,
    *,
    noise: bool = False,
    weights: Collection | None = None,
) -> csr_array:
    """Sparse counts of the objects that clusters of `a` and clusters of `b` share: B_a' W B_b.

    A label vector is a matrix of one column; without `b`, `a` is crossed with itself.  With
    `noise` every member has one more row (or column) at its end.  O(n M²) time; memory for the
    result, and n·M bytes if members have fewer than 255 clusters each.
    """
    k_a, k_b = n_clusters_per_member(a), None if b is None else n_clusters_per_member(b)
    others = {name: rows for name, rows in (("b", b), ("weights", weights)) if rows is not None}

    def count(a: np.ndarray, *parts: np.ndarray) -> csr_array:
        given = dict(zip(others, parts, strict=True))
        return shared_objects(
            a, given.get("b"), k_a, k_b, noise=noise, weights=given.get("weights")
        )

    return sum_rows(count, a, *others.values())


def shared_objects(
    a: np.ndarray,
    b: np.ndarray | None,
    k_a: np.ndarray,
    k_b: np.ndarray | None,
    *,
    noise: bool = False,
    weights: np.ndarray | None = None,
) -> csr_array:
    """`contingency` of some rows of label matrices whose members have k_a and k_b clusters."""
    a = as_columns(a)
    b = None if b is None else as_columns(b)
    cells = (k_a.max() + 2) * ((k_a if k_b is None else k_b).max() + 2)
    if not worth_compiling("objects", len(a)) or cells > CELLS_PER_OBJECT * len(a):
        left = indicator(a, noise=noise, starts=offsets_of_widths(k_a), dtype=np.int64)
        right = left
        if b is not None and k_b is not None:
            right = indicator(b, noise=noise, starts=offsets_of_widths(k_b), dtype=np.int64)
        table = left.T.tocsr() @ (right if weights is None else right.multiply(weights[:, None]))
        table.sort_indices()  # sums over a row always have the same order
        return table
    from scipy.sparse import csr_array

    from consens._kernels.contingency import count_shared_objects, encode

    rows = encode(a, k_a, noise)
    columns = None if b is None or k_b is None else encode(b, k_b, noise)
    shape = rows.starts[-1], (rows if columns is None else columns).starts[-1]
    return csr_array(count_shared_objects(rows, columns, weights), shape=shape)


def cluster_sizes(
    labels: Collection, n_clusters: Sequence[int] | np.ndarray | None = None
) -> np.ndarray:
    """Number of objects of each cluster, member after member."""
    widths = n_clusters_per_member(labels) if n_clusters is None else n_clusters

    def sizes(block: np.ndarray) -> np.ndarray:
        inside = (c if c.min(initial=0) >= 0 else c[c >= 0] for c in block.T)
        columns = zip(inside, widths, strict=True)
        return np.concatenate([np.bincount(own, minlength=width) for own, width in columns])

    return sum_rows(sizes, labels)


def sums_of_numbers(labels: Collection) -> np.ndarray:
    """Sum of the object numbers of each cluster, which does not depend on cluster names."""
    widths = n_clusters_per_member(labels)

    def add_up(block: np.ndarray, start: int) -> np.ndarray:
        sums = []
        for column, width in zip(block.T, widths, strict=True):
            inside = np.flatnonzero(column >= 0)
            numbers = np.bincount(column[inside], inside, minlength=width).astype(np.int64)
            sums.append(numbers + start * np.bincount(column[inside], minlength=width))
        return np.concatenate(sums)

    # blocks of 2^20 rows: sums of their numbers are exact in float64
    return sum_rows(add_up, labels, bytes_per_row=2**6, with_start=True)


def label_weights(labels: np.ndarray, starts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weight of the cluster of each label, 0 for noise and missing labels."""
    numbers = np.where(labels >= 0, labels + starts[:-1], -1)
    return np.append(weights, 0.0)[numbers]


def narrow(labels: np.ndarray) -> np.ndarray:
    """Convert labels to the smallest signed type, which makes comparisons faster."""
    return np.asfortranarray(labels, dtype=narrow_type(int(labels.max(initial=0))))


def shared_members(
    rows: np.ndarray,
    labels: np.ndarray,
    row_weights: np.ndarray | None = None,
    *,
    compiled: bool | None = None,
) -> np.ndarray:
    """Count the members in which each of `rows` shares a cluster with each object, r × n.

    With `row_weights`, the weight of the cluster of each label of a row, weights are added up.
    """
    n, n_members = labels.shape
    dtype = np.dtype(np.float64)
    if row_weights is None:
        dtype = np.min_scalar_type(-n_members - 1)
    if compiled is None:
        compiled = worth_compiling("comparisons", len(rows) * n * n_members)
    if compiled and row_weights is None:
        from consens._kernels.spanning_tree import shared_counts

        shared = np.empty((len(rows), n), dtype=dtype)
        shared_counts(rows, labels, shared)
        return shared
    shared = np.zeros((len(rows), n), dtype=dtype)
    rows = np.where(rows < 0, MISSING - 1, rows)  # noise equals nothing, not even noise
    height = max(1, 2**18 // max(1, n * dtype.itemsize))  # the sums of a block fit in the cache
    for start in range(0, len(rows), height):
        block = slice(start, start + height)
        for m, column in enumerate(labels.T):
            same = rows[block, m, None] == column
            if row_weights is None:
                shared[block] += same.view(np.int8)
            else:
                shared[block] += same * row_weights[block, m, None]
    return shared


class ClusterOverlap(NamedTuple):
    """Objects that two clusters share; those of one that a member has ``seen``, calls ``noise``.

    ``owner`` is the member of each cluster.
    """

    shared: csr_array
    seen: np.ndarray
    noise: np.ndarray
    owner: np.ndarray


def cluster_overlap(labels: Collection) -> ClusterOverlap:
    """Count the overlaps of clusters with clusters and with members."""
    n_members = labels.shape[1]
    widths = n_clusters_per_member(labels) + 1
    owner = np.repeat(np.arange(n_members), widths)
    noise_column = np.cumsum(widths) - 1
    cluster_column = np.setdiff1d(np.arange(len(owner)), noise_column)
    table = contingency(labels, noise=True)[cluster_column]
    members = table @ indicator(owner, dtype=np.int64)
    return ClusterOverlap(
        table[:, cluster_column],
        members.toarray(),
        table[:, noise_column].toarray(),
        owner[cluster_column],
    )


def match(labels: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Rename clusters one-to-one to agree with `reference` most; others get new numbers."""
    overlap = contingency(labels, reference).toarray()
    names = np.append(partners(overlap), [MISSING, NOISE]).astype(np.int32)
    alone = np.flatnonzero(names[:-2] < 0)
    names[alone] = overlap.shape[1] + np.arange(len(alone))
    return np.take(names, labels)  # the codes -2 and -1 point to the last two


def partners(overlap: np.ndarray) -> np.ndarray:
    """Assign rows to columns one-to-one with the largest sum (Hungarian method); -1 for none."""
    from scipy.optimize import linear_sum_assignment

    own, other = linear_sum_assignment(overlap, maximize=True)
    result = np.full(len(overlap), -1)
    result[own] = other
    return result


def pair_seconds(n: int, n_members: int, nanoseconds: float) -> float:
    """Estimate the time to count all pairs of n rows, with a fixed cost per pair in addition."""
    return 1e-9 * n * n * (nanoseconds + 0.05 * n_members)


class PairCounts:
    """Counts of members for pairs of objects, between blocks of rows and all rows.

    Noise is seen but never together, not even with itself; missing labels are not seen.
    """

    def __init__(self, labels: np.ndarray) -> None:
        self.labels = narrow(labels)
        self.n_members = labels.shape[1]
        self._compiled = worth_compiling("comparisons", len(labels) * labels.size)
        missing = labels == MISSING
        self._saw = None if not missing.any() else (~missing).astype(np.float64)

    @property
    def complete(self) -> bool:
        """Whether every member saw all objects."""
        return self._saw is None

    def together(self, rows: slice, label_weights: np.ndarray | None = None) -> np.ndarray:
        """Number of members that put two objects in one cluster, or the sum of their weights."""
        own = self.labels[rows]
        return shared_members(own, self.labels, label_weights, compiled=self._compiled)

    def seen(self, rows: slice, weights: np.ndarray | None = None) -> Any:
        """Number of members that saw both objects; a scalar if every member saw all objects."""
        if self._saw is None:
            return self.n_members if weights is None else weights.sum()
        if weights is None:
            return (self._saw[rows] @ self._saw.T).astype(np.intp)
        return (self._saw[rows] * weights) @ self._saw.T
