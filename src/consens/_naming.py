"""Names of clusters, taken from members that name their clusters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from consens.ensemble import Ensemble

#: Share of the names of each member that others must use, for names to mean the same in all.
SHARED = 0.5


def shared_names(ensemble: Ensemble) -> list[str]:
    """Return the names that members share; none if each has names of its own.

    Members with numbers are ignored: cluster 2 of one run has nothing to do with cluster 2 of
    another.

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
    return names


def votes_by_name(ensemble: Ensemble, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Count the labels of each name that objects of each cluster have; (clusters, names)."""
    names = shared_names(ensemble)
    place = {name: j for j, name in enumerate(names)}
    votes = np.zeros((n_clusters, len(names)), dtype=np.int64)
    for m, record in enumerate(ensemble.records):
        if not names or not _own_names(record):
            continue
        column = np.asarray(ensemble.labels[:, m])
        seen = (labels >= 0) & (column >= 0)
        own = np.array([place[str(name)] for name in record["labels"]], dtype=np.intp)
        np.add.at(votes, (labels[seen], own[column[seen]]), 1)
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
    numbers = [str(cluster) for cluster in range(n_clusters)]
    if not isinstance(ensemble.labels, np.ndarray):  # blocks of rows have no names
        return numbers
    names = shared_names(ensemble) if all(map(_own_names, ensemble.records)) else []
    if not names:
        return numbers
    votes = votes_by_name(ensemble, np.asarray(labels), n_clusters)
    for cluster, name in zip(*linear_sum_assignment(votes, maximize=True), strict=True):
        if votes[cluster, name]:
            numbers[cluster] = names[name]
    return numbers


def _own_names(record: Mapping[str, Any]) -> set[str]:
    """Return the names that a member gives to its clusters, if they are not all numbers."""
    names = set(map(str, record.get("labels", ())))
    return set() if all(re.fullmatch(r"-?\d+(\.0*)?", name) for name in names) else names
