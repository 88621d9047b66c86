"""Balanced graph partitioning by METIS, with checks of its input.

METIS is C code that trusts its input: weights below 1 or a one-sided edge crash the process, more
parts than vertices or a vertex heavier than a part leave parts empty and print to the terminal.
So all input is checked and converted here first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from consens._labels import first_seen_order
from consens._validation import check_integer
from consens.partition.graph import (
    Graph,
    attachment,
    canonical_order,
    check_graph,
    check_imbalance,
    check_n_parts,
    check_vertex_weights,
    components,
    reordered,
    whole_parts,
    without_loops,
)

UNIT = 1000  # integer weight of a mean edge, at most
VERTICES_PER_PART = 30  # of METIS's coarsest graph; its k-way method needs as many
MOST_TIES = 100_000  # largest number of vertices times parts for which the cut is refined
EXTRA_IMBALANCE = 0.5  # extra imbalance allowed in the second attempt, before refinement
MAX_KWAY_IMBALANCE = 1.0  # above it the k-way method may leave parts empty


def metis(
    graph: Graph,
    n_clusters: int,
    *,
    vertex_weights: ArrayLike | None = None,
    imbalance: float = 0.03,
    method: str = "recursive",
    n_init: int = 10,
    refine: bool = True,
    seed: int = 0,
) -> np.ndarray:
    """Cut a graph into parts of about equal weight so that the cut edges weigh little.

    Parameters
    ----------
    graph : array or sparse array of shape (n, n)
        Symmetric, weights finite and >= 0.  The diagonal is ignored.
    n_clusters : int, 1 to n
    vertex_weights : array-like of shape (n,), optional
        Positive weights to balance.  By default 1 each.
    imbalance : float
        A part may weigh (1 + imbalance) times its fair share, or more if single vertices are too
        heavy; with "recursive" at every bisection.  Clusters of unequal size need more than 0.03,
        the default of METIS for all parts at once.
    method : {"recursive", "kway"}
        Repeated bisection, or all parts at once.  k-way needs 30 vertices per part and an
        imbalance below 1; otherwise "recursive" is used.
    n_init : int
        Number of cuts that METIS tries each time, to keep the best.
    refine : bool
        Whether to refine the cut.  Without, and with ``n_init=1`` and an imbalance of 0.001, the
        cut is that of METIS's program pmetis.
    seed : int
        An integer rather than a `random_state`: equal arguments give equal labels.

    Returns
    -------
    ndarray of shape (n,), int32
        Exactly n_clusters nonempty parts, numbered by their first vertex.

    Notes
    -----
    METIS needs integers: weights are scaled to a mean of 500 to 1000 and rounded, to at least 1.
    At least n_clusters components are grouped instead if that keeps the balance.

    If vertices times parts are at most 100,000, METIS runs a second time with more imbalance, both
    cuts are improved by moving single vertices, and the lighter one is kept.

    About O(edges) time; 16 bytes per entry of the graph and METIS's copies.

    References
    ----------
    G. Karypis and V. Kumar, "A fast and high quality multilevel scheme for partitioning
    irregular graphs", SIAM J. Sci. Comput. 20(1), 1998. doi:10.1137/S1064827595287997

    Examples
    --------
    >>> import numpy as np
    >>> from consens.partition import metis
    >>> graph = np.kron(np.eye(2), np.ones((3, 3))) + 0.1
    >>> metis(graph, 2)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    edges = without_loops(check_graph(graph))
    n = edges.shape[0]
    weights = check_vertex_weights(vertex_weights, n)
    n_clusters = check_n_parts(n_clusters, n)
    imbalance = check_imbalance(imbalance)
    n_init, seed = check_integer(n_init, "n_init"), check_integer(seed, "seed", least=0)
    if method not in ("recursive", "kway"):
        raise ValueError(f"method={method!r}; allowed are 'recursive' and 'kway'")
    fair = weights.sum() / n_clusters
    groups = whole_parts(components(edges), weights, n_clusters)
    if groups is not None:
        heaviest = np.bincount(groups, weights).max()
        if n_clusters == n or heaviest <= (1 + imbalance) * fair * (1 + 1e-12):
            return groups
    edges.data = _edge_integers(edges.data)
    order = canonical_order(edges, weights)
    edges, weights = reordered(edges, order), weights[order]
    labels = np.empty(n, dtype=np.int64)
    options = _metis_options(imbalance, n_init, seed)
    enough = n >= VERTICES_PER_PART * n_clusters
    even = imbalance < MAX_KWAY_IMBALANCE and weights.max() <= fair
    if method == "kway" and enough and even:
        parts = _call(edges, weights, [1 / n_clusters] * n_clusters, options, kway=True)
        if np.bincount(parts, minlength=n_clusters).all():
            labels[order] = parts
            return first_seen_order(labels)
    parts = _bisect(edges, weights, n_clusters, options)
    if refine and n * n_clusters <= MOST_TIES:
        loose = _bisect(
            edges,
            weights,
            n_clusters,
            _metis_options(imbalance + EXTRA_IMBALANCE, n_init, seed),
        )
        limit = (1 + imbalance) * weights.sum() / n_clusters
        parts = min(
            (_Moves(edges, weights, p, n_clusters).refined(limit) for p in (parts, loose)),
            key=lambda moves: moves.cost(limit),
        ).labels
    labels[order] = parts
    return first_seen_order(labels)


def pmetis(graph: Any, n_clusters: int, **options: Any) -> np.ndarray:
    """Cut a graph like METIS's program pmetis: by one recursive bisection without refinement."""
    return metis(graph, n_clusters, n_init=1, refine=False, **options)


def _bisect(graph: csr_array, weights: np.ndarray, n_clusters: int, options: Any) -> np.ndarray:
    """Bisect recursively; unlike METIS's own recursion, no half gets fewer vertices than parts."""
    n = len(weights)
    if n_clusters == 1:
        return np.zeros(n, dtype=np.int64)
    if n_clusters == n:
        return np.arange(n)
    n_left = n_clusters // 2
    shares = [n_left / n_clusters, 1 - n_left / n_clusters]
    side = _call(graph, weights, shares, options, kway=False)
    side = _enough_on_both_sides(graph, side, n_left, n_clusters - n_left)
    labels = np.empty(n, dtype=np.int64)
    for half, start, size in ((0, 0, n_left), (1, n_left, n_clusters - n_left)):
        inside = np.flatnonzero(side == half)
        inner = graph[inside][:, inside]
        labels[inside] = start + _bisect(inner, weights[inside], size, options)
    return labels


class _Moves:
    """A partition that is refined by moving single vertices, where METIS alone is weak."""

    def __init__(
        self, graph: csr_array, weights: np.ndarray, labels: np.ndarray, n_clusters: int
    ) -> None:
        self.graph, self.weights, self.labels = graph, weights, labels.copy()
        self.ties = attachment(graph, labels, n_clusters)
        self.loads = np.bincount(labels, weights, minlength=n_clusters)
        self.sizes = np.bincount(labels, minlength=n_clusters)

    def refined(self, limit: float) -> _Moves:
        """Move vertices out of parts above the limit, then lighten the cut by single moves."""
        while self.loads.max() > limit and self._relieve(limit):
            pass
        while self._lighten(max(limit, self.loads.max())):
            pass
        return self

    def cost(self, limit: float) -> tuple[float, float]:
        """Excess of the heaviest part over the limit, then the weight of the cut."""
        kept = self.ties[np.arange(len(self.labels)), self.labels].sum()
        return max(self.loads.max() - limit, 0.0), float(self.graph.data.sum() - kept)

    def _relieve(self, limit: float) -> bool:
        """Move the vertex of the heaviest part that costs least, to a part with room."""
        heaviest = int(self.loads.argmax())
        inside = np.flatnonzero(self.labels == heaviest)
        loss = self.ties[inside, heaviest][:, None] - self.ties[inside]
        loss[self.loads + self.weights[inside][:, None] > limit] = np.inf
        vertex, target = divmod(int(loss.argmin()), loss.shape[1])
        if self.sizes[heaviest] < 2 or loss[vertex, target] == np.inf:
            return False
        self._move(inside[vertex], target)
        return True

    def _lighten(self, limit: float) -> bool:
        """Make the move that lightens the cut most, if any; ties go to the first vertex."""
        gains = self.ties - self.ties[np.arange(len(self.labels)), self.labels][:, None]
        gains[self.loads + self.weights[:, None] > limit] = 0.0
        gains[self.sizes[self.labels] < 2] = 0.0
        vertex, target = divmod(int(gains.argmax()), gains.shape[1])
        if gains[vertex, target] <= 0:
            return False
        self._move(vertex, target)
        return True

    def _move(self, vertex: int, target: int) -> None:
        edges = slice(self.graph.indptr[vertex], self.graph.indptr[vertex + 1])
        for part, sign in ((self.labels[vertex], -1), (target, 1)):
            self.ties[self.graph.indices[edges], part] += sign * self.graph.data[edges]
            self.loads[part] += sign * self.weights[vertex]
            self.sizes[part] += sign
        self.labels[vertex] = target


def _enough_on_both_sides(
    graph: csr_array, side: np.ndarray, n_left: int, n_right: int
) -> np.ndarray:
    """Move the cheapest vertices until each side has at least as many vertices as parts."""
    needed = np.array([n_left, n_right])
    missing = needed - np.bincount(side, minlength=2)
    short = int(missing.argmax())
    if missing[short] <= 0:
        return side
    side = side.copy()
    for _ in range(missing[short]):
        ties = attachment(graph, side, 2)
        loss = np.where(side == short, np.inf, ties[:, 1 - short] - ties[:, short])
        side[loss.argmin()] = short
    return side


def _metis_options(imbalance: float, n_init: int, seed: int) -> Any:
    import pymetis

    # METIS reads the imbalance in thousandths, and at least one
    thousandths = int(np.clip(np.rint(1000 * imbalance), 1, 10**6))
    return pymetis.Options(seed=seed % 2**31, ufactor=thousandths, ncuts=max(1, int(n_init)))


def _call(
    graph: csr_array, weights: np.ndarray, shares: list[float], options: Any, kway: bool
) -> np.ndarray:
    """Call METIS with integer weights >= 1 and shares that sum to 1."""
    import pymetis

    dtype = pymetis.zero_copy_dtype()
    adjacency = pymetis.CSRAdjacency(graph.indptr.astype(dtype), graph.indices.astype(dtype))
    done = pymetis.part_graph(
        len(shares),
        adjacency,
        vweights=_vertex_integers(weights).astype(dtype),
        eweights=graph.data.astype(dtype),
        tpwgts=shares,
        recursive=not kway,
        options=options,
    )
    return np.asarray(done.vertex_part, dtype=np.int64)


def _edge_integers(weights: np.ndarray) -> np.ndarray:
    return np.maximum(_proportional(weights), 1.0)


def _vertex_integers(weights: np.ndarray) -> np.ndarray:
    """Vertex weights as integers: counts over their common divisor, or scaled by the mean."""
    if weights.sum() < 2**31 / 4 and np.array_equal(weights, np.rint(weights)):
        return weights / np.gcd.reduce(weights.astype(np.int64))
    return np.maximum(_proportional(weights), 1.0)


def _proportional(weights: np.ndarray) -> np.ndarray:
    if len(weights) == 0:
        return weights
    import pymetis

    # METIS adds up weights, at most all of them; a quarter of its range is safe
    limit = np.iinfo(pymetis.zero_copy_dtype()).max / 4
    unit = min(float(UNIT), limit / len(weights))
    relative = weights / weights.max()
    # a power of 2, so that the rounding error of a mean, which depends on the order of the
    # edges, cannot reach the integers
    return np.rint(relative * 2.0 ** np.floor(np.log2(unit / relative.mean())))
