"""Figures 1 to 3 of Huang, Wang and Lai 2017 as plots (PNG), from the store of the study."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from studies._pictures import plt, save
from studies._store import Store, Values
from studies.paper4 import DATA, FIG_3, SOURCES, THETAS, of_true_k

COLORS = {"pools": "#0072b2", "features": "#d55e00"}
MARKERS = "osD^vP*Xh"


def draw(store: Store) -> None:
    """Write each figure that the store has as a picture beside it."""
    out, true = store.file.parent, of_true_k(store)
    if true:
        figure_1(true, out / "paper4_fig1.png")
        figure_2(true, out / "paper4_fig2.png")
    if times := store.known.get(("Fig. 3",)):
        figure_3(times, out / "paper4_fig3.png")


def figure_1(results: dict[tuple[str, str], Values], path: Path) -> None:
    """NMI of LWMC over θ: a panel per data set."""
    figure, axes = plt.subplots(2, 4, figsize=(13, 5.4), layout="constrained", sharex=True)
    for ax, name in zip(axes.flat, DATA, strict=True):
        for source in SOURCES:
            if values := results.get((name, source)):
                means = [np.mean(values[f"θ = {theta:g}"]) for theta in THETAS]
                ax.plot(np.log2(THETAS), means, "o-", ms=4, color=COLORS[source], label=source)
        middle = np.mean(ax.get_ylim())
        ax.set(title=name, xlabel="log₂ θ", ylabel="NMI", ylim=(middle - 0.06, middle + 0.06))
    lines = [plt.Line2D([], [], marker="o", color=COLORS[source]) for source in SOURCES]
    figure.legend(lines, list(SOURCES), loc="outside lower center", ncols=2, frameon=False)
    save(figure, path)


def figure_2(results: dict[tuple[str, str], Values], path: Path) -> None:
    """NMI of LWMC beside that of its base clusterings: a panel per source."""
    figure, axes = plt.subplots(1, 2, figsize=(13, 3.8), layout="constrained", sharey=True)
    for ax, source in zip(axes, SOURCES, strict=True):
        found = {name: results[name, source] for name in DATA if (name, source) in results}
        for shift, column, color, label in (
            (-0.2, "base", "0.65", "base clusterings"),
            (0.2, "LWMC", COLORS[source], "LWMC"),
        ):
            means = [np.mean(values[column]) for values in found.values()]
            spread = [np.std(values[column]) for values in found.values()]
            places = np.arange(len(found)) + shift
            ax.bar(places, means, 0.38, yerr=spread, color=color, label=label, capsize=2)
        ax.set(title=f"from {source}", ylabel="NMI", xticks=range(len(found)))
        ax.set_xticklabels(found)
        ax.legend(frameon=False)
    save(figure, path)


def figure_3(times: dict[str, dict[str, float]], path: Path) -> None:
    """CPU seconds over the number of objects, with the two figures that the paper prints."""
    figure, ax = plt.subplots(figsize=(8, 4.6), layout="constrained")
    for number, ((method, spent), marker) in enumerate(zip(times.items(), MARKERS, strict=False)):
        sizes = [int(size) for size in spent]
        ax.plot(sizes, list(spent.values()), f"{marker}-", ms=5, color=f"C{number}", label=method)
        if method in FIG_3:
            ax.plot(sizes[-1], FIG_3[method], marker, ms=9, mfc="none", color=f"C{number}")
    ax.set(xlabel="objects of Letter Recognition", ylabel="CPU seconds", yscale="log")
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    ax.set_title("open markers: published, on another machine", fontsize="medium")
    save(figure, path)
