"""The front door for labels: `combine`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from consens.base import seeded, spawn_seeds, stage_seeds
from consens.blocks import take_rows
from consens.choose import MAX_OBJECTS, Choice, choose_n_clusters
from consens.consensus import get_method
from consens.defaults import default_consensus, settles
from consens.ensemble import Ensemble
from consens.refitting import Partitions


def combine(
    labels: Any,
    method: str | None = None,
    n_clusters: int | None = None,
    *,
    noise: str = "keep",
    settle: bool | None = None,
    **params: Any,
) -> Any:
    """Combine clusterings that you already hold into one.

    Parameters
    ----------
    labels : list of label vectors, label matrix of shape (n, M), data frame or Ensemble
        Labels may be numbers or names; None and NaN mean that a clustering did not see the
        object, -1 that it called it noise.
    method : str, optional
        Name of a class of `consens.consensus`, in any case.  By default `LWEA` with θ = 0.25, or
        `DrawnConsensus` from 20 clusterings or 50,000 objects on.
    n_clusters : int, optional
        None lets a given method decide, where it can; the default chooses as
        `choose.choose_n_clusters` does without reference data, so it is two at least.
    noise : {"keep", "assign"}
        What becomes of objects that more than half of the clusterings that saw them call noise:
        they stay noise (-1), or go to the cluster they are associated with most.  Either way
        they are no evidence for others.
    settle : bool, optional
        Whether an object moves to another cluster if it is more than twice as often together with
        the objects of that one as with those of its own, until none does.  By default so unless a
        method is named: its answer stays as it is defined.
    **params
        Further parameters of the method; of the default only `random_state`, which is 0.

    Returns
    -------
    fitted consensus estimator
        With ``labels_``, ``confidence_``, ``memberships_``, ``n_clusters_``, ``n_noise_`` and
        what the method adds; with ``results_``, a `choose.Choice`, where the number of clusters
        was chosen by default.

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
        raise TypeError(f"{', '.join(params)} are parameters of a method; name it by method=")
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
    """Give a fitted consensus the choice of its number of clusters, as ``results_``."""
    fitted.results_ = replace(choice, labels=Partitions(fitted, choice.numbers))
    return fitted


def choose_from_members(ensemble: Ensemble, random_state: Any = None) -> Choice:
    """Choose the number of clusters of labels from elsewhere, by a sample of the objects."""
    seeds = spawn_seeds(random_state, 2)
    n = len(ensemble)
    rows = np.arange(n)
    if n > MAX_OBJECTS:
        rows = np.sort(np.random.default_rng(seeds[0]).choice(n, MAX_OBJECTS, replace=False))
    sample = Ensemble.from_labels(take_rows(ensemble.labels, rows))
    return choose_n_clusters(sample, random_state=seeds[1])
