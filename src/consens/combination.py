"""Combine existing clusterings with one function call: `combine`."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import has_fit_parameter

from consens._blocks import Labels, take_rows
from consens._check import odd_clusterings
from consens._engine import default_consensus
from consens._labels import label_vector
from consens._naming import names_like, shared_codes, vote_shares
from consens._params import rules
from consens._support.frames import to_frame
from consens._support.printable import listed
from consens._support.progress import announce
from consens._support.seeds import Seed, seeded, spawn_seeds, stage_seeds
from consens.choose import Choice, choose_n_clusters
from consens.choose.refitting import Partitions
from consens.choose.rule import MAX_OBJECTS
from consens.consensus import BaseConsensus, LatentEM, can_choose, get_method
from consens.ensemble import Ensemble, EnsembleLike

_logger = logging.getLogger("consens")


def combine(
    labels: EnsembleLike,
    method: str | BaseEstimator | Callable[..., Any] | None = None,
    n_clusters: int | None = None,
    *,
    noise: str | None = None,
    settle: bool | None = None,
    random_state: Seed = 0,
    reference: str | Labels | None = None,
    **params: Any,
) -> BaseConsensus:
    """Combine existing clusterings into one.

    Parameters
    ----------
    labels : list of label vectors, label matrix of shape (n, M), data frame or Ensemble
        Labels may be numbers or names; None and NaN mean that a clustering did not see the
        object, -1 that the object is noise in it.
    method : str, consensus estimator or callable, optional
        Case-insensitive name of a class of `consens.consensus`, an estimator with ``fit``, or a
        function of an n × M label matrix and a number of clusters that returns n labels.  By
        default `LatentEM` if all clusterings use the same names, as annotators do; `LWEA` for
        fewer than 20 other clusterings; and else `DrawnConsensus`, whose draws are combined by
        `LWEA` with θ = 0.25 and `CosineLWEA` in turn, or by the one whose draws agree much better.
    n_clusters : int, optional
        None lets a method choose the number if it can, and takes the number of names that all
        clusterings use; otherwise `choose.choose_n_clusters` without reference data chooses at
        least two.  An estimator keeps its own number.
    noise : {"keep", "assign"}, optional
        Whether objects that more than half of the clusterings call noise stay noise (-1), or go to
        the cluster they are associated with most.  By default as an estimator says, or "keep".
    settle : bool, optional
        Whether objects move to a cluster with which they are more than twice as often together as
        with their own.  By default as an estimator says, or else False.
    random_state : int, RandomState or None
        For methods with a random element, and for the choice of a number of clusters.
    reference : str or array-like of n labels, optional
        Names for ``names_``: those of a column of `labels`, or of further labels that are not
        combined.  Each cluster gets the name that makes most objects agree; others get numbers.
    **params
        Further parameters of a method that is given by name.

    Returns
    -------
    fitted consensus estimator
        With the attributes of the method, ``names_`` of the clusters, ``annotators_`` (how far
        clusterings with the same names agree, see `measure.annotator_agreement`), ``recipes_``,
        the ways to combine draws that competed, and ``results_``, a `choose.Choice`, if the number
        of clusters was chosen here.

    Examples
    --------
    >>> import consens
    >>> first = ["a", "a", "b", "b", "b"]
    >>> second = [1, 1, 1, 2, 2]
    >>> third = [0, 0, 5, 5, None]
    >>> result = consens.combine([first, second, third], n_clusters=2)
    >>> result.labels_
    array([0, 0, 1, 1, 1], dtype=int32)
    """
    labels = to_frame(labels)
    ensemble = Ensemble.from_labels(labels)
    odd = odd_clusterings(labels) if hasattr(labels, "columns") else {}
    for name, why in odd.items():
        text = f"column {name!r} {why}; drop it unless it is one"
        warnings.warn(text, UserWarning, stacklevel=2)
    given = _method(method, params)
    if given is None:
        given = annotator_method(ensemble, n_clusters)
    options = {"noise": noise, "settle": settle}
    fitted = fit_consensus(ensemble, given, n_clusters, stage_seeds(random_state), options)
    if reference is not None:
        values = reference_labels(labels, ensemble, reference)
        fitted.names_ = names_like(values, fitted.labels_, fitted.n_clusters_)
    return fitted


def fit_consensus(
    ensemble: Ensemble,
    given: Any,
    n_clusters: int | None,
    seeds: Mapping[str, int],
    options: Mapping[str, Any],
    *,
    n_jobs: int | None = None,
    features: Any = None,
    choose: Callable[[], Choice] | None = None,
) -> Any:
    """Fit a method to an ensemble; None is the default one.

    A number of clusters that is neither given nor set in the method is chosen by `choose`, unless
    the method can do so.  Of `options`, parameters of the method, those that are None are ignored.
    """
    choice = None
    open_number = given is None or getattr(given, "n_clusters", 0) is None
    if n_clusters is None and open_number and not can_choose(given):
        choice = choose() if choose else choose_from_members(ensemble, seeds["choice"])
        n_clusters = choice.n_clusters
        _logger.info("choice of k: %d, %s", n_clusters, choice.rule)
    recipes: list[Any] = []
    if given is None:
        number = cast(int, n_clusters)
        given, recipes = default_consensus(ensemble, number, seeds["consensus"], n_jobs)
    else:
        given = seeded(given, seeds["consensus"], n_jobs)
        if n_clusters is not None:
            given.set_params(n_clusters=n_clusters)
    given.set_params(**{name: value for name, value in options.items() if value is not None})
    announce("consensus")
    known = {}
    if features is not None and has_fit_parameter(given, "features"):
        known["features"] = features
    fitted = given.fit(ensemble, **known)
    name, k = type(fitted).__name__, getattr(fitted, "n_clusters_", n_clusters)
    _logger.info("%s: %s clusters of %d objects from %d members", name, k, *ensemble.shape)
    fitted.recipes_ = recipes
    if choice is not None:
        fitted.results_ = replace(choice, labels=Partitions(fitted, choice.numbers))
    return fitted


def named_method(name: str, **params: Any) -> Any:
    """Make a method by its name, with the number of clusters left open."""
    return get_method(name)(**params).set_params(n_clusters=None)


def reference_labels(labels: Any, ensemble: Ensemble, reference: Any) -> Any:
    """Return the labels of a reference: those of a named column, or the given ones."""
    if not isinstance(reference, str):
        return reference
    known = [str(record.get("name", m)) for m, record in enumerate(ensemble.records)]
    if known.count(reference) != 1:
        raise ValueError(f"reference={reference!r}; expected the name of one of {listed(known)}")
    m = known.index(reference)
    if hasattr(labels, "iloc"):
        return labels.iloc[:, m]
    column = np.asarray(ensemble.labels[:, m])
    names = ensemble.records[m].get("labels", range(column.max(initial=-1) + 1))
    return [names[label] if label >= 0 else None for label in column]


def annotator_method(ensemble: Ensemble, n_clusters: int | None) -> LatentEM | None:
    """Return the default method if all members use the same names, one for each cluster."""
    shared = shared_codes(ensemble)
    if shared is None:
        return None
    names, _ = vote_shares(shared[1], len(shared[0]))
    return LatentEM(n_clusters) if n_clusters in (None, len(names)) else None


def _method(method: Any, params: dict[str, Any]) -> Any:
    """The consensus estimator that the user named, gave or wrote as a function; None for none."""
    if isinstance(method, str):
        return named_method(method, **params)
    if params:
        names = ", ".join(params)
        raise TypeError(f"got {names}, but no name of a method; only a name takes parameters")
    if method is None or hasattr(method, "fit"):
        return method
    if callable(method):
        return FunctionConsensus(method)
    raise TypeError(
        f"method={method!r}; expected the name of a method, a consensus estimator or a function "
        "of a label matrix and a number of clusters"
    )


class FunctionConsensus(BaseConsensus):
    """Consensus by a function of a label matrix and a number of clusters."""

    _parameter_constraints = rules(function=[callable])

    def __init__(
        self,
        function: Callable[..., Any],
        n_clusters: int | None = None,
        *,
        noise: str = "keep",
        settle: bool = False,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle)
        self.function = function

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        return np.asarray(label_vector(self.function(np.array(ensemble.matrix), self.n_clusters)))


def choose_from_members(ensemble: Ensemble, random_state: Any = None) -> Choice:
    """Choose the number of clusters of an ensemble from a sample of its objects."""
    seeds = spawn_seeds(random_state, 2)
    n = len(ensemble)
    sample = ensemble
    if n > MAX_OBJECTS:
        rows = np.sort(np.random.default_rng(seeds[0]).choice(n, MAX_OBJECTS, replace=False))
        sample = Ensemble.from_labels(take_rows(ensemble.labels, rows))
    return choose_n_clusters(sample, random_state=seeds[1])
