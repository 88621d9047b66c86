"""Li, Yu, Hao and Li 2007, normalised edges: published beside measured.

    python -m studies.paper1 --data DIR [--runs 20] [--seed 0] [--only DATA] [--out DIR]

Table 2: error rates of single runs of k-means, single link, average link and spectral
clustering, and of combinations of partitions by k-means with random starts.  CA-HNE combines 30
partitions with a fixed k, the other methods 50.  The base k is not printed for most data sets:
the table says what was used.  The final number of clusters is the number of classes;
background points are clustered but do not count as errors.

Methods that this version of consens lacks, and data that cannot be had, show as "–".
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from consens import consensus, datasets
from consens.generate import BoostedKMeans, KMeansEnsemble
from consens.measure import error_rate
from studies import _single
from studies._data import DataSet, MissingData, drawn, load, load_or_draw
from studies._run import chosen, parser, say, write_json
from studies._table import beside, markdown

N_PARTITIONS = 50
N_PARTITIONS_HNE = 30
THRESHOLD = 0.3


class Source(NamedTuple):
    """Where a data set comes from; base k of EAC's and of CA-HNE's partitions."""

    read: Callable[[Path, int], DataSet]
    k_range: tuple[int, int]
    k_hne: tuple[int, ...]


DATA = {
    "2-spirals": Source(
        lambda f, seed: load_or_draw(f, "shape_spirals_2x100", datasets.make_spirals, seed),
        (50, 70),
        (60,),
    ),
    "Complex image": Source(
        lambda f, seed: drawn(datasets.make_complex_image, seed), (20, 40), (40, 60)
    ),
    "3-paths": Source(lambda f, seed: drawn(datasets.make_paths, seed), (20, 40), (20, 25)),
    "Breast-cancer": Source(lambda f, seed: DataSet(*load(f, "breast_w")), (10, 30), (8, 15)),
    "Std Yeast": Source(lambda f, seed: DataSet(*load(f, "yeast384_std")), (10, 30), (8, 15)),
}

# combination methods: class of consens.consensus, parameters, what the partitions are
METHODS: dict[str, tuple[str, dict[str, Any], str]] = {
    "CSPA": ("CSPA", {"imbalance": 0.05}, "true k"),
    "HGPA": ("HGPA", {"imbalance": 0.05}, "true k"),
    "MCLA": ("MCLA", {}, "true k"),
    "Boost-KM": ("Voting", {}, "boosted"),
    "EAC-SL": ("EAC", {"linkage": "single"}, "drawn k"),
    "EAC-AL": ("EAC", {"linkage": "average"}, "drawn k"),
    "Latent-EM": ("LatentEM", {}, "true k"),
}
COLUMNS = ["KM", "SL", "AL", "SC", *METHODS, "CA-HNE"]

# mean error rates, as printed
TABLE_2 = {
    "2-spirals": [0.399, 0, 0.480, 0, 0.418, 0.394, 0.365, 0.429, 0, 0.325, 0.418, 0],
    "Complex image": [
        *(0.550, 0.523, 0.478, 0.250, 0.404, 0.389),
        *(0.397, 0.533, 0.136, 0.546, 0.540, 0.013),
    ],
    "3-paths": [
        *(0.327, 0.667, 0.350, 0.046, 0.212, 0.251),
        *(0.214, 0.328, 0.617, 0.375, 0.349, 0.006),
    ],
    "Breast-cancer": [
        *(0.039, 0.349, 0.057, 0.029, 0.167, 0.147),
        *(0.131, 0.039, 0.319, 0.047, 0.039, 0.030),
    ],
    "Std Yeast": [
        *(0.358, 0.638, 0.341, 0.320, 0.442, 0.431),
        *(0.422, 0.332, 0.594, 0.349, 0.390, 0.333),
    ],
}


def measure(source: Source, data: DataSet, runs: int, seed: int) -> dict[str, list[float]]:
    """Error rates of every column, run by run; CA-HNE's columns name their base k."""
    k = data.k
    spectral = _single.spectral(data.X, k)
    values: dict[str, list[float]] = {
        "SL": [error_rate(data.y, _single.link(data.X, k, "single"))],
        "AL": [error_rate(data.y, _single.link(data.X, k, "average"))],
    }

    def note(column: str, labels: np.ndarray) -> None:
        values.setdefault(column, []).append(error_rate(data.y, labels))

    for run in range(seed, seed + runs):
        note("KM", _single.kmeans(data.X, k, run))
        note("SC", spectral.labels(k, run))
        ensembles = {
            "true k": KMeansEnsemble(N_PARTITIONS, k, random_state=run),
            "drawn k": KMeansEnsemble(N_PARTITIONS, source.k_range, random_state=run),
            "boosted": BoostedKMeans(N_PARTITIONS, k, random_state=run),
        }
        made = {kind: generator.fit_transform(data.X) for kind, generator in ensembles.items()}
        for column, (name, parameters, kind) in METHODS.items():
            labels = _combine(name, made[kind], k, parameters, run)
            if labels is not None:
                note(column, labels)
        for base in source.k_hne:
            members = KMeansEnsemble(N_PARTITIONS_HNE, base, random_state=run)
            parameters = {"threshold": THRESHOLD}
            labels = _combine("CAHNE", members.fit_transform(data.X), k, parameters, run)
            if labels is not None:
                note(f"CA-HNE, base k {base}", labels)
    return values


def _combine(
    name: str, ensemble: Any, k: int, parameters: dict[str, Any], seed: int
) -> np.ndarray | None:
    """Labels of a method of consens, or None if this version or machine lacks it."""
    if name not in consensus.__all__:
        return None
    method = getattr(consensus, name)(n_clusters=k, **parameters)
    if "random_state" in method.get_params():
        method.set_params(random_state=seed)
    try:
        return method.fit_predict(ensemble)
    except ImportError as missing:
        say(f"{name}: {missing}")
        return None


def main() -> None:
    options = parser(__doc__).parse_args()
    runs, seed = options.runs, options.seed
    print(
        "Li, Yu, Hao and Li 2007, Table 2. Error rates, published / measured (mean ± sd of "
        f"{runs} runs, seeds {seed} to {seed + runs - 1}; one-to-one matching; features as they "
        f"are).\nCA-HNE: {N_PARTITIONS_HNE} partitions, θ = {THRESHOLD}, completed to k. "
        f"EAC: {N_PARTITIONS} partitions, k drawn. CSPA, HGPA, MCLA, Latent-EM: {N_PARTITIONS} "
        f"partitions with the true k. Boost-KM: {N_PARTITIONS} boosted members and their "
        "weighted vote. SC: σ chosen in [0.08, 3] by the least squared error, or larger where "
        "every such σ cuts objects off.\n"
        "* not the paper's points, which cannot be had: drawn by consens.datasets, with the seed "
        f"{seed}; their published figures are for orientation.\n"
    )
    rows, results = [], {}
    for name in chosen(DATA, options.only):
        source = DATA[name]
        published = dict(zip(COLUMNS, TABLE_2[name], strict=True))
        try:
            data = source.read(options.data, seed)
        except MissingData as error:
            say(str(error))
            rows += [[name, column, beside(p, [], 3)] for column, p in published.items()]
            continue
        say(f"{name}: {len(data.X)} objects {data.remark}")
        values = results[name] = measure(source, data, runs, seed)
        shown = name + (" *" if data.remark else "")
        for column, p in published.items():
            if column == "CA-HNE":
                rows += [
                    [
                        shown,
                        f"CA-HNE, base k {b}",
                        beside(p, values.get(f"CA-HNE, base k {b}", []), 3),
                    ]
                    for b in source.k_hne
                ]
            else:
                base = f", k in [{source.k_range[0]}, {source.k_range[1]}]"
                label = column + (base if column.startswith("EAC") else "")
                rows.append([shown, label, beside(p, values.get(column, []), 3)])
    print(markdown(["data", "method", "published / measured"], rows))
    write_json(options.out, "paper1_table2.json", results)


if __name__ == "__main__":
    main()
