"""Spectral ensemble clustering (Liu, Wu, Liu, Tao and Fu 2017)."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from consens.base import spawn_seeds
from consens.consensus._base import BaseConsensus
from consens.ensemble import Ensemble
from consens.labels import cluster_sums, indicator, offsets
from consens.partition import weighted_kmeans


class SEC(BaseConsensus):
    """Spectral ensemble clustering: the normalised cut of the co-association, by k-means.

    With B the indicator of objects by clusters, b_i its rows, and w_i = Σ_j (B B')_ij the degree
    of object i in the co-association graph, the normalised cut of that graph is the weighted
    k-means problem

        min Σ_k Σ_{i ∈ k} w_i |b_i / w_i - m_k|²,

    so that neither the matrix nor an eigenvector is needed.

    Parameters
    ----------
    n_clusters : int
    n_init : int
        Starts of k-means; the best is kept.
    random_state : int, RandomState instance or None

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered by their first object; -1 for objects that every partition calls
        noise.
    n_clusters_ : int
    inertia_ : float
        The sum that is minimised: Σ_i c_i / w_i, with c_i the number of clusters that hold object
        i, less the normalised association of the clusters found.
    confidence_ : ndarray of shape (n,)
        See `consens.measure.object_confidence`.
    ensemble_ : Ensemble
        What was combined.

    Notes
    -----
    O(n M k) time per iteration; O(n M) memory for the sparse indicator.  Noise and missing labels
    are zeros in it.

    References
    ----------
    H. Liu, J. Wu, T. Liu, D. Tao and Y. Fu, "Spectral ensemble clustering via weighted k-means:
    theoretical and practical evidence", IEEE TKDE 29(5), 2017. doi:10.1109/TKDE.2017.2650229

    Examples
    --------
    >>> import numpy as np
    >>> from consens.consensus import SEC
    >>> labels = np.array([[0, 0, 2], [0, 0, 2], [0, 1, 2], [1, 1, 0], [1, 1, 0]])
    >>> SEC(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    n_clusters: int

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(self, n_clusters: int = 2, n_init: int = 10, random_state: Any = None) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        rows = indicator(ensemble.labels)
        sizes = np.asarray(rows.sum(axis=0))
        degrees = cluster_sums(ensemble.labels, offsets(ensemble.labels), sizes[:, None])[:, 0]
        rows.data /= np.repeat(degrees, np.diff(rows.indptr))
        done = weighted_kmeans(
            rows,
            self.n_clusters,
            degrees,
            n_init=self.n_init,
            seed=spawn_seeds(self.random_state, 1)[0],
        )
        self.inertia_ = done.inertia
        return done.labels
