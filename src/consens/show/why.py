"""Why an object is in its cluster: the runner-up, the members that disagree, and the features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from consens._check import as_frame
from consens._labels import abstain
from consens._tabular import plain_columns
from consens._validation import check_integer
from consens.measure import object_association
from consens.show._fitted import read_estimator
from consens.show._plain import joined, readable

#: Features that are listed for each of the two clusters.
N_PULLS = 3


class Pull(NamedTuple):
    """A feature that pulls an object towards its cluster (``strength`` > 0) or the runner-up.

    ``value`` is that of the object, ``own`` and ``other`` are the means of the two clusters, or
    the shares of the value in them for a column of text.
    """

    name: str
    value: Any
    own: float
    other: float
    strength: float


@dataclass(frozen=True)
class Why:
    """Why an object is in its cluster.

    Attributes
    ----------
    cluster : int
    confidence : float
    runner_up : int or None
        Cluster that the members associate it with most, other than its own; None if there is none.
    disagreeing : list of int
        Members that associate it more with the runner-up than with its own cluster.
    n_members : int
        Number of members that clustered the object.
    towards_own, towards_other : list of Pull
        Up to three features that pull it to either cluster, the strongest first.
    """

    cluster: int
    confidence: float
    runner_up: int | None
    disagreeing: list[int]
    n_members: int
    towards_own: list[Pull]
    towards_other: list[Pull]

    def __str__(self) -> str:
        text = f"cluster {self.cluster}, confidence {self.confidence:.2f}"
        if self.runner_up is None:
            return f"{text}; no member associates it with another cluster"
        text += (
            f"; runner-up {self.runner_up}, which {len(self.disagreeing)} of {self.n_members} "
            "members prefer"
        )
        for cluster, pulls in (
            (self.cluster, self.towards_own),
            (self.runner_up, self.towards_other),
        ):
            if pulls:
                text += f"\ntowards {cluster}: {joined([_in_words(pull) for pull in pulls])}"
        return text


def why(estimator: Any, X: Any, i: int) -> Why:
    """Explain why an object is in its cluster.

    The runner-up d is the cluster other than its own c that the members associate the object with
    most.  A feature with value x pulls by ((x - mean_d)² - (x - mean_c)²) / variance: a positive
    value towards c, a negative one towards d.  A column of text pulls by the difference between
    the shares of the value in c and in d.

    Parameters
    ----------
    estimator : ConsensusClustering, consensus estimator, or pipeline that ends in one; fitted
    X : array-like or data frame of shape (n, d), optional
        The clustered objects in original units; None leaves the features out.
    i : int
        Number of the object, from 0.

    Returns
    -------
    Why

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consens import ConsensusClustering, why
    >>> from consens.generate import KMeansEnsemble
    >>> X = load_iris(as_frame=True).data
    >>> model = ConsensusClustering(3, generator=KMeansEnsemble(20), random_state=0).fit(X)
    >>> found = why(model, X, 0)
    >>> found.cluster, found.towards_own[0].name
    (0, 'petal length (cm)')
    """
    fitted = read_estimator(estimator)
    n = len(fitted.ensemble)
    i = check_integer(i, "i", least=0)
    if i >= n:
        raise ValueError(f"i={i}, but {n} objects were clustered; expected a number below {n}")
    labels = np.asarray(fitted.labels)
    own = int(labels[i])
    if own < 0:
        raise ValueError(f"object {i} is in no cluster: most members call it noise")
    towards = object_association(fitted.ensemble, labels, [i])[0]
    towards[own] = -1.0
    other = int(towards.argmax()) if towards.max() > 0 else None
    members = abstain(fitted.ensemble.matrix)
    mine = members[i]
    together = (members == mine) & (mine >= 0)
    together[i] = False
    disagreeing: list[int] = []
    towards_own: list[Pull] = []
    towards_other: list[Pull] = []
    if other is not None:
        shares = [_share(together, labels, cluster, i) for cluster in (own, other)]
        disagreeing = np.flatnonzero(shares[1] > shares[0]).tolist()
        if X is not None:
            pulls = _pulls(X, labels, own, other, i)
            towards_own = [pull for pull in pulls if pull.strength > 0][:N_PULLS]
            towards_other = [pull for pull in pulls if pull.strength < 0][:N_PULLS]
    return Why(
        own,
        float(np.asarray(fitted.consensus.confidence_)[i]),
        other,
        disagreeing,
        int((mine >= 0).sum()),
        towards_own,
        towards_other,
    )


def _share(together: np.ndarray, labels: np.ndarray, cluster: int, i: int) -> np.ndarray:
    """Share of the other objects of a cluster that each member puts together with object i."""
    inside = labels == cluster
    inside[i] = False
    if not inside.any():
        return np.ones(together.shape[1])
    share: np.ndarray = together[inside].mean(axis=0)
    return share


def _pulls(X: Any, labels: np.ndarray, own: int, other: int, i: int) -> list[Pull]:
    """Features by the strength with which they pull the object to one of two clusters."""
    frame = as_frame(X)
    if len(frame) != len(labels):
        raise ValueError(f"X has {len(frame)} rows, but {len(labels)} objects were clustered")
    plain, _, dates = plain_columns(frame)
    found = []
    for name in plain:
        column = plain[name].to_numpy()
        value = column[i]
        if pd.isna(value):
            continue
        groups = [column[labels == cluster] for cluster in (own, other)]
        if plain[name].dtype == object:
            a, b = (float(np.mean(group == value)) for group in groups)
            found.append(Pull(str(name), value, a, b, a - b))
            continue
        variance = float(np.nanvar(column))
        if variance == 0 or any(np.isnan(group).all() for group in groups):
            continue
        a, b = (float(np.nanmean(group)) for group in groups)
        shown = frame[name].iloc[i] if name in dates else float(value)
        found.append(
            Pull(str(name), shown, a, b, ((value - b) ** 2 - (value - a) ** 2) / variance)
        )
    return sorted(found, key=lambda pull: -abs(pull.strength))


def _in_words(pull: Pull) -> str:
    if isinstance(pull.value, float):
        means = f"means {readable(pull.own)} and {readable(pull.other)}"
        return f"{pull.name} {readable(pull.value)} ({means})"
    return f"{pull.name} {pull.value}"
