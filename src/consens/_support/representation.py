"""Text and HTML representations of fitted models."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

#: Module of the HTML representation.  It is imported when a notebook shows a model, so that
#: estimators do not depend on it.
DRAWN_BY = "consens.show.notebook"


class NotebookForm:
    """Mixin that shows the result of a fitted clusterer above scikit-learn's diagram."""

    labels_: Any
    confidence_: Any
    n_clusters_: int

    def _html_repr(self) -> str:
        diagram: str = super()._html_repr()  # type: ignore[misc]
        drawn = isinstance(getattr(self, "labels_", None), np.ndarray)
        if not drawn or not hasattr(self, "ensemble_"):  # as of a saved model
            return diagram
        return f"{import_module(DRAWN_BY).model_html(self)}{diagram}"

    def __str__(self) -> str:
        if not isinstance(getattr(self, "labels_", None), np.ndarray):
            return repr(self)
        stability = getattr(self, "stability_", None)
        return f"{self!r}: {in_one_line(self.labels_, self.confidence_, stability)}"


def in_one_line(labels: np.ndarray, confidence: np.ndarray, stability: Any = None) -> str:
    """Summarize the number of clusters, their sizes, the mean confidence and the stability."""
    inside = labels >= 0
    sizes = np.bincount(labels[inside])
    listed = ", ".join(f"{size:,}" for size in sizes[:12]) + (", …" if len(sizes) > 12 else "")
    outside = f"; {np.count_nonzero(~inside):,} in none" if not inside.all() else ""
    plural = "clusters" if len(sizes) != 1 else "cluster"
    text = f"{len(sizes)} {plural} of {len(labels):,} objects ({listed}{outside})"
    if len(sizes) > 1:
        text += f", mean confidence {confidence[inside].mean():.2f}"
        text += f", {stability_line(stability)}" if stability is not None else ""
    return text


def stability_line(stability: Any) -> str:
    """Express the stability of a result in a line."""
    low, high = stability.interval
    text = f"stability {stability.ari:.2f} ({low:.2f} to {high:.2f})"
    words = [
        f"{n} {word}" for word in ("doubtful", "dissolved") if (n := stability.words.count(word))
    ]
    return text + (f", clusters: {', '.join(words)}" if words else "")
