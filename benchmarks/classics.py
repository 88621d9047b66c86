"""The classic consensus functions: CSPA, HGPA, MCLA, HBGF.

    python -m benchmarks.classics [NAME ...] [--json FILE]

    twenty_thousand   all of them at n = 20,000, M = 20, where no peer runs CSPA
    million           MCLA and HBGF at n = 1,000,000, M = 20, against scipy's B.T @ B alone
    growth            growth exponents of MCLA and HBGF in n

The ensembles have 10 planted classes and members of 5 to 39 clusters, each a random coarsening
of the classes with a fifth of the labels drawn anew; all label rows are distinct at these sizes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks._harness import Bench, main
from consens import Ensemble
from consens._labels import indicator
from consens.consensus import CSPA, HBGF, HGPA, MCLA
from consens.measure import ari

CLASSES = 10
WARM = {"n": 25_000}  # takes the compiled paths


def planted(n: int, m: int, seed: int = 0) -> tuple[Ensemble, np.ndarray]:
    """An ensemble of m members and the classes that it was made from."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, CLASSES, n)
    members = []
    for k in rng.integers(5, 40, m):
        pieces = rng.integers(0, k, (CLASSES, 3))
        labels = pieces[y, rng.integers(0, 3, n)]
        wrong = rng.random(n) < 0.2
        labels[wrong] = rng.integers(0, k, wrong.sum())
        members.append(labels)
    return Ensemble.from_labels(np.stack(members, axis=1)), y


def _indicator(n: int, m: int, seed: int = 0) -> Any:
    return indicator(planted(n, m, seed)[0].labels)


def product(B: Any) -> None:
    B.T @ B


def _fit(model: Any, case: tuple[Ensemble, np.ndarray]) -> dict[str, float]:
    ensemble, y = case
    return {"ari": ari(model.fit_predict(ensemble), y)}


def cspa(case: tuple[Ensemble, np.ndarray]) -> dict[str, float]:
    return _fit(CSPA(CLASSES, random_state=0), case)


def cspa_spectral(case: tuple[Ensemble, np.ndarray]) -> dict[str, float]:
    return _fit(CSPA(CLASSES, partitioner="spectral", random_state=0), case)


def hgpa(case: tuple[Ensemble, np.ndarray]) -> dict[str, float]:
    return _fit(HGPA(CLASSES, random_state=0), case)


def mcla(case: tuple[Ensemble, np.ndarray]) -> dict[str, float]:
    return _fit(MCLA(CLASSES, random_state=0), case)


def hbgf(case: tuple[Ensemble, np.ndarray]) -> dict[str, float]:
    return _fit(HBGF(CLASSES, random_state=0), case)


def hbgf_metis(case: tuple[Ensemble, np.ndarray]) -> dict[str, float]:
    return _fit(HBGF(CLASSES, partitioner="metis", random_state=0), case)


def twenty_thousand(bench: Bench) -> None:
    n = 20_000
    dense = 8.0 * n * n / 1e6
    for name, method in {
        "CSPA": cspa,
        "CSPA spectral": cspa_spectral,
        "HGPA": hgpa,
        "MCLA": mcla,
        "HBGF": hbgf,
        "HBGF metis": hbgf_metis,
    }.items():
        done = bench.measure(name, planted, method, n=n, m=20)
        # less than the dense co-association alone
        bench.memory(done, at_most=dense)


def million(bench: Bench) -> None:
    given = {"n": 1_000_000, "m": 20}
    reference = bench.measure("scipy B.T @ B", _indicator, product, **given)
    for name, method in {"MCLA": mcla, "HBGF": hbgf}.items():
        own = bench.measure(name, planted, method, warm=WARM, repeats=2, **given)
        bench.ratio(reference, own, at_least=4)


def growth(bench: Bench) -> None:
    for name, method in {"MCLA": mcla, "HBGF": hbgf}.items():
        sizes = [
            bench.measure(name, planted, method, warm=WARM, repeats=2, n=n, m=20)
            for n in (500_000, 1_000_000, 2_000_000)
        ]
        bench.growth(sizes, at_most=1.2)


if __name__ == "__main__":
    main(__doc__, twenty_thousand, million, growth)
