"""Access to fitted estimators: the ensemble, and the partitions for other numbers of clusters."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np

from consens._labels import count_distinct_rows, match
from consens._validation import check_integers
from consens.choose import Choice
from consens.choose.refitting import Partitions
from consens.ensemble import Ensemble

#: With more objects, methods without a tree are not refitted for other numbers of clusters.
REFIT_UP_TO = 5_000

FENCE = 0.6  # objects with a lower confidence are borderline: four refits in ten move them


@dataclass(frozen=True)
class ShownPartition:
    """A partition with the confidence of each object in it, and its stability if known."""

    labels: np.ndarray
    confidence: np.ndarray
    stability: Any = None

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.labels.max(initial=-1)) + 1

    @property
    def sizes(self) -> np.ndarray:
        """Number of objects in each cluster."""
        return np.bincount(self.labels[self.labels >= 0], minlength=self.n_clusters)

    @property
    def borderline(self) -> np.ndarray:
        """Whether each object is borderline by its confidence as shown, with three digits."""
        several = self.n_clusters > 1
        return (self.labels >= 0) & (np.round(self.confidence, 3) < FENCE) & several

    @property
    def cluster_confidence(self) -> np.ndarray:
        """Mean confidence in each cluster."""
        inside = self.labels >= 0
        return np.bincount(self.labels[inside], self.confidence[inside]) / self.sizes


@dataclass(frozen=True)
class Fitted:
    """A fitted consensus estimator and its context."""

    #: The consensus estimator.
    consensus: Any
    ensemble: Ensemble
    #: The `ConsensusClustering` that contains it, if any.
    model: Any = None
    #: The preceding steps of the pipeline, if any.
    preprocessing: Any = None

    @property
    def labels(self) -> np.ndarray:
        """Labels of the consensus."""
        return self.consensus.labels_

    @property
    def n_clusters(self) -> int:
        """Number of clusters of the consensus."""
        return int(self.labels.max(initial=-1)) + 1

    @property
    def chosen(self) -> ShownPartition:
        """The consensus partition with its confidence."""
        return self.partitions([self.n_clusters])[self.n_clusters]

    @property
    def choice(self) -> Choice | None:
        """The comparison of numbers of clusters, if several were compared."""
        return getattr(self.model or self.consensus, "results_", None)

    @property
    def linkage(self) -> np.ndarray | None:
        """Tree over the objects that are in a cluster, or None if the method has no tree."""
        merges = getattr(self.consensus, "linkage_", None)
        return merges if merges is not None and len(merges) else None

    def scaled(self, X: Any) -> Any:
        """Apply the preprocessing of the clustering, pipeline steps and scaler, to features."""
        if self.preprocessing is not None:
            X = self.preprocessing.transform(X)
        scaler = getattr(self.model, "scaler_", None)
        return X if scaler is None else scaler(np.asarray(X))

    def most_clusters(self) -> int:
        """Number of distinct rows of labels: the largest number of clusters possible."""
        return count_distinct_rows(self.ensemble.labels)

    def numbers(self, n_clusters: Iterable[int] | None = None) -> list[int]:
        """Numbers of clusters to show: the given ones, or some near the chosen one.

        By default these are the numbers that were compared, or 2 to 8 (or to three beyond the
        chosen number), with a few on each side of a large number.  Numbers above `most_clusters`
        are left out, and a method without a tree is not refitted to many objects.
        """
        k = self.n_clusters
        if n_clusters is None and self.choice is not None:
            return sorted({k} | set(self.choice.labels))
        if n_clusters is None:
            if self.linkage is None and len(self.ensemble) > REFIT_UP_TO:
                return [k]
            near = {*range(2, 9), *range(k - 3 if k > 12 else 2, k + 4)}
            n_clusters = near if k <= 12 else near | {k}
        most, numbers = self.most_clusters(), check_integers(n_clusters, "n_clusters")
        return sorted({k} | {number for number in numbers if number <= most})

    def partitions(self, numbers: Iterable[int]) -> dict[int, ShownPartition]:
        """Partition into each number of clusters; for the chosen number, the fitted one."""
        numbers = list(numbers)
        found: Any = {} if self.choice is None else self.choice.labels
        if not set(numbers) <= set(found):
            found = Partitions(self.consensus, numbers)
        return {
            k: ShownPartition(found[k], found.confidence(k), found.stability(k)) for k in numbers
        }


def read_estimator(estimator: Any) -> Fitted:
    """Unpack a consensus estimator, a `ConsensusClustering`, or a pipeline that ends in one."""
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
        if hasattr(estimator, "without_members"):
            getattr(estimator, "ensemble_")  # noqa: B009 (raises an error that says why)
        raise TypeError(
            f"{type(estimator).__name__} has no ensemble; expected a ConsensusClustering or a "
            "method of consens.consensus"
        )
    return Fitted(estimator, estimator.ensemble_, None, preprocessing)


def colors_over_numbers(partitions: Mapping[int, Any], chosen: int) -> dict[int, np.ndarray]:
    """Colour index of each cluster for each k, consistent over k."""
    numbers = sorted(partitions)
    colored = {chosen: partitions[chosen]}
    middle = numbers.index(chosen)
    for before, k in chain(pairwise(numbers[middle:]), pairwise(numbers[middle::-1])):
        colored[k] = match(partitions[k], colored[before])
    result = {}
    for k in numbers:
        labels = partitions[k]
        colors = np.zeros(int(labels.max(initial=-1)) + 1, dtype=np.intp)
        inside = labels >= 0
        colors[labels[inside]] = colored[k][inside]
        result[k] = colors
    return result
