"""Consensus CDF: distribution of the co-association over pairs, with delta area and PAC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from consens._blocks import row_blocks
from consens._labels import MISSING, NOISE, PairCounts, pair_seconds, unique_rows
from consens._support.memory import warn_of_time
from consens._support.seeds import Seed, spawn_seeds
from consens._validation import check_integer
from consens.ensemble import Ensemble, EnsembleLike

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class ConsensusCDF:
    """Distribution of the co-association over the pairs of objects; see `consensus_cdf`.

    Call it with a threshold for the share of pairs whose co-association is at most that.
    ``values`` are the co-associations that occur, ascending, and ``shares`` the cumulative share
    of the pairs for each.
    """

    values: np.ndarray
    shares: np.ndarray

    def __call__(self, threshold: ArrayLike) -> np.ndarray:
        """Share of pairs with a co-association of at most `threshold`."""
        place = np.searchsorted(self.values, threshold, side="right")
        return np.concatenate([[0.0], self.shares])[place]

    @property
    def area(self) -> float:
        """Area under the curve from 0 to 1: 1 - E[C], which rectangles approximate in Eq. 6."""
        weights = np.diff(self.shares, prepend=0.0)
        return float(1.0 - weights @ self.values)

    def pac(self, lower: float = 0.1, upper: float = 0.9) -> float:
        """Share of ambiguous pairs: CDF(upper) - CDF(lower)."""
        return float(self(upper) - self(lower))


def consensus_cdf(
    ensemble: EnsembleLike, *, max_objects: int | None = 2000, random_state: Seed = 0
) -> ConsensusCDF:
    """Distribution of the co-association over all pairs of objects (Monti et al. 2003, Eq. 5).

    If all members agree, every co-association is 0 or 1 and the curve is flat in between; other
    pairs are ambiguous.  Pairs that no member saw do not count.

    Parameters
    ----------
    ensemble : Ensemble, label matrix or list of label vectors
        To choose the number of clusters, members with the same number of clusters: see
        `cdf_table`.
    max_objects : int or None
        Size of the random sample that replaces more objects; None uses all objects.
    random_state : int, RandomState, Generator or None
        For the sample.

    Returns
    -------
    ConsensusCDF
        A function of the threshold with ``area`` and ``pac()``.

    Notes
    -----
    O(u² M) time for u distinct label rows, in blocks of rows: no n × n matrix.

    References
    ----------
    S. Monti, P. Tamayo, J. Mesirov and T. Golub, "Consensus clustering: a resampling-based
    method for class discovery and visualization of gene expression microarray data", Machine
    Learning 52, 2003. doi:10.1023/A:1023949509487

    Y. Șenbabaoğlu, G. Michailidis and J. Li, "Critical limitations of consensus clustering in
    class discovery", Scientific Reports 4, 2014. doi:10.1038/srep06207

    Examples
    --------
    >>> from consens.measure import consensus_cdf
    >>> cdf = consensus_cdf([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]])
    >>> cdf.values.round(2), cdf.shares.round(2)
    (array([0.  , 0.33, 0.67, 1.  ]), array([0.33, 0.67, 0.83, 1.  ]))
    >>> round(cdf.area, 3), round(cdf.pac(), 3)
    (0.611, 0.5)
    """
    labels = Ensemble.from_labels(ensemble).matrix
    n = len(labels)
    if max_objects is not None:
        max_objects = check_integer(max_objects, "max_objects", least=2)
    if max_objects is not None and n > max_objects:
        rng = np.random.default_rng(spawn_seeds(random_state, 1)[0])
        labels = labels[np.sort(rng.choice(n, max_objects, replace=False))]
    warn_of_time(
        pair_seconds(len(labels), labels.shape[1], 10),
        f"the consensus CDF of {len(labels)} objects",
        "use max_objects=2000 to estimate it from a sample",
    )
    together, seen, pairs = _count_pairs(labels)
    known = (seen > 0) & (pairs > 0)
    if not known.any():
        raise ValueError("no member saw two objects: there is no pair to count")
    # equal fractions, such as 1/2 and 2/4, are equal floats
    values, place = np.unique(together[known] / seen[known], return_inverse=True)
    counts = np.bincount(place, pairs[known])
    return ConsensusCDF(values, np.cumsum(counts) / counts.sum())


def cdf_table(ensembles: Mapping[int, EnsembleLike] | EnsembleLike) -> pd.DataFrame:
    """Area, delta area and PAC of the consensus CDF for each number of clusters.

    The criteria of ConsensusClusterPlus (Monti et al. 2003, Eqs. 5-7,
    doi:10.1023/A:1023949509487; Șenbabaoğlu et al. 2014, doi:10.1038/srep06207).  With A(k) the
    area under the CDF of the members with k clusters, the delta area is its relative growth::

        Δ(k) = A(k)                           for the smallest k,
        Δ(k) = (A(k) - A(k')) / A(k')         with k' the previous number        (7)

    and PAC = CDF(0.9) - CDF(0.1) is the share of ambiguous pairs, which favours many clusters.

    Parameters
    ----------
    ensembles : mapping of int to Ensemble or label matrix, or Ensemble
        The members for each number of clusters; the members of a single ensemble are grouped by
        their number of clusters.  Of more than 2,000 objects, a sample is drawn.

    Returns
    -------
    DataFrame
        One row per number of clusters (the index, `n_clusters`), ascending; columns ``area``,
        ``delta_area``, ``pac``, ``n_members``.

    Examples
    --------
    >>> from consens.measure import cdf_table
    >>> two = [[0, 0, 0, 1], [0, 0, 0, 1]]
    >>> three = [[0, 1, 1, 2], [0, 0, 1, 2]]
    >>> cdf_table({2: two, 3: three}).round(3)
                area  delta_area    pac  n_members
    n_clusters
    2           0.500       0.500  0.000          2
    3           0.833       0.667  0.333          2
    """
    import pandas as pd

    if not isinstance(ensembles, Mapping):
        ensembles = members_by_n_clusters(ensembles)
    if not ensembles:
        raise ValueError("ensembles is empty; expected at least one ensemble")
    rows = {}
    for k in sorted(ensembles):
        members = Ensemble.from_labels(ensembles[k])
        cdf = consensus_cdf(members)
        rows[k] = {"area": cdf.area, "pac": cdf.pac(), "n_members": members.shape[1]}
    table = pd.DataFrame.from_dict(rows, orient="index")
    table.index.name = "n_clusters"
    table.insert(1, "delta_area", delta_area(table["area"].to_numpy()))
    return table


def members_by_n_clusters(ensemble: Any) -> dict[int, Ensemble]:
    """Group members by their number of clusters, ascending."""
    ensemble = Ensemble.from_labels(ensemble)
    numbers = ensemble.n_clusters
    return {int(k): ensemble[:, numbers == k] for k in np.unique(numbers)}


def delta_area(areas: np.ndarray) -> np.ndarray:
    """Relative growth of the area from each number of clusters to the next (Eq. 7)."""
    before = areas[:-1]
    growth = np.full(len(areas), np.nan)  # stays NaN after an area of 0
    growth[:1] = areas[:1]
    np.divide(np.diff(areas), before, out=growth[1:], where=before > 0)
    return growth


def _count_pairs(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Possible values of (together, seen), and the number of pairs of objects for each."""
    rows, _, weights = unique_rows(labels)
    u, n_members = rows.shape
    width = n_members + 1
    counts = PairCounts(rows)
    pairs = np.zeros(width * width)
    for block in row_blocks(u, bytes_per_row=20 * u):
        together = counts.together(block) * np.int64(width) + counts.seen(block)
        both = weights[block, None] * weights.astype(np.float64)
        pairs += np.bincount(together.ravel(), both.ravel(), minlength=width * width)
    # remove pairs of an object with itself; every other pair was counted twice
    itself = (rows > NOISE).sum(axis=1) * width + (rows != MISSING).sum(axis=1)
    pairs -= np.bincount(itself, weights, minlength=width * width)
    together, seen = np.divmod(np.arange(width * width), width)
    return together, seen, pairs / 2
