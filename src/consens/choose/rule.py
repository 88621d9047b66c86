"""The rule that chooses the number of clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from consens._blocks import load
from consens._labels import abstain, compact, count_distinct_rows, rows_to_combine
from consens._support.progress import announce
from consens._support.seeds import Seed
from consens._validation import check_integer
from consens.choose.choice import Choice, Resamples, first_largest, some_objects
from consens.choose.criteria import Curves, curves
from consens.ensemble import Ensemble

#: Largest number of clusters that is considered by default, where √n is not smaller.
MAX_CLUSTERS = 15

#: Objects used by the criteria; more objects add cost and hardly change the choice.
MAX_OBJECTS = 2000

N_REFERENCES = 5

N_RESAMPLES = 20

#: The data count as one cluster if their weakest connection exceeds these shares of the mean and
#: of the minimum over the reference data; `python -m studies.choose_k` shows the error rates.
CONNECTED = 0.7
CONNECTED_LEAST = 0.9


def choose_n_clusters(
    ensemble: Any,
    references: Iterable[Any] = (),
    *,
    others: Iterable[tuple[Any, Iterable[Any]]] = (),
    members: Any = None,
    max_clusters: int | None = None,
    n_resamples: int = N_RESAMPLES,
    random_state: Seed = None,
) -> Choice:
    """Choose the number of clusters of an ensemble.

    The first question is whether there is more than one cluster.  The weakest connection between
    two parts of the objects is measured in two ways: as the cost 1 - λ₂ of the best normalised
    cut (λ₂ is the second eigenvalue of the graph of objects and clusters), and as the lifetime of
    one cluster under single link, the strongest co-association across the widest gap.  The answer
    is 1 unless one of them is below 0.7 times the mean and below 0.9 times the minimum over the
    ensembles of uniform `references`.

    Otherwise the answer is the k >= 2 with the largest

        score(k) = SL(k) + AL(k) + λ_k - λ_{k+1},

    the lifetimes of k clusters on the single-link and average-link trees of the co-association
    plus the eigengap.  Single link detects separated clusters of any shape, the other two detect
    clusters that touch; each is the width of a range of thresholds between 0 and 1, so they are
    added without weights.  Ensembles of `others` contribute in the same way: a weak connection in
    one ensemble is enough, and the curves are averaged.  k-means members cannot follow curved
    clusters, spectral members can.  Bootstrap, delta area and PAC are reported but do not decide:
    in the study ``python -m studies.choose_k`` they are right less often.

    Parameters
    ----------
    ensemble : Ensemble or label matrix of shape (n, M)
        Members with various numbers of clusters, as `generate.KMeansEnsemble` makes them.
    references : iterable of Ensemble or label matrix
        Ensembles made in the same way from data without clusters: `uniform_reference`.  Without
        references the answer is at least 2.
    others : iterable of (ensemble, references)
        Ensembles of the same objects with other kinds of members, each with its references.
    members : Ensemble or label matrix, optional
        Members that ``Choice.candidates`` draws from: the members to combine, if `ensemble` was
        made only for this choice.  By default `ensemble`.
    max_clusters : int, optional
        Largest number tried.  The default is 15, or ⌊√n⌋ if that is smaller.  If all members
        have more clusters, it is the smallest of their numbers, at most 30 and at most n / 2.
    n_resamples : int
        Drawn ensembles for the bootstrap.
    random_state : int, RandomState or None
        For the drawing.

    Returns
    -------
    Choice

    Notes
    -----
    Trees and eigenvalues cost as much as `EAC` does for the ensemble and each reference; at most
    500 objects enter the bootstrap.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.choose import choose_n_clusters
    >>> from consens.choose.rule import uniform_reference
    >>> from consens.generate import KMeansEnsemble
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0], [9], [18]], 30, axis=0)
    >>> make = KMeansEnsemble(20, random_state=0).fit_transform
    >>> choice = choose_n_clusters(
    ...     make(X), [make(uniform_reference(X, seed)) for seed in range(3)], random_state=0
    ... )
    >>> choice.n_clusters
    3
    """
    if max_clusters is not None:
        max_clusters = check_integer(max_clusters, "max_clusters")
    ensemble = _clustered(ensemble)
    largest = largest_n_clusters(ensemble, max_clusters)
    kinds = [[ensemble, *map(_clustered, references)]]
    kinds += [[*map(_clustered, (other, *compared))] for other, compared in others]
    total, done = sum(map(len, kinds)), 0
    found: list[list[Curves]] = []
    for kind in kinds:
        found.append([])
        for one in kind if largest > 1 else kind[:1]:
            announce("choice of k", done, total)
            found[-1].append(curves(one, largest))
            done += 1
    criteria = Curves.mean([own for own, *_ in found])
    connection, apart = _connection(found)
    if largest < 2:
        chosen = 1
        rule = "all objects have the same labels in every member"
        if max_clusters == 1:
            rule = "max_clusters=1"
    elif not apart:
        chosen = 1
        rule = (
            "no two parts are clearly less connected than in data without clusters (best cut "
            f"{connection['cut']:.0%}, bridge {connection['bridge']:.0%} of the usual)"
        )
    else:
        chosen = 2 + first_largest(criteria.score[1:])
        rule = f"largest sum of lifetimes and eigengap ({criteria.score[chosen - 1]:.2f})"
    resamples = Resamples.draw(ensemble, n_resamples, random_state)
    drawn = resamples.ensemble
    if members is not None:
        drawn = some_objects(_clustered(members), resamples.seed)
    return Choice(chosen, criteria, connection, rule, resamples, drawn)


def largest_n_clusters(ensemble: Ensemble, max_clusters: int | None = None) -> int:
    """Largest number of clusters that is tried, at most that of the distinct objects.

    The default is 15, or ⌊√n⌋ if that is smaller.  If all members have more clusters, it is the
    smallest of their numbers, at most 30 and at most n / 2.
    """
    if max_clusters is None:
        n = len(ensemble)
        usual = min(MAX_CLUSTERS, int(np.sqrt(n)))
        agreed = min(int(ensemble.n_clusters.min()), 2 * MAX_CLUSTERS, n // 2)
        max_clusters = max(1, usual, agreed)
    if max_clusters <= ensemble.n_clusters.max():
        return max_clusters  # a member has that many clusters
    return min(max_clusters, count_distinct_rows(ensemble.labels))


def uniform_reference(X: Any, seed: int) -> np.ndarray:
    """Uniform reference data with the same size and bounding box as X.

    The box is aligned with the principal axes of X, as in the gap statistic.

    References
    ----------
    R. Tibshirani, G. Walther and T. Hastie, "Estimating the number of clusters in a data set via
    the gap statistic", JRSS B 63(2), 2001. doi:10.1111/1467-9868.00293

    Examples
    --------
    >>> from consens.choose.rule import uniform_reference
    >>> uniform_reference([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], seed=0).shape
    (3, 2)
    """
    from sklearn.utils import check_array
    from sklearn.utils.extmath import svd_flip

    X = check_array(X, accept_sparse=True, dtype=np.float64)
    X = X.toarray() if hasattr(X, "toarray") else X
    seed = check_integer(seed, "seed", least=0)
    center = X.mean(axis=0)
    left, singular, axes = np.linalg.svd(X - center, full_matrices=False)
    left, axes = svd_flip(left, axes)
    places = left * singular
    drawn = np.random.default_rng(seed).uniform(places.min(axis=0), places.max(axis=0), left.shape)
    return drawn @ axes + center


def _clustered(ensemble: Any) -> Ensemble:
    """Restrict an ensemble to the objects that are in some cluster, without empty clusters."""
    ensemble = Ensemble.from_labels(ensemble)
    inside = rows_to_combine(ensemble.labels)
    if not sum(inside.counts):
        raise ValueError("most partitions call every object noise: there are no clusters to count")
    labels = load(inside.filter(abstain(ensemble.labels)))
    return Ensemble(np.apply_along_axis(compact, 0, labels), ensemble.records)


def _connection(found: Sequence[Sequence[Curves]]) -> tuple[dict[str, float], bool]:
    """Compare the weakest connection of each ensemble with those of its references.

    Returns the smallest ratios, and whether some connection is clearly weaker.
    """
    ratios: dict[str, float] = {}
    apart = False
    for own, *references in found:
        apart |= not references
        for name, curve in (("cut", "eigengap"), ("bridge", "lifetime")) if references else ():
            value = getattr(own, curve)[0]
            usual = np.array([getattr(other, curve)[0] for other in references])
            ratio = float(value / usual.mean()) if usual.mean() > 0 else 1.0
            ratios[name] = min(ratio, ratios.get(name, ratio))
            apart |= bool(ratio < CONNECTED and value <= CONNECTED_LEAST * usual.min())
    return ratios, apart
