"""A plan per member: which objects it is trained on, how, and what is recorded about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from consens.generate._sizes import draw


@dataclass(frozen=True)
class Model:
    """What a member keeps to label rows: a dataclass of arrays and plain values."""

    #: Fields whose row j is cluster j.
    per_cluster: ClassVar[tuple[str, ...]] = ("centers",)
    #: Fields that go to `Ensemble.payload`.
    in_payload: ClassVar[tuple[str, ...]] = ()

    def label(self, X: Any) -> np.ndarray:
        """Cluster of each row, in the member's own numbers."""
        raise NotImplementedError

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(getattr(self, self.per_cluster[0]))

    def keep(self, clusters: np.ndarray) -> Self:
        """The model with some of its clusters only."""
        return replace(self, **{name: getattr(self, name)[clusters] for name in self.per_cluster})

    @property
    def payload(self) -> dict[str, np.ndarray]:
        """Entry of `Ensemble.payload`."""
        return {name: getattr(self, name) for name in self.in_payload}


class Trained(NamedTuple):
    """A trained model, facts for its record, and labels of X where the model gives others.

    ``own`` are the labels that the model gives to the objects it was trained on, where training
    finds them anyway.
    """

    model: Model | None
    facts: Mapping[str, Any] = {}
    labels: np.ndarray | None = None
    own: np.ndarray | None = None


@dataclass(frozen=True)
class Sample:
    """`size` of n objects, drawn by a copy of `rng` without replacement; None means all."""

    rng: np.random.Generator
    n: int
    size: int | None

    def draw(self) -> tuple[np.ndarray | None, np.random.Generator]:
        """Numbers of the objects in ascending order (None for all), and the generator after."""
        rng = deepcopy(self.rng)
        return draw(rng, self.n, self.size), rng

    def rows(self) -> np.ndarray | None:
        """Numbers of the objects in ascending order; None for all."""
        return self.draw()[0]

    def __len__(self) -> int:
        return self.n if self.size is None else min(self.size, self.n)


@dataclass(frozen=True)
class Plan:
    """How one member is made.

    ``fit(rows)``, a `functools.partial` of a module function, trains the member on the objects of
    `sample`; it may run in another process.  The rest goes to the record.
    """

    fit: Callable[[Any], Trained]
    algorithm: str
    seed: int
    sample: Sample
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def record(self, n_clusters: int, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Record of the member, as `Ensemble.members` shows it."""
        return {
            "algorithm": self.algorithm,
            "n_clusters": n_clusters,
            "seed": self.seed,
            "parameters": dict(self.parameters),
            "trained_on": self.parameters.get("max_samples", len(self.sample)),
            "weight": 1.0,
            **facts,
        }


@dataclass(frozen=True)
class Member:
    """One fitted partition: its model, and what the ensemble says about it."""

    model: Model
    record: Mapping[str, Any]
    payload: Mapping[str, Any] = field(default_factory=dict)
