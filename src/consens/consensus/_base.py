"""Base class of the consensus methods: validation, noise, confidence."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from consens._blocks import (
    Collection,
    RowMask,
    in_blocks,
    map_rows,
    sum_rows,
    take_columns,
    to_user,
)
from consens._docs import shared_paragraphs
from consens._labels import (
    MISSING,
    NOISE,
    Profiles,
    abstain,
    cluster_sizes,
    clustered_rows,
    count_distinct_rows,
    first_seen,
    first_seen_order,
    label_stats,
    nearest_cluster,
    profiles,
    rows_to_combine,
    unseen_rows,
)
from consens._naming import cluster_names, shared_codes
from consens._params import complete_rules
from consens._support.fitted import NotebookForm, Shrinkable
from consens._support.seeds import Seed, spawn_seeds
from consens._validation import check_ensemble, check_n_clusters, label_matrix_tags
from consens.consensus._refits import Refits, Stability, resampled, transferred
from consens.consensus._settle import CONTRADICTION
from consens.consensus._settle import settle as settle_labels
from consens.ensemble import Ensemble, EnsembleLike
from consens.generate import BaseGenerator, KMeansEnsemble
from consens.measure import annotator_agreement, object_association
from consens.measure.annotators import AnnotatorAgreement
from consens.partition.bipartite_cut import transfer_cut

#: Fitted attributes with one entry per cluster of the ensemble.
_PER_CLUSTER = {"cluster_labels_", "cluster_reliability_", "cluster_weights_", "meta_clusters_"}

#: Fitted attributes that hold labels of the answer, and those with a row or a column for each.
_LABELS = ("labels_", "cluster_labels_", "meta_clusters_", "partition_")
_ROWS, _COLUMNS = ("cluster_centers_", "feature_weights_", "mixing_"), ("probabilities_", "votes_")


class BaseConsensus(Shrinkable, NotebookForm, ClusterMixin, BaseEstimator):
    """A clusterer whose X is a label matrix of shape (n, M).

    A subclass implements ``_combine(ensemble)``, which returns one label per object and sets
    further fitted attributes, and constrains its parameters in ``_parameter_constraints``.  This
    class reads labels in any form, removes objects that are noise (`consens._labels.codes`) and
    passes the remaining noise labels to ``_combine`` as missing ones, numbers clusters by their
    first object that is not noise, and computes ``confidence_`` and ``stability_`` from refits to
    resampled members (`consens.consensus._refits`) on first access.
    """

    n_clusters: Any  # int, or None for methods that can choose it
    labels_: np.ndarray
    n_clusters_: int
    n_noise_: int
    ensemble_: Ensemble
    #: Options of a subclass that writes an ``__init__`` of its own without them.
    noise: str = "keep"
    settle: bool = False

    #: Whether ``_combine`` accepts labels in blocks (`consens._blocks.Rows`), that is, only maps
    #: over rows and sums integers.
    _in_blocks: ClassVar[bool] = False
    #: Whether a fit takes several times as long as by most methods: fewer refits judge it.
    _slow: ClassVar[bool] = False
    #: What to do instead with labels in blocks, for the error message.
    _instead_of_blocks: ClassVar[str] = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        shared_paragraphs(cls)
        complete_rules(cls)

    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.noise = noise
        self.settle = settle
        self.random_state = random_state

    def fit(self, X: EnsembleLike, y: object = None) -> Self:
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
        self._objects = _rows_to_combine(ensemble.labels, self.noise)
        inner = replace(ensemble, labels=abstain(ensemble.labels)).filter(self._objects)
        if self.n_clusters is not None:
            _check_enough_objects(self.n_clusters, inner)
        labels = first_seen_order(self._combine(inner))
        self.ensemble_ = ensemble
        self.n_clusters_ = len(first_seen(labels))
        self._pad_clusters(inner)
        labels = self.label_all(labels)
        self.labels_ = to_user(labels)
        self.n_noise_ = sum_rows(lambda own: int(np.count_nonzero(own == NOISE)), labels)
        _warn_of_unseen(ensemble)
        return self

    def label_all(self, labels: Collection) -> Collection:
        """Extend the labels of the combined objects to all objects.

        Combined objects settle if the fit did; the others become noise, missing or assigned.
        """
        members = self.ensemble_.labels
        if self.settle:
            inner = self._objects.filter(abstain(members))
            labels = settle_labels(inner, labels, CONTRADICTION)
        labels = self._objects.scatter(labels, NOISE)
        if self._objects.complete:
            return labels

        def mark_missing(members: np.ndarray, labels: np.ndarray) -> np.ndarray:
            return np.where((members == MISSING).all(axis=1), MISSING, labels).astype(np.int32)

        labels = map_rows(mark_missing, members, labels, dtype=np.int32)
        if self.noise == "keep":
            return labels
        spread = profiles(abstain(members), labels)
        return map_rows(partial(_assign, spread), abstain(members), labels, dtype=np.int32)

    def renumber(self, numbers: np.ndarray) -> None:
        """Give each cluster c of the answer the number ``numbers[c]``, a permutation."""
        places = np.append(numbers, [MISSING, NOISE]).astype(np.int32)  # codes -2 and -1
        order = np.argsort(numbers)
        changed: dict[str, Any] = {}
        for name, value in vars(self).items():
            if name in _LABELS:
                own = map_rows(lambda labels: places[labels], value, dtype=np.int32)
                changed[name] = to_user(own)
            elif name in _ROWS:
                changed[name] = value[order]
            elif name in _COLUMNS:
                changed[name] = take_columns(value, order)
        if "_refits" in vars(self):
            changed["_refits"] = self._refits._replace(answer=places[self._refits.answer])
        for name in ("memberships_", "stability_", "names_"):
            self.__dict__.pop(name, None)
        self.__dict__.update(changed)

    def _pad_clusters(self, inner: Ensemble) -> None:
        """Give attributes per cluster an entry for clusters that hold noise objects only."""
        names = _PER_CLUSTER & vars(self).keys()
        if self._objects.complete or not names:
            return
        own, all_ = inner.n_clusters, self.ensemble_.n_clusters
        numbered = np.concatenate([np.arange(k) < j for j, k in zip(own, all_, strict=True)])
        empty = cluster_sizes(inner.labels, all_) == 0
        for name in names:
            value = getattr(self, name)
            if len(value) == own.sum():  # otherwise it has an entry for each cluster of a payload
                nothing = 0 if value.dtype.kind == "f" else -1
                padded = np.full(len(empty), nothing, dtype=value.dtype)
                padded[numbered] = value
                padded[empty] = nothing
                setattr(self, name, padded)

    def _made_of_members(self) -> tuple[str, ...]:
        return ("_objects",)

    def _clear(self) -> None:
        """Clear the results of a previous fit."""
        for name in [name for name in vars(self) if name.endswith("_") and name[0] != "_"]:
            delattr(self, name)
        self.__dict__.pop("_refits", None)

    def _takes_blocks(self) -> bool:
        return self._in_blocks

    def _needs_all_objects(self, instead: str = "") -> TypeError:
        """Return the error for labels in blocks, which names the alternatives."""
        instead = instead or self._instead_of_blocks
        return TypeError(
            f"{type(self).__name__} needs all objects at once and cannot combine labels in "
            f"blocks; {instead}let it combine prototypes (ConsensusClustering with "
            "generator=consens.generate.PrototypeEnsemble()), which stand for all objects, or "
            "take a method that works block by block, such as LWGP or LWMC"
        )

    def _combine(self, ensemble: Ensemble) -> Collection:
        raise NotImplementedError

    def _transfer_cut(self, graph: Any, **options: Any) -> Any:
        """Labels by the transfer cut of a graph of objects and clusters, and `cluster_labels_`."""
        seed = spawn_seeds(self.random_state, 1)[0]
        done = transfer_cut(graph, self.n_clusters, seed=seed, **options)
        self.cluster_labels_ = done.clusters
        return done.objects

    def default_generator(self) -> BaseGenerator:
        """Return the generator that `ConsensusClustering` uses with this method by default."""
        return KMeansEnsemble()

    @cached_property
    def confidence_(self) -> np.ndarray:
        """Probability that a refit with other members puts each object in the same cluster."""
        check_is_fitted(self)
        return to_user(map_rows(_zero_for_noise, self._confidence(), self.labels_))

    def _confidence(self) -> Any:
        return transferred(self._refits, self.ensemble_.labels, self.labels_)

    def judge(self, answers: Mapping[int, Any]) -> dict[int, tuple[Any, Stability]]:
        """Confidence and stability of partitions of this method, by their number of clusters."""
        check_is_fitted(self)
        found: dict[int, tuple[Any, Stability]] = {}
        for k, refits in self._refitted(answers).items():
            shares = transferred(refits, self.ensemble_.labels, answers[k])
            confidence = to_user(map_rows(_zero_for_noise, shares, answers[k]))
            found[k] = confidence, refits.stability()
        return found

    @cached_property
    def stability_(self) -> Stability:
        """How far a refit with other members would give the same clusters."""
        check_is_fitted(self)
        return self._refits.stability()

    @cached_property
    def _refits(self) -> Refits:
        return self._refitted({self.n_clusters_: self.labels_})[self.n_clusters_]

    def _refitted(self, answers: Mapping[int, Any]) -> dict[int, Refits]:
        """Refits with each number of clusters, to be compared with the answers of the method."""
        return resampled(self, answers)

    def _for_refit(self, seed: int) -> Self:
        """Return an unfitted copy with another seed."""
        again = clone(self)
        again.random_state = seed
        return again

    @cached_property
    def memberships_(self) -> np.ndarray:
        """Degree to which each object belongs to each cluster; rows sum to 1, or 0 for noise."""
        check_is_fitted(self)
        k = self.n_clusters_
        scores = self._scores()
        return to_user(map_rows(_shares, scores, self.labels_, bytes_per_row=24 * k, width=k))

    @cached_property
    def names_(self) -> list[str]:
        """Names of the clusters if all members use the same names, or else their numbers."""
        check_is_fitted(self)
        return cluster_names(self.ensemble_, self.labels_, self.n_clusters_)

    @cached_property
    def annotators_(self) -> AnnotatorAgreement | None:
        """Agreement and reliability of the members if all use the same names; otherwise None."""
        check_is_fitted(self)
        if shared_codes(self.ensemble_) is None:
            return None
        return annotator_agreement(self.ensemble_)

    def _scores(self) -> Any:
        """Non-negative evidence that each object belongs to each cluster."""
        return object_association(self.ensemble_, self.labels_)

    def __sklearn_tags__(self) -> Tags:
        return label_matrix_tags(super().__sklearn_tags__())


def _zero_for_noise(confidence: np.ndarray, labels: np.ndarray) -> np.ndarray:
    return np.where(labels < 0, 0.0, confidence)


def _shares(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Normalize the rows of scores; an object without evidence belongs to its own cluster."""
    total = scores.sum(axis=1)
    shares = np.divide(scores, total[:, None], out=np.zeros_like(scores), where=total[:, None] > 0)
    unknown = np.flatnonzero((total <= 0) & (labels >= 0))
    shares[unknown, labels[unknown]] = 1.0
    shares[labels < 0] = 0.0
    return shares


def _assign(spread: Profiles, members: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Assign noise to the cluster that it is most associated with."""
    noise = labels == NOISE
    labels = labels.copy()
    labels[noise] = nearest_cluster(members[noise], spread)
    return labels


def _rows_to_combine(labels: Collection, noise: str) -> RowMask:
    objects = rows_to_combine(labels)
    if sum(objects.counts):
        return objects
    if not sum(label_stats(labels).clustered):
        raise ValueError("every label is noise or missing: no partition holds a cluster")
    if noise == "keep":
        raise ValueError(
            "most partitions call every object noise; leave out partitions with hardly any "
            "clusters, or use noise='assign' to combine the objects that they do cluster"
        )
    return clustered_rows(labels)


def _warn_of_unseen(ensemble: Ensemble) -> None:
    unseen = unseen_rows(ensemble.labels)
    if not len(unseen):
        return
    first = unseen[:10]
    names = (first + 1 if ensemble.obs is None else ensemble.obs[first]).tolist()
    warnings.warn(
        f"{len(unseen)} object(s) have no label in any partition and stay without one "
        f"({MISSING}): {'row' if ensemble.obs is None else 'id'} {', '.join(map(str, names))}"
        + (", ..." if len(unseen) > len(first) else ""),
        UserWarning,
        stacklevel=3,
    )


def _check_enough_objects(n_clusters: int, ensemble: Ensemble) -> None:
    if n_clusters <= ensemble.n_clusters.max():
        return  # a member has that many clusters, so there are as many distinct rows
    n, n_members = ensemble.shape
    hint = f" (label rows) among {n} objects in {n_members} partitions"
    if n < n_members:
        hint += "; are rows and columns exchanged?"
    check_n_clusters(n_clusters, count_distinct_rows(ensemble.labels), hint)
