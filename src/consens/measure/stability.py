"""Stability: how much a consensus varies with resampled members (Fred and Jain 2005)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator

from consens._labels import MISSING, compact, count_distinct_rows
from consens._support.seeds import Seed, spawn_seeds
from consens._validation import check_integer, check_integers
from consens.ensemble import Ensemble, EnsembleLike
from consens.measure.agreement import _nmi_table, pairwise_nmi

if TYPE_CHECKING:
    import pandas as pd

#: Function from an ensemble and numbers of clusters to partitions, one for each number.
Combiner: TypeAlias = Callable[[Ensemble, list[int]], Any]


def stability(
    ensemble: EnsembleLike,
    consensus: BaseEstimator | Combiner,
    n_clusters: Iterable[int],
    *,
    n_resamples: int = 100,
    average: str = "arithmetic",
    random_state: Seed = None,
) -> pd.DataFrame:
    """Mean and standard deviation of the agreement with resampled ensembles, for each k.

    Members are drawn with replacement, B times; if k fits the data, the mean NMI of the partition
    with the drawn members hardly varies (the minimum variance criterion)::

        mean_k = 1/B Σ_b NMI(P*_kb, P_b)                                        (8)
        std_k² = 1/(B-1) Σ_b (NMI(P*_kb, P_b) - mean_k)²                        (9)

    {of_ensemble}
    consensus : consensus estimator or callable
        Source of the partitions into k clusters: an estimator with a parameter `n_clusters` (which
        makes fewer clusters if a draw has fewer than k distinct label rows) or a function
        ``(ensemble, list of k) -> label vectors`` is applied to every drawn ensemble.
    n_clusters : iterable of int
        The numbers of clusters.
    n_resamples : int
        B, the number of drawn ensembles.
    average : {"geometric", "arithmetic", "max", "min"}
        As in `nmi`; arithmetic in the paper (Eq. 4).
    random_state : int, RandomState, Generator or None

    Returns
    -------
    DataFrame
        One row per k (the index, `n_clusters`); columns ``mean`` and ``std`` (Eqs. 8, 9),
        ``ensemble_std``, the standard deviation of the agreement within the drawn ensembles (Eq.
        11, the same for all k), and ``stable``, whether std does not exceed it (Eq. 12).  The
        minimum variance criterion (Eq. 10) is ``table["std"].idxmin()`` for k >= 2.

    Notes
    -----
    B consensus partitions for each of K numbers, and O(B·K·n·M) for their NMI with all members.
    The NMI with a drawn ensemble is a mean over its members, so
    every NMI is computed once and weighted by how often its member was drawn.

    {fred_jain_2005}

    Examples
    --------
    >>> from consens.consensus import EAC
    >>> from consens.datasets import make_half_rings
    >>> from consens.generate import KMeansEnsemble
    >>> from consens.measure import stability
    >>> X, y = make_half_rings(random_state=0)
    >>> E = KMeansEnsemble(20, n_clusters=15, random_state=0).fit_transform(X)
    >>> table = stability(E, EAC(linkage="single"), [2, 3, 4], n_resamples=10, random_state=0)
    >>> int(table["std"].idxmin())
    2
    >>> table.columns.tolist()
    ['mean', 'std', 'ensemble_std', 'stable']
    """
    import pandas as pd

    ensemble = Ensemble.from_labels(ensemble)
    members = ensemble.labels
    n_members = members.shape[1]
    n_resamples = check_integer(n_resamples, "n_resamples", least=2)
    numbers, combine = _combiner(consensus, n_clusters)
    rng = np.random.default_rng(spawn_seeds(random_state, 1)[0])
    draws = np.sort(rng.integers(0, n_members, (n_resamples, n_members)), axis=1)
    between = pairwise_nmi(ensemble, average)
    agreement = np.empty((n_resamples, len(numbers)))
    within = np.empty(n_resamples)
    for b, drawn in enumerate(draws):
        counts = np.bincount(drawn, minlength=n_members)
        partitions = combine(ensemble[:, drawn], numbers)
        agreement[b] = _nmi_table(partitions, members, average) @ counts / n_members
        within[b] = _agreement_within(between, counts)

    table = pd.DataFrame(
        {
            "mean": agreement.mean(axis=0),
            "std": agreement.std(axis=0, ddof=1),
            "ensemble_std": within.std(ddof=1),
        },
        index=pd.Index(numbers, name="n_clusters"),
    )
    table["stable"] = table["std"] <= table["ensemble_std"] + 1e-12  # rounding of equal means
    return table


def _agreement_within(between: np.ndarray, counts: np.ndarray) -> float:
    """Mean NMI of all pairs of members (Eq. 6 without its factor 1/(M-1)), i counts[i] times."""
    # Σ_{i<j} over the copies is (c'Ac - Σ c_i) / 2, because the diagonal of A is 1
    total = counts.sum()
    if total == 1:
        return 1.0
    return float((counts @ between @ counts - total) / (total * (total - 1)))


def _combiner(consensus: Any, n_clusters: Iterable[int]) -> tuple[list[int], Combiner]:
    """Return the numbers of clusters, and a function that partitions an ensemble into each."""
    numbers = check_integers(n_clusters, "n_clusters")
    if not numbers:
        raise ValueError("n_clusters is empty: there is no number of clusters to compare")
    if hasattr(consensus, "fit_predict"):
        return numbers, lambda drawn, ks: _fit_each(consensus, drawn, ks)
    if callable(consensus):
        return numbers, lambda drawn, ks: np.column_stack(
            [compact(vector) for vector in consensus(drawn, ks)]
        )
    raise TypeError(
        "consensus must be an estimator or a function (ensemble, list of k) -> label vectors, got "
        f"{type(consensus).__name__}"
    )


def _fit_each(estimator: Any, drawn: Ensemble, numbers: list[int]) -> np.ndarray:
    from sklearn.base import clone

    # a consensus rejects objects that no member saw, and more clusters than distinct rows
    labels = drawn.matrix
    seen = (labels != MISSING).any(axis=1)
    most = count_distinct_rows(labels)
    result = np.full((len(drawn), len(numbers)), MISSING, dtype=np.int32)
    for column, k in enumerate(numbers):
        fitted = clone(estimator).set_params(n_clusters=min(k, most))
        result[seen, column] = fitted.fit_predict(drawn[seen])
    return result
