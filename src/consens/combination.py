"""Combine existing clusterings with one function call: `combine`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from consens._blocks import take_rows
from consens._support.seeds import seeded, spawn_seeds, stage_seeds
from consens.choose import Choice, choose_n_clusters
from consens.choose.refitting import Partitions
from consens.choose.rule import MAX_OBJECTS
from consens.consensus import get_method
from consens.defaults import default_consensus, settles
from consens.ensemble import Ensemble


def combine(
    labels: Any,
    method: str | None = None,
    n_clusters: int | None = None,
    *,
    noise: str = "keep",
    settle: bool | None = None,
    **params: Any,
) -> Any:
    """Combine existing clusterings into one.

    Parameters
    ----------
    labels : list of label vectors, label matrix of shape (n, M), data frame or Ensemble
        Labels may be numbers or names; None and NaN mean that a clustering did not see the
        object, -1 that the object is noise in it.
    method : str, optional
        Case-insensitive name of a class of `consens.consensus`.  By default `DrawnConsensus` for
        at least 20 clusterings or more than 50,000 objects (10,000 if labels are missing), and
        `LWEA` with θ = 0.25 otherwise.
    n_clusters : int, optional
        None lets a given method choose the number if it can; the default method uses
        `choose.choose_n_clusters` without reference data, which chooses at least two.
    noise : {"keep", "assign"}
        How to treat objects that more than half of the clusterings that saw them call noise:
        "keep" leaves them noise (-1), "assign" puts them in the cluster they are most associated
        with.  They do not affect other objects.
    settle : bool, optional
        Whether to move objects that are more than twice as often together with the objects of
        another cluster as with those of their own, until none moves.  By default True unless a
        method is given.
    **params
        Further parameters of the method.  The default method only takes `random_state`, 0 by
        default.

    Returns
    -------
    fitted consensus estimator
        With ``labels_``, ``confidence_``, ``memberships_``, ``n_clusters_``, ``n_noise_`` and
        further attributes of the method; also ``results_``, a `choose.Choice`, if the default
        method chose the number of clusters.

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
    ensemble = Ensemble.from_labels(labels)
    if method is not None:
        named = get_method(method)(n_clusters=n_clusters, **params)
        return named.fit(ensemble, noise=noise, settle=settles(settle, method))
    seeds = stage_seeds(params.pop("random_state", 0))
    if params:
        raise TypeError(
            f"got {', '.join(params)}, but no method; pass its name as method= to set parameters"
        )
    choice = None
    if n_clusters is None:
        choice = choose_from_members(ensemble, seeds["choice"])
        n_clusters = choice.n_clusters
    consensus = seeded(default_consensus(ensemble), seeds["consensus"])
    fitted = consensus.set_params(n_clusters=n_clusters).fit(
        ensemble, noise=noise, settle=settles(settle, method)
    )
    return fitted if choice is None else with_choice(fitted, choice)


def with_choice(fitted: Any, choice: Choice) -> Any:
    """Attach the choice of the number of clusters to a fitted consensus, as ``results_``."""
    fitted.results_ = replace(choice, labels=Partitions(fitted, choice.numbers))
    return fitted


def choose_from_members(ensemble: Ensemble, random_state: Any = None) -> Choice:
    """Choose the number of clusters of an ensemble from a sample of its objects."""
    seeds = spawn_seeds(random_state, 2)
    n = len(ensemble)
    rows = np.arange(n)
    if n > MAX_OBJECTS:
        rows = np.sort(np.random.default_rng(seeds[0]).choice(n, MAX_OBJECTS, replace=False))
    sample = Ensemble.from_labels(take_rows(ensemble.labels, rows))
    return choose_n_clusters(sample, random_state=seeds[1])
