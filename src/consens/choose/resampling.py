"""Consensus clustering of resampled objects for each k, with a significance test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.cluster import hierarchy
from sklearn.base import BaseEstimator, clone

from consens._blocks import FeatureMatrix
from consens._labels import MISSING, NOISE
from consens._support.progress import announce
from consens._support.seeds import Seed, spawn_seeds
from consens._validation import check_finite, check_integer, check_integers, check_number
from consens.ensemble import Ensemble
from consens.evidence import coassociation
from consens.measure import consensus_cdf
from consens.measure.cdf import ConsensusCDF, delta_area
from consens.partition import cut, linkage

if TYPE_CHECKING:
    import pandas as pd

AMBIGUOUS = (0.1, 0.9)  # a consensus index between these bounds is ambiguous


@dataclass(frozen=True, eq=False)
class ResampledPartition:
    """Members with k clusters on resampled objects, and their consensus.

    Attributes
    ----------
    n_clusters : int
    ensemble : Ensemble
        One member per resample; objects that were not drawn are `MISSING`.
    """

    n_clusters: int
    ensemble: Ensemble

    @cached_property
    def matrix(self) -> np.ndarray:
        """Consensus matrix: share of the resamples with both objects that put them together."""
        return coassociation(self.ensemble)

    @cached_property
    def linkage(self) -> np.ndarray:
        """Average-link tree of the consensus matrix."""
        return linkage(self.matrix, "average")

    @cached_property
    def labels(self) -> np.ndarray:
        """Labels of the tree cut into k clusters."""
        return cut(self.linkage, self.n_clusters)

    @cached_property
    def cdf(self) -> ConsensusCDF:
        """Distribution of the consensus index over the pairs of objects."""
        return consensus_cdf(self.ensemble, max_objects=None)

    @property
    def pac(self) -> float:
        """Share of ambiguous pairs, with a consensus index between 0.1 and 0.9."""
        return self.cdf.pac(*AMBIGUOUS)

    @cached_property
    def item_consensus(self) -> np.ndarray:
        """Mean consensus index of each object with the others of each cluster, n × k; or NaN."""
        inside = np.equal.outer(self.labels, np.arange(self.n_clusters)).astype(np.float64)
        others = inside.sum(axis=0) - inside
        sums = self.matrix @ inside - inside  # the diagonal is 1
        return np.divide(sums, others, out=np.full_like(sums, np.nan), where=others > 0)

    @property
    def cluster_consensus(self) -> np.ndarray:
        """Mean consensus index of the pairs in each cluster; NaN for a single object."""
        own = self.item_consensus[np.arange(len(self.labels)), self.labels]
        return np.bincount(self.labels, own) / np.bincount(self.labels)


@dataclass(frozen=True, eq=False)
class ResampledConsensus:
    """Consensus clustering for several numbers of clusters; see `resampled_consensus`.

    Attributes
    ----------
    partitions : dict of int to ResampledPartition
    reference_pac : ndarray of shape (number of references, number of k)
        PAC of reference data without clusters.
    objects : ndarray
        Indices of the clustered objects: all, or a sample.
    """

    partitions: dict[int, ResampledPartition]
    reference_pac: np.ndarray
    objects: np.ndarray = field(repr=False)

    @property
    def numbers(self) -> list[int]:
        """The numbers of clusters, ascending."""
        return list(self.partitions)

    @cached_property
    def table(self) -> pd.DataFrame:
        """`measure.cdf_table`; with references also their mean PAC, ``rcsi`` and p-values."""
        import pandas as pd

        area, pac = np.array([[p.cdf.area, p.pac] for p in self.partitions.values()]).T
        index = pd.Index(self.numbers, name="n_clusters")
        columns = {"area": area, "delta_area": delta_area(area), "pac": pac}
        if len(self.reference_pac):
            n = len(self.objects)
            columns |= against_references(pac, self.reference_pac, n * (n - 1) // 2)
        return pd.DataFrame(columns, index=index)


def resampled_consensus(
    X: FeatureMatrix,
    n_clusters: Iterable[int] = range(2, 9),
    *,
    estimator: BaseEstimator | None = None,
    n_resamples: int = 100,
    max_samples: float = 0.8,
    n_references: int = 25,
    max_objects: int = 500,
    random_state: Seed = None,
) -> ResampledConsensus:
    """Consensus clustering and a p-value for each number of clusters.

    As in ConsensusClusterPlus, objects are resampled many times, and each resample is clustered
    into every k; the consensus index of two objects is the share of the resamples that drew both
    in which they are together (Monti et al. 2003, Eq. 1).  Its average link gives the k clusters.

    As in M3C, the procedure is repeated on data sets drawn from a normal distribution with the
    covariance of X, and the shares of ambiguous pairs (PAC) are compared::

        p_value(k) = (1 + number of references with PAC ≤ PAC(k)) / (1 + B)
        rcsi(k)    = log10 mean of the references' PAC - log10 PAC(k)

    ``p_beta`` is the lower tail of a beta distribution with the mean and variance of the
    references, so it may be less than 1 / (1 + B).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Scaled features.
    n_clusters : iterable of int
        Numbers of clusters, at least 2.
    estimator : clusterer with a parameter `n_clusters`, optional
        By default Ward's method, with one tree per resample for all k.
    n_resamples : int
        Number of resamples of the data and of each reference.
    max_samples : float
        Share of the objects in a resample.
    n_references : int
        Number of references B; 0 omits the p-values.
    max_objects : int
        Size of the random sample that replaces more objects.
    random_state : int, RandomState, Generator or None

    Returns
    -------
    ResampledConsensus
        With ``table`` and, for each k, ``partitions[k]``, which has ``labels``, ``matrix``,
        ``cdf``, ``item_consensus`` and ``cluster_consensus``.

    Notes
    -----
    (1 + B)·R runs of Ward's method, or (1 + B)·R·K of another clusterer, for R resamples and K
    numbers of clusters, and O(n² R) for each of the (1 + B)·K consensus matrices.  The p-values
    are not corrected for multiple testing; a single cluster that is not normal may get a small
    one.

    References
    ----------
    S. Monti, P. Tamayo, J. Mesirov and T. Golub, "Consensus clustering: a resampling-based
    method for class discovery and visualization of gene expression microarray data", Machine
    Learning 52, 2003. doi:10.1023/A:1023949509487

    M. D. Wilkerson and D. N. Hayes, "ConsensusClusterPlus: a class discovery tool with
    confidence assessments and item tracking", Bioinformatics 26(12), 2010.
    doi:10.1093/bioinformatics/btq170

    C. R. John et al., "M3C: Monte Carlo reference-based consensus clustering", Scientific
    Reports 10, 2020. doi:10.1038/s41598-020-58766-1

    Examples
    --------
    >>> import numpy as np
    >>> from consens.choose import resampled_consensus
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0], [9], [18]], 20, axis=0)
    >>> found = resampled_consensus(X, [2, 3, 4], n_resamples=20, n_references=9, random_state=0)
    >>> found.table[["pac", "p_value"]].round(2)
                 pac  p_value
    n_clusters
    2           0.03      0.1
    3           0.00      0.1
    4           0.08      0.1
    >>> found.partitions[3].cluster_consensus
    array([1., 1., 1.])
    """
    X = check_finite(np.asarray(X.toarray() if hasattr(X, "toarray") else X), "X")
    numbers = sorted({*check_integers(n_clusters, "n_clusters", least=2)})
    n_resamples = check_integer(n_resamples, "n_resamples")
    max_samples = check_number(max_samples, "max_samples", most=1.0)
    n_references = check_integer(n_references, "n_references", least=0)
    max_objects = check_integer(max_objects, "max_objects", least=2)
    seeds = spawn_seeds(random_state, 2 + n_references)
    objects = np.arange(len(X))
    if len(X) > max_objects:
        rng = np.random.default_rng(seeds[0])
        objects = np.sort(rng.choice(len(X), max_objects, replace=False))
        X = X[objects]
    if not numbers or numbers[-1] > max_samples * len(X):
        raise ValueError(
            f"n_clusters={numbers}; expected numbers from 2 to the {int(max_samples * len(X))} "
            "objects of a resample"
        )

    def partitions(rows: np.ndarray, seed: int) -> dict[int, ResampledPartition]:
        drawn = draw_members(rows, numbers, estimator, n_resamples, max_samples, seed)
        return {k: ResampledPartition(k, ensemble) for k, ensemble in drawn.items()}

    announce("resampling", 0, 1 + n_references)
    own = partitions(X, seeds[1])
    references = []
    for done, seed in enumerate(seeds[2:], 1):
        announce("resampling", done, 1 + n_references)
        drawn = partitions(normal_reference(X, seed), seed)
        references.append([partition.pac for partition in drawn.values()])
    return ResampledConsensus(own, np.reshape(references, (n_references, len(numbers))), objects)


def draw_members(
    X: np.ndarray,
    numbers: list[int],
    estimator: Any,
    n_resamples: int,
    max_samples: float,
    seed: int,
) -> dict[int, Ensemble]:
    """Cluster resampled objects into each number of clusters; the others are `MISSING`."""
    n, size = len(X), int(max_samples * len(X))
    labels = {k: np.full((n, n_resamples), MISSING, dtype=np.int32) for k in numbers}
    for r, own in enumerate(spawn_seeds(seed, n_resamples)):
        rows = np.sort(np.random.default_rng(own).choice(n, size, replace=False))
        for k, found in zip(numbers, _clusterings(X[rows], numbers, estimator, own), strict=True):
            labels[k][rows, r] = np.maximum(found, NOISE)
    return {k: Ensemble(columns) for k, columns in labels.items()}


def _clusterings(
    X: np.ndarray, numbers: list[int], estimator: Any, seed: int
) -> Iterator[np.ndarray]:
    """Partition into each number of clusters: cuts of one tree, or one run per number."""
    if estimator is None:
        tree = hierarchy.linkage(X, "ward")
        yield from (hierarchy.fcluster(tree, k, "maxclust") - 1 for k in numbers)
        return
    for k in numbers:
        own = clone(estimator).set_params(n_clusters=k)
        if "random_state" in own.get_params():
            own.set_params(random_state=seed)
        yield own.fit_predict(X)


def normal_reference(X: np.ndarray, seed: int) -> np.ndarray:
    """Draw normal reference data with the mean and covariance of X."""
    from sklearn.utils.extmath import svd_flip

    X = np.asarray(X, dtype=np.float64)
    center = X.mean(axis=0)
    left, singular, axes = np.linalg.svd(X - center, full_matrices=False)
    _, axes = svd_flip(left, axes)
    spread = singular / np.sqrt(max(len(X) - 1, 1))
    drawn = np.random.default_rng(seed).normal(size=(len(X), len(singular)))
    return drawn * spread @ axes + center


def against_references(
    pac: np.ndarray, references: np.ndarray, n_pairs: int
) -> dict[str, np.ndarray]:
    """Mean PAC of the references, RCSI, and p-values: empirical and from a fitted beta."""
    from scipy.stats import beta

    least = 0.5 / n_pairs
    mean, variance = references.mean(axis=0), references.var(axis=0, ddof=1 % len(references))
    total = np.full(len(pac), np.nan)  # a + b of the beta distribution, by the method of moments
    usable = (variance > 0) & (variance < mean * (1 - mean))
    np.divide(mean * (1 - mean), variance, out=total, where=usable)
    total -= 1
    return {
        "reference_pac": mean,
        "rcsi": np.log10(np.maximum(mean, least)) - np.log10(np.maximum(pac, least)),
        "p_value": (1 + (references <= pac).sum(axis=0)) / (1 + len(references)),
        "p_beta": beta.cdf(np.maximum(pac, least), mean * total, (1 - mean) * total),
    }
