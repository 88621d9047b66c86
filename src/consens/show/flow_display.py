"""Flow diagram: how the objects of one partition move to the clusters of another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from consens._labels import compact, match
from consens._naming import in_order
from consens._support.printable import printable
from consens.measure import ari, nmi
from consens.show._display import INK, Axes, Display, cluster_color
from consens.show._plain import short

HALF_BAR = 0.04  # half the width of a bar
GAP = 0.02  # between bars, as a share of the height


@dataclass(eq=False, repr=False)
class FlowDisplay(Display):
    """Alluvial diagram of two partitions of the same objects.

    Bars are clusters, and bands the objects that two clusters share.  Clusters on the right have
    the colour of the cluster on the left that is matched with them (`partners`), one-to-one so
    that as many objects as possible stay; all other objects have `moved`.  `table` counts the
    objects in each cluster of the first (rows) and the second partition (columns).
    """

    table: pd.DataFrame
    partners: dict[str, str]
    moved: np.ndarray
    ari: float
    nmi: float

    _figure_size = (6.4, 4.8)

    @classmethod
    def compute(cls, before: Sequence[Any], after: Sequence[Any]) -> Self:
        """Compare two partitions without plotting them; noise (-1) is a group of its own."""
        first, second = (pd.Series(list(own)).astype(str) for own in (before, after))
        if len(first) != len(second):
            raise ValueError(f"the partitions have {len(first)} and {len(second)} objects")
        table = pd.crosstab(first, second)
        table = table.loc[sorted(table.index, key=in_order), sorted(table, key=in_order)]
        codes = [
            np.where(own == "-1", -1, pd.Categorical(own, names).codes).astype(np.int32)
            for own, names in ((first, table.index), (second, table.columns))
        ]
        renamed = match(compact(codes[1]), compact(codes[0]))
        reference = compact(codes[0])
        name_of = dict(zip(reference.tolist(), first, strict=True))
        partners = {
            own: name_of[code]
            for own, code in zip(second, renamed.tolist(), strict=True)
            if code in name_of
        }
        moved = second.map(partners).to_numpy() != first.to_numpy()
        return cls(table, partners, moved, ari(codes[0], codes[1]), nmi(codes[0], codes[1]))

    def _draw(self, ax: Axes) -> None:
        from matplotlib.patches import PathPatch, Rectangle
        from matplotlib.path import Path

        order = self._columns()
        counts = self.table[order].to_numpy()
        gap = GAP * counts.sum()
        color = {name: cluster_color(i) for i, name in enumerate(self.table.index)}
        fresh = {name: cluster_color(len(color) + i) for i, name in enumerate(order)}
        # upper ends of bars that are stacked downwards with gaps
        starts, ends = (
            -np.append(0.0, np.cumsum(counts.sum(axis=axis)[:-1] + gap)) for axis in (1, 0)
        )
        left, right = starts.copy(), ends.copy()
        curve = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3]
        for i, name in enumerate(self.table.index):
            for j in np.flatnonzero(counts[i]):
                (a, b), n = (left[i], right[j]), counts[i, j]
                upper = [(HALF_BAR, a), (0.5, a), (0.5, b), (1 - HALF_BAR, b)]
                points = upper + [(x, y - n) for x, y in reversed(upper)]
                stays = self.partners.get(order[j]) == name
                look: dict[str, Any] = {"facecolor": color[name], "lw": 0}
                ax.add_patch(PathPatch(Path(points, curve), alpha=0.35 if stays else 0.7, **look))
                left[i] -= n
                right[j] -= n
        sides = ((0.0, self.table.index, starts, counts.sum(axis=1)),
                 (1.0, order, ends, counts.sum(axis=0)))  # fmt: skip
        for x, names, tops, sizes in sides:
            for name, top, size in zip(names, tops, sizes, strict=True):
                shade = color[name] if x == 0 else color.get(self.partners.get(name, ""))
                bar: dict[str, Any] = {"color": shade or fresh[name], "lw": 0}
                ax.add_patch(Rectangle((x - HALF_BAR, top - size), 2 * HALF_BAR, size, **bar))
                place, side = (x - 2 * HALF_BAR, "right") if x == 0 else (x + 2 * HALF_BAR, "left")
                text = f"{printable(short(name, 24))} ({size:,})"
                look = {"va": "center", "ha": side, "color": INK, "parse_math": False}
                ax.text(place, top - size / 2, text, fontsize="small", **look)
        ax.set_xlim(-0.45, 1.45)
        ax.set_ylim(min(starts[-1] - counts[-1].sum(), ends[-1] - counts[:, -1].sum()) - gap, gap)
        ax.set_axis_off()
        share = self.moved.mean()
        ax.set_title(
            f"{self.moved.sum():,} of {len(self.moved):,} objects moved ({share:.1%}), "
            f"ARI {self.ari:.2f}",
            fontsize="medium",
        )

    def _columns(self) -> list[str]:
        """Second clusters in the order of their partners, then the new ones by name."""
        rank = {name: i for i, name in enumerate(self.table.index)}
        return sorted(
            self.table, key=lambda name: rank.get(self.partners.get(name, ""), len(rank))
        )
