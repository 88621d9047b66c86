"""CA-HNE against a naive program, and on many objects.

    python -m benchmarks.cahne [naive_program many_objects] [--json FILE]

30 members, threshold 0.3, as in the paper.  The naive program looks at all pairs of groups, by
NumPy, before every merge.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks._ensembles import cooccurrence, voronoi
from benchmarks._harness import Bench, main
from consens import Ensemble
from consens.consensus import CAHNE

THRESHOLD = 0.3
K = 8
SETTING = {"members": 30, "low": 20, "high": 40}
WARM = {"n": 2_000}


def cahne(ensemble: Ensemble) -> dict[str, Any]:
    model = CAHNE(K, threshold=THRESHOLD).fit(ensemble)
    by_edges = int(np.count_nonzero(model.merges_[:, 2]))
    return {"edges": model.n_edges_, "merges by edges": by_edges}


def naive(ensemble: Ensemble) -> dict[str, Any]:
    edges = (cooccurrence(ensemble) > THRESHOLD * ensemble.shape[1] + 1e-9).astype(np.float64)
    np.fill_diagonal(edges, 0)
    exponent = 1 + (1 - THRESHOLD) / (1 + THRESHOLD)
    size = np.ones(len(edges))
    merged = 0
    while len(size) > K:
        power = size**exponent
        value = edges / ((size[:, None] + size) ** exponent - power[:, None] - power)
        a, b = np.unravel_index(np.triu(value, k=1).argmax(), value.shape)
        if edges[a, b] == 0:
            break
        edges[a] += edges[b]
        edges[:, a] += edges[:, b]
        size[a] += size[b]
        edges[a, a] = 0
        edges = np.delete(np.delete(edges, b, axis=0), b, axis=1)
        size = np.delete(size, b)
        merged += 1
    return {"merges by edges": merged}


def naive_program(bench: Bench) -> None:
    """At least 50 times faster than the naive program at n = 1,000."""
    own = bench.measure("CA-HNE", voronoi, cahne, warm=WARM, n=1_000, repeats=3, **SETTING)
    bench.ratio(bench.measure("naive NumPy", voronoi, naive, n=1_000, **SETTING), own, at_least=50)


def many_objects(bench: Bench) -> None:
    """20,000 objects, and the growth up to there."""
    sizes = [
        bench.measure("CA-HNE", voronoi, cahne, warm=WARM, n=n, members=30, low=2)
        for n in (5_000, 10_000, 20_000)
    ]
    bench.growth(sizes, at_most=2.1)


if __name__ == "__main__":
    main(__doc__, naive_program, many_objects)
