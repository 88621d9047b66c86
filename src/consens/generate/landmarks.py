"""Spectral members on landmarks, for hundreds to millions of objects."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from consens._numerics.distances import unit_rows
from consens._numerics.eigenvectors import leading_eigenvectors
from consens._numerics.kmeans import run_lloyd
from consens._numerics.nearest import nearest
from consens._params import COUNT_RULE, rules
from consens._support.seeds import Seed, spawn_seeds
from consens.generate._base import SampledGenerator
from consens.generate._plan import Plan, Sample, SharingModel, Trained
from consens.generate._sizes import training_sizes

OBJECTS_PER_LANDMARK = 8  # training objects per landmark, if there are enough objects

SWEEPS_OF_PLACES = 10


@dataclass(frozen=True)
class LandmarkMap(SharingModel):
    """A member that embeds rows by their nearest landmarks and assigns the nearest centre."""

    landmarks: np.ndarray
    width: float
    n_neighbors: int
    places: np.ndarray
    centers: np.ndarray

    @property
    def bytes_per_row(self) -> int:
        """Work space for a row."""
        return 16 * len(self.landmarks)

    def locate(self, rows: Any) -> csr_array:
        """Shares of the nearest landmarks of each row."""
        index, squares = _nearest_landmarks(rows, self.landmarks, self.n_neighbors)
        return _share_matrix(index, _shares(squares, self.width), len(self.landmarks))

    def label_located(self, located: csr_array) -> np.ndarray:
        """Cluster of each row."""
        return nearest(unit_rows(located @ self.places), self.centers)


class LandmarkEnsemble(SampledGenerator):
    """Run spectral clustering many times, each time on other landmarks and with another k.

    An object is described by its q nearest of p landmarks, objects drawn at random, and two
    objects are similar if they share landmarks [1]_.  So a dense cluster of any shape stays whole;
    no array is larger than n × q or p × p.

    Parameters
    ----------
    {n_estimators}
    n_clusters : int, (low, high) or None, default=None
        Clusters of each member; with a pair, each member draws its own number uniformly from
        low to high, both included.  None means (2, ⌈√n⌉), at most half of the landmarks.
    n_landmarks : int, default=250
        Number of landmarks p, at most half of the training objects of a member.
    n_neighbors : int, default=5
        Number of nearest landmarks q of an object.
    max_samples : int, float, "bootstrap" or None, default=None
        Objects that a member is trained on, as in `KMeansEnsemble`; None means at most eight per
        landmark.
    {sequence_of_members}

    {generator_attributes}

    Notes
    -----
    The edge between object i and landmark z_j weighs B_ij = exp(-|x_i - z_j|² / 2σ²) for the q
    nearest landmarks, with σ their mean distance.  With D the diagonal of the row sums of B and v
    the k leading eigenvectors of B' D^-1 B v = λ D_z v, an object is embedded at D^-1 B v, scaled
    to length 1, and k-means clusters these.  New rows are embedded in the same way.

    With s training objects, a member costs O(s·p·d + p³ + s·k²) time, and O(n·(p·d + q·k + k²))
    to label n rows; its model holds p rows.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang, J.-S. Wu, J.-H. Lai and C.-K. Kwoh, "Ultra-scalable spectral
       clustering and ensemble clustering", IEEE TKDE 32 (2020) 1212-1226,
       doi:10.1109/TKDE.2019.2903410.

    Examples
    --------
    >>> from consens.datasets import make_rings
    >>> from consens.generate import LandmarkEnsemble
    >>> from consens.measure import ari
    >>> X, y = make_rings(random_state=0)
    >>> E = LandmarkEnsemble(1, n_clusters=3, random_state=0).fit_transform(X)
    >>> round(ari(y, E.labels[:, 0]), 2)
    1.0
    """

    _parameter_constraints = rules(n_landmarks=COUNT_RULE, n_neighbors=COUNT_RULE)
    _model_class = LandmarkMap
    _sparse = False

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        n_clusters: int | tuple[int, int] | None = None,
        n_landmarks: int = 250,
        n_neighbors: int = 5,
        max_samples: int | float | str | None = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_clusters = n_clusters
        self.n_landmarks = n_landmarks
        self.n_neighbors = n_neighbors
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store

    def _plans(self, X: Any) -> list[Plan]:
        n = X.shape[0]
        (low, high), size = training_sizes(n, self.n_clusters, self.max_samples)
        if size is None:
            size = min(n, OBJECTS_PER_LANDMARK * self.n_landmarks)
        p = max(1, min(self.n_landmarks, size // 2))
        if self.n_clusters is None:
            high = max(1, min(high, p // 2))
            low = min(low, high)
        plans = []
        for seed in spawn_seeds(self.random_state, self.n_estimators):
            rng = np.random.default_rng(seed)
            k = int(rng.integers(low, high, endpoint=True))
            plans.append(plan_landmarks(rng, seed, n, size, [k], p, self.n_neighbors))
        return plans


def plan_landmarks(
    rng: np.random.Generator, seed: int, n: int, size: int, ks: Sequence[int], p: int, q: int
) -> Plan:
    """Draw the training objects of the members of one graph and set their parameters."""
    sample = Sample(rng, n, size)
    p = max(p, *ks)
    parameters = {"n_landmarks": p, "n_neighbors": min(q, p), "max_samples": len(sample)}
    fit = partial(fit_landmarks, ks=tuple(ks), p=p, q=min(q, p), seed=seed)
    several = [{"n_clusters": k} for k in ks]
    return Plan(fit, "LandmarkSpectral", seed, sample, parameters, several)


def fit_landmarks(rows: Any, *, ks: Sequence[int], p: int, q: int, seed: int) -> list[Trained]:
    """Embed the training objects by their landmarks, and run k-means there for each k."""
    n = len(rows)
    rows = np.asarray(rows, dtype=np.float64)
    landmarks = rows[np.sort(np.random.default_rng(seed).choice(n, p, replace=False))]
    width, share_matrix, every_place = embed_landmarks(rows, landmarks, max(ks), q, seed)
    found = []
    for number, k in enumerate(ks):
        places = every_place[:, :k]
        placed = unit_rows(share_matrix @ places)
        start = placed[np.random.default_rng((seed, 1 + number)).choice(n, k, replace=False)]
        centers = run_lloyd(placed, start, SWEEPS_OF_PLACES)
        model = LandmarkMap(landmarks, width, q, places, centers, source=seed)
        found.append(Trained(model, own=nearest(placed, centers)))
    return found


def embed_landmarks(
    rows: np.ndarray, landmarks: np.ndarray, k: int, q: int, seed: int
) -> tuple[float, csr_array, np.ndarray]:
    """Width of the kernel, shares of the nearest landmarks of each row, places of landmarks."""
    p = len(landmarks)
    index, squares = _nearest_landmarks(rows, landmarks, q)
    width = float(np.sqrt(squares).mean()) or 1.0
    shares = _shares(squares, width)
    # B = diag(b) S with the shares S of each row, so B' D^-1 B = S' diag(b) S
    weights = np.exp(squares / (-2 * width**2)).sum(axis=1)
    share_matrix = _share_matrix(index, shares, p)
    pairs = index[:, :, None] * p + index[:, None, :]
    products = (shares * weights[:, None])[:, :, None] * shares[:, None, :]
    gram = np.bincount(pairs.ravel(), products.ravel(), minlength=p * p).reshape(p, p)
    scale = 1.0 / np.sqrt(np.maximum(gram.sum(axis=1), np.finfo(np.float64).tiny))
    gram = (gram + gram.T) / 2 * scale[:, None] * scale
    vectors = leading_eigenvectors(gram, k, seed=seed, crowded=True)[1]
    return width, share_matrix, scale[:, None] * vectors


def _nearest_landmarks(rows: Any, landmarks: np.ndarray, q: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the q nearest landmarks of each row, nearest first, and squared distances."""
    from consens._kernels.point_tree import nearest_few

    rows = np.ascontiguousarray(rows, dtype=np.float64)
    index, squares = np.empty((len(rows), q), dtype=np.int64), np.empty((len(rows), q))
    nearest_few(rows, np.ascontiguousarray(landmarks.T), index, squares)
    return index, squares


def _shares(squares: np.ndarray, width: float) -> np.ndarray:
    """Affinities exp(-|x - z|² / 2σ²) of each row, divided by their sum."""
    # a factor per row cancels out; this one keeps rows far from all landmarks from underflow
    nearer = squares - squares.min(axis=1, keepdims=True)
    affinity: np.ndarray = np.exp(nearer / (-2 * width**2))
    return affinity / affinity.sum(axis=1, keepdims=True)


def _share_matrix(index: np.ndarray, shares: np.ndarray, n_landmarks: int) -> csr_array:
    """Sparse matrix of objects by landmarks with the shares as entries."""
    n, q = index.shape
    pointers = np.arange(0, n * q + 1, q)
    return csr_array((shares.ravel(), index.ravel(), pointers), shape=(n, n_landmarks))
