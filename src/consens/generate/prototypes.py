"""Ensembles of prototypes: cluster a few dense points, and let every object follow its nearest."""

from __future__ import annotations

from functools import partial
from math import ceil, sqrt
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from consens.base import check_features, spawn_seeds
from consens.blocks import Rows, to_user
from consens.constraints import HasMethods, Interval
from consens.docstrings import shared_paragraphs
from consens.ensemble import Ensemble
from consens.generate._blocks import label_all, train
from consens.generate._nearest import nearest
from consens.generate.kmeans import KMeansEnsemble, cluster, training
from consens.labels import keep_labels


@shared_paragraphs
class PrototypeEnsemble(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Cluster prototypes in dense places instead of all objects, which take over their labels.

    k-means splits the data into many small clusters, whose centroids are the prototypes.  Those
    in thin places are left out: the *link strength* of a prototype measures how many neighbours
    it shares with its own neighbours, and *core points* are those with

        ls(i) >= mean(ls) - α std(ls).

    A generator makes an ensemble of the core points, and every object gets the labels of the
    core point nearest to it.  This makes large data small, and it opens the gaps between
    clusters that touch, through which single link would leak.

    Parameters
    ----------
    generator : transformer from X to an Ensemble, default `KMeansEnsemble()`
        Applied to the core points.
    n_prototypes : int, optional
        Number of centroids; None means ⌈10 √n⌉.  With as many as there are objects, or more,
        the objects themselves are the prototypes.
    n_neighbors : int
        q, the neighbours of a prototype; at most all others.
    alpha : float
        α; the smaller it is, the more prototypes are left out.  Look at `core_`: the result may
        depend on it very much.
    random_state : int, RandomState or None
        For the prototypes, and for a generator that has no seed of its own.

    Attributes
    ----------
    prototypes_ : ndarray of shape (p, d)
    link_strength_ : ndarray of shape (p,)
    core_ : ndarray of shape (p,), bool
        Which prototypes are core points.
    core_points_ : ndarray of shape (c, d)
    core_ensemble_ : Ensemble of shape (c, M)
        What the generator made of them.
    generator_ : the fitted generator
    {features_in}

    Notes
    -----
    With q the number of neighbours and m_l, n_l the positions of a shared neighbour l in the
    lists of i and j, the link between i and j is

        w(i, j) = Σ_l (q + 1 - m_l)(q + 1 - n_l)

    if each is in the list of the other, and else 0; ls(i) = Σ_j w(i, j) over the neighbours j of
    i (Fred and Jain 2005, Section 6; Jarvis and Patrick; Ertöz, Steinbach and Kumar).

    Single link of the objects is single link of the core points.  Average link of the objects
    weighs a core point by the objects that follow it; to combine the core points alike, as the
    paper does, combine `core_ensemble_` and give object i the label of core point
    ``nearest_core(X)[i]``.

    One k-means of p centroids, the search for neighbours and O(p q²) time; the labels of the
    objects are O(n c d).

    References
    ----------
    A. Fred and A. Jain, "Combining multiple clusterings using evidence accumulation", IEEE
    TPAMI 27(6), 2005, Section 6. doi:10.1109/TPAMI.2005.113

    Examples
    --------
    Two clusters that touch: single link of the objects leaks, of the core points it does not.

    >>> from sklearn.datasets import make_blobs
    >>> from consens import ConsensusClustering
    >>> from consens.consensus import EAC
    >>> from consens.generate import KMeansEnsemble, PrototypeEnsemble
    >>> from consens.measure import error_rate
    >>> X, y = make_blobs(2000, centers=[[0, 0], [5, 0]], random_state=0)
    >>> members = KMeansEnsemble(30, n_clusters=(10, 30))
    >>> for generator in (members, PrototypeEnsemble(members)):
    ...     model = ConsensusClustering(2, generator, consensus=EAC(linkage="single"),
    ...                                 random_state=0).fit(X)
    ...     print(round(error_rate(y, model.labels_), 2))
    0.5
    0.01
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "generator": [HasMethods(["fit_transform"]), None],
        "n_prototypes": [Interval(Integral, 1, None, closed="left"), None],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, None, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        generator: Any = None,
        n_prototypes: int | None = None,
        n_neighbors: int = 20,
        alpha: float = 1.0,
        random_state: Any = None,
    ) -> None:
        self.generator = generator
        self.n_prototypes = n_prototypes
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the core points and make an ensemble of them.

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
        seeds = spawn_seeds(self.random_state, 2)
        self.prototypes_ = self._prototypes(X, seeds[0])
        self.link_strength_ = link_strength(self.prototypes_, self.n_neighbors)
        least = self.link_strength_.mean() - self.alpha * self.link_strength_.std()
        # means of equal numbers are not always equal to them
        self.core_ = self.link_strength_ >= least - 1e-9 * abs(least)
        if self.core_.sum() < 2:
            raise ValueError(
                f"alpha={self.alpha} leaves {self.core_.sum()} of {len(self.core_)} prototypes; "
                "a larger alpha leaves more"
            )
        self.core_points_ = self.prototypes_[self.core_]
        self.generator_ = clone(self.generator or KMeansEnsemble())
        if self.generator_.get_params().get("random_state", 0) is None:
            self.generator_.set_params(random_state=seeds[1])
        self.core_ensemble_ = Ensemble.from_labels(
            self.generator_.fit_transform(self.core_points_)
        )
        return self

    def transform(self, X: Any) -> Ensemble:
        """Give each row the labels of its nearest core point.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_new, d)

        Returns
        -------
        Ensemble of shape (n_new, M)
        """
        cores = self._nearest_core(X)
        core = self.core_ensemble_
        if isinstance(cores, Rows):
            table = core.labels
            labels = cores.map(lambda block: table[block], width=core.shape[1], dtype=np.int32)
            return Ensemble(keep_labels(labels), core.records)
        followed = core[cores]
        obs = X.index.to_numpy() if hasattr(X, "iloc") else None
        return Ensemble(followed.labels, followed.records, followed.payload, obs)

    def nearest_core(self, X: Any) -> Any:
        """Row of `core_points_` that is nearest to each row of X.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_new, d)

        Returns
        -------
        ndarray of shape (n_new,), int32
        """
        return to_user(self._nearest_core(X))

    def _nearest_core(self, X: Any) -> Any:
        check_is_fitted(self)
        X = check_features(self, X, reset=False, accept_sparse=True)
        if isinstance(X, Rows):
            return X.map(partial(_nearest, self.core_points_), dtype=np.int32)
        return nearest(X, self.core_points_)

    def _prototypes(self, X: Any, seed: int) -> np.ndarray:
        n = X.shape[0]
        number = ceil(10 * sqrt(n)) if self.n_prototypes is None else self.n_prototypes
        if isinstance(X, Rows):
            if number >= n:
                return X.load().astype(np.float64)
            [(_, trained)] = train(X, [training(n, seed, (number, number), None)], [0], None)
            _, [model] = label_all(X, [trained.model])
            return np.asarray(model.centers, dtype=np.float64)
        if number >= n:
            return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        _, member = cluster(X, seed=seed, k_range=(number, number), size=None)
        return np.asarray(member.payload["centers"], dtype=np.float64)

    @property
    def _n_features_out(self) -> int:
        return self.core_ensemble_.shape[1]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []  # labels are int32 whatever X is
        return tags


def _nearest(points: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return nearest(rows, points)


def link_strength(points: np.ndarray, n_neighbors: int) -> np.ndarray:
    """How many neighbours each point shares with its neighbours, the nearest weighing most.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.generate.prototypes import link_strength
    >>> link_strength(np.array([[0.0], [1.0], [2.1], [9.0]]), n_neighbors=2)
    array([5., 3., 6., 0.])
    """
    n = len(points)
    q = min(n_neighbors, n - 1)
    if q < 1:
        return np.zeros(n)
    neighbors = NearestNeighbors(n_neighbors=q).fit(points).kneighbors(return_distance=False)
    positions = np.tile(np.arange(q, 0, -1.0), n)  # q + 1 - m for m = 1 .. q
    lists = csr_array((positions, neighbors.ravel(), np.arange(0, n * q + 1, q)), shape=(n, n))
    in_list = lists.sign()
    mutual = in_list.multiply(in_list.T)
    return np.asarray((lists @ lists.T).multiply(mutual).sum(axis=1)).ravel()
