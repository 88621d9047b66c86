"""Locally adaptive clustering (Domeniconi and Al-Razgan 2009)."""

from hashlib import blake2b
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from consens._blocks import FeatureMatrix, take_rows
from consens._docs import shared_paragraphs
from consens._numerics.distances import Sweep, sweep, weighted_squares
from consens._numerics.nearest import nearest
from consens._params import Interval, complete_rules, one_of, rules
from consens._support.seeds import Seed, spawn_seeds
from consens._validation import check_features, check_finite, check_n_clusters


@complete_rules
@shared_paragraphs
class LAC(ClusterMixin, BaseEstimator):
    """Locally adaptive clustering: k-means in which every cluster has its own feature weights.

    A cluster is a centre c_j with weights w_j, and an object belongs to the nearest centre in
    the distance of that centre, Σ_i w_ji (x_i - c_ji)² (Eq. 1).  With X_ji the mean squared
    deviation of the objects of cluster j in feature i, the weights

        w_ji = exp(-X_ji / h) / Σ_i exp(-X_ji / h)          (Eq. 4)

    and the means c_ji (Eq. 5) minimise the dispersion with a reward for using many features,
    Σ_j Σ_i (w_ji X_ji + h w_ji log w_ji)  (Eq. 3), for given clusters.

    Parameters
    ----------
    n_clusters : int
        8 by default, as in `sklearn.cluster.KMeans`.
    h : float
        How evenly weights are spread.  0 puts all weight on the features of least dispersion,
        infinity is k-means.  It is compared with squared deviations, so scale the features first.
        `LACEnsemble` tries many values.
    init : {"farthest", "random"} or array of shape (n_clusters, d)
        "farthest": an object drawn at random, then repeatedly the object farthest from all chosen
        ones (the "well-scattered points" of the paper).  "random": objects drawn at random.
    max_iter : int
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
    cluster_centers_ : ndarray of shape (n_clusters, d)
    feature_weights_ : ndarray of shape (n_clusters, d)
        Rows sum to 1.
    objective_ : float
        Eq. 3 for the final clusters; without the entropy term if h is infinite.
    n_iter_ : int
        Iterations.
    converged_ : bool
        Whether the clusters, weights and centres are a fixed point of Eqs. 1, 4 and 5.
    {features_in}

    Notes
    -----
    One iteration assigns all objects, computes weights, assigns the objects again, and moves the
    centres to the means.  For given clusters, these updates never raise Eq. 3, but the assignment
    may, because Eq. 3 divides each cluster's sum by its size.  So iterations may end in a cycle;
    they stop as soon as a state repeats.

    An object equally near to two centres belongs to the first.  A cluster that loses all objects
    keeps its centre and weights.

    O(n·k·d) time per iteration (sparse: k·nnz) and O(k·d) memory in addition to X and the
    labels; a sparse X is never made dense.

    {domeniconi_2009}

    Examples
    --------
    >>> import numpy as np
    >>> from consens.generate import LAC
    >>> X = np.array([[0, 1], [0, 5], [0, 9], [9, 4], [12, 4], [15, 4]])
    >>> lac = LAC(n_clusters=2, h=2, random_state=0).fit(X)
    >>> lac.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> lac.feature_weights_.round(2)
    array([[1.  , 0.  ],
           [0.05, 0.95]])
    """

    _parameter_constraints = rules(
        h=[Interval(Real, 0, None, closed="both")],
        init=[*one_of("farthest", "random"), "array-like"],
    )

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        h: float = 1.0,
        init: str | ArrayLike = "farthest",
        max_iter: int = 100,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.h = h
        self.init = init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: FeatureMatrix, y: object = None) -> Self:
        """Find the clusters of X.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, d)
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        X = check_features(self, X, accept_sparse=True)
        [seed] = spawn_seeds(self.random_state, 1)
        if isinstance(self.init, str):
            start = starting_centers(X, self.n_clusters, self.init, seed)
        else:
            start = self._given_centers(X.shape[1])
        done = adapt(X, start, self.h, self.max_iter)
        self.labels_ = done.labels
        self.cluster_centers_ = done.centers
        self.feature_weights_ = done.weights
        self.objective_ = done.objective
        self.n_iter_ = done.n_iter
        self.converged_ = done.converged
        return self

    def predict(self, X: FeatureMatrix) -> np.ndarray:
        """Nearest cluster of each row, by the weighted distance of Eq. 1.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_new, d)

        Returns
        -------
        ndarray of shape (n_new,)
        """
        check_is_fitted(self)
        X = check_features(self, X, reset=False, accept_sparse=True)
        return nearest(X, self.cluster_centers_, self.feature_weights_)

    def _given_centers(self, d: int) -> np.ndarray:
        centers = check_finite(np.asarray(self.init), "init")
        if centers.shape != (self.n_clusters, d):
            raise ValueError(
                f"init has shape {centers.shape}; expected finite centres of shape "
                f"(n_clusters, number of features) = ({self.n_clusters}, {d})"
            )
        return np.array(centers)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class Adapted(NamedTuple):
    """Result of `adapt`."""

    labels: np.ndarray
    centers: np.ndarray
    weights: np.ndarray
    objective: float
    n_iter: int
    converged: bool


def adapt(X: Any, centers: np.ndarray, h: float, max_iter: int) -> Adapted:
    """Alternate between updates of the weights, the assignment and the centres."""
    k, d = centers.shape
    weights = np.full((k, d), 1 / d)
    centers = centers.copy()
    state, seen = (b"", b"", b""), set()
    n_iter, converged = 0, False
    while n_iter < max_iter:
        n_iter += 1
        first = second = sweep(X, centers, weights)
        filled, sizes = _nonempty(first)
        before = weights.copy()
        weights[filled] = exponential_weights(first.squares[filled] / sizes, h)
        if not np.array_equal(weights, before):
            second = sweep(X, centers, weights)
        filled, sizes = _nonempty(second)
        centers[filled] += second.deviations[filled] / sizes
        # weights follow from the first assignment and the old centres, centres from the second:
        # when these assignments repeat, everything after them repeats
        last, state = state, (state[2], _label_digest(first.labels), _label_digest(second.labels))
        if state in seen:
            converged = state == last
            break
        seen.add(state)
    assigned = sweep(X, centers, weights)
    filled, sizes = _nonempty(assigned)
    objective = regularized_error(assigned.squares[filled] / sizes, weights[filled], h)
    return Adapted(assigned.labels, centers, weights, objective, n_iter, converged)


def _label_digest(labels: np.ndarray) -> bytes:
    return blake2b(labels.tobytes(), digest_size=16).digest()


def _nonempty(assigned: Sweep) -> tuple[np.ndarray, np.ndarray]:
    """Mask of the nonempty clusters, and their sizes as a column."""
    filled = assigned.counts > 0
    return filled, assigned.counts[filled, None]


def exponential_weights(dispersion: np.ndarray, h: float) -> np.ndarray:
    """Weights exp(-X_ji / h), scaled to sum 1 per cluster (Eq. 4); h may be 0."""
    above = dispersion - dispersion.min(axis=1, keepdims=True)
    with np.errstate(divide="ignore", over="ignore"):
        exponents = np.divide(above, h, out=np.zeros_like(above), where=above > 0)
    raw = np.exp(-exponents)
    return raw / raw.sum(axis=1, keepdims=True)


def regularized_error(dispersion: np.ndarray, weights: np.ndarray, h: float) -> float:
    """Σ_j Σ_i (w_ji X_ji + h w_ji log w_ji), Eq. 3; without the entropy for infinite h."""
    error = float((weights * dispersion).sum())
    if h in (0, np.inf):
        return error
    logs = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    return error + h * float((weights * logs).sum())


def starting_centers(X: Any, n_clusters: int, init: str, seed: int) -> np.ndarray:
    """Objects to start from: far from each other, in an order for all k, or at random."""
    n = X.shape[0]
    check_n_clusters(n_clusters, n)
    rng = np.random.default_rng(seed)
    if init == "random":
        return dense_rows(X, rng.choice(n, n_clusters, replace=False))
    order = [int(rng.integers(n))]
    distance = np.full(n, np.inf)
    while len(order) < n_clusters:
        newest = dense_rows(X, np.array(order[-1:]))
        np.minimum(distance, weighted_squares(X, newest, np.ones_like(newest))[:, 0], out=distance)
        order.append(int(distance.argmax()))
        if distance[order[-1]] == 0:
            check_n_clusters(n_clusters, len(order) - 1, " of X")
    return dense_rows(X, np.array(order))


def dense_rows(X: Any, rows: np.ndarray) -> np.ndarray:
    """Selected rows as a dense array in double precision."""
    picked = take_rows(X, rows)
    return np.asarray(picked.toarray() if issparse(picked) else picked, dtype=np.float64)
