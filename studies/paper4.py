"""Huang, Wang and Lai 2017, LWMC: published beside measured.

    python -m studies.paper4 --data DIR [--runs 20] [--seed 0] [--only NAME] [--out DIR]
                             [--source features|pools|both]

An ensemble is ten partitions by k-means with random starts and k drawn from [2, √N], on the
features as they are; NMI with the classes, mean ± sd of the runs.

    Best k     Table 2 as published: LWMC and eight other methods on eight data sets, for each run
               the best of k = 2 to 30 (LR: to √N), NMI divided by the maximum of the entropies
    Table 2    the same with the true k, NMI by the geometric mean, as in what follows
    Fig. 1     LWMC over θ
    Fig. 2     LWMC against the base clusterings, NMI by the geometric mean and by the maximum
    Fig. 3     CPU seconds over the number of objects, on subsets of Letter Recognition
    M = 20     LWEA and LWGP with ensembles of twenty, from the pools

Partitions are made from the features (run r uses the seed + r), or drawn from pools of base
clusterings that were published with another paper of the authors: ``pool_<name>.parquet`` with
columns m001 to m100 and `label`; run r draws with the seed + r, without replacement.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from consens import Ensemble, consensus
from consens.generate import KMeansEnsemble
from consens.measure import nmi
from studies._data import MissingData, load
from studies._run import chosen, parser, say, write_json
from studies._table import beside, markdown, measured

N_PARTITIONS = 10
THETA = 0.5
PLAIN = float("inf")
THETAS = [2.0**e for e in range(-4, 5)]
SIZES = [2_000, 5_000, 10_000, 15_000, 20_000]

# name in the paper: file of the features
DATA = {
    "Semeion": "semeion",
    "SPF": "steel_plates",
    "MF": "mfeat",
    "MNIST": "mnist5k",
    "Texture": "texture",
    "ISOLET": "isolet",
    "USPS": "usps11000",
    "LR": "letter",
}

# row of the table: class of consens.consensus, parameters
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "LWMC": ("LWMC", {"theta": THETA}),
    "SEC": ("SEC", {}),
    "KCC": ("KCC", {}),
    "GP-MGLA": ("GPMGLA", {}),
    "WEAC": ("WEAC", {}),
    "EAC": ("EAC", {}),
    "CSPA": ("CSPA", {"imbalance": 0.05, "merge_equal": False}),
    "HGPA": ("HGPA", {"imbalance": 0.05, "merge_equal": False, "objective": "cut"}),
    "MCLA": ("MCLA", {"imbalance": 0.05, "merge_equal": False}),
}
MOST_CLUSTERS = 30
UNWEIGHTED = "LWMC, plain votes"

# NMI, as printed
TABLE_2 = {
    "LWMC": [0.649, 0.162, 0.676, 0.641, 0.740, 0.752, 0.642, 0.449],
    "SEC": [0.545, 0.132, 0.597, 0.499, 0.644, 0.694, 0.473, 0.412],
    "KCC": [0.549, 0.131, 0.596, 0.518, 0.644, 0.690, 0.501, 0.409],
    "GP-MGLA": [0.642, 0.154, 0.669, 0.628, 0.725, 0.749, 0.615, 0.440],
    "WEAC": [0.644, 0.152, 0.643, 0.616, 0.729, 0.753, 0.592, 0.437],
    "EAC": [0.641, 0.152, 0.635, 0.601, 0.714, 0.742, 0.589, 0.432],
    "CSPA": [0.553, 0.117, 0.623, 0.509, 0.653, 0.700, 0.509, 0.262],
    "HGPA": [0.491, 0.116, 0.535, 0.409, 0.492, 0.629, 0.361, 0.361],
    "MCLA": [0.583, 0.143, 0.642, 0.563, 0.703, 0.723, 0.545, 0.410],
}
# seconds for all of Letter Recognition, as printed in the text of Section 3.5
FIG_3 = {"LWMC": 3.74, "MCLA": 5.31}

Values = dict[str, list[float]]


def from_features(folder: Path, name: str, runs: int, seed: int) -> Iterator[tuple[Ensemble, Any]]:
    """Ensembles of k-means partitions of the features, and the classes."""
    X, y = load(folder, DATA[name])
    most = int(np.sqrt(len(X)))
    for run in range(seed, seed + runs):
        yield KMeansEnsemble(N_PARTITIONS, (2, most), random_state=run).fit_transform(X), y


def from_pool(
    folder: Path, name: str, runs: int, seed: int, size: int = N_PARTITIONS
) -> Iterator[tuple[Ensemble, Any]]:
    """Ensembles drawn from a published pool of partitions, and the classes."""
    path = folder / f"pool_{DATA[name]}.parquet"
    if not path.exists():
        raise MissingData(f"no pool of base clusterings of {name}: {path.name} is not in {folder}")
    table = pd.read_parquet(path)
    pool = Ensemble.from_labels(table.drop(columns="label"))
    for run in range(seed, seed + runs):
        members = np.random.default_rng(run).choice(pool.shape[1], size, replace=False)
        yield pool[:, np.sort(members)], table["label"].to_numpy()


SOURCES = {"features": from_features, "pools": from_pool}


def combine(name: str, parameters: dict[str, Any], ensemble: Ensemble, k: int, seed: int) -> Any:
    """Labels of a method of consens, or None if this machine lacks what it needs."""
    method = getattr(consensus, name)(n_clusters=k, **parameters)
    if "random_state" in method.get_params():
        method.set_params(random_state=seed)
    try:
        return method.fit_predict(ensemble)
    except (ImportError, MemoryError) as missing:
        say(f"{name}: {missing}")
        return None


def candidates(name: str, n: int) -> range:
    """Numbers of clusters from which the best is taken."""
    return range(2, (int(np.sqrt(n)) if name == "LR" else MOST_CLUSTERS) + 1)


def best_of_all_k(name: str, ensembles: Iterator[tuple[Ensemble, Any]], seed: int) -> Values:
    """NMI by the maximum, run by run, of each method with its best number of clusters."""
    values: Values = {}
    for run, (ensemble, y) in enumerate(ensembles):
        for column, (method, parameters) in METHODS.items():
            found = [
                combine(method, parameters, ensemble, k, seed + run)
                for k in candidates(name, len(y))
            ]
            scores = [nmi(y, labels, "max") for labels in found if labels is not None]
            if scores:
                values.setdefault(column, []).append(max(scores))
    return values


def measure(ensembles: Iterator[tuple[Ensemble, Any]], seed: int, sections: list[str]) -> Values:
    """NMI run by run: of the methods, of LWMC for each θ, and of the base clusterings."""
    values: Values = {}

    def note(column: str, value: float) -> None:
        values.setdefault(column, []).append(value)

    for run, (ensemble, y) in enumerate(ensembles):
        k = len(np.unique(y))
        methods = {UNWEIGHTED: ("LWMC", {"theta": PLAIN})} if "Table 2" in sections else {}
        methods |= METHODS if "Table 2" in sections else {"LWMC": METHODS["LWMC"]}
        if "Fig. 1" in sections:
            methods |= {f"θ = {theta:g}": ("LWMC", {"theta": theta}) for theta in THETAS}
        for column, (name, parameters) in methods.items():
            labels = combine(name, parameters, ensemble, k, seed + run)
            if labels is not None:
                note(column, nmi(y, labels))
                if column == "LWMC":
                    note("LWMC, max", nmi(y, labels, "max"))
        if "Fig. 2" in sections:
            for average, column in (("geometric", "base"), ("max", "base, max")):
                note(column, float(np.mean([nmi(y, m, average) for m in ensemble.labels.T])))
    return values


def table_2(results: dict[str, Values], names: list[str]) -> str:
    """Published and measured, from each source; a row per method and a column per data set."""
    sources = [s for s in SOURCES if any(key.endswith(s) for key in results)]
    rows = []
    for method in [*METHODS, UNWEIGHTED]:
        if not any(method in values for values in results.values()):
            continue
        printed = dict(zip(DATA, TABLE_2.get(method, [None] * len(DATA)), strict=True))
        for source in sources:
            cells = [
                beside(printed[name], results.get(f"{name} {source}", {}).get(method, []), 3)
                for name in names
            ]
            rows.append([method, source, *cells])
    return markdown(["method", "from", *names], rows)


def figure_1(results: dict[str, Values]) -> str:
    header = ["data", "from", *[f"log₂ θ = {np.log2(theta):g}" for theta in THETAS]]
    rows = [
        [*key.rsplit(" ", 1), *[f"{np.mean(v[f'θ = {theta:g}']):.3f}" for theta in THETAS]]
        for key, v in results.items()
    ]
    return markdown(header, rows)


def figure_2(results: dict[str, Values]) -> str:
    columns = ["base", "LWMC", "base, max", "LWMC, max"]
    rows = [
        [*key.rsplit(" ", 1), *[measured(v[c], 3) for c in columns]] for key, v in results.items()
    ]
    return markdown(["data", "from", "base √", "LWMC √", "base max", "LWMC max"], rows)


def figure_3(folder: Path, seed: int) -> tuple[str, dict[str, Values]]:
    """CPU seconds of each method on parts of Letter Recognition, after a first call."""
    X, y = load(folder, DATA["LR"])
    X, y = (a[np.random.default_rng(seed).permutation(len(y))] for a in (X, y))
    times: dict[str, Values] = {}
    for n in SIZES:
        members = KMeansEnsemble(N_PARTITIONS, (2, int(np.sqrt(n))), random_state=seed)
        ensemble = members.fit_transform(X[:n])
        for column, (name, parameters) in METHODS.items():
            if n in (SIZES[0], SIZES[-1]):
                combine(name, parameters, ensemble, 26, seed)  # loads what few or many need
            start = time.process_time()
            if combine(name, parameters, ensemble, 26, seed) is not None:
                spent = times.setdefault(column, {}).setdefault(str(n), [])
                spent.append(time.process_time() - start)
        say(f"Fig. 3: {n} objects")
    rows = [
        [method, f"{FIG_3[method]:.2f}" if method in FIG_3 else "–"]
        + [f"{spent[str(n)][0]:.2f}" if str(n) in spent else "–" for n in SIZES]
        for method, spent in times.items()
    ]
    header = ["method", "published, 20000", *[str(n) for n in SIZES]]
    return markdown(header, rows), times


def of_twenty(folder: Path, names: list[str], runs: int, seed: int) -> tuple[str, Any]:
    """LWEA and LWGP with M = 20 and θ = 0.4, the setting of their paper, from the pools."""
    rows, results = [], {}
    for name in names:
        values: Values = {"LWEA": [], "LWGP": []}
        try:
            for run, (ensemble, y) in enumerate(from_pool(folder, name, runs, seed, 20)):
                for method, own in values.items():
                    labels = combine(method, {}, ensemble, len(np.unique(y)), seed + run)
                    own.append(nmi(y, labels))
        except MissingData as error:
            say(str(error))
            continue
        results[name] = values
        rows.append([name, *[measured(v, 3) for v in values.values()]])
    return markdown(["data", "LWEA", "LWGP"], rows), results


def plot(results: dict[str, Values], times: dict[str, Values], out: Path) -> None:
    """Fig. 1 and Fig. 3 as pictures."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11, 4))
    for key, values in results.items():
        if f"θ = {THETAS[0]:g}" in values:
            means = [np.mean(values[f"θ = {theta:g}"]) for theta in THETAS]
            axes[0].plot(np.log2(THETAS), means, marker="o", label=key)
    axes[0].set(xlabel="log₂ θ", ylabel="NMI", title="Fig. 1: LWMC over θ")
    for method, spent in times.items():
        axes[1].plot([int(n) for n in spent], [v[0] for v in spent.values()], label=method)
    axes[1].set(xlabel="objects", ylabel="CPU seconds", yscale="log", title="Fig. 3: time")
    for ax in axes:
        if ax.lines:
            ax.legend(fontsize="x-small")
    figure.tight_layout()
    figure.savefig(out / "paper4_figures.png", dpi=150)
    plt.close(figure)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--source", choices=[*SOURCES, "both"], default="both")
    given = options.parse_args()
    runs, seed, folder = given.runs, given.seed, given.data
    sections = chosen(["Best k", "Table 2", "Fig. 1", "Fig. 2", "Fig. 3", "M = 20"], given.only)
    names = chosen(DATA, given.only)
    print(
        f"Huang, Wang and Lai 2017. {N_PARTITIONS} partitions by k-means, k in [2, √N]; "
        f"θ = {THETA}; {runs} runs, seeds {seed} to {seed + runs - 1}. "
        "METIS with an imbalance of 0.05; CSPA, HGPA and MCLA as published (equal objects and "
        "clusters are not merged).\n"
    )
    sources = [s for s in SOURCES if given.source in (s, "both")]
    best: dict[str, Values] = {}
    for name, source in product(names, sources) if "Best k" in sections else ():
        try:
            ensembles = SOURCES[source](folder, name, runs, seed)
            best[f"{name} {source}"] = best_of_all_k(name, ensembles, seed)
            say(f"{name}, {source}, best k: LWMC {measured(best[f'{name} {source}']['LWMC'], 3)}")
        except MissingData as error:
            say(str(error))
    if best:
        print("Table 2 as published, best k, NMI by the maximum, published / measured\n")
        print(f"{table_2(best, names)}\n")
    results: dict[str, Values] = {}
    per_ensemble = [s for s in sections if s in ("Table 2", "Fig. 1", "Fig. 2")]
    for name in names if per_ensemble else []:
        for source in sources:
            try:
                ensembles = SOURCES[source](folder, name, runs, seed)
                found = measure(ensembles, seed, per_ensemble)
                results[f"{name} {source}"] = found
                say(f"{name}, {source}: LWMC {measured(found['LWMC'], 3)}")
            except MissingData as error:
                say(str(error))
    if "Table 2" in sections and results:
        print("Table 2 with the true k, NMI by the geometric mean, published / measured\n")
        print(f"{table_2(results, names)}\n")
    if "Fig. 1" in sections and results:
        print(f"Fig. 1\n\n{figure_1(results)}\n")
    if "Fig. 2" in sections and results:
        print(f"Fig. 2\n\n{figure_2(results)}\n")
    times: dict[str, Values] = {}
    if "Fig. 3" in sections:
        try:
            shown, times = figure_3(folder, seed)
            print(f"Fig. 3, CPU seconds\n\n{shown}\n")
        except MissingData as error:
            say(str(error))
    twenty: Any = {}
    if "M = 20" in sections:
        shown, twenty = of_twenty(folder, names, runs, seed)
        print(f"M = 20, θ = 0.4, from the pools\n\n{shown}\n")
    everything = {"best k": best, "nmi": results, "seconds": times, "M = 20": twenty}
    write_json(given.out, "paper4.json", everything)
    if given.out is not None:
        plot(results, times, given.out)


if __name__ == "__main__":
    main()
