"""Confidence of the objects of each cluster."""

from typing import Self

import numpy as np
from sklearn.base import BaseEstimator

from consens.show._display import INK, Axes, Display, cluster_color, quiet_frame
from consens.show._fitted import ShownPartition, read_estimator

CURVE_POINTS = 400  # most points of a curve; more objects are indistinguishable in a plot


class ConfidenceDisplay(Display):
    """Plot of the confidence of the objects of each cluster, in decreasing order.

    The members agree on a cluster whose bar is full; a bar that tapers to the left has objects
    that the members often put elsewhere.  At ½, an object is as close to another cluster as to
    its own.

    Parameters
    ----------
    confidence : ndarray of shape (n,)
    labels : ndarray of shape (n,)
        Objects with -1 are not shown.

    Attributes
    ----------
    sizes, means : ndarrays of shape (k,)
        Number of objects and mean confidence of each cluster.

    {iris_model}
    >>> from consens.show import ConfidenceDisplay
    >>> display = ConfidenceDisplay.from_estimator(model)
    >>> display.sizes.sum()
    np.int64(150)
    """

    def __init__(self, confidence: np.ndarray, labels: np.ndarray) -> None:
        self.confidence = np.asarray(confidence)
        self.labels = np.asarray(labels)
        partition = ShownPartition(self.labels, self.confidence)
        self.sizes, self.means = partition.sizes, partition.cluster_confidence
        self._figure_size = 6.0, 1.4 + 0.45 * min(len(self.sizes), 14)

    @classmethod
    def from_estimator(cls, estimator: BaseEstimator, *, ax: Axes | None = None) -> Self:
        """Plot the confidence of a fitted consensus.

        {of_estimator}
        ax : matplotlib axes, optional
        """
        chosen = read_estimator(estimator).chosen
        return cls(chosen.confidence, chosen.labels).plot(ax)

    def _draw(self, ax: Axes) -> None:
        k = len(self.sizes)
        # heights grow with the sizes, but small clusters stay visible
        heights = np.maximum(self.sizes / self.sizes.max(), 0.12)
        tops = np.concatenate([[0.0], np.cumsum(heights + 0.12)[:-1]])
        for c in range(k):
            shares = np.linspace(1, 0, min(self.sizes[c], CURVE_POINTS))
            values = np.quantile(self.confidence[self.labels == c], shares)
            # each object gets a strip, so that a cluster of one object is visible
            y = tops[c] + heights[c] * np.linspace(0, 1, len(values) + 1).repeat(2)[1:-1]
            ax.fill_betweenx(y, 0, values.repeat(2), color=cluster_color(c), lw=0)
        ax.axvline(0.5, color=INK, ls="--", lw=1.2)
        ax.axvline(float(self.confidence[self.labels >= 0].mean()), color=INK, ls=":", lw=1.2)
        ax.set_yticks(
            tops + heights / 2,
            [
                f"cluster {c}\n{size:,} · {mean:.2f}" if k <= 12 else f"{c}"
                for c, (size, mean) in enumerate(zip(self.sizes, self.means, strict=True))
            ],
            fontsize="small",
        )
        ax.tick_params(axis="y", length=0)
        ax.set_xlim(0, 1)
        ax.set_ylim(tops[-1] + heights[-1] + 0.05, -0.05)
        ax.set_xlabel("confidence   (dashed: undecided, dotted: mean)")
        quiet_frame(ax)
