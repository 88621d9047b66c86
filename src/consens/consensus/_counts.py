"""k-means on the rows of the indicator matrix, with integer counts as centres.

The centre of a consensus cluster is the distribution of its objects over the clusters of the
members.  It is counted in integers (`labels.profiles`), and the nearest centre of an object
depends only on its own labels: both run block by block, and every block size gives the same
partition.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from consens._blocks import map_rows, persist, split_like
from consens._labels import Profiles, fill_empty, profiles

MAX_ITER = 100


@dataclass(frozen=True)
class CountedKMeans:
    """Objective function of a partition, and the two steps of k-means that improve it."""

    n_clusters: int

    def value(self, spread: Profiles) -> float:
        """Value of the objective for a partition with these counts; larger is better."""
        raise NotImplementedError

    def distances(self, rows: np.ndarray, spread: Profiles) -> np.ndarray:
        """Distances of label rows from the centres, up to a constant per row."""
        raise NotImplementedError

    def costs(self, rows: np.ndarray, spread: Profiles) -> np.ndarray:
        """Contribution of each object to the sum that k-means minimises."""
        return self.distances(rows, spread).min(axis=1)

    def climb(self, labels: Any, spread: Profiles) -> tuple[Any, float]:
        """Iterate from the counts of a partition until its value stops growing."""
        partition, spread = self.step(labels, spread)
        value = self.value(spread)
        for _ in range(MAX_ITER):
            new, spread = self.step(labels, spread)
            new_value = self.value(spread)
            if new_value <= value + 1e-9 * abs(value):
                break
            partition, value = new, new_value
        return persist(partition), value

    def extend(
        self, labels: Any, rows: np.ndarray, partition: np.ndarray, starts: np.ndarray
    ) -> tuple[Any, float]:
        """Extend a partition of sampled (or all) objects to all of them; also return its value."""
        spread = profiles(rows, partition, self.n_clusters)
        together = np.zeros((starts[-1], self.n_clusters))
        # the sample may lack the last clusters of a member
        for own, (begin, end) in zip(starts, pairwise(spread.offsets), strict=False):
            together[own : own + end - begin] = spread.together[begin:end]
        spread = spread._replace(together=together, offsets=starts)
        if len(rows) < len(labels):
            return self.climb(labels, spread)
        return split_like(partition, labels), self.value(spread)

    def step(self, labels: Any, spread: Profiles) -> tuple[Any, Profiles]:
        """Assign objects to their nearest centre, fill empty clusters, and count."""
        partition = self.nearest(labels, spread)
        new = profiles(labels, partition, self.n_clusters)
        if new.sizes.all():
            return partition, new
        loss = map_rows(
            lambda rows: -self.costs(rows, spread), labels, bytes_per_row=self._width(labels)
        )
        partition = fill_empty(partition, loss, self.n_clusters)
        return partition, profiles(labels, partition, self.n_clusters)

    def nearest(self, labels: Any, spread: Profiles) -> Any:
        """Nearest centre of each object; the first one in case of ties up to rounding."""

        def block(rows: np.ndarray) -> np.ndarray:
            distances = self.distances(rows, spread)
            least = distances.min(axis=1, keepdims=True)
            near = distances <= least + 1e-10 * np.abs(least)
            return near.argmax(axis=1).astype(np.int32)

        return map_rows(block, labels, bytes_per_row=self._width(labels), dtype=np.int32)

    def _width(self, labels: Any) -> int:
        return 24 * self.n_clusters + 8 * labels.shape[1]
