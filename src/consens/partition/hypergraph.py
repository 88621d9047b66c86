"""Partitioning of hypergraphs, whose hyperedges join any number of vertices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import block_array, csr_array

from consens._labels import first_seen_order
from consens._numerics.empty import fill_empty
from consens._validation import check_integer, check_matrix
from consens.partition.bipartite_cut import equal_columns, metis_bipartite
from consens.partition.bisection import multilevel_bisection
from consens.partition.graph import (
    canonical_order,
    check_factor,
    check_imbalance,
    check_n_parts,
    check_vertex_weights,
    group_components,
)

INSTALL_KAHYPAR = "pip install 'consens[hypergraph]'"
MOST_PASSES = 20

#: Gain of moving a vertex to each part, from the pins and copies of its hyperedges and its part.
Gains = Callable[[np.ndarray, np.ndarray, int], np.ndarray]


class _Problem(NamedTuple):
    """A hypergraph (vertices by distinct hyperedges, copies, weights) and how to cut it."""

    edges: csr_array
    copies: np.ndarray
    weights: np.ndarray
    n_clusters: int
    imbalance: float


def hypergraph_cut(
    incidence: Any,
    n_clusters: int,
    *,
    vertex_weights: ArrayLike | None = None,
    imbalance: float = 0.05,
    partitioner: str = "metis",
    objective: str = "connectivity",
    seed: int = 0,
) -> np.ndarray:
    """Cut a hypergraph into parts of about equal weight so that few hyperedges are cut.

    Parameters
    ----------
    incidence : array or sparse array of shape (n, number of hyperedges)
        Nonzero where a vertex belongs to a hyperedge.
    n_clusters : int, 1 to n
    vertex_weights : array-like of shape (n,), optional
        Positive weights to balance.
    imbalance : float
        A part may weigh (1 + imbalance) times its fair share.  With "bisection" this holds for
        every bisection, so that 0.1 allows sides of 45 and 55 %; it moves one vertex at a time
        and needs room for that.
    partitioner : {"metis", "bisection", "kahypar"}
        "metis" cuts the graph in which each hyperedge is a vertex joined to those it holds (an
        edge weighs 1 / size), then moves single vertices while the cost falls.
        "bisection" is multilevel recursive bisection, as in hMETIS: vertices that share small
        hyperedges are grouped until about 100 groups are left, the best of ten random bisections
        of these is refined by passes of Fiduccia and Mattheyses, level by level, and both sides
        are bisected again.  If every balanced bisection cuts most hyperedges it finds poor cuts,
        as hMETIS does.
        "kahypar" is Mt-KaHyPar with its deterministic preset and needs ``pip install
        'consens[hypergraph]'``; its connectivity is about a tenth lower for ten parts.
    objective : {"connectivity", "cut"}
        Cost of a hyperedge: the number of parts it reaches, less one, or 1 if it is cut.  With
        "bisection" the pieces of a cut hyperedge count inside each side, or are dropped.
    seed : int
        An integer rather than a `random_state`: equal arguments give equal labels.

    Returns
    -------
    ndarray of shape (n,), int32
        Exactly n_clusters nonempty parts, numbered by their first vertex.

    References
    ----------
    G. Karypis, R. Aggarwal, V. Kumar and S. Shekhar, "Multilevel hypergraph partitioning:
    applications in VLSI domain", IEEE Trans. VLSI Syst. 7(1), 1999. doi:10.1109/92.748202

    L. Gottesbüren, T. Heuer, N. Maas, P. Sanders and S. Schlag, "Scalable high-quality
    hypergraph partitioning", ACM Trans. Algorithms 20(1), 2024. doi:10.1145/3626527

    Examples
    --------
    >>> import numpy as np
    >>> from consens.partition.hypergraph import hypergraph_cut
    >>> edges = np.array([[1, 0, 1], [1, 0, 1], [1, 0, 0], [0, 1, 0], [0, 1, 1], [0, 1, 0]])
    >>> hypergraph_cut(edges, 2)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    incidence = check_factor(check_matrix(incidence, "vertices by hyperedges") != 0)
    n = incidence.shape[0]
    n_clusters = check_n_parts(n_clusters, n)
    weights = check_vertex_weights(vertex_weights, n)
    imbalance, seed = check_imbalance(imbalance), check_integer(seed, "seed", least=0)
    if partitioner not in ("metis", "bisection", "kahypar"):
        allowed = "'metis', 'bisection' and 'kahypar'"
        raise ValueError(f"partitioner={partitioner!r}; allowed are {allowed}")
    if objective not in GAINS:
        raise ValueError(f"objective={objective!r}; allowed are 'connectivity' and 'cut'")
    twin, copies = equal_columns(incidence)
    edges = incidence.tocsc()[:, np.unique(twin, return_index=True)[1]]
    big = np.diff(edges.indptr) > 1  # a hyperedge of one vertex is never cut
    if not big.any() or n_clusters in (1, n):
        return first_seen_order(group_components(np.arange(n), weights, n_clusters))
    edges, copies = edges[:, big].tocsr(), copies[big]
    order, edge_order = _canonical_orders(edges, copies, weights)
    edges = edges[order][:, edge_order].tocsr()
    weights, copies = weights[order], copies[edge_order]
    edges.sort_indices()
    problem = _Problem(edges, copies, weights, n_clusters, imbalance)
    if partitioner == "bisection":
        split, rng = objective == "connectivity", np.random.default_rng(seed)
        parts = multilevel_bisection(*problem, rng, split)
    elif partitioner == "kahypar":
        parts = _cut_by_kahypar(problem, seed, objective)
    else:
        parts = _cut_by_metis(problem, seed)
    parts = fill_empty(parts, np.diff(edges.indptr), n_clusters)
    if partitioner != "bisection":
        parts = _improve(problem, parts, GAINS[objective])
    labels = np.empty(n, dtype=np.int64)
    labels[order] = parts
    return first_seen_order(labels)


def connectivity(incidence: Any, labels: np.ndarray) -> int:
    """Sum over the hyperedges of the number of parts they reach, less one.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.partition.hypergraph import connectivity
    >>> connectivity(np.array([[1, 1], [1, 0], [0, 1], [0, 1]]), np.array([0, 0, 1, 2]))
    2
    """
    pins = _pins(csr_array(incidence != 0), labels, int(labels.max()) + 1)
    return int(np.maximum((pins > 0).sum(axis=1) - 1, 0).sum())


def _pins(edges: csr_array, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Number of vertices of each hyperedge in each part."""
    pins = np.zeros((edges.shape[1], n_clusters), dtype=np.int64)
    owner = np.repeat(labels, np.diff(edges.indptr))
    np.add.at(pins, (edges.indices, owner), 1)
    return pins


def _canonical_orders(
    edges: csr_array, copies: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Canonical orders of the vertices and the hyperedges, from their bipartite graph."""
    n = edges.shape[0]
    ones = edges.astype(np.float64)
    graph = block_array([[None, ones], [ones.T, None]], format="csr")
    both = canonical_order(graph, np.concatenate([weights, -copies / np.gcd.reduce(copies)]))
    return both[both < n], both[both >= n] - n


def _cut_by_metis(problem: _Problem, seed: int) -> np.ndarray:
    edges, copies, weights, n_clusters, imbalance = problem
    star = edges.astype(np.float64)
    sizes = star.T @ weights
    star.data = np.repeat(weights, np.diff(star.indptr)) * (copies / sizes)[star.indices]
    return metis_bipartite(
        star,
        n_clusters,
        object_weights=weights,
        cluster_share=1e-3,  # only the vertices are to be balanced
        imbalance=imbalance,
        seed=seed,
    ).objects


def _cut_by_kahypar(problem: _Problem, seed: int, objective: str) -> np.ndarray:
    edges, copies, weights, n_clusters, imbalance = problem
    try:
        import mtkahypar
    except ImportError as error:
        raise ImportError(
            f"partitioner='kahypar' needs Mt-KaHyPar: {INSTALL_KAHYPAR}; "
            "partitioner='metis' works without it"
        ) from error
    if not np.array_equal(weights, np.rint(weights)):
        weights = np.maximum(np.rint(1000 * weights / weights.mean()), 1)
    columns = edges.tocsc()
    nets = [net.tolist() for net in np.split(columns.indices, columns.indptr[1:-1])]
    library = mtkahypar.initialize(1, False)
    mtkahypar.set_seed(seed % 2**31)
    context = library.context_from_preset(mtkahypar.PresetType.DETERMINISTIC_QUALITY)
    goal = mtkahypar.Objective.KM1 if objective == "connectivity" else mtkahypar.Objective.CUT
    context.set_partitioning_parameters(n_clusters, imbalance, goal)
    context.logging = False
    graph = library.create_hypergraph(
        context, len(weights), len(nets), nets, weights.astype(int).tolist(), copies.tolist()
    )
    return np.asarray(graph.partition(context).get_partition(), dtype=np.int64)


def _connectivity_gains(pins: np.ndarray, copies: np.ndarray, source: int) -> np.ndarray:
    """Reduction of the connectivity if a vertex moves to each part.

    Leaving a part saves the hyperedges without another vertex there; entering a part costs those
    without a vertex there yet.
    """
    return copies @ (pins[:, source] == 1) - copies @ (pins == 0)


def _cut_gains(pins: np.ndarray, copies: np.ndarray, source: int) -> np.ndarray:
    """Reduction of the number of cut hyperedges if a vertex moves to each part.

    A move to a part heals the hyperedges whose other vertices are all there, and cuts those that
    lie within the old part.
    """
    sizes = pins.sum(axis=1)
    return copies @ (pins == sizes[:, None] - 1) - copies @ (pins[:, source] == sizes)


GAINS: dict[str, Gains] = {"connectivity": _connectivity_gains, "cut": _cut_gains}


def _improve(problem: _Problem, labels: np.ndarray, gains_of: Gains) -> np.ndarray:
    """Move single vertices while that lowers the cost and keeps the balance."""
    edges, copies, weights, n_clusters, imbalance = problem
    labels = labels.copy()
    pins = _pins(edges, labels, n_clusters)
    loads = np.bincount(labels, weights, minlength=n_clusters)
    sizes = np.bincount(labels, minlength=n_clusters)
    limit = max((1 + imbalance) * loads.sum() / n_clusters, loads.max())
    for _ in range(MOST_PASSES):
        moved = False
        for v, source in enumerate(labels):
            if sizes[source] < 2:
                continue
            own = edges.indices[edges.indptr[v] : edges.indptr[v + 1]]
            reached, weight = pins[own], copies[own]
            gains = gains_of(reached, weight, source)
            gains[(loads + weights[v] > limit)] = 0
            gains[source] = 0
            target = gains.argmax()
            if gains[target] > 0:
                labels[v] = target
                moved = True
                for part, sign in ((source, -1), (target, 1)):
                    pins[own, part] += sign
                    loads[part] += sign * weights[v]
                    sizes[part] += sign
        if not moved:
            break
    return labels
