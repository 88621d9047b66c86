"""Figures 1 to 4 of Fern and Lin 2008 as tables (CSV) and plots (PNG); see `studies.paper3`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from studies._pictures import plt, save
from studies._store import Store
from studies.paper3 import ALL_SIZES, DATA, FIGURES, Figure, figures_of, measured_in

TITLES = {
    "Fig. 1": "Quality and Diversity",
    "Fig. 2": "Joint Criterion, Cluster and Select, Convex Hull",
    "Fig. 3": "Joint Criterion by α, extended libraries",
    "Fig. 4": "Cluster and Select on small (S) and extended (L, LO) libraries",
}
COLOURS = ["#0b62a4", "#d1495b", "#2a9d5c", "#8d5fb0", "#c77d0a", "#444444"]


def draw(store: Store) -> None:
    """Write each figure that the store has as a table and as a picture, beside it."""
    out = store.file.parent
    for figure in FIGURES:
        name = "paper3_" + figure.lower().replace(". ", "")
        table = as_table(figure, store)
        if len(table) and (table["size"] == ALL_SIZES[0]).any():
            table.to_csv(out / f"{name}.csv", index=False)
            plot(figure, table, out / f"{name}.png")


def as_table(figure: str, store: Store) -> pd.DataFrame:
    """One row per data set, line and size; size 0 for what has no size."""
    return pd.DataFrame(
        [
            {
                "data": name,
                "line": line(figure, cell, data.outliers),
                "size": cell.size,
                "nmi": np.mean(own),
                "sd": np.std(own),
                "libraries": len(own),
            }
            for name, data in DATA.items()
            for cell, own in measured_in(store, name, figures_of(figure, data.outliers)).items()
        ]
    )


def line(figure: str, cell: Figure, outliers: bool) -> str:
    """What a line of a figure is called there."""
    if figure != "Fig. 4":
        return cell.method
    # the paper's L is the extended library without outliers, where it has any
    kind = "L" if cell.library == "LO" and not outliers else cell.library
    return f"{'CAS' if cell.size else 'Full'}-{kind}"


def plot(figure: str, table: pd.DataFrame, path: Path) -> None:
    """A panel per data set; what has no size is a level line."""
    names = list(dict.fromkeys(table["data"]))
    columns = 2 if len(names) == 4 else min(3, len(names))
    rows = -(-len(names) // columns)
    picture, axes = plt.subplots(
        rows, columns, figsize=(4.6 * columns, 3.6 * rows), squeeze=False, layout="constrained"
    )
    lines = sorted(set(table["line"]), key=lambda text: (text.startswith("Full"), text))
    # in Fig. 4 what belongs to one library has one colour
    kinds = [text.partition("-")[2] or text for text in lines]
    palette = dict(zip(dict.fromkeys(kinds), COLOURS, strict=False))
    colour = {text: palette[kind] for text, kind in zip(lines, kinds, strict=True)}
    for ax, name in zip(axes.flat, names, strict=False):
        own = table[table["data"] == name]
        for text in lines:
            part = own[own["line"] == text]
            sized = part[part["size"] > 0]
            if len(sized):
                ax.plot(
                    sized["size"],
                    sized["nmi"],
                    color=colour[text],
                    lw=1.6,
                    marker="o",
                    ms=3,
                    label=text,
                )
            for level in part[part["size"] == 0]["nmi"]:
                style = "--" if text.startswith("Full") else ":"
                ax.axhline(level, color=colour[text], lw=1.4, ls=style, label=text)
        ax.set_title(name, fontsize="medium")
        ax.set_xlabel("ensemble size")
        ax.set_ylabel("NMI")
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(alpha=0.25)
    for ax in axes.flat[len(names) :]:
        ax.set_axis_off()
    handles = {}
    for ax in axes.flat:
        handles |= {
            text: handle for handle, text in zip(*ax.get_legend_handles_labels(), strict=True)
        }
    picture.legend(
        handles.values(),
        handles.keys(),
        loc="outside lower center",
        ncols=min(2 * columns, len(handles)),
        fontsize="small",
        frameon=False,
    )
    picture.suptitle(f"{figure}: {TITLES[figure]}", fontsize="medium" if columns > 1 else "small")
    save(picture, path)
