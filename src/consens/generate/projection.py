"""k-means members on random linear projections."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse

from consens._params import RANGE_RULE, rules
from consens._support.seeds import Seed
from consens.generate._sizes import draw_dimensions
from consens.generate.kmeans_ensemble import NO_CENTERS, Centers, KMeansMembers


@dataclass(frozen=True)
class ProjectedCenters(Centers):
    """A member that sees a random projection and keeps only its seed."""

    seed: int
    n_features: int
    n_components: int
    algorithm: ClassVar[str] = "KMeans, random projection"

    @property
    def projection(self) -> np.ndarray:
        """The projection matrix, of shape (d, m)."""
        shape = self.n_features, self.n_components
        rng = np.random.default_rng((self.seed, 1))
        return rng.standard_normal(shape) / np.sqrt(self.n_components)

    def view(self, X: Any) -> np.ndarray:
        """The projected rows, in double precision; each depends only on its own row of X."""
        if issparse(X):
            return np.asarray(X @ self.projection, dtype=np.float64)
        # the rounding of a matrix product depends on the number of rows
        return np.einsum("ij,jk->ik", np.ascontiguousarray(X, np.float64), self.projection)


class ProjectionEnsemble(KMeansMembers):
    """Run k-means on random linear projections to fewer dimensions, a new one for each member.

    A projection blurs the data; clusters that many projections separate are real [1]_, [2]_.

    Parameters
    ----------
    {n_estimators}
    {n_clusters_range}
    n_components : int, (low, high) or None, default=None
        Number of dimensions to project to, fixed or drawn like `n_clusters`.  None means
        (2, ⌊d / 2⌋).
    {kmeans_members}

    {generator_attributes}

    See Also
    --------
    SubspaceEnsemble : random subsets of the features.
    library : the libraries of Fern and Lin.

    Notes
    -----
    Entries of the d × m projection matrix are independent standard normal numbers over √m, so
    that squared lengths are kept on average.  A member keeps the seed of its matrix, not the
    matrix: ``members_[m].model.projection`` draws it again.  The ensemble holds, per member,
    ``payload["centers"]``, whose row j is the projected centre of cluster j.  Cost and memory as
    in `KMeansEnsemble`, and O(n·d·m) time and O((n + d)·m) memory per job for the projection.

    References
    ----------
    .. [1] X. Z. Fern and C. E. Brodley, "Random projection for high dimensional data
       clustering: a cluster ensemble approach", ICML 2003, 186-193.
    .. [2] X. Z. Fern and W. Lin, "Cluster ensemble selection", Statistical Analysis and Data
       Mining 1 (2008) 128-141, doi:10.1002/sam.10008.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from consens.generate import ProjectionEnsemble
    >>> X, y = load_wine(return_X_y=True)
    >>> generator = ProjectionEnsemble(3, n_clusters=3, n_components=2, random_state=0)
    >>> generator.fit_transform(X)
    Ensemble: 178 objects, 3 partitions of 3 clusters
    >>> generator.members_[0].model.projection.shape
    (13, 2)
    """

    _parameter_constraints = rules(n_components=RANGE_RULE)
    _model_class = ProjectedCenters

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        n_clusters: int | tuple[int, int] | None = None,
        n_components: int | tuple[int, int] | None = None,
        max_samples: int | float | str | None = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
        init: str = "objects",
    ) -> None:
        self.n_estimators = n_estimators
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store
        self.init = init

    def _draw_view(
        self, rng: np.random.Generator, seed: int, d: int
    ) -> tuple[Centers, dict[str, Any]]:
        m = draw_dimensions(rng, "n_components", self.n_components, d)
        return ProjectedCenters(NO_CENTERS, seed, d, m), {"n_components": m}
