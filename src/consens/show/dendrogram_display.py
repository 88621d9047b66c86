"""The consensus tree with its cut, and the lifetime of each number of clusters."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator

from consens._validation import check_integer
from consens.partition import cut, lifetimes
from consens.partition.tree import longest_lifetime
from consens.show._display import (
    ACCENT,
    INK,
    QUIET,
    SIGNAL,
    Axes,
    Display,
    cluster_bar,
    cluster_color,
    panels,
    quiet_frame,
    runs,
    whole_numbers,
    write_near,
)
from consens.show._fitted import read_estimator

#: Number of drawn leaves, and the limit for many clusters; branches below them are collapsed.
LEAVES = 60
MOST_LEAVES = 600


class DendrogramDisplay(Display):
    """Plot of the consensus tree with its cut, and of the lifetimes of numbers of clusters.

    The left panel shows the upper part of the tree, with branches in the colours of the clusters.
    The right panel shows, on the same scale, the range of thresholds that give k clusters; the
    length of this range is the lifetime of k.

    Parameters
    ----------
    linkage : ndarray of shape (n - 1, 4), as scipy.cluster.hierarchy.linkage
        Heights are 1 - co-association.
    n_clusters : int
        Number of clusters of the cut.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Cluster of each leaf.
    lifetimes : ndarray of shape (n,)
        Entry k - 1 is the lifetime of k.
    threshold : float
        Height of the cut.
    ax_, figure_, axes_ : axes and figure of the last plot, and its two panels

    Examples
    --------
    >>> from consens import ConsensusClustering
    >>> from consens.consensus import EAC
    >>> from consens.datasets import make_half_rings
    >>> from consens.show import DendrogramDisplay
    >>> X, y = make_half_rings(random_state=0)
    >>> model = ConsensusClustering(consensus=EAC(linkage="single"), random_state=0).fit(X)
    >>> display = DendrogramDisplay.from_estimator(model)
    >>> display.n_clusters, display.lifetimes[:3].round(2)
    (2, array([0.26, 0.42, 0.04]))
    """

    _figure_size = (8.0, 4.0)

    def __init__(self, linkage: np.ndarray, n_clusters: int) -> None:
        n_clusters = check_integer(n_clusters, "n_clusters")
        if n_clusters > len(linkage) + 1:
            raise ValueError(
                f"n_clusters={n_clusters} cannot be cut from a tree of {len(linkage) + 1} leaves"
            )
        self.linkage = linkage
        self.n_clusters = n_clusters
        self.labels = cut(linkage, n_clusters)
        self.lifetimes = lifetimes(linkage)
        self.heights = np.concatenate([[0.0], linkage[:, 2], [1.0]])
        low, high = self._span(n_clusters)
        self.threshold = (low + high) / 2

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, *, n_clusters: int | None = None, ax: Axes | None = None
    ) -> Self:
        """Plot the tree of a fitted consensus that has one.

        {of_estimator}
            With ``linkage_``, such as `EAC`.
        n_clusters : int, optional
            Number of clusters of the cut; by default that of the estimator.
        ax : matplotlib axes, optional
        """
        fitted = read_estimator(estimator)
        if fitted.linkage is None:
            raise ValueError(
                f"{type(fitted.consensus).__name__} has no tree (linkage_); "
                "EAC(n_clusters).fit(ensemble) makes one from the members"
            )
        return cls(fitted.linkage, n_clusters or fitted.n_clusters).plot(ax)

    def _draw(self, ax: Axes) -> None:
        self.axes_ = tree, life = panels(ax, (3, 1.4), gap=0.1)
        self._draw_tree(tree)
        self._draw_lifetimes(life)

    def _draw_tree(self, ax: Axes) -> None:
        from matplotlib.collections import LineCollection, PolyCollection

        n, k = len(self.linkage) + 1, self.n_clusters
        label = self._labels_of_nodes()
        leaves = min(n, max(LEAVES, min(2 * k, MOST_LEAVES)))
        links, bottom = tree_layout(self.linkage, leaves)

        def color(node: int) -> str:
            return cluster_color(int(label[node])) if node - n < n - k else QUIET

        style: dict[str, Any] = {"linewidths": 1.2, "capstyle": "projecting"}
        ax.add_collection(
            LineCollection(list(links.values()), colors=list(map(color, links)), **style)
        )
        folded = [leaf for leaf in bottom if leaf.height > 0]
        corners = [[(f.left, 0.0), (f.right, 0.0), (f.middle, f.height)] for f in folded]
        colors = [color(leaf.node) for leaf in folded]
        ax.add_collection(PolyCollection(corners, facecolors=colors, alpha=0.6, linewidths=0))
        ax.axhline(self.threshold, color=SIGNAL, ls="--", lw=1.2)
        right = {"xycoords": ("axes fraction", "data"), "ha": "left", "va": "center"}
        place = (1, self.threshold)
        write_near(ax, f"k = {k}", place, (3, 0), color=INK, fontsize=None, **right)
        if k <= LEAVES:
            self._name_clusters(ax, label[[leaf.node for leaf in bottom]], bottom)
        plural = "clusters" if k > 1 else "cluster"
        ax.set_title(f"{n:,} objects, cut into {k:,} {plural}", fontsize="medium")
        ax.set_xlim(0, n)
        ax.set_ylabel("co-association")
        self._scale(ax)
        ax.set_xticks([])
        quiet_frame(ax)
        ax.spines["bottom"].set_visible(False)

    def _name_clusters(self, ax: Axes, leaf_labels: np.ndarray, leaves: list[_Leaf]) -> None:
        """Draw bars with the numbers of the clusters below the leaves."""
        along, width = ax.get_xaxis_transform(), leaves[-1].right
        gap = 0.001 * width
        for label, first, last in runs(leaf_labels):
            start, end = leaves[first].left, leaves[last - 1].right
            cluster_bar(ax, label, (start + gap, -0.045, end - start - 2 * gap, 0.03), along)
            if end - start < 0.03 * len(str(label)) * width:
                continue  # no room for the number
            middle = (start + end) / 2
            ax.text(
                middle, -0.06, str(label), ha="center", va="top", fontsize="small", transform=along
            )

    def _draw_lifetimes(self, ax: Axes) -> None:
        most = min(len(self.lifetimes), max(10, self.n_clusters + 2))
        first = 1 if self.n_clusters <= 15 else self.n_clusters - 12
        numbers = list(range(first, most + 1))
        longest = longest_lifetime(self.lifetimes)
        for k in numbers:
            low, high = self._span(k)
            chosen = k == self.n_clusters
            ax.bar(k, high - low, bottom=low, width=0.7, color=ACCENT if chosen else QUIET)
            if k in (longest, self.n_clusters):
                write_near(ax, f"{high - low:.2g}", (k, low), (0, -2), va="top")
        ax.axhline(self.threshold, color=SIGNAL, ls="--", lw=1.2)
        self._scale(ax)
        ax.set_yticklabels([])
        ax.set_title("lifetime of k clusters", fontsize="medium")
        whole_numbers(ax, numbers, most=6)
        quiet_frame(ax)

    def _scale(self, ax: Axes) -> None:
        """Scale the y axis from 0 to 1, stretched near 1 if all relevant merges are there."""
        n = len(self.linkage) + 1
        lowest = float(self.heights[1])
        late = self.heights[n - min(n - 1, max(10, self.n_clusters + 1))]
        shares = np.array([1, 0.75, 0.5, 0.25, 0])
        if late < 0.8 or lowest > 0.999:  # the latter has no merges below 1 to show
            ax.set_yticks(1 - shares, [f"{share:g}" for share in shares])
            ax.set_ylim(0, 1.02)
            return
        bottom = 0.0 if lowest < 0.5 else lowest - 0.05 * (1 - lowest)
        ax.set_yscale(
            "function",
            functions=(lambda h: -np.cbrt(1 - np.asarray(h)), lambda y: 1 + np.asarray(y) ** 3),
        )
        ticks = 1 - (1 - bottom) * shares**3
        ax.set_yticks(ticks, [f"{1 - tick:.2g}" for tick in ticks])
        ax.set_ylim(bottom, 1 + 1e-6)

    def _span(self, k: int) -> tuple[float, float]:
        """Range of thresholds for which the tree has k clusters."""
        n = len(self.linkage) + 1
        low, high = self.heights[n - k], self.heights[n - k + 1]
        return float(low), float(max(low, high))

    def _labels_of_nodes(self) -> np.ndarray:
        """Label each node of the tree with the cluster of one of its leaves."""
        n = len(self.linkage) + 1
        label = np.concatenate([self.labels, np.zeros(n - 1, dtype=self.labels.dtype)])
        for merge, child in enumerate(self.linkage[:, 0].astype(np.intp)):
            label[n + merge] = label[child]
        return label


class _Leaf(NamedTuple):
    """Leaf of the drawing: an object, or a collapsed branch as wide as its number of objects."""

    node: int
    left: float
    right: float
    height: float

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


def tree_layout(
    merges: np.ndarray, leaves: int
) -> tuple[dict[int, list[tuple[float, float]]], list[_Leaf]]:
    """Compute the paths of the last `leaves` - 1 merges, and the leaves from left to right."""
    n = len(merges) + 1
    folded = max(n, 2 * n - leaves)  # smaller nodes are leaves of the drawing
    place: dict[int, tuple[float, float]] = {}
    links: dict[int, list[tuple[float, float]]] = {}
    bottom: list[_Leaf] = []
    used = 0.0
    stack = [(2 * n - 2, False)]
    while stack:
        node, children_placed = stack.pop()
        if node < folded:
            size = 1.0 if node < n else float(merges[node - n, 3])
            height = 0.0 if node < n else float(merges[node - n, 2])
            leaf = _Leaf(node, used, used + size, height)
            used += size
            place[node] = leaf.middle, height
            bottom.append(leaf)
            continue
        left, right = (int(child) for child in merges[node - n, :2])
        if not children_placed:
            stack += [(node, True), (right, False), (left, False)]
            continue
        (x_left, y_left), (x_right, y_right) = place[left], place[right]
        y = float(merges[node - n, 2])
        links[node] = [(x_left, y_left), (x_left, y), (x_right, y), (x_right, y_right)]
        place[node] = (x_left + x_right) / 2, y
    return links, bottom
