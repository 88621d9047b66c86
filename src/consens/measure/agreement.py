"""Agreement of partitions: normalised mutual information, adjusted Rand index, error rate.

In the first two, objects that one partition misses are left out, and noise is clusters of one.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from consens._blocks import Labels, in_blocks, map_rows, row_blocks
from consens._kernels import worth_compiling
from consens._labels import (
    MISSING,
    compact,
    contingency,
    indicator,
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

NEGLIGIBLE = 1e-13  # entropies and informations below this are rounding errors of 0

#: Most cells per object of two members for which a counter for each cell is quick.
COUNTED_PER_OBJECT = 64


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
    # a noise object is a singleton without pairs
    total, pairs, pairs_l, pairs_r = _sums_of_pairs(left, right, _n_pairs)
    expected = pairs_l * pairs_r / np.maximum(_n_pairs(total), 1.0)
    highest, above = (pairs_l + pairs_r) / 2, pairs - expected
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
    total, of_cells, of_rows, of_columns = _sums_of_pairs(left, right, _x_log_x)
    of_all = _x_log_x(total)
    with np.errstate(invalid="ignore", divide="ignore"):
        h_l, h_r = (of_all - of_rows) / total, (of_all - of_columns) / total
        # in this order the information of a partition with itself equals its entropy exactly
        information = ((of_all - of_rows) + (of_cells - of_columns)) / total
        quotient = information / AVERAGES[average](h_l, h_r)
    trivial = (h_l < NEGLIGIBLE) & (h_r < NEGLIGIBLE)
    quotient = np.where(trivial, 1.0, np.nan_to_num(quotient, nan=0.0, posinf=0.0))
    independent = (total == 0) | ((information < NEGLIGIBLE) & ~trivial)
    return np.clip(np.where(independent, 0.0, quotient), 0.0, 1.0)


def _x_log_x(x: np.ndarray) -> np.ndarray:
    return x * np.log(np.maximum(x, 1.0))


def _sums_of_pairs(left: Any, right: Any, function: Callable[..., np.ndarray]) -> np.ndarray:
    """Objects seen by both of each pair of members; function of their cells, rows and columns."""
    n, n_l, n_r = len(left), left.shape[1], right.shape[1]
    if in_blocks(left, right):
        return _sums_of_cells(left, right, function)
    cells = (n_clusters_per_member(left).max() + 2) * (n_clusters_per_member(right).max() + 2)
    compiled = worth_compiling("counts", n * n_l * n_r) and cells <= min(
        COUNTED_PER_OBJECT * n, 2**24
    )
    if function is not _x_log_x or not compiled:
        # a cell of the contingency and its derived quantities take about 100 bytes
        blocks = row_blocks(n_l, 100 * n * n_r)
        return np.hstack([_sums_of_cells(left[:, block], right, function) for block in blocks])
    from consens._kernels.contingency import encode
    from consens._kernels.information import sums_of_pairs

    own = encode(left, n_clusters_per_member(left), noise=True)
    other = own if right is left else encode(right, n_clusters_per_member(right), noise=True)
    return sums_of_pairs(own.codes, own.widths, other.codes, other.widths, right is left)


def _sums_of_cells(left: Any, right: Any, function: Callable[..., np.ndarray]) -> np.ndarray:
    """`_sums_of_pairs` from a sparse contingency with a noise column for each member."""
    table = contingency(left, None if right is left else right, noise=True).astype(np.float64)
    whole_l, whole_r = _by_member(left), _by_member(right)
    own_l, own_r = _by_member(left, noise=False).T, _by_member(right, noise=False)
    sizes_l, sizes_r = (table @ whole_r).toarray(), (table.T @ whole_l).toarray()
    of_rows, of_columns = own_l @ function(sizes_l), (own_r.T @ function(sizes_r)).T
    table.data = function(table.data)
    return np.stack([whole_l.T @ sizes_l, (own_l @ table @ own_r).toarray(), of_rows, of_columns])


def _by_member(labels: Any, *, noise: bool = True) -> csr_array:
    """Clusters, and the noise of each member, by members; with or without the noise."""
    widths = n_clusters_per_member(labels) + 1
    owner = np.repeat(np.arange(len(widths)), widths)
    if not noise:
        owner[np.cumsum(widths) - 1] = -1
    return indicator(owner, starts=np.array([0, len(widths)]))


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
