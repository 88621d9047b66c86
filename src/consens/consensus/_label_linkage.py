"""Hierarchies of objects by the clusters they share, without the matrix of all pairs.

The similarity of two objects is the sum of the weights of the clusters that hold both.  So the
sum over all pairs of two groups A and B is an inner product of their cluster histograms,

    Σ_{i in A, j in B} S_ij = Σ_c v(c) h_A(c) h_B(c),

and the histogram of a group is all that average link needs.  Ties are broken as in
`consens.partition.linkage`.  The co-association uses this where it can, and a matrix otherwise.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from consens._kernels import repeats, worth_compiling
from consens._labels import (
    MISSING,
    NOISE,
    has_code,
    indicator,
    label_weights,
    narrow,
    offsets,
    shared_members,
    unique_rows,
)
from consens._support.memory import require_memory
from consens.ensemble import Ensemble
from consens.evidence.coassociation import CoassociationRows, related_coassociation, split_weights
from consens.partition import linkage
from consens.partition.graph import check_weights
from consens.partition.linkage import (
    SLACK,
    Pairs,
    chain,
    duplicate_merges,
    spanning_tree,
    tree_of_edges,
    tree_of_groups,
)


def label_linkage(
    labels: np.ndarray,
    method: str = "average",
    *,
    weights: ArrayLike | None = None,
    total: float | None = None,
    normalize: bool = False,
    counts: np.ndarray | None = None,
) -> np.ndarray:
    """Agglomerate objects by the weights v of the clusters that they share.

    The similarity of objects i and j is S_ij = Σ_c v(c) / total over the clusters c that hold
    both, by default their share of the members; with `normalize` it is divided by √(S_ii S_jj).
    `counts` are the numbers of objects that the rows represent.  Works on the u distinct rows,
    without a matrix but for complete link; sums with a relative difference below 1e-12 are equal.
    """
    rows = _distinct_rows(labels.astype(np.int32, copy=False), weights, normalize)
    if counts is not None:
        rows = rows._replace(sizes=np.bincount(rows.inverse, counts))
    if normalize:
        self_similarity, total = np.sign(rows.own), 1.0
    else:
        total = float(labels.shape[1] if total is None else total)
        self_similarity = rows.own / total
    joined = duplicate_merges(self_similarity, rows.inverse)
    if method == "single":
        return tree_of_edges(_divided(_spanning_tree(rows), total), *joined)
    merges = _average(rows) if method == "average" else _complete(rows)
    return tree_of_groups(_divided(merges, total), *joined, slack=rows.slack)


class _DistinctRows(NamedTuple):
    """The distinct label rows with their sizes and weights."""

    labels: np.ndarray
    starts: np.ndarray  # first cluster number of each member
    inverse: np.ndarray
    sizes: np.ndarray
    weights: np.ndarray | None  # of the clusters
    own: np.ndarray  # sum of the weights of the clusters of a row
    scale: np.ndarray | None  # factor of a row

    @property
    def slack(self) -> float:
        return 0.0 if self.weights is None and self.scale is None else SLACK

    @property
    def many(self) -> bool:
        """Whether the problem is large enough for compiled code."""
        u, n_members = self.labels.shape
        # the time is quadratic in u: r trees of u rows take as long as one of u·√r rows
        as_one = u * np.sqrt(repeats())
        return worth_compiling("rows", as_one) or worth_compiling("comparisons", u * u * n_members)


def _distinct_rows(
    labels: np.ndarray, weights: ArrayLike | None, normalize: bool
) -> _DistinctRows:
    starts = offsets(labels)
    if weights is None:
        found = unique_rows(np.maximum(labels, -1))
        own = (found.rows >= 0).sum(axis=1).astype(np.float64)
    else:
        weights = check_weights(weights, int(starts[-1]), "cluster")
        # clusters without weight are ignored: objects that differ only there are equal
        counts = label_weights(labels, starts, weights) > 1e-100 * weights.max(initial=0.0)
        found = unique_rows(np.where(counts, labels, -1))
        own = label_weights(found.rows, starts, weights).sum(axis=1)
    scale = None
    if normalize:
        scale = np.divide(1.0, np.sqrt(own), out=np.zeros(len(own)), where=own > 0)
    sizes = found.counts.astype(np.float64)
    return _DistinctRows(found.rows, starts, found.inverse, sizes, weights, own, scale)


def _divided(pairs: Pairs, total: float) -> Pairs:
    return pairs._replace(similarity=pairs.similarity / total)


def _similarities(rows: _DistinctRows, block: slice, against: np.ndarray) -> np.ndarray:
    """Sums of shared weights between a block of rows and all rows; counts if weights are 1."""
    weights = None
    if rows.weights is not None:
        weights = label_weights(rows.labels[block], rows.starts, rows.weights)
    shared = shared_members(rows.labels[block], against, weights)
    if rows.scale is not None:
        shared = shared * rows.scale[block, None] * rows.scale
    return shared


def _all_similarities(rows: _DistinctRows) -> np.ndarray:
    """`_similarities` of all rows; weights by a sparse product, which skips pairs without any."""
    if rows.weights is None:
        return _similarities(rows, slice(None), narrow(rows.labels)).astype(np.float64)
    members = indicator(rows.labels, starts=rows.starts)
    weighted = members.copy()
    weighted.data = rows.weights[members.indices]
    shared: np.ndarray = (weighted @ members.T).toarray()
    return shared if rows.scale is None else shared * rows.scale[:, None] * rows.scale


def _average(rows: _DistinctRows) -> Pairs:
    if not rows.many:
        sums = _all_similarities(rows)
        sums *= rows.sizes[:, None]
        sums *= rows.sizes
        return chain(sums, rows.sizes, "average", rows.slack)
    from consens._kernels.average_link import average_chain

    # Members with small clusters come first: they decide most comparisons.
    widths = np.diff(rows.starts)
    sizes = [np.bincount(column[column >= 0], minlength=1) for column in rows.labels.T]
    order = np.argsort([np.square(s, dtype=np.float64).sum() for s in sizes], kind="stable")
    starts = np.cumsum(widths[order]) - widths[order]
    codes = np.where(rows.labels[:, order] >= 0, rows.labels[:, order] + starts, -1)
    weights = np.ones(rows.starts[-1])
    if rows.weights is not None:
        by_member = np.split(rows.weights, rows.starts[1:-1])
        weights = np.concatenate([by_member[m] for m in order])
    mass = rows.sizes if rows.scale is None else rows.sizes * rows.scale
    codes = np.ascontiguousarray(codes, dtype=np.int32)  # one type, so that it compiles once
    return Pairs(*average_chain(codes, weights, mass, rows.sizes, rows.slack))


def _complete(rows: _DistinctRows) -> Pairs:
    n = len(rows.labels)
    counts = rows.weights is None and rows.scale is None
    size = (1 if rows.labels.shape[1] < 128 else 2) if counts else 8
    require_memory(
        float(size) * n * n,
        f"complete link of {n} distinct label rows",
        "use average or single link, which need no matrix, or combine prototypes of the objects",
    )
    return chain(
        _similarities(rows, slice(None), narrow(rows.labels)), rows.sizes, "complete", rows.slack
    )


def _spanning_tree(rows: _DistinctRows) -> Pairs:
    n = len(rows.labels)
    against = narrow(rows.labels)
    if rows.weights is not None or rows.scale is not None:
        return spanning_tree(lambda i: _similarities(rows, slice(i, i + 1), against)[0], n)
    if not rows.many:
        return spanning_tree(_similarities(rows, slice(None), against).__getitem__, n)
    from consens._kernels.spanning_tree import most_shared_tree

    return Pairs(*most_shared_tree(rows.labels))


def coassociation_linkage(ensemble: Ensemble, method: str, weights: Any = None) -> np.ndarray:
    """Agglomerate objects by their co-association; weights as in `evidence.coassociation`.

    With missing labels pairs have different denominators, and a mean over pairs is no inner
    product: average and complete link then need a matrix of the u distinct rows, 8 u² bytes.
    """
    labels = ensemble.matrix
    if not (labels == MISSING).any():
        member_weights, cluster_weights = split_weights(weights, labels)
        return label_linkage(
            labels,
            method,
            weights=None if weights is None else cluster_weights,
            total=float(member_weights.sum()),
        )
    per_cluster = weights is not None and np.shape(weights) != labels.shape[1:]
    # with cluster weights or noise, an object with equal labels need not be the nearest one
    keep_copies = per_cluster or has_code(labels, NOISE)
    inverse = np.arange(len(labels)) if keep_copies else unique_rows(labels).inverse
    _, objects = np.unique(inverse, return_index=True)
    rows = labels[objects]
    if method == "single":
        evidence = CoassociationRows(rows, weights)
        edges = spanning_tree(lambda i: evidence(slice(i, i + 1))[0], len(rows))
        return tree_of_edges(edges, *duplicate_merges(np.ones(len(rows)), inverse))
    require_memory(
        8.0 * len(rows) ** 2,
        f"{method} link of {len(rows)} distinct label rows with missing labels",
        "leave out the partitions with missing labels (then average link needs no matrix), use "
        "single link, or combine prototypes of the objects",
    )
    matrix = CoassociationRows(rows, weights).matrix()
    return linkage(matrix, method, inverse=inverse, overwrite=True)


def related_linkage(ensemble: Ensemble, similarity: np.ndarray, method: str) -> np.ndarray:
    """Agglomerate objects by `related_coassociation`, on a matrix of distinct rows."""
    unique = unique_rows(ensemble.matrix)
    matrix = related_coassociation(Ensemble(unique.rows), similarity)
    return linkage(matrix, method, inverse=unique.inverse, overwrite=True)
