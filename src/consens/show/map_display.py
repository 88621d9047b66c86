"""The map of the objects as points in the plane."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from consens._blocks import FeatureMatrix
from consens._support.printable import printable
from consens._tabular import TableFeatures
from consens.show._display import (
    INK,
    QUIET,
    Axes,
    Display,
    cluster_color,
    cluster_marker,
    quiet_frame,
)
from consens.show._fitted import read_estimator
from consens.show._layout import Layout, lay_out

MAX_POINTS = 20_000  # most points on a map; of more objects, a random sample is shown


@dataclass(eq=False, repr=False)
class MapDisplay(Display):
    """Scatter plot of the objects, coloured by cluster and pale where the confidence is low.

    The positions are the features if there are two; otherwise objects that the clusterings often
    put together are close to each other.  Objects in no cluster are grey.  Each cluster has a
    colour, a marker and a number, so that the plot does not rely on colour alone.

    Parameters
    ----------
    positions : ndarray of shape (p, 2)
    labels : ndarray of shape (p,)
    confidence : ndarray of shape (p,)
    text : str
        Title that describes the positions.
    axis_names : pair of str, optional
        Axis labels, if the coordinates have a meaning.
    n_objects : int, optional
        Total number of objects, if the points are a sample.

    {iris_model}
    >>> from consens.show import MapDisplay
    >>> display = MapDisplay.from_estimator(model, X, layout="pca")
    >>> display.positions.shape, display.text
    ((150, 2), 'Principal components: 96% of the variance.')
    """

    positions: np.ndarray
    labels: np.ndarray
    confidence: np.ndarray
    text: str = ""
    axis_names: tuple[str, str] | None = None
    n_objects: int | None = None

    _figure_size = (6.4, 4.8)

    def __post_init__(self) -> None:
        self.positions = np.asarray(self.positions, dtype=np.float64)
        self.labels, self.confidence = np.asarray(self.labels), np.asarray(self.confidence)
        if self.n_objects is None:
            self.n_objects = len(self.positions)

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: FeatureMatrix | None = None,
        *,
        layout: str | ArrayLike = "auto",
        feature_names: Sequence[Any] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Plot the objects of a fitted consensus.

        {of_estimator}
        X : array-like or data frame of shape (n, d), optional
            The features, for the layouts that show them.
        layout : {"auto", "features", "pca", "ensemble"} or array of shape (n, 2)
            The two features, the first two principal components of the standardised features, an
            embedding of the co-association, or given coordinates, such as an `obsm` of AnnData.
            "auto" means the features if there are two, principal components if there is a single
            cluster, and the ensemble otherwise.
        feature_names : sequence of d names, optional
            By default the columns of a data frame.
        ax : matplotlib axes, optional
        """
        fitted = read_estimator(estimator)
        chosen, n = fitted.chosen, len(fitted.ensemble)
        objects = shown_objects(n)
        X, names = named_features(X, feature_names)
        placed = lay_out(layout, fitted.ensemble, objects, X, names, chosen.labels)
        labels, confidence = chosen.labels[objects], chosen.confidence[objects]
        made = cls(placed.positions, labels, confidence, placed.text, placed.axes, n)
        return made.plot(ax)

    def _draw(self, ax: Axes) -> None:
        from matplotlib.patheffects import withStroke

        n = len(self.positions)
        size = float(np.clip(6000 / n, 3, 36))
        several = self.labels.max(initial=-1) > 0
        outside = self.labels < 0
        x, y = self.positions.T
        ax.scatter(x[outside], y[outside], s=size / 2, color=QUIET, lw=0, alpha=0.6)
        for c in range(int(self.labels.max(initial=-1)) + 1):
            own = self.labels == c
            if not own.any():
                continue
            # full for a confidence of at least 0.9, faint for borderline objects
            faded = np.clip((self.confidence[own] - 0.4) / 0.5, 0.2, 1.0)
            alpha: Any = faded if several else 0.8
            look: dict[str, Any] = {"color": cluster_color(c), "marker": cluster_marker(c)}
            ax.scatter(x[own], y[own], s=size, lw=0, alpha=alpha, rasterized=n > 5000, **look)
            middle = np.median(self.positions[own], axis=0)
            inmost = np.linalg.norm(self.positions[own] - middle, axis=1).argmin()
            place = self.positions[own][inmost].tolist()
            outline = [withStroke(linewidth=3, foreground="white")]
            look = {"color": INK, "fontweight": "bold", "path_effects": outline}
            ax.annotate(str(c), place, ha="center", va="center", **look)
        ax.set_title(printable(self.text), fontsize="medium", parse_math=False)
        if self.axis_names is not None:
            ax.set_xlabel(printable(self.axis_names[0]), parse_math=False)
            ax.set_ylabel(printable(self.axis_names[1]), parse_math=False)
            quiet_frame(ax)
        else:
            ax.set_xticks([])
            ax.set_yticks([])
            ax.set_aspect("equal", adjustable="datalim")
            ax.spines[:].set_visible(False)
        if self.n_objects is not None and n < self.n_objects:
            note = f"random sample of {n:,} of {self.n_objects:,} objects"
            ax.annotate(note, (0, 0), xycoords="axes fraction", fontsize="small", color=INK)


def shown_objects(n: int) -> np.ndarray:
    """Row numbers of the objects on a map: all, or a sorted random sample."""
    if n <= MAX_POINTS:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, MAX_POINTS, replace=False))


def named_features(X: Any, names: Sequence[Any] | None) -> tuple[Any, list[str] | None]:
    """Convert features without a shape to an array, and take names from a data frame."""
    if X is not None and not hasattr(X, "shape"):
        X = np.asarray(X)
    if hasattr(X, "columns") and (
        any(kind.kind not in "biuf" for kind in X.dtypes) or X.isna().any(axis=None)
    ):
        prepare = TableFeatures(impute="median", encode="onehot", scale="none")
        index, X = X.index, prepare.fit_transform(X)
        X = pd.DataFrame(X, index=index, columns=prepare.get_feature_names_out())
    if names is None and hasattr(X, "columns"):
        names = list(X.columns)
    if names is not None and (isinstance(names, str) or not isinstance(names, Iterable)):
        raise TypeError(f"feature_names={names!r}; expected a list of names")
    return X, None if names is None else [str(name) for name in names]


def points(layout: Layout) -> dict[str, Any]:
    """Positions for the page as integers from 0 to 1000, with the aspect ratio."""
    low, high = layout.positions.min(axis=0), layout.positions.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    scaled = np.rint(1000 * (layout.positions - low) / span).astype(int)
    return {
        "x": scaled[:, 0].tolist(),
        "y": scaled[:, 1].tolist(),
        "aspect": None if layout.axes else round(float(span[0] / span[1]), 3),
        "text": layout.text,
    }
