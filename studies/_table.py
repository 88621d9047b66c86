"""Tables of published beside measured figures, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with columns padded to one width."""
    cells = [list(header), *map(list, rows)]
    widths = [max(len(row[c]) for row in cells) for c in range(len(header))]
    lines = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |"
        for row in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def measured(values: Sequence[float], digits: int = 1) -> str:
    """Mean and standard deviation over the runs."""
    return f"{np.mean(values):.{digits}f} ± {np.std(values):.{digits}f}"


def beside(published: float | None, values: Sequence[float], digits: int = 1) -> str:
    """A published figure and what was measured; a dash where there is none."""
    left = "–" if published is None else f"{published:.{digits}f}"
    if not len(values):
        return f"{left} / –"
    return f"{left} / " + (
        measured(values, digits) if len(values) > 1 else f"{values[0]:.{digits}f}"
    )
