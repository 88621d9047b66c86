"""What all plots share: colours, axes, and names from the data as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import LinearSegmentedColormap

#: Colours of clusters.  Each has a contrast of 3 or more against white and against a dark page,
#: and none is the only sign of a cluster: its number always stands beside it.
PALETTE = (
    "#3b78c4",
    "#d4701a",
    "#2f9657",
    "#bf4d8d",
    "#7d62c9",
    "#1b8f97",
    "#d0454c",
    "#94703f",
    "#7f861c",
    "#6b7c93",
)

#: The one colour for what a plot points at, the quiet one for the rest, and ink for text.
ACCENT = PALETTE[0]
SIGNAL = PALETTE[1]
QUIET = "#8a929c"
LINE = "#d5dae0"
INK = "#1f2328"


def cluster_color(index: int) -> str:
    """Colour of a cluster; grey for objects in none.

    From ten on the colours return darker, from twenty on lighter.
    """
    if index < 0:
        return LINE
    base = np.array([int(PALETTE[index % 10][i : i + 2], 16) for i in (1, 3, 5)])
    towards, share = ((0, 0.0), (0, 0.35), (255, 0.4))[index // 10 % 3]
    mixed = np.rint((1 - share) * base + share * towards).astype(int)
    return "#" + "".join(f"{value:02x}" for value in mixed)


#: Marks of clusters: with the colours they tell sixty clusters apart.
MARKERS = "os^DXP"


def cluster_marker(index: int) -> str:
    """Mark of a cluster on a map."""
    return MARKERS[(index + index // 30) % len(MARKERS)]


def halo() -> list[Any]:
    """An outline that keeps text readable on points."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=3, foreground="white")]


def new_axes(width: float, height: float) -> Axes:
    """Make a figure with one pair of axes."""
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def panels(ax: Axes, widths: Sequence[float], *, gap: float = 0.14) -> list[Axes]:
    """Cut axes into panels side by side; the gap between them is a share of the whole width."""
    ax.set_axis_off()
    shares = np.array(widths) / sum(widths) * (1 - gap * (len(widths) - 1))
    left = np.concatenate([[0.0], np.cumsum(shares + gap)[:-1]])
    return [
        ax.inset_axes((float(x), 0.0, float(share), 1.0))
        for x, share in zip(left, shares, strict=True)
    ]


def write_near(
    ax: Axes, text: str, point: Any, shift: tuple[float, float] = (0, 2), **style: Any
) -> None:
    """Write a small text beside a point, shifted by so many points of print."""
    style = {"ha": "center", "fontsize": "small"} | style
    ax.annotate(text, point, xytext=shift, textcoords="offset points", **style)


def legend_above(ax: Axes, columns: int) -> None:
    """A legend of one line above the plot."""
    above: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0)}
    ax.legend(**above, ncols=columns, fontsize="small", frameon=False)


def cluster_bar(ax: Axes, label: int, box: tuple[float, float, float, float], along: Any) -> None:
    """A bar (x, y, width, height) in the colour of a cluster beside an axis of the plot."""
    from matplotlib.patches import Rectangle

    x, y, width, height = box
    style: dict[str, Any] = {"color": cluster_color(label), "lw": 0, "clip_on": False}
    ax.add_patch(Rectangle((x, y), width, height, transform=along, **style))


def runs(labels: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """Label, start and end of each run of equal labels."""
    starts = np.flatnonzero(np.diff(labels, prepend=labels[0] - 1)).tolist()
    for start, end in zip(starts, [*starts[1:], len(labels)], strict=True):
        yield int(labels[start]), start, end


def quiet_frame(ax: Axes) -> None:
    """Leave the frame out where no axis is."""
    ax.spines[["top", "right"]].set_visible(False)


def midtones() -> LinearSegmentedColormap:
    """Colours for an order, all of which can be seen on light and on dark ground."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("midtones", [PALETTE[i] for i in (5, 0, 4, 3, 1)])


def whole_numbers(ax: Axes, numbers: Sequence[int], most: int = 12) -> None:
    """Mark numbers of clusters on the x axis: all, or some with room between."""
    step = -(-(numbers[-1] - numbers[0] + 1) // most)
    marked = list(numbers[:1])
    for number in numbers:
        if number - marked[-1] >= step:
            marked.append(number)
    ax.set_xticks(marked)
    ax.set_xlabel("number of clusters k")


def named(names: Sequence[Any], width: int = 32) -> list[str]:
    """Names from the data, short enough for an axis."""
    texts = [" ".join(str(name).split()) for name in names]
    return [text if len(text) <= width else text[: width - 1] + "…" for text in texts]
