"""The tree of tested splits for the report."""

from __future__ import annotations

from typing import Any

import numpy as np

from consens.choose.splits import SplitTree
from consens.show._fitted import Fitted
from consens.show._plain import rounded


def describe_splits(fitted: Fitted, objects: np.ndarray) -> dict[str, Any] | None:
    """Describe the tree of a model: its nodes, and the leaf of each object of the map.

    A leaf is -1 for an object that was not tested.  A node holds the leaves from `first` up to,
    but not including, `end`.  None without a tree.
    """
    tree: SplitTree | None = getattr(fitted.model, "tree_", None)
    if tree is None:
        return None
    leaf = np.full(len(fitted.labels), -1)
    for number, node in enumerate(tree.leaves):
        leaf[node.rows] = number
    return {
        "n_clusters": tree.n_clusters,
        "n_tested": tree.size,
        "root": _describe(tree, fitted.labels, 0),
        "leaves": leaf[objects].tolist(),
    }


def _describe(node: SplitTree, labels: np.ndarray, first: int) -> dict[str, Any]:
    inside = labels[node.rows]
    counts = np.bincount(inside[inside >= 0])
    children: list[dict[str, Any]] = []
    for child in node.children:
        children.append(_describe(child, labels, children[-1]["end"] if children else first))
    return {
        "size": node.size,
        "first": first,
        "end": children[-1]["end"] if children else first + 1,
        "clusters": [[int(c), int(counts[c])] for c in np.flatnonzero(counts)],
        "split": bool(children),
        "p": None if node.p is None else rounded(node.p, 6),
        "connection": None if node.connection is None else rounded(node.connection),
        "stability": None if node.stability is None else rounded(node.stability),
        "reason": node.reason,
        "children": children,
    }
