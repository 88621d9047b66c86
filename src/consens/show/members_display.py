"""Map of the members by their agreement, with the consensus among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from consens._labels import compact
from consens.ensemble import Ensemble
from consens.measure import pairwise_nmi
from consens.show._display import Axes, Display
from consens.show._fitted import read_estimator
from consens.show._layout import classical_scaling
from consens.show._style import INK, SIGNAL, legend_above, midtones


@dataclass(eq=False, repr=False)
class MemberMapDisplay(Display):
    """Scatter plot of the members in which distances approximate 1 - NMI.

    The positions come from classical multidimensional scaling of the members and the consensus.
    Members that agree are close to each other, and a remote member differs from all others.  The
    consensus lies in the middle of the members that it represents.

    Parameters
    ----------
    positions : ndarray of shape (M, 2)
        Positions of the members.
    consensus : ndarray of shape (2,) or None
        Position of the consensus.
    n_clusters : ndarray of shape (M,)
        Number of clusters of each member.
    agreement : ndarray of shape (M,)
        NMI of each member with the consensus; without one, its mean NMI with all members.
    mutual : float
        Mean NMI of all pairs of members; 1 for a single member.
    share : float
        Share of the variance that the plane shows, from 0 to 1.

    Attributes
    ----------
    ax_, figure_ : axes and figure of the last plot

    {iris_model}
    >>> from consens.show import MemberMapDisplay
    >>> display = MemberMapDisplay.from_estimator(model)
    >>> display.positions.shape
    (20, 2)
    """

    positions: np.ndarray
    consensus: np.ndarray | None
    n_clusters: np.ndarray
    agreement: np.ndarray
    mutual: float
    share: float

    _figure_size = (5.6, 4.2)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> Self:
        """Plot the members of a fitted consensus together with the consensus.

        {of_estimator}
        ax : matplotlib axes, optional
        """
        fitted = read_estimator(estimator)
        return cls.compute(fitted.ensemble, fitted.labels).plot(ax)

    @classmethod
    def from_ensemble(cls, ensemble: Any, labels: Any = None, *, ax: Axes | None = None) -> Self:
        """Plot the members of an ensemble.

        {of_ensemble}
        labels : label vector, optional
            A consensus, or any partition to compare with.
        ax : matplotlib axes, optional
        """
        labels = None if labels is None else compact(labels)
        return cls.compute(Ensemble.from_labels(ensemble), labels).plot(ax)

    @classmethod
    def compute(cls, ensemble: Ensemble, labels: np.ndarray | None) -> Self:
        """Compute the positions without plotting them."""
        n_members = ensemble.shape[1]
        columns = ensemble.labels if labels is None else np.column_stack([ensemble.labels, labels])
        nmi = pairwise_nmi(Ensemble(columns))
        positions, share = classical_scaling(1.0 - nmi)
        agreement = nmi.mean(axis=1) if labels is None else nmi[:n_members, -1]
        pairs = nmi[:n_members, :n_members][np.triu_indices(n_members, k=1)]
        return cls(
            positions[:n_members],
            None if labels is None else positions[-1],
            ensemble.n_clusters,
            agreement,
            float(pairs.mean()) if len(pairs) else 1.0,
            share,
        )

    def _draw(self, ax: Axes) -> None:
        (x, y), k = self.positions.T, self.n_clusters
        look: dict[str, Any] = {"s": 34, "alpha": 0.85, "lw": 0.5, "edgecolors": "white"}
        points = ax.scatter(x, y, c=k, cmap=midtones(), label="members", **look)
        if self.consensus is not None:
            x, y = self.consensus
            ax.scatter(
                x, y, marker="*", s=240, color=SIGNAL, edgecolors=INK, lw=0.8,
                label="consensus", zorder=3,
            )  # fmt: skip
            legend_above(ax, columns=2)
        fewest, most = int(self.n_clusters.min()), int(self.n_clusters.max())
        if most > fewest:
            bar = ax.figure.colorbar(points, ax=ax, shrink=0.8, label="clusters of a member")
            bar.set_ticks(np.unique(np.linspace(fewest, most, 6).round()).tolist())
        ax.set_aspect("equal", adjustable="datalim")
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_xlabel(f"distances: about 1 - NMI ({self.share:.0%} of the variance)")
        ax.margins(0.08)
