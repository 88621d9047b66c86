"""Pictures of the figures of Fred and Jain 2005, drawn into the folder of the store.

A picture shows the first run.  Figs. 7 and 8 are drawn from the tables that the measurement left
in the folder; everything else is computed again from the seed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.cluster import hierarchy

from consens.measure import error_rate
from consens.partition import lifetimes
from studies import _single
from studies._cells import Setting
from studies._data import MissingData
from studies._pictures import plt, save
from studies._run import say
from studies.paper2 import ensemble_of
from studies.paper2_curves import POINTS, trees_9
from studies.paper2_scenes import (
    FIGURE_2_RUNS,
    FIGURE_3,
    FIGURE_4,
    FIGURE_5,
    FIGURE_6,
    eac_3,
    eac_12,
    partitions_1,
    partitions_4,
    read,
    ring_bar_gaussian,
    similarities_2,
)
from studies.paper2_scenes import (
    figure_5 as agreement,
)

# Okabe and Ito's colours without yellow, which is faint on white; markers distinguish the
# clusters that have the same colour
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
MARKERS = "o^sDvP"


def draw(given: Setting) -> None:
    """Draw the pictures that are not in the folder of the store."""
    if given.store.file is None:
        return
    folder = given.store.file.parent
    folder.mkdir(parents=True, exist_ok=True)
    for number, make in PICTURES.items():
        path = folder / f"paper2_fig{number}.png"
        if path.exists():
            continue
        try:
            picture = make(given)
        except MissingData as missing:
            say(str(missing))
            continue
        picture.get_layout_engine().set(w_pad=0.1, h_pad=0.1)
        save(picture, path)
        say(f"drawn: {path.name}")


def scatter(ax: Any, X: np.ndarray, labels: np.ndarray, title: str, large: Any = False) -> None:
    """Objects by cluster, the largest cluster first; the dots of some objects may be `large`."""
    sizes = np.where(np.broadcast_to(large, len(X)), 50, 16)
    clusters, counts = np.unique(labels, return_counts=True)
    for i, cluster in enumerate(clusters[np.argsort(-counts, kind="stable")]):
        own = labels == cluster
        look = {"color": COLORS[i % len(COLORS)], "marker": MARKERS[i // len(COLORS) % 6]}
        ax.scatter(*X[own].T, s=sizes[own], lw=0, **look)
    ax.set(title=title, aspect="equal", xticks=[], yticks=[])


def matrix(ax: Any, values: np.ndarray, title: str) -> Any:
    """A similarity matrix: white is 0, black is 1."""
    ax.set(title=title, xticks=[], yticks=[])
    return ax.imshow(values, cmap="Greys", vmin=0, vmax=1)


def figure_1(given: Setting) -> plt.Figure:
    """Complex image: the data, and partitions by k-means, single link and complete link."""
    data = read("Complex image", given.data, given.seed)
    picture, axes = plt.subplots(2, 3, figsize=(12, 8.4), layout="constrained")
    outer = data.y == data.k - 1  # ten points far from all others
    scatter(axes.flat[0], data.X, data.y, f"(a) drawn data, {data.k} classes", outer)
    panels = partitions_1(data, given.seed).items()
    for ax, (panel, labels) in zip(axes.flat[1:], panels, strict=True):
        error = 100 * error_rate(data.y, labels)
        clusters = len(np.unique(labels))
        scatter(ax, data.X, labels, f"{panel}\n{clusters} clusters, error {error:.1f} %", outer)
    return picture


def figure_2(given: Setting) -> plt.Figure:
    """Ring, bar and Gaussian: two runs of k-means, similarities, map and combination."""
    data = ring_bar_gaussian(given.seed)
    matrices = similarities_2(data, given.seed)
    fitted = eac_3(data, given.seed)
    leaves = hierarchy.leaves_list(fitted.linkage_)
    order = leaves[np.argsort(data.y[leaves], kind="stable")]
    picture, axes = plt.subplots(3, 3, figsize=(12, 12), layout="constrained")
    flat = list(axes.flat)
    scatter(flat[0], data.X, data.y, "(a) drawn data, 3 classes")
    for ax, panel, k in zip(flat[1:3], "bc", FIGURE_2_RUNS, strict=True):
        labels = ensemble_of(data, k, given.seed, 1).labels[:, 0]
        scatter(ax, data.X, labels, f"({panel}) k-means, k = {k}")
    for ax, (panel, values) in zip(flat[3:7], matrices.items(), strict=True):
        image = matrix(ax, values[np.ix_(order, order)], panel)
    picture.colorbar(image, ax=axes[1, 2], label="similarity", shrink=0.9)
    scaled = plane(1 - list(matrices.values())[-1])
    scatter(flat[7], scaled, data.y, "(h) map: multidimensional scaling of (g)")
    scatter(flat[8], data.X, fitted.labels_, f"(i) EAC-SL, {fitted.n_clusters_} clusters")
    return picture


def plane(distances: np.ndarray) -> np.ndarray:
    """Positions in the plane by classical multidimensional scaling."""
    squares = distances**2
    means = squares.mean(axis=0)
    values, vectors = np.linalg.eigh(-(squares - means - means[:, None] + squares.mean()) / 2)
    return vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0))


def figure_3(given: Setting) -> plt.Figure:
    """Single-link tree of the co-association of Fig. 2, with lifetimes."""
    tree = eac_3(ring_bar_gaussian(given.seed), given.seed).linkage_
    lives = lifetimes(tree)
    picture, ax = plt.subplots(figsize=(9, 5), layout="constrained")
    dendrogram(ax, tree, "ring, bar and Gaussian, single link")
    right = ax.get_xlim()[1]
    for i, k in enumerate(FIGURE_3):
        low, high = tree[-k, 2], tree[1 - k, 2]
        x = right * (1.06 + 0.15 * i)
        ax.hlines([low, high], 0, x, color="0.75", lw=0.8, ls=":", zorder=0)
        ax.vlines(x, low, high, color=COLORS[i], lw=5)
        ax.text(
            *(x, high + 0.015, f"$l_{k}$ = {lives[k - 1]:.2f}"),
            color=COLORS[i],
            ha="center",
        )
    ax.set(xlim=(0, right * 1.6), ylim=(0, 1.08))
    return picture


def dendrogram(ax: Any, tree: np.ndarray, title: str, top: float | None = 1.0) -> None:
    """The last 60 merges of a tree."""
    hierarchy.dendrogram(
        tree,
        ax=ax,
        no_labels=True,
        p=60,
        truncate_mode="lastp",
        color_threshold=0,
        above_threshold_color=COLORS[0],
    )
    ax.set(title=title, ylabel="distance", ylim=(0, top))
    ax.spines[["top", "right"]].set_visible(False)


def figure_4(given: Setting) -> plt.Figure:
    """The first five plausible partitions of the cigars."""
    data = read("Cigar", given.data, given.seed)
    partitions = partitions_4(data, given.seed)
    picture, axes = plt.subplots(1, 5, figsize=(14, 3.4), layout="constrained")
    for ax, panel, k in zip(axes, "abcde", FIGURE_4, strict=True):
        scatter(ax, data.X, partitions[k], f"({panel}) {k} clusters")
    return picture


def figure_5(given: Setting) -> plt.Figure:
    """Agreement of the partitions of the cigars with ensembles, by number of clusters."""
    found = given.store.get(("Fig. 5",), lambda: agreement(given))
    picture, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for i, (name, values) in enumerate(found.items()):
        ax.plot(FIGURE_5, values, marker=MARKERS[i], color=COLORS[i], label=name)
    ax.set(
        title="Cigars: agreement with ensembles of 50 partitions",
        xlabel="clusters of the partition",
        ylabel="mean NMI",
        ylim=(0, 1),
    )
    ax.legend(title="ensemble", frameon=False)
    return picture


def figure_6(given: Setting) -> plt.Figure:
    """The test data; the first two features of the random data."""
    picture, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained")
    for ax, panel, name in zip(axes, "abc", FIGURE_6, strict=True):
        data = read(name, given.data, given.seed)
        sizes = np.unique(data.y, return_counts=True)[1]
        listed = ", ".join(map(str, sizes))
        below = "first two features" if data.X.shape[1] > 2 else f"class sizes {listed}"
        scatter(ax, data.X[:, :2], data.y, f"({panel}) {name}, n = {len(data.X)}\n{below}")
    return picture


def figure_7(given: Setting) -> plt.Figure:
    """Agreement of the combined partition with drawn ensembles, and its spread."""
    kept = table(given, "paper2_fig7.csv").set_index("setting")
    numbers = kept.columns[0]
    settings = list(dict.fromkeys(kept.index))
    picture, axes = plt.subplots(2, 2, figsize=(12, 8.4), layout="constrained")
    lines = {
        "NMI(P*, P)": ("mean", "std", COLORS[6]),
        "NMI(P*, classes)": ("reference_mean", "reference_std", COLORS[1]),
    }
    for ax, setting in zip(axes.flat[:3], settings[:3], strict=False):
        own = kept.loc[setting]
        for label, (mean, spread, color) in lines.items():
            ax.errorbar(own[numbers], own[mean], own[spread], label=label, color=color)
        ax.set(title=setting, xlabel="k", ylabel="NMI", ylim=(0, 1.05), xticks=range(2, 21, 2))
        ax.legend(loc="lower right", frameon=False)
    last = axes.flat[3]
    for i, setting in enumerate(settings):
        own = kept.loc[setting]
        last.plot(own[numbers], own["std"], label=setting[4:], color=COLORS[i])
        last.axhline(own["ensemble_std"].iloc[0], ls="--", lw=1, color=COLORS[i])
    last.set(
        title="(d) standard deviation of NMI(P*, P)\n(dashed: within the ensembles)",
        xlabel="k",
        yscale="log",
        xticks=range(2, 21, 2),
    )
    last.legend(fontsize="small")
    return picture


def figure_8(given: Setting) -> plt.Figure:
    """Number of clusters of the half-rings, by the number of partitions."""
    found = table(given, "paper2_fig8.csv").groupby(["k", "n_partitions"])["n_clusters"]
    summary = found.agg(["mean", "std"])
    picture, axes = plt.subplots(1, 3, figsize=(12, 3.8), sharey=True, layout="constrained")
    for ax, panel, k in zip(axes, "abc", summary.index.levels[0], strict=True):
        own = summary.loc[k]
        ax.errorbar(own.index, own["mean"], own["std"], marker="o", color=COLORS[0], capsize=2)
        ax.set(title=f"({panel}) half-rings, k = {k}", xlabel="partitions")
    axes[0].set_ylabel("clusters")
    return picture


def table(given: Setting, name: str) -> pd.DataFrame:
    """The table that the measurement of a figure left in the folder of the store."""
    path = given.store.file.parent / name
    if not path.exists():
        raise MissingData(f"{name} is not in {path.parent}: measure its figure to get a picture")
    return pd.read_csv(path)


def figure_9(given: Setting, number: str = "9") -> plt.Figure:
    """Single-link trees of the half-rings."""
    picture, axes = plt.subplots(2, 2, figsize=(12, 8.4), layout="constrained")
    trees = trees_9(given.data, given.seed, number).items()
    for ax, panel, (setting, tree) in zip(axes.flat, "abcd", trees, strict=True):
        title = f"({panel}) half-rings, {'single link of ' * (setting == POINTS)}{setting}"
        dendrogram(ax, tree, title, None if setting == POINTS else 1.0)
    return picture


def figure_10(given: Setting) -> plt.Figure:
    """Single-link trees of the half-rings, k drawn from intervals."""
    return figure_9(given, "10")


def figure_12(given: Setting) -> plt.Figure:
    """Complex image by evidence accumulation and by spectral clustering."""
    name = "Complex image"
    data = read(name, given.data, given.seed)
    sigma = given.store.get((name, "σ"), lambda: _single.spectral(data.X, data.k).sigma)
    spectral = _single.spectral(data.X, data.k, [sigma]).labels(data.k, given.seed)
    found = eac_12(data, given.seed)
    errors = [error_rate(data.y, found.labels_, "majority"), error_rate(data.y, spectral)]
    first, second = [f"error {100 * error:.1f} %" for error in errors]
    picture, axes = plt.subplots(1, 2, figsize=(11, 5.8), layout="constrained")
    title = f"(a) EAC-SL by lifetime\n{found.n_clusters_} clusters, {first} (majority)"
    outer = data.y == data.k - 1
    scatter(axes[0], data.X, found.labels_, title, outer)
    title = f"(b) SC, σ = {sigma:.2f}\n{data.k} clusters, {second}"
    scatter(axes[1], data.X, spectral, title, outer)
    return picture


PICTURES: dict[int, Callable[[Setting], plt.Figure]] = {
    1: figure_1,
    2: figure_2,
    3: figure_3,
    4: figure_4,
    5: figure_5,
    6: figure_6,
    7: figure_7,
    8: figure_8,
    9: figure_9,
    10: figure_10,
    12: figure_12,
}
