"""The criteria that decide on the number of clusters, for each k."""

from dataclasses import dataclass
from typing import Any, Self

from sklearn.base import BaseEstimator

from consens.choose import Choice
from consens.show._display import (
    INK,
    PALETTE,
    Axes,
    Display,
    quiet_frame,
    whole_numbers,
)
from consens.show._fitted import read_estimator

#: The components of the score and their labels.
PARTS = {
    "lifetime": "lifetime, single link",
    "lifetime_average": "lifetime, average link",
    "eigengap": "eigengap",
}


@dataclass(eq=False, repr=False)
class ChoiceDisplay(Display):
    """Bar chart of the score of each number of clusters, with the votes of single criteria.

    The components of a score are the range of thresholds that give k clusters in the single-link
    and in the average-link tree, and the eigengap.  The largest sum decides; if it is that of one
    cluster, the data are tested for a split (`consens.choose.choose_n_clusters`).  The number
    above a bar counts the criteria that would choose this k on their own.

    Parameters
    ----------
    choice : Choice

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consens import ConsensusClustering
    >>> from consens.generate import KMeansEnsemble
    >>> from consens.show import ChoiceDisplay
    >>> X = load_iris().data
    >>> model = ConsensusClustering(generator=KMeansEnsemble(20), random_state=0).fit(X)
    >>> display = ChoiceDisplay.from_estimator(model)
    >>> display.choice.n_clusters == model.n_clusters_
    True
    """

    choice: Choice

    _figure_size = (6.0, 3.6)

    @classmethod
    def from_estimator(cls, estimator: BaseEstimator, *, ax: Axes | None = None) -> Self:
        """Plot the scores from which a fitted `ConsensusClustering` chose.

        Parameters
        ----------
        estimator : fitted ConsensusClustering, or pipeline that ends in one
            With ``n_clusters=None``, so that it has ``results_``.
        ax : matplotlib axes, optional
        """
        choice = read_estimator(estimator).choice
        if choice is None:
            raise ValueError(
                "the number of clusters was given, not chosen (results_ is empty); fit "
                "ConsensusClustering(n_clusters=None), or use "
                "ChoiceDisplay(choose_n_clusters(ensemble))"
            )
        return cls(choice).plot(ax)

    def _draw(self, ax: Axes) -> None:
        table = self.choice.table
        numbers = table.index.tolist()
        base = 0.0 * table["score"]
        for (part, name), color in zip(PARTS.items(), PALETTE[:1] + PALETTE[5:6] + PALETTE[4:5],
                                       strict=True):  # fmt: skip
            ax.bar(numbers, table[part], bottom=base, width=0.7, color=color, label=name)
            base = base + table[part]
        for k, height, votes in zip(numbers, base, table["n_votes"], strict=True):
            if votes:
                place: Any = {"xytext": (0, 2), "textcoords": "offset points", "ha": "center"}
                ax.annotate(f"{votes}×", (k, height), fontsize="small", **place)
        whole_numbers(ax, numbers)
        for tick in ax.get_xticklabels():
            if tick.get_text() == str(self.choice.n_clusters):
                tick.set_fontweight("bold")
        ax.axvspan(
            self.choice.n_clusters - 0.46, self.choice.n_clusters + 0.46,
            fill=False, edgecolor=INK, ls="--", lw=1.0,
        )  # fmt: skip
        ax.margins(y=0.12)
        ax.set_ylabel("score")
        ax.set_title("dashed: chosen k,  n×: votes of single criteria", fontsize="medium")
        ax.legend(fontsize="small", frameon=False)
        quiet_frame(ax)
