"""Accuracy over diversity: whether members that differ more give a better consensus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from consens.base import spawn_seeds
from consens.consensus import EAC
from consens.ensemble import Ensemble
from consens.labels import compact
from consens.measure import diversity
from consens.show._fitted import read
from consens.show._style import ACCENT, QUIET, axes_or_new, quiet_frame

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: What the columns of `consens.measure.diversity` are called on an axis.
NAMES = {
    "D_NMI": "diversity (mean 1 - NMI of members)",
    "D_p": "diversity (mean 1 - ARI of members)",
    "D_np1": "diversity (mean 1 - ARI with the consensus)",
    "D_np2": "spread of 1 - ARI with the consensus",
    "D_ARI": "diversity (Eq. 16)",
    "Acc_NMI": "mean NMI of members with the classes",
    "Acc_ARI": "mean ARI of members with the classes",
    "Acc*_NMI": "NMI of the consensus with the classes",
    "Acc*_ARI": "ARI of the consensus with the classes",
}


class AccuracyDiversityDisplay:
    """Accuracy of the consensus of small ensembles, drawn from one library, over their diversity.

    Each point is an ensemble of members drawn at random (Domeniconi and Al-Razgan 2009,
    Section 8); members and consensus are compared with known classes.

    Parameters
    ----------
    table : DataFrame
        One row per drawn ensemble, with the columns of `consens.measure.diversity`.
    diversity, accuracy : str
        The columns for the two axes.

    Attributes
    ----------
    correlation : float
        Of the two columns; NaN when one is constant.
    ax_, figure_ : the axes and the figure of the last plot

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consens.generate import KMeansEnsemble
    >>> from consens.show import AccuracyDiversityDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> E = KMeansEnsemble(30, random_state=0).fit_transform(X)
    >>> display = AccuracyDiversityDisplay.from_ensemble(E, y, n_draws=10, random_state=0)
    >>> len(display.table)
    10
    """

    def __init__(
        self, table: pd.DataFrame, diversity: str = "D_NMI", accuracy: str = "Acc*_NMI"
    ) -> None:
        for column in (diversity, accuracy):
            if column not in table:
                raise ValueError(f"{column!r} is not measured; there are {list(table.columns)}")
        self.table = table
        self.diversity = diversity
        self.accuracy = accuracy

    @property
    def correlation(self) -> float:
        """Correlation of accuracy and diversity."""
        x, y = self.table[self.diversity], self.table[self.accuracy]
        return float(x.corr(y)) if x.std() > 1e-12 and y.std() > 1e-12 else float("nan")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        y: Any,
        *,
        n_draws: int = 50,
        size: int = 15,
        diversity: str = "D_NMI",
        accuracy: str = "Acc*_NMI",
        random_state: Any = 0,
        ax: Axes | None = None,
    ) -> Self:
        """Plot ensembles drawn from the members of a fitted consensus, combined by its method.

        Parameters
        ----------
        estimator : ConsensusClustering or consensus estimator, fitted
        y : label vector
            Known classes.
        n_draws, size, diversity, accuracy, random_state, ax
            As in `from_ensemble`.

        Returns
        -------
        AccuracyDiversityDisplay
        """
        fitted = read(estimator)
        return cls.from_ensemble(
            fitted.ensemble,
            y,
            consensus=fitted.consensus,
            n_draws=n_draws,
            size=size,
            diversity=diversity,
            accuracy=accuracy,
            random_state=random_state,
            ax=ax,
        )

    @classmethod
    def from_ensemble(
        cls,
        ensemble: Any,
        y: Any,
        *,
        consensus: Any = None,
        n_draws: int = 50,
        size: int = 15,
        diversity: str = "D_NMI",
        accuracy: str = "Acc*_NMI",
        random_state: Any = 0,
        ax: Axes | None = None,
    ) -> Self:
        """Plot ensembles drawn from a library of members.

        Parameters
        ----------
        ensemble : Ensemble, label matrix or list of label vectors
        y : label vector
            Known classes.
        consensus : consensus estimator, optional
            By default `EAC` with average link; it is asked for as many clusters as classes.
        n_draws : int
            Ensembles to draw.
        size : int
            Members of each, drawn without replacement; at most half of all.
        diversity, accuracy : str
            Columns of `consens.measure.diversity`.
        random_state : int, RandomState, Generator or None
        ax : matplotlib axes, optional

        Returns
        -------
        AccuracyDiversityDisplay
        """
        table = _draw(Ensemble.from_labels(ensemble), y, consensus, n_draws, size, random_state)
        return cls(table, diversity, accuracy).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the points.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Made when left out.

        Returns
        -------
        self
        """
        self.ax_ = ax = axes_or_new(ax, 5.2, 4.0)
        self.figure_ = ax.figure
        x, y = self.table[self.diversity].to_numpy(), self.table[self.accuracy].to_numpy()
        ax.scatter(x, y, color=ACCENT, s=26, alpha=0.75, lw=0)
        if np.isfinite(self.correlation):
            slope = np.cov(x, y)[0, 1] / x.var(ddof=1)
            ends = np.array([x.min(), x.max()])
            ax.plot(ends, y.mean() + slope * (ends - x.mean()), color=QUIET, lw=1.2, ls="--")
            title = f"{len(x)} ensembles, correlation {self.correlation:+.2f}"
        else:
            title = f"{len(x)} ensembles"
        ax.set_title(title, fontsize="medium")
        ax.set_xlabel(NAMES[self.diversity])
        ax.set_ylabel(NAMES[self.accuracy])
        quiet_frame(ax)
        return self


def _draw(
    ensemble: Ensemble, y: Any, consensus: Any, n_draws: int, size: int, random_state: Any
) -> pd.DataFrame:
    import pandas as pd
    from sklearn.base import clone

    n_members = ensemble.shape[1]
    size = min(size, max(2, n_members // 2))
    if n_members < 3:
        raise ValueError(f"{n_members} members are too few to draw different ensembles from")
    y = compact(y)
    method = clone(EAC() if consensus is None else consensus)
    method.set_params(n_clusters=int(y.max()) + 1)
    rng = np.random.default_rng(spawn_seeds(random_state, 1)[0])
    rows = []
    for _ in range(n_draws):
        drawn = ensemble[:, np.sort(rng.choice(n_members, size, replace=False))]
        rows.append(diversity(drawn, method.fit_predict(drawn), y))
    return pd.DataFrame(rows)
