"""Consensus clustering by resampling for each k: matrices, item consensus, CDF and PAC."""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from scipy.cluster import hierarchy
from sklearn.base import BaseEstimator

from consens._blocks import FeatureMatrix
from consens.choose.resampling import (
    AMBIGUOUS,
    ResampledConsensus,
    ResampledPartition,
    resampled_consensus,
)
from consens.show._display import (
    ACCENT,
    INK,
    LINE,
    PALETTE,
    QUIET,
    SIGNAL,
    Axes,
    Display,
    cluster_color,
    quiet_frame,
    runs,
    whole_numbers,
)
from consens.show._fitted import Fitted, colors_over_numbers, read_estimator
from consens.show._plain import rounded, significant

MATRIX_ROWS = 120  # most rows of a consensus matrix; more objects are averaged in blocks

#: Height of the bars of item consensus and of the gap above, as shares of the panel.
BARS, GAP = 0.22, 0.05


class ResampledConsensusDisplay(Display):
    """Plot of the consensus matrix for each number of clusters, with CDF, delta area and PAC.

    This is the view of ConsensusClusterPlus.  The top row shows the consensus matrix of each k in
    the order of its tree.  The bars below a matrix show the item consensus of each object, which
    is its mean consensus index with the other objects of its cluster, and lines show the cluster
    consensus.  The bottom row shows the CDF, the delta area, and PAC; if there are references,
    also the PAC of data without clusters.

    Parameters
    ----------
    found : ResampledConsensus
        The result of `consens.choose.resampled_consensus`.
    chosen : int, optional
        Number of clusters whose clusters get the first colours; by default the smallest.

    Attributes
    ----------
    table : DataFrame
        The values of the curves.
    ax_, figure_, axes_ : axes and figure of the last plot, and its panels

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consens.choose import resampled_consensus
    >>> from consens.show import ResampledConsensusDisplay
    >>> X = load_iris().data
    >>> found = resampled_consensus(X, [2, 3], n_resamples=20, n_references=3, random_state=0)
    >>> display = ResampledConsensusDisplay(found).plot()
    >>> display.table.index.tolist()
    [2, 3]
    """

    def __init__(self, found: ResampledConsensus, chosen: int | None = None) -> None:
        self.found = found
        self.table = found.table
        self.chosen = chosen if chosen in found.numbers else found.numbers[0]
        labels = {k: partition.labels for k, partition in found.partitions.items()}
        colors = colors_over_numbers(labels, self.chosen)
        self.parts = {
            k: PartitionPanel(partition, colors[k], title(k, self.table))
            for k, partition in found.partitions.items()
        }
        self.curves = CurvesPanel(found)
        self._figure_size = max(8.0, 1.8 * len(self.parts)), 5.4

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: FeatureMatrix,
        *,
        n_clusters: Iterable[int] | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Resample the objects of a fitted consensus.

        {of_estimator}
        X : array-like of shape (n, d)
            The features, which are preprocessed and scaled as for the clustering.
        n_clusters : iterable of int, optional
            By default 2 to 8, or to two more than the chosen number, but at most to 12.
        ax : matplotlib axes, optional
        **options
            Further parameters of `consens.choose.resampled_consensus`.
        """
        return cls.compute(read_estimator(estimator), X, n_clusters, **options).plot(ax)

    @classmethod
    def compute(
        cls,
        fitted: Fitted,
        X: FeatureMatrix,
        n_clusters: Iterable[int] | None = None,
        **options: Any,
    ) -> Self:
        """Resample without plotting."""
        if n_clusters is None:
            n_clusters = range(2, max(8, min(fitted.n_clusters + 2, 12)) + 1)
            n_clusters = [k for k in n_clusters if k <= len(fitted.ensemble) // 2]
        return cls(resampled_consensus(fitted.scaled(X), n_clusters, **options), fitted.n_clusters)

    def summary(self) -> dict[str, Any]:
        """Return the results as a dictionary for the report."""
        parts = self.found.partitions
        return {
            "n_objects": len(self.found.objects),
            "n_resamples": next(iter(parts.values())).ensemble.shape[1],
            "n_references": len(self.found.reference_pac),
            "numbers": [
                {
                    "n_clusters": k,
                    **{
                        name: None if np.isnan(value) else significant(value)
                        for name, value in self.table.loc[k].items()
                    },
                    "cluster_consensus": [rounded(v, 3) for v in parts[k].cluster_consensus],
                }
                for k in parts
            ],
        }

    def _draw(self, ax: Axes) -> None:
        ax.set_axis_off()
        n = len(self.parts)
        above = [ax.inset_axes((i / n, 0.46, 0.9 / n, 0.47)) for i in range(n)]
        below = ax.inset_axes((0.03, 0.0, 0.97, 0.32))
        for panel, own in zip(self.parts.values(), above, strict=True):
            panel.plot(own)
        self.curves.plot(below)
        self.axes_ = [*above, *self.curves.axes_]


class PartitionPanel(Display):
    """Consensus matrix of one k, with the item consensus below in the same order."""

    _figure_size = (2.2, 2.8)

    def __init__(self, partition: ResampledPartition, colors: np.ndarray, text: str) -> None:
        order = hierarchy.leaves_list(partition.linkage)
        starts = np.unique(np.linspace(0, len(order), MATRIX_ROWS + 1).astype(int)[:-1])
        counts = np.diff(starts, append=len(order))
        matrix = partition.matrix[np.ix_(order, order)]
        sums = np.add.reduceat(np.add.reduceat(matrix, starts, axis=0), starts, axis=1)
        self.matrix = sums / np.outer(counts, counts)
        self.labels = partition.labels[order]
        own = partition.item_consensus[order, self.labels]
        self.item_consensus = np.nan_to_num(own, nan=1.0)  # alone in its cluster
        self.cluster_consensus = partition.cluster_consensus
        self.colors = colors
        self.title = text

    def _draw(self, ax: Axes) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        shades = LinearSegmentedColormap.from_list("shades", [f"{ACCENT}00", f"{ACCENT}ff"])
        ax.set_axis_off()
        square = ax.inset_axes((0, BARS + GAP, 1, 1 - BARS - GAP))
        bars = ax.inset_axes((0, 0, 1, BARS))
        square.imshow(
            self.matrix, cmap=shades, vmin=0, vmax=1, aspect="auto", interpolation="nearest"
        )
        square.set_title(self.title, fontsize="small")
        n = len(self.labels)
        tops, lines = self._outline()
        for c, (x, y) in tops.items():
            bars.fill_between(x, y, step="post", color=cluster_color(int(self.colors[c])), lw=0)
        for first, last, height in lines:
            bars.plot([first, last], [height, height], color=INK, lw=1)
        bars.set_xlim(0, n)
        bars.set_ylim(0, 1.05)
        for one in (square, bars):
            one.set_xticks([])
            one.set_yticks([])
            one.spines[:].set_color(LINE)
        self.axes_ = [square, bars]

    def _outline(self) -> tuple[dict[int, Any], list[tuple[int, int, float]]]:
        """Heights of the bars of each cluster, and ends and height of its line."""
        step = max(1, len(self.labels) // 200)  # every step-th of many objects
        tops, lines = {}, []
        for c, first, last in runs(self.labels):
            x = np.array([*range(first, last, step), last])
            tops[c] = x, np.append(self.item_consensus[x[:-1]], self.item_consensus[x[-2]])
            mean = self.cluster_consensus[c]
            lines += [] if np.isnan(mean) else [(first, last, float(mean))]
        return tops, lines


class CurvesPanel(Display):
    """Consensus CDF for each k, delta area, and PAC compared with data without clusters."""

    _figure_size = (9.0, 2.8)

    def __init__(self, found: ResampledConsensus) -> None:
        self.cdfs = {k: partition.cdf for k, partition in found.partitions.items()}
        self.table = found.table
        self.references = found.reference_pac

    def _draw(self, ax: Axes) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        ax.set_axis_off()
        width, gap = 0.8 / 3, 0.1
        self.axes_ = [ax.inset_axes((i * (width + gap), 0.0, width, 1.0)) for i in range(3)]
        # visible on light and dark pages
        shades = LinearSegmentedColormap.from_list("k", [PALETTE[i] for i in (5, 0, 4, 3, 1)])
        numbers = list(self.cdfs)
        curves, growth, pac = self.axes_
        grid = np.linspace(0, 1, 101)
        curves.axvspan(*AMBIGUOUS, color=LINE, alpha=0.35, lw=0)
        for place, (k, cdf) in enumerate(self.cdfs.items()):
            color = shades(place / max(1, len(numbers) - 1))
            curves.plot(grid, cdf(grid), color=color, lw=1.4, label=f"k = {k}")
        curves.legend(fontsize="small", frameon=False, loc="lower right", ncols=2, handlelength=1)
        curves.set_xlabel("consensus index")
        curves.set_title("CDF", fontsize="medium")
        growth.plot(numbers, self.table["delta_area"], "o-", color=ACCENT, ms=4)
        growth.set_title("delta area", fontsize="medium")
        pac.plot(numbers, self.table["pac"], "o-", color=ACCENT, ms=4, label="data")
        if len(self.references):
            low, high = self.references.min(axis=0), self.references.max(axis=0)
            pac.fill_between(numbers, low, high, color=QUIET, alpha=0.35, lw=0)
            pac.plot(numbers, self.references.mean(axis=0), "--", color=QUIET, label="no clusters")
            small = self.table["p_value"] <= self.table["p_value"].min()
            at = self.table.index[small & (self.table["pac"] < low)]
            pac.plot(at, self.table["pac"][at], "o", color=SIGNAL, ms=4, label="below all")
            pac.legend(fontsize="small", frameon=False)
        pac.set_title("PAC", fontsize="medium")
        for one in self.axes_:
            quiet_frame(one)
            one.set_ylim(bottom=min(0.0, one.get_ylim()[0]) if one is growth else 0)
        for one in (growth, pac):
            whole_numbers(one, numbers)


def title(k: int, table: Any) -> str:
    """Title of a panel: number of clusters, PAC and p-value."""
    text = f"k = {k}\nPAC {table.loc[k, 'pac']:.2f}"
    if "p_value" in table:
        text += f", p {table.loc[k, 'p_value']:.2g}"
    return text
