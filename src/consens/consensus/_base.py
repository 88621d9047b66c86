"""The frame of every consensus method: validation, noise, confidence."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import Tags

from consens.base import check_ensemble, check_n_clusters, label_matrix_tags
from consens.blocks import Collection, in_blocks, to_user
from consens.docstrings import shared_paragraphs
from consens.ensemble import Ensemble
from consens.generate import KMeansEnsemble
from consens.labels import (
    NOISE,
    clustered_rows,
    count_distinct_rows,
    first_seen,
    first_seen_order,
)
from consens.measure import object_confidence
from consens.notebook import NotebookForm


class BaseConsensus(NotebookForm, ClusterMixin, BaseEstimator):
    """A clusterer whose X is a label matrix of shape (n, M).

    A method says how to combine in ``_combine(ensemble)``, which returns one label per object
    (and sets what else it learns), and what its parameters may be in
    ``_parameter_constraints``.  Here is what all methods do alike: labels in any form are read,
    objects that no member put in any cluster stay `NOISE`, clusters are numbered by their first
    object, and ``confidence_`` is computed when it is asked for.
    """

    n_clusters: int | None

    #: Whether ``_combine`` also takes labels in blocks (`consens.blocks.Rows`): it then only
    #: maps over rows and adds up integers.
    _in_blocks: ClassVar[bool] = False
    _instead_of_blocks: ClassVar[str] = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        shared_paragraphs(cls)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Combine the partitions.

        Parameters
        ----------
        X : Ensemble or label matrix of shape (n, M)
            One row per object, one column per partition.  For labels in blocks, such as a Dask
            array, `labels_` and `confidence_` have the same blocks.
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        if not self._takes_blocks() and in_blocks(getattr(X, "labels", X)):
            raise self._needs_all_objects()
        self._clear()
        ensemble = check_ensemble(self, X)
        self._clustered = clustered_rows(ensemble.labels)
        inner = ensemble.filter(self._clustered)
        if not len(inner):
            raise ValueError("every label is noise or missing: no partition holds a cluster")
        if self.n_clusters is not None:
            _check_enough_objects(self.n_clusters, inner)
        labels = self._clustered.scatter(self._combine(inner), NOISE)
        self.labels_ = to_user(first_seen_order(labels))
        self.n_clusters_ = len(first_seen(labels))
        self.ensemble_ = ensemble
        return self

    def _clear(self) -> None:
        """Clear the results of a previous fit."""
        for name in [name for name in vars(self) if name.endswith("_") and name[0] != "_"]:
            delattr(self, name)

    def _takes_blocks(self) -> bool:
        return self._in_blocks

    def _needs_all_objects(self, instead: str = "") -> TypeError:
        """Make the error about labels in blocks, with the ways out."""
        instead = instead or self._instead_of_blocks
        return TypeError(
            f"{type(self).__name__} needs all objects at once and cannot combine labels in "
            f"blocks; {instead}let it combine prototypes (ConsensusClustering with "
            "generator=consens.generate.PrototypeEnsemble()), which stand for all objects, or "
            "take a method that works block by block, such as LWGP or LWMC"
        )

    def _combine(self, ensemble: Ensemble) -> Collection:
        raise NotImplementedError

    def default_generator(self) -> Any:
        """Generator of the members that this method is made for, where none is chosen.

        Returns
        -------
        transformer from X to an Ensemble
        """
        return KMeansEnsemble()

    @cached_property
    def confidence_(self) -> Any:
        """How clearly each object belongs to its cluster: `measure.object_confidence`."""
        return object_confidence(self.ensemble_, self.labels_)

    def __sklearn_tags__(self) -> Tags:
        return label_matrix_tags(super().__sklearn_tags__())


def _check_enough_objects(n_clusters: int, ensemble: Ensemble) -> None:
    if n_clusters <= ensemble.n_clusters.max():
        return  # a member tells that many apart
    n, n_members = ensemble.shape
    hint = f" (label rows) among {n} objects in {n_members} partitions"
    if n < n_members:
        hint += "; are rows and columns exchanged?"
    check_n_clusters(n_clusters, count_distinct_rows(ensemble.labels), hint)
