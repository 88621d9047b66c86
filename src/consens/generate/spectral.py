"""Spectral members with random kernel widths."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from consens.base import spawn_seeds
from consens.blocks import map_rows
from consens.constraints import Interval
from consens.distances import unit_rows
from consens.eigenvectors import leading_eigenvectors
from consens.generate._members import FOLDER, SAMPLE, Generator, Member, Task, describe
from consens.generate._nearest import nearest
from consens.generate._sizes import draw
from consens.generate.kmeans import MAX_SWEEPS, run_kmeans, sizes
from consens.labels import compact
from consens.memory import require_memory


class SpectralEnsemble(Generator):
    """Run spectral clustering many times, each time with a Gaussian kernel of another width.

    Objects have the similarity exp(-|x - x'|² / σ²).  A wide kernel sees the data as k-means
    does, a narrow one follows chains of near objects; which is right is not known beforehand,
    so each member draws σ = max |x - x'| / 2^(β/8) with β from 0 to 64 (Section 7.1 of [1]_).

    Parameters
    ----------
    {n_estimators}
    {n_clusters_range}
    n_widths : int, default=65
        Kernel widths to draw from: β = 0, 1, ..., n_widths - 1.
    max_samples : int, float or None, default=None
        Number, or share, of the objects that a member is trained on, drawn without
        replacement; None means all.  All objects are labelled in any case.
    {seed_of_members}
    {n_jobs}
    {store}

    Attributes
    ----------
    {members_}
    {features_in}

    See Also
    --------
    library : the libraries of Fern and Lin.

    Notes
    -----
    With W the similarities and D their row sums, the k leading eigenvectors of D^-1/2 W D^-1/2
    are put side by side, rows are scaled to length 1 and clustered by k-means [2]_.  A row x is
    placed among them by the similarities w(x) with the training objects, w(x) D^-1/2 V Λ^-1
    (Nyström), scaled to length 1, and belongs to the nearest centre; for a training object that
    is its own place, so `fit_transform` and `transform` agree.  For this the similarity of an
    object with itself counts, other than in [2]_.

    Narrow kernels can give degenerate members, with nearly all objects in one cluster:
    `consens.select.DropDegenerate` leaves them out.

    Each member costs O(s²·(d + k)) to O(s³) time for s training objects, and 40·s² bytes while
    it is made; labelling n rows costs O(n·s·(d + k)).  For large n set `max_samples`.

    References
    ----------
    .. [1] X. Z. Fern and W. Lin, "Cluster ensemble selection", Statistical Analysis and Data
       Mining 1 (2008) 128-141, doi:10.1002/sam.10008.
    .. [2] A. Ng, M. Jordan and Y. Weiss, "On spectral clustering: analysis and an algorithm",
       NIPS 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.generate import SpectralEnsemble
    >>> X = np.array([[0.0], [0.1], [0.3], [5.0], [5.1], [5.3]])
    >>> generator = SpectralEnsemble(3, n_clusters=2, n_widths=17, random_state=0)
    >>> generator.fit_transform(X).labels[:, 0]
    array([1, 1, 1, 0, 0, 0], dtype=int32)
    >>> generator.transform([[4.8]]).labels[0, 0]
    np.int32(0)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "n_clusters": [Interval(Integral, 1, None, closed="left"), tuple, list, None],
        "n_widths": [Interval(Integral, 1, None, closed="left")],
        "max_samples": SAMPLE,
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "store": FOLDER,
    }

    def __init__(
        self,
        n_estimators: int = 50,
        n_clusters: int | tuple[int, int] | None = None,
        n_widths: int = 65,
        max_samples: int | float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_clusters = n_clusters
        self.n_widths = n_widths
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store

    def _tasks(self, X: Any) -> list[Task]:
        n = X.shape[0]
        k_range, size = sizes(n, self.n_clusters, self.max_samples)
        require_memory(
            40.0 * (size or n) ** 2,
            f"a spectral member of {size or n} objects",
            "give a smaller max_samples",
        )
        seeds = spawn_seeds(self.random_state, self.n_estimators)
        return [
            partial(cluster, seed=seed, k_range=k_range, n_widths=self.n_widths, size=size)
            for seed in seeds
        ]

    def _model_class(self) -> type:
        return SpectralMap

    def _complete(self, member: Member, task: Task, X: Any) -> Member:
        # members that were trained on all objects share X; neither files nor processes copy it
        model: Any = member.model
        return (
            member
            if model.objects is not None
            else replace(member, model=replace(model, objects=X))
        )


@dataclass(frozen=True)
class SpectralMap:
    """A member that places rows among the eigenvectors of its training objects."""

    objects: np.ndarray | None
    width: float
    weights: np.ndarray  # D^-1/2 V Λ^-1
    centers: np.ndarray

    def label(self, X: Any) -> np.ndarray:
        """Cluster of each row."""
        assert self.objects is not None
        s, k = self.weights.shape
        place = map_rows(self._place, X, bytes_per_row=8 * (3 * s + k))
        return nearest(place, self.centers)

    def _place(self, X: np.ndarray) -> np.ndarray:
        distances = euclidean_distances(X, self.objects, squared=True)
        # a factor per row changes no direction: the nearest object has similarity 1, so that
        # rows far from all objects do not vanish
        distances -= distances.min(axis=1, keepdims=True)
        return unit_rows(np.exp(distances / -(self.width**2)) @ self.weights)


def cluster(
    X: Any, *, seed: int, k_range: tuple[int, int], n_widths: int, size: int | None
) -> tuple[np.ndarray, Member]:
    """Make one member: draw k, β and the training objects, embed them, run k-means."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(*k_range, endpoint=True))
    beta = int(rng.integers(n_widths))
    rows = draw(rng, X.shape[0], size)
    objects = X if rows is None else X[rows]
    similarity = euclidean_distances(objects, squared=True)
    width = float(np.sqrt(similarity.max()) / 2 ** (beta / 8)) or 1.0
    similarity *= -1.0 / width**2
    np.exp(similarity, out=similarity)
    scale = 1.0 / np.sqrt(similarity.sum(axis=1))
    similarity *= scale[:, None]
    similarity *= scale
    # narrow kernels crowd the eigenvalues at 1
    values, vectors = leading_eigenvectors(similarity, k, seed=rng, crowded=True)
    real = values > 1e-10 * values.max()  # rounding cannot tell the others from 0
    values, vectors = values[real], vectors[:, real]
    del similarity
    centers = run_kmeans(unit_rows(vectors), k, "k-means++", seed, MAX_SWEEPS)
    model = SpectralMap(objects, width, scale[:, None] * vectors / values, centers)
    numbers = model.label(X)
    used = np.flatnonzero(np.bincount(numbers))
    labels = compact(numbers)
    model = replace(model, centers=centers[used], objects=None if rows is None else objects)
    parameters = {
        "n_clusters": k,
        "beta": beta,
        "width": width,
        "max_samples": objects.shape[0],
    }
    return labels, Member(model, describe("Spectral", labels, seed, parameters))
