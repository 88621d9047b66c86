"""Partitions of a fitted consensus into other numbers of clusters."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from consens.ensemble import Ensemble
from consens.measure import object_confidence
from consens.partition import cut


class Partitions(Mapping[int, Any]):
    """Lazy mapping from numbers of clusters to partitions: cuts of a tree, or else new fits."""

    def __init__(self, consensus: Any, numbers: Iterable[int]) -> None:
        self.consensus = consensus
        self.numbers = [int(k) for k in numbers]
        own = getattr(consensus, "n_clusters_", None)
        own = int(np.max(consensus.labels_, initial=-1)) + 1 if own is None else int(own)
        self._labels = {own: consensus.labels_}
        self._refitted: dict[int, Any] = {}
        self._judged: dict[int, tuple[Any, Any]] = {}

    def __getitem__(self, k: int) -> Any:
        if k not in self.numbers:
            raise KeyError(k)
        if k not in self._labels:
            if len(getattr(self.consensus, "linkage_", ())):
                self._labels[k] = self.consensus.label_all(cut(self.consensus.linkage_, k))
            else:
                again = refit(self.consensus, self.consensus.ensemble_, k)
                self._labels[k], self._refitted[k] = again.labels_, again
        return self._labels[k]

    def __iter__(self) -> Iterator[int]:
        return iter(self.numbers)

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        return f"<Partitions into {', '.join(map(str, self.numbers))} clusters>"

    def confidence(self, k: int) -> Any:
        """Confidence of each object in the partition into k clusters."""
        return self._judged_partition(k)[0]

    def stability(self, k: int) -> Any:
        """Stability of the partition into k clusters; None for a method of another package."""
        return self._judged_partition(k)[1]

    def _judged_partition(self, k: int) -> tuple[Any, Any]:
        labels = self[k]
        if k not in self._judged:
            known: Any = self.consensus if labels is self.consensus.labels_ else None
            known = self._refitted.get(k, known)
            if hasattr(known, "stability_"):
                self._judged[k] = known.confidence_, known.stability_
            elif hasattr(self.consensus, "judge"):  # one tree serves all numbers
                self._judged |= self.consensus.judge({other: self[other] for other in self})
            else:  # not a method of this package
                confidence = getattr(known, "confidence_", None)
                if confidence is None:
                    confidence = object_confidence(self.consensus.ensemble_, labels)
                self._judged[k] = confidence, None
        return self._judged[k]


def refit(consensus: Any, ensemble: Ensemble, n_clusters: int) -> Any:
    """Fit the same method with another number of clusters."""
    if hasattr(consensus, "refit") and ensemble is consensus.ensemble_:
        return consensus.refit(n_clusters)
    return clone(consensus).set_params(n_clusters=n_clusters).fit(ensemble)
