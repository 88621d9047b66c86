"""Members that cut a minimum spanning tree into clusters of bounded inequality."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt
from typing import Any, ClassVar

import numpy as np

from consens._labels import MISSING
from consens._numerics.nearest import nearest
from consens._support.seeds import Seed, spawn_seeds
from consens.generate._base import SampledGenerator
from consens.generate._plan import Plan, Sample, SharingModel, Trained
from consens.generate._sizes import spread_evenly, training_sizes

#: Bounds of the Gini index of cluster sizes, which the members take in turn.
GINI_BOUNDS = (0.1, 0.3, 0.5, 0.7)

#: Share of the objects in a tree, and most objects in one.
SHARE_IN_TREE = 0.8
MAX_IN_TREE = 1600


@dataclass(frozen=True)
class TreeCut(SharingModel):
    """A member that gives rows the cluster of the nearest object of a tree."""

    per_cluster: ClassVar[tuple[str, ...]] = ("clusters",)

    objects: np.ndarray
    labels: np.ndarray
    clusters: np.ndarray

    @property
    def bytes_per_row(self) -> int:
        """Work space for a row."""
        return 16 * self.objects.shape[1]

    def locate(self, rows: Any) -> np.ndarray:
        """Nearest object of the tree of each row."""
        return nearest(rows, self.objects)

    def label_located(self, located: np.ndarray) -> np.ndarray:
        """Cluster of each row."""
        names = np.full(int(self.labels.max()) + 1, MISSING, dtype=np.int32)
        names[self.clusters] = np.arange(len(self.clusters))
        return names[self.labels[located]]


class TreeEnsemble(SampledGenerator):
    """Cut minimum spanning trees of samples, each time at another number of clusters.

    Merging along the shortest edges of the tree follows clusters of any shape, but alone it cuts
    off outliers.  Therefore, while the Gini index of the cluster sizes exceeds a bound, only a
    cluster of the least size is merged [1]_.

    Parameters
    ----------
    {n_estimators}
    n_clusters : int, (low, high) or None, default=None
        Clusters of each member; members fill a range evenly.  None means 2 to 3/2 √n, at most
        60 and a quarter of the objects.
    max_samples : int, float, "bootstrap" or None, default=None
        Objects of a tree, as in `KMeansEnsemble`; None means four fifths of them, at most 1,600.
        Other objects get the label of the nearest one in the tree.
    {sequence_of_members}

    {generator_attributes}

    Notes
    -----
    The Gini index of the sizes c_1, ..., c_m of m clusters is
    Σ_{i<j} |c_i - c_j| / ((m - 1) Σ c_i).  Four members share a tree, with the bounds 0.1, 0.3,
    0.5 and 0.7: small bounds give even clusters, a bound of 1 would be single link.

    With s objects in a tree, O(s²·d) time for the tree, O(s √s) for a cut, and O(n·s·d) for the
    labels of n rows; the model holds s rows.

    References
    ----------
    .. [1] M. Gagolewski, M. Bartoszuk and A. Cena, "Genie: A new, fast, and outlier-resistant
       hierarchical clustering algorithm", Information Sciences 363 (2016) 8-23,
       doi:10.1016/j.ins.2016.05.003.

    Examples
    --------
    >>> from consens.datasets import make_rings
    >>> from consens.generate import TreeEnsemble
    >>> from consens.measure import ari
    >>> X, y = make_rings(random_state=0)
    >>> E = TreeEnsemble(4, n_clusters=3, random_state=0).fit_transform(X)
    >>> round(ari(y, E.labels[:, 1]), 2)
    1.0
    """

    _model_class = TreeCut
    _sparse = False

    def _plans(self, X: Any) -> list[Plan]:
        n = X.shape[0]
        bounds, size = training_sizes(n, self.n_clusters, self.max_samples)
        if self.n_clusters is None:
            bounds = tree_clusters(n if size is None else size)
        return plan_trees(self.n_estimators, n, bounds, size, self.random_state)


def tree_clusters(n: int, n_clusters: int = 0) -> tuple[int, int]:
    """Range of the number of clusters of members: 2 to 3/2 √n, or to twice a number looked for."""
    high = max(ceil(1.5 * sqrt(min(n, MAX_IN_TREE))), 2 * n_clusters)
    high = max(1, min(high, n // 4))
    return min(2, high), high


def plan_trees(
    n_members: int, n: int, bounds: tuple[int, int], size: int | None, random_state: Seed
) -> list[Plan]:
    """Plans of members, with the four bounds of the Gini index on each tree."""
    if size is None:
        size = min(MAX_IN_TREE, max(ceil(SHARE_IN_TREE * n), bounds[1]))
    plans = []
    width = len(GINI_BOUNDS)
    for tree, seed in enumerate(spawn_seeds(random_state, ceil(n_members / width))):
        first = tree * width
        ks = [spread_evenly(m, *bounds) for m in range(first, min(first + width, n_members))]
        sample = Sample(np.random.default_rng(seed), n, size)
        several = [{"n_clusters": k, "gini": g} for k, g in zip(ks, GINI_BOUNDS, strict=False)]
        fit = partial(fit_tree, ks=tuple(ks), seed=seed)
        plans.append(Plan(fit, "Tree", seed, sample, {"max_samples": len(sample)}, several))
    return plans


def fit_tree(rows: Any, *, ks: Sequence[int], seed: int) -> list[Trained]:
    """Make the minimum spanning tree of the training objects, and cut it once for each k."""
    from consens._kernels.point_tree import cut_evenly, shortest_tree

    rows = np.ascontiguousarray(rows, dtype=np.float64)
    first, second, squares = shortest_tree(rows)
    order = np.argsort(squares, kind="stable")
    first, second = first[order], second[order]
    found = []
    for k, most in zip(ks, GINI_BOUNDS, strict=False):
        labels = cut_evenly(first, second, most, k)
        found.append(Trained(TreeCut(rows, labels, np.arange(k), source=seed), own=labels))
    return found
