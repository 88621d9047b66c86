"""Hierarchies: linkage of a similarity matrix, lifetimes of its levels, cuts at k clusters."""

from __future__ import annotations

import numpy as np
from scipy.cluster import hierarchy
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from consens.labels import first_seen_order


def linkage(similarity: np.ndarray, method: str) -> np.ndarray:
    """Agglomerate objects by their similarities in [0, 1]; heights are 1 - similarity.

    Parameters
    ----------
    similarity : ndarray of shape (n, n), symmetric
    method : {"average", "single", "complete"}

    Returns
    -------
    ndarray of shape (n - 1, 4), as scipy.cluster.hierarchy.linkage
    """
    upper = np.triu_indices(len(similarity), k=1)
    return hierarchy.linkage(1.0 - similarity[upper], method)


def lifetimes(merges: np.ndarray, top: float = 1.0) -> np.ndarray:
    """Range of thresholds that leaves k clusters; entry k - 1 is the lifetime of k.

    The lifetime of k clusters is the height at which k becomes k - 1 less the height at which
    k + 1 became k; n clusters live from 0 to the first merge, one cluster from the last merge
    to `top`, the largest distance there can be (Fred and Jain 2005, Section 3.3).

    Examples
    --------
    >>> import numpy as np
    >>> from consens.partition import lifetimes
    >>> merges = np.array([[0, 1, 0.1, 2], [2, 3, 0.7, 3]])
    >>> lifetimes(merges).round(2)
    array([0.3, 0.6, 0.1])
    """
    heights = np.concatenate([[0.0], merges[:, 2], [top]])
    return np.maximum(np.diff(heights)[::-1], 0.0)


def longest_lifetime(lives: np.ndarray) -> int:
    """Number of clusters with the longest lifetime; of equal ones the smaller number.

    Heights are quotients of small integers that carry rounding errors; lifetimes within 1e-12
    of each other are equal.
    """
    return int(np.flatnonzero(lives >= lives.max() - 1e-12)[0]) + 1


def cut(merges: np.ndarray, n_clusters: int) -> np.ndarray:
    """Labels of the n_clusters groups that the first n - n_clusters merges leave.

    Always exactly n_clusters groups, also where merges have equal heights (a threshold on the
    height could not separate those).  Groups are numbered by their first object.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.partition import cut
    >>> cut(np.array([[1, 2, 0.1, 2], [0, 3, 0.7, 3]]), 2)
    array([0, 1, 1], dtype=int32)
    """
    n = len(merges) + 1
    done = merges[: n - n_clusters, :2].astype(np.int64)
    parents = np.repeat(n + np.arange(len(done)), 2)
    graph = coo_array(
        (np.ones(2 * len(done), dtype=np.int8), (parents, done.ravel())), shape=(2 * n, 2 * n)
    )
    return first_seen_order(connected_components(graph, directed=False)[1][:n])
