"""Selection from a library: the NMI of every pair of members.

    python -m benchmarks.selection [--json FILE]

Against a double loop over scikit-learn's normalized_mutual_info_score.  The loop is timed on a
sample of the pairs and counted for all of them.
"""

from __future__ import annotations

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from benchmarks._harness import Bench, main
from consens import Ensemble, measure

LOOP_PAIRS = 500
WARM = {"n": 1_200}


def library(n: int, m: int, noise: float = 0.3, seed: int = 0) -> Ensemble:
    """Members with 2 to 14 clusters that agree in part: cuts of a common line, shaken."""
    rng = np.random.default_rng(seed)
    place = rng.uniform(size=n)
    members = [
        ((place + noise * rng.normal(size=n)).clip(0, 0.999) * k).astype(np.int32)
        for k in rng.integers(2, 15, size=m)
    ]
    return Ensemble.from_labels(np.stack(members, axis=1))


def all_pairs(ensemble: Ensemble) -> None:
    measure.pairwise_nmi(ensemble)


def sampled_loop(ensemble: Ensemble) -> None:
    """Some of the pairs, one by one, by scikit-learn."""
    labels = ensemble.labels
    for p, q in np.random.default_rng(1).integers(0, labels.shape[1], (LOOP_PAIRS, 2)):
        normalized_mutual_info_score(labels[:, p], labels[:, q], average_method="geometric")


def pairwise_nmi(bench: Bench) -> None:
    n, m = 2_000, 600
    own = bench.measure("pairwise_nmi", library, all_pairs, n=n, m=m, repeats=3, warm=WARM)
    loop = bench.measure("scikit-learn, sampled pairs", library, sampled_loop, n=n, m=m, warm=WARM)
    pairs = m * (m - 1) / 2
    bench.compare(
        f"time of a double loop over scikit-learn ({pairs:.0f} pairs) / pairwise_nmi",
        loop.cpu_seconds / LOOP_PAIRS * pairs / own.cpu_seconds,
        at_least=50,
    )
    bench.memory(own, at_most=100)
    large = bench.measure("pairwise_nmi", library, all_pairs, n=n, m=1_000, warm=WARM)
    bench.memory(large, at_most=100)
    sizes = [
        bench.measure("pairwise_nmi", library, all_pairs, n=size, m=200, warm=WARM)
        for size in (5_000, 20_000, 80_000)
    ]
    bench.growth(sizes, at_most=1.1)


if __name__ == "__main__":
    main(__doc__, pairwise_nmi)
