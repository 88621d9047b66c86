"""Pictures of the studies, drawn without a display."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt

DPI = 80


def save(figure: plt.Figure, path: Path) -> None:
    """Write a picture as PNG and close it; an interrupted run leaves no half picture."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    figure.savefig(part, dpi=DPI, format="png")
    plt.close(figure)
    part.replace(path)
