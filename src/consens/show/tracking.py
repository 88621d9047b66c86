"""Objects over the number of clusters: which clusters split, and which only exchange objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from consens.base import check_integer
from consens.labels import compact
from consens.show._display import Display
from consens.show._fitted import colors_over_numbers, read_estimator
from consens.show._style import cluster_color

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class TrackingDisplay(Display):
    """Cluster of every object for each number of clusters, one line per number.

    Objects stand in one order in all lines, and a cluster keeps its colour from line to line.  A
    colour that splits cleanly is a cluster inside a cluster; colours in thin stripes are objects
    that change sides, a sign of a number of clusters that the data do not have.

    Parameters
    ----------
    partitions : mapping of int to label vector
        By number of clusters.
    chosen : int, optional
        The number whose clusters have the first colours; by default the smallest.

    Attributes
    ----------
    numbers : list of int
        Of the lines, from top to bottom.
    tracks : ndarray of shape (number of lines, number of different tracks)
        Colour number of each group of objects that share all their clusters, in order.
    counts : ndarray
        Objects in each of these groups.
    ax_, figure_ : the axes and the figure of the last plot

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consens import ConsensusClustering
    >>> from consens.show import TrackingDisplay
    >>> model = ConsensusClustering(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> display = TrackingDisplay.from_estimator(model, n_clusters=[2, 3, 4])
    >>> display.tracks.shape  # clusters of a tree are nested
    (3, 4)
    """

    def __init__(self, partitions: Mapping[int, Any], chosen: int | None = None) -> None:
        self.numbers = sorted(partitions)
        labels = {k: compact(partitions[k]) for k in self.numbers}
        self.chosen = self.numbers[0] if chosen is None else chosen
        colors = colors_over_numbers(labels, self.chosen)
        lines = np.array([_recolored(labels[k], colors[k]) for k in self.numbers])
        self.tracks, self.counts = np.unique(lines, axis=1, return_counts=True)
        self._figure_size = 7.0, 1.0 + 0.34 * len(self.numbers)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, n_clusters: Iterable[int] | None = None, ax: Axes | None = None
    ) -> Self:
        """Plot the clusters of a fitted consensus for several numbers of clusters.

        Parameters
        ----------
        estimator : ConsensusClustering or consensus estimator, fitted
            A method with a tree is cut, another one fitted anew for each number.
        n_clusters : iterable of int, optional
            By default 2 to a few beyond the chosen number.
        ax : matplotlib axes, optional
        """
        fitted = read_estimator(estimator)
        found = fitted.partitions(fitted.numbers(n_clusters))
        labels = {k: partition.labels for k, partition in found.items()}
        return cls(labels, fitted.n_clusters).plot(ax)

    @classmethod
    def from_ensemble(
        cls, ensemble: Any, consensus: Any, n_clusters: Iterable[int], *, ax: Axes | None = None
    ) -> Self:
        """Plot the consensus of an ensemble for several numbers of clusters.

        Parameters
        ----------
        ensemble : Ensemble, label matrix or list of label vectors
        consensus : consensus estimator
        n_clusters : iterable of int
        ax : matplotlib axes, optional
        """
        from sklearn.base import clone

        from consens.ensemble import Ensemble

        numbers = sorted(check_integer(k, "n_clusters") for k in n_clusters)
        if not numbers:
            raise ValueError("n_clusters is empty: there is nothing to track")
        model = clone(consensus).set_params(n_clusters=numbers[0])
        fitted = read_estimator(model.fit(Ensemble.from_labels(ensemble)))
        found = fitted.partitions(numbers)
        return cls({k: partition.labels for k, partition in found.items()}).plot(ax)

    def _draw(self, ax: Axes) -> None:
        edges = np.concatenate([[0], np.cumsum(self.counts)])
        for line, colors in enumerate(self.tracks):
            starts = np.flatnonzero(np.diff(colors, prepend=colors[0] - 1))
            ends = np.concatenate([starts[1:], [len(colors)]])
            spans = [(edges[a], edges[b] - edges[a]) for a, b in zip(starts, ends, strict=True)]
            ax.broken_barh(
                spans,
                (line - 0.42, 0.84),
                facecolors=[cluster_color(int(colors[start])) for start in starts],
                lw=0,
            )
        ax.set_yticks(range(len(self.numbers)), [f"k = {k}" for k in self.numbers])
        for label, k in zip(ax.get_yticklabels(), self.numbers, strict=True):
            label.set_fontweight("bold" if k == self.chosen else "normal")
        ax.set_ylim(len(self.numbers) - 0.45, -0.55)
        ax.set_xlim(0, edges[-1])
        ax.set_xticks([])
        ax.set_xlabel(f"{edges[-1]:,} objects, in one order for all k")
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)


def _recolored(labels: np.ndarray, colors: np.ndarray) -> np.ndarray:
    return np.where(labels >= 0, colors[np.maximum(labels, 0)], -1)
