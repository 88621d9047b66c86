"""What the default gives, beside what a user would take instead.

    python -m studies.defaults --data DIR [--runs 4] [--seed 0] [--only NAME] [--out DIR]

From features: ARI with the number of classes given, sets of more than 600 objects as a sample,
mean over the runs.  "default" is ConsensusClustering(k); k-means has ten starts, Ward and HDBSCAN
no random part, the Gaussian mixture full covariances, spectral clustering ten neighbours.  Sets
are divided by studies/_split.py into those that the default was developed on and those that it is
judged by; real data and shapes are apart, and the 21 sets of earlier versions of this study have a
table of their own.  --only takes development, validation, former or pools.

Pools: 20 of the 100 partitions that the authors of LWMC publish per set, drawn anew in each run;
NMI by the geometric mean, and ARI.  "default" is combine(labels, n_clusters=k), "drawn" a
DrawnConsensus whose draws are combined by LWEA alone.  The pools are no validation: that members
are drawn from 20 clusterings on, how many objects a draw takes and what combines it was decided by
looking at them, too.

With --out, finished runs are kept in answers.jsonl, and a study that was stopped goes on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import consens
from consens import consensus
from consens._labels import compact
from consens.ensemble import Ensemble
from consens.measure import ari, nmi
from studies import _split
from studies._answers import METHODS, Answers
from studies._data import MissingData, load
from studies._run import chosen, parser, say
from studies._table import markdown

POOLS = ["pool_semeion", "pool_steel_plates", "pool_mfeat", "pool_isolet"]
N_MEMBERS = 20

TABLES = {
    "validation": {
        "Real sets to validate on": _split.VALIDATE_REAL,
        "Shapes to validate on": _split.VALIDATE_SHAPES,
    },
    "development": {
        "Real sets to develop on": _split.DEVELOP_REAL,
        "Shapes to develop on": _split.DEVELOP_SHAPES,
    },
    "former": {
        "Real sets of the former study": _split.FORMER_REAL,
        "Shapes of the former study": _split.FORMER_SHAPES,
    },
}

COMBINERS: dict[str, Any] = {
    "default": lambda e, k: consens.combine(e, n_clusters=k),
    "drawn": lambda e, k: consensus.DrawnConsensus(k, random_state=0).fit(e),
    "CosineLWEA": lambda e, k: consensus.CosineLWEA(k).fit(e),
    "EAC": lambda e, k: consensus.EAC(k).fit(e),
    "LWGP": lambda e, k: consensus.LWGP(k, random_state=0).fit(e),
    "LWMC": lambda e, k: consensus.LWMC(k, random_state=0).fit(e),
}


def feature_table(title: str, names: list[str], answers: Answers, seeds: range) -> list[float]:
    """Print the table of some sets; return the mean of each method."""
    rows, means = [], []
    for name, y in answers.available(names).items():
        found = []
        for method in METHODS:
            runs = seeds if method not in ("Ward", "HDBSCAN") else seeds[:1]
            scores = [ari(y, np.array(answers.get(name, method, s)["labels"])) for s in runs]
            found.append(float(np.mean(scores)))
        means.append(found)
        rows.append([name, *(f"{value:.3f}" for value in found)])
    if not rows:
        return []
    mean = np.mean(means, axis=0)
    rows.append(["**mean**", *(f"**{value:.3f}**" for value in mean)])
    print(f"\n{title}, ARI:\n\n" + markdown(["data", *METHODS], rows), flush=True)
    return mean.tolist()


def pool_table(folder: Path, runs: int, seed: int) -> None:
    """Print NMI and ARI of methods on partitions made elsewhere."""
    found: dict[str, list[Any]] = {method: [] for method in COMBINERS}
    names = []
    for name in POOLS:
        try:
            members, classes = load(folder, name)
        except MissingData as missing:
            say(str(missing))
            continue
        names.append(name)
        y = compact(classes)
        scores: dict[str, list[list[float]]] = {method: [] for method in COMBINERS}
        for run in range(seed, seed + runs):
            drawn = np.random.default_rng(run).choice(members.shape[1], N_MEMBERS, replace=False)
            ensemble = Ensemble.from_labels(members[:, drawn].astype(np.int64))
            for method, combine in COMBINERS.items():
                labels = combine(ensemble, len(np.unique(y))).labels_
                scores[method].append([nmi(y, labels), ari(y, labels)])
            say(f"{name}, seed {run}")
        for method, values in scores.items():
            found[method].append(np.mean(values, axis=0))
    rows = [
        [method, *(f"{a:.3f} / {b:.3f}" for a, b in [*values, np.mean(values, axis=0)])]
        for method, values in found.items()
        if values
    ]
    print(f"\nPools, {runs} draws, NMI / ARI:\n\n" + markdown(["method", *names, "mean"], rows))


def main() -> None:
    options = parser(__doc__, runs=4).parse_args()
    seeds = range(options.seed, options.seed + options.runs)
    answers = Answers(options.data, options.out)
    print(f"Seeds {seeds[0]} to {seeds[-1]}; at most 600 objects of a set. {_split.LOOKS}")
    parts = chosen([*TABLES, "pools"], options.only)
    for part, tables in TABLES.items():
        if part in parts:
            for title, names in tables.items():
                feature_table(title, names, answers, seeds)
    if "pools" in parts:
        pool_table(options.data, options.runs, options.seed)


if __name__ == "__main__":
    main()
