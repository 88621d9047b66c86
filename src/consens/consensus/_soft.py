"""Graphs of soft memberships, for the soft forms of CSPA, MCLA and HBGF (Punera and Ghosh 2008).

With memberships of 0 and 1 every graph here equals that of the hard form.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, vstack

from consens._blocks import row_blocks
from consens._labels import MISSING
from consens.ensemble import Ensemble
from consens.evidence.coordinates import relative_coordinates


class SoftRows(NamedTuple):
    """Memberships of distinct objects in the clusters of all members, side by side."""

    memberships: np.ndarray
    seen: np.ndarray  # objects by members
    owner: np.ndarray  # member of each column
    inverse: np.ndarray  # distinct object of each object
    counts: np.ndarray  # number of objects that each stands for

    @classmethod
    def of(cls, ensemble: Ensemble, at_least: int = 1) -> SoftRows:
        """Merge objects with equal memberships, unless fewer than `at_least` remain."""
        coordinates = relative_coordinates(ensemble)
        owner = np.repeat(np.arange(len(coordinates)), [own.shape[1] for own in coordinates])
        A, seen = np.hstack(coordinates), ensemble.matrix != MISSING
        n = len(A)
        found: Any = np.unique(
            np.hstack([A, seen]), axis=0, return_index=True, return_inverse=True
        )
        if len(found[1]) < at_least:
            return cls(A, seen, owner, np.arange(n), np.ones(n, dtype=np.int64))
        inverse = found[2].ravel()
        return cls(A[found[1]], seen[found[1]], owner, inverse, np.bincount(inverse))


def similarity_graph(rows: SoftRows, n_neighbors: int | None, *, diagonal: bool) -> csr_array:
    """Mean over the members that saw both objects of the product of their memberships.

    An object keeps its edges to the `n_neighbors` most similar objects.
    """
    A, seen = rows.memberships, rows.seen.astype(np.float64)
    n = len(A)
    parts = []
    for block in row_blocks(n, bytes_per_row=32 * n):
        both = seen[block] @ seen.T
        weights = np.divide(A[block] @ A.T, both, out=np.zeros_like(both), where=both > 0)
        own = np.arange(len(weights)), np.arange(n)[block]
        itself = weights[own]
        weights[own] = 0.0
        keep = weights > 0
        if n_neighbors is not None and n_neighbors < n - 1:
            least = np.partition(weights, n - n_neighbors, axis=1)[:, n - n_neighbors]
            keep &= weights >= least[:, None]
        if diagonal:
            weights[own], keep[own] = itself, itself > 0
        weights[~keep] = 0.0
        parts.append(csr_array(weights))
    graph = vstack(parts, format="csr")
    return graph.maximum(graph.T).tocsr()


def extended_jaccard(rows: SoftRows) -> np.ndarray:
    """Similarity a·b / (a·a + b·b - a·b) of clusters, over the objects that both members saw."""
    A = rows.memberships
    weighted = A * rows.counts[:, None]
    product = weighted.T @ A
    squares = (weighted * A).T @ rows.seen[:, rows.owner]  # a·a over what the member of b saw
    either = squares + squares.T - product
    found = np.divide(product, either, out=np.zeros_like(product), where=either > 0)
    return (found + found.T) / 2  # rounding makes a product asymmetric


def distinct_clusters(rows: SoftRows) -> np.ndarray:
    """Number of the distinct cluster that each cluster equals, in the order of the first ones."""
    found: Any = np.unique(rows.memberships, axis=1, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(found[1]))[found[2].ravel()]


def mean_memberships(rows: SoftRows, meta: np.ndarray, n_clusters: int) -> np.ndarray:
    """Mean membership of objects in the clusters of each meta-cluster that could hold them."""
    spread = (meta[:, None] == np.arange(n_clusters)).astype(np.float64)
    there = rows.seen[:, rows.owner] @ spread
    return np.divide(rows.memberships @ spread, there, out=np.zeros_like(there), where=there > 0)
