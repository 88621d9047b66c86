"""Reading fitted estimators: what was combined, and its partitions for other k."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from consens.choose import Choice
from consens.ensemble import Ensemble
from consens.labels import MISSING, count_distinct_rows, has_code, match
from consens.refitting import Partitions, cut_consensus, refit

#: Objects up to which a method without a tree is fitted anew for other numbers of clusters.
REFIT_UP_TO = 5_000


@dataclass(frozen=True)
class ShownPartition:
    """A partition with the confidence of each object in it."""

    labels: np.ndarray
    confidence: np.ndarray

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.labels.max(initial=-1)) + 1

    @property
    def sizes(self) -> np.ndarray:
        """Objects in each cluster."""
        return np.bincount(self.labels[self.labels >= 0], minlength=self.n_clusters)

    @property
    def cluster_confidence(self) -> np.ndarray:
        """Mean confidence in each cluster."""
        inside = self.labels >= 0
        return np.bincount(self.labels[inside], self.confidence[inside]) / self.sizes


@dataclass(frozen=True)
class Fitted:
    """A fitted consensus, with what is around it."""

    #: The consensus estimator.
    consensus: Any
    ensemble: Ensemble
    #: The `ConsensusClustering` that holds it, if there is one.
    model: Any = None
    #: The steps before it in a pipeline.
    preprocessing: Any = None

    @property
    def labels(self) -> np.ndarray:
        """The clustering that was chosen."""
        return self.consensus.labels_

    @property
    def n_clusters(self) -> int:
        """Number of clusters that was chosen."""
        return int(self.labels.max(initial=-1)) + 1

    @property
    def chosen(self) -> ShownPartition:
        """The clustering that was chosen, with its confidence."""
        return self.partitions([self.n_clusters])[self.n_clusters]

    @property
    def choice(self) -> Choice | None:
        """Why it is this number of clusters, where several were tried."""
        return getattr(self.model or self.consensus, "results_", None)

    @property
    def needs_features(self) -> bool:
        """Whether the method cannot be fitted again from the members alone."""
        return isinstance(getattr(self.consensus, "neighbors", None), Integral)

    @property
    def linkage(self) -> np.ndarray | None:
        """The tree over the objects that are in some cluster, for methods that have one."""
        merges = getattr(self.consensus, "linkage_", None)
        return merges if merges is not None and len(merges) else None

    def scaled(self, X: Any) -> Any:
        """Features as they were for the clustering: after the pipeline and the scaler, if any."""
        if self.preprocessing is not None:
            X = self.preprocessing.transform(X)
        scaler = getattr(self.model, "scaler_", None)
        return X if scaler is None else scaler(np.asarray(X))

    def most_clusters(self) -> int:
        """The largest number of clusters that the members can tell apart."""
        return count_distinct_rows(self.ensemble.labels)

    def numbers(self, n_clusters: Iterable[int] | None = None) -> list[int]:
        """Numbers of clusters to look at: those given, or some around the chosen one.

        By default the numbers that were tried, or 2 to 8 or three beyond the chosen number;
        around a large number a few on each side.  Numbers that the members cannot tell apart are
        left out, and a method without a tree is not fitted again to many objects.
        """
        k = self.n_clusters
        if n_clusters is None and self.choice is not None:
            return sorted({k} | set(self.choice.labels))
        if n_clusters is None:
            if self.linkage is None and len(self.ensemble) > REFIT_UP_TO:
                return [k]
            near = {*range(2, 9), *range(k - 3 if k > 12 else 2, k + 4)}
            n_clusters = near if k <= 12 else near | {k}
        most = self.most_clusters()
        return sorted({k} | {int(number) for number in n_clusters if 1 <= number <= most})

    def partitions(self, numbers: Iterable[int]) -> dict[int, ShownPartition]:
        """The partition for each number of clusters; the chosen one is the fitted one."""
        numbers = list(numbers)
        found: Any = {} if self.choice is None else self.choice.labels
        if not set(numbers) <= set(found):
            found = Partitions(self.consensus, numbers)
        return {k: ShownPartition(found[k], found.confidence(k)) for k in numbers}


def read_estimator(estimator: Any) -> Fitted:
    """Read a consensus estimator, a `ConsensusClustering`, or a pipeline that ends in one."""
    preprocessing = None
    if hasattr(estimator, "steps"):
        preprocessing = estimator[:-1] if len(estimator) > 1 else None
        estimator = estimator[-1]
    if not hasattr(estimator, "labels_"):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(estimator)
    if hasattr(estimator, "consensus_"):
        return Fitted(estimator.consensus_, estimator.ensemble_, estimator, preprocessing)
    if not hasattr(estimator, "ensemble_"):
        raise TypeError(
            f"{type(estimator).__name__} holds no ensemble; expected a ConsensusClustering or a "
            "method of consens.consensus"
        )
    return Fitted(estimator, estimator.ensemble_, None, preprocessing)


def combiner(fitted: Fitted) -> Any:
    """What `measure.stability` gets its partitions from: one tree for all k where there is one."""
    complete = not has_code(fitted.ensemble.labels, MISSING)
    if fitted.linkage is None or not complete:
        return fitted.consensus

    def cuts(drawn: Ensemble, numbers: list[int]) -> list[np.ndarray]:
        again = Fitted(refit(fitted.consensus, drawn, 1), drawn)
        if again.linkage is None:  # a single object in a cluster
            return [again.labels] * len(numbers)
        most = again.most_clusters()
        return [cut_consensus(again.consensus, min(k, most)) for k in numbers]

    return cuts


def colors_over_numbers(partitions: Mapping[int, Any], chosen: int) -> dict[int, np.ndarray]:
    """Colour index of each cluster for each k, such that a cluster keeps its colour over k.

    Clusters of the chosen partition have the colours 0, 1, ...; from there on to both sides a
    cluster takes over the colour of the one with which it shares most objects.
    """
    numbers = sorted(partitions)
    colored = {chosen: partitions[chosen]}
    up = [k for k in numbers if k > chosen]
    down = [k for k in reversed(numbers) if k < chosen]
    for side in (up, down):
        before = chosen
        for k in side:
            colored[k] = match(partitions[k], colored[before])
            before = k
    result = {}
    for k in numbers:
        labels = partitions[k]
        colors = np.zeros(int(labels.max(initial=-1)) + 1, dtype=np.intp)
        inside = labels >= 0
        colors[labels[inside]] = colored[k][inside]
        result[k] = colors
    return result
