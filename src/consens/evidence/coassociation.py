"""Co-association: how often partitions put two objects into the same, or similar, clusters."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from consens._blocks import map_rows, row_blocks
from consens._labels import (
    MISSING,
    PairCounts,
    label_weights,
    n_clusters_per_member,
    offsets,
    profiles,
)
from consens._support.memory import require_memory
from consens.ensemble import Ensemble, EnsembleLike

INSTEAD = "use a method that does not need it, or combine prototypes of the objects"


def coassociation(ensemble: EnsembleLike, weights: ArrayLike | None = None) -> np.ndarray:
    """Share of partitions that put two objects together, among those that saw both.

    With unit weights, entry (i, j) is n_ij / N_ij: the number of partitions in which i and j
    share a cluster over the number that saw both (Fred and Jain 2005, Eq. 2, if nothing is
    missing).  Noise is seen but never together; a pair that no partition saw gets 0.  The
    diagonal is 1.

    {of_ensemble}
    weights : array-like of shape (M,) or (number of clusters,), optional
        Weights per member apply to the sum and its denominator.  Weights per cluster
        (concatenated over the members) apply to the sum only; the denominator counts partitions,
        as in locally weighted evidence accumulation.

    Returns
    -------
    ndarray of shape (n, n), float64

    Notes
    -----
    O(n² M) time and 8 n² bytes; raises a MemoryError before allocating if that does not fit.

    {fred_jain_2005}

    Examples
    --------
    >>> from consens.evidence import coassociation
    >>> import numpy as np
    >>> coassociation(np.array([[0, 0], [0, 1], [1, -2]]))
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0. ],
           [0. , 0. , 1. ]])
    """
    labels = Ensemble.from_labels(ensemble).matrix
    n = len(labels)
    require_memory(8.0 * n * n, f"the {n} x {n} co-association matrix", INSTEAD)
    return CoassociationRows(labels, weights).matrix()


def pair_coassociation(ensemble: Any, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Co-association of given pairs of objects."""
    labels = Ensemble.from_labels(ensemble).matrix
    missing = bool((labels == MISSING).any())

    def of_block(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        left, right = labels[a], labels[b]
        together = ((left == right) & (left >= 0)).sum(axis=1)
        if not missing:
            return together / labels.shape[1]
        seen = ((left != MISSING) & (right != MISSING)).sum(axis=1)
        return np.divide(together, seen, out=np.zeros(len(a)), where=seen > 0)

    return map_rows(of_block, first, second, bytes_per_row=16 * labels.shape[1])


def group_coassociation(ensemble: Any, groups: Any) -> np.ndarray:
    """Mean co-association between and within groups of objects, without the n × n matrix.

    Pairs weigh by the members that saw both; group -1 is none, and one object alone has 1.
    """
    labels = Ensemble.from_labels(ensemble).matrix
    spread = profiles(labels, groups)
    together = spread.together.T @ spread.together
    seen = spread.seen.T @ spread.seen
    inside = groups >= 0
    for sums, itself in ((together, labels >= 0), (seen, labels != MISSING)):
        counts = itself.sum(axis=1)[inside]
        sums[np.diag_indices_from(sums)] -= np.bincount(groups[inside], counts)
    mean = np.divide(together, seen, out=np.zeros_like(together), where=seen > 0)
    single = np.flatnonzero(spread.sizes == 1)
    mean[single, single] = 1.0
    return mean


class CoassociationRows:
    """Rows of the co-association matrix, computed on demand; weights as in `coassociation`."""

    def __init__(self, labels: np.ndarray, weights: ArrayLike | None = None) -> None:
        self.counts = PairCounts(labels)
        self.member_weights, cluster_weights = split_weights(weights, labels)
        self.label_weights = None
        if weights is not None:
            self.label_weights = label_weights(labels, offsets(labels), cluster_weights)

    def __call__(self, rows: slice, out: np.ndarray | None = None) -> np.ndarray:
        """Compute some rows, without setting the diagonal to 1."""
        weights = None if self.label_weights is None else self.label_weights[rows]
        together = self.counts.together(rows, weights)
        seen = self.counts.seen(rows, self.member_weights)
        if self.counts.complete:
            return np.divide(together, seen, out=out)
        if out is None:
            out = np.empty_like(seen)
        out[seen <= 0] = 0.0
        return np.divide(together, seen, out=out, where=seen > 0)

    def matrix(self) -> np.ndarray:
        """Compute the whole matrix."""
        n = len(self.counts.labels)
        result = np.empty((n, n))
        for block in row_blocks(n, bytes_per_row=25 * n):
            self(block, out=result[block])
        np.fill_diagonal(result, 1.0)
        return result


def split_weights(weights: ArrayLike | None, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split weights into those of members (for the denominator) and of clusters (for the sum)."""
    n_members, n_clusters = labels.shape[1], n_clusters_per_member(labels)
    weights = np.ones(n_members) if weights is None else np.asarray(weights)
    if weights.dtype.kind not in "biuf":
        raise ValueError(f"weights must be numbers, got {weights.dtype}")
    weights = weights.astype(np.float64)
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError("weights must be finite and >= 0")
    if weights.shape == (n_members,):
        if not weights.any():
            raise ValueError("weights are all 0; expected at least one > 0")
        return weights, np.repeat(weights, n_clusters)
    if weights.shape == (n_clusters.sum(),):
        return np.ones(n_members), weights
    raise ValueError(
        f"weights has shape {weights.shape}; expected one per partition ({n_members},) or "
        f"one per cluster ({n_clusters.sum()},)"
    )


def related_coassociation(ensemble: Any, similarity: np.ndarray) -> np.ndarray:
    """Mean similarity of the clusters of two objects, over the partitions that saw both.

    With c_m(i) the cluster of object i in partition m and Z the similarity of clusters, entry
    (i, j) is 1/M Σ_m Z[c_m(i), c_m(j)], and 1 if i = j.  Noise is similar to nothing; a pair that
    no partition saw gets 0.
    """
    labels = Ensemble.from_labels(ensemble).matrix
    n = len(labels)
    require_memory(8.0 * n * n, f"the {n} x {n} co-association matrix", INSTEAD)
    counts = PairCounts(labels)
    inside = np.where(labels >= 0, labels, -1)
    # codes point to a last row and column of zeros
    tables = [
        np.pad(similarity[start:stop, start:stop], (0, 1))
        for start, stop in pairwise(offsets(labels))
    ]
    result = np.zeros((n, n))
    for block in row_blocks(n, bytes_per_row=16 * n):
        rows = result[block]
        for column, table in zip(inside.T, tables, strict=True):
            rows += table[column[block]][:, column]
        seen = counts.seen(block)
        np.divide(rows, seen, out=rows, where=seen > 0)
    np.fill_diagonal(result, 1.0)
    return result
