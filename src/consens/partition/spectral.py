"""Spectral partitioning: eigenvectors of the normalised graph, then k-means or discretisation.

Everything is deterministic: start vectors of the eigensolver are seeded, signs are fixed, graphs
are solved component by component (an iterative solver may miss copies of a repeated eigenvalue),
and vertices are visited in a canonical order.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, diags_array

from consens._labels import fill_empty, first_seen_order
from consens._numerics.distances import unit_rows
from consens._numerics.eigenvectors import leading_eigenvectors
from consens._validation import check_integer
from consens.partition.graph import (
    Graph,
    attachment,
    canonical_order,
    check_factor,
    check_graph,
    check_n_parts,
    check_vertex_weights,
    components,
    reordered,
    row_components,
    whole_parts,
    without_loops,
)
from consens.partition.weighted_kmeans import weighted_kmeans

MAX_ROTATIONS = 100


def spectral_cut(
    graph: Graph,
    n_clusters: int,
    *,
    vertex_weights: ArrayLike | None = None,
    init: str = "careful",
    seed: int = 0,
) -> np.ndarray:
    """Spectral clustering of Ng, Jordan and Weiss: k-means on rows of eigenvectors.

    The k eigenvectors of D^-1/2 W D^-1/2 with the largest eigenvalues are the columns of a
    matrix, whose rows are scaled to length 1 and clustered by k-means.

    Parameters
    ----------
    graph : array or sparse array of shape (n, n)
        Symmetric W, weights finite and >= 0.  The diagonal is used as given: a vertex that
        represents several equal objects carries their similarities as a loop.
    n_clusters : int, 1 to n
    vertex_weights : array-like of shape (n,), optional
        Weights in k-means: the number of objects that a vertex represents.
    init : {"careful", "orthogonal"}
        Start of k-means: the best of ten starts of k-means++, or a single start from nearly
        orthogonal rows, as Ng, Jordan and Weiss do.
    seed : int
        An integer rather than a `random_state`: equal arguments give equal labels.

    Returns
    -------
    ndarray of shape (n,), int32
        Exactly n_clusters clusters, numbered by their first vertex.

    Notes
    -----
    At least n_clusters components are grouped instead, by `vertex_weights`.

    O(n³) below 150 vertices, O(edges · k) per iteration of Lanczos otherwise.

    References
    ----------
    A. Ng, M. Jordan and Y. Weiss, "On spectral clustering: analysis and an algorithm",
    NIPS 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.partition import spectral_cut
    >>> spectral_cut(np.kron(np.eye(2), np.ones((3, 3))) + 0.1, 2)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    if str(init) not in ("careful", "orthogonal"):
        raise ValueError(f"init={init!r}; allowed are 'careful' and 'orthogonal'")

    def by_kmeans(_: csr_array, weights: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        rows = unit_rows(vectors)
        centers = _orthogonal_rows(rows, n_clusters, seed) if init == "orthogonal" else None
        return weighted_kmeans(rows, n_clusters, weights, init=centers, seed=seed).labels

    return _cut_by_eigenvectors(graph, n_clusters, vertex_weights, seed, by_kmeans)


def spectral_cut_of_product(
    factor: Any,
    n_clusters: int,
    *,
    vertex_weights: ArrayLike | None = None,
    seed: int = 0,
) -> np.ndarray:
    """`spectral_cut` of the graph W = F F', which is never formed.

    The eigenvectors of D^-1/2 F F' D^-1/2 are D^-1/2 F v / σ, where (σ², v) solve the small
    problem F' D^-1 F v = σ² v.  O(nnz(F) · (row length + k)) time, O(n k + c²) memory.
    """
    factor = check_factor(factor)
    n = factor.shape[0]
    n_clusters = check_n_parts(n_clusters, n)
    weights = check_vertex_weights(vertex_weights, n)
    whole = whole_parts(row_components(factor), weights, n_clusters)
    if whole is not None:
        return whole
    degrees = factor @ (factor.T @ weights)
    scale = np.sqrt(np.divide(1.0, degrees, out=np.zeros(n), where=degrees > 0))
    small = check_graph(factor.T.tocsr() @ factor.multiply((weights * scale**2)[:, None]).tocsr())
    order = canonical_order(small, small.diagonal())
    values, vectors = eigenvectors_by_component(reordered(small, order), n_clusters, seed=seed)
    lift = np.empty_like(vectors)
    lift[order] = vectors
    real = values > 1e-12 * values[0]  # beyond the rank of F there is nothing to lift
    rows = unit_rows(factor @ (lift[:, real] / np.sqrt(values[real])))
    return weighted_kmeans(rows, n_clusters, weights, seed=seed).labels


def ncut(
    graph: Any,
    n_clusters: int,
    *,
    vertex_weights: ArrayLike | None = None,
    offset: float | np.ndarray = 0.0,
    n_init: int = 10,
    seed: int = 0,
) -> np.ndarray:
    """Normalised cut, relaxed to eigenvectors and discretised as Yu and Shi do.

    The minimum of the sum over parts of cut(A, rest) / vol(A), relaxed, is the span of the k
    leading eigenvectors of W v = λ D v; `discretize` finds the nearest partition.  The offset o
    regularises, (W + o) v = λ (D + 2 o) v, so that vertices with few edges do not become parts of
    their own.

    J. Shi and J. Malik, "Normalized cuts and image segmentation", IEEE TPAMI 22(8), 2000.
    doi:10.1109/34.868688.  S. Yu and J. Shi, "Multiclass spectral clustering", ICCV 2003.
    doi:10.1109/ICCV.2003.1238361
    """

    def by_rotation(graph: csr_array, _: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        # D^-1/2 takes eigenvectors of the symmetric problem to those of W v = λ D v; the rows
        # are scaled to length 1 next, so it makes no difference
        labels = discretize(unit_rows(vectors), n_init=n_init, seed=seed)
        return fill_empty(labels, _weakest_ties(graph, labels, n_clusters), n_clusters)

    return _cut_by_eigenvectors(graph, n_clusters, vertex_weights, seed, by_rotation, offset)


def _weakest_ties(graph: csr_array, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Weight of each vertex's edges to its own part, less the largest weight to another part."""
    ties = attachment(without_loops(graph), labels, n_clusters)
    at_own = np.arange(len(labels)), labels
    own = ties[at_own]
    ties[at_own] = -np.inf
    return own - ties.max(axis=1)


def _cut_by_eigenvectors(
    graph: Any,
    n_clusters: int,
    vertex_weights: ArrayLike | None,
    seed: int,
    to_labels: Callable[[csr_array, np.ndarray, np.ndarray], np.ndarray],
    offset: float | np.ndarray = 0.0,
) -> np.ndarray:
    """Group whole components, or compute eigenvectors and convert them with `to_labels`."""
    graph = check_graph(graph)
    n = graph.shape[0]
    n_clusters = check_n_parts(n_clusters, n)
    seed = check_integer(seed, "seed", least=0)
    weights = check_vertex_weights(vertex_weights, n)
    whole = whole_parts(components(graph), weights, n_clusters)
    if whole is not None:
        return whole
    order = canonical_order(graph, weights)
    graph, weights = reordered(graph, order), weights[order]
    offset = np.broadcast_to(offset, n)[order]
    _, vectors = normalized_eigenvectors(graph, n_clusters, offset=offset, seed=seed)
    labels = np.empty(n, dtype=np.int64)
    labels[order] = to_labels(graph, weights, vectors)
    return first_seen_order(labels)


def normalized_eigenvectors(
    graph: csr_array, n_vectors: int, *, offset: float | np.ndarray = 0.0, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Leading eigenvectors of D^-1/2 W D^-1/2; an offset o adds o to W and 2 o to D."""
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    if np.any(offset):
        degrees = degrees + 2 * offset
        graph = (graph + diags_array(np.broadcast_to(offset, len(degrees)))).tocsr()
    scale = 1 / np.sqrt(np.where(degrees > 0, degrees, 1.0))
    rows = np.repeat(np.arange(len(degrees)), np.diff(graph.indptr))
    data = graph.data * scale[rows] * scale[graph.indices]
    normalized = csr_array((data, graph.indices, graph.indptr), shape=graph.shape)
    if not degrees.all():
        normalized = normalized + diags_array(1.0 * (degrees == 0))
    return eigenvectors_by_component(normalized, n_vectors, seed=seed)


def eigenvectors_by_component(
    matrix: csr_array, n_vectors: int, *, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Leading eigenvalues and eigenvectors of a symmetric matrix, solved per component."""
    n = matrix.shape[0]
    component = components(matrix)
    values, vectors = [], []
    for c in range(component.max() + 1):
        inside = np.flatnonzero(component == c)
        inner = matrix if len(inside) == n else matrix[inside][:, inside]
        n_own = min(n_vectors, len(inside))
        own_values, own_vectors = leading_eigenvectors(inner, n_own, seed=seed)
        values.append(own_values)
        vectors.append((inside, own_vectors))
    joined = np.concatenate(values)
    where = np.repeat(np.arange(len(values)), [len(v) for v in values])
    within = np.concatenate([np.arange(len(v)) for v in values])
    leading = np.argsort(-np.round(joined, 12), kind="stable")[:n_vectors]
    columns = np.zeros((n, len(leading)))
    for column, pick in enumerate(leading):
        inside, own_vectors = vectors[where[pick]]
        columns[inside, column] = own_vectors[:, within[pick]]
    return joined[leading], columns


def discretize(rows: np.ndarray, *, n_init: int = 10, seed: int = 0) -> np.ndarray:
    """Find the partition nearest to rows of eigenvectors up to a rotation (Yu and Shi 2003).

    Alternates between labels, the argmax of the rotated rows, and the rotation nearest to them,
    from `n_init` starts with rows far from each other.  A label may be left unused.
    """
    n = len(rows)
    rng = np.random.default_rng(seed)
    best_fit, best = -np.inf, np.zeros(n, dtype=np.int64)
    for first in rng.choice(n, size=min(n, max(1, n_init)), replace=False):
        far = _far_rows(rows, rows.shape[1], int(first), np.add)
        fit, labels = _rotate(rows, far.T)
        if fit > best_fit * (1 + 1e-9) or best_fit < 0:
            best_fit, best = fit, labels
    return best


def _far_rows(rows: np.ndarray, k: int, first: int, join: np.ufunc) -> np.ndarray:
    """A first row, then repeatedly the row whose joined overlap with the chosen ones is least."""
    chosen = [first]
    overlap = np.zeros(len(rows))
    for _ in range(1, k):
        join(overlap, np.abs(rows @ rows[chosen[-1]]), out=overlap)
        chosen.append(int(overlap.argmin()))
    return rows[chosen]


def _orthogonal_rows(rows: np.ndarray, k: int, seed: int) -> np.ndarray:
    """A row drawn at random, then repeatedly the one most orthogonal to all chosen rows."""
    first = int(np.random.default_rng(seed).integers(len(rows)))
    return _far_rows(rows, k, first, np.maximum)


def _rotate(rows: np.ndarray, rotation: np.ndarray) -> tuple[float, np.ndarray]:
    k = rows.shape[1]
    fit, labels = -np.inf, np.zeros(len(rows), dtype=np.int64)
    for _ in range(MAX_ROTATIONS):
        new = (rows @ rotation).argmax(axis=1)
        sums = np.zeros((k, k))
        np.add.at(sums, new, rows)
        left, singular, right = np.linalg.svd(sums)
        if singular.sum() <= fit + 1e-12:
            break
        fit, labels = float(singular.sum()), new
        rotation = (left @ right).T
    return fit, labels
