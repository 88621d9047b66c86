"""Figures of Fred and Jain 2005, with tables (CSV) and plots (PNG) in the folder --out.

    python -m studies.paper2 --data DIR --only Figures --out OUT

Figs. 2, 3   ring, bar and Gaussian: lifetimes
Fig. 5   agreement of partitions with ensembles, by number of clusters
Fig. 7   agreement of the combined partition with drawn ensembles, and its spread, by k
Fig. 8   number of clusters with the longest lifetime by number of partitions
Fig. 9   half-rings, lifetimes for fixed k; single link of the points themselves
Fig. 10  half-rings, lifetimes for k drawn from intervals
Fig. 12  complex image, number of clusters by lifetime
Section 5.3  smallest k by a mixture of Gaussians
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from scipy.cluster import hierarchy
from sklearn.mixture import GaussianMixture

from consens.consensus import EAC
from consens.generate import KMeansEnsemble
from consens.measure import error_rate, nmi, stability
from consens.partition import cut, lifetimes
from studies._cells import DATA_DIFFER, Cell, Note, Setting, Table, note
from studies._data import DataSet, MissingData
from studies._run import say
from studies._table import markdown
from studies.paper2 import DATA, MANY_PARTITIONS, N_PARTITIONS, RANDOM, ensemble_of

mpl.use("Agg")
from matplotlib import pyplot as plt

N_DRAWN = 100
NUMBERS = range(2, 21)
FIGURE_3 = {2: 0.18, 3: 0.36, 4: 0.14, 5: 0.02}
FIGURE_5 = (2, 3, 4, 5, 10, 15, 20, 50)

# setting: data, k of the partitions, number of clusters of the least spread as published
FIGURE_7: dict[str, tuple[str, Any, int | None]] = {
    "(a) cigar, k = 15": ("Cigar", 15, 4),
    "(b) half-rings, k = 15": ("Half-rings", 15, 2),
    "(c) half-rings, k in [20, 40]": ("Half-rings", (20, 40), 2),
    "(d) 3-rings, k in [20, 40]": ("3-Rings", (20, 40), None),
    "(d) iris, k in [10, 30]": ("Iris", (10, 30), None),
    "(d) random, k in [10, 30]": ("Random 5-D", (10, 30), None),
}
FIGURE_9 = {"k = 5": 5, "k = 15": 15, "k = 80": 80}
FIGURE_10 = {
    "k in [2, 10]": (2, 10),
    "k in [2, 20]": (2, 20),
    "k in [60, 90]": (60, 90),
    "k in [2, 80]": (2, 80),
}


def measure(given: Setting) -> None:
    """Measure what the store does not have; pictures and tables go to its folder."""
    out = Path(mkdtemp()) if given.store.file is None else given.store.file.parent
    out.mkdir(parents=True, exist_ok=True)
    for run in given.seeds():
        given.store.get(("Figs. 2 and 3", run), lambda run=run: figure_3(run))  # type: ignore[misc]
        given.store.get(("Fig. 12", run), lambda run=run: figure_12(given, run))  # type: ignore[misc]
    given.store.get(("Fig. 5",), lambda: figure_5(given))
    given.store.get(("Section 5.3",), lambda: least_k(given))
    for name, make in (
        ("Fig. 7", figure_7),
        ("Figs. 9 and 10", figures_9_and_10),
        ("Fig. 8", figure_8),
    ):
        try:
            given.store.get((name,), lambda make=make: list(make(given.data, out, given.seed)))  # type: ignore[misc]
        except MissingData as missing:
            say(str(missing))


def report(given: Setting) -> list[Table | Note]:
    """Tables and figures of what the store has."""
    store = given.store
    lives, scene = store.values("Figs. 2 and 3"), store.values("Fig. 12")
    parts: list[Table | Note] = [
        Table(
            "Figs. 2 and 3, ring, bar and Gaussian",
            [
                Cell(
                    "ring, bar, Gaussian", f"lifetime of {k} clusters", p, found, None, DATA_DIFFER
                )
                for k, p in FIGURE_3.items()
                for found in [lives.get(f"lifetime of {k} clusters", ())]
            ],
            0.1,
            2,
            "30 partitions, k in [10, 30], single link. The longest lifetime gives "
            f"{_clusters(lives.get('clusters', []))} (published 3).",
        ),
        Table(
            "Fig. 12, Complex image by lifetime",
            [
                Cell(
                    "Complex image", "clusters", 13, scene.get("clusters", ()), None, DATA_DIFFER
                ),
                Cell("Complex image", "error %", 1.2, scene.get("error", ()), None, DATA_DIFFER),
            ],
            1.0,
        ),
        note("Fig. 5, agreement with ensembles", _figure_5(store.known.get(("Fig. 5",), {}))),
        note("Section 5.3, smallest k by a mixture", store.known.get(("Section 5.3",), "")),
    ]
    for name, *pictures in (
        ("Fig. 7", "paper2_fig7.png"),
        ("Fig. 8", "paper2_fig8.png"),
        ("Figs. 9 and 10", "paper2_fig9.png", "paper2_fig10.png"),
    ):
        parts.append(note(name, "\n".join(store.known.get((name,), [])), store, *pictures))
    return parts


def _clusters(numbers: list[float]) -> str:
    values, counts = np.unique(numbers, return_counts=True)
    return ", ".join(f"{k:.0f} in {c} runs" for k, c in zip(values, counts, strict=True)) or "–"


def ring_bar_gaussian(seed: int) -> DataSet:
    """A ring of 200 points around a bar of 50 and a Gaussian of 150 (our shapes; Fig. 2a)."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, 200)
    ring = rng.normal(4, 0.15, 200)[:, None] * np.c_[np.cos(angle), np.sin(angle)]
    bar = np.c_[rng.uniform(-1.5, 1.5, 50), rng.uniform(1.6, 2.0, 50)]
    cloud = rng.normal((0, -0.6), 0.5, (150, 2))
    return DataSet(np.vstack([ring, bar, cloud]), np.repeat([0, 1, 2], [200, 50, 150]))


def figure_3(run: int) -> dict[str, float]:
    """Lifetimes of two to five clusters."""
    ensemble = ensemble_of(ring_bar_gaussian(run), (10, 30), run, 30)
    fitted = EAC(linkage="single").fit(ensemble)
    lives = lifetimes(fitted.linkage_)
    found = {f"lifetime of {k} clusters": float(lives[k - 1]) for k in FIGURE_3}
    return {**found, "clusters": float(fitted.n_clusters_)}


def figure_5(given: Setting) -> dict[str, list[float]]:
    """NMI of plausible partitions of the cigars with three ensembles, by number of clusters."""
    data = _read("Cigar", given.data, given.seed)
    dense = np.argsort([np.var(data.X[data.y == c], axis=0).sum() for c in range(4)])[:2]
    sparse = ~np.isin(data.y, dense)
    partitions = []
    for k in FIGURE_5:
        labels = np.where(data.y == dense[0], 0, np.where(data.y == dense[1], 1, 2))
        if k == 2:
            labels = np.minimum(labels, 1)
        elif k == 4:
            labels = data.y
        elif k > 3:
            made = KMeansEnsemble(1, k - 2, random_state=given.seed).fit_transform(data.X[sparse])
            labels[sparse] = 2 + made.labels[:, 0]
        partitions.append(labels)
    ensembles = {"k = 10": 10, "k = 20": 20, "k in [4, 20]": (4, 20)}
    return {
        name: [
            float(np.mean([nmi(labels, m, "arithmetic") for m in ensemble.labels.T]))
            for labels in partitions
        ]
        for name, k in ensembles.items()
        for ensemble in [ensemble_of(data, k, given.seed)]
    }


def _figure_5(found: dict[str, list[float]]) -> str:
    if not found:
        return ""
    rows = [[name, *[f"{v:.3f}" for v in values]] for name, values in found.items()]
    return "Mean NMI, arithmetic, by the number of clusters of the partition.\n\n" + markdown(
        ["ensemble", *map(str, FIGURE_5)], rows
    )


def figure_12(given: Setting, run: int) -> dict[str, float]:
    """Complex image: number of clusters by lifetime, and the error (majority)."""
    data = _read("Complex image", given.data, given.seed)
    found = EAC(linkage="single").fit(ensemble_of(data, (20, 40), run, MANY_PARTITIONS))
    return {
        "clusters": float(found.n_clusters_),
        "error": 100 * error_rate(data.y, found.labels_, "majority"),
    }


def least_k(given: Setting) -> str:
    """Gaussian components of the half-rings by BIC: a lower bound for the k of k-means."""
    data = _read("Half-rings", given.data, given.seed)
    fits = [GaussianMixture(k, n_init=3, random_state=given.seed).fit(data.X) for k in NUMBERS]
    least = NUMBERS[int(np.argmin([fit.bic(data.X) for fit in fits]))]
    shares = []
    for k in (least // 2, least, 2 * least):
        numbers = [
            EAC(linkage="single").fit(ensemble_of(data, k, seed)).n_clusters_ for seed in range(10)
        ]
        shares.append(f"k = {k}: 2 clusters in {numbers.count(2)} of 10 ensembles")
    return (
        f"A mixture of Gaussians has the least BIC with {least} components on the half-rings "
        f"(published: 10, by another criterion). With this as k_min: {'; '.join(shares)}."
    )


def _read(name: str, folder: Path, seed: int) -> DataSet:
    return DATA.get(name, RANDOM).read(folder, seed)


def figure_7(folder: Path, out: Path, seed: int) -> Iterator[str]:
    """Mean and spread of NMI(P*, P_b) over k, with the true classes for comparison."""

    def cuts(ensemble: Any, numbers: list[int]) -> list[np.ndarray]:
        tree = EAC(1, linkage="single").fit(ensemble).linkage_
        return [cut(tree, k) for k in numbers]

    tables = {}
    yield (
        f"\nFig. 7: spread of the agreement with {N_DRAWN} drawn ensembles of {N_PARTITIONS} "
        f"partitions, single link, k = {NUMBERS[0]} to {NUMBERS[-1]} (seed {seed})\n"
    )
    for setting, (name, k, published) in FIGURE_7.items():
        try:
            data = _read(name, folder, seed)
        except MissingData as error:
            say(str(error))
            continue
        table = stability(
            ensemble_of(data, k, seed),
            cuts,
            NUMBERS,
            n_resamples=N_DRAWN,
            reference=data.y,
            random_state=seed,
        )
        tables[setting] = table
        least = int(table["std"].idxmin())
        spread, within = table["std"].min(), table["ensemble_std"].iloc[0]
        yield (
            f"- {setting}: least spread at k = {least}"
            + ("" if published is None else f" (published {published})")
            + f", {spread:.4f}; within the ensembles {within:.4f}"
        )
    pd.concat(tables, names=["setting"]).to_csv(out / "paper2_fig7.csv")
    figure, axes = plt.subplots(2, 2, figsize=(11, 8), layout="constrained")
    for ax, setting in zip(axes.flat[:3], list(tables)[:3], strict=False):
        table = tables[setting]
        ax.errorbar(table.index, table["mean"], table["std"], label="NMI(P*, P)", color="black")
        ax.errorbar(
            table.index,
            table["reference_mean"],
            table["reference_std"],
            label="NMI(P*, classes)",
            color="tab:red",
        )
        ax.set(title=setting, xlabel="k", ylabel="NMI", ylim=(0, 1.05), xticks=NUMBERS[::2])
        ax.legend()
    last = axes.flat[3]
    for color, (setting, table) in enumerate(tables.items()):
        last.plot(table.index, table["std"], label=setting[4:], color=f"C{color}")
        last.axhline(table["ensemble_std"].iloc[0], linestyle="--", color=f"C{color}")
    last.set(
        title="(d) std; dashed: within the ensembles",
        xlabel="k",
        yscale="log",
        xticks=NUMBERS[::2],
    )
    last.legend(fontsize="small")
    figure.savefig(out / "paper2_fig7.png", dpi=80)
    plt.close(figure)


def figure_8(folder: Path, out: Path, seed: int, n_experiments: int = 25) -> Iterator[str]:
    """Number of clusters found on the half-rings, by the number of partitions."""
    try:
        data = _read("Half-rings", folder, seed)
    except MissingData as error:
        say(str(error))
        return
    sizes = [5, 10, 20, 30, 50, 75, 100, 150, MANY_PARTITIONS]
    rows = []
    for k in (10, 20, 30):
        for run in range(n_experiments):
            ensemble = ensemble_of(data, k, seed + run, MANY_PARTITIONS)
            for size in sizes:
                found = EAC(linkage="single").fit(ensemble[:, :size]).n_clusters_
                rows.append({"k": k, "n_partitions": size, "run": run, "n_clusters": found})
    table = pd.DataFrame(rows)
    table.to_csv(out / "paper2_fig8.csv", index=False)
    summary = table.groupby(["k", "n_partitions"])["n_clusters"].agg(["mean", "std"])
    figure, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
    yield f"\nFig. 8: clusters of the half-rings, mean ± sd of {n_experiments} ensembles\n"
    for ax, k in zip(axes, (10, 20, 30), strict=True):
        one = summary.loc[k]
        ax.errorbar(one.index, one["mean"], one["std"], marker="o")
        ax.set(title=f"k = {k}", xlabel="partitions", ylabel="clusters")
        text = ", ".join(
            f"{size}: {row['mean']:.1f} ± {row['std']:.1f}" for size, row in one.iterrows()
        )
        yield f"- k = {k}: {text}"
    figure.savefig(out / "paper2_fig8.png", dpi=80)
    plt.close(figure)


def figures_9_and_10(folder: Path, out: Path, seed: int) -> Iterator[str]:
    """Trees and lifetimes of the half-rings for fixed and for drawn k."""
    try:
        data = _read("Half-rings", folder, seed)
    except MissingData as error:
        say(str(error))
        return
    for number, settings in (("9", FIGURE_9), ("10", FIGURE_10)):
        trees = {}
        for setting, k in settings.items():
            ensemble = ensemble_of(data, k, seed, MANY_PARTITIONS)
            trees[setting] = EAC(linkage="single").fit(ensemble).linkage_
        lives = {setting: lifetimes(tree)[:20] for setting, tree in trees.items()}
        if number == "9":
            trees["the points"] = hierarchy.linkage(data.X, "single")
            top = trees["the points"][-1, 2]
            lives["the points"] = lifetimes(trees["the points"], top)[:20]
        table = pd.DataFrame(lives, index=pd.Index(range(1, 21), name="n_clusters"))
        table.to_csv(out / f"paper2_fig{number}.csv")
        yield f"\nFig. {number}: lifetimes of the half-rings, {MANY_PARTITIONS} partitions\n"
        for setting, column in table.items():
            longest = column.sort_values(ascending=False).index[:2]
            text = ", ".join(f"{k} clusters {column[k]:.2f}" for k in longest)
            yield f"- {setting}: longest {text}"
        figure, axes = plt.subplots(2, 2, figsize=(11, 8), layout="constrained")
        for ax, (setting, tree) in zip(axes.flat, trees.items(), strict=False):
            hierarchy.dendrogram(
                tree, ax=ax, no_labels=True, p=60, truncate_mode="lastp", color_threshold=0
            )
            ax.set(title=setting, ylabel="distance")
            if setting != "the points":
                ax.set_ylim(0, 1)
        figure.savefig(out / f"paper2_fig{number}.png", dpi=80)
        plt.close(figure)
