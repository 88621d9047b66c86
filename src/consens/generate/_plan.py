"""Plans of members: the training objects, the fit, and the record."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from consens._blocks import map_rows
from consens.generate._sizes import WithReplacement, draw


@dataclass(frozen=True)
class Model:
    """Fitted state of a member: a dataclass of arrays and plain values that labels rows."""

    #: Fields whose row j is cluster j.
    per_cluster: ClassVar[tuple[str, ...]] = ("centers",)
    #: Fields that go to `Ensemble.payload`.
    in_payload: ClassVar[tuple[str, ...]] = ()
    #: Number that members with the same graph or tree share; None if nothing is shared.
    source: int | None = field(default=None, kw_only=True)

    def label(self, X: Any) -> np.ndarray:
        """Cluster of each row, in the member's own numbers."""
        raise NotImplementedError

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(getattr(self, self.per_cluster[0]))

    def keep(self, clusters: np.ndarray) -> Self:
        """Return a copy of the model with only some of its clusters."""
        return replace(self, **{name: getattr(self, name)[clusters] for name in self.per_cluster})

    @property
    def payload(self) -> dict[str, np.ndarray]:
        """Entry of `Ensemble.payload`."""
        return {name: getattr(self, name) for name in self.in_payload}


@dataclass(frozen=True)
class SharingModel(Model):
    """A model whose work on a row is partly the same for all members of one source."""

    def locate(self, rows: Any) -> Any:
        """Place rows in what the members of a source share, such as a graph."""
        raise NotImplementedError

    def label_located(self, located: Any) -> np.ndarray:
        """Cluster of each row that `locate` has placed."""
        raise NotImplementedError

    @property
    def bytes_per_row(self) -> int:
        """Work space of `locate` for a row."""
        raise NotImplementedError

    def label(self, X: Any) -> np.ndarray:
        """Cluster of each row."""
        return map_rows(
            lambda rows: self.label_located(self.locate(rows)),
            X,
            bytes_per_row=self.bytes_per_row,
        )


class Trained(NamedTuple):
    """A trained model and facts for its record.

    ``labels`` are the labels of X, if they differ from those that the model would give.  ``own``
    are the labels that the model gives to its training objects, if training computes them anyway.
    """

    model: Model | None
    facts: Mapping[str, Any] = {}
    labels: np.ndarray | None = None
    own: np.ndarray | None = None


@dataclass(frozen=True)
class Sample:
    """A sample of `size` of n objects, all if None, drawn by a copy of `rng`."""

    rng: np.random.Generator
    n: int
    size: int | None

    def draw(self) -> tuple[np.ndarray | None, np.random.Generator]:
        """Return the sorted numbers of the objects (None for all) and the advanced generator."""
        rng = deepcopy(self.rng)
        return draw(rng, self.n, self.size), rng

    def rows(self) -> np.ndarray | None:
        """Return the sorted numbers of the objects; None for all."""
        return self.draw()[0]

    @property
    def complete(self) -> bool:
        """Whether the sample is all objects in their order."""
        return self.size is None or (
            self.size >= self.n and not isinstance(self.size, WithReplacement)
        )

    def __len__(self) -> int:
        return self.n if self.size is None else min(self.size, self.n)


@dataclass(frozen=True)
class Plan:
    """How to fit one member, or several that share a graph or a tree of their sample.

    ``fit(rows)``, a `functools.partial` of a module-level function, trains them on the objects of
    `sample` and returns a `Trained`, or a list.  The other fields go to the record.
    """

    fit: Callable[[Any], Trained | list[Trained]]
    algorithm: str
    seed: int
    sample: Sample
    parameters: Mapping[str, Any] = field(default_factory=dict)
    #: Parameters in which several members of one plan differ.
    several: Sequence[Mapping[str, Any]] = ()

    def __len__(self) -> int:
        return len(self.several) or 1

    @property
    def key(self) -> str:
        """What tells the plan from other plans for the same X."""
        return repr((self.algorithm, self.seed, self.parameters, self.several))

    def train(self, rows: Any) -> list[Trained]:
        """Train the members."""
        found = self.fit(rows)
        return found if isinstance(found, list) else [found]

    def records(self) -> list[dict[str, Any]]:
        """Rows of the members in `Ensemble.members`, without what training finds out."""
        return [
            {
                "algorithm": self.algorithm,
                "n_clusters": 0,
                "seed": self.seed,
                "parameters": {**self.parameters, **own},
                "trained_on": self.parameters.get("max_samples", len(self.sample)),
                "weight": 1.0,
            }
            for own in self.several or [{}]
        ]


@dataclass(frozen=True)
class Member:
    """A fitted member: its model, its record and its payload."""

    model: Model
    record: Mapping[str, Any]
    payload: Mapping[str, Any] = field(default_factory=dict)
