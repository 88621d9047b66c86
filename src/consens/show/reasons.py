"""Why an object is in its cluster: the runner-up, the members that disagree, and the features."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from consens._blocks import FeatureMatrix
from consens._check import as_frame
from consens._labels import abstain
from consens._tabular import plain_columns
from consens._validation import check_integer
from consens.ensemble import Ensemble
from consens.measure import object_association
from consens.show._association import as_table, most_different
from consens.show._fitted import Fitted, read_estimator
from consens.show._plain import joined, readable, short

N_PULLS = 3  # features that are listed for each of the two clusters
BLOCK = 256  # objects that are explained at a time
MAX_EXPLAINED = 2000  # objects that a report explains
MAX_NAMED = 12  # members that it names for each


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
        return self.in_words([str(c) for c in range(max(self.cluster, self.runner_up or 0) + 1)])

    def in_words(self, names: Sequence[str]) -> str:
        """Explanation with the names of all clusters."""
        own = names[self.cluster]
        text = f"cluster {own}, confidence {self.confidence:.2f}"
        if self.runner_up is None:
            return f"{text}; no member associates it with another cluster"
        other = names[self.runner_up]
        text += (
            f"; runner-up {other}, which {len(self.disagreeing)} of {self.n_members} "
            "members prefer"
        )
        for name, pulls in ((own, self.towards_own), (other, self.towards_other)):
            if pulls:
                text += f"\ntowards {name}: {joined([_in_words(pull) for pull in pulls])}"
        return text


def why(estimator: BaseEstimator, X: FeatureMatrix, i: int) -> Why:
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
    if labels[i] < 0:
        raise ValueError(f"object {i} is in no cluster: most members call it noise")
    confidence = np.asarray(fitted.consensus.confidence_)
    return explain(fitted.ensemble, labels, confidence, X, np.array([i]))[0]


def explain(
    ensemble: Ensemble, labels: np.ndarray, confidence: np.ndarray, X: Any, objects: np.ndarray
) -> list[Why]:
    """Explain why some objects, given by number and all in a cluster, are in theirs.

    Parameters are as in `why`; O(n·(M + d)) time for all, and O(k·M + d) for each object.
    """
    members = abstain(ensemble.matrix)
    features = None if X is None else _Features(X, labels)
    found = []
    for rows in np.array_split(objects, max(1, -(-len(objects) // BLOCK))):
        own = labels[rows]
        towards = object_association(ensemble, labels, rows)
        towards[np.arange(len(rows)), own] = -1.0
        other = towards.argmax(axis=1)
        known = towards.max(axis=1, initial=-1.0) > 0
        disagree = _prefer(members, labels, rows, own, other)
        pulls = [[]] * len(rows) if features is None else features.pulls(rows, own, other)
        for at, i in enumerate(rows.tolist()):
            by = pulls[at] if known[at] else []
            found.append(
                Why(
                    int(own[at]),
                    float(confidence[i]),
                    int(other[at]) if known[at] else None,
                    np.flatnonzero(disagree[at]).tolist() if known[at] else [],
                    int((members[i] >= 0).sum()),
                    [pull for pull in by if pull.strength > 0][:N_PULLS],
                    [pull for pull in by if pull.strength < 0][:N_PULLS],
                )
            )
    return found


def describe_reasons(
    fitted: Fitted,
    confidence: np.ndarray,
    table: Any,
    names: list[str] | None,
    objects: np.ndarray,
) -> dict[str, Any]:
    """Reasons for the clusters of at most `MAX_EXPLAINED` of some objects, the least certain ones.

    An entry holds the place among `objects`, the number of members that prefer the runner-up, the
    number of members, the first of those, and what pulls to either cluster: the number of the
    feature, the value, and what is typical of the two clusters.
    """
    labels = np.asarray(fitted.labels)
    places = np.flatnonzero(labels[objects] >= 0)
    order = np.argsort(confidence[objects[places]], kind="stable")[:MAX_EXPLAINED]
    places = np.sort(places[order])
    known: dict[str, int] = {}

    def pull_cells(pull: Pull) -> list[Any]:
        number = known.setdefault(pull.name, len(known))
        numeric = isinstance(pull.value, float)
        value = readable(pull.value) if numeric else short(pull.value, 40)
        sides = [pull.own, pull.other]
        return [number, value, *([readable(v) for v in sides] if numeric else [])]

    found = []
    if fitted.n_clusters > 1:
        frame = None if table is None else most_different(as_table(table, names), labels)
        reasons = explain(fitted.ensemble, labels, confidence, frame, objects[places])
        for place, reason in zip(places.tolist(), reasons, strict=True):
            towards = [
                [pull_cells(pull) for pull in own]
                for own in (reason.towards_own, reason.towards_other)
            ]
            few = reason.disagreeing[:MAX_NAMED]
            counts = [len(reason.disagreeing), reason.n_members]
            found.append([place, *counts, few, *towards])
    return {"features": [short(name) for name in known], "objects": found}


def _prefer(
    members: np.ndarray, labels: np.ndarray, rows: np.ndarray, own: np.ndarray, other: np.ndarray
) -> np.ndarray:
    """Whether each member puts a row together with a larger share of `other` than of `own`."""
    k = int(labels.max()) + 1
    sizes = np.bincount(labels[labels >= 0], minlength=k)
    found = np.zeros((len(rows), members.shape[1]), dtype=bool)
    for m, column in enumerate(members.T):
        inside = (column >= 0) & (labels >= 0)
        cells = column[inside].astype(np.int64) * k + labels[inside]
        shared = np.bincount(cells, minlength=(int(column.max(initial=0)) + 1) * k).reshape(-1, k)
        mine = column[rows]
        # the others of its own cluster; an object alone in its cluster is all of it
        towards_own = np.where(
            sizes[own] > 1, (shared[mine, own] - 1) / np.maximum(sizes[own] - 1, 1), 1.0
        )
        found[:, m] = (mine >= 0) & (shared[mine, other] / sizes[other] > towards_own)
    return found


class _Features:
    """Columns of a table, and what is typical of each cluster."""

    def __init__(self, X: Any, labels: np.ndarray) -> None:
        self.frame = as_frame(X)
        if len(self.frame) != len(labels):
            raise ValueError(
                f"X has {len(self.frame)} rows, but {len(labels)} objects were clustered"
            )
        plain, _, self.dates = plain_columns(self.frame)
        self.names = list(plain)
        text = np.array([plain[name].dtype == object for name in plain], dtype=bool)
        self.text, self.numbers = np.flatnonzero(text), np.flatnonzero(~text)
        self.values = plain.iloc[:, self.numbers].to_numpy(dtype=np.float64)
        self.variance = pd.DataFrame(self.values).var(ddof=0).to_numpy()
        inside = labels >= 0
        grouped = pd.DataFrame(self.values[inside]).groupby(labels[inside])
        self.means = grouped.mean().reindex(range(labels.max() + 1)).to_numpy()
        self.codes, self.shares = [], []
        for j in self.text:
            codes, _ = pd.factorize(plain.iloc[:, j])
            self.codes.append(codes)
            # gaps are in no level, but count as objects
            table = pd.crosstab(codes[inside], labels[inside], normalize="columns")
            levels, clusters = range(codes.max() + 1), range(labels.max() + 1)
            self.shares.append(table.reindex(index=levels, columns=clusters).fillna(0).to_numpy())

    def pulls(self, rows: np.ndarray, own: np.ndarray, other: np.ndarray) -> list[list[Pull]]:
        """Features by the strength with which they pull each row to one of two clusters."""
        sides = np.zeros((2, len(rows), len(self.names)))
        strength = np.zeros(sides.shape[1:])
        values, means = self.values[rows], np.stack([self.means[own], self.means[other]])
        sides[:, :, self.numbers] = means
        squares = (values - means) ** 2
        with np.errstate(invalid="ignore", divide="ignore"):
            strength[:, self.numbers] = (squares[1] - squares[0]) / self.variance
        for j, codes, shares in zip(self.text, self.codes, self.shares, strict=True):
            mine = codes[rows]
            sides[:, :, j] = [shares[mine, own], shares[mine, other]]
            strength[:, j] = np.where(mine >= 0, sides[0, :, j] - sides[1, :, j], 0.0)
        strength[~np.isfinite(strength)] = 0.0
        order = np.argsort(-np.abs(strength), axis=1, kind="stable")
        found = []
        for at, i in enumerate(rows.tolist()):
            by = order[at]
            both = [by[strength[at, by] > 0][:N_PULLS], by[strength[at, by] < 0][:N_PULLS]]
            pulls = []
            for j in np.concatenate(both).tolist():
                typical = float(sides[0, at, j]), float(sides[1, at, j])
                value = self._shown(i, j)
                pulls.append(Pull(self.names[j], value, *typical, float(strength[at, j])))
            found.append(pulls)
        return found

    def _shown(self, i: int, j: int) -> Any:
        """Cell of the table: a number as float."""
        value = self.frame.iat[i, j]
        if j in self.text or self.names[j] in self.dates:
            return value
        return float(self.values[i, np.searchsorted(self.numbers, j)])


def _in_words(pull: Pull) -> str:
    if isinstance(pull.value, float):
        means = f"means {readable(pull.own)} and {readable(pull.other)}"
        return f"{pull.name} {readable(pull.value)} ({means})"
    return f"{pull.name} {pull.value}"
