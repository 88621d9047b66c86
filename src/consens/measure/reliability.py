"""Reliability of clusters and members according to the rest of the ensemble."""

from numbers import Real
from typing import Any

import numpy as np

from consens._kernels import repeats, worth_compiling
from consens._labels import ClusterOverlap, cluster_overlap, n_clusters_per_member
from consens.ensemble import Ensemble, EnsembleLike
from consens.measure.agreement import pairwise_nmi


def cluster_uncertainty(ensemble: Any) -> np.ndarray:
    """Entropy of each cluster in bits: how much the other partitions scatter its objects.

    With p(C_i, C_j^m) = |C_i ∩ C_j^m| / |C_i| (Eq. 5), on the objects that member m has seen,
    H^m(C_i) = - Σ_j p log2 p (Eq. 4), and H(C_i) = Σ_m H^m(C_i) (Eq. 6), which is M times the mean
    if some members saw nothing of it.  A noise object is a cluster of its own.  O(n M²) time.
    """
    labels = Ensemble.from_labels(ensemble).labels
    n, n_members = labels.shape
    # repeated computations run on samples, which are in memory
    if repeats() == 1 or not worth_compiling("counts", repeats() * n * n_members**2):
        return uncertainty(cluster_overlap(labels))
    from consens._kernels.contingency import encode
    from consens._kernels.information import cluster_entropies

    members = encode(np.asarray(labels), n_clusters_per_member(labels), noise=True)
    return np.abs(cluster_entropies(members.codes, members.widths)) / np.log(2)


def cluster_reliability(ensemble: EnsembleLike, theta: float = 0.5) -> np.ndarray:
    """Ensemble-driven index of each cluster: ECI(C_i) = exp(-H(C_i) / (θ M)), in (0, 1] (Eq. 7).

    1 for a cluster that no partition splits.  See `cluster_uncertainty` for H.

    {of_ensemble}
    theta : float, > 0
        The smaller, the faster reliability falls with uncertainty.  0.25 to 1 work equally well.

    {huang_2017}

    Examples
    --------
    >>> from consens.measure import cluster_reliability
    >>> cluster_reliability([[0, 0, 1, 1], [0, 1, 2, 2]], theta=0.5).round(3)
    array([0.368, 1.   , 1.   , 1.   , 1.   ])
    """
    _check_theta(theta)
    ensemble = Ensemble.from_labels(ensemble)
    return _reliability(cluster_uncertainty(ensemble), theta * ensemble.shape[1])


def _check_theta(theta: Any) -> None:
    if not isinstance(theta, Real) or not float(theta) > 0:
        raise ValueError(f"theta={theta!r}; expected a number > 0")


def normalized_reliability(ensemble: Any, theta: float = 0.06) -> np.ndarray:
    """Reliability of each cluster, in which partitions with many clusters may scatter more (NWCA).

    With H of `cluster_uncertainty` and k_m clusters in its partition, w(C_i) = exp(-H(C_i) /
    (log2(k_m) θ M)) (Zhang et al., IEEE TKDE 2025, doi:10.1109/TKDE.2025.3608721).
    """
    _check_theta(theta)
    ensemble = Ensemble.from_labels(ensemble)
    entropy = cluster_uncertainty(ensemble)
    k = ensemble.n_clusters
    with np.errstate(divide="ignore"):
        scale = np.repeat(np.log2(np.maximum(k, 1)), k) * theta * ensemble.shape[1]
    split = entropy > 0
    ratio = np.divide(entropy, scale, out=np.full(len(entropy), np.inf), where=scale > 0)
    return np.where(split, np.exp(-ratio), 1.0)


def member_reliability(ensemble: EnsembleLike) -> np.ndarray:
    """Normalised crowd agreement index: how much each partition agrees with the others.

    The crowd agreement of a member is its mean NMI with the other members; divided by its maximum
    over the members it is the NCAI.  All values are 1 if no two members agree at all, or if there
    is only one member.

    {of_ensemble}

    Returns
    -------
    ndarray of shape (M,)

    {huang_2015}

    Examples
    --------
    >>> from consens.measure import member_reliability
    >>> member_reliability([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]])
    array([1., 1., 0.])
    """
    agreement = pairwise_nmi(ensemble)
    np.fill_diagonal(agreement, 0.0)
    crowd = agreement.sum(axis=1)  # M - 1 times the mean; the factor cancels
    return crowd / crowd.max() if crowd.any() else np.ones(len(crowd))


def uncertainty(overlap: ClusterOverlap) -> np.ndarray:
    """Compute `cluster_uncertainty` from counts."""
    shared = overlap.shared.tocoo()
    row, column = shared.coords
    seen = overlap.seen.astype(np.float64)
    n, n_members = seen.shape
    share = shared.data / seen[row, overlap.owner[column]]
    entropy = -np.bincount(row, share * np.log2(share), minlength=n)
    known = seen > 0
    # each noise object among N has the share 1 / N
    of_noise = np.divide(overlap.noise, seen, out=np.zeros_like(seen), where=known)
    entropy += (of_noise * np.log2(seen, out=np.zeros_like(seen), where=known)).sum(axis=1)
    # abs avoids negative zeros; a cluster without objects has uncertainty 0
    return np.abs(entropy) * (n_members / known.sum(axis=1).clip(1))


def reliability(overlap: ClusterOverlap, theta: float) -> np.ndarray:
    """Compute `cluster_reliability` from counts."""
    return _reliability(uncertainty(overlap), theta * overlap.seen.shape[1])


def _reliability(entropy: np.ndarray, scale: float) -> np.ndarray:
    with np.errstate(over="ignore"):  # a tiny theta: reliability 0
        return np.exp(-entropy / scale)
