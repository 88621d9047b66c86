"""Curves and trees of Fred and Jain 2005: numbers of Figs. 7 to 10 and of Section 5.3.

Each figure leaves a table (CSV) in the folder of the store, from which its picture is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.cluster import hierarchy
from sklearn.mixture import GaussianMixture

from consens.consensus import EAC
from consens.measure import nmi, stability
from consens.partition import cut, lifetimes
from studies._cells import Setting
from studies._data import MissingData
from studies._run import say
from studies.paper2 import MANY_PARTITIONS, N_PARTITIONS, ensemble_of
from studies.paper2_scenes import read

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
POINTS = "the points"  # single link of the Euclidean distances


def least_k(given: Setting) -> str:
    """Gaussian components of the half-rings by BIC: a lower bound for the k of k-means."""
    data = read("Half-rings", given.data, given.seed)
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


@cache
def agreement(folder: Path, seed: int) -> dict[str, pd.DataFrame]:
    """Mean and spread of NMI(P*, P_b) over k, with the true classes for comparison."""

    tables = {}
    for setting, (name, k, _) in FIGURE_7.items():
        try:
            data = read(name, folder, seed)
        except MissingData as error:
            say(str(error))
            continue
        with_classes = []

        def cuts(
            ensemble: Any, numbers: list[int], y: Any = data.y, found: Any = with_classes
        ) -> list[np.ndarray]:
            tree = EAC(1, linkage="single").fit(ensemble).linkage_
            partitions = [cut(tree, k) for k in numbers]
            found.append([nmi(partition, y, "arithmetic") for partition in partitions])
            return partitions

        table = stability(
            ensemble_of(data, k, seed), cuts, NUMBERS, n_resamples=N_DRAWN, random_state=seed
        )
        mean, std = np.mean(with_classes, axis=0), np.std(with_classes, axis=0, ddof=1)
        tables[setting] = table.assign(reference_mean=mean, reference_std=std)
    return tables


def means_of_figure_7(given: Setting) -> dict[str, list[float]]:
    """Mean of NMI(P*, P_b) for each k, by setting."""
    found = agreement(given.data, given.seed)
    return {setting: [float(v) for v in table["mean"]] for setting, table in found.items()}


def figure_7(folder: Path, out: Path | None, seed: int) -> Iterator[str]:
    """Numbers of clusters at which the agreement varies least."""
    tables = agreement(folder, seed)
    yield (
        f"\nFig. 7: spread of the agreement with {N_DRAWN} drawn ensembles of {N_PARTITIONS} "
        f"partitions, single link, k = {NUMBERS[0]} to {NUMBERS[-1]} (seed {seed})\n"
    )
    for setting, table in tables.items():
        published = FIGURE_7[setting][2]
        least = int(table["std"].idxmin())
        spread, within = table["std"].min(), table["ensemble_std"].iloc[0]
        yield (
            f"- {setting}: least spread at k = {least}"
            + ("" if published is None else f" (published {published})")
            + f", {spread:.4f}; within the ensembles {within:.4f}"
        )
    _keep(pd.concat(tables, names=["setting"]), out, "paper2_fig7")


def figure_8(folder: Path, out: Path | None, seed: int, n_experiments: int = 25) -> Iterator[str]:
    """Number of clusters found on the half-rings, by the number of partitions."""
    data = read("Half-rings", folder, seed)
    sizes = [5, 10, 20, 30, 50, 75, 100, 150, MANY_PARTITIONS]
    rows = []
    for k in (10, 20, 30):
        for run in range(n_experiments):
            ensemble = ensemble_of(data, k, seed + run, MANY_PARTITIONS)
            for size in sizes:
                found = EAC(linkage="single").fit(ensemble[:, :size]).n_clusters_
                rows.append({"k": k, "n_partitions": size, "run": run, "n_clusters": found})
    table = pd.DataFrame(rows)
    _keep(table.set_index("k"), out, "paper2_fig8")
    summary = table.groupby(["k", "n_partitions"])["n_clusters"].agg(["mean", "std"])
    yield f"\nFig. 8: clusters of the half-rings, mean ± sd of {n_experiments} ensembles\n"
    for k in (10, 20, 30):
        text = ", ".join(
            f"{size}: {row['mean']:.1f} ± {row['std']:.1f}"
            for size, row in summary.loc[k].iterrows()
        )
        yield f"- k = {k}: {text}"


@cache
def trees_9(folder: Path, seed: int, number: str) -> dict[str, np.ndarray]:
    """Single-link trees of the half-rings for fixed (Fig. 9) and for drawn k (Fig. 10)."""
    data = read("Half-rings", folder, seed)
    trees = {}
    for setting, k in {"9": FIGURE_9, "10": FIGURE_10}[number].items():
        ensemble = ensemble_of(data, k, seed, MANY_PARTITIONS)
        trees[setting] = EAC(linkage="single").fit(ensemble).linkage_
    if number == "9":
        trees[POINTS] = hierarchy.linkage(data.X, "single")
    return trees


def figures_9_and_10(folder: Path, out: Path | None, seed: int) -> Iterator[str]:
    """Lifetimes of the half-rings for fixed and for drawn k."""
    for number in ("9", "10"):
        trees = trees_9(folder, seed, number)
        lives = {
            setting: lifetimes(tree, *([tree[-1, 2]] if setting == POINTS else []))[:20]
            for setting, tree in trees.items()
        }
        table = pd.DataFrame(lives, index=pd.Index(range(1, 21), name="n_clusters"))
        _keep(table, out, f"paper2_fig{number}")
        yield f"\nFig. {number}: lifetimes of the half-rings, {MANY_PARTITIONS} partitions\n"
        for setting, column in table.items():
            longest = column.sort_values(ascending=False).index[:2]
            text = ", ".join(f"{k} cluster{'s' * (k > 1)} {column[k]:.2f}" for k in longest)
            yield f"- {setting}: longest {text}"


def _keep(table: pd.DataFrame, out: Path | None, name: str) -> None:
    """Write a table, and remove the picture of an earlier one."""
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        table.to_csv(out / f"{name}.csv")
        (out / f"{name}.png").unlink(missing_ok=True)
