"""The rule that chooses the number of clusters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from consens._blocks import load
from consens._labels import abstain, compact, count_distinct_rows, rows_to_combine
from consens._support.progress import announce
from consens._support.seeds import Seed
from consens._validation import check_integer
from consens.choose.choice import Choice, Curves, Resamples, curves, first_largest
from consens.choose.splits import ALPHA, SplitTree
from consens.ensemble import Ensemble, EnsembleLike

#: Largest number of clusters that is considered by default, where √n is not smaller.
MAX_CLUSTERS = 15

#: Objects used by the criteria; more objects add cost and hardly change the choice.
MAX_OBJECTS = 1000

N_RESAMPLES = 20


def choose_n_clusters(
    ensemble: EnsembleLike,
    *,
    split: Callable[[], SplitTree] | None = None,
    max_clusters: int | None = None,
    n_resamples: int = N_RESAMPLES,
    random_state: Seed = None,
) -> Choice:
    """Choose the number of clusters of an ensemble.

    The answer is the k with the largest

        score(k) = SL(k) + AL(k) + λ_k - λ_{k+1},

    the lifetimes of k clusters on the single-link and average-link trees of the co-association
    plus the eigengap of the graph of objects and clusters: widths of ranges of thresholds between
    0 and 1.  Single link detects separated clusters of any shape, the other two clusters that
    touch.  Members of different algorithms (``ensemble.members["algorithm"]``) are judged apart,
    and their curves averaged.

    If one cluster has the largest score, the best split of the data into two parts is tested
    (`split_tree`): if it is no weaker than that of data without clusters (p > 0.05), the answer is
    1, otherwise the k >= 2 with the largest score.  Bootstrap, delta area and PAC are reported but
    do not decide (``python -m studies.choose_k``).

    Parameters
    ----------
    ensemble : Ensemble or label matrix of shape (n, M)
        Members with various numbers of clusters, as `generate.MixedEnsemble` makes them.
    split : callable, optional
        Tests the first split of the data, if one cluster has the largest score; without it the
        answer is at least 2.
    max_clusters : int, optional
        Largest number tried.  The default is 15, or ⌊√n⌋ if that is smaller; if all members have
        more clusters, the smallest of their numbers, at most 30 and at most n / 2.
    n_resamples : int
        Drawn ensembles for the bootstrap.
    random_state : int, RandomState or None
        For the drawing.

    Returns
    -------
    Choice

    Notes
    -----
    Trees and eigenvalues cost as much as `EAC` does for each kind of members; at most 500 objects
    enter the bootstrap.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.choose import choose_n_clusters
    >>> from consens.generate import KMeansEnsemble
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0], [9], [18]], 30, axis=0)
    >>> ensemble = KMeansEnsemble(20, random_state=0).fit_transform(X)
    >>> choose_n_clusters(ensemble, random_state=0).n_clusters
    3
    """
    if split is not None and not callable(split):
        raise TypeError(f"split={split!r}; expected a function, or None")
    if max_clusters is not None:
        max_clusters = check_integer(max_clusters, "max_clusters")
    ensemble = _clustered(ensemble)
    largest = largest_n_clusters(ensemble, max_clusters)
    criteria = _criteria(ensemble, largest)
    score, p = criteria.score, None
    chosen = 1 + first_largest(score)
    most = "largest sum of lifetimes and eigengap"
    rule = f"{most} ({score[chosen - 1]:.2f})"
    if largest < 2:
        rule = "all objects have the same labels in every member"
        if max_clusters == 1:
            rule = "only one cluster is allowed (max_clusters=1)"
    elif chosen == 1:
        p = None if split is None else split().p
        if split is None or (p is not None and p <= ALPHA):
            chosen = 2 + first_largest(score[1:])
            rule = f"{most} of two clusters or more ({score[chosen - 1]:.2f})"
            rule += f", and a split is found (p = {p:.2g})" if p is not None else ""
        else:
            rule += (
                f", and no split is found ({'too few objects' if p is None else f'p = {p:.2g}'})"
            )
    resamples = Resamples.draw(ensemble, n_resamples, random_state)
    return Choice(chosen, criteria, p, rule, resamples)


def _criteria(ensemble: Ensemble, largest: int) -> Curves:
    """Mean of the curves of each kind of members, weighted by their number."""
    algorithms = np.array([str(record.get("algorithm")) for record in ensemble.records])
    kinds = [np.flatnonzero(algorithms == own) for own in dict.fromkeys(algorithms.tolist())]
    found = []
    for done, columns in enumerate(kinds):
        announce("choice of k", done, len(kinds))
        found.append(curves(ensemble[:, columns], largest))
    return Curves(*np.average(found, axis=0, weights=[len(columns) for columns in kinds]))


def largest_n_clusters(ensemble: Ensemble, max_clusters: int | None = None) -> int:
    """Largest number of clusters that is tried, at most that of the distinct objects."""
    if max_clusters is None:
        n = len(ensemble)
        usual = min(MAX_CLUSTERS, int(np.sqrt(n)))
        agreed = min(int(ensemble.n_clusters.min()), 2 * MAX_CLUSTERS, n // 2)
        max_clusters = max(1, usual, agreed)
    if max_clusters <= ensemble.n_clusters.max():
        return max_clusters  # a member has that many clusters
    return min(max_clusters, count_distinct_rows(ensemble.labels))


def _clustered(ensemble: EnsembleLike) -> Ensemble:
    """Restrict an ensemble to the objects that are in some cluster, without empty clusters."""
    ensemble = Ensemble.from_labels(ensemble)
    inside = rows_to_combine(ensemble.labels)
    if not sum(inside.counts):
        raise ValueError("most partitions call every object noise: there are no clusters to count")
    labels = load(inside.filter(abstain(ensemble.labels)))
    return Ensemble(np.apply_along_axis(compact, 0, labels), ensemble.records)
