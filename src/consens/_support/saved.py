"""Fitted models without their members, as they are saved."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np

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
        """Return a copy without members, and without arrays of one entry per object or more.

        Labels, confidence and stability are kept if they are arrays in memory.
        """
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
