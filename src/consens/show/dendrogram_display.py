"""The consensus tree with its cut, and the lifetime of each number of clusters."""

from typing import Any, Self

import numpy as np
from scipy.cluster import hierarchy
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
MOST_LEAVES = 300


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
        label = np.append(self.labels, np.zeros(n - 1, dtype=np.int32))  # of all nodes
        for merge, child in enumerate(self.linkage[:, 0].astype(np.intp)):
            label[n + merge] = label[child]

        def color(node: int) -> str:
            return cluster_color(int(label[node])) if node - n < n - k else QUIET

        drawn: dict[str, Any] = {"leaves": [0], "icoord": [], "dcoord": [], "color_list": []}
        if n > 1:
            most = max(LEAVES, min(2 * k, MOST_LEAVES))
            look: dict[str, Any] = {"no_plot": True, "link_color_func": color}
            drawn = hierarchy.dendrogram(self.linkage, most, "lastp", **look)
        leaves = np.array(drawn["leaves"])
        size, height = (
            np.append(np.full(n, one), self.linkage[:, j]) for one, j in ((1, 3), (0, 2))
        )
        right = np.cumsum(size[leaves])  # leaves are as wide as their number of objects
        left = right - size[leaves]
        x = np.interp(drawn["icoord"], 5 + 10 * np.arange(len(leaves)), (left + right) / 2)
        links: Any = np.stack([x, np.array(drawn["dcoord"])], axis=-1) if n > 1 else []
        style: dict[str, Any] = {"linewidths": 1.2, "capstyle": "projecting"}
        ax.add_collection(LineCollection(links, colors=drawn["color_list"], **style))
        ends = np.stack([left, right, (left + right) / 2], axis=1)
        corners = [
            np.column_stack([own, [0, 0, height[leaf]]])
            for own, leaf in zip(ends, leaves, strict=True)
            if leaf >= n
        ]
        shades = [color(leaf) for leaf in leaves[leaves >= n].tolist()]
        ax.add_collection(PolyCollection(corners, facecolors=shades, alpha=0.6, linewidths=0))
        ax.axhline(self.threshold, color=SIGNAL, ls="--", lw=1.2)
        beside = {"xycoords": ("axes fraction", "data"), "ha": "left", "va": "center"}
        place = (1, self.threshold)
        write_near(ax, f"k = {k}", place, (3, 0), color=INK, fontsize=None, **beside)
        if k <= LEAVES:
            self._name_clusters(ax, label[leaves], left, right)
        plural = "clusters" if k > 1 else "cluster"
        ax.set_title(f"{n:,} objects, cut into {k:,} {plural}", fontsize="medium")
        ax.set_xlim(0, n)
        ax.set_ylabel("co-association")
        self._scale(ax)
        ax.set_xticks([])
        quiet_frame(ax)
        ax.spines["bottom"].set_visible(False)

    def _name_clusters(
        self, ax: Axes, labels: np.ndarray, left: np.ndarray, right: np.ndarray
    ) -> None:
        """Draw bars with the numbers of the clusters below the leaves."""
        along, width = ax.get_xaxis_transform(), right[-1]
        gap = 0.001 * width
        for label, first, last in runs(labels):
            start, end = left[first], right[last - 1]
            cluster_bar(ax, label, (start + gap, -0.045, end - start - 2 * gap, 0.03), along)
            if end - start >= 0.03 * len(str(label)) * width:  # there is room for the number
                place = (start + end) / 2, -0.06
                ax.text(
                    *place, str(label), ha="center", va="top", fontsize="small", transform=along
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
