"""How many clusters: how often the default rule is right, beside single criteria.

    python -m studies.choose_k [--data DIR] [--runs 3] [--seed 0] [--only DATA] [--jobs 1]

Data drawn by studies._datasets, scikit-learn and this file, scikit-learn's bundled data and, with
--data, sets of the papers and of shapes.  Sets with several published labellings accept each of
their numbers.  Of larger sets each run takes another sample.

"rule" is what ConsensusClustering() does, "candidates" are the three numbers that it names at most
(right if one of them is).  "lifetime" (single link), "eigengap" and "bootstrap" (least variance)
are its criteria alone, on the same members; "splits" is the number of leaves of its tree of tested
splits.  PAC and delta area are used as their users do: k-means on samples of 80 % for each k.
Silhouette and gap are of k-means on the features.  HDBSCAN is scikit-learn's, with its defaults.
Silhouette, PAC and delta area cannot answer 1.  With --out, what is finished is kept in
choose_k.jsonl, and a study that was stopped goes on.

Real sets and shapes are divided as in `studies._split`, into those that the candidates were
developed on and those to validate on; scikit-learn's digits belong to the former.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn import datasets as sklearn_data
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import StandardScaler

from consens import ConsensusClustering
from consens.generate import KMeansEnsemble
from consens.measure import cdf_table
from studies import _datasets as datasets
from studies._data import MissingData, load
from studies._run import chosen, parser, say
from studies._split import DEVELOP_REAL, DEVELOP_SHAPES, NOISE_CLASS
from studies._store import Store
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
    "splits",
    "PAC",
    "delta area",
    "silhouette",
    "gap",
    "HDBSCAN",
]

#: How often the sets to validate on were used.
LOOKS = (
    "The score was chosen long before this division, while looking at most of the sets. That it "
    "is averaged over four kinds of members, that one cluster competes with the others, and that "
    "a test of the first split then decides, was chosen on the sets to develop on and on drawn "
    "data with other seeds. The sets to validate on were run five times: three times with "
    "earlier rules, once with members of an earlier engine, and for this page."
)

#: Table of a set, and title of the table.
TABLES = {
    "drawn": "Drawn sets:",
    "develop": "Real sets and shapes that the candidates were developed on:",
    "validate": "Real sets and shapes that they were not developed on:",
}


class Source(NamedTuple):
    """Features for a seed, the numbers of clusters that are right, and where the set belongs."""

    read: Callable[[int, Path | None], np.ndarray]
    right: tuple[int, ...]
    table: str = "drawn"
    kind: str = "drawn"


def _drawn(draw: Callable[..., Any], *right: int, **options: Any) -> Source:
    return Source(lambda seed, _: draw(random_state=seed, **options)[0], right)


def _own(draw: Callable[[np.random.Generator], np.ndarray], *right: int) -> Source:
    return Source(lambda seed, _: draw(np.random.default_rng(seed)), right)


def _bundled(name: str, *right: int, scale: bool = True) -> Source:
    """A set that comes with scikit-learn, by its name in `studies._split`."""
    read = getattr(sklearn_data, f"load_{'breast_cancer' if name == 'wdbc' else name}")
    half = "develop" if name in {*DEVELOP_REAL, "digits"} else "validate"
    return Source(lambda *_: _scaled(read(return_X_y=True)[0], scale), right, half, "real")


def _stored(name: str, *right: int, scale: bool = False) -> Source:
    def read(seed: int, folder: Path | None) -> np.ndarray:
        if folder is None:
            raise MissingData(f"{name}: give --data")
        X, y = load(folder, name)
        return _scaled(X[y != NOISE_CLASS[name]] if name in NOISE_CLASS else X, scale)

    half = "develop" if name in {*DEVELOP_REAL, *DEVELOP_SHAPES} else "validate"
    return Source(read, right, half, "shapes" if name.startswith("shape_") else "real")


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


SOURCES: dict[str, Source] = {
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
    "iris": _bundled("iris", 2, 3, scale=False),
    "iris, z": _bundled("iris", 2, 3),
    "wine, z": _bundled("wine", 3),
    "breast cancer, z": _bundled("wdbc", 2),
    "digits": _bundled("digits", 10, scale=False),
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
    "log yeast": _stored("yeast386_log", 5),
    "isolet": _stored("isolet", 26),
    "letter, z": _stored("letter", 26, scale=True),
    "2 spirals, 2 globes": _stored("shape_2sp2glob", 4),
    "half-rings, stored": _stored("shape_halfrings", 2),
    "2 spirals of 100": _stored("shape_spirals_2x100", 2),
    "chameleon t7": _stored("shape_chameleon_t7_10k", 9),
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
    "wine": _bundled("wine", 3, scale=False),
    "steel plates, z": _stored("steel_plates", 7, scale=True),
    "mnist5k": _stored("mnist5k", 10),
    "usps": _stored("usps11000", 10),
    "trajectories": _stored("shape_trajectories", 4),
    "wdbc": _stored("wdbc", 2),
}


def answers(X: np.ndarray, seed: int) -> dict[str, Any]:
    """What each way chooses."""
    model = ConsensusClustering(random_state=seed).fit(X)
    choice = model.results_
    assert choice is not None
    votes = choice.votes
    numbers = range(2, choice.numbers[-1] + 1)
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
        "rule": choice.n_clusters,
        "candidates": [one.n_clusters for one in choice.candidates],
        "lifetime": votes["lifetime"],
        "eigengap": votes["eigengap"],
        "bootstrap": votes["bootstrap"],
        "splits": model.tree_.n_clusters,
        "PAC": int(cdf["pac"].idxmin()),
        "delta area": int(small.idxmax()) - 1 if small.any() else numbers[-1],
        "silhouette": max(silhouette, key=lambda k: silhouette[k]),
        "gap": _gap(X, [runs[k].inertia_ for k in (1, *numbers)], seed),
        "HDBSCAN": max(1, int(HDBSCAN(copy=True).fit_predict(X).max()) + 1),
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


def _one(folder: Path | None, name: str, seed: int) -> dict[str, Any] | None:
    try:
        X = SOURCES[name].read(seed, folder)
    except MissingData as missing:
        if folder is not None:
            say(str(missing))
        return None
    if len(X) > MAX_OBJECTS:
        rows = np.random.default_rng(seed).choice(len(X), MAX_OBJECTS, replace=False)
        X = X[np.sort(rows)]
    return answers(X, seed)


def uniform_reference(X: np.ndarray, seed: int) -> np.ndarray:
    """Uniform reference data in the box of the principal axes of X, as the gap statistic has."""
    center = X.mean(axis=0)
    left, singular, axes = np.linalg.svd(X - center, full_matrices=False)
    places = left * singular
    drawn = np.random.default_rng(seed).uniform(places.min(axis=0), places.max(axis=0), left.shape)
    return np.asarray(drawn @ axes + center)


def _errors(name: str, runs: list[dict[str, Any]], column: str) -> list[int]:
    """Distance of the numbers of each run from the nearest right one."""
    right = np.array(SOURCES[name].right)
    return [
        int(np.abs(np.subtract.outer(np.atleast_1d(run[column]), right)).min()) for run in runs
    ]


def _report(title: str, results: dict[str, Any]) -> None:
    """Print the table of some sets."""
    rows = []
    for name, runs in results.items():
        row = [name, " or ".join(map(str, SOURCES[name].right))]
        for column in COLUMNS:
            rate = np.mean([error == 0 for error in _errors(name, runs, column)])
            shown = [" ".join(map(str, np.atleast_1d(run[column]))) for run in runs]
            row.append(f"{rate:.0%} ({', '.join(shown)})")
        rows.append(row)
    print(f"\n{title}\n\n" + markdown(["data", "true k", *COLUMNS], rows))


def _means(results: dict[str, Any], most: int) -> str:
    """Share of runs with an error of `most` at most, by kind and part of the sets."""
    kinds = {
        "drawn": ["drawn"],
        "real": ["develop", "validate"],
        "shapes": ["develop", "validate"],
    }
    rows = []

    def add(what: str, kept: list[str]) -> None:
        if kept:
            means = [
                np.mean(
                    [error <= most for name in kept for error in _errors(name, results[name], c)]
                )
                for c in COLUMNS
            ]
            rows.append([what, str(len(kept)), *(f"{mean:.0%}" for mean in means)])

    for kind, tables in kinds.items():
        for part in [[table] for table in tables] + ([tables] if len(tables) > 1 else []):
            what = f"{kind}, to {part[0]}" if len(part) < len(tables) else kind
            own = [n for n in results if SOURCES[n].kind == kind and SOURCES[n].table in part]
            add(what, own)
    add("all", list(results))
    return markdown(["sets", "number", *COLUMNS], rows)


def _all(
    store: Store, cases: list[tuple[Any, ...]], jobs: int, measure: Callable[..., Any]
) -> list[Any]:
    """Results of a function for all cases; what the store knows is not measured again."""
    missing = [case for case in cases if case not in store.known]
    run = Parallel(n_jobs=jobs, return_as="generator")
    for case, found in zip(missing, run(delayed(measure)(*c) for c in missing), strict=True):
        if found is not None:
            store.get(case, lambda found=found: found)  # type: ignore[misc]
    return [store.known.get(case) for case in cases]


def _chosen_without(kind: str, n: int, d: int, seed: int) -> int:
    """Number that is chosen for data without clusters."""
    X = getattr(np.random.default_rng([seed, n, d]), kind)(size=(n, d))
    return int(ConsensusClustering(random_state=seed).fit(X).n_clusters_)


def _without_clusters(n_draws: int, store: Store, jobs: int) -> str:
    """Share of draws of data without clusters for which the answer is one cluster."""
    pairs = [(kind, n) for kind in ("uniform", "normal") for n in (150, 600)]
    cases = [(*pair, d, seed) for pair in pairs for d in (2, 5, 20) for seed in range(n_draws)]
    runs = np.array(_all(store, cases, jobs, _chosen_without)) == 1
    shares = np.mean(np.reshape(runs, (len(pairs), -1, n_draws)), axis=2)
    rows = [
        [kind, str(n), *(f"{share:.0%}" for share in own)]
        for (kind, n), own in zip(pairs, shares, strict=True)
    ]
    rows.append(["all", "", f"{shares.mean():.1%}", "", ""])
    return markdown(["data", "objects", "2 features", "5", "20"], rows)


def main() -> None:
    options = parser(__doc__, runs=3, data_required=False)
    options.add_argument("--jobs", type=int, default=1, help="processes (1)")
    options.add_argument("--draws", type=int, default=20, help="draws without clusters (20)")
    given = options.parse_args()
    seeds = range(given.seed, given.seed + given.runs)
    shown = f"seeds {seeds[0]} to {seeds[-1]}" if given.runs > 1 else f"seed {seeds[0]}"
    names = chosen(SOURCES, given.only)
    cases = [(name, seed) for name in names for seed in seeds]
    store = Store(given.out, "choose_k")
    done = _all(store, cases, given.jobs, partial(_one, given.data))
    found = {
        name: runs
        for i, name in enumerate(names)
        if None not in (runs := done[i * len(seeds) : (i + 1) * len(seeds)])
    }
    print(
        f"How often k is right, and the numbers chosen; {shown}, samples "
        f"of {MAX_OBJECTS} objects of larger sets; k from 1 to min(15, √n).\n\n{LOOKS}"
    )
    for table, title in TABLES.items():
        here = {name: runs for name, runs in found.items() if SOURCES[name].table == table}
        if here:
            _report(title, here)
    print(f"\nShare of the sets with the right number:\n\n{_means(found, 0)}")
    print(f"\nShare of the sets with the right number or one next to it:\n\n{_means(found, 1)}")
    several = {name: runs for name, runs in found.items() if 1 not in SOURCES[name].right}
    ones = [run["rule"] == 1 for runs in several.values() for run in runs]
    if ones:
        print(f"\nThe rule answers 1 for {np.mean(ones):.1%} of the sets with several clusters.")
    if given.draws:
        title = f"Answers of 1 among {given.draws} draws of data without clusters:"
        print(f"\n{title}\n\n{_without_clusters(given.draws, store, given.jobs)}")


if __name__ == "__main__":
    main()
