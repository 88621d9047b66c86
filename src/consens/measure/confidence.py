"""Confidence: how clearly an object belongs to its cluster, judged by the ensemble."""

from __future__ import annotations

from typing import Any

import numpy as np

from consens.blocks import map_rows
from consens.ensemble import Ensemble
from consens.labels import MISSING, Profiles, association, compact, profiles


def object_confidence(ensemble: Any, labels: Any) -> np.ndarray:
    """Mean co-association with the own cluster against the best other one, in [0, 1].

    With a_i the mean co-association of object i with the other objects of its cluster and b_i
    the largest mean co-association with another cluster, the confidence is a_i / (a_i + b_i):
    1 when the object was never put with any other cluster, ½ on the fence, less when it would
    sit better elsewhere.  The quotient does not depend on how fine the members are.  An object
    alone in its cluster has a_i = 1; where there is one cluster only, the confidence is a_i; an
    object in no cluster has 0.

    Parameters
    ----------
    ensemble : Ensemble or label matrix of shape (n, M)
    labels : label vector of n

    Notes
    -----
    O(n·M·k) time in blocks of rows; no n × n matrix.  Where labels are missing, pairs weigh by
    the number of members that saw them.

    Examples
    --------
    >>> from consens.measure import object_confidence
    >>> object_confidence([[0, 0, 0, 1, 1], [0, 0, 1, 1, 1]], [0, 0, 0, 1, 1])
    array([1.        , 1.        , 0.5       , 0.85714286, 0.85714286])
    """
    members = Ensemble.from_labels(ensemble).labels
    labels = compact(labels)
    if len(labels) != len(members):
        raise ValueError(f"{len(labels)} labels for an ensemble of {len(members)} objects")
    spread = profiles(members, labels)
    width = spread.seen.shape[1]
    return map_rows(
        lambda rows, own: _confidence(rows, own, spread),
        members,
        labels,
        bytes_per_row=32 * width + 16 * members.shape[1],
    )


def cluster_confidence(ensemble: Any, labels: Any) -> np.ndarray:
    """Mean confidence of the objects of each cluster.

    Examples
    --------
    >>> from consens.measure import cluster_confidence
    >>> cluster_confidence([[0, 0, 0, 1, 1], [0, 0, 1, 1, 1]], [0, 0, 0, 1, 1])
    array([0.83333333, 0.85714286])
    """
    confidence = object_confidence(ensemble, labels)
    labels = compact(labels)
    own, confidence = labels[labels >= 0], confidence[labels >= 0]
    return np.bincount(own, confidence) / np.bincount(own)


def _confidence(members: np.ndarray, own: np.ndarray, spread: Profiles) -> np.ndarray:
    confidence = np.zeros(len(members))
    rows = np.flatnonzero(own >= 0)
    members, own = members[rows], own[rows]
    together, seen = association(members, spread)
    at_own = np.arange(len(rows)), own
    # the sums over the own cluster hold the object itself: take it out
    together[at_own] -= (members >= 0).sum(axis=1)
    seen[at_own] -= (members != MISSING).sum(axis=1)
    mean = np.divide(together, seen, out=np.zeros_like(together), where=seen > 0)
    a = np.where(spread.sizes[own] == 1, 1.0, mean[at_own])
    if mean.shape[1] == 1:
        confidence[rows] = a
        return confidence
    mean[at_own] = -1.0
    both = a + mean.max(axis=1)
    confidence[rows] = np.divide(a, both, out=np.zeros_like(a), where=both > 0)
    return confidence
