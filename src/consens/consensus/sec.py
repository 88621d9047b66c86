"""Spectral ensemble clustering (Liu, Wu, Liu, Tao and Fu 2017)."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from consens._blocks import bits_for, fixed_total, sum_rows, take_rows
from consens._labels import Profiles, cluster_sizes, cluster_sums, indicator, offsets
from consens._numerics.seeding import start_sample
from consens._params import one_of, rules
from consens._support.seeds import Seed, spawn_seeds
from consens.consensus._base import BaseConsensus
from consens.consensus._counts import CountedKMeans
from consens.ensemble import Ensemble
from consens.partition.weighted_kmeans import weighted_kmeans


class SEC(BaseConsensus):
    """Spectral ensemble clustering: solves the normalised cut of the co-association by k-means.

    With B the indicator of objects by clusters, b_i its rows, and w_i = Σ_j (B B')_ij the degree
    of object i in the co-association graph, the normalised cut of that graph is the weighted
    k-means problem

        min Σ_k Σ_{i ∈ k} w_i |b_i / w_i - m_k|²,

    which needs neither the matrix nor its eigenvectors.

    {n_clusters}
    n_init : int
        Number of starts of k-means; the best is kept.
    {start_rows}
    {seed}

    {attributes}
    inertia_ : float
        The minimised sum: Σ_i c_i / w_i, with c_i the number of clusters that contain object i,
        minus the normalised association of the resulting clusters.
    {combined}

    Notes
    -----
    Use it for the normalised cut of the co-association with large n.  It starts at random:
    compare `inertia_` of several seeds.

    O(n M k) time per iteration; memory of about one byte per label.  Noise and missing labels
    are zeros in the indicator.  With more than 20,000 objects starts compete on a sample.

    References
    ----------
    H. Liu, J. Wu, T. Liu, D. Tao and Y. Fu, "Spectral ensemble clustering via weighted k-means:
    theoretical and practical evidence", IEEE TKDE 29(5), 2017. doi:10.1109/TKDE.2017.2650229

    {five_objects}
    >>> from consens.consensus import SEC
    >>> SEC(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    _in_blocks = True

    _parameter_constraints = rules(init=one_of("far", "objects"))

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_init: int = 10,
        init: str = "far",
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.n_init = n_init
        self.init = init

    def _combine(self, ensemble: Ensemble) -> Any:
        labels, k, n = ensemble.labels, int(self.n_clusters), len(ensemble)
        starts = offsets(labels)
        sizes = cluster_sizes(labels).astype(np.float64)
        problem = _NormalizedCut(k, sizes)
        seed = spawn_seeds(self.random_state, 1)[0]
        sample = start_sample(n, k, np.random.default_rng(seed))
        rows = take_rows(labels, sample)
        partition = self._partition_sample(rows, starts, sizes, seed)
        partition, value = problem.extend(labels, rows, partition, starts)
        bits = bits_for(n)
        shares = sum_rows(
            lambda rows: fixed_total(problem.own_shares(rows, starts), bits),
            labels,
            bytes_per_row=24 + 8 * labels.shape[1],
        )
        self.inertia_ = math.ldexp(shares, -bits) - value
        return partition

    def _partition_sample(
        self, rows: np.ndarray, starts: np.ndarray, sizes: np.ndarray, seed: int
    ) -> np.ndarray:
        """Best of several starts of weighted k-means on a sample of the objects."""
        k = int(self.n_clusters)
        graph = indicator(rows, starts=starts)
        degrees = cluster_sums(rows, starts, sizes[:, None])[:, 0]
        graph.data /= np.repeat(degrees, np.diff(graph.indptr))
        if self.init == "far":
            return weighted_kmeans(graph, k, degrees, n_init=self.n_init, seed=seed).labels
        rng = np.random.default_rng((seed, 1))
        drawn = [rng.choice(len(rows), k, replace=False) for _ in range(self.n_init)]
        found = [weighted_kmeans(graph, k, degrees, init=graph[d].toarray()) for d in drawn]
        return min(found, key=lambda done: done.inertia).labels


@dataclass(frozen=True)
class _NormalizedCut(CountedKMeans):
    """Weighted k-means on the rows b_i / w_i, where w_i sums the sizes of the object's clusters.

    The weight of b_i / w_i in the mean is w_i, so the mean of a consensus cluster is the count of
    its objects in each cluster c, divided by Σ w_i = Σ_c |c| · count(c).
    """

    cluster_sizes: np.ndarray

    def value(self, spread: Profiles) -> float:
        """Normalised association: Σ_k |counts of k|² / Σ_{i ∈ k} w_i."""
        weight = self.cluster_sizes @ spread.together
        return float(((spread.together**2).sum(axis=0) / np.maximum(weight, 1)).sum())

    def distances(self, rows: np.ndarray, spread: Profiles) -> np.ndarray:
        """|b_i / w_i - m_k|² without |b_i / w_i|²."""
        weight = self.cluster_sizes @ spread.together
        centers = spread.together / np.maximum(weight, 1)
        table = np.column_stack([centers, self.cluster_sizes])
        sums = cluster_sums(rows, spread.offsets, table)
        return (centers**2).sum(axis=0) - 2 * sums[:, :-1] / sums[:, -1:]

    def costs(self, rows: np.ndarray, spread: Profiles) -> np.ndarray:
        """w_i |b_i / w_i - m_k|² for the nearest centre."""
        weights = cluster_sums(rows, spread.offsets, self.cluster_sizes[:, None])[:, 0]
        return weights * super().costs(rows, spread) + self.own_shares(rows, spread.offsets)

    def own_shares(self, rows: np.ndarray, starts: np.ndarray) -> np.ndarray:
        """w_i |b_i / w_i|² = c_i / w_i."""
        table = np.column_stack([np.ones_like(self.cluster_sizes), self.cluster_sizes])
        sums = cluster_sums(rows, starts, table)
        return sums[:, 0] / sums[:, 1]
