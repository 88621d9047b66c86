"""Base class of all displays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from consens._docs import shared_paragraphs

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
else:
    Axes = Any  # matplotlib is imported when something is drawn


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
        names = {"from_estimator", "from_ensemble"} & vars(cls).keys()
        for documented in (cls, *(vars(cls)[name].__func__ for name in names)):
            shared_paragraphs(documented)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib axes, optional
            By default, a new figure.  A plot with several panels divides the axes.

        Returns
        -------
        self
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
