"""`Ensemble`: the label matrix of many partitions, with records and arrays of its members."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from consens._blocks import C, Collection, Labels, RowMask, Rows, as_rows, load, map_rows
from consens._labels import (
    check_label_rows,
    check_labels,
    label_stats,
    n_clusters_per_member,
    take_members,
)
from consens._support.frames import to_frame

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

#: Labels of n objects in M partitions.
EnsembleLike: TypeAlias = "Ensemble | Labels"

PER_OBJECT = ("features", "memberships")  # entries of a payload with one row per object


@dataclass(frozen=True, eq=False, repr=False)
class Ensemble:
    """Many partitions of the same objects: an n × M label matrix with data about its members.

    An ensemble is array-like (numpy and scikit-learn see its label matrix), and slices and joins
    are ensembles again: ``E[rows]``, ``E[:, members]`` and ``np.hstack([E, F])``.  Make one with
    :meth:`from_labels` or with a generator; the constructor assumes that labels are compact.

    Parameters
    ----------
    labels : ndarray or consens._blocks.Rows of shape (n, M), int32
        ``0 .. k_m - 1``, `NOISE` (-1) or `MISSING` (-2).  An array that can be written to is
        copied.
    records : sequence of M mappings, optional
        One per member: algorithm, n_clusters, seed, parameters, weight.  See :attr:`members`.
    payload : sequence of M mappings, optional
        Arrays of each member.  Row j of ``centers`` and of ``weights`` (of the features) belongs
        to cluster j; row i of ``features`` (the data, which members share) and of
        ``memberships`` (the degree to which object i belongs to cluster j) to object i.
    obs : array-like of n row ids, optional

    Examples
    --------
    >>> from consens import Ensemble
    >>> E = Ensemble.from_labels([["a", "a", "b"], [1, 2, 2]])
    >>> E
    Ensemble: 3 objects, 2 partitions of 2 clusters
    >>> E[:, [1]].labels.ravel()
    array([0, 1, 1], dtype=int32)
    """

    labels: Collection
    records: Sequence[Mapping[str, Any]] = ()
    payload: Sequence[Mapping[str, Any]] = ()
    obs: np.ndarray | None = None

    def __post_init__(self) -> None:
        labels = self.labels
        if not isinstance(labels, Rows):
            labels = np.asarray(labels)
            whole = labels.dtype.kind in "biu"
            if labels.dtype.kind == "f":
                whole = bool((np.isfinite(labels) & (labels == np.rint(labels))).all())
            if not whole:
                raise ValueError(
                    f"labels must be integers, got {labels.dtype}; use Ensemble.from_labels for "
                    "other types"
                )
            labels = read_only(labels.astype(np.int32, copy=_can_change(labels)))
        if labels.ndim != 2:
            raise ValueError(f"labels must be n x M, got shape {labels.shape}")
        n, n_members = labels.shape
        records = tuple(self.records) or ({},) * n_members
        payload = tuple(self.payload) or ({},) * n_members
        obs = None if self.obs is None else np.array(self.obs)
        for name, got, expected in (
            ("records", len(records), n_members),
            ("payload", len(payload), n_members),
            ("obs", n if obs is None else len(obs), n),
        ):
            if got != expected:
                raise ValueError(f"{name} has {got} entries for a label matrix {n} x {n_members}")
        for name, value in (
            ("labels", labels),
            ("records", records),
            ("payload", payload),
            ("obs", obs),
        ):
            object.__setattr__(self, name, value)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        read_only(self.labels)  # also in copies and after unpickling

    @classmethod
    def from_labels(cls, labels: EnsembleLike, *, obs: ArrayLike | None = None) -> Ensemble:
        """Make an ensemble from labels in any common form.

        An array or data frame has one row per object and one column per partition (its index and
        column names are kept).  A list or tuple holds label vectors if they are longer than the
        list, and rows otherwise, with a warning.  Values are numbered from 0 in each partition;
        NaN, None and ``pd.NA`` become `MISSING`, -1 is `NOISE`.

        Examples
        --------
        >>> from consens import Ensemble
        >>> Ensemble.from_labels([[1, 1, 5], ["x", None, "y"]]).labels
        array([[ 0,  0],
               [ 0, -2],
               [ 1,  1]], dtype=int32)
        """
        if isinstance(labels, cls):
            return labels
        rows = as_rows(labels)
        if rows is not None:
            return cls(check_label_rows(rows))
        frame: Any = to_frame(labels)
        matrix = read_only(check_labels(frame, vectors_expected=True))
        if obs is None and hasattr(frame, "columns"):
            obs = frame.index.to_numpy()
        return cls(matrix, records_of(frame, matrix), obs=None if obs is None else np.asarray(obs))

    @property
    def members(self) -> pd.DataFrame:
        """Table of the members, one row each: algorithm, n_clusters, seed, parameters, ..."""
        import pandas as pd

        return pd.DataFrame(list(self.records), index=range(self.shape[1]))

    @property
    def matrix(self) -> np.ndarray:
        """The labels as one array in memory."""
        matrix: np.ndarray = load(self.labels)
        return matrix

    @property
    def n_clusters(self) -> np.ndarray:
        """Number of clusters of each member."""
        return n_clusters_per_member(self.labels)

    @property
    def weights(self) -> np.ndarray:
        """Weight of each member; 1 if its record has none."""
        return np.array([record.get("weight", 1.0) for record in self.records], dtype=np.float64)

    def filter(self, objects: RowMask) -> Ensemble:
        """Select the objects of a mask."""
        if objects.complete:
            return self
        payload = payload_rows(self.payload, objects.filter)
        obs = None if self.obs is None else self.obs[load(objects.mask)]
        return Ensemble(read_only(objects.filter(self.labels)), self.records, payload, obs)

    # ------------------------------------------------------------------ array-like

    @property
    def shape(self) -> tuple[int, int]:
        n, n_members = self.labels.shape
        return n, n_members

    @property
    def ndim(self) -> int:
        return 2

    @property
    def dtype(self) -> np.dtype[np.int32]:
        return self.labels.dtype

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter(self.matrix)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False and dtype not in (None, self.labels.dtype):
            raise ValueError(f"labels are int32; {dtype} needs a copy")
        return np.array(self.matrix, dtype=dtype, copy=True if copy else None)

    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any
    ) -> Any:
        side_by_side = func is np.hstack and not kwargs
        # FeatureUnion calls np.concatenate since scikit-learn 1.9
        side_by_side |= func is np.concatenate and (args[1:], kwargs) in (
            ((), {"axis": 1}),
            ((1,), {}),
        )
        if side_by_side:
            return concat(args[0])
        return func(*_plain(args), **{name: _plain(value) for name, value in kwargs.items()})

    def __getitem__(self, key: Any) -> Any:
        rows, columns = _rows_and_columns(key)
        labels = take_members(self.labels[rows], columns)
        if labels.ndim < 2:
            return labels
        everything = isinstance(rows, slice) and rows == slice(None)
        payload = [self.payload[m] for m in np.arange(self.shape[1])[columns]]
        return Ensemble(
            labels,
            [self.records[m] for m in np.arange(self.shape[1])[columns]],
            payload if everything else payload_rows(payload, lambda value: value[rows]),
            None if self.obs is None else self.obs[rows],
        )

    def __repr__(self) -> str:
        n, n_members = self.shape
        k = self.n_clusters
        clusters = f"{k.min()}" if k.min() == k.max() else f"{k.min()} to {k.max()}"
        text = f"Ensemble: {n} objects, {n_members} partitions of {clusters} clusters"
        stats = label_stats(self.labels)
        for name, number in (("noise", stats.noise), ("missing", stats.missing)):
            text += f", {number / (n * n_members):.1%} {name}" if number else ""
        return text + (f", in {n_blocks} blocks" if (n_blocks := len(stats.clustered)) > 1 else "")


def concat(ensembles: Sequence[Ensemble | np.ndarray]) -> Ensemble:
    """Join ensembles of the same objects; records and payloads are kept."""
    parts = [Ensemble.from_labels(part) for part in ensembles]
    if len({len(part) for part in parts}) > 1:
        raise ValueError(
            f"ensembles of {sorted({len(part) for part in parts})} objects cannot be joined: "
            "all must describe the same objects in the same order"
        )
    ids = [part.obs for part in parts if part.obs is not None]
    if any(not np.array_equal(ids[0], other) for other in ids[1:]):
        raise ValueError("ensembles with different row ids cannot be joined; reorder them first")
    return Ensemble(
        map_rows(
            lambda *labels: np.concatenate(labels, axis=1),
            *(part.labels for part in parts),
            width=sum(part.shape[1] for part in parts),
            dtype=np.int32,
        ),
        [record for part in parts for record in part.records],
        [extra for part in parts for extra in part.payload],
        ids[0] if ids else None,
    )


def read_only(labels: C) -> C:
    """Make a new array read-only, so that an ensemble needs no copy of it."""
    if isinstance(labels, np.ndarray):
        labels.flags.writeable = False
    return labels


def _can_change(labels: np.ndarray) -> bool:
    """Whether somebody else can write into an array, or into the one that it is a view of."""
    base = labels.base if isinstance(labels.base, np.ndarray) else labels
    return bool(labels.flags.writeable or base.flags.writeable)


def payload_rows(
    payload: Sequence[Mapping[str, Any]], take: Callable[[Any], Any]
) -> list[Mapping[str, Any]]:
    """Take rows of the per-object arrays of payloads; members keep sharing arrays."""
    taken: dict[int, Any] = {}
    result: list[Mapping[str, Any]] = []
    for entries in payload:
        own = {name: entries[name] for name in PER_OBJECT if name in entries}
        for value in own.values():
            if id(value) not in taken:
                taken[id(value)] = take(value)
        result.append({**entries, **{name: taken[id(value)] for name, value in own.items()}})
    return result


def records_of(labels: Any, matrix: np.ndarray) -> list[dict[str, Any]]:
    """Records of members: names of columns, and of clusters that are not numbers."""
    records: list[dict[str, Any]] = [{"n_clusters": int(k)} for k in n_clusters_per_member(matrix)]
    columns: Any = ()
    if hasattr(labels, "columns"):
        columns = [labels.iloc[:, m].array for m in range(len(records))]
        for record, name in zip(records, labels.columns, strict=True):
            record["name"] = str(name)
    elif isinstance(labels, list | tuple) and len(labels) == len(records):
        columns = [np.asarray(column, dtype=object) for column in labels]
    elif isinstance(labels, list | tuple) or getattr(labels, "dtype", np.dtype(int)).kind in "OUS":
        columns = np.asarray(labels, dtype=object).T
    for record, column, codes in zip(records, columns, matrix.T, strict=False):
        if getattr(column.dtype, "kind", "O") not in "biuf" and len(column) == len(codes):
            found, first = np.unique(codes, return_index=True)
            names = [str(column[i]) for c, i in zip(found, first, strict=True) if c >= 0]
            record["labels"] = names
    return records


def _plain(value: Any) -> Any:
    if isinstance(value, Ensemble):
        return value.labels
    if isinstance(value, list | tuple):
        return type(value)(_plain(v) for v in value)
    return value


def _rows_and_columns(key: Any) -> tuple[Any, Any]:
    """Read ``E[rows]``, ``E[rows, columns]``, ``E[rows, ...]`` as a pair of 1-D keys."""
    if not isinstance(key, tuple):
        return key, slice(None)
    if len(key) == 2:
        rows, columns = key
        return (
            slice(None) if rows is Ellipsis else rows,
            slice(None) if columns is Ellipsis else columns,
        )
    raise IndexError(f"an ensemble has two axes, objects and members; got {len(key)} indices")
