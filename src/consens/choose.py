"""How many clusters: criteria over a range of k, one rule, and what each of them says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from consens.base import spawn_seeds
from consens.consensus.linkage import coassociation_linkage
from consens.ensemble import Ensemble
from consens.labels import count_distinct_rows, in_a_cluster, indicator
from consens.measure import cdf_table, stability
from consens.partition import cut, lifetimes
from consens.partition.graph import check_graph
from consens.partition.spectral import normalized_eigenvectors

if TYPE_CHECKING:
    import pandas as pd

#: Largest number of clusters that is considered by default, where √n is not smaller.
MAX_CLUSTERS = 15

#: Objects that the criteria look at; more of them add cost, not knowledge of k.
MAX_OBJECTS = 2000
MAX_OBJECTS_BOOTSTRAP = 500

N_REFERENCES = 5
N_RESAMPLES = 20

#: Shares of the connection in uniform reference data, of their mean and of their least, above
#: which the data count as one cluster; `python -m studies.choose_k` says how often that errs.
CONNECTED = 0.7
CONNECTED_LEAST = 0.9

#: Growth of the area under the consensus CDF that counts as none.
SMALL_DELTA = 0.1


@dataclass(frozen=True, eq=False)
class Choice:
    """A number of clusters, and why.

    Attributes
    ----------
    n_clusters : int
        The choice.
    table : DataFrame
        One row per number of clusters tried (the index, `n_clusters`).  ``lifetime`` and
        ``lifetime_average`` on the trees of single and average link, ``eigengap`` of the graph of
        clusters, ``score``, their sum; ``bootstrap_mean`` and ``bootstrap_std``, agreement of the
        consensus of drawn members with them (`measure.stability`); ``area``, ``delta_area`` and
        ``pac`` of the consensus CDF of these consensus partitions (`measure.cdf_table`);
        ``n_votes``, how many criteria would choose the number.
    votes : dict of str to int
        What each criterion alone would choose.
    connection : dict of str to float
        Whether there is more than one cluster: the weakest connection between two parts of the
        data, as a share of that in uniform reference data.  ``cut`` by the second eigenvalue,
        ``bridge`` by single link.  Empty if there was nothing to compare with.
    reason : str
        A sentence.
    labels : dict of int to ndarray
        The consensus partition into each number of clusters tried.
    """

    n_clusters: int
    table: pd.DataFrame
    votes: dict[str, int]
    connection: dict[str, float]
    reason: str
    labels: dict[int, np.ndarray] = field(default_factory=dict)

    @property
    def agreement(self) -> float:
        """Share of the criteria that choose the same number."""
        return sum(k == self.n_clusters for k in self.votes.values()) / max(len(self.votes), 1)


class Curves(NamedTuple):
    """Three curves over k = 1, 2, ..., each the width of a range of thresholds in [0, 1]."""

    lifetime: np.ndarray
    lifetime_average: np.ndarray
    eigengap: np.ndarray

    @property
    def score(self) -> np.ndarray:
        """The sum of the three, which decides."""
        return self.lifetime + self.lifetime_average + self.eigengap


def choose_n_clusters(
    ensemble: Any,
    references: Iterable[Any] = (),
    *,
    max_clusters: int | None = None,
    n_resamples: int = N_RESAMPLES,
    random_state: Any = None,
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
    max_clusters : int, optional
        Largest number tried; by default 15, or ⌊√n⌋ if that is smaller.
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
    own = curves(ensemble, largest)
    compared = [curves(_clustered(other), largest) for other in references if largest > 1]
    connection, apart = _connection(own, compared)
    table = _table(own, ensemble, n_resamples, random_state)
    votes = _votes(table)
    if largest < 2:
        chosen, reason = 1, "the members tell no two objects apart"
    elif not apart:
        cut_share, bridge_share = connection["cut"], connection["bridge"]
        chosen, reason = (
            1,
            (
                "no two parts are clearly less connected than in data without clusters "
                f"(best cut {cut_share:.0%}, bridge {bridge_share:.0%} of the usual)"
            ),
        )
    else:
        chosen = _largest(table["score"].iloc[1:])
        reason = f"largest sum of lifetimes and eigengap ({table['score'][chosen]:.2f})"
    agreeing = sum(vote == chosen for vote in votes.values())
    reason += f"; {agreeing} of {len(votes)} criteria alone agree"
    table["n_votes"] = [sum(vote == k for vote in votes.values()) for k in table.index]
    return Choice(chosen, table, votes, connection, reason)


def largest_n_clusters(ensemble: Ensemble, max_clusters: int | None = None) -> int:
    """Largest number of clusters that is tried: 15, ⌊√n⌋ or the distinct objects at most."""
    if max_clusters is None:
        max_clusters = max(1, min(MAX_CLUSTERS, int(np.sqrt(len(ensemble)))))
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


def curves(ensemble: Ensemble, largest: int) -> Curves:
    """Lifetimes and eigengaps of 1 to `largest` clusters."""
    if len(ensemble) == 1:
        return Curves(np.ones(1), np.ones(1), np.ones(1))
    single, average = (
        lifetimes(coassociation_linkage(ensemble, method))[:largest]
        for method in ("single", "average")
    )
    gaps = np.maximum(-np.diff(spectrum(ensemble, largest + 1)), 0.0)
    return Curves(single, average, gaps)


def spectrum(ensemble: Ensemble, n_values: int) -> np.ndarray:
    """Leading eigenvalues of the graph of clusters, from 1 downwards; 0 beyond its size.

    Clusters i and j share Σ_o 1/d_o over the objects o in both, d_o the number of clusters that
    hold o: the cluster side of the transfer cut.  1 - λ_2 tells what the best normalised cut of
    the objects costs, and there are k zeros for k groups that no cluster connects.
    """
    clusters = indicator(ensemble.labels)
    weights = 1 / np.asarray(clusters.sum(axis=1)).ravel()
    graph = clusters.T.tocsr() @ clusters.multiply(weights[:, None]).tocsr()
    graph = check_graph((graph + graph.T) / 2)
    values = np.zeros(n_values)
    found, _ = normalized_eigenvectors(graph, min(n_values, graph.shape[0]))
    values[: len(found)] = np.clip(found, 0.0, 1.0)
    return values


def _clustered(ensemble: Any) -> Ensemble:
    """The objects that are in a cluster at all."""
    ensemble = Ensemble.from_labels(ensemble)
    inside = in_a_cluster(ensemble.labels)
    return ensemble if inside.all() else ensemble[inside]


def _connection(own: Curves, references: Sequence[Curves]) -> tuple[dict[str, float], bool]:
    """The weakest connections as shares of the usual, and whether one of them is clearly less."""
    shares, apart = {}, not references
    for name, curve in (("cut", "eigengap"), ("bridge", "lifetime")) if references else ():
        value = getattr(own, curve)[0]
        others = np.array([getattr(other, curve)[0] for other in references])
        shares[name] = float(value / others.mean()) if others.mean() > 0 else 1.0
        apart |= shares[name] < CONNECTED and value <= CONNECTED_LEAST * others.min()
    return shares, bool(apart)


def _table(own: Curves, ensemble: Ensemble, n_resamples: int, random_state: Any) -> pd.DataFrame:
    import pandas as pd

    numbers = pd.RangeIndex(1, len(own.lifetime) + 1, name="n_clusters")
    table = pd.DataFrame(own._asdict() | {"score": own.score}, index=numbers)
    drawn = _bootstrap(ensemble, numbers[1:].tolist(), n_resamples, random_state)
    return table if drawn is None else table.join(drawn)


def _bootstrap(
    ensemble: Ensemble, numbers: list[int], n_resamples: int, random_state: Any
) -> pd.DataFrame | None:
    """Stability and consensus CDF of the partitions of drawn ensembles, for each k >= 2."""
    if not numbers or n_resamples < 2:
        return None
    n = len(ensemble)
    seeds = spawn_seeds(random_state, 2)
    if n > MAX_OBJECTS_BOOTSTRAP:
        rng = np.random.default_rng(seeds[0])
        ensemble = ensemble[np.sort(rng.choice(n, MAX_OBJECTS_BOOTSTRAP, replace=False))]
    numbers = [k for k in numbers if k <= len(ensemble)]
    partitions: dict[int, list[np.ndarray]] = {k: [] for k in numbers}

    def combine(drawn: Ensemble, numbers: list[int]) -> list[np.ndarray]:
        tree = coassociation_linkage(drawn, "average")
        for k in numbers:
            partitions[k].append(cut(tree, k))
        return [partitions[k][-1] for k in numbers]

    stable = stability(ensemble, combine, numbers, n_resamples=n_resamples, random_state=seeds[1])
    cdf = cdf_table({k: Ensemble(np.column_stack(partitions[k])) for k in numbers})
    return stable.add_prefix("bootstrap_").join(cdf[["area", "delta_area", "pac"]])


def _votes(table: pd.DataFrame) -> dict[str, int]:
    """What each criterion would choose by itself."""
    votes = {
        "lifetime": _largest(table["lifetime"]),
        "lifetime_average": _largest(table["lifetime_average"]),
        "eigengap": _largest(table["eigengap"]),
    }
    if "pac" in table:
        tried = table.iloc[1:]
        steadiest = _largest(-tried["bootstrap_std"])
        votes["bootstrap"] = steadiest if tried["bootstrap_stable"][steadiest] else 1
        small = tried["delta_area"].iloc[1:] < SMALL_DELTA
        votes["delta_area"] = int(small.idxmax()) - 1 if small.any() else int(table.index[-1])
        votes["pac"] = _largest(-tried["pac"])
    return votes


def _largest(values: pd.Series) -> int:
    """Number with the largest value; of values that are equal up to rounding the smallest."""
    return int((values >= values.max() - 1e-9).idxmax())
