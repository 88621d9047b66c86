"""k-means on rows of the co-association (the baseline of Domeniconi and Al-Razgan 2009)."""

from typing import Any

import numpy as np

from consens._labels import MISSING, contingency, has_code, indicator, unique_rows
from consens._numerics import seeding
from consens._params import BOOLEAN_RULE, rules
from consens._support.memory import require_memory, warn_of_time
from consens._support.seeds import Seed, spawn_seeds
from consens.consensus._base import BaseConsensus
from consens.ensemble import Ensemble
from consens.evidence import coassociation
from consens.evidence.coordinates import informed_members, unit_coordinates, weighted_coassociation
from consens.generate import BaseGenerator, LACEnsemble
from consens.partition.weighted_kmeans import weighted_kmeans


class CoassociationKMeans(BaseConsensus):
    """k-means on the rows of the co-association: groups objects with similar companions.

    Row i of the co-association S = H H' / M holds the share of partitions in which object i is
    together with each object; k-means takes these n numbers as features ("Co-as." in the paper).

    {n_clusters}
    weighted : bool
        Use Ψ, the mean similarity of relative coordinates (as `WSPA`; "wCo-as."), instead of S;
        for ensembles such as those of `LACEnsemble`, without degenerate members, as in `WBPA`.
    smoothing : float or "auto"
        With `weighted`, as in `WSPA`.
    n_init : int
        Number of starts of k-means; the one with the smallest sum of squares is kept.
    {seeded}
    inertia_ : float
        Sum of squared distances of the rows of S to the means of their clusters.
    {combined}

    Notes
    -----
    Use it as a baseline, or for compact clusters; ends of elongated ones have different rows.

    S is never formed: |S_i - S_j|² = (h_i - h_j) H'H (h_i - h_j)' / M² with h_i row i of the
    indicator H, so k-means runs on H with the contingency H'H as its metric.  O(n M² + n M k) time
    per iteration and c² memory for c clusters in total.

    Likewise, Ψ = Q Q' / M is a product of unit coordinates.  If labels are missing, S is no
    product: its rows are computed for the u distinct label rows, in O(u² M) time and 8 u² bytes.

    {domeniconi_2009}

    {five_objects}
    >>> from consens.consensus import CoassociationKMeans
    >>> CoassociationKMeans(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    _parameter_constraints = rules(weighted=BOOLEAN_RULE)

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        weighted: bool = False,
        smoothing: float | str = "auto",
        n_init: int = 10,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.weighted = weighted
        self.smoothing = smoothing
        self.n_init = n_init

    def default_generator(self) -> BaseGenerator:
        """Return a k-means ensemble, or an ensemble with feature weights if `weighted`."""
        return LACEnsemble(self.n_clusters) if self.weighted else super().default_generator()

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        features, metric, inverse, counts = (
            _weighted_rows(ensemble, self.smoothing)
            if self.weighted
            else _indicator_rows(ensemble.matrix)
        )
        warn_of_time(
            _seconds(features, metric, int(self.n_clusters), int(self.n_init)),
            f"k-means on the co-associations of {features.shape[0]} distinct objects",
            "SEC takes linear time; or combine coarser members, or fewer",
        )
        done = weighted_kmeans(
            features,
            self.n_clusters,
            counts,
            metric=metric,
            n_init=self.n_init,
            seed=spawn_seeds(self.random_state, 1)[0],
        )
        self.inertia_ = done.inertia
        return done.labels[inverse]


def _seconds(features: Any, metric: np.ndarray | None, k: int, n_init: int) -> float:
    """Estimate the time of k-means: thirty sweeps from each start, two nanoseconds per product."""
    n, d = features.shape
    size = float(getattr(features, "nnz", n * d))
    of_starts = n_init * min(1.0, seeding.START_ROWS / n)
    products = 30 * (of_starts + 1) * size * k
    if metric is not None:
        products += 30 * (n_init + 1) * k * d**2 + size * d
    return 2e-9 * products


#: Features and metric with the distances of the distinct rows of S, their places, and numbers.
IndicatorRows = tuple[Any, np.ndarray | None, Any, np.ndarray | None]


def _indicator_rows(labels: np.ndarray) -> IndicatorRows:
    rows, inverse, counts = unique_rows(labels)
    if (labels == MISSING).any():
        # c equal columns have the same effect as one column scaled by sqrt(c)
        similar = coassociation(Ensemble(rows)) * np.sqrt(counts)
        return similar, None, inverse, counts
    features = indicator(rows)
    _require_metric(features.shape[1])
    metric = contingency(labels).toarray() / labels.shape[1] ** 2
    return features, metric, inverse, counts


def _weighted_rows(ensemble: Ensemble, smoothing: float | str) -> IndicatorRows:
    everything = slice(None)
    ensemble = ensemble[:, informed_members(ensemble)]
    if has_code(ensemble.labels, MISSING):
        return weighted_coassociation(ensemble, smoothing=smoothing), None, everything, None
    factor = unit_coordinates(ensemble, smoothing)
    _require_metric(factor.shape[1])
    return factor, factor.T @ factor / ensemble.shape[1] ** 2, everything, None


def _require_metric(width: int) -> None:
    require_memory(
        16.0 * width**2,
        f"the contingency of {width} clusters",
        "combine fewer or coarser partitions, or use MCLA",
    )
