"""Ensembles of prototypes: every object takes the labels of its nearest dense prototype."""

from functools import partial
from math import ceil, sqrt
from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, clone
from sklearn.neighbors import NearestNeighbors

from consens._blocks import FeatureMatrix, map_rows, run_on_samples, to_user
from consens._labels import keep_labels
from consens._numerics.nearest import nearest
from consens._params import BOOLEAN_RULE, COUNT_RULE, HasMethods, Interval, rules
from consens._support.seeds import Seed, spawn_seeds
from consens._validation import check_features
from consens.ensemble import Ensemble, payload_rows
from consens.generate._base import BaseGenerator, fit_plan, row_names
from consens.generate._label import label_and_shrink
from consens.generate.kmeans_ensemble import NO_CENTERS, Centers, KMeansEnsemble, plan_kmeans
from consens.generate.lac import dense_rows


class PrototypeEnsemble(BaseGenerator):
    """Cluster prototypes in dense regions; each object takes the labels of the nearest one.

    k-means splits the data into many small clusters, whose centroids are the prototypes.
    Prototypes in sparse regions are left out: the *link strength* of a prototype measures how
    many neighbours it shares with its own neighbours, and *core points* are prototypes with

        ls(i) >= mean(ls) - α std(ls).

    A generator makes an ensemble of the core points, and every object gets the labels of its
    nearest one.  This makes large data small, and opens gaps between touching clusters.

    Parameters
    ----------
    generator : transformer from X to an Ensemble, default `KMeansEnsemble()`
        Applied to the core points.
    n_prototypes : int, optional
        Number of centroids; None means ⌈10 √n⌉.  If n or more, the objects are the prototypes.
    n_neighbors : int
        Number of neighbours q of a prototype, 20 as in the paper; at most all others.
    alpha : float
        α; the smaller it is, the more prototypes are left out: look at `core_`.
    mutual : bool, default=True
        Whether two prototypes are linked only if each is a neighbour of the other.
    random_state : int, RandomState or None
        Seed of the prototypes, and of a generator without a seed of its own.

    Attributes
    ----------
    prototypes_ : ndarray of shape (p, d)
    link_strength_ : ndarray of shape (p,)
    core_ : ndarray of shape (p,), bool
        Mask of the prototypes that are core points.
    core_points_ : ndarray of shape (c, d)
    core_ensemble_ : Ensemble of shape (c, M)
        Ensemble of the core points.
    generator_ : the fitted generator
    {features_in}

    Notes
    -----
    With q the number of neighbours and m_l, n_l the positions of a shared neighbour l in the
    lists of i and j, the link between i and j is

        w(i, j) = Σ_l (q + 1 - m_l)(q + 1 - n_l)

    if each is in the list of the other, or with ``mutual=False`` if j is in the list of i, and 0
    otherwise; ls(i) = Σ_j w(i, j) over the neighbours j of i (Fred and Jain 2005, Section 6;
    Jarvis and Patrick; Ertöz, Steinbach and Kumar).

    Single link of the objects is that of the core points.  Average link weighs a core point by its
    number of objects; to give all the same weight, as the paper does, combine `core_ensemble_` and
    give object i the label of core point ``nearest_core(X)[i]``.

    The cost is one k-means of p centroids, the search for neighbours, and O(p q²) for the links;
    labelling the objects takes O(n c d).

    {fred_jain_2005}

    Examples
    --------
    Single link joins two touching clusters of objects, but separates their core points.

    >>> from sklearn.datasets import make_blobs
    >>> from consens import ConsensusClustering
    >>> from consens.consensus import EAC
    >>> from consens.generate import KMeansEnsemble, PrototypeEnsemble
    >>> from consens.measure import error_rate
    >>> X, y = make_blobs(2000, centers=[[0, 0], [5, 0]], random_state=0)
    >>> members = KMeansEnsemble(30, n_clusters=(10, 30))
    >>> for generator in (members, PrototypeEnsemble(members)):
    ...     model = ConsensusClustering(2, generator=generator, consensus=EAC(linkage="single"),
    ...                                 random_state=0).fit(X)
    ...     print(round(error_rate(y, model.labels_), 2))
    0.5
    0.01
    """

    _parameter_constraints = rules(
        generator=[HasMethods(["fit_transform"]), None],
        n_prototypes=[*COUNT_RULE, None],
        n_neighbors=COUNT_RULE,
        alpha=[Interval(Real, None, None, closed="neither")],
        mutual=BOOLEAN_RULE,
    )

    def __init__(
        self,
        generator: BaseEstimator | None = None,
        *,
        n_prototypes: int | None = None,
        n_neighbors: int = 20,
        alpha: float = 1.0,
        mutual: bool = True,
        random_state: Seed = None,
    ) -> None:
        self.generator = generator
        self.n_prototypes = n_prototypes
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.mutual = mutual
        self.random_state = random_state

    def _fit(self, X: Any) -> Ensemble:
        self._validate_params()
        rows = check_features(self, X, accept_sparse=True)
        seeds = spawn_seeds(self.random_state, 2)
        self.prototypes_ = self._prototypes(rows, seeds[0])
        self.link_strength_ = link_strength(self.prototypes_, self.n_neighbors, self.mutual)
        least = self.link_strength_.mean() - self.alpha * self.link_strength_.std()
        # the mean of equal numbers may differ from them by rounding
        self.core_ = self.link_strength_ >= least - 1e-9 * abs(least)
        if self.core_.sum() < 2:
            raise ValueError(
                f"alpha={self.alpha} leaves {self.core_.sum()} of {len(self.core_)} prototypes; "
                "increase alpha to keep more"
            )
        self.core_points_ = self.prototypes_[self.core_]
        self.generator_ = clone(self.generator or KMeansEnsemble())
        if self.generator_.get_params().get("random_state", 0) is None:
            self.generator_.set_params(random_state=seeds[1])
        self.core_ensemble_ = Ensemble.from_labels(
            self.generator_.fit_transform(self.core_points_)
        )
        return self._follow(rows, X)

    def transform(self, X: FeatureMatrix) -> Ensemble:
        """Give each row the labels of its nearest core point; otherwise as in other generators."""
        return self._follow(self._check_new(X), X)

    def _follow(self, rows: Any, X: Any) -> Ensemble:
        cores, core = self._nearest_core(rows), self.core_ensemble_

        def follow(values: Any) -> Any:
            return map_rows(
                lambda rows: values[rows], cores, width=values.shape[1], dtype=values.dtype
            )

        payload = payload_rows(core.payload, follow)
        labels = keep_labels(follow(core.labels), int(core.n_clusters.max()))
        return Ensemble(labels, core.records, payload, row_names(X))

    def nearest_core(self, X: FeatureMatrix) -> np.ndarray:
        """Index of the row of `core_points_` nearest to each row of X.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_new, d)

        Returns
        -------
        ndarray of shape (n_new,), int32
        """
        nearest: np.ndarray = to_user(self._nearest_core(self._check_new(X)))
        return nearest

    def _nearest_core(self, rows: Any) -> Any:
        return map_rows(partial(nearest, points=self.core_points_), rows, dtype=np.int32)

    def _prototypes(self, X: Any, seed: int) -> np.ndarray:
        n = X.shape[0]
        number = ceil(10 * sqrt(n)) if self.n_prototypes is None else self.n_prototypes
        if number >= n:
            return dense_rows(X, np.arange(n))
        plan = plan_kmeans(
            n, np.random.default_rng(seed), seed, (number, number), None, Centers(NO_CENTERS)
        )
        [(_, [trained])] = run_on_samples(fit_plan, [plan], [plan.sample.rows], X)
        model: Any
        _, [model] = label_and_shrink(X, [trained.model])
        return np.asarray(model.centers, dtype=np.float64)

    @property
    def _n_features_out(self) -> int:
        return self.core_ensemble_.shape[1]


def link_strength(points: np.ndarray, n_neighbors: int, mutual: bool = True) -> np.ndarray:
    """Number of neighbours that each point shares with its neighbours, nearer ones weigh more."""
    n = len(points)
    q = min(int(n_neighbors), n - 1)
    if q < 1:
        return np.zeros(n)
    neighbors = NearestNeighbors(n_neighbors=q).fit(points).kneighbors(return_distance=False)
    positions = np.tile(np.arange(q, 0, -1.0), n)  # q + 1 - m for m = 1 .. q
    lists = csr_array((positions, neighbors.ravel(), np.arange(0, n * q + 1, q)), shape=(n, n))
    linked = lists.sign()
    if mutual:
        linked = linked.multiply(linked.T)
    return np.asarray((lists @ lists.T).multiply(linked).sum(axis=1)).ravel()
