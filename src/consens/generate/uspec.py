"""Ultra-scalable spectral clustering (Huang, Wang, Wu, Lai and Kwoh 2020)."""

from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from consens._blocks import FeatureMatrix
from consens._docs import shared_paragraphs
from consens._numerics.distances import unit_rows
from consens._numerics.kmeans import run_kmeans
from consens._numerics.nearest import nearest
from consens._params import COUNT_RULE, complete_rules, rules
from consens._support.seeds import Seed, spawn_seeds
from consens._validation import check_features, check_n_clusters
from consens.generate.landmarks import LandmarkMap, embed_landmarks

#: Objects drawn per landmark, and sweeps of the k-means that turns them into landmarks.
DRAWN_PER_LANDMARK = 10
SWEEPS_OF_LANDMARKS = 10

SWEEPS_OF_EMBEDDING = 100


@complete_rules
@shared_paragraphs
class USPEC(ClusterMixin, BaseEstimator):
    """Ultra-scalable spectral clustering: spectral clustering by landmarks.

    The landmarks are centres of k-means on a random sample.  Each object is joined to its nearest
    landmarks, and the normalised cut of this bipartite graph is solved on the side of the
    landmarks (transfer cut), so that the cost is linear in the number of objects.

    Parameters
    ----------
    n_clusters : int, default=8
    n_landmarks : int, default=1000
        Number of landmarks p, at most half of the objects: that of the paper for a single
        clustering, where a member of `LandmarkEnsemble` takes fewer.
    n_neighbors : int, default=5
        Number of nearest landmarks of an object.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Cluster of each object.
    n_features_in_ : int

    Notes
    -----
    Use it for clusters of any shape when n is too large for the similarities of all pairs, or as a
    member: ``EstimatorEnsemble([USPEC(k) for k in range(20, 61, 2)])``.

    The formulas are those of `LandmarkEnsemble`, with landmarks from k-means on ten objects per
    landmark.  O(n·p·d) time for the nearest landmarks, O(p²·d) for k-means, O(p³) for the
    eigenvectors; O(n·(q + k) + p²) memory.

    {usenc_2020}

    Examples
    --------
    >>> from consens.datasets import make_rings
    >>> from consens.generate import USPEC
    >>> from consens.measure import ari
    >>> X, y = make_rings(random_state=0)
    >>> round(ari(y, USPEC(3, n_landmarks=200, random_state=0).fit_predict(X)), 2)
    1.0
    """

    _parameter_constraints = rules(n_landmarks=COUNT_RULE, n_neighbors=COUNT_RULE)

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_landmarks: int = 1000,
        n_neighbors: int = 5,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_landmarks = n_landmarks
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def fit(self, X: FeatureMatrix, y: object = None) -> Self:
        """Find the clusters of X.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        X = np.asarray(check_features(self, X), dtype=np.float64)
        n, k = len(X), int(self.n_clusters)
        check_n_clusters(k, n)
        draw, of_landmarks, of_places = spawn_seeds(self.random_state, 3)
        p = max(1, k, min(self.n_landmarks, n // 2))
        size = min(n, DRAWN_PER_LANDMARK * p)
        sample = X[np.sort(np.random.default_rng(draw).choice(n, size, replace=False))]
        landmarks = run_kmeans(sample, p, "random", of_landmarks, SWEEPS_OF_LANDMARKS)
        q = min(self.n_neighbors, len(landmarks))
        width, shares, places = embed_landmarks(X, landmarks, k, q, of_places)
        placed = unit_rows(shares @ places)
        centers = run_kmeans(placed, k, "k-means++", of_places, SWEEPS_OF_EMBEDDING)
        labels = nearest(placed, centers)
        used = np.unique(labels)
        self._model = LandmarkMap(landmarks, width, q, places, centers[used])
        self.labels_ = np.searchsorted(used, labels).astype(np.int32)
        return self

    def predict(self, X: FeatureMatrix) -> np.ndarray:
        """Cluster of each row, by its nearest landmarks.

        Parameters
        ----------
        X : array-like of shape (n_new, d)

        Returns
        -------
        ndarray of shape (n_new,)
        """
        check_is_fitted(self)
        return self._model.label(check_features(self, X, reset=False))
