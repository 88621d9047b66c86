"""Names of clusters, taken from members that name their clusters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import combinations, count
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

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

    Examples
    --------
    >>> import pandas as pd
    >>> from consens import Ensemble
    >>> from consens._naming import shared_names
    >>> votes = pd.DataFrame({"Ann": ["cat", "cat", "dog"], "Ben": ["cat", "dog", "dog"]})
    >>> shared_names(Ensemble.from_labels(votes))
    ['cat', 'dog']
    """
    used = [own for record in ensemble.records if (own := _own_names(record))]
    names = sorted(set().union(*used))
    for m, own in enumerate(used):
        others = set().union(*used[:m], *used[m + 1 :])
        if len(used) > 1 and len(own & others) < SHARED * len(own):
            return []
    return names if _mean_the_same(ensemble, names) else []


def _mean_the_same(ensemble: Ensemble, names: list[str]) -> bool:
    """Whether members that use the same names agree nearly as much as if they were renamed.

    Those of independent runs, such as C1 and C2, do not.
    """
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


def shared_codes(ensemble: Ensemble) -> tuple[list[str], np.ndarray] | None:
    """Return the names that all members share, and labels (n, M) as indices of names.

    Noise and missing labels are -1.  None if there are fewer than two members, if some have
    numbers or names of their own, or for labels in blocks.
    """
    in_memory = isinstance(ensemble.labels, np.ndarray)
    if len(ensemble.records) < 2 or not in_memory or not all(map(_own_names, ensemble.records)):
        return None
    names = shared_names(ensemble)
    if not names:
        return None
    return names, _codes(ensemble, names)


def vote_shares(codes: np.ndarray, n_names: int) -> tuple[np.ndarray, np.ndarray]:
    """Return names, and the share of each among the labels of each object.

    Names that no object has most often are left out; objects without a label have equal shares.
    EM for the model of Dawid and Skene starts from these shares.

    Examples
    --------
    >>> import numpy as np
    >>> from consens._naming import vote_shares
    >>> names, shares = vote_shares(np.array([[0, 0, 2], [2, -1, 2], [-1, -1, -1]]), 3)
    >>> names
    array([0, 2])
    >>> shares.round(2)
    array([[0.67, 0.33],
           [0.  , 1.  ],
           [0.5 , 0.5 ]])
    """
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
    votes = np.zeros((n_clusters, len(names)), dtype=np.int64)
    for column in _codes(ensemble, names).T:
        seen = (labels >= 0) & (column >= 0)
        np.add.at(votes, (labels[seen], column[seen]), 1)
    return votes


def cluster_names(ensemble: Ensemble, labels: Any, n_clusters: int) -> list[str]:
    """Name clusters by the names that all members share, each name once, or else by number.

    The assignment maximizes the number of labels that agree with the names.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from consens import Ensemble
    >>> from consens._naming import cluster_names
    >>> votes = pd.DataFrame({"Ann": ["cat", "cat", "dog"], "Ben": ["cat", "dog", "dog"]})
    >>> cluster_names(Ensemble.from_labels(votes), np.array([1, 1, 0]), 2)
    ['dog', 'cat']
    """
    in_memory = isinstance(ensemble.labels, np.ndarray)  # blocks of rows have no names
    named = in_memory and all(map(_own_names, ensemble.records))
    names = shared_names(ensemble) if named else []
    if not names:
        return [str(cluster) for cluster in range(n_clusters)]
    return assign_names(votes_by_name(ensemble, np.asarray(labels), n_clusters), names)


def names_like(reference: Any, labels: Any, n_clusters: int) -> list[str]:
    """Name clusters by the labels of a reference, each once; others get unused numbers.

    The assignment maximizes the number of objects whose cluster has the name of their reference
    label.  None, NaN and -1 are no names.

    Examples
    --------
    >>> import numpy as np
    >>> from consens._naming import names_like
    >>> names_like(["b", "b", "a", None, 7], np.array([0, 0, 1, 1, 2]), 3)
    ['b', 'a', '7']
    >>> names_like([1, 1, 1, 1], np.array([0, 1, 1, 1]), 2)
    ['0', '1']
    """
    import pandas as pd

    values = pd.Series(reference, dtype=object).reset_index(drop=True)
    values = values.map(plain_name, na_action="ignore")
    codes, names = pd.factorize(values.where(values != "-1"))
    labels = np.asarray(labels)
    if len(codes) != len(labels):
        raise ValueError(
            f"the reference has {len(codes)} labels, but there are {len(labels)} rows"
        )
    if not len(names):
        raise ValueError("the reference has no labels")
    votes = np.zeros((n_clusters, len(names)), dtype=np.int64)
    seen = (codes >= 0) & (labels >= 0)
    np.add.at(votes, (labels[seen], codes[seen]), 1)
    return assign_names(votes, list(names))


def assign_names(votes: np.ndarray, names: list[str], used: Iterable[str] = ()) -> list[str]:
    """Give each cluster the name that maximizes the sum of votes (clusters, names).

    A cluster without votes gets a number that is neither a name nor in `used`: its own if
    possible.
    """
    found = dict(zip(*linear_sum_assignment(votes, maximize=True), strict=True))
    found = {cluster: names[name] for cluster, name in found.items() if votes[cluster, name]}
    taken = {*names, *used}
    for cluster in range(len(votes)):
        if cluster not in found:
            numbers = (str(number) for number in count(cluster))
            found[cluster] = next(number for number in numbers if number not in taken)
            taken.add(found[cluster])
    return [found[cluster] for cluster in range(len(votes))]


def plain_name(value: Any) -> str:
    """Return a label as text, whole numbers without a decimal point."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)


def _own_names(record: Mapping[str, Any]) -> set[str]:
    """Return the names that a member gives to its clusters, if they are not all numbers."""
    names = set(map(str, record.get("labels", ())))
    return set() if all(re.fullmatch(r"-?\d+(\.0*)?", name) for name in names) else names
