"""How many clusters: how often the default rule is right, beside single criteria.

    python -m studies.choose_k [--data DIR] [--runs 3] [--seed 0] [--only DATA] [--jobs 1]

Data drawn by consens.datasets, scikit-learn and this file, scikit-learn's bundled data and, with
--data, sets of the papers and of shapes.  Sets with several published labellings accept each of
their numbers.  Of larger sets each run takes another sample.

"rule" is what ConsensusClustering() does, "candidates" are the three numbers that it names at most
(right if one of them is).  "lifetime" (single link), "eigengap" and "bootstrap"
(least variance) are its criteria alone, on the same ensemble.  PAC and delta area are used as
their users do: k-means on samples of 80 % for each k.  Silhouette and gap are of k-means on the
features; the gap statistic has the same reference data as the rule.  Silhouette, PAC and delta
area cannot answer 1.

The rule was made while looking at the first table's sets, all of which are in it, with seeds 0
and 1.  The sets of the second table were first looked at when it was finished; some are relatives
of the first's (cubes, normal clouds, wdbc is breast cancer without scaling).  Each table has its
mean over the drawn and bundled sets and over all.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn import datasets as sklearn_data
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import StandardScaler

from consens import ConsensusClustering, datasets
from consens.choose import uniform_reference
from consens.generate import KMeansEnsemble
from consens.measure import cdf_table
from studies._data import MissingData, load
from studies._run import chosen, parser, say, write_json
from studies._table import markdown

MAX_OBJECTS = 400
CDF_MEMBERS = 10
N_REFERENCES = 5
COLUMNS = [
    "rule",
    "candidates",
    "lifetime",
    "eigengap",
    "bootstrap",
    "PAC",
    "delta area",
    "silhouette",
    "gap",
]

#: Features for a seed, and the numbers of clusters that are right.
Source = tuple[Callable[[int, Path | None], np.ndarray], tuple[int, ...]]


def _drawn(draw: Callable[..., Any], *right: int, **options: Any) -> Source:
    return lambda seed, _: draw(random_state=seed, **options)[0], right


def _own(draw: Callable[[np.random.Generator], np.ndarray], *right: int) -> Source:
    return lambda seed, _: draw(np.random.default_rng(seed)), right


def _bundled(read: Callable[..., Any], *right: int, scale: bool = True) -> Source:
    return lambda seed, _: _scaled(read(return_X_y=True)[0], scale), right


def _stored(name: str, *right: int, scale: bool = False) -> Source:
    def read(seed: int, folder: Path | None) -> np.ndarray:
        if folder is None:
            raise MissingData(f"{name}: give --data")
        return _scaled(load(folder, name)[0], scale)

    return read, right


def _scaled(X: np.ndarray, scale: bool) -> np.ndarray:
    return StandardScaler().fit_transform(X[:, X.std(axis=0) > 0]) if scale else X


def blobs(
    rng: np.random.Generator, k: int, d: int, apart: float, n: int = 300, sizes: Any = None
) -> np.ndarray:
    """Normal clouds of variance 1 at random places, centres `apart` at least."""
    width = 1.3 * apart * k ** (1 / d)
    centers = np.empty((0, d))
    while len(centers) < k:
        place = rng.uniform(0, width, d)
        if (np.linalg.norm(centers - place, axis=1) >= apart).all():
            centers = np.vstack([centers, place])
        elif rng.random() < 1e-3:
            centers = np.empty((0, d))  # no room left
    return centers[rng.choice(k, n, p=sizes)] + rng.normal(size=(n, d))


def _blobs(k: int, d: int, apart: float, sizes: Any = None) -> Source:
    return _own(lambda rng: blobs(rng, k, d, apart, sizes=sizes), k)


def _ball(rng: np.random.Generator) -> np.ndarray:
    X = rng.normal(size=(300, 3))
    return X / np.linalg.norm(X, axis=1)[:, None] * rng.uniform(size=(300, 1)) ** (1 / 3)


def _stretched(rng: np.random.Generator) -> np.ndarray:
    return blobs(rng, 3, 2, 8.0) @ np.array([[0.6, -0.6], [-0.4, 0.8]])


LOOKED_AT: dict[str, Source] = {
    **{f"blobs {k}, {d}-D": _blobs(k, d, 8.0) for k in (2, 3, 5, 7) for d in (2, 10)},
    **{f"close blobs {k}, {d}-D": _blobs(k, d, 4.5) for k in (2, 3, 4, 6) for d in (2, 5)},
    **{f"cube {d}-D": _drawn(datasets.make_cube, 1, n_features=d) for d in (2, 5, 10)},
    **{
        f"normal {d}-D": _own(lambda rng, d=d: rng.normal(size=(300, d)), 1)  # type: ignore[misc]
        for d in (2, 5, 10)
    },
    "correlated 3-D": _own(lambda rng: rng.normal(size=(300, 3)) @ rng.normal(size=(3, 3)), 1),
    "correlated 6-D": _own(lambda rng: rng.normal(size=(300, 6)) @ rng.normal(size=(6, 6)), 1),
    "two Gaussians": _drawn(datasets.make_two_gaussians, 2),
    "three Gaussians": _drawn(datasets.make_three_gaussians, 3),
    "cigars": _drawn(datasets.make_cigars, 4),
    "half-rings": _drawn(datasets.make_half_rings, 2),
    "rings": _drawn(datasets.make_rings, 3),
    "spirals": _drawn(datasets.make_spirals, 2),
    "complex image": _drawn(datasets.make_complex_image, 7, 8),
    "paths": _drawn(datasets.make_paths, 3),
    "iris": _bundled(sklearn_data.load_iris, 2, 3, scale=False),
    "iris, z": _bundled(sklearn_data.load_iris, 2, 3),
    "wine, z": _bundled(sklearn_data.load_wine, 3),
    "breast cancer, z": _bundled(sklearn_data.load_breast_cancer, 2),
    "digits": _bundled(sklearn_data.load_digits, 10, scale=False),
    "aggregation": _stored("shape_aggregation", 7, 5),
    "compound": _stored("shape_compound", 6, 5, 4, 2),
    "flame": _stored("shape_flame", 2),
    "jain": _stored("shape_jain", 2),
    "pathbased": _stored("shape_pathbased", 3, 2),
    "R15": _stored("shape_r15", 15, 8),
    "target": _stored("shape_target", 6, 2),
    "chainlink": _stored("shape_chainlink", 2),
    "atom": _stored("shape_atom", 2),
    "lsun": _stored("shape_lsun", 3),
    "wingnut": _stored("shape_wingnut", 2),
    "circles 4": _stored("shape_circles", 4),
    "smile": _stored("shape_smile", 6, 4),
    "zigzag": _stored("shape_zigzag", 3, 5),
    "cassini": _stored("shape_cassini", 3),
    "longsquare": _stored("shape_longsquare", 6),
    "donut 3": _stored("shape_donut3", 3),
    "donut 1": _stored("shape_donut1", 2),
    "ring": _stored("shape_ring", 2),
    "rings, stored": _stored("shape_rings", 3),
    "spiral, 2 arms": _stored("shape_spiral_2arms", 2),
    "spiral, 3 arms": _stored("shape_spiral_3arms", 3),
    "spiralsquare": _stored("shape_spiralsquare", 6),
    "complex 8": _stored("shape_complex8", 8),
    "complex 9": _stored("shape_complex9", 9),
    "dartboard": _stored("shape_dartboard1", 4),
    "long": _stored("shape_long1", 2),
    "zelnik 1": _stored("shape_zelnik1", 3),
    "zelnik 3": _stored("shape_zelnik3", 3),
    "zelnik 5": _stored("shape_zelnik5", 4),
    "breast_w": _stored("breast_w", 2),
    "semeion": _stored("semeion", 10),
    "mfeat, z": _stored("mfeat", 10, scale=True),
    "satimage, z": _stored("satimage", 6, scale=True),
    "segmentation, z": _stored("segmentation", 7, scale=True),
    "texture, z": _stored("texture", 11, scale=True),
    "optdigits": _stored("optdigits_tra", 10),
    "std yeast": _stored("yeast384_std", 5),
    "chart, z": _stored("chart", 6, scale=True),
}

HELD_OUT: dict[str, Source] = {
    **{f"blobs {k}, 3-D": _blobs(k, 3, 7.0) for k in (4, 6, 9)},
    "close blobs 5, 3-D": _blobs(5, 3, 5.0),
    "blobs of 70, 20, 10 %": _blobs(3, 2, 7.0, sizes=[0.7, 0.2, 0.1]),
    "blobs of other widths": _drawn(
        sklearn_data.make_blobs,
        3,
        n_samples=300,
        centers=[[0, 0], [9, 0], [0, 9]],
        cluster_std=[1.0, 2.0, 0.5],
    ),
    "stretched blobs": _own(_stretched, 3),
    "moons": _drawn(sklearn_data.make_moons, 2, n_samples=300, noise=0.06),
    "two circles": _drawn(sklearn_data.make_circles, 2, n_samples=300, noise=0.04, factor=0.4),
    "ball 3-D": _own(_ball, 1),
    "cube 3-D": _drawn(datasets.make_cube, 1, n_features=3),
    "normal 20-D": _own(lambda rng: rng.normal(size=(300, 20)), 1),
    "Laplace 3-D": _own(lambda rng: rng.laplace(size=(300, 3)), 1),
    "wine": _bundled(sklearn_data.load_wine, 3, scale=False),
    "steel plates, z": _stored("steel_plates", 7, scale=True),
    "mnist5k": _stored("mnist5k", 10),
    "usps": _stored("usps11000", 10),
    "trajectories": _stored("shape_trajectories", 4),
    "wdbc": _stored("wdbc", 2),
}


def answers(X: np.ndarray, seed: int) -> dict[str, Any]:
    """What each way chooses."""
    model = ConsensusClustering(random_state=seed).fit(X)
    assert model.results_ is not None
    votes = model.results_.votes
    numbers = range(2, int(model.results_.table.index[-1]) + 1)
    of_k = {
        k: KMeansEnsemble(
            CDF_MEMBERS, n_clusters=k, max_samples=0.8, random_state=seed
        ).fit_transform(X)
        for k in numbers
    }
    cdf = cdf_table(of_k)
    small = cdf["delta_area"].iloc[1:] < 0.1
    runs = {k: _kmeans(X, k, seed) for k in (1, *numbers)}
    silhouette = {k: silhouette_score(X, runs[k].labels_) for k in numbers}
    return {
        "rule": model.n_clusters_,
        "candidates": [one.n_clusters for one in model.results_.candidates],
        "lifetime": votes["lifetime"],
        "eigengap": votes["eigengap"],
        "bootstrap": votes["bootstrap"],
        "PAC": int(cdf["pac"].idxmin()),
        "delta area": int(small.idxmax()) - 1 if small.any() else numbers[-1],
        "silhouette": max(silhouette, key=lambda k: silhouette[k]),
        "gap": _gap(X, [runs[k].inertia_ for k in (1, *numbers)], seed),
    }


def _kmeans(X: np.ndarray, k: int, seed: int, n_init: int = 5) -> KMeans:
    return KMeans(k, n_init=n_init, random_state=seed).fit(X)


def _gap(X: np.ndarray, inertias: list[float], seed: int) -> int:
    """Tibshirani, Walther and Hastie 2001: smallest k with Gap(k) >= Gap(k+1) - s(k+1)."""
    logs = np.array(
        [
            [np.log(_kmeans(other, k, seed, 1).inertia_) for k in range(1, len(inertias) + 1)]
            for other in (uniform_reference(X, 1000 * seed + r) for r in range(N_REFERENCES))
        ]
    )
    gap = logs.mean(axis=0) - np.log(inertias)
    spread = logs.std(axis=0) * np.sqrt(1 + 1 / N_REFERENCES)
    enough = gap[:-1] >= gap[1:] - spread[1:]
    return int(enough.argmax()) + 1 if enough.any() else len(inertias)


def _one(name: str, source: Source, folder: Path | None, seed: int) -> dict[str, Any] | None:
    try:
        X = source[0](seed, folder)
    except MissingData as missing:
        if folder is not None:
            say(str(missing))
        return None
    if len(X) > MAX_OBJECTS:
        rows = np.random.default_rng(seed).choice(len(X), MAX_OBJECTS, replace=False)
        X = X[np.sort(rows)]
    found = answers(X, seed)
    say(f"{name}, seed {seed}: {found}")
    return found


def _report(title: str, sources: dict[str, Source], results: dict[str, Any]) -> None:
    rows = []
    rates: dict[str, list[float]] = {column: [] for column in COLUMNS}
    for name, runs in results.items():
        right = sources[name][1]
        row = [name, " or ".join(map(str, right))]
        for column in COLUMNS:
            numbers = [run[column] for run in runs]
            rate = float(np.mean([np.isin(number, right).any() for number in numbers]))
            rates[column].append(rate)
            shown = [" ".join(map(str, np.atleast_1d(number))) for number in numbers]
            row.append(f"{rate:.0%} ({', '.join(shown)})")
        rows.append(row)
    stored = np.array([sources[name][0].__name__ == "read" for name in results])
    parts = {"drawn and bundled": ~stored, "stored": stored, "all": np.ones_like(stored)}
    for what, kept in parts.items():
        if kept.any():
            means = [f"**{np.mean(np.array(rates[c])[kept]):.0%}**" for c in COLUMNS]
            rows.append([f"**right, mean of {kept.sum()} sets, {what}**", "", *means])
    print(f"\n{title}\n\n" + markdown(["data", "true k", *COLUMNS], rows))


def main() -> None:
    options = parser(__doc__, runs=3, data_required=False)
    options.add_argument("--jobs", type=int, default=1, help="processes (1)")
    given = options.parse_args()
    seeds = range(given.seed, given.seed + given.runs)
    shown = f"seeds {seeds[0]} to {seeds[-1]}" if given.runs > 1 else f"seed {seeds[0]}"
    print(
        f"How often k is right, and the numbers chosen; {shown}, samples "
        f"of {MAX_OBJECTS} objects of larger sets; k from 1 to min(15, √n)."
    )
    kept = {}
    for title, sources in (
        ("Sets that were looked at while the rule was made:", LOOKED_AT),
        ("Sets that were not:", HELD_OUT),
    ):
        names = chosen(sources, given.only)
        done = Parallel(n_jobs=given.jobs)(
            delayed(_one)(name, sources[name], given.data, seed)
            for name in names
            for seed in seeds
        )
        found = {
            name: runs
            for i, name in enumerate(names)
            if None not in (runs := done[i * len(seeds) : (i + 1) * len(seeds)])
        }
        _report(title, sources, found)
        kept[title] = found
    write_json(given.out, "choose_k.json", kept)


if __name__ == "__main__":
    main()
