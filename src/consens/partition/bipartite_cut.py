"""Bipartite graphs: many objects on one side, few clusters on the other.

Both partitioners divide the two sides together.  The transfer cut solves the spectral problem on
the small side and lifts the solution; METIS works on the whole graph.
"""

from hashlib import blake2b
from itertools import combinations
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import block_array, csr_array

from consens._blocks import map_rows, split_like, sum_rows
from consens._labels import fill_empty, first_seen, first_seen_order
from consens._numerics.distances import unit_rows
from consens._numerics.nearest import nearest
from consens.partition.graph import (
    attachment,
    canonical_order,
    check_factor,
    check_graph,
    check_imbalance,
    check_n_parts,
    check_vertex_weights,
    components,
    group_components,
    reordered,
)
from consens.partition.metis import metis
from consens.partition.spectral import normalized_eigenvectors
from consens.partition.weighted_kmeans import weighted_kmeans

MOST_ROUNDS = 20  # of exchanges between all pairs of parts

MOST_TURNS = 10  # most cuts stop changing after two or three

ORDER_DIGITS = 9  # to which sums of weights tell objects apart


class BipartiteCut(NamedTuple):
    """Parts of the objects (nonempty, numbered by first object) and parts of the clusters."""

    objects: Any
    clusters: np.ndarray


def transfer_cut(
    bipartite: Any,
    n_clusters: int,
    *,
    gram: Any = None,
    start: str = "clusters",
    n_init: int = 10,
    seed: int = 0,
) -> BipartiteCut:
    """Normalised cut of a bipartite graph by an eigenproblem on its cluster side.

    With B the weights of objects by clusters, D_x and D_c its row and column sums, v on the
    cluster side solves B' D_x^-1 B v = σ² D_c v, and u = D_x^-1 B v / σ is the half on the object
    side.  The rows of the k leading u, scaled to length 1, are clustered by k-means, which starts
    `n_init` times on the cluster vertices, weighted by D_c; with ``start="objects"`` it starts
    `n_init` times from random objects of a matrix B, and the best run is kept.  With ``gram()`` or
    `gram`, B' D_x^-1 B, anything with a ``shape`` and a product ``@`` is accepted for B.  At least
    n_clusters components are grouped by their number of objects.  O(nnz · k) time besides the
    product and the eigenproblem.

    Z. Li, X.-M. Wu and S.-F. Chang, "Segmentation using superpixels: a bipartite graph
    partitioning approach", CVPR 2012. doi:10.1109/CVPR.2012.6247750
    """
    if gram is None and hasattr(bipartite, "gram"):
        gram = bipartite.gram()
    elif gram is None:
        bipartite = check_factor(bipartite)
        gram = _gram(bipartite)
    gram = check_graph(gram)
    n_clusters = check_n_parts(n_clusters, bipartite.shape[0])
    trivial = _trivial_cut(bipartite, gram, n_clusters)
    if trivial is not None:
        return trivial
    # only clusters with objects are vertices; their order must not depend on their numbers
    mass = np.asarray(gram.sum(axis=1)).ravel()
    inside = np.flatnonzero(mass > 0)
    inside = inside[canonical_order(gram[inside][:, inside], mass[inside])]
    values, vectors = normalized_eigenvectors(reordered(gram, inside), n_clusters, seed=seed)
    sigma = np.sqrt(np.maximum(values, 0.0))
    real = sigma > 1e-6  # beyond the rank of B there is nothing to lift
    generalized = vectors[:, real] / np.sqrt(mass[inside])[:, None]
    lift = np.zeros((len(mass), int(real.sum())))
    lift[inside] = generalized / sigma[real]
    objects = map_rows(
        unit_rows, bipartite @ lift, bytes_per_row=16 * lift.shape[1], width=lift.shape[1]
    )
    clusters = unit_rows(generalized)
    if start == "objects":
        rng, order = np.random.default_rng(seed), _own_order(bipartite)
        drawn = [order[rng.choice(len(order), n_clusters, replace=False)] for _ in range(n_init)]
        runs = [weighted_kmeans(objects, n_clusters, init=objects[rows]) for rows in drawn]
        done = min(runs, key=attrgetter("inertia"))
    else:
        centers = None
        if len(inside) > n_clusters:
            begun = weighted_kmeans(clusters, n_clusters, mass[inside], n_init=n_init, seed=seed)
            centers = begun.centers
        done = weighted_kmeans(objects, n_clusters, init=centers, n_init=n_init, seed=seed)
    cluster_labels = np.full(len(mass), -1, dtype=np.int64)
    cluster_labels[inside] = nearest(clusters, done.centers)
    return BipartiteCut(done.labels, cluster_labels)


def _own_order(bipartite: csr_array) -> np.ndarray:
    """Order the objects by the sums of their weights and squared weights, not by their numbers."""
    sums = np.asarray(bipartite.sum(axis=1), dtype=np.float64).ravel()
    squares = np.asarray(bipartite.power(2).sum(axis=1), dtype=np.float64).ravel()
    # sums in another order are equal but for rounding
    keys = [np.round(own / own.max(), ORDER_DIGITS) for own in (squares, sums)]
    return np.lexsort(keys)


def metis_bipartite(
    bipartite: Any,
    n_clusters: int,
    *,
    object_weights: ArrayLike | None = None,
    cluster_share: float = 1.0,
    imbalance: float = 0.03,
    seed: int = 0,
) -> BipartiteCut:
    """Cut a bipartite graph with METIS, so that every part holds objects and clusters.

    METIS may put light cluster vertices in one part, so they weigh `cluster_share` times as much
    as the objects together, and the balance is relaxed as far as that requires.  Both methods of
    METIS are improved by alternation (clusters move to the objects they are tied to most, objects
    are assigned again within the imbalance), and the lightest cut is kept.
    """
    bipartite = check_factor(bipartite)
    n, n_columns = bipartite.shape
    n_clusters = check_n_parts(n_clusters, n)
    imbalance = check_imbalance(imbalance)
    inside = np.flatnonzero(bipartite.sum(axis=0) > 0)
    if n_clusters in (1, n) or len(inside) == 0:
        trivial = _trivial_cut(bipartite, _gram(bipartite), n_clusters)
        assert trivial is not None
        return trivial
    mass = check_vertex_weights(object_weights, n)
    twin, copies = equal_columns(bipartite[:, inside])
    merge = csr_array((np.ones(len(twin)), twin, np.arange(len(twin) + 1)))
    inner = bipartite[:, inside] @ merge
    graph = block_array([[None, inner], [inner.T, None]], format="csr")
    weights = np.concatenate([mass, copies * (cluster_share * mass.sum() / len(inside))])
    loose = max(imbalance, weights.max() * n_clusters / weights.sum())
    cuts = []
    for method in ("recursive", "kway"):
        labels = metis(
            graph, n_clusters, vertex_weights=weights, imbalance=loose, method=method, seed=seed
        ).astype(np.int64)
        cuts += _alternate(inner, mass, labels[:n], labels[n:], n_clusters, imbalance)
    objects, clusters = min(cuts, key=lambda cut: _cut_weight(inner, cut, n_clusters))
    objects, clusters = _both_sides(inner, objects, clusters, n_clusters)
    names = first_seen_order(objects)
    table = np.full(n_clusters, -1, dtype=np.int64)
    table[objects] = names
    cluster_labels = np.full(n_columns, -1, dtype=np.int64)
    cluster_labels[inside] = table[clusters[twin]]
    return BipartiteCut(names, cluster_labels)


def _alternate(
    bipartite: csr_array,
    mass: np.ndarray,
    objects: np.ndarray,
    clusters: np.ndarray,
    n_clusters: int,
    imbalance: float,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Balanced cuts found by reassigning objects and clusters in turn."""
    capacity = (1 + imbalance) * mass.sum() / n_clusters
    found = []
    for _ in range(MOST_TURNS):
        before = objects
        objects = balanced_assignment(bipartite @ _one_hot(clusters, n_clusters), mass, capacity)
        found.append((objects, clusters))
        if np.array_equal(objects, before):
            break
        sizes = np.maximum(np.bincount(objects, mass, minlength=n_clusters), 1.0)
        clusters = (bipartite.T @ _one_hot(objects, n_clusters) / sizes).argmax(axis=1)
    return found


def _one_hot(labels: np.ndarray, n_clusters: int) -> np.ndarray:
    return np.eye(n_clusters)[labels]


def _cut_weight(
    bipartite: csr_array, cut: tuple[np.ndarray, np.ndarray], n_clusters: int
) -> float:
    objects, clusters = cut
    ties = bipartite @ _one_hot(clusters, n_clusters)
    return float(bipartite.sum() - ties[np.arange(len(objects)), objects].sum())


def equal_columns(matrix: csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Group equal columns; return the group of each column and the sizes of the groups."""
    columns = matrix.tocsc()
    columns.sort_indices()
    groups: dict[bytes, int] = {}
    group = np.empty(matrix.shape[1], dtype=np.int64)
    for c in range(matrix.shape[1]):
        part = slice(columns.indptr[c], columns.indptr[c + 1])
        content = blake2b(columns.indices[part].tobytes(), digest_size=16)
        content.update(columns.data[part].tobytes())
        group[c] = groups.setdefault(content.digest(), len(groups))
    return group, np.bincount(group)


def _both_sides(
    bipartite: csr_array, objects: np.ndarray, clusters: np.ndarray, n_clusters: int
) -> tuple[np.ndarray, np.ndarray]:
    """Repair parts that hold only objects or only clusters."""
    shares = _tie_shares(bipartite.T.tocsr(), objects, n_clusters)
    clusters = fill_empty(clusters, -shares, n_clusters)
    return fill_empty(objects, -_tie_shares(bipartite, clusters, n_clusters), n_clusters), clusters


def _tie_shares(ties: csr_array, parts: np.ndarray, n_clusters: int) -> np.ndarray:
    """For each row vertex, the share of its edge weight in each part of the other side."""
    weight = attachment(ties, parts, n_clusters)
    return weight / np.maximum(weight.sum(axis=1), np.finfo(float).tiny)[:, None]


def _gram(bipartite: csr_array) -> csr_array:
    """B' D_x^-1 B, exactly symmetric."""
    degrees = np.asarray(bipartite.sum(axis=1), dtype=np.float64).ravel()
    scale = 1 / np.sqrt(np.where(degrees > 0, degrees, 1.0))
    scaled = bipartite.multiply(scale[:, None]).tocsr()
    gram = scaled.T.tocsr() @ scaled
    return (gram + gram.T) / 2


def _trivial_cut(bipartite: Any, gram: csr_array, n_clusters: int) -> BipartiteCut | None:
    """Return parts of one object or of whole components; None if there are too few of both."""
    n, n_columns = bipartite.shape
    # all clusters of an object are in one component, whose number is therefore their mean;
    # an object without clusters is a component of its own
    component = components(gram)
    sums = bipartite @ np.column_stack([np.ones(n_columns), component])
    own = map_rows(_mean_component, sums, bytes_per_row=32, dtype=np.int64)
    if n_clusters == n:
        # a cluster belongs to the first object of its component
        names, where = np.unique(np.asarray(own), return_index=True)
        first = np.full(len(component), -1, dtype=np.int64)
        first[names[names >= 0]] = where[names >= 0]
        return BipartiteCut(split_like(first_seen_order(np.arange(n)), own), first[component])
    sizes = sum_rows(
        lambda rows: np.bincount(rows + 1, minlength=len(component) + 1), own, bytes_per_row=8
    )
    present, n_alone = np.flatnonzero(sizes[1:]), int(sizes[0])
    n_components = len(present) + n_alone
    if n_components < n_clusters:
        return None
    masses = np.concatenate([sizes[1:][present], np.ones(n_alone)])
    group = group_components(np.arange(n_components), masses, n_clusters)
    of_component = np.full(len(component) + 1, -1, dtype=np.int64)
    of_component[present] = group[: len(present)]
    parts = map_rows(lambda rows: of_component[rows], own, bytes_per_row=8, dtype=np.int64)
    if n_alone:
        parts = np.asarray(parts).copy()
        parts[np.flatnonzero(np.asarray(own) < 0)] = group[len(present) :]
        parts = split_like(parts, own)
    names = np.full(n_clusters + 1, -1, dtype=np.int64)
    names[first_seen(parts)] = np.arange(n_clusters)
    return BipartiteCut(first_seen_order(parts), names[of_component[component]])


def _mean_component(sums: np.ndarray) -> np.ndarray:
    """Component of each object, from sums of weights and of weighted component numbers, or -1."""
    degree = sums[:, 0]
    mean = np.rint(sums[:, 1] / np.where(degree > 0, degree, 1.0)).astype(np.int64)
    return np.where(degree > 0, mean, -1)


def balanced_assignment(ties: np.ndarray, weights: np.ndarray, capacity: float) -> np.ndarray:
    """Assign n objects to k parts with large total ties (n × k) and no part above the capacity.

    Every object goes to the part it is tied to most; overfull parts give away the objects that
    lose least, and pairs are swapped while that helps.  With two parts of equal weights it is
    optimal.
    """
    k = ties.shape[1]
    parts = ties.argmax(axis=1)
    loads = np.bincount(parts, weights, minlength=k)
    capacity = max(capacity, float(weights.sum()) / k)
    _relieve(ties, weights, parts, loads, capacity)
    _swap_pairs(ties, weights, parts)
    return parts


def _relieve(
    ties: np.ndarray, weights: np.ndarray, parts: np.ndarray, loads: np.ndarray, capacity: float
) -> None:
    """Move objects out of overfull parts, the cheapest first."""
    limit = capacity * (1 + 1e-12)
    while True:
        source = int(loads.argmax())
        if loads[source] <= limit:
            return
        inside = np.flatnonzero(parts == source)
        loss = ties[inside, source][:, None] - ties[inside]
        loss[:, source] = np.inf
        # a move must leave the other part lighter than this one was, or the loop never ends
        loss[loads + weights[inside][:, None] >= loads[source]] = np.inf
        target = loss.argmin(axis=1)
        least = loss[np.arange(len(inside)), target]
        moved = False
        for i in np.argsort(least, kind="stable"):
            vertex, to = inside[i], target[i]
            if loads[source] <= limit or least[i] == np.inf:
                break
            if loads[to] + weights[vertex] > limit and moved:
                break  # the part is full: recompute the best targets
            parts[vertex] = to
            loads[source] -= weights[vertex]
            loads[to] += weights[vertex]
            moved = True
        if not moved:
            return


def _swap_pairs(ties: np.ndarray, weights: np.ndarray, parts: np.ndarray) -> None:
    """Swap the objects of equal weight that gain most while the total ties grow."""
    k = ties.shape[1]
    if k < 3:
        return  # _relieve has moved the cheapest objects already
    least = 1e-12 * float(ties.max())
    for _ in range(MOST_ROUNDS):
        exchanged = False
        for weight in np.unique(weights):
            same_weight = np.flatnonzero(weights == weight)
            for a, b in combinations(range(k), 2):
                ours, gain_ours = _by_gain(ties, same_weight[parts[same_weight] == a], a, b)
                theirs, gain_theirs = _by_gain(ties, same_weight[parts[same_weight] == b], b, a)
                m = min(len(ours), len(theirs))
                n_pairs = int(np.count_nonzero(gain_ours[:m] + gain_theirs[:m] > least))
                parts[ours[:n_pairs]], parts[theirs[:n_pairs]] = b, a
                exchanged |= n_pairs > 0
        if not exchanged:
            return


def _by_gain(
    ties: np.ndarray, objects: np.ndarray, own: int, other: int
) -> tuple[np.ndarray, np.ndarray]:
    gain = ties[objects, other] - ties[objects, own]
    order = np.argsort(-gain, kind="stable")
    return objects[order], gain[order]
