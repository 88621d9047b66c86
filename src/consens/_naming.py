"""Names of clusters, taken from members that name their clusters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations, count
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from consens._labels import partners
from consens.ensemble import Ensemble

#: Share of the names of each member that others must use, for names to mean the same in all.
SHARED = 0.5

#: Names mean the same if members agree by name on this share of the labels on which they would
#: agree if names were matched pair by pair.
SAME_MEANING = 0.5

#: Most members that are compared pair by pair, and most names that can be compared.
MAX_NAMED_MEMBERS = 30
MAX_NAMES = 500


def shared_names(ensemble: Ensemble) -> list[str]:
    """Return the names that members share; none if each has names of its own.

    Members with numbers are ignored: cluster 2 of one run has nothing to do with cluster 2 of
    another.  So are names on which members agree much less than if they were matched.
    """
    used = [own for record in ensemble.records if (own := _own_names(record))]
    names = sorted(set().union(*used))
    for m, own in enumerate(used):
        others = set().union(*used[:m], *used[m + 1 :])
        if len(used) > 1 and len(own & others) < SHARED * len(own):
            return []
    return names if _mean_the_same(ensemble, names) else []


def _mean_the_same(ensemble: Ensemble, names: list[str]) -> bool:
    """Whether members that use the same names agree nearly as much as if they were renamed."""
    codes = _codes(ensemble, names)
    n_names, n_members = len(names), codes.shape[1]
    if n_names > MAX_NAMES:
        return False
    some = np.unique(np.linspace(0, n_members - 1, min(n_members, MAX_NAMED_MEMBERS)).astype(int))
    by_name = matched = 0.0
    for first, second in combinations(codes[:, some].T, 2):
        both = (first >= 0) & (second >= 0)
        table = np.zeros((n_names, n_names))
        np.add.at(table, (first[both], second[both]), 1)
        by_name += np.trace(table)
        matched += table[linear_sum_assignment(table, maximize=True)].sum()
    return by_name >= SAME_MEANING * matched


def _codes(ensemble: Ensemble, names: list[str]) -> np.ndarray:
    """Labels of the members with names as indices of these names; others are -1."""
    place = {name: j for j, name in enumerate(names)}
    codes = np.full(ensemble.shape, -1, dtype=np.int32)
    for m, record in enumerate(ensemble.records):
        if names and _own_names(record):
            own = np.array([place[str(name)] for name in record["labels"]], dtype=np.int32)
            column = np.asarray(ensemble.labels[:, m])
            codes[column >= 0, m] = own[column[column >= 0]]
    return codes


def shared_codes(ensemble: Ensemble, least: int = 2) -> tuple[list[str], np.ndarray] | None:
    """Return the names that all members share, and labels (n, M) as indices of names.

    Noise and missing labels are -1.  None if there are fewer than `least` members, if some have
    numbers or names of their own, or for labels in blocks.
    """
    named = len(ensemble.records) >= least and all(map(_own_names, ensemble.records))
    names = shared_names(ensemble) if named and isinstance(ensemble.labels, np.ndarray) else []
    return (names, _codes(ensemble, names)) if names else None


def vote_shares(codes: np.ndarray, n_names: int) -> tuple[np.ndarray, np.ndarray]:
    """Return names, and the share of each among the labels of each object."""
    counts = np.column_stack([(codes == name).sum(axis=1) for name in range(n_names)])
    seen = counts.any(axis=1)
    names = np.unique(counts[seen].argmax(axis=1))
    counts = counts[:, names].astype(np.float64)
    total = counts.sum(axis=1, keepdims=True)
    even = np.full_like(counts, 1 / counts.shape[1])
    return names, np.divide(counts, total, out=even, where=total > 0)


def votes_by_name(ensemble: Ensemble, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Count the labels of each name that objects of each cluster have; (clusters, names)."""
    names = shared_names(ensemble)
    return _votes(names, _codes(ensemble, names), labels, n_clusters)


def _votes(
    names: Sequence[str], codes: np.ndarray, labels: np.ndarray, n_clusters: int
) -> np.ndarray:
    votes = np.zeros((n_clusters, len(names)), dtype=np.int64)
    for column in codes.T:
        seen = (labels >= 0) & (column >= 0)
        np.add.at(votes, (labels[seen], column[seen]), 1)
    return votes


def cluster_names(ensemble: Ensemble, labels: Any, n_clusters: int) -> list[str]:
    """Name clusters by the names that all members share, each name once, or else by number."""
    shared = shared_codes(ensemble, least=1)
    if shared is None:
        return [str(cluster) for cluster in range(n_clusters)]
    return assign_names(_votes(*shared, np.asarray(labels), n_clusters), shared[0])


def names_like(reference: Any, labels: Any, n_clusters: int) -> list[str]:
    """Name clusters by the labels of a reference, each once; others get unused numbers."""
    labels = np.asarray(labels)
    codes, names = named_codes(reference, len(labels))
    return assign_names(_votes(names, codes[:, None], labels, n_clusters), names)


def named_codes(reference: Any, n: int) -> tuple[np.ndarray, list[str]]:
    """Number n labels of a reference by their names, sorted; None, NaN and -1 become -1."""
    import pandas as pd

    values = pd.Series(reference, dtype=object).reset_index(drop=True)
    values = values.map(plain_name, na_action="ignore")
    if len(values) != n:
        raise ValueError(f"the reference has {len(values)} labels, but there are {n} rows")
    values = values.where(~values.isin(["-1", "-2"]))
    names = sorted(values.dropna().unique(), key=in_order)
    if not names:
        raise ValueError("the reference has no labels")
    return pd.Categorical(values, names).codes.astype(np.int32), names


def assign_names(votes: np.ndarray, names: list[str]) -> list[str]:
    """Give each cluster the name that maximizes the sum of votes (clusters, names).

    A cluster without votes gets a number that is not a name: its own if possible.
    """
    found = dict(zip(*linear_sum_assignment(votes, maximize=True), strict=True))
    found = {cluster: names[name] for cluster, name in found.items() if votes[cluster, name]}
    return _with_numbers(found, len(votes), {*names})


def _with_numbers(known: Mapping[int, str], n_clusters: int, taken: set[str]) -> list[str]:
    """Names of all clusters: the known ones, and numbers that are not taken."""
    names = []
    for cluster in range(n_clusters):
        numbers = (str(number) for number in count(cluster))
        name = known.get(cluster) or next(number for number in numbers if number not in taken)
        taken.add(name)
        names.append(name)
    return names


BEYOND = 1.5  # multiple of the reach of a cluster beyond which rows do not belong to it


class ClusterChange(NamedTuple):
    """What became of clusters of an earlier clustering.

    Attributes
    ----------
    kind : {"kept", "split", "merged", "appeared", "vanished"}
    before, after : tuple of str
        Names of the clusters in the earlier clustering and in this one.
    n_objects : int
        Number of objects that these clusters share, or that a cluster without a counterpart has.
    """

    kind: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    n_objects: int


class Earlier(NamedTuple):
    """Clusters of an earlier clustering, assigned to the objects of a new one.

    `labels` are places in `names`, negative for objects without a cluster; `used` are further
    names that must not be used again.
    """

    labels: Any
    names: Sequence[str]
    used: Sequence[str] = ()


class Extents(NamedTuple):
    """Where the clusters of a model lie: their centers, and how far their rows are from them.

    Distances are root mean squares over features divided by `deviation`, that within clusters.
    """

    centers: np.ndarray
    deviation: np.ndarray
    reach: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, labels: np.ndarray, n_clusters: int) -> Extents:
        """Measure the clusters 0 to `n_clusters` - 1 of rows; the reach is the 99 % quantile."""
        seen = labels >= 0
        X, labels = X[seen], labels[seen]
        sizes = np.maximum(np.bincount(labels, minlength=n_clusters), 1)
        sums = [np.bincount(labels, column, minlength=n_clusters) for column in X.T]
        centers = np.stack(sums, axis=1) / sizes[:, None]
        deviation = np.sqrt(((X - centers[labels]) ** 2).mean(axis=0))
        found = cls(centers, np.where(deviation > 0, deviation, 1.0), np.zeros(n_clusters))
        far = found.distances(X, labels)
        for cluster in np.unique(labels):
            found.reach[cluster] = np.quantile(far[labels == cluster], 0.99)
        return found

    def distances(self, X: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Distance of each row from the center of a cluster."""
        apart = (X - self.centers[labels]) / self.deviation
        return np.sqrt(np.mean(apart**2, axis=1))

    def beyond(self, X: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Whether rows lie far beyond the cluster that they are assigned to."""
        return self.distances(X, labels) > BEYOND * self.reach[labels]


class Matched(NamedTuple):
    """New number of each cluster, names by new number, and all changes."""

    numbers: np.ndarray
    names: list[str]
    changes: list[ClusterChange]


def match_clusters(table: np.ndarray, earlier: Earlier) -> Matched:
    """Match clusters one-to-one with earlier ones, and keep their numbers and names.

    `table` counts the objects that earlier and new clusters share; its last row and column count
    those without a cluster.  Two clusters are related if one of them holds more than half of the
    objects of the other.  Among these, the matching that maximizes the number of shared objects
    decides on the names.  A cluster with several successors was split, one with several
    predecessors merged.  A cluster without a related one appeared or vanished.
    """
    own, before, after = table[:-1, :-1], table[:-1].sum(axis=1), table[:, :-1].sum(axis=0)
    related = (2 * own > after) | (2 * own > before[:, None])
    partner = partners(np.where(related, own, 0).T)
    partner[~related[partner, np.arange(own.shape[1])]] = -1
    k = own.shape[1]
    numbers = _kept_numbers(earlier.names, partner)
    kept = [(j, i) for j, i in enumerate(partner.tolist()) if i >= 0]
    known = {int(numbers[j]): earlier.names[i] for j, i in kept}
    names = _with_numbers(known, k, {*earlier.names, *earlier.used})
    shown = [names[number] for number in numbers]
    changes = []
    for i, name in enumerate(earlier.names):
        to = np.flatnonzero(related[i])
        to = to[np.argsort(-own[i, to], kind="stable")]
        if len(to) == 1 and related[:, to[0]].sum() == 1:
            changes.append(ClusterChange("kept", (name,), (shown[to[0]],), int(own[i, to[0]])))
        elif len(to) > 1:
            parts = tuple(shown[j] for j in to)
            changes.append(ClusterChange("split", (name,), parts, int(own[i, to].sum())))
        elif not len(to):
            changes.append(ClusterChange("vanished", (name,), (), int(before[i])))
    for j in np.argsort(numbers):
        of = np.flatnonzero(related[:, j])
        if len(of) > 1:
            parts = tuple(earlier.names[i] for i in of.tolist())
            changes.append(ClusterChange("merged", parts, (shown[j],), int(own[of, j].sum())))
        elif not len(of):
            changes.append(ClusterChange("appeared", (), (shown[j],), int(after[j])))
    return Matched(numbers, names, changes)


def _kept_numbers(names: Sequence[str], partner: np.ndarray) -> np.ndarray:
    """New number of each cluster: that of its partner if possible, or else a free one."""
    k = len(partner)
    numbers = np.full(k, -1)
    for j in np.argsort(partner, kind="stable").tolist():
        i = int(partner[j])
        own = None if i < 0 else _number(names[i])
        wanted = i if own is None else own
        if 0 <= wanted < k and wanted not in numbers:
            numbers[j] = wanted
    numbers[numbers < 0] = np.setdiff1d(np.arange(k), numbers)
    return numbers


def _number(name: str) -> int | None:
    return int(name) if name.isdecimal() else None


def in_order(name: str) -> tuple[bool, int, str]:
    """Sort key of names of clusters: numbers come first."""
    number = _number(name.removeprefix("-"))
    return number is None, -number if number and name.startswith("-") else number or 0, name


def plain_name(value: Any) -> str:
    """Return a label as text, whole numbers without a decimal point."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)


def _own_names(record: Mapping[str, Any]) -> set[str]:
    """Return the names that a member gives to its clusters, if they are not all numbers."""
    names = set(map(str, record.get("labels", ())))
    return set() if all(re.fullmatch(r"-?\d+(\.0*)?", name) for name in names) else names
