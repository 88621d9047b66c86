"""Quality-diversity diagram of pairs of members."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from consens.ensemble import Ensemble
from consens.measure import pairwise_nmi
from consens.select.hull import extreme_pairs
from consens.show._display import Axes, Display
from consens.show._style import ACCENT, INK, QUIET, legend_above, quiet_frame

#: With more pairs, the points are rasterized in vector graphics.
MANY_PAIRS = 5_000


class QualityDiversityDisplay(Display):
    """Scatter plot of pairs of members by similarity and quality, with the selected pairs.

    The x coordinate of a pair is the NMI of its two members, so that diverse pairs are on the
    left.  The y coordinate is the mean of their qualities, where the quality of a member is its
    mean NMI with all members (Fern and Lin 2008).

    Parameters
    ----------
    nmi : ndarray of shape (M, M)
        NMI of all pairs of members.
    support : ndarray of bool of shape (M,), optional
        The selected members; all by default.

    Attributes
    ----------
    similarity, quality : ndarrays of shape (M(M-1)/2,)
        Coordinates of the points.
    selected : ndarray of bool of the same shape
        Whether both members of a pair were selected.
    hull : ndarray of shape (n_corners, 2)
        Vertices of the convex hull of the points, in order.
    ax_, figure_ : axes and figure of the last plot

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from consens.generate import KMeansEnsemble
    >>> from consens.select import ClusterAndSelect
    >>> from consens.show import QualityDiversityDisplay
    >>> E = KMeansEnsemble(30, random_state=0).fit_transform(load_wine().data)
    >>> selector = ClusterAndSelect(10, random_state=0).fit(E)
    >>> display = QualityDiversityDisplay.from_estimator(selector)
    >>> int(display.selected.sum())  # pairs of ten members
    45
    """

    _figure_size = (5.6, 4.2)

    def __init__(self, nmi: np.ndarray, support: np.ndarray | None = None) -> None:
        nmi = np.asarray(nmi)
        if len(nmi) < 2:
            raise ValueError("a quality-diversity diagram needs at least two members")
        support = np.ones(len(nmi), dtype=bool) if support is None else np.asarray(support)
        if support.shape != (len(nmi),) or support.dtype != bool:
            raise ValueError(f"support must contain True or False for each of {len(nmi)} members")
        member_quality = nmi.mean(axis=1)
        i, j = np.triu_indices(len(nmi), k=1)
        self.similarity = nmi[i, j]
        self.quality = (member_quality[i] + member_quality[j]) / 2
        self.all_selected = bool(support.all())
        self.selected = support[i] & support[j]
        i, j = extreme_pairs(nmi, member_quality).T
        corners = np.column_stack([nmi[i, j], (member_quality[i] + member_quality[j]) / 2])
        around = corners - corners.mean(axis=0)
        self.hull = corners[np.argsort(np.arctan2(around[:, 1], around[:, 0]))]

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> Self:
        """Plot the library of a fitted selector, and the members that it selected.

        Parameters
        ----------
        estimator : fitted selector, or fitted ConsensusClustering
            A selector of `consens.select` with ``similarity_``.  For a consensus without a
            selector, all members count as selected.
        ax : matplotlib axes, optional
        """
        estimator = estimator[-1] if hasattr(estimator, "steps") else estimator
        selector = getattr(estimator, "selector_", None) or estimator
        if hasattr(selector, "similarity_"):
            return cls(selector.similarity_, selector.get_support()).plot(ax)
        if hasattr(estimator, "ensemble_"):
            return cls.from_ensemble(estimator.ensemble_, ax=ax)
        raise TypeError(
            f"{type(selector).__name__} has no similarity of its members (similarity_); use "
            "from_ensemble with support=selector.get_support()"
        )

    @classmethod
    def from_ensemble(cls, ensemble: Any, *, support: Any = None, ax: Axes | None = None) -> Self:
        """Plot the members of an ensemble.

        {of_ensemble}
        support : array of bool of shape (M,), optional
            The selected members, as from ``get_support()`` of a selector.
        ax : matplotlib axes, optional
        """
        return cls(pairwise_nmi(Ensemble.from_labels(ensemble)), support).plot(ax)

    def _draw(self, ax: Axes) -> None:
        many = len(self.similarity) > MANY_PAIRS
        style: dict[str, Any] = {"s": 6 if many else 14, "lw": 0, "rasterized": many}
        kept = "pairs of members" if self.all_selected else "pairs of selected members"
        for own, color, alpha, label in (
            (~self.selected, QUIET, 0.45, "other pairs"),
            (self.selected, ACCENT, 0.5 if self.all_selected else 0.8, kept),
        ):
            if own.any() or own is self.selected:
                x, y = self.similarity[own], self.quality[own]
                ax.scatter(x, y, color=color, alpha=alpha, label=label, **style)
        ring = np.vstack([self.hull, self.hull[:1]])
        ax.plot(*ring.T, color=INK, lw=1.0, label="convex hull")
        ax.set_xlabel("NMI of the pair  (diverse ←  → similar)")
        ax.set_ylabel("mean quality of the pair")
        legend_above(ax, columns=3)
        quiet_frame(ax)
