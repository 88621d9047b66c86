"""Quality and diversity of the members of a library, and those that a selection keeps.

    python -m studies.quality_diversity [--out docs/_static/selection.png]

The points are the pairs of 150 members of three kinds on the wines.  x is the NMI of the two
members, so that diverse pairs are on the left; y is the mean of their qualities, where the quality
of a member is its mean NMI with all members (Fern and Lin 2008).  `ClusterAndSelect` keeps thirty
members.  The convex hull is that of `SelectConvexHull`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_wine

from consens.generate import library
from consens.select import ClusterAndSelect
from consens.select.diagram import extreme_pairs
from studies._pictures import plt, save

OUT = Path(__file__).parents[1] / "docs" / "_static" / "selection.png"


class Pairs(NamedTuple):
    """Coordinates of the pairs of members, whether both were selected, and the convex hull."""

    similarity: np.ndarray
    quality: np.ndarray
    selected: np.ndarray
    hull: np.ndarray

    @classmethod
    def of(cls, nmi: np.ndarray, support: np.ndarray) -> Pairs:
        """Pairs by the NMI of all members and the mask of the selected ones."""
        member_quality = nmi.mean(axis=1)
        first, second = np.triu_indices(len(nmi), k=1)
        i, j = extreme_pairs(nmi, member_quality).T
        corners = np.column_stack([nmi[i, j], (member_quality[i] + member_quality[j]) / 2])
        around = corners - corners.mean(axis=0)
        return cls(
            nmi[first, second],
            (member_quality[first] + member_quality[second]) / 2,
            support[first] & support[second],
            corners[np.argsort(np.arctan2(around[:, 1], around[:, 0]))],
        )


def draw(pairs: Pairs, path: Path) -> None:
    """Write the diagram as PNG."""
    figure, ax = plt.subplots(figsize=(5.6, 4.2), layout="constrained")
    for own, color, label in (
        (~pairs.selected, "0.6", "other pairs"),
        (pairs.selected, "#0b62a4", "pairs of selected members"),
    ):
        x, y = pairs.similarity[own], pairs.quality[own]
        ax.scatter(x, y, s=6, lw=0, color=color, alpha=0.6, label=label)
    ax.plot(*np.vstack([pairs.hull, pairs.hull[:1]]).T, color="0.2", lw=1, label="convex hull")
    ax.set_xlabel("NMI of the pair  (diverse ←  → similar)")
    ax.set_ylabel("mean quality of the pair")
    ax.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=3, fontsize="small", frameon=False)
    save(figure, path)


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument("--out", type=Path, default=OUT, help="the picture")
    made = library(n_classes=3, size=150, random_state=0).fit_transform(load_wine().data)
    selector = ClusterAndSelect(30, random_state=0).fit(made)
    draw(Pairs.of(selector.similarity_, selector.get_support()), options.parse_args().out)


if __name__ == "__main__":
    main()
