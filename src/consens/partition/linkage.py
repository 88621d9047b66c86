"""Hierarchies of a similarity matrix, or of a graph of similar pairs.

All trees break ties by the same rule: the most similar pair of groups is merged; among equal
similarities, identical objects (which share one row of the matrix) go first, then the pair with
the smallest first object, then the one with the smallest second object.  For average and complete
link the objects of a pair of groups are their first ones; for single link they are the two
objects that determine the similarity.
"""

from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array, issparse
from scipy.sparse.csgraph import minimum_spanning_tree

from consens._blocks import row_blocks
from consens._labels import first_seen
from consens._validation import check_matrix
from consens.partition.tree import first_objects, merge_tree, order_merges

#: Relative difference below which sums of real weights count as equal, for rounding errors.
SLACK = 1e-12


def linkage(
    similarity: np.ndarray,
    method: str,
    *,
    inverse: ArrayLike | None = None,
    count_copies: bool = True,
    overwrite: bool = False,
) -> np.ndarray:
    """Agglomerate objects by their similarities in [0, 1]; heights are 1 - similarity.

    Parameters
    ----------
    similarity : ndarray of shape (n, n), symmetric
    method : {"average", "single", "complete"}
    inverse : ndarray of shape (number of objects,), optional
        Row of the matrix for each object, where identical objects share a row; the diagonal is
        their similarity.  Rows are numbered by their first object.
    count_copies : bool
        Whether identical objects count as several in the means of average link.
    overwrite : bool
        Whether the matrix may be changed, which saves a copy.

    Returns
    -------
    ndarray of shape (number of objects - 1, 4), as scipy.cluster.hierarchy.linkage

    Notes
    -----
    O(n²) time: a nearest-neighbour chain for average and complete link, Prim's algorithm for
    single link.  Similarities that differ by less than 1e-12 count as equal.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.partition import linkage
    >>> linkage(np.array([[1, 0.75, 0.5], [0.75, 1, 0], [0.5, 0, 1]]), "average")
    array([[0.  , 1.  , 0.25, 2.  ],
           [2.  , 3.  , 0.75, 3.  ]])
    """
    if method not in ("average", "single", "complete"):
        raise ValueError(f"method={method!r}; allowed are 'average', 'single' and 'complete'")
    given, similarity = similarity, check_matrix(similarity, "similarity")
    n = similarity.shape[0]
    if issparse(similarity) or similarity.shape != (n, n) or n == 0:
        raise ValueError(f"similarity must be a dense square matrix, got shape {similarity.shape}")
    _check_similarities(similarity)
    overwrite = overwrite or similarity is not given
    inverse = _check_inverse(inverse, n)
    sizes = np.ones(n)
    if inverse is not None and count_copies:
        sizes = np.bincount(inverse, minlength=n).astype(float)
    self_similarity = np.diagonal(similarity).copy()
    if method == "single":
        edges = spanning_tree(similarity.__getitem__, n)
        return tree_of_edges(edges, *duplicate_merges(self_similarity, inverse))
    matrix = similarity if overwrite else similarity.copy()
    if method == "average":
        matrix *= sizes[:, None]
        matrix *= sizes
    merges = chain(matrix, sizes, method, SLACK)
    return tree_of_groups(merges, *duplicate_merges(self_similarity, inverse), slack=SLACK)


def _check_similarities(similarity: np.ndarray) -> None:
    for block in row_blocks(len(similarity), bytes_per_row=16 * len(similarity)):
        rows = similarity[block]
        if not (np.isfinite(rows).all() and (rows >= 0).all()):
            raise ValueError(
                "similarities must be finite and >= 0; if you have distances, pass 1 - distance"
            )
        if np.abs(rows - similarity[:, block].T).max() > 1e-9 * max(1.0, rows.max()):
            raise ValueError("similarity must be symmetric; pass (similarity + similarity.T) / 2")


def _check_inverse(inverse: ArrayLike | None, n: int) -> np.ndarray | None:
    if inverse is None:
        return None
    inverse = np.asarray(inverse)
    if inverse.ndim != 1 or inverse.dtype.kind not in "iu":
        raise ValueError(f"inverse must be a vector of row numbers, got {inverse.dtype}")
    if not np.array_equal(first_seen(inverse), np.arange(n)):
        raise ValueError(f"inverse must hold all of 0 .. {n - 1}, numbered by first object")
    return inverse


class Pairs(NamedTuple):
    """Pairs of objects, or of groups by their first objects: ``first < second``."""

    first: np.ndarray
    second: np.ndarray
    similarity: np.ndarray

    @classmethod
    def of(cls, found: list[tuple[int, int, float]]) -> Self:
        """Make `Pairs` from a list of tuples."""
        first, second, similarity = np.array(found, dtype=np.float64).reshape(-1, 3).T
        return cls(first.astype(np.int64), second.astype(np.int64), similarity)


def duplicate_merges(
    self_similarity: np.ndarray, inverse: np.ndarray | None
) -> tuple[Pairs, np.ndarray]:
    """Merges of objects that share a row, and each row's first object."""
    if inverse is None:
        inverse = np.arange(len(self_similarity))
    objects = np.full(len(self_similarity), len(inverse))
    np.minimum.at(objects, inverse, np.arange(len(inverse)))
    others = np.flatnonzero(objects[inverse] != np.arange(len(inverse)))
    rows = inverse[others]
    return Pairs(objects[rows], others, self_similarity[rows]), objects


# ----------------------------------------------------------------------- average, complete


def chain(matrix: np.ndarray, sizes: np.ndarray, method: str, slack: float) -> Pairs:
    """Merges of average or complete link by a nearest-neighbour chain; overwrites the matrix.

    Two groups that are each other's nearest are merged eventually, if a union is never nearer to a
    third group than the nearer of its parts was; with the tie rule this holds for ties as well.
    So the chain finds the merges of the best-pair algorithm, in O(n²).  The matrix holds sums of
    the similarities of two groups for average link; a union keeps the smaller row.
    """
    n = len(matrix)
    sizes = sizes.copy()
    mean = method == "average"
    np.fill_diagonal(matrix, -1)  # a group is not its own neighbour
    alive = np.ones(n, dtype=bool)
    merged: list[tuple[int, int, float]] = []
    path: list[int] = []
    while len(merged) < n - 1:
        if not path:
            path.append(int(alive.argmax()))
        a = path[-1]
        row = matrix[a] / (sizes * sizes[a]) if mean else matrix[a]
        # argmax finds the smallest neighbour, which makes the smallest pair of this group
        b = int(row.argmax())
        if slack:
            b = int((row >= row[b] * (1 - slack)).argmax())
        if b not in path:
            path.append(b)
            continue
        b = path[-2]  # rounding could point to an earlier group of the path
        del path[-2:]
        keep, drop = min(a, b), max(a, b)
        merged.append((keep, drop, float(row[b])))
        union = matrix[a] + matrix[b] if mean else np.minimum(matrix[a], matrix[b])
        union[[a, b]] = -1
        matrix[keep] = union
        matrix[:, keep] = union
        matrix[:, drop] = -1
        sizes[keep] += sizes[drop]
        alive[drop] = False
    return Pairs.of(merged)


def tree_of_groups(
    merges: Pairs, duplicates: Pairs, objects: np.ndarray, *, slack: float
) -> np.ndarray:
    """Tree over all objects, from the merges of rows and the merges of objects that share one."""
    first = np.concatenate([duplicates.first, objects[merges.first]])
    second = np.concatenate([duplicates.second, objects[merges.second]])
    similarity = np.concatenate([duplicates.similarity, merges.similarity])
    order = order_merges(first, second, similarity, equal=len(duplicates.first), slack=slack)
    return merge_tree(first[order], second[order], similarity[order])


# --------------------------------------------------------------------------------- single


def spanning_tree(row: Callable[[int], np.ndarray], n: int) -> Pairs:
    """Maximum spanning tree of n objects by Prim's algorithm, unique by the tie rule.

    ``row(i)``, the similarities of object i with all, is called once per object: no matrix is
    needed.
    """
    outside = np.ones(n, dtype=bool)
    parent = np.zeros(n, dtype=np.int64)
    value = row(0).copy()
    key = _rounded(value)
    edges = []
    new = 0
    for _ in range(n - 1):
        outside[new] = False
        key[new] = -1
        ties = np.flatnonzero(key == key.max())
        if len(ties) > 1:
            low, high = np.minimum(ties, parent[ties]), np.maximum(ties, parent[ties])
            ties = ties[(low * n + high).argmin()]
        new = int(ties.item())
        partner = int(parent[new])
        edges.append((min(new, partner), max(new, partner), float(value[new])))
        offered = row(new)
        offered_key = _rounded(offered)
        # the smallest partner of an object makes its smallest pair
        better = (offered_key > key) | ((offered_key == key) & (new < parent))
        better &= outside
        parent[better] = new
        value[better], key[better] = offered[better], offered_key[better]
    return Pairs.of(edges)


def single_link(edges: Pairs, n: int) -> np.ndarray:
    """Single link of n objects with a similarity for some pairs and 0 for others, O(p log p)."""
    # pairs without a similarity are all equal; by the tie rule those of the first object win
    others = np.arange(1, n)
    first = np.concatenate([edges.first, np.zeros(n - 1, dtype=np.int64)])
    second = np.concatenate([edges.second, others])
    similarity = np.concatenate([edges.similarity, np.zeros(n - 1)])
    order = np.lexsort((second, first, -_rounded(similarity)))
    # ranks are distinct, so the spanning tree is the one of the tie rule
    pair = first[order] * n + second[order]
    kept = np.sort(np.unique(pair, return_index=True)[1])
    order = order[kept]
    rank = np.arange(1.0, len(order) + 1)
    ends = first[order].astype(np.int32), second[order].astype(np.int32)  # SciPy 1.15 needs these
    graph = coo_array((rank, ends), shape=(n, n))
    used = order[minimum_spanning_tree(graph.tocsr()).data.astype(np.int64) - 1]
    none = Pairs(others[:0], others[:0], np.zeros(0))
    return tree_of_edges(Pairs(first[used], second[used], similarity[used]), none, np.arange(n))


def tree_of_edges(edges: Pairs, duplicates: Pairs, objects: np.ndarray) -> np.ndarray:
    """Tree over all objects, from a spanning tree of their rows and pairs that share a row."""
    ends = np.sort(objects[np.stack([edges.first, edges.second])], axis=0)
    first = np.concatenate([duplicates.first, ends[0]])
    second = np.concatenate([duplicates.second, ends[1]])
    similarity = np.concatenate([duplicates.similarity, edges.similarity])
    unequal = np.arange(len(first)) >= len(duplicates.first)
    order = np.lexsort((second, first, unequal, -_rounded(similarity)))
    merges = first_objects(first[order], second[order])
    return merge_tree(*merges, similarity[order])


def _rounded(similarity: np.ndarray) -> np.ndarray:
    """Similarities rounded for comparison: sums of real weights carry rounding errors."""
    return similarity.copy() if similarity.dtype.kind == "i" else np.round(similarity, 12)
