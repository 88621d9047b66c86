"""The rule that chooses the number of clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from consens.base import Seed
from consens.choose.choice import Choice, Resamples, first_largest, some_objects
from consens.choose.criteria import Curves, curves
from consens.ensemble import Ensemble
from consens.labels import abstain, count_distinct_rows, rows_to_combine
from consens.progress import announce

#: Largest number of clusters that is considered by default, where √n is not smaller.
MAX_CLUSTERS = 15

#: Objects that the criteria look at; more of them add cost, not knowledge of k.
MAX_OBJECTS = 2000

N_REFERENCES = 5

N_RESAMPLES = 20

#: Shares of the connection in uniform reference data, of their mean and of their least, above
#: which the data count as one cluster; `python -m studies.choose_k` says how often that errs.
CONNECTED = 0.7
CONNECTED_LEAST = 0.9


def choose_n_clusters(
    ensemble: Any,
    references: Iterable[Any] = (),
    *,
    members: Any = None,
    max_clusters: int | None = None,
    n_resamples: int = N_RESAMPLES,
    random_state: Seed = None,
) -> Choice:
    """Choose the number of clusters of an ensemble.

    First, is there more than one cluster?  The weakest connection between two parts of the
    objects is measured twice: as the cost 1 - λ₂ of the best normalised cut (λ₂ the second
    eigenvalue of the graph of objects and clusters), and as the lifetime of one cluster under
    single link, which is the strongest co-association across the widest gap.  If neither is below
    0.7 of the mean, and 0.9 of the least, that ensembles of uniform `references` show, the
    answer is 1.

    Then k >= 2 is the one with the largest

        score(k) = SL(k) + AL(k) + λ_k - λ_{k+1},

    the lifetimes of k clusters on the trees of single and of average link of the co-association,
    and the eigengap.  Single link sees clusters of any shape that are apart, the other two
    clusters that touch; each is a width of a range of thresholds between 0 and 1, so they add up
    without weights.  Bootstrap, delta area and PAC are shown, but do not decide: in the study
    ``python -m studies.choose_k`` they are right less often.

    Parameters
    ----------
    ensemble : Ensemble or label matrix of shape (n, M)
        Members with various numbers of clusters, as `generate.KMeansEnsemble` makes them.
    references : iterable of Ensemble or label matrix
        Ensembles made in the same way from data without clusters: `uniform_reference`.  Without
        any the data are taken to hold two clusters at least.
    members : Ensemble or label matrix, optional
        Members of the same objects, or of other objects of the same data, that
        ``Choice.candidates`` draws from: those to combine, where `ensemble` was made for the
        choice alone.  By default `ensemble`.
    max_clusters : int, optional
        Largest number tried; by default 15, or ⌊√n⌋ if that is smaller, but no fewer than every
        member has, up to 30 and to half of the objects.
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
    >>> from consens.choose import choose_n_clusters, uniform_reference
    >>> from consens.generate import KMeansEnsemble
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0], [9], [18]], 30, axis=0)
    >>> make = KMeansEnsemble(20, random_state=0).fit_transform
    >>> choice = choose_n_clusters(
    ...     make(X), [make(uniform_reference(X, seed)) for seed in range(3)], random_state=0
    ... )
    >>> choice.n_clusters
    3
    """
    ensemble = _clustered(ensemble)
    largest = largest_n_clusters(ensemble, max_clusters)
    references = list(references)
    announce("choice of k", 0, 1 + len(references))
    own = curves(ensemble, largest)
    compared = []
    for done, other in enumerate(references if largest > 1 else (), 1):
        announce("choice of k", done, 1 + len(references))
        compared.append(curves(_clustered(other), largest))
    connection, apart = _connection(own, compared)
    if largest < 2:
        chosen, rule = 1, "the members tell no two objects apart"
    elif not apart:
        chosen, rule = (
            1,
            (
                "no two parts are clearly less connected than in data without clusters (best cut "
                f"{connection['cut']:.0%}, bridge {connection['bridge']:.0%} of the usual)"
            ),
        )
    else:
        chosen = 2 + first_largest(own.score[1:])
        rule = f"largest sum of lifetimes and eigengap ({own.score[chosen - 1]:.2f})"
    resamples = Resamples.draw(ensemble, n_resamples, random_state)
    drawn = resamples.ensemble
    if members is not None:
        drawn = some_objects(_clustered(members), resamples.seed)
    return Choice(chosen, own, connection, rule, resamples, drawn)


def largest_n_clusters(ensemble: Ensemble, max_clusters: int | None = None) -> int:
    """Largest number of clusters that is tried, at most that of the distinct objects.

    By default 15, or ⌊√n⌋ if that is smaller, but no fewer than every member has, up to 30 and
    to half of the objects.
    """
    if max_clusters is None:
        n = len(ensemble)
        usual = min(MAX_CLUSTERS, int(np.sqrt(n)))
        agreed = min(int(ensemble.n_clusters.min()), 2 * MAX_CLUSTERS, n // 2)
        max_clusters = max(1, usual, agreed)
    if max_clusters <= ensemble.n_clusters.max():
        return max_clusters  # a member tells that many apart
    return min(max_clusters, count_distinct_rows(ensemble.labels))


def uniform_reference(X: Any, seed: int) -> np.ndarray:
    """Data without clusters, of the size and extent of X.

    Uniform in the box around X along its principal axes: the reference of the gap statistic.

    References
    ----------
    R. Tibshirani, G. Walther and T. Hastie, "Estimating the number of clusters in a data set via
    the gap statistic", JRSS B 63(2), 2001. doi:10.1111/1467-9868.00293

    Examples
    --------
    >>> from consens.choose import uniform_reference
    >>> uniform_reference([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], seed=0).shape
    (3, 2)
    """
    from sklearn.utils.extmath import svd_flip

    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    center = X.mean(axis=0)
    left, singular, axes = np.linalg.svd(X - center, full_matrices=False)
    left, axes = svd_flip(left, axes)
    places = left * singular
    drawn = np.random.default_rng(seed).uniform(places.min(axis=0), places.max(axis=0), left.shape)
    return drawn @ axes + center


def _clustered(ensemble: Any) -> Ensemble:
    """The objects that are in a cluster at all."""
    ensemble = Ensemble.from_labels(ensemble)
    inside = rows_to_combine(ensemble.labels)
    if not sum(inside.counts):
        raise ValueError("most partitions call every object noise: there are no clusters to count")
    return replace(ensemble, labels=abstain(ensemble.labels)).filter(inside)


def _connection(own: Curves, references: Sequence[Curves]) -> tuple[dict[str, float], bool]:
    """The weakest connections as shares of the usual, and whether one of them is clearly less."""
    shares, apart = {}, not references
    for name, curve in (("cut", "eigengap"), ("bridge", "lifetime")) if references else ():
        value = getattr(own, curve)[0]
        others = np.array([getattr(other, curve)[0] for other in references])
        shares[name] = float(value / others.mean()) if others.mean() > 0 else 1.0
        apart |= shares[name] < CONNECTED and value <= CONNECTED_LEAST * others.min()
    return shares, bool(apart)
