"""Which method combines when none is given: the candidates side by side.

    python -m studies.defaults --data DIR [--runs 20] [--seed 0] [--only DATA] [--out DIR]

Pools: 20 of the 100 partitions that the authors of LWMC publish per set, drawn anew in each run;
NMI by the geometric mean, and ARI, with the number of classes given.  Features: the ensemble of
ConsensusClustering() on data sets with known classes, of larger ones a sample; ARI.

"default" is what ConsensusClustering(consensus=None) takes.  "sized" is LWEA with the weights
v(c) = ECI(c)² |c|^-½, θ = 0.4, and S_ij = Σ_m v(c_m(i)) [together in m] / √(s_i s_j), the cosine;
where its partition has a normalised entropy below 0.3, LWEA's instead.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets as sklearn_data
from sklearn.preprocessing import StandardScaler

from consens import consensus, datasets
from consens.defaults import default_consensus
from consens.ensemble import Ensemble
from consens.generate import KMeansEnsemble
from consens.labels import compact
from consens.measure import ari, cluster_reliability, nmi, normalized_entropy
from consens.partition import cut, label_linkage
from studies._data import MissingData, load
from studies._run import chosen, parser, say, write_json
from studies._table import markdown

POOLS = ["pool_semeion", "pool_steel_plates", "pool_mfeat", "pool_isolet"]
N_MEMBERS = 20
MAX_OBJECTS = 600

#: Name of the stored set, and whether its features are standardised.
STORED = {
    **{f"shape_{name}": False for name in ("aggregation", "compound", "jain", "zigzag", "donut3")},
    "breast_w": False,
    "semeion": False,
    "yeast384_std": False,
    "mfeat": True,
    "satimage": True,
    "segmentation": True,
    "texture": True,
    "chart": True,
}
DRAWN = {
    "two Gaussians": datasets.make_two_gaussians,
    "three Gaussians": datasets.make_three_gaussians,
    "cigars": datasets.make_cigars,
    "half-rings": datasets.make_half_rings,
    "rings": datasets.make_rings,
}
BUNDLED = {
    "iris": sklearn_data.load_iris,
    "wine, z": sklearn_data.load_wine,
    "breast cancer, z": sklearn_data.load_breast_cancer,
}


def sized(ensemble: Ensemble, k: int) -> np.ndarray:
    """The candidate with sizes in its weights and the cosine; see above."""
    sizes = np.concatenate([np.bincount(column[column >= 0]) for column in ensemble.labels.T])
    weights = cluster_reliability(ensemble, 0.4) ** 2 / np.sqrt(sizes)
    labels = cut(label_linkage(ensemble.labels, weights=weights, normalize=True), k)
    if normalized_entropy(labels[:, None])[0] < 0.3:
        return consensus.LWEA(k).fit_predict(ensemble)
    return labels


def _method(name: str, **parameters: Any) -> Callable[[Ensemble, int, int], np.ndarray]:
    def combine(ensemble: Ensemble, k: int, seed: int) -> np.ndarray:
        method = getattr(consensus, name)(n_clusters=k, **parameters)
        if "random_state" in method.get_params():
            method.set_params(random_state=seed)
        return method.fit_predict(ensemble)

    return combine


METHODS: dict[str, Callable[[Ensemble, int, int], np.ndarray]] = {
    "default": lambda e, k, seed: default_consensus(e).set_params(n_clusters=k).fit_predict(e),
    "LWEA, θ = .5": _method("LWEA", theta=0.5),
    "EAC-AL": _method("EAC"),
    "WEAC": _method("WEAC"),
    "LWGP": _method("LWGP"),
    "LWMC": _method("LWMC"),
    "MCLA": _method("MCLA"),
    "HBGF": _method("HBGF"),
    "sized": lambda e, k, seed: sized(e, k),
}


def pool_runs(folder: Path, name: str, runs: int, seed: int) -> dict[str, list[list[float]]]:
    """NMI and ARI of each method, run by run."""
    members, classes = load(folder, name)
    y = compact(classes)
    found: dict[str, list[list[float]]] = {method: [] for method in METHODS}
    for run in range(seed, seed + runs):
        drawn = np.random.default_rng(run).choice(members.shape[1], N_MEMBERS, replace=False)
        ensemble = Ensemble.from_labels(members[:, drawn].astype(np.int64))
        for method, combine in METHODS.items():
            labels = combine(ensemble, len(np.unique(y)), run)
            found[method].append([nmi(y, labels), ari(y, labels)])
        say(f"{name}, seed {run}")
    return found


def features(folder: Path, seed: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Features and classes of the data sets at hand."""
    sets = {name: draw(random_state=seed) for name, draw in DRAWN.items()}
    for name, read in BUNDLED.items():
        X, y = read(return_X_y=True)
        sets[name] = StandardScaler().fit_transform(X) if name.endswith(", z") else X, y
    for name, scale in STORED.items():
        try:
            X, y = load(folder, name)
        except MissingData as missing:
            say(str(missing))
            continue
        X = X[:, X.std(axis=0) > 0]
        sets[name] = StandardScaler().fit_transform(X) if scale else X, compact(y)
    return sets


def feature_run(X: np.ndarray, y: np.ndarray, seed: int) -> dict[str, float]:
    """ARI of each method on one ensemble."""
    if len(X) > MAX_OBJECTS:
        rows = np.random.default_rng(seed).choice(len(X), MAX_OBJECTS, replace=False)
        X, y = X[rows], y[rows]
    ensemble = KMeansEnsemble(random_state=seed).fit_transform(X)
    k = len(np.unique(y))
    return {method: ari(y, combine(ensemble, k, seed)) for method, combine in METHODS.items()}


def main() -> None:
    options = parser(__doc__).parse_args()
    seeds = range(options.seed, options.seed + options.runs)
    print(
        f"Pools: {N_MEMBERS} of 100 partitions, {options.runs} draws, seeds {seeds[0]} to "
        f"{seeds[-1]}; NMI √ / ARI."
    )
    pools: dict[str, Any] = {}
    wanted = chosen([*POOLS, *DRAWN, *BUNDLED, *STORED], options.only)
    for name in [name for name in POOLS if name in wanted]:
        try:
            pools[name] = pool_runs(options.data, name, options.runs, options.seed)
        except MissingData as missing:
            say(str(missing))
    if pools:
        rows = []
        for method in METHODS:
            means = [np.mean(found[method], axis=0) for found in pools.values()]
            means.append(np.mean(means, axis=0))
            rows.append([method, *(f"{a:.3f} / {b:.3f}" for a, b in means)])
        print("\n" + markdown(["method", *pools, "**mean**"], rows))
    kept: dict[str, list[dict[str, float]]] = {}
    few = seeds[: max(1, options.runs // 5)]
    for seed in few:
        for name, (X, y) in features(options.data, seed).items():
            if name not in wanted:
                continue
            kept.setdefault(name, []).append(feature_run(X, y, seed))
            say(f"{name}, seed {seed}")
    if kept:
        rows = [
            [name, *(f"{np.mean([run[method] for run in runs]):.3f}" for method in METHODS)]
            for name, runs in kept.items()
        ]
        means = {m: np.mean([run[m] for runs in kept.values() for run in runs]) for m in METHODS}
        rows.append(["**mean**", *(f"**{means[method]:.3f}**" for method in METHODS)])
        print(
            f"\nFrom features: ARI, seeds {few[0]} to {few[-1]}, up to {MAX_OBJECTS} objects.\n\n"
            + markdown(["data", *METHODS], rows)
        )
    write_json(options.out, "defaults.json", {"pools": pools, "features": kept})


if __name__ == "__main__":
    main()
