"""Weighted subspace bipartite partitioning (Domeniconi and Al-Razgan 2009)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_array, check_is_fitted

from consens._blocks import FeatureMatrix
from consens._labels import first_seen_order
from consens._numerics.distances import cluster_means
from consens._numerics.nearest import nearest
from consens.consensus.wbpa import WBPA, pad_parts
from consens.ensemble import Ensemble
from consens.evidence.coordinates import relative_coordinates, require_payload, weighted_centers


class WSBPA(WBPA):
    """Weighted subspace bipartite graph: finds clusters and the features that matter to them.

    The graph of `WBPA` is partitioned into objects V_l^I and clusters V_l^C.  The feature weights
    of part l are the mean of those of its clusters,

        w_l = 1 / |V_l^C| Σ w_li          (Eq. 12)

    its centre c_l is the mean of its objects, and every object goes to the centre with the
    smallest distance weighted by w_l.

    {n_clusters}
    partitioner : {"spectral", "metis"}
        As in `WBPA`.
    imbalance, smoothing : float
        As in `WBPA`.
    drop_degenerate : bool
        As in `WBPA`; one such member spoils the means of Eq. 12.
    {seeded}
        There may be fewer than `n_clusters` clusters, if no object is nearest to a centre.
    feature_weights_ : ndarray of shape (n_clusters_, d)
        Rows sum to 1.
    cluster_centers_ : ndarray of shape (n_clusters_, d)
    partition_ : ndarray of shape (n,)
        The parts V_l^I, before the assignment to the nearest centre; numbered as `labels_`.
    cluster_labels_ : ndarray of shape (number of clusters,)
        Part of each cluster of the ensemble; -1 for partitions that were left out.
    n_features_ : int
        Number of features that the members clustered, d.
    {combined}

    Notes
    -----
    Use it to learn which features characterise each cluster, such as the words of a topic,
    or to assign new objects without the members.  All members must have the same features, as
    those of `generate.LACEnsemble`.

    Cost as `WBPA`, and O(n·d·n_clusters).

    {domeniconi_2009}

    {lac_members}
    >>> from consens.consensus import WSBPA
    >>> wsbpa = WSBPA(n_clusters=2, random_state=0).fit(E)
    >>> wsbpa.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> wsbpa.feature_weights_.round(2)
    array([[0.91, 0.09],
           [0.13, 0.87]])
    >>> wsbpa.predict([[1, 20], [30, 4]])
    array([0, 1], dtype=int32)
    """

    _in_blocks = False

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        features, weights = _features_and_weights(ensemble)
        members = self._members(ensemble)
        coordinates = relative_coordinates(ensemble[:, members], self.smoothing)
        done = self._cut(coordinates)
        k = int(self.n_clusters)
        centers = cluster_means(features, done.objects, k)
        ties = cluster_means(np.hstack(coordinates), done.objects, k)
        averaged = _part_weights(np.vstack([weights[m] for m in members]), done.clusters, ties)
        labels = nearest(features, centers, averaged)
        # number clusters by first object, and leave out those without objects
        used, first = np.unique(labels, return_index=True)
        used = used[np.argsort(first)]
        self.cluster_centers_, self.feature_weights_ = centers[used], averaged[used]
        self.n_features_ = features.shape[1]
        rest = np.setdiff1d(np.arange(k), used)
        names = np.empty(k + 1, dtype=np.int32)
        names[np.concatenate([used, rest])] = np.arange(k)
        names[-1] = -1  # the part of clusters without objects
        self.partition_ = names[done.objects]
        self.cluster_labels_ = pad_parts(ensemble, members, coordinates, names[done.clusters])
        return first_seen_order(labels)

    def predict(self, X: FeatureMatrix | Ensemble) -> np.ndarray:
        """Predict the nearest cluster of each row, with the feature weights of that cluster.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_new, d), or Ensemble
            The features that the members clustered, on the same scale; or the output of the
            fitted generator for them, as in a pipeline.

        Returns
        -------
        ndarray of shape (n_new,)
        """
        check_is_fitted(self)
        rows: Any = _features_and_weights(X)[0] if isinstance(X, Ensemble) else X
        rows = check_array(rows, accept_sparse="csr", dtype=[np.float64, np.float32])
        if rows.shape[1] != self.n_features_:
            raise ValueError(
                f"X has {rows.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_} features as input: those that the members clustered"
            )
        return nearest(rows, self.cluster_centers_, self.feature_weights_)


def _features_and_weights(ensemble: Ensemble) -> tuple[Any, list[np.ndarray]]:
    """Features that all members clustered, and the weights of their clusters."""
    payload = [
        require_payload(ensemble, m, "features", "centers") for m in range(ensemble.shape[1])
    ]
    features = payload[0]["features"]
    for m, entries in enumerate(payload):
        if not _equal(features, entries["features"]):
            raise ValueError(
                f"member {m} clustered other features than member 0, so their weights cannot be "
                "averaged; combine members of one LACEnsemble, or use WBPA"
            )
    return features, [weighted_centers(entries)[1] for entries in payload]


def _equal(a: Any, b: Any) -> bool:
    if a is b or issparse(a) != issparse(b) or a.shape != b.shape:
        return a is b
    return (a != b).nnz == 0 if issparse(a) else np.array_equal(a, b)


def _part_weights(weights: np.ndarray, clusters: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Eq. 12; a part without clusters uses the cluster with its largest mean P(C | x)."""
    means = np.empty((len(ties), weights.shape[1]))
    for part, tied in enumerate(ties):
        own = clusters == part
        if not own.any():
            own = np.arange(len(clusters)) == tied.argmax()
        means[part] = weights[own].mean(axis=0)
    return means
