"""Locally adaptive clustering: the cost of an iteration, and the memory of an ensemble.

    python -m benchmarks.lac [iteration] [ensemble] [--json FILE]

iteration  one iteration of LAC against one of scikit-learn's KMeans (Lloyd), one thread each;
           n = 100,000 objects in 50 features, 10 clusters
ensemble   20 values of h on up to a million objects in 20 features: extra memory grows as n
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from benchmarks._harness import Bench, Measurement, main
from consens.generate import LACEnsemble
from consens.generate.lac import adapt

FEW, MANY = 5, 30  # iterations: what both have in common cancels in the difference
INVERSE_H = range(1, 21)


def objects(n: int, d: int, k: int, iterations: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Objects without clusters, so that no run comes to rest early, and a start."""
    X = np.random.default_rng(0).normal(size=(n, d))
    return X, X[:k].copy(), iterations


def lac(given: Any) -> dict[str, int]:
    X, start, iterations = given
    with threadpool_limits(1):
        return {"iterations": adapt(X, start, h=1.0, max_iter=iterations).n_iter}


def kmeans(given: Any) -> dict[str, int]:
    X, start, iterations = given
    model = KMeans(len(start), init=start, n_init=1, max_iter=iterations, tol=0)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return {"iterations": model.fit(X).n_iter_}


def iteration(bench: Bench) -> None:
    shape = {"n": 100_000, "d": 50, "k": 10}
    seconds = {}
    for name, function in (("LAC", lac), ("scikit-learn KMeans", kmeans)):
        few, many = (
            bench.measure(name, objects, function, warm={}, repeats=5, **shape, iterations=i)
            for i in (FEW, MANY)
        )
        done = many.figures["iterations"] - few.figures["iterations"]
        seconds[name] = (many.cpu_seconds - few.cpu_seconds) / done
    own, reference = seconds["LAC"], seconds["scikit-learn KMeans"]
    bench.compare("CPU time of a LAC iteration / a KMeans iteration", own / reference, at_most=2)


def data(n: int, d: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    centers = rng.normal(scale=4, size=(10, d))
    return centers[rng.integers(0, 10, n)] + rng.normal(size=(n, d))


def ensemble_of(X: np.ndarray) -> dict[str, int]:
    generator = LACEnsemble(10, inverse_h=INVERSE_H, max_iter=5, random_state=0)
    return {"members": generator.fit_transform(X).shape[1]}


def ensemble(bench: Bench) -> None:
    sizes = [
        bench.measure(
            "LACEnsemble, 20 values of h", data, ensemble_of, warm={"n": 20_000}, n=n, d=20
        )
        for n in (250_000, 500_000, 1_000_000)
    ]
    bench.growth(sizes, at_most=1.1)
    bench.compare("growth exponent of its extra memory", _memory_growth(sizes), at_most=1.1)
    largest = sizes[-1]
    given = 8 * largest.params["n"] * largest.params["d"] / 1e6
    bench.compare("extra MB per MB of X", largest.extra_mb / given, at_most=2)


def _memory_growth(sizes: list[Measurement]) -> float:
    x = np.log([size.params["n"] for size in sizes])
    return float(np.polyfit(x, np.log([size.extra_mb for size in sizes]), 1)[0])


if __name__ == "__main__":
    main(__doc__, iteration, ensemble)
