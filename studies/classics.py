"""The classic consensus functions on scikit-learn's iris, wine and digits.

    python -m studies.classics [--runs 10] [--seed 0] [--only NAME] [--out DIR]

One common ensemble for all methods in each run: 30 partitions by k-means with random starts, k
drawn from 2 to √n for each, features as they are.  Every method is told the number of classes.
Adjusted Rand index with the classes, mean ± sd of the runs, beside the mean of k-means runs with
the true k; then the fewest clusters that a method gave in any run and the fewest objects that
one of them held.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets

from consens import Ensemble
from consens._support.seeds import spawn_seeds
from consens.consensus import CSPA, HBGF, HGPA, MCLA, BaseConsensus, CoassociationKMeans
from consens.generate import KMeansEnsemble
from consens.measure import anmi, ari
from studies._run import chosen, say, write_json
from studies._single import kmeans
from studies._table import markdown, measured

N_PARTITIONS = 30
KMEANS_RUNS = 10

DATA = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "digits": datasets.load_digits,
}


class BestOfThree(BaseConsensus):
    """The answer of CSPA, HGPA or MCLA that shares most information with the members."""

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        made = zip((CSPA, HGPA, MCLA), spawn_seeds(self.random_state, 3), strict=True)
        found = [
            method(self.n_clusters, random_state=seed).fit_predict(ensemble)
            for method, seed in made
        ]
        return max(found, key=lambda labels: round(anmi(labels, ensemble), 12))


METHODS: dict[str, Callable[..., Any]] = {
    "CSPA": CSPA,
    "CSPA, parts within 5 %": lambda **given: CSPA(imbalance=0.05, **given),
    "CSPA, spectral": lambda **given: CSPA(partitioner="spectral", **given),
    "HGPA": HGPA,
    "MCLA": MCLA,
    "HBGF": HBGF,
    "HBGF, METIS": lambda **given: HBGF(partitioner="metis", **given),
    "co-association k-means": CoassociationKMeans,
    "best of CSPA, HGPA, MCLA": BestOfThree,
}


def run(X: np.ndarray, y: np.ndarray, seed: int) -> dict[str, dict[str, float]]:
    """Scores and cluster counts of all methods on one ensemble."""
    k = len(np.unique(y))
    sizes = (2, int(np.sqrt(len(X))))
    ensemble = KMeansEnsemble(N_PARTITIONS, n_clusters=sizes, random_state=seed).fit_transform(X)
    single = [ari(y, kmeans(X, k, 1000 * seed + t)) for t in range(KMEANS_RUNS)]
    scores = {"k-means with the true k": {"ari": float(np.mean(single))}}
    for name, make in METHODS.items():
        labels = make(n_clusters=k, random_state=seed).fit_predict(ensemble)
        counts = np.bincount(labels)
        scores[name] = {
            "ari": ari(y, labels),
            "clusters": len(counts),
            "smallest": int(counts.min()),
        }
    return scores


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument("--runs", type=int, default=10, help="repetitions (10)")
    options.add_argument("--seed", type=int, default=0, help="run r uses seed + r (0)")
    options.add_argument("--only", action="append", default=[], metavar="NAME", help="a data set")
    options.add_argument("--out", type=Path, help="folder for results as files")
    given = options.parse_args()
    names = chosen(DATA, given.only)
    results: dict[str, list[dict[str, dict[str, float]]]] = {}
    for name in names:
        X, y = DATA[name](return_X_y=True)
        say(f"{name}: {len(X)} objects, {len(np.unique(y))} classes")
        results[name] = [run(X, y, given.seed + r) for r in range(given.runs)]
    rows = []
    for method in results[names[0]][0]:
        cells = [measured([r[method]["ari"] for r in results[name]], 3) for name in names]
        if method in METHODS:
            least = [
                [min(r[method][what] for r in results[name]) for name in names]
                for what in ("clusters", "smallest")
            ]
            cells += [", ".join(str(int(v)) for v in values) for values in least]
        else:
            cells += ["", ""]
        rows.append([method, *cells])
    print(
        f"Adjusted Rand index, mean ± sd of {given.runs} runs, seeds {given.seed} to "
        f"{given.seed + given.runs - 1}; {N_PARTITIONS} partitions by k-means, k drawn from 2 to "
        f"√n; k-means: mean of {KMEANS_RUNS} single runs.\n"
    )
    print(markdown(["method", *names, "fewest clusters", "smallest cluster"], rows))
    write_json(given.out, "classics.json", results)


if __name__ == "__main__":
    main()
