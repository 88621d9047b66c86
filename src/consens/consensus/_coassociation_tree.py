"""Hierarchical clustering of the co-association by the cheapest exact algorithm."""

from __future__ import annotations

from typing import Any

import numpy as np

from consens._labels import MISSING, NOISE, has_code, unique_rows
from consens._support.memory import require_memory
from consens.consensus._label_linkage import label_linkage
from consens.ensemble import Ensemble
from consens.evidence.coassociation import CoassociationRows, split_weights
from consens.evidence.related import related_coassociation
from consens.partition import linkage
from consens.partition.linkage import duplicate_merges, spanning_tree, tree_of_edges


def coassociation_linkage(ensemble: Ensemble, method: str, weights: Any = None) -> np.ndarray:
    """Agglomerate objects by their co-association; weights as in `evidence.coassociation`.

    Without missing labels every pair has the same denominator, and `label_linkage`
    needs no matrix for average and single link.  If labels are missing, the denominators differ
    from pair to pair, and a mean over pairs is no longer an inner product: average and complete
    link then need a matrix of 8 u² bytes for the u distinct rows; single link still computes one
    row at a time, in O(u² M) time.
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
    """Agglomerate objects by `related_coassociation`, on a matrix of distinct rows.

    Objects with equal labels have similarity 1, which no other pair exceeds, so they share a row.
    """
    unique = unique_rows(ensemble.matrix)
    matrix = related_coassociation(Ensemble(unique.rows), similarity)
    return linkage(matrix, method, inverse=unique.inverse, overwrite=True)
