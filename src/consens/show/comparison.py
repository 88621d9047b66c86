"""Comparison of consensus methods on the same clusterings: `compare`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from consens._blocks import FeatureMatrix, Labels
from consens._engine import default_generator
from consens._labels import label_vector
from consens._support.seeds import Seed, seeded, stage_seeds
from consens.combination import choose_from_members, combine
from consens.consensus import BaseConsensus
from consens.ensemble import Ensemble, EnsembleLike
from consens.measure import anmi, ari, nmi, pairwise_nmi
from consens.show._display import Axes, Display
from consens.show._plain import short

#: Methods that are compared by default; "default" is the method that `combine` takes.
COMPARED = ("default", "EAC", "LWEA", "LWGP", "MCLA", "HBGF", "Voting")

#: Exceptions of a method that become a row of the table: unsuitable input, too little memory, or
#: a package that is not installed.
REFUSALS = (ValueError, TypeError, MemoryError, ImportError)


@dataclass(eq=False, repr=False)
class Comparison(Display):
    """Answers of several methods to the same question, and how they score.

    Parameters
    ----------
    table : DataFrame
        A row for each method, the best first: ``n_clusters``, ``nmi`` and ``ari`` with the
        classes if they are known, ``agreement`` (mean NMI with the members), ``seconds``,
        ``rank`` (mean of `ranks` by NMI and ARI, or the rank by agreement without classes), and
        ``error`` for methods that failed.
    ranks : DataFrame
        Rank of each method by each measure, and by time; 1 is best, and ties share their mean.
    similarity : DataFrame
        NMI of the answers of each pair of methods.
    labels : DataFrame of shape (n, number of methods)
        The answers.
    """

    table: pd.DataFrame
    ranks: pd.DataFrame
    similarity: pd.DataFrame
    labels: pd.DataFrame

    _figure_size = (6.4, 5.2)

    def __repr__(self) -> str:
        return self._shown().to_string(float_format="{:.3f}".format, na_rep="")

    def _repr_html_(self) -> str:
        return self._shown().to_html(float_format="{:.3f}".format, na_rep="")

    def _shown(self) -> pd.DataFrame:
        """The table with short errors, or without the column if there are none."""
        if not self.table["error"].any():
            return self.table.drop(columns="error")
        return self.table.assign(error=self.table["error"].map(partial(short, width=60)))

    def _draw(self, ax: Axes) -> None:
        """Draw the heat map of the pairwise agreement of the answers."""
        names, values = list(self.similarity), self.similarity.to_numpy()
        picture = ax.imshow(values, cmap="Blues", vmin=0, vmax=1)
        ax.figure.colorbar(picture, ax=ax, shrink=0.8, label="NMI of two answers")
        ax.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
        ax.set_yticks(range(len(names)), names)
        if len(names) <= 15:
            for i, j in np.ndindex(values.shape):
                shade = "white" if values[i, j] > 0.6 else "black"
                ax.text(
                    j, i, f"{values[i, j]:.2f}", ha="center", va="center",
                    color=shade, fontsize="small",
                )  # fmt: skip


def compare(
    data: EnsembleLike | FeatureMatrix,
    methods: Iterable[Any] | Mapping[str, Any] = COMPARED,
    *,
    truth: Labels | None = None,
    n_clusters: int | None = None,
    generator: BaseEstimator | None = None,
    random_state: Seed = 0,
) -> Comparison:
    """Compare consensus methods on the same clusterings.

    Parameters
    ----------
    data : Ensemble, label matrix, list of label vectors, or features of shape (n, d)
        Clusterings as in `combine`.  Arrays, sparse matrices and data frames of numbers with
        fractions are features: `generator` makes the clusterings.
    methods : iterable, or mapping from names to methods
        Each is one that `combine` takes (a name, a consensus estimator, or a function of a label
        matrix and a number of clusters), "default" for that of `combine`, or with features any
        clusterer, which is fitted to the features.
    truth : n classes, optional
        They are used for scores only; None and NaN are unknown.
    n_clusters : int, optional
        Number of clusters of all methods.  By default, estimators keep their own number, and all
        others get the same, chosen from the clusterings as in `combine`.
    generator : generator, optional
        By default `consens.generate.MixedEnsemble`.
    random_state : int, RandomState or None

    Returns
    -------
    Comparison
        A table, and ``plot()``, a heat map of the agreement of the answers.  A method that refuses
        the data has an ``error`` in the table.

    Notes
    -----
    A method that agrees with the members more than others need not be the one that is closest to
    classes: without classes, the ranks say which answer represents the members best.

    Examples
    --------
    >>> import consens
    >>> pool = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]]
    >>> def first(labels, n_clusters):
    ...     return labels[:, 0]
    >>> found = consens.compare(pool, ["EAC", first], truth=list("aaabbb"), n_clusters=2)
    >>> found.table[["nmi", "ari", "rank"]]
            nmi  ari  rank
    method
    EAC     1.0  1.0   1.5
    first   1.0  1.0   1.5
    """
    seeds = stage_seeds(random_state)
    features = data if _are_features(data) else None
    if features is None:
        ensemble = Ensemble.from_labels(data)
    else:
        generator = seeded(generator or default_generator(), seeds["generator"])
        ensemble = Ensemble.from_labels(generator.fit_transform(features))
    n = len(ensemble)
    classes = None if truth is None else label_vector(truth)
    if classes is not None and len(classes) != n:
        raise ValueError(f"truth has {len(classes)} classes; expected {n}, one per object")
    common = n_clusters
    rows, answers = [], {}
    for name, method in _named(methods).items():
        keeps_own = hasattr(method, "fit")
        if common is None and not keeps_own:
            common = choose_from_members(ensemble, seeds["choice"]).n_clusters
        start = perf_counter()
        row: dict[str, Any] = {"method": name, "error": ""}
        try:
            if features is not None and keeps_own and not isinstance(method, BaseConsensus):
                clusterer = seeded(method, seeds["consensus"])
                if n_clusters is not None and "n_clusters" in clusterer.get_params():
                    clusterer.set_params(n_clusters=n_clusters)
                labels = clusterer.fit_predict(features)
            else:
                number = n_clusters if keeps_own else common
                labels = combine(ensemble, method, number, random_state=random_state).labels_
        except REFUSALS as error:
            rows.append(row | {"error": " ".join(str(error).split())})
            continue
        row["seconds"] = perf_counter() - start
        answers[name] = np.asarray(labels)
        row["n_clusters"] = len(np.unique(answers[name][answers[name] >= 0]))
        if classes is not None:
            row |= {"nmi": nmi(classes, labels), "ari": ari(classes, labels)}
        rows.append(row | {"agreement": anmi(labels, ensemble)})
    if not answers:
        first = f": {rows[0]['method']}: {rows[0]['error']}" if rows else ""
        raise ValueError(f"none of the methods gave an answer{first}")
    return _ranked(pd.DataFrame(rows).set_index("method"), pd.DataFrame(answers))


def _ranked(table: pd.DataFrame, labels: pd.DataFrame) -> Comparison:
    """Rank the methods by their scores, the best first."""
    scores = [name for name in ("nmi", "ari", "agreement") if name in table]
    ranks = table[scores].round(10).rank(ascending=False)
    ranks["seconds"] = table["seconds"].rank()
    judged = [name for name in ("nmi", "ari") if name in table] or ["agreement"]
    table["rank"] = ranks[judged].mean(axis=1, skipna=False)
    shown = ["n_clusters", *scores, "seconds", "rank", "error"]
    table = table.sort_values("rank", kind="stable")[shown]
    table["n_clusters"] = table["n_clusters"].astype("Int64")
    answered = [name for name in table.index if name in labels]
    labels = labels[answered]
    similarity = pd.DataFrame(pairwise_nmi(Ensemble(labels.to_numpy())), answered, answered)
    return Comparison(table, ranks.loc[table.index], similarity, labels)


def _are_features(data: Any) -> bool:
    """Whether data are features: numbers, at least one of them with a fraction."""
    if isinstance(data, list | tuple | Ensemble):
        return False
    if issparse(data):
        return True
    frame = pd.DataFrame(data) if getattr(data, "ndim", 0) == 2 else pd.DataFrame()
    real = frame.select_dtypes("floating").to_numpy(dtype=np.float64)
    return bool((np.isfinite(real) & (real != np.trunc(real))).any())


def _named(methods: Iterable[Any] | Mapping[str, Any]) -> dict[str, Any]:
    """Methods by name; "default" becomes None, as in `combine`."""
    if isinstance(methods, str) or not isinstance(methods, Iterable):
        raise TypeError(f"methods={methods!r}; expected a list of methods, or a dict with names")
    pairs = (
        methods.items() if isinstance(methods, Mapping) else [(_name(one), one) for one in methods]
    )
    found: dict[str, Any] = {}
    for name, method in pairs:
        unique, copies = str(name), 1
        while unique in found:
            copies += 1
            unique = f"{name} {copies}"
        default = isinstance(method, str) and method.lower() == "default"
        found[unique] = None if default else method
    return found


def _name(method: Any) -> str:
    if method is None:
        return "default"
    if isinstance(method, str):
        return method
    return getattr(method, "__name__", type(method).__name__)
