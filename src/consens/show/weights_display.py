"""Feature weights of each cluster; for text, its keywords."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from consens._labels import compact, contingency
from consens._support.printable import printable
from consens._validation import check_finite, check_integer
from consens.ensemble import Ensemble
from consens.show._display import Axes, Display
from consens.show._fitted import Fitted, read_estimator
from consens.show._plain import short
from consens.show._style import LINE, cluster_color

NO_WEIGHTS = "the members have no feature weights; make them with consens.generate.LACEnsemble"


class FeatureWeightsDisplay(Display):
    """Plot of the features with the largest weights in each cluster.

    It is meant for methods with feature weights for each cluster, such as locally adaptive
    clustering.  For text, with the terms as feature names, it shows the keywords of the clusters.

    Parameters
    ----------
    weights : ndarray of shape (k, d)
    feature_names : sequence of d names, optional
    n_features : int
        Number of features to show for each cluster.

    Attributes
    ----------
    features : ndarray of shape (k, n_features)
        Indices of the features with the largest weights in each cluster, in decreasing order.
    ax_, figure_, axes_ : axes and figure of the last plot, and one panel per cluster

    Examples
    --------
    >>> import numpy as np
    >>> from consens.generate import LAC
    >>> from consens.show import FeatureWeightsDisplay
    >>> X = np.array([[0, 1], [0, 5], [0, 9], [9, 4], [12, 4], [15, 4]])
    >>> lac = LAC(n_clusters=2, random_state=0).fit(X)
    >>> display = FeatureWeightsDisplay.from_estimator(lac, feature_names=["width", "height"])
    >>> display.features.tolist()
    [[0, 1], [1, 0]]
    """

    def __init__(
        self,
        weights: np.ndarray,
        feature_names: Sequence[Any] | None = None,
        n_features: int = 8,
    ) -> None:
        self.weights = check_finite(np.atleast_2d(weights), "weights")
        d = self.weights.shape[1]
        if feature_names is None:
            feature_names = [f"feature {j}" for j in range(d)]
        if len(feature_names) != d:
            raise ValueError(f"got {len(feature_names)} feature names for weights of {d} features")
        self.feature_names = list(feature_names)
        order = np.argsort(-self.weights, axis=1, kind="stable")
        self.features = order[:, : min(check_integer(n_features, "n_features"), d)]
        k, shown = self.features.shape
        self._columns, self._rows = min(k, 4), -(-k // 4)
        self._figure_size = 2.3 * self._columns, self._rows * (0.7 + 0.2 * shown)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        feature_names: Sequence[Any] | None = None,
        n_features: int = 8,
        ax: Axes | None = None,
    ) -> Self:
        """Plot the weights that an estimator learned.

        Parameters
        ----------
        estimator : fitted, with ``feature_weights_`` of shape (k, d)
            Such as `consens.generate.LAC`.  For a consensus of members with weights, the mean
            weights of its clusters are shown, as in `from_ensemble`.
        feature_names : sequence of d names, optional
            By default the columns of the data frame that the estimator was fitted to.
        n_features : int
            Number of features to show for each cluster.
        ax : matplotlib axes, optional
        """
        estimator = estimator[-1] if hasattr(estimator, "steps") else estimator
        known = getattr(estimator, "feature_names_in_", None)
        weights = getattr(estimator, "feature_weights_", None)
        if weights is None:
            fitted = read_estimator(estimator)
            weights = weights_of(fitted)
            if fitted.model is None:
                known = None  # for a consensus, these are the names of its members
        if weights is None:
            raise ValueError(NO_WEIGHTS)
        return cls(weights, known if feature_names is None else feature_names, n_features).plot(ax)

    @classmethod
    def from_ensemble(
        cls,
        ensemble: Ensemble,
        labels: Any,
        *,
        feature_names: Sequence[Any] | None = None,
        n_features: int = 8,
        ax: Axes | None = None,
    ) -> Self:
        """Plot the mean weights of the clusters of a partition.

        The weights of a cluster are the mean, over its objects and over the members, of the
        weights of the cluster to which the member assigns the object.

        Parameters
        ----------
        ensemble : Ensemble
            With ``weights`` in its payload, as made by `consens.generate.LACEnsemble`.
        labels : label vector
        feature_names : sequence of d names, optional
        n_features : int
            Number of features to show for each cluster.
        ax : matplotlib axes, optional
        """
        weights = mean_feature_weights(Ensemble.from_labels(ensemble), compact(labels))
        return cls(weights, feature_names, n_features).plot(ax)

    def _draw(self, ax: Axes) -> None:
        columns, shown = self._columns, self.features.shape[1]
        ax.set_axis_off()
        width, height = 1 / columns, 1 / self._rows
        heaviest = float(self.weights.max()) or 1.0
        self.axes_ = []
        for c, features in enumerate(self.features):
            row, column = divmod(c, columns)
            box = (
                column * width + 0.04 / columns,
                1 - (row + 1) * height + 0.04 * height,
                width * 0.92,
                height * 0.8,
            )
            panel = ax.inset_axes(box)
            self.axes_.append(panel)
            values = self.weights[c, features]
            places = np.arange(shown)
            panel.barh(places, [heaviest] * shown, height=0.2, color=LINE, lw=0)
            panel.barh(places, values, height=0.2, color=cluster_color(c), lw=0)
            for place, j, value in zip(places, features, values, strict=True):
                name = short(printable(str(self.feature_names[j])), 26)
                panel.text(0, place - 0.18, name, va="bottom", fontsize="small", parse_math=False)
                panel.text(heaviest, place - 0.18, f"{value:.2g}", va="bottom", ha="right",
                           fontsize="small")  # fmt: skip
            panel.set_title(f"cluster {c}", fontsize="medium", loc="left", color=cluster_color(c))
            panel.set_xlim(0, heaviest)
            panel.set_ylim(shown - 0.7, -0.95)
            panel.set_axis_off()


def weights_of(fitted: Fitted) -> np.ndarray | None:
    """Feature weights of the clusters of a consensus: its own, or else from its members."""
    own = getattr(fitted.consensus, "feature_weights_", None)
    if own is None and any("weights" in extra for extra in fitted.ensemble.payload):
        return mean_feature_weights(fitted.ensemble, fitted.labels)
    return own


def mean_feature_weights(ensemble: Ensemble, labels: np.ndarray) -> np.ndarray:
    """Mean weight vectors of the members' clusters, weighted by the number of shared objects."""
    holding = [m for m, extra in enumerate(ensemble.payload) if "weights" in extra]
    if not holding:
        raise ValueError(NO_WEIGHTS)
    members = ensemble[:, holding]
    shared = contingency(members.labels, labels).T
    weights = np.vstack([extra["weights"] for extra in members.payload])
    sums = shared @ weights
    return sums / np.maximum(shared.sum(axis=1), 1)[:, None]
