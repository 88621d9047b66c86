"""Figures 7 to 10 of Fred and Jain 2005, as tables (CSV) and plots (PNG).

    python -m studies.paper2 --data DIR --only Figures --out OUT

Fig. 7   agreement of the combined partition with drawn ensembles, and its spread, by k
Fig. 8   number of clusters with the longest lifetime by number of partitions
Fig. 9   half-rings, lifetimes for fixed k; single link of the points themselves
Fig. 10  half-rings, lifetimes for k drawn from intervals
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from scipy.cluster import hierarchy

from consens.consensus import EAC
from consens.measure import stability
from consens.partition import cut, lifetimes
from studies._data import DataSet, MissingData
from studies._run import say
from studies.paper2 import DATA, MANY_PARTITIONS, N_PARTITIONS, RANDOM, ensemble_of

mpl.use("Agg")
from matplotlib import pyplot as plt

N_DRAWN = 100
NUMBERS = range(2, 21)

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


def figures(folder: Path, out: Path, seed: int) -> Iterator[str]:
    """Make all figures, and say of each what it shows."""
    out.mkdir(parents=True, exist_ok=True)
    for make in (figure_7, figure_8, figures_9_and_10):
        yield from make(folder, out, seed)


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
    figure.savefig(out / "paper2_fig7.png", dpi=120)
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
    figure.savefig(out / "paper2_fig8.png", dpi=120)
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
        figure.savefig(out / f"paper2_fig{number}.png", dpi=120)
        plt.close(figure)
