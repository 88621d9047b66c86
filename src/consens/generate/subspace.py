"""k-means members on random subsets of the features."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from consens._params import RANGE_RULE, rules
from consens._support.seeds import Seed
from consens.generate._sizes import draw_dimensions
from consens.generate.kmeans_ensemble import NO_CENTERS, Centers, KMeansMembers


@dataclass(frozen=True)
class SubspaceCenters(Centers):
    """A member that sees some columns."""

    columns: np.ndarray
    algorithm: ClassVar[str] = "KMeans, feature subset"
    in_payload: ClassVar[tuple[str, ...]] = ("columns", "centers")

    def view(self, X: Any) -> Any:
        """The columns of the member."""
        return X[:, self.columns]


class SubspaceEnsemble(KMeansMembers):
    """Run k-means on random subsets of the features, a new subset for each member.

    Members that see different features make different mistakes; clusters that appear in several
    views are credible.

    Parameters
    ----------
    {n_estimators}
    {n_clusters_range}
    n_features : int, (low, high) or None, default=None
        Number of features of each member, fixed or drawn like `n_clusters`; the features are
        drawn without replacement.  None means (2, ⌊d / 2⌋).
    {kmeans_members}

    {generator_attributes}

    See Also
    --------
    ProjectionEnsemble : random linear projections.
    library : the libraries of Fern and Lin.

    Notes
    -----
    The ensemble holds, per member, ``payload["columns"]``, the features in ascending order, and
    ``payload["centers"]``, whose row j is the centre of cluster j in these features.  Cost and
    memory as in `KMeansEnsemble`, for the features that a member sees.

    {fern_lin_2008}

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from consens.generate import SubspaceEnsemble
    >>> X, y = load_wine(return_X_y=True)
    >>> E = SubspaceEnsemble(3, n_clusters=3, n_features=2, random_state=0).fit_transform(X)
    >>> E
    Ensemble: 178 objects, 3 partitions of 3 clusters
    >>> [entries["columns"].tolist() for entries in E.payload]
    [[3, 12], [3, 5], [9, 11]]
    """

    _parameter_constraints = rules(n_features=RANGE_RULE)
    _model_class = SubspaceCenters

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        n_clusters: int | tuple[int, int] | None = None,
        n_features: int | tuple[int, int] | None = None,
        max_samples: int | float | str | None = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
        init: str = "objects",
    ) -> None:
        self.n_estimators = n_estimators
        self.n_clusters = n_clusters
        self.n_features = n_features
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store
        self.init = init

    def _draw_view(
        self, rng: np.random.Generator, seed: int, d: int
    ) -> tuple[Centers, dict[str, Any]]:
        n_features = draw_dimensions(rng, "n_features", self.n_features, d)
        columns = np.sort(rng.choice(d, n_features, replace=False, shuffle=False))
        return SubspaceCenters(NO_CENTERS, columns), {"n_features": n_features}
