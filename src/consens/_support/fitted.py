"""What fitted models share: text and HTML of the result, and copies without the members."""

from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np


class NotebookForm:
    """Mixin that shows the result of a fitted clusterer above scikit-learn's diagram."""

    labels_: Any
    confidence_: Any
    n_clusters_: int

    def _html_repr(self) -> str:
        fitted = isinstance(getattr(self, "labels_", None), np.ndarray)
        answer = f"<p><strong>{self._answer()}</strong></p>" if fitted else ""
        return f"{answer}{super()._html_repr()}"  # type: ignore[misc]

    def __str__(self) -> str:
        fitted = isinstance(getattr(self, "labels_", None), np.ndarray)
        return f"{self!r}: {self._answer()}" if fitted else repr(self)

    def _answer(self) -> str:
        return in_one_line(self.labels_, self.confidence_, getattr(self, "stability_", None))


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
    if len(sizes) > 1 and stability is not None:
        low, high = stability.interval
        text += f", stability {stability.ari:.2f} ({low:.2f} to {high:.2f})"
        counts = [(stability.words.count(word), word) for word in ("doubtful", "dissolved")]
        weak = ", ".join(f"{n} {word}" for n, word in counts if n)
        text += f", clusters: {weak}" if weak else ""
    return text


#: Fitted attributes that are kept without the members, however long they are.
KEPT = (
    "labels_",
    "confidence_",
    "stability_",
    "feature_names_in_",
    "cluster_centers_",
    "feature_weights_",
)

#: Attributes that hold the members, or are computed from them when they are first read.
FROM_MEMBERS = (
    "ensemble_",
    "consensus_",
    "confidence_",
    "stability_",
    "memberships_",
    "results_",
    "linkage_",
)


class Shrinkable:
    """Mixin of models that can do without their members, except for reports."""

    def without_members(self) -> Self:
        """Return a copy without members, and without arrays of one entry per object or more."""
        kept = copy(self)
        state: dict[str, Any] = kept.__dict__
        n = len(state["labels_"])
        if isinstance(state["labels_"], np.ndarray):
            state["confidence_"] = np.asarray(self.confidence_)  # type: ignore[attr-defined]
            state["stability_"] = self.stability_  # type: ignore[attr-defined]
        else:
            del state["labels_"]
        for name in [name for name in state if name.endswith("_") or name.startswith("_")]:
            value = state[name]
            large = isinstance(value, np.ndarray) and value.ndim and len(value) >= n - 1
            held = name in FROM_MEMBERS or name in self._made_of_members()
            if (large or held) and name not in KEPT:
                del state[name]
        return kept

    def _made_of_members(self) -> tuple[str, ...]:
        """Names of further attributes that hold labels of members."""
        return ()

    if not TYPE_CHECKING:  # type checkers would accept any attribute

        def __getattr__(self, name: str) -> Any:
            state = self.__dict__
            shrunk = "n_clusters_" in state and not {"ensemble_", "consensus_"} & state.keys()
            if shrunk and name in FROM_MEMBERS:
                raise AttributeError(
                    f"this {type(self).__name__} was saved without its members, so it has no "
                    f"{name}; save it by consens.save(model, path, keep_members=True)"
                )
            if hasattr(type(self), name):  # a property that failed: say why
                return object.__getattribute__(self, name)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
