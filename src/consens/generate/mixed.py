"""k-means members alternating with landmark-spectral members."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import ceil, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from consens.base import Seed, spawn_seeds
from consens.constraints import COUNT_RULE, rules
from consens.generate._base import BaseGenerator
from consens.generate._plan import Model, Plan, Sample, Trained
from consens.generate.kmeans import (
    MAX_SWEEPS,
    NO_CENTERS,
    SWEEPS_OF_QUARTER,
    SWEEPS_OF_SAMPLE,
    Centers,
    fit_kmeans,
    run_lloyd,
)
from consens.generate.landmarks import OBJECTS_PER_LANDMARK, LandmarkMap, plan_landmarks

#: Smallest number of objects for which landmarks describe the data well.
MIN_FOR_LANDMARKS = 200

#: Default number of members by the largest number of objects it is used for.
N_MEMBERS = {MIN_FOR_LANDMARKS - 1: 400, 1_000: 1200, 5_000: 400}
FEWEST_MEMBERS = 100

N_LANDMARKS = 200
N_NEIGHBORS = (5, 10)
MAX_SAMPLES = 4000
MAX_MEMBER_CLUSTERS = 200

#: Its multiples modulo 1 fill the unit interval evenly.
GOLDEN = (sqrt(5) - 1) / 2


def read_model(**fields: Any) -> Model:
    """Make a model of either kind from its fields."""
    return LandmarkMap(**fields) if "landmarks" in fields else Centers(**fields)


class MixedEnsemble(BaseGenerator):
    """Alternate between k-means and landmark-spectral clustering, each time with another k.

    k-means with many centres cuts the data into small round pieces; spectral members on landmarks
    follow dense regions of any shape (`LandmarkEnsemble`).  Objects that both kinds keep together
    belong together.

    Parameters
    ----------
    n_estimators : int or None, default=None
        Number of members M.  None means 1200 for 200 to 1,000 objects, 400 for fewer objects and
        for up to 5,000, and 100 for more.
    {sequence_of_members}

    {generator_attributes}

    See Also
    --------
    KMeansEnsemble, LandmarkEnsemble : one kind only, with more parameters.

    Notes
    -----
    Members 0, 2, ... are k-means with k from √n/2 to 3√n/2, trained on at most 4,000 objects.
    Members 1, 3, ... are spectral with k from 2 to ⌈√n⌉, on at most 200 landmarks and 1,600
    objects, each object with its q nearest landmarks, q from 5 to 10.  k is at most 200 and 100,
    so the time is linear in n.  k and q are not drawn: the i-th member of a kind takes the number
    at the fraction (i + ½)φ mod 1 of the range, φ = (√5 - 1)/2 (√2 for q), so that any number of
    members fills the range evenly, and ensembles with different seeds are comparable.

    For less than 200 objects, which are too few for landmarks, and for sparse rows all members
    are k-means with k from 2 to ⌈√n⌉, as in `KMeansEnsemble`.

    Examples
    --------
    >>> from consens.datasets import make_rings
    >>> from consens.generate import MixedEnsemble
    >>> X, y = make_rings(random_state=0)
    >>> E = MixedEnsemble(4, random_state=0).fit_transform(X)
    >>> E.members["algorithm"].tolist()
    ['KMeans', 'LandmarkSpectral', 'KMeans', 'LandmarkSpectral']
    """

    _parameter_constraints = rules(n_estimators=[*COUNT_RULE, None])
    _model_class = staticmethod(read_model)

    def __init__(
        self,
        n_estimators: int | None = None,
        *,
        random_state: Seed = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store

    def _plans(self, X: Any) -> list[Plan]:
        n = X.shape[0]
        n_members = self.n_estimators
        if n_members is None:
            n_members = next((m for most, m in N_MEMBERS.items() if n <= most), FEWEST_MEMBERS)
        seeds = spawn_seeds(self.random_state, n_members)
        if n < MIN_FOR_LANDMARKS or issparse(X):
            high = ceil(sqrt(n))
            fit = partial(fit_kmeans, view=Centers(NO_CENTERS), large=n > MAX_SAMPLES)
            return [
                _plan_kmeans(n, seed, _spread(m, min(2, high), high), fit)
                for m, seed in enumerate(seeds)
            ]
        high = min(ceil(1.5 * sqrt(n)), MAX_MEMBER_CLUSTERS)
        return [
            _plan_spectral(n, seed, m // 2)
            if m % 2
            else _plan_kmeans(n, seed, _spread(m // 2, high // 3, high), fit_lloyd)
            for m, seed in enumerate(seeds)
        ]


def _spread(i: int, low: int, high: int, step: float = GOLDEN) -> int:
    """The i-th number of a sequence whose beginnings all fill low to high evenly."""
    return low + int((high - low + 1) * ((i + 0.5) * step % 1))


def _plan_kmeans(n: int, seed: int, k: int, fit: Callable[..., Trained]) -> Plan:
    sample = Sample(np.random.default_rng(seed), n, MAX_SAMPLES)
    parameters = {"n_clusters": k, "max_samples": len(sample)}
    return Plan(partial(fit, k=k, seed=seed), Centers.algorithm, seed, sample, parameters)


def fit_lloyd(rows: Any, *, k: int, seed: int) -> Trained:
    """Run k-means from k objects drawn at random; many objects get only a few sweeps."""
    start = rows[np.random.default_rng((seed, 1)).choice(len(rows), k, replace=False)]
    if len(rows) < MAX_SAMPLES:
        return Trained(Centers(run_lloyd(rows, start, MAX_SWEEPS)))
    centers = run_lloyd(rows[::4], start, SWEEPS_OF_QUARTER)
    return Trained(Centers(run_lloyd(rows, centers, SWEEPS_OF_SAMPLE)))


def _plan_spectral(n: int, seed: int, i: int) -> Plan:
    size = min(n, OBJECTS_PER_LANDMARK * N_LANDMARKS)
    p = min(N_LANDMARKS, size // 2)
    rng = np.random.default_rng(seed)
    k = _spread(i, 2, min(ceil(sqrt(n)), p // 2))
    q = _spread(i, *N_NEIGHBORS, step=sqrt(2))
    return plan_landmarks(rng, seed, n, size, k, p, q)
