"""How many clusters: criteria over a range of k, one rule, and what each of them says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from consens.base import Seed, spawn_seeds
from consens.consensus.cosine_lwea import CosineLWEA
from consens.consensus.linkage import coassociation_linkage
from consens.ensemble import Ensemble
from consens.labels import (
    abstain,
    count_distinct_rows,
    in_a_cluster,
    indicator,
    rows_to_combine,
)
from consens.measure import cdf_table, pairwise_ari, stability
from consens.partition import cut, lifetimes
from consens.partition.graph import check_graph
from consens.partition.spectral import normalized_eigenvectors
from consens.progress import announce

if TYPE_CHECKING:
    import pandas as pd

#: Largest number of clusters that is considered by default, where √n is not smaller.
MAX_CLUSTERS = 15

#: Objects that the criteria look at; more of them add cost, not knowledge of k.
MAX_OBJECTS = 2000
MAX_OBJECTS_BOOTSTRAP = 500

N_REFERENCES = 5

MAX_CANDIDATES = 3

#: Draws that judge the agreement on a number, and members of each at most.
N_DRAWS = 12
MAX_DRAWN = 50

N_RESAMPLES = 20

#: Shares of the connection in uniform reference data, of their mean and of their least, above
#: which the data count as one cluster; `python -m studies.choose_k` says how often that errs.
CONNECTED = 0.7
CONNECTED_LEAST = 0.9

#: Growth of the area under the consensus CDF that counts as none.
SMALL_DELTA = 0.1


class Candidate(NamedTuple):
    """A number of clusters that the data may have, and the evidence for it.

    ``score`` is the sum of lifetimes and eigengap, ``agreement`` the mean adjusted Rand index of
    partitions into so many clusters by drawn members; None for one cluster.
    """

    n_clusters: int
    score: float
    agreement: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Choice:
    """A number of clusters, and why.

    Attributes
    ----------
    n_clusters : int
        The choice.
    curves : Curves
        What decides: lifetimes and eigengaps over the numbers of clusters.
    connection : dict of str to float
        Whether there is more than one cluster: the weakest connection between two parts of the
        data, as a share of that in uniform reference data.  ``cut`` by the second eigenvalue,
        ``bridge`` by single link.  Empty without references.
    rule : str
        The rule that decided, in words.
    resamples : Resamples
        What the bootstrap in the table is made of.
    labels : mapping of int to ndarray
        The consensus partition into each number of clusters tried, made on first use.

    Notes
    -----
    ``table``, ``votes`` and ``reason`` need the bootstrap, which does not decide and is the
    costliest part, and ``candidates`` need draws: they are computed when they are first read.
    """

    n_clusters: int
    curves: Curves
    connection: dict[str, float]
    rule: str
    resamples: Resamples
    labels: Mapping[int, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        tried = f"1 to {self.numbers[-1]}"
        return f"<Choice of {self.n_clusters} clusters among {tried}: {self.rule}>"

    @property
    def numbers(self) -> range:
        """The numbers of clusters tried."""
        return range(1, len(self.curves.score) + 1)

    @cached_property
    def candidates(self) -> list[Candidate]:
        """Up to three numbers of clusters, in order: data often have clusters inside clusters.

        First the choice, then the number on which drawn members agree most (`draw_agreement`),
        then those with the largest score.
        """
        score = self.curves.score
        numbers = [k for k in self.numbers[1:] if k <= len(self.resamples.ensemble)]
        agreement = draw_agreement(self.resamples.ensemble, numbers, self.resamples.seed)
        order = [self.n_clusters]
        if len(numbers):
            order += [2 + _first_largest(agreement), *(2 + np.argsort(-score[1:], kind="stable"))]
        found = dict.fromkeys(int(k) for k in order if k < 2 or k in numbers)
        return [
            Candidate(k, float(score[k - 1]), float(agreement[k - 2]) if k > 1 else None)
            for k in list(found)[:MAX_CANDIDATES]
        ]

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row of criteria per number of clusters tried (the index, `n_clusters`).

        ``lifetime`` and ``lifetime_average`` on the trees of single and average link,
        ``eigengap`` of the graph of clusters, ``score``, their sum; ``bootstrap_mean`` and
        ``bootstrap_std``, agreement of the consensus of drawn members with them
        (`measure.stability`); ``area``, ``delta_area`` and ``pac`` of the consensus CDF of these
        consensus partitions (`measure.cdf_table`); ``n_votes``, how many criteria would choose
        the number.
        """
        import pandas as pd

        numbers = pd.RangeIndex(self.numbers, name="n_clusters")
        table = pd.DataFrame(self.curves._asdict() | {"score": self.curves.score}, index=numbers)
        drawn = self.resamples.table(numbers[1:].tolist())
        table = table if drawn is None else table.join(drawn)
        votes = list(_votes(table).values())
        return table.assign(n_votes=[votes.count(k) for k in numbers])

    @cached_property
    def votes(self) -> dict[str, int]:
        """What each criterion alone would choose."""
        return _votes(self.table)

    @property
    def agreement(self) -> float:
        """Share of the criteria that choose the same number."""
        return list(self.votes.values()).count(self.n_clusters) / len(self.votes)

    @property
    def reason(self) -> str:
        """Why it is this number, in a sentence."""
        agreeing = list(self.votes.values()).count(self.n_clusters)
        return f"{self.rule}; {agreeing} of {len(self.votes)} criteria alone agree"


@dataclass(frozen=True, eq=False)
class Resamples:
    """Members to draw from for the bootstrap, of at most 500 objects."""

    ensemble: Ensemble
    n_resamples: int
    seed: int

    @classmethod
    def draw(cls, ensemble: Ensemble, n_resamples: int, random_state: Seed) -> Self:
        """Draw the objects now, so that nothing else has to be kept."""
        n = len(ensemble)
        seeds = spawn_seeds(random_state, 2)
        if n > MAX_OBJECTS_BOOTSTRAP:
            rng = np.random.default_rng(seeds[0])
            ensemble = ensemble[np.sort(rng.choice(n, MAX_OBJECTS_BOOTSTRAP, replace=False))]
        return cls(ensemble, n_resamples, seeds[1])

    def table(self, numbers: Sequence[int]) -> pd.DataFrame | None:
        """Stability and consensus CDF of the partitions of drawn ensembles, for each k >= 2."""
        numbers = [k for k in numbers if k <= len(self.ensemble)]
        if not numbers or self.n_resamples < 2:
            return None
        partitions: dict[int, list[np.ndarray]] = {k: [] for k in numbers}

        def consensus(drawn: Ensemble, numbers: list[int]) -> list[np.ndarray]:
            tree = coassociation_linkage(drawn, "average")
            for k in numbers:
                partitions[k].append(cut(tree, k))
            return [partitions[k][-1] for k in numbers]

        stable = stability(
            self.ensemble,
            consensus,
            numbers,
            n_resamples=self.n_resamples,
            random_state=self.seed,
        )
        cdf = cdf_table({k: Ensemble(np.column_stack(partitions[k])) for k in numbers})
        return stable.add_prefix("bootstrap_").join(cdf[["area", "delta_area", "pac"]])


def draw_agreement(ensemble: Ensemble, numbers: Sequence[int], seed: int) -> np.ndarray:
    """Mean adjusted Rand index between partitions of drawn members, for each number of clusters.

    Each of twelve draws takes half of the members, 50 at most; its tree of `CosineLWEA` is cut at
    all numbers.
    """
    n_members = ensemble.shape[1]
    size = min(MAX_DRAWN, (n_members + 1) // 2)
    rng = np.random.default_rng(seed)
    trees = []
    for _ in range(N_DRAWS if len(numbers) else 0):
        drawn = ensemble[:, np.sort(rng.choice(n_members, size, replace=False))]
        if in_a_cluster(drawn.matrix).all():
            trees.append(CosineLWEA().fit(drawn).linkage_)
    agreement = np.zeros(len(numbers))
    for i, k in enumerate(numbers if len(trees) > 1 else ()):
        cuts = np.column_stack([cut(tree, k) for tree in trees])
        agreement[i] = pairwise_ari(Ensemble(cuts))[np.triu_indices(len(trees), 1)].mean()
    return agreement


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
        chosen = 2 + _first_largest(own.score[1:])
        rule = f"largest sum of lifetimes and eigengap ({own.score[chosen - 1]:.2f})"
    resamples = Resamples.draw(ensemble, n_resamples, random_state)
    return Choice(chosen, own, connection, rule, resamples)


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
    clusters = indicator(ensemble.matrix)
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


def _votes(table: pd.DataFrame) -> dict[str, int]:
    """What each criterion alone would choose."""
    tried = table.iloc[1:]

    def largest(values: pd.Series) -> int:
        return int(values.index[_first_largest(values.to_numpy())])

    votes = {name: largest(table[name]) for name in ("lifetime", "lifetime_average", "eigengap")}
    if "pac" in table:
        steadiest = largest(-tried["bootstrap_std"])
        votes["bootstrap"] = steadiest if tried["bootstrap_stable"][steadiest] else 1
        small = tried["delta_area"].iloc[1:] < SMALL_DELTA
        votes["delta_area"] = int(small.idxmax()) - 1 if small.any() else int(table.index[-1])
        votes["pac"] = largest(-tried["pac"])
    return votes


def _first_largest(values: np.ndarray) -> int:
    """Place of the largest value; of values that are equal up to rounding the first."""
    return int((values >= np.nanmax(values) - 1e-9).argmax())
