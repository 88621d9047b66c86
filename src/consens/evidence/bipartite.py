"""Bipartite graph of objects and clusters."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from consens._blocks import bits_for, collect_rows, fixed, map_rows
from consens._labels import MISSING, NOISE, cluster_sums, contingency, has_code, offsets
from consens.ensemble import Ensemble

MAX_WEIGHT = 1e100


class Bipartite:
    """Bipartite graph with an edge between each object and each of its clusters.

    The n × (number of clusters) matrix B of the edge weights is not formed: ``B @ X``, in O(n M r)
    time for r columns, and ``B.gram()``, in O(n M²) time, are all that a transfer cut needs.
    """

    def __init__(self, ensemble: Any, weights: ArrayLike | None = None) -> None:
        self.labels = Ensemble.from_labels(ensemble).labels
        self.starts = offsets(self.labels)
        n_clusters = int(self.starts[-1])
        self.weighted = weights is not None
        self.weights = np.ones(n_clusters)
        if weights is not None:
            self.weights = np.asarray(weights, dtype=np.float64)
        if not (np.isfinite(self.weights).all() and (self.weights > 0).all()):
            raise ValueError("weights must be finite and > 0")
        largest = self.weights.max(initial=0.0)
        if n_clusters and not 1 / MAX_WEIGHT <= largest <= MAX_WEIGHT:
            raise ValueError(
                f"the largest weight is {largest:g}; expected {1 / MAX_WEIGHT:g} to "
                f"{MAX_WEIGHT:g}, so that squares neither vanish nor overflow; a multiple of all "
                "weights gives the same cut"
            )

    @property
    def shape(self) -> tuple[int, int]:
        """Number of objects and number of clusters."""
        return len(self.labels), len(self.weights)

    def __matmul__(self, columns: np.ndarray) -> Any:
        return cluster_sums(self.labels, self.starts, self.weights[:, None] * columns)

    def gram(self) -> csr_array:
        """B' D^-1 B with D the row sums of B: how strongly objects connect clusters.

        1 / D_ii is rounded to a multiple of a power of two, so that sums do not depend on the
        order, and at most a million times the least of all.
        """
        if not (self.weighted or has_code(self.labels, NOISE) or has_code(self.labels, MISSING)):
            return contingency(self.labels) / self.labels.shape[1]
        degrees = self @ np.ones((len(self.weights), 1))
        ends = collect_rows(
            lambda own: (own[own > 0].min(initial=np.inf), own.max(initial=0.0)), degrees
        )
        least = float(max(min(low for low, _ in ends), max(high for _, high in ends) / 2**20))
        if not np.isfinite(least):  # no object has an edge
            return csr_array((len(self.weights), len(self.weights)))
        bits = bits_for(len(self.labels))

        def shares(degrees: np.ndarray) -> np.ndarray:
            share = least / np.maximum(degrees[:, 0], least)
            return np.maximum(fixed(share, bits), 1).astype(np.int64)

        weights = map_rows(shares, degrees, bytes_per_row=24, dtype=np.int64)
        gram = contingency(self.labels, weights=weights)
        rows = np.repeat(np.arange(gram.shape[0]), np.diff(gram.indptr))
        data = np.ldexp(gram.data.astype(np.float64), -bits) / least
        data *= self.weights[rows] * self.weights[gram.indices]
        return csr_array((data, gram.indices, gram.indptr), shape=gram.shape)
