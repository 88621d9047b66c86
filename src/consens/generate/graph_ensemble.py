"""Members that are communities of a graph."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from math import exp, log
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import Tags

from consens._blocks import row_blocks
from consens._labels import MISSING, NOISE
from consens._params import COUNT_RULE, Interval, one_of, rules
from consens._support.seeds import Seed, spawn_seeds
from consens.generate._base import BaseGenerator
from consens.generate._plan import Model, Plan, Sample, SharingModel, Trained

#: Times that Leiden starts again from its own result, as Traag, Waltman and van Eck do.
LEIDEN_ROUNDS = 2

#: Quick runs that weigh the edges of a member of `method="ecg"`, the largest factor by which their
#: resolution exceeds that of the member, and the least share of its weight that an edge keeps.
ECG_RUNS = 8
ECG_FACTOR = 4.0
ECG_LEAST = 0.05

PILOTS = 8  # members of each method whose agreement decides for ``method="auto"``


@dataclass(frozen=True)
class NeighborVote(SharingModel):
    """A member that gives rows the commonest cluster of their nearest objects."""

    objects: np.ndarray | None
    labels: np.ndarray
    n_neighbors: int

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.labels.max()) + 1

    @property
    def bytes_per_row(self) -> int:
        """Work space for a row."""
        return 16 * self.n_neighbors * (1 if self.objects is None else self.objects.shape[1])

    @cached_property
    def _search(self) -> Any:
        return NearestNeighbors(n_neighbors=self.n_neighbors).fit(self.objects)

    def locate(self, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        """Nearest objects of each row, and which of them vote: an equal object votes alone."""
        if self.objects is None:
            raise ValueError(
                "members of a given graph cannot label new objects; fit the graph that has them"
            )
        index = self._search.kneighbors(rows, return_distance=False)
        same = (self.objects[index] == np.asarray(rows)[:, None, :]).all(axis=2)
        first = np.arange(self.n_neighbors) == same.argmax(axis=1)[:, None]
        return index, np.where(same.any(axis=1)[:, None], first, True)

    def label_located(self, located: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """Cluster of each row."""
        index, votes = located
        labels = self.labels[index]
        votes = votes & (labels >= 0)
        counts = np.zeros((len(index), self.n_clusters))
        rows = np.nonzero(votes)[0]
        np.add.at(counts, (rows, labels[votes]), 1.0)
        return np.where(votes.any(axis=1), counts.argmax(axis=1), MISSING).astype(np.int32)


class GraphEnsemble(BaseGenerator):
    """Find communities of a graph many times, at other resolutions and with other edges.

    Communities of a graph of nearest neighbours follow clusters of any shape and density.  How
    many there are depends on a resolution that nobody knows, and which of them appear depends on
    chance, so that a consensus of many runs says more than one.

    Parameters
    ----------
    {n_estimators}
    affinity : {"nearest_neighbors", "precomputed"}, default="nearest_neighbors"
        Whether X holds features, or is itself the symmetric n × n matrix of edge weights, dense or
        sparse, such as ``adata.obsp["connectivities"]``.
    n_neighbors : int, default=15
        Neighbours of each object in the graph of features, as usual for cells.
    resolution : float or (low, high), default=(0.5, 2.0)
        Resolution γ of each member, or a range to draw it from, uniformly on the scale of
        logarithms.  More gives more and smaller communities; 1 is modularity.
    max_edges : float, default=0.9
        Share of the edges that a member sees, drawn without replacement.
    method : {"auto", "leiden", "louvain", "ecg"}, default="auto"
        Leiden [1]_ keeps communities connected; Louvain [2]_ is somewhat quicker.  "ecg" [4]_ is
        Leiden on edges that weigh how often quick runs put their ends together, for networks of
        dense communities.  "auto" is "leiden" for features; for a given graph it is that of
        "leiden" and "ecg" whose 8 pilots agree more with each other.
    {sequence_of_members}

    {generator_attributes}

    Notes
    -----
    Both look for a partition of large Σ_C (w(C, C) - γ K_C² / 2m), where w(C, C) is twice the
    weight inside a community C, K_C the sum of its degrees and 2m that of all degrees.  A quick
    run of "ecg" is one pass of Louvain at 1 to 4 times the resolution γ; an edge whose ends are
    together in a share s of 8 runs keeps .05 + .95 s of its weight.

    An edge of the graph of features joins an object and each of its nearest neighbours, and weighs
    the share of their neighbours that they have in common [3]_.  A new row gets the commonest
    label of its nearest objects; a given graph cannot label new objects.

    In a network, take as many clusters as the median member has, as ``consens cluster --graph``
    does: ``int(np.median(ensemble.n_clusters))``.

    An object that lost all its edges in a draw is `MISSING` in that member; one without any edge
    is `NOISE`.

    A member costs about O(E) time for E edges and O(n + E) memory, with "ecg" about three times as
    much; the graph of features costs a search for neighbours and 9·n·q² comparisons.

    References
    ----------
    .. [1] V. A. Traag, L. Waltman and N. J. van Eck, "From Louvain to Leiden: guaranteeing
       well-connected communities", Scientific Reports 9 (2019) 5233,
       doi:10.1038/s41598-019-41695-z.
    .. [2] V. D. Blondel, J.-L. Guillaume, R. Lambiotte and E. Lefebvre, "Fast unfolding of
       communities in large networks", J. Stat. Mech. (2008) P10008,
       doi:10.1088/1742-5468/2008/10/P10008.
    .. [3] J. H. Levine et al., "Data-driven phenotypic dissection of AML reveals progenitor-like
       cells that correlate with prognosis", Cell 162 (2015), doi:10.1016/j.cell.2015.05.047.
    .. [4] V. Poulin and F. Théberge, "Ensemble clustering for graphs: comparisons and
       applications", Applied Network Science 4 (2019) 51, doi:10.1007/s41109-019-0162-z.

    Examples
    --------
    Two triangles that one edge joins:

    >>> import numpy as np
    >>> from consens.generate import GraphEnsemble
    >>> graph = np.zeros((6, 6))
    >>> for i, j in [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)]:
    ...     graph[i, j] = graph[j, i] = 1
    >>> generator = GraphEnsemble(
    ...     1, affinity="precomputed", resolution=1, max_edges=1.0, random_state=0
    ... )
    >>> generator.fit_transform(graph).labels[:, 0]
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    _parameter_constraints = rules(
        affinity=one_of("nearest_neighbors", "precomputed"),
        n_neighbors=COUNT_RULE,
        resolution=[Interval(Real, 0, None, closed="neither"), tuple, list],
        max_edges=[Interval(Real, 0, 1, closed="right")],
        method=one_of("auto", "leiden", "louvain", "ecg"),
    )
    _in_blocks = False

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        affinity: str = "nearest_neighbors",
        n_neighbors: int = 15,
        resolution: float | tuple[float, float] = (0.5, 2.0),
        max_edges: float = 0.9,
        method: str = "auto",
        random_state: Seed = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.resolution = resolution
        self.max_edges = max_edges
        self.method = method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store

    def _plans(self, X: Any) -> list[Plan]:
        low, high = self._bounds()
        n, given = X.shape[0], self.affinity == "precomputed"
        q = min(self.n_neighbors, n - 1)
        graph = check_adjacency(X) if given else neighbor_graph(X, q)
        parts = {
            "pointers": graph.indptr,
            "neighbors": graph.indices,
            "weights": graph.data,
            "share": float(self.max_edges),
            "method": self.method,
            "n_neighbors": 0 if given else q,
        }
        if self.method == "auto":
            parts["method"] = choose_method(parts, (low, high)) if given else "leiden"
        name = {"ecg": "ECG"}.get(parts["method"], parts["method"].capitalize())
        plans = []
        for seed in spawn_seeds(self.random_state, self.n_estimators):
            resolution = draw_resolution(low, high, seed)
            parameters = {"resolution": resolution, "max_edges": self.max_edges}
            fit = partial(fit_communities, **parts, resolution=resolution, seed=seed)
            sample = Sample(np.random.default_rng(seed), n, None)
            plans.append(Plan(fit, name, seed, sample, parameters))
        return plans

    def _bounds(self) -> tuple[float, float]:
        value: Any = self.resolution
        bounds = tuple(value) if isinstance(value, tuple | list) else (value, value)
        numbers = all(isinstance(b, Real) and not isinstance(b, bool) for b in bounds)
        if len(bounds) != 2 or not numbers or not 0 < bounds[0] <= bounds[1] < np.inf:
            raise ValueError(
                f"resolution={value!r} is not a range; expected a number > 0, or two with "
                "0 < low <= high"
            )
        return float(bounds[0]), float(bounds[1])

    def _complete(
        self, plans: Sequence[Plan], models: Sequence[Model | None], X: Any
    ) -> list[Model]:
        return [
            replace(model, objects=X)
            if isinstance(model, NeighborVote) and model.objects is not None
            else model
            for model in super()._complete(plans, models, X)
        ]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.sparse = self.affinity == "precomputed"
        return tags


def check_adjacency(X: Any) -> csr_array:
    """Check a symmetric matrix of edge weights, and drop its diagonal."""
    graph = csr_array(X, dtype=np.float64, copy=True)
    if graph.shape[0] != graph.shape[1]:
        raise ValueError(
            f"affinity='precomputed' expects a square matrix of edge weights, got {graph.shape}; "
            "give affinity='nearest_neighbors' for features"
        )
    if graph.nnz and graph.data.min() < 0:
        raise ValueError(f"edge weights must be >= 0, got {graph.data.min():g}")
    if abs(graph - graph.T).max() > 1e-9 * abs(graph).max():
        raise ValueError(
            "the graph has different weights from i to j and from j to i; give graph + graph.T"
        )
    return _without_diagonal(graph.tocoo().coords, graph.data, graph.shape[0])


def neighbor_graph(X: Any, n_neighbors: int) -> csr_array:
    """Graph of nearest neighbours, weighted by the share of neighbours that are in common."""
    n = X.shape[0]
    # which of equally near objects a search returns depends on its threads, so it returns more
    many = min(2 * n_neighbors, n - 1)
    found = NearestNeighbors(n_neighbors=many).fit(X).kneighbors(return_distance=False)
    found.sort(axis=1)
    squares = np.empty(found.shape)
    for block in row_blocks(n, 16 * many * X.shape[1]):
        squares[block] = ((X[found[block]] - X[block, None]) ** 2).sum(axis=2)
    order = np.argsort(squares, axis=1, kind="stable")[:, :n_neighbors]
    found = np.take_along_axis(found, order, axis=1)
    near = np.column_stack([np.arange(n), found])
    first, second = np.repeat(np.arange(n), n_neighbors), found.ravel()
    pairs = np.unique(np.minimum(first, second) * n + np.maximum(first, second))
    first, second = pairs // n, pairs % n
    weights = np.empty(len(pairs))
    for block in row_blocks(len(pairs), 2 * (n_neighbors + 1) ** 2):
        shared = near[first[block], :, None] == near[second[block], None, :]
        common = shared.sum(axis=(1, 2))
        weights[block] = common / (2 * near.shape[1] - common)
    ends = np.concatenate([first, second]), np.concatenate([second, first])
    return _without_diagonal(ends, np.tile(weights, 2), n)


def _without_diagonal(ends: Any, weights: np.ndarray, n: int) -> csr_array:
    """Graph with edges between other vertices only; weights of equal edges are added."""
    kept = ends[0] != ends[1]
    graph = csr_array((weights[kept], (ends[0][kept], ends[1][kept])), shape=(n, n))
    graph.eliminate_zeros()
    return graph


def draw_resolution(low: float, high: float, seed: int) -> float:
    """Draw a resolution, uniformly on the scale of logarithms."""
    drawn = exp(np.random.default_rng(seed).uniform(log(low), log(high)))
    return min(max(drawn, low), high)


def choose_method(parts: dict[str, Any], bounds: tuple[float, float]) -> str:
    """Leiden or ECG, whichever has members that agree more with each other."""
    agreement = {}
    for method in ("leiden", "ecg"):
        members = [
            fit_communities(
                None,
                **(parts | {"method": method}),
                resolution=draw_resolution(*bounds, seed),
                seed=seed,
            ).labels
            for seed in range(PILOTS)
        ]
        agreement[method] = sum(adjusted_rand_score(*pair) for pair in combinations(members, 2))
    return max(agreement, key=lambda method: agreement[method])


def fit_communities(
    rows: Any,
    *,
    pointers: np.ndarray,
    neighbors: np.ndarray,
    weights: np.ndarray,
    resolution: float,
    share: float,
    method: str,
    n_neighbors: int,
    seed: int,
) -> Trained:
    """Draw edges of a graph, and find its communities."""
    n = len(pointers) - 1
    rng = np.random.default_rng((seed, 1))
    first = np.repeat(np.arange(n), np.diff(pointers))
    once = np.flatnonzero(first < neighbors)
    kept = once
    if share < 1:
        size = max(1, round(share * len(once)))
        kept = np.sort(rng.choice(once, min(size, len(once)), replace=False))
    one, other = first[kept], neighbors[kept]
    ends = np.concatenate([one, other]), np.concatenate([other, one])
    graph = csr_array((np.tile(weights[kept], 2), ends), shape=(n, n))
    if method == "ecg":
        graph = weigh_by_quick_runs(graph, resolution, rng)
    labels = communities(graph, resolution, rng, refine=method != "louvain")
    lost = np.diff(graph.indptr) == 0
    labels[lost] = np.where(np.diff(pointers)[lost] == 0, NOISE, MISSING)
    labels[~lost] = np.unique(labels[~lost], return_inverse=True)[1]
    objects = rows if n_neighbors else None
    # all members of a generator have the same objects
    return Trained(NeighborVote(objects, labels, n_neighbors, source=0), labels=labels)


def weigh_by_quick_runs(
    graph: csr_array, resolution: float, rng: np.random.Generator
) -> csr_array:
    """Weigh each edge by the share of quick runs of Louvain that put its ends together."""
    from consens._kernels.communities import move_vertices

    n = graph.shape[0]
    strengths = np.asarray(graph.sum(axis=1)).ravel()
    row = np.repeat(np.arange(n), np.diff(graph.indptr))
    together = np.zeros(graph.nnz)
    for _ in range(ECG_RUNS):
        labels = np.arange(n)
        penalty = resolution * ECG_FACTOR ** rng.random() / strengths.sum()
        edges = graph.indptr, graph.indices, graph.data, strengths, penalty
        move_vertices(*edges, rng.permutation(n), labels)
        together += labels[row] == labels[graph.indices]
    weights = graph.data * (ECG_LEAST + (1 - ECG_LEAST) * together / ECG_RUNS)
    return csr_array((weights, graph.indices, graph.indptr), shape=graph.shape)


def communities(
    graph: csr_array, resolution: float, rng: np.random.Generator, *, refine: bool = True
) -> np.ndarray:
    """Communities of a symmetric graph without a diagonal, by Leiden, or by Louvain."""
    labels = np.arange(graph.shape[0])
    if graph.nnz:
        for _ in range(LEIDEN_ROUNDS if refine else 1):
            labels = _improve(graph, labels, resolution, rng, refine)
    return labels.astype(np.int32)


def _improve(
    graph: csr_array,
    labels: np.ndarray,
    resolution: float,
    rng: np.random.Generator,
    refine: bool,
) -> np.ndarray:
    """Move vertices, then whole parts of communities, until nothing is gained."""
    from consens._kernels.communities import merge_inside, move_vertices

    strengths = np.asarray(graph.sum(axis=1)).ravel()
    penalty = resolution / strengths.sum()
    places = np.arange(graph.shape[0])  # vertex of the present graph that holds each object
    labels = _compact(labels)
    while True:
        n = len(strengths)
        edges = graph.indptr, graph.indices, graph.data, strengths, penalty
        move_vertices(*edges, rng.permutation(n), labels)
        labels = _compact(labels)
        if labels.max() + 1 == n:
            return labels[places]
        parts = labels
        if refine:
            parts = _compact(merge_inside(*edges, rng.permutation(n), labels))
            if parts.max() + 1 == n:  # nothing to merge
                parts = labels
        n_parts = int(parts.max()) + 1
        held = np.empty(n_parts, dtype=labels.dtype)
        held[parts] = labels
        row = np.repeat(np.arange(n), np.diff(graph.indptr))
        graph = _without_diagonal((parts[row], parts[graph.indices]), graph.data, n_parts)
        strengths = np.bincount(parts, strengths, minlength=n_parts)
        places, labels = parts[places], held


def _compact(labels: np.ndarray) -> np.ndarray:
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
