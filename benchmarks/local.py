"""Clusters of all members: the contingency that everything starts from, LWMC and LWGP.

    python -m benchmarks.local [contingency lwmc lwgp ten_million] [--json FILE]

Against SciPy's sparse product B.T @ B of the indicator, which is made beforehand and not timed.
Ensembles are planted: ten groups, members that split them into 10 to 100 clusters, and one label
in ten at random.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from benchmarks._harness import MB, Bench, main
from consens import Ensemble
from consens._labels import contingency as count
from consens._labels import indicator
from consens.consensus import LWGP, LWMC

SCIPY = "scipy B.T @ B"
N_GROUPS = 10
WARM = {"n": 30_000}  # enough for the compiled path


def planted(n: int, m: int, seed: int = 0) -> Ensemble:
    """Members that split ten groups, each in its own way, with a tenth of the labels at random."""
    rng = np.random.default_rng(seed)
    labels = np.empty((n, m), dtype=np.int32, order="F")
    splits = rng.integers(1, 11, m)
    for start in range(0, n, 1_000_000):
        part = slice(start, min(start + 1_000_000, n))
        group = rng.integers(0, N_GROUPS, part.stop - start, dtype=np.int32)
        for member, pieces in enumerate(splits):
            own = group * pieces + rng.integers(0, pieces, len(group), dtype=np.int32)
            wrong = rng.random(len(group)) < 0.1
            own[wrong] = rng.integers(0, N_GROUPS * pieces, wrong.sum())
            labels[part, member] = own
    return Ensemble(labels)


def planted_indicator(n: int, m: int, seed: int = 0) -> csr_array:
    return indicator(planted(n, m, seed).labels)


def scipy_product(B: csr_array) -> None:
    B.T @ B


def features(n: int, d: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, d))


def two_iterations(X: np.ndarray) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        KMeans(N_GROUPS, init=X[:N_GROUPS], n_init=1, max_iter=2, tol=0).fit(X)


def count_shared(ensemble: Ensemble) -> dict[str, int]:
    return {"cells": count(ensemble.labels).nnz}


def fit_lwmc(ensemble: Ensemble) -> dict[str, int]:
    return {"clusters": LWMC(N_GROUPS, random_state=0).fit(ensemble).n_clusters_}


def fit_lwgp(ensemble: Ensemble) -> dict[str, int]:
    return {"clusters": LWGP(N_GROUPS, random_state=0).fit(ensemble).n_clusters_}


def contingency(bench: Bench) -> None:
    _measure(bench, "contingency", count_shared, times_scipy=15)


def lwmc(bench: Bench) -> None:
    _measure(bench, "LWMC", fit_lwmc, times_scipy=4)


def lwgp(bench: Bench) -> None:
    _measure(bench, "LWGP", fit_lwgp, times_scipy=4)


def ten_million(bench: Bench) -> None:
    """LWMC where the labels alone take 400 MB, beside two iterations of k-means on features."""
    n, m = 10_000_000, 10
    own = bench.measure("LWMC", planted, fit_lwmc, n=n, m=m, warm=WARM)
    bench.memory(own, at_most=2 * 4 * n * m / MB)
    kmeans = bench.measure(
        "scikit-learn KMeans, 2 iterations", features, two_iterations, n=n, d=10
    )
    bench.ratio(kmeans, own, at_least=1)


def _measure(
    bench: Bench, name: str, function: Callable[[Ensemble], Any], *, times_scipy: float
) -> None:
    """A million objects against SciPy, and the growth up to there."""
    n, m = 1_000_000, 20
    reference = next((r for r in bench.measurements if r.name == SCIPY), None)
    if reference is None:
        reference = bench.measure(SCIPY, planted_indicator, scipy_product, n=n, m=m, repeats=3)
    sizes = [
        bench.measure(name, planted, function, n=size, m=m, warm=WARM, repeats=3)
        for size in (n // 4, n // 2, n)
    ]
    bench.ratio(reference, sizes[-1], at_least=times_scipy)
    bench.growth(sizes, at_most=1.1)


if __name__ == "__main__":
    main(__doc__, contingency, lwmc, lwgp, ten_million)
