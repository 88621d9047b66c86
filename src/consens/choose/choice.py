"""The chosen number of clusters: the criteria that decide, and others made on first access."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from consens._labels import in_a_cluster, indicator
from consens._support.seeds import Seed, spawn_seeds
from consens.consensus._label_linkage import coassociation_linkage
from consens.consensus.cosine_lwea import CosineLWEA
from consens.ensemble import Ensemble
from consens.measure import cdf_table, stability
from consens.measure.agreement import pairwise_ari
from consens.partition import cut, lifetimes
from consens.partition.graph import check_graph
from consens.partition.spectral import normalized_eigenvectors

if TYPE_CHECKING:
    import pandas as pd

MAX_OBJECTS_BOOTSTRAP = 500  # objects that enter the bootstrap and the draws

MAX_CANDIDATES = 3

#: Number of draws for the agreement on a number of clusters, and the most members per draw.
N_DRAWS = 12
MAX_DRAWN = 20

SMALL_DELTA = 0.1  # growth of the area under the consensus CDF below which it counts as constant


class Candidate(NamedTuple):
    """A number of clusters that the data may have, and the evidence for it.

    ``score`` is the sum of lifetimes and eigengap, ``agreement`` the reproducibility of partitions
    across random subsets of the members (`draw_agreement`), None for one cluster.
    """

    n_clusters: int
    score: float
    agreement: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Choice:
    """A number of clusters and the reasons for it.

    Attributes
    ----------
    n_clusters : int
        The choice.
    curves : Curves
        Lifetimes and eigengaps for each number of clusters, which decide.
    p_split : float or None
        p-value of the best split of the data into two parts, if the members see one cluster.
    rule : str
        The rule that decided, in words.
    resamples : Resamples
        Members that ``candidates`` and the bootstrap in ``table`` draw from.
    labels : mapping of int to ndarray
        The consensus partition into each number of clusters tried, made on first use.

    Notes
    -----
    ``table``, ``votes`` and ``reason`` need the bootstrap, which does not decide and is the
    costliest part, and ``candidates`` need draws: they are computed when they are first read.
    """

    n_clusters: int
    curves: Curves
    p_split: float | None
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

        First the choice, then the number of two or more with the next largest score, then the one
        on which drawn members agree most (`draw_agreement`).  The score favours few clusters that
        are far apart, the agreement also sees many that touch.
        """
        score, members = self.curves.score, self.resamples.ensemble
        numbers = [k for k in self.numbers[1:] if k <= len(members)]
        found = draw_agreement(members, numbers, self.resamples.seed).tolist()
        agreement = dict(zip(numbers, found, strict=True))
        rivals = sorted(agreement, key=lambda k: (-round(agreement[k], 9), k))
        next_best = sorted(set(numbers) - {self.n_clusters}, key=lambda k: -score[k - 1])[:1]
        order = list(dict.fromkeys([self.n_clusters, *next_best, *rivals]))
        return [
            Candidate(k, float(score[k - 1]), agreement.get(k)) for k in order[:MAX_CANDIDATES]
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
        """Number of clusters that each criterion would choose; empty if one was tried."""
        return _votes(self.table)

    @property
    def agreement(self) -> float:
        """Share of the criteria that choose the same number; 1 if no other was tried."""
        if not self.votes:
            return 1.0
        return list(self.votes.values()).count(self.n_clusters) / len(self.votes)

    @property
    def reason(self) -> str:
        """Why it is this number, in a sentence."""
        if not self.votes:
            return self.rule
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
        seeds = spawn_seeds(random_state, 2)
        return cls(some_objects(ensemble, seeds[0]), n_resamples, seeds[1])

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


def some_objects(ensemble: Ensemble, seed: int) -> Ensemble:
    """Restrict an ensemble to at most 500 random objects."""
    n = len(ensemble)
    if n <= MAX_OBJECTS_BOOTSTRAP:
        return ensemble
    rng = np.random.default_rng(seed)
    return ensemble[np.sort(rng.choice(n, MAX_OBJECTS_BOOTSTRAP, replace=False))]


def draw_agreement(ensemble: Ensemble, numbers: Sequence[int], seed: int) -> np.ndarray:
    """Reproducibility of partitions across random halves of the members, for each k.

    A partition is compared with every other draw by the largest ARI with any cut of its tree.
    """
    n_members = ensemble.shape[1]
    size = min(MAX_DRAWN, (n_members + 1) // 2)
    rng = np.random.default_rng(seed)
    trees = []
    for _ in range(N_DRAWS if len(numbers) else 0):
        drawn = ensemble[:, np.sort(rng.choice(n_members, size, replace=False))]
        if in_a_cluster(drawn.matrix).all():
            trees.append(CosineLWEA().fit(drawn).linkage_)
    if len(trees) < 2:
        return np.zeros(len(numbers))
    cuts = np.column_stack([cut(tree, k) for tree in trees for k in numbers])
    ari = pairwise_ari(Ensemble(cuts)).reshape(2 * (len(trees), len(numbers)))
    found = ari.max(axis=3).sum(axis=2) - 1  # without the partition itself
    mean: np.ndarray = found.mean(axis=0) / (len(trees) - 1)
    return mean


def _votes(table: pd.DataFrame) -> dict[str, int]:
    """Number of clusters that each criterion would choose on its own, if several were tried."""
    if len(table) == 1:
        return {}
    tried = table.iloc[1:]

    def largest(values: pd.Series) -> int:
        return int(values.index[first_largest(values.to_numpy())])

    votes = {name: largest(table[name]) for name in ("lifetime", "lifetime_average", "eigengap")}
    if "pac" in table:
        steadiest = largest(-tried["bootstrap_std"])
        votes["bootstrap"] = steadiest if tried["bootstrap_stable"][steadiest] else 1
        small = tried["delta_area"].iloc[1:] < SMALL_DELTA
        votes["delta_area"] = int(small.idxmax()) - 1 if small.any() else int(table.index[-1])
        votes["pac"] = largest(-tried["pac"])
    return votes


def first_largest(values: np.ndarray) -> int:
    """Index of the largest value, the first among values that are equal up to rounding."""
    return int((values >= np.nanmax(values) - 1e-9).argmax())


class Curves(NamedTuple):
    """Three curves over k = 1, 2, ...; each value is the width of a range of thresholds."""

    lifetime: np.ndarray
    lifetime_average: np.ndarray
    eigengap: np.ndarray

    @property
    def score(self) -> np.ndarray:
        """Sum of the three curves; its maximum decides."""
        return self.lifetime + self.lifetime_average + self.eigengap


def curves(ensemble: Ensemble, largest: int) -> Curves:
    """Lifetimes and eigengaps of 1 to `largest` clusters."""
    found = np.zeros((3, largest))
    if len(ensemble) == 1:
        found[:, 0] = 1.0
        return Curves(*found)
    for curve, method in zip(found, ("single", "average"), strict=False):
        living = lifetimes(coassociation_linkage(ensemble, method))[:largest]
        curve[: len(living)] = living
    found[2] = np.maximum(-np.diff(spectrum(ensemble, largest + 1)), 0.0)
    return Curves(*found)


def spectrum(ensemble: Ensemble, n_values: int) -> np.ndarray:
    """Leading eigenvalues of the graph of clusters, from 1 downwards; 0 beyond its size.

    The weight between two clusters is Σ_o 1/d_o over their common objects o, which are in d_o
    clusters, as in the transfer cut: 1 - λ_2 is the cost of its best normalised cut.
    """
    clusters = indicator(ensemble.matrix)
    clusters = clusters[:, clusters.sum(axis=0) > 0]  # an empty cluster would be a group
    weights = 1 / np.asarray(clusters.sum(axis=1)).ravel()
    graph = clusters.T.tocsr() @ clusters.multiply(weights[:, None]).tocsr()
    graph = check_graph((graph + graph.T) / 2)
    values = np.zeros(n_values)
    found, _ = normalized_eigenvectors(graph, min(n_values, graph.shape[0]))
    values[: len(found)] = np.clip(found, 0.0, 1.0)
    return values
