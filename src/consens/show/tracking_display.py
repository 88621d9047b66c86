"""Clustering tree: how clusters split or exchange objects as their number grows."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator

from consens._labels import compact, contingency
from consens.show._display import INK, QUIET, Axes, Display, cluster_color
from consens.show._fitted import ShownPartition, colors_over_numbers, read_estimator

#: Diameter in points of a node with all objects, and of the smallest node.
LARGEST, LEAST = 22.0, 3.0

WIDEST = 9.0  # width in points of an edge with all objects
LEAST_EDGE = 0.02  # edges with a smaller share of their target cluster are not drawn


class Edge(NamedTuple):
    """Objects shared by a cluster and a cluster of the next number of clusters.

    ``share`` is the in-proportion: these objects as a share of the target cluster.
    """

    n_clusters: int
    source: int
    target: int
    n_objects: int
    share: float


class TrackingDisplay(Display):
    """Clustering tree: graph of the clusters for each number of clusters.

    Each row shows the clusters for one number of clusters.  The area of a node is proportional to
    the size of the cluster, pale nodes have a low mean confidence, and colours are consistent
    between rows.  Edges connect clusters of consecutive rows that share objects.  Wide edges stand
    for many objects, dark edges for a large share of the lower cluster.  A cluster that splits
    cleanly has dark edges to the row below.  A cluster with several pale edges from above consists
    of parts of other clusters, which suggests that there are too many clusters.

    Parameters
    ----------
    partitions : mapping of int to label vector
        By number of clusters.
    chosen : int, optional
        Number of clusters whose clusters get the first colours; by default the smallest.
    confidence : mapping of int to array, optional
        Mean confidence of each cluster, by number of clusters.

    Attributes
    ----------
    numbers : list of int
        Number of clusters of each row, from top to bottom.
    sizes : dict of int to ndarray
        Number of objects in each cluster.
    edges : list of Edge
    places : dict of int to ndarray
        Horizontal position of each cluster, from 0 to 1.

    References
    ----------
    L. Zappia and A. Oshlack, "Clustering trees: a visualization for evaluating clusterings at
    multiple resolutions", GigaScience 7(7), 2018. doi:10.1093/gigascience/giy083

    Examples
    --------
    >>> from consens.show import TrackingDisplay
    >>> display = TrackingDisplay({2: [0, 0, 0, 1, 1], 3: [0, 0, 1, 2, 2]})
    >>> for edge in display.edges:
    ...     print(edge.source, edge.target, edge.n_objects, edge.share)
    0 0 2 1.0
    0 1 1 1.0
    1 2 2 1.0
    """

    def __init__(
        self,
        partitions: Mapping[int, Any],
        chosen: int | None = None,
        confidence: Mapping[int, Any] | None = None,
    ) -> None:
        self.numbers = sorted(partitions)
        labels = {k: compact(partitions[k]) for k in self.numbers}
        self.chosen = self.numbers[0] if chosen is None else chosen
        self.colors = colors_over_numbers(labels, self.chosen)
        self.confidence = confidence or {}
        self.n_objects = len(labels[self.numbers[0]])
        self.sizes = {k: np.bincount(own[own >= 0]) for k, own in labels.items()}
        steps = list(pairwise(self.numbers))
        shared = {k: contingency(labels[k], labels[more]).toarray() for k, more in steps}
        self.edges = [
            Edge(k, int(i), int(j), int(count), float(count / self.sizes[more][j]))
            for k, more in steps
            for (i, j), count in np.ndenumerate(shared[k])
            if count
        ]
        self.places = _places(self.numbers, shared, self.sizes)
        self._figure_size = 7.0, 0.8 + 0.45 * len(self.numbers)

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        *,
        n_clusters: Iterable[int] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Plot the clusters of a fitted consensus for several numbers of clusters.

        {of_estimator}
            The tree of the method is cut; a method without a tree is refitted for each number.
        n_clusters : iterable of int, optional
            By default from 2 to a few more than the chosen number.
        ax : matplotlib axes, optional
        """
        fitted = read_estimator(estimator)
        found = fitted.partitions(fitted.numbers(n_clusters))
        return cls.of_partitions(found, fitted.n_clusters).plot(ax)

    @classmethod
    def of_partitions(
        cls, partitions: Mapping[int, ShownPartition], chosen: int | None = None
    ) -> Self:
        """Make a display of partitions with confidence, without plotting it."""
        return cls(
            {k: partition.labels for k, partition in partitions.items()},
            chosen,
            {k: partition.cluster_confidence for k, partition in partitions.items() if k > 1},
        )

    def _draw(self, ax: Axes) -> None:
        from matplotlib.collections import LineCollection
        from matplotlib.colors import to_rgba

        lines = {k: line for line, k in enumerate(self.numbers)}
        drawn = sorted((e for e in self.edges if e.share >= LEAST_EDGE), key=lambda e: e.share)
        more = dict(pairwise(self.numbers))
        ax.add_collection(
            LineCollection(
                [
                    [
                        (self.places[e.n_clusters][e.source], lines[e.n_clusters]),
                        (self.places[more[e.n_clusters]][e.target], lines[e.n_clusters] + 1),
                    ]
                    for e in drawn
                ],
                linewidths=[max(0.8, WIDEST * e.n_objects / self.n_objects) for e in drawn],
                colors=[to_rgba(QUIET, 0.15 + 0.75 * e.share) for e in drawn],
                capstyle="round",
            )
        )
        for k, line in lines.items():
            self._draw_nodes(ax, k, line)
        ax.set_yticks(range(len(self.numbers)), [f"k = {k}" for k in self.numbers])
        for label, k in zip(ax.get_yticklabels(), self.numbers, strict=True):
            label.set_fontweight("bold" if k == self.chosen else "normal")
        ax.set_ylim(len(self.numbers) - 0.4, -0.6)
        ax.set_xlim(0, 1)
        ax.set_xticks([])
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)

    def _draw_nodes(self, ax: Axes, k: int, line: int) -> None:
        """Draw one row of nodes, on white discs so that edges do not show through."""
        widths = np.maximum(LARGEST * np.sqrt(self.sizes[k] / self.n_objects), LEAST)
        at = self.places[k], np.full(len(widths), line)
        colors = [cluster_color(int(color)) for color in self.colors[k]]
        sure = np.asarray(self.confidence.get(k, np.ones(len(widths))))
        ax.scatter(*at, s=widths**2, color="#ffffff", lw=0, zorder=2)
        opacity: Any = np.clip((sure - 0.4) / 0.8, 0.1, 0.7)  # keeps the labels readable
        ax.scatter(*at, s=widths**2, color=colors, alpha=opacity, edgecolors=colors, zorder=3)
        for x, width, label in zip(at[0], widths, range(len(widths)), strict=True):
            if width >= 11:
                ax.annotate(
                    str(label), (x, line), ha="center", va="center", fontsize=7, color=INK,
                    fontweight="bold", zorder=4,
                )  # fmt: skip


def _places(
    numbers: list[int], shared: Mapping[int, np.ndarray], sizes: Mapping[int, np.ndarray]
) -> dict[int, np.ndarray]:
    """Compute horizontal positions such that few edges cross."""
    ranks = {numbers[0]: np.arange(len(sizes[numbers[0]]), dtype=np.float64)}
    for k, more in pairwise(numbers):
        origin = (ranks[k] @ shared[k]) / np.maximum(shared[k].sum(axis=0), 1)
        # among parts of the same cluster, the largest comes first
        order = np.lexsort((-sizes[more], np.round(origin, 9)))
        ranks[more] = np.empty(len(order))
        ranks[more][order] = np.arange(len(order))
    last = numbers[-1]
    places = {last: (ranks[last] + 0.5) / max(len(ranks[last]), 1)}
    gap = 0.9 / max(len(own) for own in ranks.values())
    for more, k in pairwise(reversed(numbers)):
        below = (shared[k] @ places[more]) / np.maximum(shared[k].sum(axis=1), 1)
        order = np.argsort(ranks[k])
        # keep a distance of `gap`: shift to the right, then back by the mean shift
        steps = gap * np.arange(len(order))
        pushed = np.maximum.accumulate(below[order] - steps) + steps
        pushed -= np.mean(pushed - below[order])
        places[k] = np.empty(len(order))
        places[k][order] = np.clip(pushed, gap / 2 + steps, 1 - gap / 2 - steps[::-1])
    return places
