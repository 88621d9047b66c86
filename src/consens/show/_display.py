"""What all displays share: their base class, colours, axes and annotations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from consens._docs import shared_paragraphs

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
else:
    Axes = Any  # matplotlib is imported when something is drawn

#: Colours of clusters.  Each has a contrast of at least 3 on light and on dark pages.  Plots never
#: rely on colour alone: they also show the number of a cluster.
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

#: Colours for the main content, for emphasis, for the rest, for lines and for text.
ACCENT = PALETTE[0]
SIGNAL = PALETTE[1]
QUIET = "#8a929c"
LINE = "#d5dae0"
INK = "#1f2328"


def cluster_color(index: int) -> str:
    """Colour of a cluster; grey for objects in no cluster."""
    if index < 0:
        return LINE
    base = np.array([int(PALETTE[index % 10][i : i + 2], 16) for i in (1, 3, 5)])
    towards, share = ((0, 0.0), (0, 0.35), (255, 0.4))[index // 10 % 3]
    mixed = np.rint((1 - share) * base + share * towards).astype(int)
    return "#" + "".join(f"{value:02x}" for value in mixed)


#: Markers of clusters: combined with the colours they distinguish sixty clusters.
MARKERS = "os^DXP"


def cluster_marker(index: int) -> str:
    """Marker of a cluster on a map."""
    return MARKERS[(index + index // 30) % len(MARKERS)]


def cluster_bar(ax: Axes, label: int, box: tuple[float, float, float, float], along: Any) -> None:
    """Add a bar (x, y, width, height) in the colour of a cluster next to an axis."""
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
    """Hide the top and right spines."""
    ax.spines[["top", "right"]].set_visible(False)


def whole_numbers(ax: Axes, numbers: Sequence[int]) -> None:
    """Put ticks at numbers of clusters on the x axis, at most about twelve of them."""
    step = -(-(numbers[-1] - numbers[0] + 1) // 12)
    marked = list(numbers[:1])
    for number in numbers:
        if number - marked[-1] >= step:
            marked.append(number)
    ax.set_xticks(marked)
    ax.set_xlabel("number of clusters k")


class Display:
    """Base class of plots that are computed once and can be drawn repeatedly.

    Attributes
    ----------
    ax_, figure_ : the axes and the figure of the last plot
    """

    ax_: Axes
    figure_: Any

    #: Width and height of a new figure in inches.
    _figure_size: tuple[float, float] = (6.0, 4.0)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        shared_paragraphs(cls)
        if "from_estimator" in vars(cls):
            shared_paragraphs(vars(cls)["from_estimator"].__func__)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib axes, optional
            By default, a new figure.  A plot with several panels divides the axes.

        Returns
        -------
        self
            With the axes and the figure, ``ax_`` and ``figure_``.
        """
        if ax is not None and not hasattr(ax, "figure"):
            raise TypeError(f"ax must be matplotlib axes, got {type(ax).__name__}")
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots(figsize=self._figure_size, layout="constrained")[1]
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(self.ax_)
        return self

    def _draw(self, ax: Axes) -> None:
        raise NotImplementedError
