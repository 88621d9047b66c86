"""Stability of the consensus for each number of clusters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from consens._support.seeds import Seed
from consens._validation import check_integers
from consens.measure import stability
from consens.show._display import Axes, Display
from consens.show._fitted import combiner, read_estimator
from consens.show._style import (
    ACCENT,
    INK,
    QUIET,
    SIGNAL,
    panels,
    quiet_frame,
    whole_numbers,
    write_near,
)

if TYPE_CHECKING:
    import pandas as pd


@dataclass(eq=False, repr=False)
class StabilityDisplay(Display):
    """Plot of the agreement of the consensus with resampled members: mean and spread.

    If a number of clusters fits the data, the agreement between the consensus and the members
    hardly changes when the members are resampled (Fred and Jain 2005, Section 4.2).  The left
    panel shows the mean agreement with its standard deviation, the right panel compares the
    standard deviation with that within the resampled ensembles: numbers of clusters above the
    line are not supported.

    Parameters
    ----------
    table : DataFrame
        The result of `consens.measure.stability`.

    Attributes
    ----------
    ax_, figure_, axes_ : axes and figure of the last plot, and its two panels

    {iris_model}
    >>> from consens.show import StabilityDisplay
    >>> display = StabilityDisplay.from_estimator(
    ...     model, n_clusters=[2, 3, 4], n_resamples=5, random_state=0
    ... )
    >>> display.table.index.tolist()
    [2, 3, 4]
    """

    table: pd.DataFrame

    _figure_size = (8.0, 3.6)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        n_clusters: Iterable[int] | None = None,
        n_resamples: int = 30,
        reference: Any = None,
        random_state: Seed = 0,
        ax: Axes | None = None,
    ) -> Self:
        """Plot the stability of a fitted consensus.

        {of_estimator}
            If it has ``bootstrap_``, this is used unless `n_clusters` or `reference` is given.
        n_clusters : iterable of int, optional
            By default from 2 to a few more than the chosen number.
        n_resamples : int
            Number of resampled ensembles.
        reference : label vector, optional
            True classes, whose agreement with the consensus is added.
        random_state : int, RandomState, Generator or None
        ax : matplotlib axes, optional
        """
        fitted = read_estimator(estimator)
        held = getattr(fitted.consensus, "bootstrap_", None)
        if held is not None and n_clusters is None and reference is None:
            return cls(held).plot(ax)
        numbers = [k for k in fitted.numbers(n_clusters) if k > 1]
        if n_clusters is not None:
            given = check_integers(n_clusters, "n_clusters")
            numbers = [k for k in numbers if k in given]
        return cls.from_ensemble(
            fitted.ensemble,
            combiner(fitted),
            numbers,
            n_resamples=n_resamples,
            reference=reference,
            random_state=random_state,
            ax=ax,
        )

    @classmethod
    def from_ensemble(
        cls,
        ensemble: Any,
        consensus: Any,
        n_clusters: Iterable[int] | None = None,
        *,
        n_resamples: int = 30,
        reference: Any = None,
        random_state: Seed = 0,
        ax: Axes | None = None,
    ) -> Self:
        """Plot the stability of a consensus of an ensemble.

        Parameters
        ----------
        ensemble, consensus, n_clusters, n_resamples, reference, random_state
            As in `consens.measure.stability`.
        ax : matplotlib axes, optional
        """
        table = stability(
            ensemble,
            consensus,
            n_clusters,
            n_resamples=n_resamples,
            reference=reference,
            random_state=random_state,
        )
        return cls(table).plot(ax)

    def _draw(self, ax: Axes) -> None:
        table = self.table
        numbers = table.index.tolist()
        self.axes_ = mean, spread = panels(ax, (1, 1), gap=0.16)
        style: dict[str, Any] = {"capsize": 3, "lw": 1.4, "markersize": 5}
        mean.errorbar(
            numbers, table["mean"], table["std"], fmt="o-", color=ACCENT, label="members", **style
        )
        if "reference_mean" in table:
            own = table["reference_mean"], table["reference_std"]
            mean.errorbar(numbers, *own, fmt="s--", color=SIGNAL, label="reference", **style)
            mean.legend(frameon=False, fontsize="small")
        mean.set_title("NMI with resampled members", fontsize="medium")
        least = table["std"].idxmin()
        colors = [ACCENT if k == least else QUIET for k in numbers]
        spread.bar(numbers, table["std"], width=0.7, color=colors)
        within = float(table["ensemble_std"].iloc[0])
        spread.axhline(within, color=SIGNAL, ls="--", lw=1.2)
        right = {"xycoords": ("axes fraction", "data"), "ha": "right", "color": INK}
        write_near(spread, "among the members", (1, within), (0, 3), **right)
        spread.set_ylim(0, 1.15 * max(within, float(table["std"].max())) or 1.0)
        spread.set_title("standard deviation of NMI", fontsize="medium")
        for panel in self.axes_:
            whole_numbers(panel, numbers, most=8)
            quiet_frame(panel)
