"""A tree of clusters inside clusters, each split tested against data without clusters."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from consens._numerics.nearest import nearest
from consens._support.seeds import Seed, spawn_seeds
from consens.measure.agreement import ari

ALPHA = 0.05  # probability that a cluster without structure is split, over the whole tree

#: Objects of a node that are split and tested; the others follow their nearest neighbour.
MAX_TESTED = 400

#: Fewest objects of a node that is tested, and of a part as a share of its node.
MIN_TESTED = 20
LEAST_PART = 0.03

#: Neighbours of an object in the graph; the second is tried where the first shows no split.
SPLIT_NEIGHBORS = (10, 5)

SPLIT_REFERENCES = 10

SPLIT_REPEATS = 20  # splits of nine tenths of the objects that tell how stable a split is

#: Bounds of the Gini index of the two sizes that a cut of the spanning tree may have.
SPLIT_INEQUALITY = (0.3, 0.5, 0.7)


@dataclass(frozen=True, repr=False)
class SplitTree:
    """A cluster, the test of its best split, and its parts if the split was made.

    Attributes
    ----------
    size : int
        Number of objects.
    p : float or None
        Adjusted p-value of the best split into two parts; None if it was not tested.
    connection : float or None
        Connection of the two parts, as a share of that in reference data: 1 means that they are
        connected as parts of one cluster are.
    reason : str
        Why it was split, or why not.
    rows : ndarray of int
        Numbers of the objects.
    stability : float or None
        If it was split: mean adjusted Rand index with the best splits of nine tenths of the
        objects.
    children : tuple of SplitTree
        The two parts, the larger one first; empty if it was not split.
    """

    size: int
    p: float | None
    connection: float | None
    reason: str
    rows: np.ndarray = field(compare=False)
    stability: float | None = None
    children: tuple[SplitTree, ...] = ()

    @property
    def leaves(self) -> list[SplitTree]:
        """The clusters that are not split further."""
        return [leaf for child in self.children for leaf in child.leaves] or [self]

    @property
    def n_clusters(self) -> int:
        """Number of clusters that are not split further."""
        return len(self.leaves)

    def renumbered(self, numbers: np.ndarray) -> SplitTree:
        """Copy the tree with other numbers for its objects."""
        children = tuple(child.renumbered(numbers) for child in self.children)
        return replace(self, rows=numbers[self.rows], children=children)

    def __repr__(self) -> str:
        parts = (repr(child).replace("\n", "\n  ") for child in self.children)
        return "\n  ".join([f"{self.size} objects: {self.reason}", *parts])


class Split(NamedTuple):
    """A partition into two parts, and how weakly they are connected."""

    labels: np.ndarray
    statistic: np.ndarray  # logarithms of the normalised cut and of the share of crossing edges


class _Tested(NamedTuple):
    """The best split of a node, its p-value, its relative connection, and the graph it is of."""

    labels: np.ndarray
    p: float
    connection: float
    n_neighbors: int


def split_tree(X: Any, *, first_only: bool = False, random_state: Seed = None) -> SplitTree:
    """Split objects from the top as long as a test finds two parts.

    A split is made if its two parts are less connected than the best split of data without
    clusters of the same size and extent, uniform or normal, whichever is connected less.  `ALPHA`
    is the probability that a cluster without structure is split, over the whole tree.

    The graph joins each object to its 10 nearest neighbours (5, if no split is found) with the
    weights exp(-d²_ij / σ_i σ_j).  Candidates are the best cut along the second eigenvector and
    cuts of the minimum spanning tree.  With W the weight of the edges between the parts, v the
    mean degree and b the number of objects on these edges, two quantities must be small:

        N = (W + 1/2) (1/vol A + 1/vol B)    and    φ = (W + 1/10) / (v b),

    the normalised cut and the share of crossing edges at the boundary, which does not cut a curve
    for being long; the first split is judged by N alone.  Both have t statistics from 10
    references of each kind; p is the largest p-value, times 2 if both graphs were tried, times n /
    n_node.

    With s <= 400 objects of a node, O(s²·d + s³) time for it and each reference.

    N. Meinshausen, "Hierarchical testing of variable importance", Biometrika 95 (2008) 265-278,
    doi:10.1093/biomet/asn007.  L. Zelnik-Manor and P. Perona, "Self-tuning spectral clustering",
    NIPS 2004.
    """
    X = np.asarray(X, dtype=np.float64)
    seed = spawn_seeds(random_state, 1)[0]
    return _grow(X, np.arange(len(X)), seed, first_only=first_only)


def _grow(
    all_objects: np.ndarray, rows: np.ndarray, seed: int, *, first_only: bool = False
) -> SplitTree:
    X, n, total = all_objects[rows], len(rows), len(all_objects)
    if n < MIN_TESTED:
        return SplitTree(n, None, None, f"fewer than {MIN_TESTED} objects", rows)
    own, *below = spawn_seeds(seed, 3)
    rng = np.random.default_rng(own)
    tested = X
    if n > MAX_TESTED:
        tested = X[np.sort(rng.choice(n, MAX_TESTED, replace=False))]
    if len(np.unique(tested, axis=0)) < MIN_TESTED:
        return SplitTree(n, None, None, f"fewer than {MIN_TESTED} distinct objects", rows)
    found = _test(tested, rng, ALPHA * n / total, first=n == total)
    p = min(1.0, found.p * total / n)
    text = f"connection {found.connection:.0%} of the usual, p = {p:.2g}"
    if p > ALPHA:
        return SplitTree(n, p, found.connection, f"not split ({text})", rows)
    if first_only:
        return SplitTree(n, p, found.connection, f"split ({text})", rows)
    labels = found.labels
    if n > MAX_TESTED:
        labels = labels[nearest(X, tested)]
    parts = sorted((rows[labels == part] for part in (0, 1)), key=len, reverse=True)
    children = tuple(_grow(all_objects, part, its) for part, its in zip(parts, below, strict=True))
    stability = _stability(tested, found, rng)
    return SplitTree(n, p, found.connection, f"split ({text})", rows, stability, children)


def _stability(X: np.ndarray, found: _Tested, rng: np.random.Generator) -> float:
    """Mean adjusted Rand index of a split with the best splits of nine tenths of the objects."""
    n, agreement = len(X), []
    for _ in range(SPLIT_REPEATS):
        some = np.sort(rng.choice(n, int(np.ceil(0.9 * n)), replace=False))
        again = best_split(X[some], found.n_neighbors).labels
        agreement.append(ari(found.labels[some], again))
    return float(np.mean(agreement))


def _test(X: np.ndarray, rng: np.random.Generator, enough: float, *, first: bool) -> _Tested:
    """Best split, its p-value, and its connection as a share of that in reference data."""
    from scipy.stats import t as student

    _, singular, axes = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    places = (X - X.mean(axis=0)) @ axes.T
    width, deviation = np.ptp(places, axis=0), singular / np.sqrt(len(X))
    best = None
    for tried, k in enumerate(SPLIT_NEIGHBORS, start=1):
        split = best_split(X, k)
        draws = [
            np.array(
                [
                    best_split(draw(size=places.shape) * extent, k).statistic
                    for _ in range(SPLIT_REFERENCES)
                ]
            )
            for draw, extent in ((rng.uniform, width), (rng.normal, deviation))
        ]
        mean = np.array([values.mean(axis=0) for values in draws])
        spread = np.sqrt(np.mean([values.var(axis=0, ddof=1) for values in draws], axis=0))
        spread = np.maximum(spread, 1e-9) * np.sqrt(1 + 1 / SPLIT_REFERENCES)
        t = (mean - split.statistic) / spread
        p = float(student.sf(t[:, :1] if first else t, 2 * SPLIT_REFERENCES - 2).max())
        if best is None or p < best.p:
            connection = np.exp(split.statistic - mean.min(axis=0))[0 if first else 1]
            best = _Tested(split.labels, p, float(connection), k)
        if best.p * tried <= enough:
            break
    assert best is not None
    return best._replace(p=best.p * tried)


def best_split(X: np.ndarray, n_neighbors: int) -> Split:
    """Best split into two parts among cuts of the eigenvector and of the spanning tree."""
    from consens._kernels.point_tree import cut_evenly, shortest_tree

    n = len(X)
    least = max(5, int(np.ceil(LEAST_PART * n)))
    graph = _local_graph(X, n_neighbors)
    best = measured(graph, _sweep(graph, least), n_neighbors)
    first, second, squares = shortest_tree(np.ascontiguousarray(X))
    order = np.argsort(squares, kind="stable")
    for most in SPLIT_INEQUALITY:
        labels = cut_evenly(first[order], second[order], most, 2)
        if least <= labels.sum() <= n - least:
            other = measured(graph, labels, n_neighbors)
            if _preference(other) < _preference(best) - 1e-9:
                best = other
    return best


def _preference(split: Split) -> float:
    return float(split.statistic @ (0.5, 1.0))


def _local_graph(X: np.ndarray, n_neighbors: int) -> np.ndarray:
    """Weights of the neighbour graph, exp(-d²_ij / σ_i σ_j), as a matrix."""
    n, k = len(X), min(n_neighbors, len(X) - 1)
    X = X - X.mean(axis=0)
    lengths = np.einsum("ij,ij->i", X, X)
    squares = np.maximum(lengths[:, None] + lengths - 2 * X @ X.T, 0.0)
    np.fill_diagonal(squares, np.inf)
    index = np.argpartition(squares, k - 1, axis=1)[:, :k]
    near = np.take_along_axis(squares, index, axis=1)
    scale = np.sort(near, axis=1)[:, max(int(0.7 * k), 1) - 1]
    scale = np.maximum(scale, 1e-12 * scale.max() + np.finfo(np.float64).tiny)
    graph = np.zeros((n, n))
    graph[np.arange(n)[:, None], index] = np.exp(-near / np.sqrt(scale[:, None] * scale[index]))
    return np.maximum(graph, graph.T)


def _sweep(graph: np.ndarray, least: int) -> np.ndarray:
    """Cut the second eigenvector where the normalised cut is least, not at a few outliers."""
    from scipy.linalg import eigh

    n = len(graph)
    joined = graph + 0.05 * graph.sum() / n**2
    root = 1 / np.sqrt(joined.sum(axis=1))
    vector = eigh(joined * root[:, None] * root, subset_by_index=[n - 2, n - 2])[1][:, 0] * root
    order = np.argsort(vector, kind="stable")
    ordered = graph[np.ix_(order, order)]
    crossing = np.cumsum(np.triu(ordered).sum(axis=1) - np.tril(ordered).sum(axis=1))[:-1]
    volume = np.cumsum(ordered.sum(axis=1))
    cost = (crossing + 0.5) * (1 / volume[:-1] + 1 / (volume[-1] - volume[:-1]))
    size = least + int(np.argmin(cost[least - 1 : n - least]))
    labels = np.zeros(n, dtype=np.int64)
    labels[order[size:]] = 1
    return labels


def measured(graph: np.ndarray, labels: np.ndarray, n_neighbors: int) -> Split:
    """Logarithms of the normalised cut and of the share of crossing edges at the boundary."""
    one = labels == 1
    between = graph[one][:, ~one]
    weight, degrees = between.sum(), graph.sum(axis=1)
    boundary = np.count_nonzero(between.any(axis=1)) + np.count_nonzero(between.any(axis=0))
    cost = (weight + 0.5) * (1 / degrees[one].sum() + 1 / degrees[~one].sum())
    share = (weight + 0.1) / (degrees.mean() * max(boundary, n_neighbors))
    return Split(labels, np.log([cost, share]))
