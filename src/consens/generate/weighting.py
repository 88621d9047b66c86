"""k-means members on features with random weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array, issparse

from consens._params import COUNT_RULE, rules
from consens._support.seeds import Seed
from consens.generate.kmeans_ensemble import NO_CENTERS, Centers, KMeansMembers

EXPONENTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5)


@dataclass(frozen=True)
class ScaledCenters(Centers):
    """A member that sees features multiplied by weights."""

    scale: np.ndarray
    algorithm: ClassVar[str] = "KMeans, feature weights"
    in_payload: ClassVar[tuple[str, ...]] = ("scale", "centers")

    def view(self, X: Any) -> Any:
        """The weighted features."""
        if not issparse(X):
            return X * self.scale
        return csr_array((X.data * self.scale[X.indices], X.indices, X.indptr), shape=X.shape)


class FeatureWeightEnsemble(KMeansMembers):
    """Run k-means on features multiplied by random weights, mostly small and a few large.

    Each member draws an integer weight from 1 to Z for every feature, the integer i with a
    probability proportional to 1 / i^α (Zipf), and multiplies the feature by it; features with
    large weights dominate the distances [1]_, [2]_.  With α = 0 all weights are equally likely;
    the larger α, the fewer features stand out.

    Parameters
    ----------
    {n_estimators}
    {n_clusters_range}
    exponents : sequence of numbers >= 0, default=0, 0.25, ..., 1.5
        Values of α; each member draws one of them.
    max_weight : int, default=10
        Z, the largest weight.
    {kmeans_members}

    {generator_attributes}

    See Also
    --------
    SubspaceEnsemble : weights 0 and 1.
    LACEnsemble : weights that fit the clusters.
    library : the libraries of Fern and Lin.

    Notes
    -----
    The papers do not state Z.  Features should have comparable scales, or the weights have little
    effect.  The ensemble holds, per member, ``payload["scale"]``, the weight of each feature, and
    ``payload["centers"]``, whose row j is the centre of cluster j in the weighted features.  Cost
    and memory as in `KMeansEnsemble`, and a copy of X per job.

    References
    ----------
    .. [1] R. Caruana, M. Elhawary, N. Nguyen and C. Smith, "Meta clustering", ICDM 2006,
       107-118, doi:10.1109/ICDM.2006.103.
    .. [2] X. Z. Fern and W. Lin, "Cluster ensemble selection", Statistical Analysis and Data
       Mining 1 (2008) 128-141, doi:10.1002/sam.10008.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from consens.generate import FeatureWeightEnsemble
    >>> X, y = load_wine(return_X_y=True)
    >>> E = FeatureWeightEnsemble(3, n_clusters=3, random_state=0).fit_transform(X)
    >>> E
    Ensemble: 178 objects, 3 partitions of 3 clusters
    >>> E.payload[0]["scale"].astype(int)
    array([ 4,  7,  5,  5,  1,  7,  7,  8,  7, 10,  2,  5,  7])
    """

    _parameter_constraints = rules(exponents=["array-like"], max_weight=COUNT_RULE)
    _model_class = ScaledCenters

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        n_clusters: int | tuple[int, int] | None = None,
        exponents: Sequence[float] = EXPONENTS,
        max_weight: int = 10,
        max_samples: int | float | str | None = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
        init: str = "objects",
    ) -> None:
        self.n_estimators = n_estimators
        self.n_clusters = n_clusters
        self.exponents = exponents
        self.max_weight = max_weight
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store
        self.init = init

    def _draw_view(
        self, rng: np.random.Generator, seed: int, d: int
    ) -> tuple[Centers, dict[str, Any]]:
        exponents = np.asarray(self.exponents, dtype=np.float64)
        if exponents.ndim != 1 or not len(exponents) or not (exponents >= 0).all():
            raise ValueError(
                f"exponents={self.exponents!r}; expected numbers >= 0, one or more in a sequence"
            )
        exponent = float(exponents[rng.integers(len(exponents))])
        scale = draw_zipf(rng, exponent, int(self.max_weight), d)
        drawn = {"exponent": exponent, "max_weight": int(self.max_weight)}
        return ScaledCenters(NO_CENTERS, scale), drawn


def draw_zipf(rng: np.random.Generator, exponent: float, largest: int, n: int) -> np.ndarray:
    """Draw n numbers from 1 to `largest`, i with a probability proportional to 1 / i^exponent."""
    chance = np.arange(1, largest + 1) ** -float(exponent)
    return rng.choice(np.arange(1.0, largest + 1), size=n, p=chance / chance.sum())
