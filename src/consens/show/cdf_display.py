"""Consensus CDF for each number of clusters, with delta area and PAC."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from consens._validation import check_number
from consens.ensemble import Ensemble
from consens.measure import cdf_table, consensus_cdf
from consens.measure.cdf import ConsensusCDF, members_by_n_clusters
from consens.show._display import Axes, Display
from consens.show._fitted import read_estimator
from consens.show._style import (
    ACCENT,
    LINE,
    SIGNAL,
    midtones,
    panels,
    quiet_frame,
    whole_numbers,
)

if TYPE_CHECKING:
    import pandas as pd

#: Fewest members for a curve; with fewer, its steps would be larger than 0.2.
MIN_MEMBERS = 5

#: Most entries of the legend; of more curves, evenly spaced ones are listed.
MAX_ENTRIES = 6


class ConsensusCDFDisplay(Display):
    """Plot of the consensus CDF for each number of clusters, with delta area and PAC.

    If the members with k clusters agree, nearly every pair of objects is together in almost all
    of them or in almost none, and the curve is flat in between.  The delta area is the growth of
    the area under the curve at k; PAC is the share of pairs in the ambiguous range (shaded).

    Parameters
    ----------
    curves : dict of int to ConsensusCDF
        By number of clusters; the key 0 stands for a single curve of all members.
    table : DataFrame
        The result of `consens.measure.cdf_table`; empty for a single curve.
    lower, upper : float
        The ambiguous range.

    Attributes
    ----------
    ax_, figure_, axes_ : axes and figure of the last plot, and its panels

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consens.generate import KMeansEnsemble
    >>> from consens.show import ConsensusCDFDisplay
    >>> E = KMeansEnsemble(60, n_clusters=(2, 5), random_state=0).fit_transform(load_iris().data)
    >>> display = ConsensusCDFDisplay.from_ensemble(E)
    >>> display.table.index.tolist()
    [2, 3, 4, 5]
    """

    def __init__(
        self,
        curves: dict[int, ConsensusCDF],
        table: pd.DataFrame,
        lower: float = 0.1,
        upper: float = 0.9,
    ) -> None:
        self.curves = curves
        self.table = table
        self.lower = check_number(lower, "lower", most=1.0)
        self.upper = check_number(upper, "upper", most=1.0)
        self._figure_size = 8.0 if len(table) else 5.0, 3.6

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        lower: float = 0.1,
        upper: float = 0.9,
        ax: Axes | None = None,
    ) -> Self:
        """Plot the curves of the members of a fitted consensus.

        {of_estimator}
        lower, upper : float
            The ambiguous range of PAC.
        ax : matplotlib axes, optional
        """
        return cls.from_ensemble(
            read_estimator(estimator).ensemble, lower=lower, upper=upper, ax=ax
        )

    @classmethod
    def from_ensemble(
        cls,
        ensemble: Any,
        *,
        lower: float = 0.1,
        upper: float = 0.9,
        ax: Axes | None = None,
    ) -> Self:
        """Plot the curves of the members of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, label matrix, list of label vectors, or mapping of int to these
            The members for each number of clusters.  The members of a single ensemble are grouped
            by their number of clusters; if more than a fifth of them are in groups of less than
            five, there is one curve for all.
        lower, upper : float
            The ambiguous range of PAC.
        ax : matplotlib axes, optional
        """
        return cls.compute(ensemble, lower, upper).plot(ax)

    @classmethod
    def compute(cls, ensemble: Any, lower: float = 0.1, upper: float = 0.9) -> Self:
        """Compute the curves without plotting them."""
        import pandas as pd

        if not isinstance(ensemble, Mapping):
            ensemble = Ensemble.from_labels(ensemble)
            groups = members_by_n_clusters(ensemble, MIN_MEMBERS)
            grouped = sum(members.shape[1] for members in groups.values())
            if len(groups) < 2 or grouped < 0.8 * ensemble.shape[1]:
                return cls({0: consensus_cdf(ensemble)}, pd.DataFrame(), lower, upper)
            ensemble = groups
        curves = {int(k): consensus_cdf(members) for k, members in sorted(ensemble.items())}
        return cls(curves, cdf_table(ensemble, lower=lower, upper=upper), lower, upper)

    def _draw(self, ax: Axes) -> None:
        several = len(self.table) > 0
        self.axes_ = panels(ax, (1.3, 1) if several else (1,), gap=0.13)
        self._draw_curves(self.axes_[0])
        if several:
            self._draw_table(self.axes_[1])

    def _draw_curves(self, ax: Axes) -> None:
        shades = midtones()
        ax.axvspan(self.lower, self.upper, color=LINE, alpha=0.35, lw=0)
        numbers = list(self.curves)
        listed = set(np.linspace(0, len(numbers) - 1, min(MAX_ENTRIES, len(numbers))).round())
        for place, (k, cdf) in enumerate(self.curves.items()):
            color = shades(place / max(1, len(numbers) - 1)) if len(numbers) > 1 else ACCENT
            x = np.concatenate([[0.0], cdf.values, [1.0]])
            y = np.concatenate([cdf(0.0)[None], cdf.shares, [1.0]])
            label = f"k = {k}" if k and place in listed else None
            ax.step(x, y, where="post", color=color, lw=1.6, label=label)
        if numbers == [0]:
            pac = self.curves[0].pac(self.lower, self.upper)
            ax.set_title(f"all members: {pac:.0%} of the pairs are ambiguous", fontsize="medium")
        else:
            ax.legend(fontsize="small", loc="lower right", frameon=False)
        ax.set_xlim(0, 1)
        ax.set_ylim(0, 1.02)
        ax.set_xlabel("co-association")
        ax.set_ylabel("cumulative share of pairs")
        quiet_frame(ax)

    def _draw_table(self, ax: Axes) -> None:
        numbers = self.table.index.tolist()
        ax.plot(numbers, self.table["delta_area"], "o-", color=ACCENT, label="delta area")
        ax.plot(numbers, self.table["pac"], "s--", color=SIGNAL, label="PAC")
        ax.legend(fontsize="small", frameon=False)
        ax.set_ylim(bottom=min(0.0, float(self.table["delta_area"].min())))
        whole_numbers(ax, numbers)
        quiet_frame(ax)
