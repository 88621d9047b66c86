"""Confidence: how clearly an object belongs to its cluster according to the ensemble."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from consens._blocks import Labels, fixed_total, map_rows, split_like, sum_rows, take_rows, to_user
from consens._labels import (
    MISSING,
    Profiles,
    abstain,
    association,
    label_vector,
    n_clusters_per_member,
    profiles,
)
from consens._validation import check_objects
from consens.ensemble import Ensemble, EnsembleLike

SUM_BITS = 31  # of a confidence: exact to 1e-9, and two billion of them sum without overflow


def object_confidence(ensemble: EnsembleLike, labels: Labels) -> np.ndarray:
    """Confidence of each object in its cluster compared with the best other one, in [0, 1].

    With a_i the mean co-association of object i with the other objects of its cluster and b_i the
    largest one with another cluster, the confidence is a_i / (a_i + b_i): 1 if the object is never
    together with another cluster, ½ for a tie.  Noise labels of members are ignored.  An object
    alone has a_i = 1; with a single cluster, the confidence is a_i; in no cluster it is 0.

    {of_ensemble}
    labels : label vector of n

    Notes
    -----
    O(n·M·k) time in blocks of rows; no n × n matrix.  If labels are missing, pairs are weighted
    by the number of members that saw both objects.

    Examples
    --------
    >>> from consens.measure import object_confidence
    >>> object_confidence([[0, 0, 0, 1, 1], [0, 0, 1, 1, 1]], [0, 0, 0, 1, 1])
    array([1.        , 1.        , 0.5       , 0.85714286, 0.85714286])
    """
    return to_user(_of_objects(*_members_and_labels(ensemble, labels)))


def object_margin(ensemble: Any, labels: Any) -> Any:
    """a_i - b_i in the notation of `object_confidence`, in [-1, 1]; 0 in no cluster."""
    return to_user(_of_objects(*_members_and_labels(ensemble, labels), quotient=False))


def _of_objects(members: Any, labels: Any, *, quotient: bool = True) -> Any:
    spread = profiles(members, labels)
    return map_rows(
        lambda rows, own: _confidence(rows, own, spread, quotient),
        members,
        labels,
        bytes_per_row=_bytes_per_row(spread),
    )


def cluster_confidence(ensemble: EnsembleLike, labels: Labels) -> np.ndarray:
    """Mean confidence of the objects of each cluster.

    Examples
    --------
    >>> from consens.measure import cluster_confidence
    >>> cluster_confidence([[0, 0, 0, 1, 1], [0, 0, 1, 1, 1]], [0, 0, 0, 1, 1])
    array([0.83333333, 0.85714286])
    """
    members, labels = _members_and_labels(ensemble, labels)
    return mean_by_cluster(_of_objects(members, labels), labels)


def mean_by_cluster(values: Any, labels: Any) -> np.ndarray:
    """Mean of values in [0, 1] over the objects of each cluster, independent of the blocks."""
    k = int(n_clusters_per_member(labels)[0])

    def add_up(confidence: np.ndarray, own: np.ndarray) -> np.ndarray:
        parts = [confidence[own == c] for c in range(k)]
        sums = [(fixed_total(part, SUM_BITS), len(part)) for part in parts]
        return np.array(sums, dtype=np.int64).reshape(k, 2)

    sums = sum_rows(add_up, values, labels, bytes_per_row=24)
    return np.ldexp(sums[:, 0].astype(np.float64), -SUM_BITS) / sums[:, 1]


def object_association(
    ensemble: EnsembleLike, labels: Labels, objects: ArrayLike | None = None
) -> np.ndarray:
    """Mean co-association of objects with the objects of each cluster.

    `object_confidence` compares these: a_i is in the column of the object's own cluster (without
    the object itself; 1 for an object alone in its cluster), and b_i is the largest value of the
    other columns.

    {of_ensemble}
    labels : label vector of n
    objects : index array, optional
        Objects to return; all by default.

    Returns
    -------
    ndarray of shape (number of objects, k)

    Notes
    -----
    O(n·M) time for the clusters and O(M·k) for each object.

    Examples
    --------
    >>> from consens.measure import object_association
    >>> object_association([[0, 0, 0, 1, 1], [0, 0, 1, 1, 1]], [0, 0, 0, 1, 1], [2])
    array([[0.5, 0.5]])
    """
    members, clusters = _members_and_labels(ensemble, labels)
    spread = profiles(members, clusters)
    if objects is not None:
        rows, back = np.unique(check_objects(objects, len(clusters)), return_inverse=True)
        members, clusters = take_rows(members, rows)[back], take_rows(clusters, rows)[back]
    return to_user(
        map_rows(
            lambda rows, own: mean_association(rows, own, spread),
            members,
            clusters,
            bytes_per_row=_bytes_per_row(spread),
            width=len(spread.sizes),
        )
    )


def _members_and_labels(ensemble: Any, labels: Any) -> tuple[Any, Any]:
    members = abstain(Ensemble.from_labels(ensemble).labels)
    labels = split_like(label_vector(labels), members)
    if len(labels) != len(members):
        raise ValueError(f"{len(labels)} labels for an ensemble of {len(members)} objects")
    return members, labels


def _bytes_per_row(spread: Profiles) -> int:
    n_members, n_clusters = spread.seen.shape
    return 32 * n_clusters + 16 * n_members


def _confidence(
    members: np.ndarray, own: np.ndarray, spread: Profiles, quotient: bool
) -> np.ndarray:
    confidence = np.zeros(len(members))
    rows = np.flatnonzero(own >= 0)
    if not len(rows):
        return confidence
    own = own[rows]
    mean = mean_association(members[rows], own, spread)
    at_own = np.arange(len(rows)), own
    a = mean[at_own]
    if mean.shape[1] <= 1:
        confidence[rows] = a
        return confidence
    mean[at_own] = -1.0
    b = mean.max(axis=1)
    confidence[rows] = a - b
    if quotient:
        confidence[rows] = np.divide(a, a + b, out=np.zeros_like(a), where=a + b > 0)
    return confidence


def mean_association(members: np.ndarray, own: np.ndarray, spread: Profiles) -> np.ndarray:
    """Mean co-association of each row with each cluster, without the row itself."""
    together, seen = association(members, spread)
    inside = np.flatnonzero(own >= 0)
    at_own = inside, own[inside]
    # remove the object itself from the sums over its cluster
    together[at_own] -= (members[inside] >= 0).sum(axis=1)
    seen[at_own] -= (members[inside] != MISSING).sum(axis=1)
    mean = np.divide(together, seen, out=np.zeros_like(together), where=seen > 0)
    mean[at_own] = np.where(spread.sizes[own[inside]] == 1, 1.0, mean[at_own])
    return mean
