"""Base classes of the generators: they turn one plan per member into an `Ensemble`.

A generator is a class whose ``_plans(X)`` returns a `Plan` per member, a `Model` that labels
rows, and a function that trains the model; see ``kmeans.py``.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Self, cast

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from consens._blocks import FeatureMatrix, in_blocks, run_on_samples
from consens._docs import shared_paragraphs
from consens._labels import n_clusters_per_member
from consens._params import RANGE_RULE, Rule, complete_rules, rules
from consens._support.memory import require_memory
from consens._support.progress import Progress, notify, watch_progress
from consens._support.seeds import Seed
from consens._support.threads import one_thread
from consens._validation import check_features
from consens.ensemble import Ensemble, read_only
from consens.generate._label import label_and_shrink, label_rows
from consens.generate._plan import Member, Model, Plan, Trained
from consens.generate._store import MemberStore

PATH_RULE = [str, Path, None]


def watch(callback: Callable[[Progress], object]) -> AbstractContextManager[None]:
    """Follow the members that are made inside a ``with`` block.

    Parameters
    ----------
    callback : callable
        Called with a `Progress` (done, total, name of the generator, resumed) before the first
        member is made and after each, in the thread that fits.  An exception that it raises stops
        the fit; finished members stay in the store, if there is one.

    Examples
    --------
    >>> from consens.generate import KMeansEnsemble, watch
    >>> with watch(lambda p: print(f"{p.done} of {p.total}")):
    ...     E = KMeansEnsemble(2, n_clusters=2, random_state=0).fit_transform([[0], [1], [9]])
    0 of 2
    1 of 2
    2 of 2
    """
    return watch_progress(callback, "members")


@shared_paragraphs
class BaseGenerator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A transformer from features to an `Ensemble`.

    A subclass checks its parameters against X and returns one plan per member in ``_plans(X)``.
    This class handles blocks of rows, `n_jobs`, `store` and progress.

    {generator_attributes}
    """

    _parameter_constraints: ClassVar[dict[str, Rule]] = rules(store=PATH_RULE)

    n_jobs: int | None
    store: str | Path | None = None

    #: Trained members by plan, which generators of the same members may share.
    _trained: dict[Any, list[Trained]] | None = None
    #: Numbers of the rows of X to label; None for all.
    _labelled: np.ndarray | None = None
    #: Class of the models; None if a store cannot save them.
    _model_class: ClassVar[Callable[..., Model] | None] = None
    #: Whether X may be a collection of blocks, and whether it may be sparse.
    _in_blocks: ClassVar[bool] = True
    _sparse: ClassVar[bool] = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        shared_paragraphs(cls)
        complete_rules(cls)

    def _plans(self, X: Any) -> Sequence[Plan]:
        raise NotImplementedError

    def _shared_payload(self, X: Any) -> dict[str, Any]:
        """Entries that the payloads of all members share."""
        return {}

    def fit(self, X: FeatureMatrix, y: object = None) -> Self:
        """Fit the members; use `fit_transform` to get their labels of X.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : ignored

        Returns
        -------
        self
        """
        self._fit(X)
        return self

    def fit_transform(self, X: FeatureMatrix, y: object = None) -> Ensemble:
        """Fit the members and return their labels of X.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : ignored

        Returns
        -------
        Ensemble of shape (n, M)
        """
        return self._fit(X)

    def transform(self, X: FeatureMatrix) -> Ensemble:
        """Label rows with the fitted members; clusters keep the numbers of the fit.

        Parameters
        ----------
        X : array-like of shape (n_new, d)

        Returns
        -------
        Ensemble of shape (n_new, M)
        """
        rows = self._check_new(X)
        models = [member.model for member in self.members_]
        return self._ensemble(label_rows(rows, models, self.n_jobs), rows, X)

    def _check_new(self, X: Any) -> Any:
        check_is_fitted(self)
        return check_features(self, X, reset=False, accept_sparse=self._accepts_sparse())

    def _train(self, X: Any) -> list[Model]:
        """Train the members without labelling X; their numbers of clusters may have gaps."""
        trained = self._fit_members(X, self._plans(X))
        return [cast(Model, one.model) for one in chain.from_iterable(trained)]

    def _extend(self, X: Any, ensemble: Ensemble, n_estimators: int) -> Ensemble:
        """Add members to the ensemble that `fit_transform` made of X, up to a new number."""
        done = len(self.members_)
        self.set_params(n_estimators=n_estimators)
        plans = list(self._plans(X))
        while done > 0:
            done -= len(plans.pop(0))
        if done < 0:
            raise ValueError(
                f"{len(self.members_)} members end inside a group that shares a graph or a tree; "
                f"fit {n_estimators} members anew"
            )
        labels, members = self._make_members(X, plans)
        self.members_ += members
        labels = np.hstack([np.asarray(ensemble.labels), labels])
        return self._ensemble(labels, X, X)

    def _fit(self, X: Any) -> Ensemble:
        self._validate_params()
        if not self._in_blocks and in_blocks(X):
            raise TypeError(
                f"{type(self).__name__} needs all objects at once and cannot cluster a collection "
                "in blocks; use KMeansEnsemble, LACEnsemble or PrototypeEnsemble"
            )
        rows = check_features(self, X, accept_sparse=self._accepts_sparse())
        plans = self._plans(rows)
        if not in_blocks(rows):
            n, n_members = rows.shape[0], sum(map(len, plans))
            require_memory(
                4.0 * n * n_members,
                f"labels of {n} objects by {n_members} members",
                "make fewer members, or cluster a sample and predict the rest",
            )
        labels, self.members_ = self._make_members(rows, plans)
        return self._ensemble(labels, rows, X)

    def _make_members(self, X: Any, plans: Sequence[Plan]) -> tuple[Any, list[Member]]:
        """Return labels of X by the members of some plans, and the members."""
        trained = self._fit_members(X, plans)
        fitted = list(chain.from_iterable(trained))
        owners = [plan for plan, own in zip(plans, trained, strict=False) for _ in own]
        models = self._complete(owners, [one.model for one in fitted], X)
        columns = [one.labels for one in fitted if one.labels is not None]
        labels: Any = np.array(columns, dtype=np.int32).T
        if not columns:
            some = slice(None) if self._labelled is None else self._labelled
            known = {
                m: one.own[some]
                for m, (one, plan) in enumerate(zip(fitted, owners, strict=True))
                if one.own is not None and plan.sample.complete
            }
            rows = X if self._labelled is None else X[self._labelled]
            labels, models = label_and_shrink(rows, models, self.n_jobs, known)
        records = chain.from_iterable(plan.records() for plan in plans)  # boosting may stop early
        widths = n_clusters_per_member(labels).tolist()
        return labels, [
            Member(model, {**record, "n_clusters": k, **one.facts}, model.payload)
            for model, record, k, one in zip(models, records, widths, fitted, strict=False)
        ]

    def _fit_members(self, X: Any, plans: Sequence[Plan]) -> list[list[Trained]]:
        """Read members of each plan from the store and train those that are missing there."""
        store = None if self.store is None else MemberStore(self.store, self, X)
        shared = {} if self._trained is None else self._trained
        fitted = {m: shared[plan.key] for m, plan in enumerate(plans) if plan.key in shared}
        if store is not None:
            fitted |= store.read(plans, self._model_class)
        missing = [m for m in range(len(plans)) if m not in fitted]
        done, total = sum(map(len, fitted.values())), sum(map(len, plans))
        resumed = done
        self._notify(done, total, resumed)
        wanted = [plans[m] for m in missing]
        draws = [plan.sample.rows for plan in wanted]
        # workers that are threads need the limit here: their own limits end at different times
        with one_thread():
            for number, own in run_on_samples(fit_plan, wanted, draws, X, self.n_jobs):
                fitted[missing[number]] = own
                if self._trained is not None:
                    shared[wanted[number].key] = own
                if store is not None:
                    store.write(wanted[number], own)
                done += len(own)
                self._notify(done, total, resumed)
        return [fitted[m] for m in range(len(plans))]

    def _complete(
        self, plans: Sequence[Plan], models: Sequence[Model | None], X: Any
    ) -> list[Model]:
        """Add to the models what is neither stored nor sent between processes."""
        return [
            RefittedModel(plan, X) if model is None else model
            for plan, model in zip(plans, models, strict=True)
        ]

    def _notify(self, done: int, total: int, resumed: int = 0) -> None:
        notify(Progress("members", done, total, type(self).__name__, resumed, (0.0, 0.5)))

    def _ensemble(self, labels: Any, rows: Any, X: Any) -> Ensemble:
        shared = self._shared_payload(rows)
        return Ensemble(
            read_only(labels),
            [member.record for member in self.members_],
            [{**member.payload, **shared} for member in self.members_],
            row_names(X),
        )

    @property
    def _n_features_out(self) -> int:
        return len(self.members_)

    def _accepts_sparse(self) -> bool:
        return get_tags(self).input_tags.sparse

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._sparse
        tags.transformer_tags.preserves_dtype = []  # labels are int32 whatever X is
        return tags


class SampledGenerator(BaseGenerator):
    """Base of generators whose members draw their number of clusters and their objects."""

    _parameter_constraints = rules(n_clusters=RANGE_RULE)

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        n_clusters: int | tuple[int, int] | None = None,
        max_samples: int | float | str | None = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_clusters = n_clusters
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store


@dataclass(frozen=True)
class RefittedModel(Model):
    """A model that a store cannot save: it is fitted again when it is first needed."""

    plan: Plan
    X: Any

    @cached_property
    def model(self) -> Any:
        """The fitted model."""
        return fit_plan(self.plan, self.X)[0].model

    def label(self, X: Any) -> np.ndarray:
        """Cluster of each row, in the member's own numbers."""
        return self.model.label(X)


def row_names(X: Any) -> np.ndarray | None:
    """Index of a data frame in memory; None for anything else."""
    index: Any = getattr(X, "index", None)
    return index.to_numpy() if hasattr(index, "to_numpy") else None


def fit_plan(plan: Plan, rows: Any) -> list[Trained]:
    """Train the members of a plan, in one thread."""
    # the rounding of sums depends on the number of threads
    with one_thread():
        return plan.train(rows)
