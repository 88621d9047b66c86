"""Evidence accumulation against scipy and fastcluster, which need the matrix of all pairs.

    python -m benchmarks.linkage [average_link single_link dense large] [--json FILE]

Ensembles of 20 members with 2 to √n clusters.  In 2 dimensions about half of the objects have
equal label rows; in 10 dimensions no two have (nearly).  The references get 1 - co-association
as condensed float64, "matrix given"; "matrix included" starts from the labels.  Needs about 10
GB of memory for the references; fastcluster is not a dependency: pip install fastcluster.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.cluster import hierarchy

from benchmarks._ensembles import cooccurrence, voronoi
from benchmarks._harness import Bench, Measurement, main
from consens import Ensemble
from consens._labels import indicator, unique_rows
from consens.consensus import EAC

N = 20_000
SIZES = (10_000, 20_000, 40_000)
WARM = {"n": 6_000}  # enough for the compiled paths
K = 8


def distances(n: int, **params: Any) -> np.ndarray:
    """Condensed 1 - co-association."""
    ensemble = voronoi(n, **params)
    return condensed(cooccurrence(ensemble), ensemble.shape[1])


def condensed(counts: np.ndarray, members: int) -> np.ndarray:
    n = len(counts)
    result = np.empty(n * (n - 1) // 2)
    place = 0
    for i in range(n - 1):
        result[place : place + n - 1 - i] = counts[i, i + 1 :]
        place += n - 1 - i
    result /= -members
    result += 1
    return result


def eac_average(ensemble: Ensemble) -> dict[str, Any]:
    EAC(K).fit(ensemble)
    return {"distinct rows": len(unique_rows(ensemble.labels).rows)}


def eac_single(ensemble: Ensemble) -> None:
    EAC(K, linkage="single").fit(ensemble)


def eac_complete(ensemble: Ensemble) -> None:
    EAC(K, linkage="complete").fit(ensemble)


def scipy_average(matrix: np.ndarray) -> None:
    hierarchy.linkage(matrix, "average")


def scipy_average_with_matrix(ensemble: Ensemble) -> None:
    B = indicator(ensemble.labels, dtype=np.float32).toarray()
    hierarchy.linkage(condensed(B @ B.T, ensemble.shape[1]), "average")


def fastcluster_average(matrix: np.ndarray) -> None:
    import fastcluster

    fastcluster.average(matrix)


def fastcluster_single(matrix: np.ndarray) -> None:
    import fastcluster

    fastcluster.single(matrix)


def counts(ensemble: Ensemble) -> None:
    cooccurrence(ensemble)


def dense_indicator(n: int, **params: Any) -> np.ndarray:
    return indicator(voronoi(n, **params).labels, dtype=np.float32).toarray()


def blas(B: np.ndarray) -> dict[str, Any]:
    S = B @ B.T
    return {"clusters": B.shape[1], "largest": float(S[0].max())}


# --------------------------------------------------------------------------- benchmarks


def average_link(bench: Bench) -> None:
    """EAC with average link: at least 20 times faster than scipy, 8 times without duplicates."""
    for d, least in ((2, 20), (10, 8)):
        own = bench.measure("EAC average", voronoi, eac_average, warm=WARM, n=N, d=d, repeats=3)
        reference = bench.measure(
            "scipy average, matrix given", distances, scipy_average, n=N, d=d
        )
        bench.ratio(reference, own, at_least=least)
        bench.memory(own, at_most=100)
    d = 2
    own = bench.measure("EAC average", voronoi, eac_average, warm=WARM, n=N, d=d, repeats=3)
    for name, inputs, function in (
        ("fastcluster average, matrix given", distances, fastcluster_average),
        ("scipy average, matrix included", voronoi, scipy_average_with_matrix),
    ):
        bench.ratio(bench.measure(name, inputs, function, n=N, d=d), own, at_least=20)
    for d in (2, 10):
        bench.growth(grow(bench, "EAC average", eac_average, d), at_most=2.1)


def single_link(bench: Bench) -> None:
    """EAC with single link: at least 50 times faster than fastcluster."""
    own = bench.measure("EAC single", voronoi, eac_single, warm=WARM, n=N, d=2, repeats=3)
    reference = bench.measure(
        "fastcluster single, matrix given", distances, fastcluster_single, n=N, d=2
    )
    bench.ratio(reference, own, at_least=50)
    bench.memory(own, at_most=100)
    for d in (2, 10):
        bench.growth(grow(bench, "EAC single", eac_single, d), at_most=2.1)


def dense(bench: Bench) -> None:
    """The matrix, where it is wanted: at least 30 times faster than a product by BLAS."""
    own = bench.measure("cooccurrence", voronoi, counts, warm=WARM, n=N, repeats=3)
    bench.ratio(bench.measure("BLAS float32 B B'", dense_indicator, blas, n=N), own, at_least=30)
    bench.measure("EAC complete", voronoi, eac_complete, warm=WARM, n=N, d=2)


def large(bench: Bench) -> None:
    """100,000 objects: average link in less than 300 MB."""
    for d in (2, 10):
        own = bench.measure("EAC average", voronoi, eac_average, warm=WARM, n=100_000, d=d)
        bench.memory(own, at_most=300)
    bench.measure("EAC single", voronoi, eac_single, warm=WARM, n=100_000, d=2)


def grow(bench: Bench, name: str, function: Any, d: int) -> list[Measurement]:
    return [bench.measure(name, voronoi, function, warm=WARM, n=n, d=d, repeats=2) for n in SIZES]


if __name__ == "__main__":
    main(__doc__, average_link, single_link, dense, large)
