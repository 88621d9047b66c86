"""Locally adaptive clustering (Domeniconi and Al-Razgan 2009): every cluster weighs features."""

from __future__ import annotations

from hashlib import blake2b
from numbers import Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from consens.base import Seed, check_features, check_n_clusters, spawn_seeds
from consens.blocks import take_rows
from consens.constraints import Interval, StrOptions
from consens.distances import nearest_center, sweep, weighted_squares
from consens.docstrings import shared_paragraphs
from consens.generate._sizes import COUNT_RULE

N_ORDERS = 10  # farthest-first orders from which the most scattered one is taken


@shared_paragraphs
class LAC(ClusterMixin, BaseEstimator):
    """Locally adaptive clustering: k-means in which every cluster weighs the features anew.

    A cluster is a centre c_j with weights w_j, and an object belongs to the nearest centre in
    the distance of that centre, Σ_i w_ji (x_i - c_ji)² (Eq. 1).  With X_ji the mean squared
    deviation of the objects of cluster j in feature i, the weights

        w_ji = exp(-X_ji / h) / Σ_i exp(-X_ji / h)          (Eq. 4)

    and the means c_ji (Eq. 5) minimise the dispersion with a reward for using many features,
    Σ_j Σ_i (w_ji X_ji + h w_ji log w_ji)  (Eq. 3), for given clusters.

    Parameters
    ----------
    n_clusters : int
    h : float
        How evenly weights are spread.  0 puts all weight on the features of least dispersion,
        infinity weighs all features alike, which is k-means.  It is compared with squared
        deviations, so its scale is that of the features: bring these to comparable scales.
    init : {"farthest", "random"} or array of shape (n_clusters, d)
        Centres to start from.  "farthest": an object drawn at random, then by turns the object
        farthest from those chosen; of ten such sets the one with the largest sum of distances
        (the "well-scattered points" of the paper).  "random": objects drawn at random.
    max_iter : int
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
    cluster_centers_ : ndarray of shape (n_clusters, d)
    feature_weights_ : ndarray of shape (n_clusters, d)
        Rows sum to 1.
    objective_ : float
        Eq. 3 for the clusters found; without the entropy, which has no limit, when h is
        infinite.
    n_iter_ : int
        Passes over the objects.
    converged_ : bool
        Whether Eqs. 1, 4 and 5 hold at once.
    {features_in}

    See Also
    --------
    LACEnsemble : one member per value of h.

    Notes
    -----
    One iteration assigns all objects, computes weights from their deviations about the centres
    to which they were assigned, and then the centres of the same clusters.  (The paper assigns
    objects once more between the two.  What either comes to rest at is the same; this way an
    iteration is one pass.)  For given clusters, weights and centres never raise Eq. 3.  The
    assignment may: it minimises distances, while Eq. 3 divides each cluster's sum by its size.
    So iterations may end in a cycle instead of a fixed point; they stop as soon as a state comes
    back, or after `max_iter`.

    An object as near to two centres belongs to the first.  A cluster that loses all objects
    keeps its centre and weights.  Equal weights of a cluster mean that its objects are spread
    alike in all features, or that it has one object only.

    O(n·k·d) time per iteration (sparse: k·nnz) and O(k·d) memory beside X and the labels; a
    sparse X is never filled.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": COUNT_RULE,
        "h": [Interval(Real, 0, None, closed="both")],
        "init": [StrOptions({"farthest", "random"}), "array-like"],
        "max_iter": COUNT_RULE,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        h: float = 1.0,
        init: Any = "farthest",
        max_iter: int = 100,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.h = h
        self.init = init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
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

    def predict(self, X: Any) -> np.ndarray:
        """Nearest cluster of each row, in the distance of that cluster (Eq. 1).

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_new, d)

        Returns
        -------
        ndarray of shape (n_new,)
        """
        check_is_fitted(self)
        X = check_features(self, X, reset=False, accept_sparse=True)
        return nearest_center(X, self.cluster_centers_, self.feature_weights_)

    def _given_centers(self, d: int) -> np.ndarray:
        centers = np.array(self.init, dtype=np.float64)
        if centers.shape != (self.n_clusters, d) or not np.isfinite(centers).all():
            raise ValueError(
                f"init has shape {centers.shape}; expected finite centres of shape "
                f"(n_clusters, number of features) = ({self.n_clusters}, {d})"
            )
        return centers

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class Adapted(NamedTuple):
    """Weighted clusters, and how they were come to."""

    labels: np.ndarray
    centers: np.ndarray
    weights: np.ndarray
    objective: float
    n_iter: int
    converged: bool


def adapt(X: Any, centers: np.ndarray, h: float, max_iter: int) -> Adapted:
    """Assign objects, weigh features and move centres by turns, from given centres."""
    k, d = centers.shape
    weights = np.full((k, d), 1 / d)
    seen: set[tuple[bytes, bytes]] = set()
    before, n_iter = b"", 0
    while n_iter < max_iter:
        n_iter += 1
        pass_ = sweep(X, centers, weights)
        # centres and weights follow from the last two assignments: when these come back, so
        # does all that follows
        now = blake2b(pass_.labels.tobytes(), digest_size=16).digest()
        if (before, now) in seen:
            labels, converged = pass_.labels, before == now
            break
        seen.add((before, now))
        before = now
        filled = pass_.counts > 0
        sizes = pass_.counts[filled, None]
        weights, centers = weights.copy(), centers.copy()
        weights[filled] = exponential_weights(pass_.squares[filled] / sizes, h)
        centers[filled] += pass_.deviations[filled] / sizes
    else:
        pass_ = sweep(X, centers, weights)
        labels, converged = pass_.labels, False
    filled = pass_.counts > 0
    dispersion = pass_.squares[filled] / pass_.counts[filled, None]
    objective = regularized_error(dispersion, weights[filled], h)
    return Adapted(labels, centers, weights, objective, n_iter, converged)


def exponential_weights(dispersion: np.ndarray, h: float) -> np.ndarray:
    """Weights exp(-X_ji / h), scaled to sum 1 per cluster (Eq. 4).

    The least dispersion of a cluster is taken off first: exp(-X/h) is 0 from X/h = 746 on, and
    the quotient of zeros is no weight.  h = 0 is the limit: equal weights for the features of
    least dispersion.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.generate.lac import exponential_weights
    >>> exponential_weights(np.array([[1000.0, 1000.0 + np.log(3), 4000.0]]), 1)
    array([[0.75, 0.25, 0.  ]])
    """
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
    """Objects to start from: far from each other, or at random.

    Of a farthest-first order the first k objects are those for k clusters, so one order serves
    members of different k.
    """
    n = X.shape[0]
    check_n_clusters(n_clusters, n)
    rng = np.random.default_rng(seed)
    if init == "random":
        return dense_rows(X, rng.choice(n, n_clusters, replace=False))
    firsts = rng.choice(n, min(n, N_ORDERS), replace=False)
    orders = [firsts]
    nearest = np.full((n, len(firsts)), np.inf)
    ones = np.ones((len(firsts), X.shape[1]))
    while len(orders) < n_clusters:
        np.minimum(nearest, weighted_squares(X, dense_rows(X, orders[-1]), ones), out=nearest)
        farthest = nearest.argmax(axis=0)
        if (nearest.max(axis=0) == 0).any():
            check_n_clusters(n_clusters, len(orders), " of X")
        orders.append(farthest)
    starts = [dense_rows(X, order) for order in np.transpose(orders)]
    spread = [_sum_of_distances(start) for start in starts]
    return starts[int(np.argmax(spread))]


def _sum_of_distances(points: np.ndarray) -> float:
    """Distances of all pairs, added up."""
    ones = np.ones_like(points)
    return float(np.sqrt(weighted_squares(points, points, ones)).sum()) / 2


def dense_rows(X: Any, rows: np.ndarray) -> np.ndarray:
    """Some rows in memory, in double precision."""
    picked = take_rows(X, rows)
    return np.asarray(picked.toarray() if issparse(picked) else picked, dtype=np.float64)
