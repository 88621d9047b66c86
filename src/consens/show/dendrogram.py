"""The consensus tree, how long each number of clusters lives in it, and where it was cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from consens.consensus import EAC
from consens.ensemble import Ensemble
from consens.partition import cut, lifetimes
from consens.partition.tree import longest_lifetime
from consens.show._display import Display
from consens.show._fitted import read_estimator
from consens.show._style import (
    ACCENT,
    INK,
    QUIET,
    SIGNAL,
    cluster_color,
    panels,
    quiet_frame,
    whole_numbers,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Leaves that are drawn, more for many clusters; further down the tree is folded.
LEAVES = 60
MOST_LEAVES = 600


class DendrogramDisplay(Display):
    """Tree of the consensus with the cut, beside the lifetimes of the numbers of clusters.

    At the left the upper part of the tree, branches in the colours of the clusters; at the
    right, on the same scale, the range of thresholds that leaves k clusters: its length is the
    lifetime of k.

    Parameters
    ----------
    linkage : ndarray of shape (n - 1, 4), as scipy.cluster.hierarchy.linkage
        Heights are 1 - co-association.
    n_clusters : int
        Where the tree is cut.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Clusters of the cut, over the leaves of the tree.
    lifetimes : ndarray of shape (n,)
        Entry k - 1 is the lifetime of k.
    threshold : float
        Height of the line that cuts the tree.
    ax_, figure_, axes_ : the axes and the figure of the last plot, and the two panels

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
        if not 1 <= n_clusters <= len(linkage) + 1:
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
        cls, estimator: Any, *, n_clusters: int | None = None, ax: Axes | None = None
    ) -> Self:
        """Plot the tree of a fitted consensus that has one.

        Parameters
        ----------
        estimator : ConsensusClustering or consensus estimator, fitted
            With ``linkage_``, as `EAC` has.
        n_clusters : int, optional
            Where to cut; by default where the estimator did.
        ax : matplotlib axes, optional
        """
        fitted = read_estimator(estimator)
        if fitted.linkage is None:
            raise ValueError(
                f"{type(fitted.consensus).__name__} has no tree (linkage_); "
                "DendrogramDisplay.from_ensemble makes one from the members"
            )
        return cls(fitted.linkage, n_clusters or fitted.n_clusters).plot(ax)

    @classmethod
    def from_ensemble(
        cls,
        ensemble: Any,
        *,
        n_clusters: int | None = None,
        linkage: str = "average",
        ax: Axes | None = None,
    ) -> Self:
        """Plot the tree of the co-association of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, label matrix or list of label vectors
        n_clusters : int, optional
            Where to cut; by default the number with the longest lifetime.
        linkage : {"average", "single", "complete"}
        ax : matplotlib axes, optional
        """
        model = EAC(n_clusters, linkage=linkage).fit(Ensemble.from_labels(ensemble))
        return cls(model.linkage_, model.n_clusters_).plot(ax)

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
        inside = [link.node - n < n - k for link in links]  # merged before the cut
        colors = [
            cluster_color(int(label[link.node])) if below else QUIET
            for link, below in zip(links, inside, strict=True)
        ]
        paths = [np.column_stack([link.x, link.y]) for link in links]
        ax.add_collection(
            LineCollection(paths, colors=colors, linewidths=1.2, capstyle="projecting")
        )
        folded = [leaf for leaf in bottom if leaf.height > 0]
        ax.add_collection(
            PolyCollection(
                [
                    [(leaf.left, 0.0), (leaf.right, 0.0), (leaf.middle, leaf.height)]
                    for leaf in folded
                ],
                facecolors=[
                    cluster_color(int(label[leaf.node])) if leaf.node - n < n - k else QUIET
                    for leaf in folded
                ],
                alpha=0.6,
                linewidths=0,
            )
        )
        ax.axhline(self.threshold, color=SIGNAL, ls="--", lw=1.2)
        ax.annotate(
            f"k = {k}",
            (1, self.threshold),
            xycoords=("axes fraction", "data"),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            color=INK,
        )
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
        """Bars below the leaves, with the number of each cluster."""
        from matplotlib.patches import Rectangle

        starts = np.flatnonzero(np.diff(leaf_labels, prepend=-1))
        ends = np.concatenate([starts[1:], [len(leaf_labels)]])
        gap = 0.001 * leaves[-1].right
        for first, last in zip(starts, ends - 1, strict=True):
            label = int(leaf_labels[first])
            start, end = leaves[first].left, leaves[last].right
            bar = Rectangle(
                (start + gap, -0.045), end - start - 2 * gap, 0.03,
                color=cluster_color(label), lw=0,
                transform=ax.get_xaxis_transform(), clip_on=False,
            )  # fmt: skip
            ax.add_patch(bar)
            if end - start < 0.03 * len(str(label)) * leaves[-1].right:
                continue  # its number would cover the next one
            ax.annotate(
                str(label),
                ((start + end) / 2, -0.06),
                xycoords=("data", "axes fraction"),
                ha="center",
                va="top",
                fontsize="small",
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
                ax.annotate(
                    f"{high - low:.2g}",
                    (k, low),
                    xytext=(0, -2),
                    textcoords="offset points",
                    ha="center",
                    va="top",
                    fontsize="small",
                )
        ax.axhline(self.threshold, color=SIGNAL, ls="--", lw=1.2)
        self._scale(ax)
        ax.set_yticklabels([])
        ax.set_title("lifetime of k clusters", fontsize="medium")
        whole_numbers(ax, numbers, most=6)
        quiet_frame(ax)

    def _scale(self, ax: Axes) -> None:
        """Heights from 0 to 1, stretched near 1 where all that matters happens there.

        Trees of weighted evidence end so: pairs in unreliable clusters are hardly together.
        """
        n = len(self.linkage) + 1
        lowest = float(self.heights[1])
        late = self.heights[n - min(n - 1, max(10, self.n_clusters + 1))]
        if late < 0.8 or lowest > 0.999:  # and where nothing happens before 1, all of it is seen
            shares = np.array([1, 0.75, 0.5, 0.25, 0])
            ax.set_yticks(1 - shares, [f"{share:g}" for share in shares])
            ax.set_ylim(0, 1.02)
            return
        bottom = 0.0 if lowest < 0.5 else lowest - 0.05 * (1 - lowest)
        ax.set_yscale(
            "function",
            functions=(lambda h: -np.cbrt(1 - np.asarray(h)), lambda y: 1 + np.asarray(y) ** 3),
        )
        shares = np.array([1, 0.75, 0.5, 0.25, 0])
        ticks = 1 - (1 - bottom) * shares**3
        ax.set_yticks(ticks, [f"{1 - tick:.2g}" for tick in ticks])
        ax.set_ylim(bottom, 1 + 1e-6)

    def _span(self, k: int) -> tuple[float, float]:
        """Thresholds between which the tree has k clusters."""
        n = len(self.linkage) + 1
        low, high = self.heights[n - k], self.heights[n - k + 1]
        return float(low), float(max(low, high))

    def _labels_of_nodes(self) -> np.ndarray:
        """Cluster of a leaf below each node."""
        n = len(self.linkage) + 1
        label = np.concatenate([self.labels, np.zeros(n - 1, dtype=self.labels.dtype)])
        for merge, child in enumerate(self.linkage[:, 0].astype(np.intp)):
            label[n + merge] = label[child]
        return label


class _Link(NamedTuple):
    """A merge as it is drawn: two legs and the bar between their tops."""

    node: int
    x: tuple[float, float, float, float]
    y: tuple[float, float, float, float]


class _Leaf(NamedTuple):
    """What stands at the bottom: an object, or a folded part of the tree as wide as its size."""

    node: int
    left: float
    right: float
    height: float

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


def tree_layout(merges: np.ndarray, leaves: int) -> tuple[list[_Link], list[_Leaf]]:
    """Links of the last `leaves` - 1 merges, and what stands at the bottom from left to right.

    A walk without recursion, because single-link trees are chains as deep as n.
    """
    n = len(merges) + 1
    folded = max(n, 2 * n - leaves)  # nodes below are leaves of the drawing
    place: dict[int, tuple[float, float]] = {}
    links: list[_Link] = []
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
        links.append(_Link(node, (x_left, x_left, x_right, x_right), (y_left, y, y, y_right)))
        place[node] = (x_left + x_right) / 2, y
    return links, bottom
