"""Spectral members with random kernel widths."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from consens._blocks import map_rows
from consens._numerics.distances import unit_rows
from consens._numerics.eigenvectors import leading_eigenvectors
from consens._numerics.kmeans import run_kmeans
from consens._numerics.nearest import nearest
from consens._params import COUNT_RULE, rules
from consens._support.memory import require_memory
from consens._support.seeds import Seed, spawn_seeds
from consens.generate._base import SampledGenerator
from consens.generate._plan import Model, Plan, Sample, Trained
from consens.generate._sizes import training_sizes
from consens.generate.kmeans_ensemble import MAX_SWEEPS


@dataclass(frozen=True)
class SpectralMap(Model):
    """A member that embeds rows by the eigenvectors of its training objects."""

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
        # rows are scaled to length 1, so a factor per row cancels out; this one gives the nearest
        # object similarity 1 and keeps rows far from all objects from underflow
        distances -= distances.min(axis=1, keepdims=True)
        return unit_rows(np.exp(distances / -(self.width**2)) @ self.weights)


class SpectralEnsemble(SampledGenerator):
    """Run spectral clustering many times, each time with a Gaussian kernel of another width.

    Objects have the similarity exp(-|x - x'|² / σ²).  A wide kernel acts like k-means, a narrow
    one follows chains of neighbouring objects; the best width is unknown, so each member draws
    σ = max |x - x'| / 2^(β/8) with β from 0 to 64 (Section 7.1 of [1]_).

    Parameters
    ----------
    {n_estimators}
    {n_clusters_range}
    n_widths : int, default=65
        Number of kernel widths to draw from: β = 0, 1, ..., n_widths - 1.
    max_samples : int, float, "bootstrap" or None, default=None
        Objects that a member is trained on, as in `KMeansEnsemble`; None means all.
    {sequence_of_members}

    {generator_attributes}

    Notes
    -----
    With W the similarities and D their row sums, the k leading eigenvectors of D^-1/2 W D^-1/2
    form the columns of a matrix, whose rows are scaled to length 1 and clustered by k-means [2]_.
    A row x is embedded by its similarities w(x) as w(x) D^-1/2 V Λ^-1 (Nyström), scaled to length
    1, so `fit_transform` and `transform` agree; for this the similarity of an object with itself
    counts, unlike in [2]_.

    Narrow kernels can give degenerate members, with nearly all objects in one cluster:
    `consens.select.DropDegenerate` removes them.

    Each member costs O(s²·(d + k)) to O(s³) time for s training objects, and 40·s² bytes during
    the fit; labelling n rows costs O(n·s·(d + k)).  For large n set `max_samples`.

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

    _parameter_constraints = rules(n_widths=COUNT_RULE)
    _model_class = SpectralMap
    _in_blocks = _sparse = False

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        n_clusters: int | tuple[int, int] | None = None,
        n_widths: int = 65,
        max_samples: int | float | str | None = None,
        random_state: Seed = None,
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

    def _plans(self, X: Any) -> list[Plan]:
        n = X.shape[0]
        k_range, size = training_sizes(n, self.n_clusters, self.max_samples)
        require_memory(
            40.0 * (size or n) ** 2,
            f"a spectral member of {size or n} objects",
            "give a smaller max_samples",
        )
        plans = []
        for seed in spawn_seeds(self.random_state, self.n_estimators):
            rng = np.random.default_rng(seed)
            k, beta = int(rng.integers(*k_range, endpoint=True)), int(rng.integers(self.n_widths))
            sample = Sample(rng, n, size)
            fit = partial(fit_spectral, k=k, beta=beta, seed=seed, sample=sample)
            plans.append(Plan(fit, "Spectral", seed, sample))
        return plans

    def _complete(
        self, plans: Sequence[Plan], models: Sequence[Model | None], X: Any
    ) -> list[Model]:
        complete: Any = models
        return [
            replace(model, objects=X) if model.objects is None else model for model in complete
        ]


def fit_spectral(objects: np.ndarray, *, k: int, beta: int, seed: int, sample: Sample) -> Trained:
    """Embed the training objects by eigenvectors of their similarities, and run k-means."""
    similarity = euclidean_distances(objects, squared=True)
    width = float(np.sqrt(similarity.max()) / 2 ** (beta / 8)) or 1.0
    similarity *= -1.0 / width**2
    np.exp(similarity, out=similarity)
    scale = 1.0 / np.sqrt(similarity.sum(axis=1))
    similarity *= scale[:, None]
    similarity *= scale
    rows, rng = sample.draw()
    # with narrow kernels many eigenvalues are close to 1
    values, vectors = leading_eigenvectors(similarity, k, seed=rng, crowded=True)
    real = values > 1e-10 * values.max()  # the others may be 0 but for rounding
    values, vectors = values[real], vectors[:, real]
    del similarity
    centers = run_kmeans(unit_rows(vectors), k, "k-means++", seed, MAX_SWEEPS)
    # members that were trained on all objects share X
    kept = None if rows is None else objects
    model = SpectralMap(kept, width, scale[:, None] * vectors / values, centers)
    parameters = {"n_clusters": k, "beta": beta, "width": width, "max_samples": len(objects)}
    return Trained(model, {"parameters": parameters})
