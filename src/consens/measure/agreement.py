"""Agreement of partitions: normalised mutual information, adjusted Rand index, error rate.

In the first two, objects that are missing in one of two partitions are left out of their
comparison, and every noise object is a cluster of its own.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from consens._blocks import Labels, in_blocks, map_rows, row_blocks
from consens._kernels import worth_compiling
from consens._labels import (
    MISSING,
    compact,
    contingency,
    label_vector,
    n_clusters_per_member,
    partners,
)
from consens.ensemble import Ensemble, EnsembleLike

AVERAGES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "geometric": lambda h_a, h_b: np.sqrt(h_a * h_b),
    "arithmetic": lambda h_a, h_b: (h_a + h_b) / 2,
    "max": np.maximum,
    "min": np.minimum,
}

#: Entropies and informations below this are rounding errors of 0.
NEGLIGIBLE = 1e-13


def nmi(a: Labels, b: Labels, average: str = "geometric") -> float:
    """Normalised mutual information of two partitions.

    Parameters
    ----------
    a, b : label vectors of equal length
    average : {"geometric", "arithmetic", "max", "min"}
        The mean of the two entropies in the denominator: "geometric" as in Strehl and Ghosh,
        "arithmetic" as in Fred and Jain 2005, Eq. 4.

    Returns
    -------
    float in [0, 1]
        1 if both partitions have a single cluster, 0 if only one has.

    Examples
    --------
    >>> from consens.measure import nmi
    >>> nmi(["x", "x", "y", "y"], [1, 1, 0, 0])
    1.0
    """
    a, b = label_vectors(a, b)
    return float(_nmi_table(a[:, None], b[:, None], average)[0, 0])


def anmi(labels: Labels, ensemble: EnsembleLike, average: str = "geometric") -> float:
    """Mean NMI of one partition with the members of an ensemble (Fred and Jain 2005, Eq. 5).

    Examples
    --------
    >>> from consens.measure import anmi
    >>> anmi([0, 0, 1, 1], [[0, 0, 1, 1], [0, 1, 0, 1]])
    0.5
    """
    members = Ensemble.from_labels(ensemble).labels
    labels = label_vector(labels)
    _same_length(len(labels), len(members))
    column = map_rows(lambda rows: rows[:, None], labels, width=1, dtype=labels.dtype)
    return float(_nmi_table(column, members, average).mean())


def pairwise_nmi(ensemble: EnsembleLike, average: str = "geometric") -> np.ndarray:
    """NMI of every pair of members.

    Returns
    -------
    ndarray of shape (M, M), symmetric with a unit diagonal

    Notes
    -----
    O(n M²) time: about a second for 600 members of 2,000 objects.  O(n·M + M²) memory, because
    each pair of members is counted separately.

    Examples
    --------
    >>> from consens.measure import pairwise_nmi
    >>> pairwise_nmi([[0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0]])
    array([[1., 0., 1.],
           [0., 1., 0.],
           [1., 0., 1.]])
    """
    members = Ensemble.from_labels(ensemble).labels
    return _nmi_table(members, members, average)


def ari(a: Labels, b: Labels) -> float:
    """Adjusted Rand index of two partitions (Hubert and Arabie).

    The share of pairs that both partitions put together or both separate, adjusted for chance.

    Examples
    --------
    >>> from consens.measure import ari
    >>> ari([0, 0, 1, 1], [5, 5, 7, 7])
    1.0
    """
    a, b = label_vectors(a, b)
    return float(_ari_table(a[:, None], b[:, None])[0, 0])


def pairwise_ari(ensemble: Any) -> np.ndarray:
    """Adjusted Rand index of every pair of members, in O(n M²) time."""
    members = Ensemble.from_labels(ensemble).labels
    return _ari_table(members, members)


def _ari_table(left: Any, right: Any) -> np.ndarray:
    """Adjusted Rand index of each column of `left` with each column of `right`."""
    blocks = row_blocks(left.shape[1], 100 * len(left) * right.shape[1])
    return np.concatenate([_ari_rows(left[:, block], right) for block in blocks])


def _ari_rows(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    row, column, cells, pair, total, of_left, of_right = _count_member_pairs(left, right)
    # a noise object is a singleton without pairs, so only proper clusters count
    true = ~(of_left.noise[row] | of_right.noise[column])
    pairs = np.bincount(pair[true], _n_pairs(cells[true]), minlength=total.size)
    pairs_l, pairs_r = np.zeros_like(total), np.zeros_like(total.T)
    for side, sums in ((of_left, pairs_l), (of_right, pairs_r)):
        np.add.at(sums, side.member[~side.noise], _n_pairs(side.sizes[~side.noise]))
    expected = pairs_l * pairs_r.T / np.maximum(_n_pairs(total), 1.0)
    highest = (pairs_l + pairs_r.T) / 2
    above = pairs.reshape(total.shape) - expected
    return np.divide(above, highest - expected, out=np.ones_like(above), where=highest != expected)


def _n_pairs(sizes: np.ndarray) -> np.ndarray:
    return sizes * (sizes - 1) / 2


def label_vectors(a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """Convert the labels of two partitions of the same objects."""
    a, b = compact(a), compact(b)
    _same_length(len(a), len(b))
    if not ((a != MISSING) & (b != MISSING)).any():
        raise ValueError("the two partitions have no labelled object in common")
    return a, b


def _same_length(n_a: int, n_b: int) -> None:
    if n_a != n_b:
        raise ValueError(
            f"got partitions of {n_a} and {n_b} objects; expected labels of the same objects"
        )


def _nmi_table(left: Any, right: Any, average: str) -> np.ndarray:
    """NMI of each column of `left` with each column of `right`."""
    if average not in AVERAGES:
        raise ValueError(f"average={average!r}; allowed are {', '.join(map(repr, AVERAGES))}")
    n, n_l, n_r = len(left), left.shape[1], right.shape[1]
    compiled = worth_compiling("counts", n * n_l * n_r)
    if in_blocks(left, right):
        if compiled and right is left:
            from consens._kernels.information import information_of_counts

            # summed in the order of arrays
            widths, table = n_clusters_per_member(left) + 1, contingency(left, noise=True)
            joint = information_of_counts(table.indptr, table.indices, table.data, widths, n)
        else:
            joint = _joint_sparse(left, right)
    elif compiled:
        joint = _joint_compiled(left, right)
    else:
        # a cell of the contingency and its derived quantities take about 100 bytes
        blocks = row_blocks(n_l, 100 * n * n_r)
        joint = np.hstack([_joint_sparse(left[:, block], right) for block in blocks])
    total, information, h_l, h_r = joint
    with np.errstate(invalid="ignore", divide="ignore"):
        quotient = information / AVERAGES[average](h_l, h_r)
    trivial = (h_l < NEGLIGIBLE) & (h_r < NEGLIGIBLE)
    quotient = np.where(trivial, 1.0, np.nan_to_num(quotient, nan=0.0, posinf=0.0))
    independent = (total == 0) | ((information < NEGLIGIBLE) & ~trivial)
    return np.clip(np.where(independent, 0.0, quotient), 0.0, 1.0)


def _joint_compiled(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Number of shared objects, I, H left and H right (in nats) of every pair of members."""
    from consens._kernels.contingency import encode
    from consens._kernels.information import joint_information

    members = encode(left, n_clusters_per_member(left), noise=True)
    others = members if right is left else encode(right, n_clusters_per_member(right), noise=True)
    return joint_information(
        members.codes, members.widths, others.codes, others.widths, right is left
    )


def _joint_sparse(left: Any, right: Any) -> np.ndarray:
    """`_joint_compiled` from a sparse contingency, without compiled code.

    T is the contingency of the clusters plus one noise column per member.  The block of T for
    members p and q has the total N and the marginals R_i and C_j of the objects seen by both.  A
    noise object is a singleton, so a cell in a noise row or column represents T single objects
    with joint count J = 1 instead of a group of T; likewise R = 1 in noise rows:

        I = Σ T/N · log(J N / (R C)),      H_p = - Σ_i R_i/N · log(R_i/N).
    """
    row, column, cells, pair, total, of_left, of_right = _count_member_pairs(left, right)
    single_l, single_r = of_left.noise[row], of_right.noise[column]
    joint = np.where(single_l | single_r, 1.0, cells)
    marginal_l = np.where(single_l, 1.0, of_left.sizes[row, of_right.member[column]])
    marginal_r = np.where(single_r, 1.0, of_right.sizes[column, of_left.member[row]])
    terms = cells * np.log(joint * total.ravel()[pair] / (marginal_l * marginal_r))
    with np.errstate(invalid="ignore", divide="ignore"):
        information = np.bincount(pair, terms, minlength=total.size).reshape(total.shape) / total
        h_l, h_r = _entropies(of_left, total), _entropies(of_right, total.T).T
    return np.stack([total, information, h_l, h_r])


class _Clusters(NamedTuple):
    """Clusters of an ensemble, with the noise of each member as one more cluster.

    ``sizes[c, m]`` counts the objects of cluster c that member m of the other ensemble has seen.
    """

    member: np.ndarray
    noise: np.ndarray
    sizes: np.ndarray


def _count_member_pairs(
    left: Any, right: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, _Clusters, _Clusters]:
    """Rows, columns and counts of the cells of the contingency; their pairs; totals of pairs."""
    table = contingency(left, None if right is left else right, noise=True).tocoo()
    (member_l, noise_l), (member_r, noise_r) = _owners(left), _owners(right)
    n_l, n_r = left.shape[1], right.shape[1]
    row, column = table.coords
    cells = table.data.astype(np.float64)
    pair = member_l[row] * n_r + member_r[column]
    total = np.bincount(pair, cells, minlength=n_l * n_r).reshape(n_l, n_r)
    in_rows, in_columns = row * n_r + member_r[column], column * n_l + member_l[row]
    size_l = np.bincount(in_rows, cells, minlength=len(member_l) * n_r).reshape(-1, n_r)
    size_r = np.bincount(in_columns, cells, minlength=len(member_r) * n_l).reshape(-1, n_l)
    of_left = _Clusters(member_l, noise_l, size_l)
    of_right = _Clusters(member_r, noise_r, size_r)
    return row, column, cells, pair, total, of_left, of_right


def _owners(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Member of each column of the indicator with noise, and whether it is a noise column."""
    widths = n_clusters_per_member(labels) + 1
    is_noise = np.zeros(widths.sum(), dtype=bool)
    is_noise[np.cumsum(widths) - 1] = True
    return np.repeat(np.arange(len(widths)), widths), is_noise


def _entropies(clusters: _Clusters, total: np.ndarray) -> np.ndarray:
    """Entropy of each member on the objects that it shares with each other member."""
    member, noise, sizes = clusters
    group = np.where(noise[:, None], 1.0, sizes)  # a noise object is a group of one
    logs = np.log(group / total[member], out=np.zeros_like(group), where=sizes > 0)
    terms = -sizes / total[member] * logs
    entropies = np.zeros((member[-1] + 1, sizes.shape[1]))
    np.add.at(entropies, member, terms)
    return entropies


def error_rate(y: object, labels: Labels, matching: str = "one-to-one") -> float:
    """Share of objects whose cluster does not match their class.

    Parameters
    ----------
    y : label vector
        The classes.  Objects without a class (missing or noise) are left out.
    labels : label vector
        The clustering.  A noise object counts as an error; missing objects are left out.
    matching : {"one-to-one", "majority"}
        Which class a cluster represents.  "one-to-one": the best assignment with at most one
        cluster per class (Hungarian method); objects of unmatched clusters are errors.
        "majority": the most frequent class of the cluster, for partitions finer than the classes.

    Examples
    --------
    >>> from consens.measure import error_rate
    >>> error_rate(["a", "a", "b", "b"], [0, 1, 2, 2])
    0.25
    >>> error_rate(["a", "a", "b", "b"], [0, 1, 2, 2], matching="majority")
    0.0
    """
    y, labels = compact(y), compact(labels)
    if len(y) != len(labels):
        raise ValueError(
            f"got {len(y)} classes and {len(labels)} labels; expected one of each per object"
        )
    counted = (y >= 0) & (labels != MISSING)
    if not counted.any():
        raise ValueError("no object has both a class and a label")
    overlap = contingency(labels[counted], y[counted]).toarray()
    if matching == "one-to-one":
        partner = partners(overlap)
        right = overlap[partner >= 0, partner[partner >= 0]].sum()
    elif matching == "majority":
        right = overlap.max(axis=1, initial=0).sum()
    else:
        raise ValueError(f"matching={matching!r}; allowed are 'one-to-one' and 'majority'")
    return float(1.0 - right / counted.sum())
