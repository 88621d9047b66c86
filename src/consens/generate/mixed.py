"""Members of several kinds: k-means, landmark-spectral, Gaussian mixtures, cuts of trees."""

from collections.abc import Callable, Sequence
from functools import partial
from math import ceil, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from consens._numerics.kmeans import run_lloyd
from consens._params import COUNT_RULE, rules
from consens._support.seeds import Seed, spawn_seeds
from consens.generate._base import BaseGenerator
from consens.generate._plan import Model, Plan, Sample, Trained
from consens.generate._sizes import few_clusters, spread_evenly
from consens.generate.kmeans_ensemble import (
    MAX_SWEEPS,
    NO_CENTERS,
    SWEEPS_OF_QUARTER,
    SWEEPS_OF_SAMPLE,
    Centers,
    fit_kmeans,
)
from consens.generate.landmarks import OBJECTS_PER_LANDMARK, LandmarkMap, plan_landmarks
from consens.generate.mixtures import MixtureModel, plan_mixtures
from consens.generate.trees import TreeCut, plan_trees, tree_clusters

N_LANDMARKS = 200
N_NEIGHBORS = (5, 10)
MAX_TRAINED = 4000
MAX_MEMBER_CLUSTERS = 200

MEMBERS_IN_TURN = 4  # members of a kind that follow each other, and share a graph or a tree


def plan_centers(n_members: int, n: int, random_state: Seed, *, sparse: bool) -> list[Plan]:
    """Plan k-means members with many centres."""
    if n < 200 or sparse:
        low, high = min(2, n), ceil(sqrt(n))
    else:
        high = min(ceil(1.5 * sqrt(n)), MAX_MEMBER_CLUSTERS)
        low = high // 3
    fit: Callable[..., Trained] = fit_lloyd
    if sparse:
        fit = partial(fit_kmeans, view=Centers(NO_CENTERS), large=n > MAX_TRAINED)
    plans = []
    for m, seed in enumerate(spawn_seeds(random_state, n_members)):
        k = spread_evenly(m, low, high)
        sample = Sample(np.random.default_rng(seed), n, MAX_TRAINED)
        parameters = {"n_clusters": k, "max_samples": len(sample)}
        plans.append(
            Plan(partial(fit, k=k, seed=seed), Centers.algorithm, seed, sample, parameters)
        )
    return plans


def fit_lloyd(rows: Any, *, k: int, seed: int) -> Trained:
    """Run k-means from k objects drawn at random; many objects get only a few sweeps."""
    start = rows[np.random.default_rng((seed, 1)).choice(len(rows), k, replace=False)]
    if len(rows) < MAX_TRAINED:
        return Trained(Centers(run_lloyd(rows, start, MAX_SWEEPS)))
    centers = run_lloyd(rows[::4], start, SWEEPS_OF_QUARTER)
    return Trained(Centers(run_lloyd(rows, centers, SWEEPS_OF_SAMPLE)))


def plan_graphs(n_members: int, n: int, random_state: Seed) -> list[Plan]:
    """Plan landmark-spectral members, four to a graph."""
    size = min(n, OBJECTS_PER_LANDMARK * N_LANDMARKS)
    p = max(1, min(N_LANDMARKS, size // 2))
    high = max(1, min(ceil(sqrt(n)), p // 2))
    plans = []
    for graph, seed in enumerate(spawn_seeds(random_state, ceil(n_members / MEMBERS_IN_TURN))):
        numbers = range(graph * MEMBERS_IN_TURN, min((graph + 1) * MEMBERS_IN_TURN, n_members))
        ks = [spread_evenly(m, min(2, high), high) for m in numbers]
        q = spread_evenly(graph, *N_NEIGHBORS, step=sqrt(2))
        plans.append(plan_landmarks(np.random.default_rng(seed), seed, n, size, ks, p, q))
    return plans


#: Kinds of members, in the order in which they take turns.
MEMBER_KINDS = ("kmeans", "spectral", "mixture", "tree")


def read_model(**fields: Any) -> Model:
    """Make a model of any kind from its fields."""
    for name, kind in {
        "landmarks": LandmarkMap,
        "quadratic": MixtureModel,
        "objects": TreeCut,
    }.items():
        if name in fields:
            return kind(**fields)
    return Centers(**fields)


class MixedEnsemble(BaseGenerator):
    """Make members of several kinds, each of which sees another structure of the data.

    k-means with many centres ("kmeans") cuts the data into small round pieces; spectral members
    on landmarks ("spectral", `LandmarkEnsemble`) follow dense regions; Gaussian mixtures
    ("mixture", `MixtureEnsemble`) separate clusters of different extent; cuts of a spanning tree
    ("tree", `TreeEnsemble`) follow gaps.

    Parameters
    ----------
    n_estimators : int, default=128
        Number of members M.
    kinds : sequence of str, default=("kmeans", "spectral", "mixture", "tree")
        Kinds of members, which take turns in groups of four.  Fewer members than one round are
        shared out evenly, so that more members continue the sequence from one round on only.
    n_clusters : int, optional
        Number of clusters that is looked for: mixtures and trees have up to twice as many, if
        not more.
    {sequence_of_members}

    {generator_attributes}

    See Also
    --------
    KMeansEnsemble, LandmarkEnsemble, MixtureEnsemble, TreeEnsemble : one kind only, with more
        parameters.

    Notes
    -----
    k-means members have √n/2 to 3√n/2 centres (2 to ⌈√n⌉ for fewer than 200 objects), at most 200,
    and are trained on at most 4,000 objects.  Spectral members have 2 to ⌈√n⌉ clusters, at most
    100; four of them share a graph of at most 1,600 objects and 200 landmarks, each object with
    its q nearest landmarks, q from 5 to 10.  Mixtures and trees as in their own classes.  So the
    time is linear in n.

    k and q are not drawn: the i-th member of a kind takes the number at the fraction (i + ½)φ
    mod 1 of the range, φ = (√5 - 1)/2 (√2 for q), so that any number of members fills the range
    evenly, and ensembles with different seeds are comparable.  The members of a kind do not depend
    on the other kinds.

    All members of sparse rows are k-means with 2 to ⌈√n⌉ centres, as in `KMeansEnsemble`.

    Examples
    --------
    >>> from consens.datasets import make_rings
    >>> from consens.generate import MixedEnsemble
    >>> X, y = make_rings(random_state=0)
    >>> E = MixedEnsemble(4, random_state=0).fit_transform(X)
    >>> E.members["algorithm"].tolist()
    ['KMeans', 'LandmarkSpectral', 'GaussianMixture', 'Tree']
    """

    _parameter_constraints = rules(kinds=["array-like"], n_clusters=[*COUNT_RULE, None])
    _model_class = staticmethod(read_model)

    def __init__(
        self,
        n_estimators: int = 128,
        *,
        kinds: Sequence[str] = MEMBER_KINDS,
        n_clusters: int | None = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.kinds = kinds
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store

    def _plans(self, X: Any) -> list[Plan]:
        n, M = X.shape[0], self.n_estimators
        unknown = [kind for kind in self.kinds if kind not in MEMBER_KINDS]
        if unknown or not len(self.kinds):
            raise ValueError(
                f"kinds={self.kinds!r}; expected one or more of "
                f"{', '.join(map(repr, MEMBER_KINDS))}"
            )
        seeds = dict(
            zip(MEMBER_KINDS, spawn_seeds(self.random_state, len(MEMBER_KINDS)), strict=True)
        )
        if issparse(X):
            return plan_centers(M, n, seeds["kmeans"], sparse=True)
        # groups of four, in turn; fewer members than one round are shared out evenly
        n_kinds = len(self.kinds)
        groups = [MEMBERS_IN_TURN] * n_kinds
        if n_kinds * MEMBERS_IN_TURN > M:
            groups = [M // n_kinds + (i < M % n_kinds) for i in range(n_kinds)]
        counts = dict.fromkeys(self.kinds, 0)
        once = [kind for kind, size in zip(self.kinds, groups, strict=True) for _ in range(size)]
        turns = (once * ceil(M / len(once)))[:M]
        for kind in turns:
            counts[kind] += 1
        plans = {kind: iter(self._plan(kind, counts[kind], X, seeds[kind])) for kind in counts}
        ordered: list[Plan] = []
        taken = 0
        while taken < M:
            plan = next(plans[turns[taken]])
            ordered.append(plan)
            taken += len(plan)
        return ordered

    def _plan(self, kind: str, n_members: int, X: Any, seed: int) -> list[Plan]:
        """Plans of the members of one kind, of dense rows."""
        n, k = X.shape[0], self.n_clusters or 0
        if kind == "kmeans":
            return plan_centers(n_members, n, seed, sparse=False)
        if kind == "spectral":
            return plan_graphs(n_members, n, seed)
        if kind == "mixture":
            return plan_mixtures(X, n_members, few_clusters(n, k), None, seed)
        return plan_trees(n_members, n, tree_clusters(n, k), None, seed)
