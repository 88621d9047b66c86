"""The frame of every generator: one seed and one task per member, gathered in an `Ensemble`.

A generator is one class with ``_tasks(X)``, one model with ``label(X)``, and a function that
makes both the labels and the :class:`Member`; see ``kmeans.py``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self
from zipfile import BadZipFile

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from consens.base import check_features
from consens.blocks import Rows, in_blocks
from consens.constraints import Interval
from consens.docstrings import shared_paragraphs
from consens.ensemble import Ensemble
from consens.generate._blocks import (
    Trained,
    Training,
    as_payload,
    label_all,
    labelled,
    n_clusters,
    train,
)
from consens.generate._store import Store, Stored, read, write
from consens.generate._threads import one_thread
from consens.memory import require_memory

logger = logging.getLogger(__name__)


class Model(Protocol):
    """What a member keeps to label rows."""

    def label(self, X: Any) -> np.ndarray:
        """Cluster of each row, in the member's own numbers."""


@dataclass(frozen=True)
class Member:
    """One fitted partition: its model, and what the ensemble says about it."""

    model: Model
    record: Mapping[str, Any]
    payload: Mapping[str, Any] = field(default_factory=dict)


# what `max_samples` and `max_features` may be: a number, a share, or None
SAMPLE = [
    Interval(Integral, 1, None, closed="left"),
    Interval(Real, 0, 1, closed="right"),
    None,
]

# what `store` may be
FOLDER = [str, Path, None]

# labels of the rows of X, and the member that gave them
Made = tuple[np.ndarray, Member]
Task = Callable[[Any], Made]


class Progress(NamedTuple):
    """How far a generator is: members there are, of all, and how many of them a store gave."""

    generator: str
    done: int
    total: int
    resumed: int


_watcher: ContextVar[Callable[[Progress], None] | None] = ContextVar("watcher", default=None)


@contextmanager
def watch(callback: Callable[[Progress], None]) -> Iterator[None]:
    """Be told of every member that is finished, in the order of the members.

    Parameters
    ----------
    callback : callable
        Called with a `Progress` (generator, done, total, resumed) once before the first member
        and then for each, in the thread that fits.  What it raises ends the fit; finished
        members stay in the store, if there is one.

    Examples
    --------
    >>> from consens.generate import KMeansEnsemble, watch
    >>> with watch(lambda p: print(f"{p.done} of {p.total}")):
    ...     E = KMeansEnsemble(2, n_clusters=2, random_state=0).fit_transform([[0], [1], [9]])
    0 of 2
    1 of 2
    2 of 2
    """
    token = _watcher.set(callback)
    try:
        yield
    finally:
        _watcher.reset(token)


class Generator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A transformer from features to an `Ensemble`.

    A subclass checks its parameters against X and returns one task per member in
    ``_tasks(X)``.  Tasks travel to other processes, so they are `functools.partial` of module
    functions; each draws everything random from its own seed.  Its parameters `n_jobs` and
    `store` are dealt with here.

    Attributes
    ----------
    members_ : list of Member
    """

    n_jobs: int | None
    store: str | Path | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        shared_paragraphs(cls)

    def _tasks(self, X: Any) -> Sequence[Task]:
        raise NotImplementedError

    def _model_class(self) -> type | None:
        """Class of the models, when it is a dataclass of arrays and plain values.

        A store can hold such models; others are made again when a generator that was resumed
        has to label new rows.
        """
        return None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Make the members; their labels of X are left to `fit_transform`.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : ignored

        Returns
        -------
        self
        """
        if in_blocks(X):
            self._fit_in_blocks(X)
        else:
            self._fit_labels(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Ensemble:
        """Make the members and give their labels of X.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : ignored

        Returns
        -------
        Ensemble of shape (n, M)
        """
        if in_blocks(X):
            return self._fit_in_blocks(X)
        return self._ensemble(self._fit_labels(X), X)

    def transform(self, X: Any) -> Ensemble:
        """Label rows by the fitted members, in the cluster numbers of the fit.

        Parameters
        ----------
        X : array-like of shape (n_new, d)

        Returns
        -------
        Ensemble of shape (n_new, M)
        """
        check_is_fitted(self)
        rows = check_features(self, X, reset=False, accept_sparse=self._accepts_sparse())
        if isinstance(rows, Rows):
            labels = labelled(rows, [member.model for member in self.members_])
            return self._ensemble_in_blocks(labels, rows)
        run = Parallel(n_jobs=self.n_jobs, prefer="threads")
        with one_thread():
            labels = run(delayed(_in_one_thread)(m.model.label, rows) for m in self.members_)
        return self._ensemble(labels, X)

    def _trainings(self, X: Rows) -> Sequence[Training]:
        """How the members of a collection in blocks are made, for generators that can."""
        raise TypeError(
            f"{type(self).__name__} needs all objects at once and cannot cluster a collection in "
            "blocks; use KMeansEnsemble, LACEnsemble or PrototypeEnsemble"
        )

    def _fit_in_blocks(self, X: Any) -> Ensemble:
        self._validate_params()
        rows = check_features(self, X, accept_sparse=self._accepts_sparse())
        trainings = self._trainings(rows)
        trained = self._trained(rows, trainings)
        labels, models = label_all(rows, [made.model for made in trained])
        self.members_ = [
            Member(model, {**training.record(n_clusters(model)), **made.facts}, as_payload(model))
            for training, made, model in zip(trainings, trained, models, strict=True)
        ]
        return self._ensemble_in_blocks(labels, rows)

    def _trained(self, X: Rows, trainings: Sequence[Training]) -> list[Trained]:
        """Take members from the store, and train the others."""
        store = None if self.store is None else Store(self.store, self, X)
        made: list[Any] = [None] * len(trainings)
        paths: list[Path] = []
        if store is not None:
            paths = [store.path([training.train, training.rows]) for training in trainings]
            made = [_stored(path, self._model_class()) for path in paths]
        missing = [number for number, trained in enumerate(made) if trained is None]
        resumed = done = len(made) - len(missing)
        self._tell(done, len(made), resumed)
        for number, trained in train(X, trainings, missing, self.n_jobs):
            made[number] = trained
            if store is not None:
                nothing = np.empty(0, dtype=np.int32)
                model = as_payload(trained.model)
                write(paths[number], Stored(nothing, trained.facts, {}, model))
            done += 1
            self._tell(done, len(made), resumed)
        return made

    def _ensemble_in_blocks(self, labels: Any, X: Rows) -> Ensemble:
        records = [member.record for member in self.members_]
        return Ensemble(labels, records, [member.payload for member in self.members_])

    def _complete(self, member: Member, task: Task, X: Any) -> Member:
        """Give a member what neither its file nor the process that made it hands over."""
        return member if member.model is not None else replace(member, model=Remade(task, X))

    def _fit_labels(self, X: Any) -> list[np.ndarray]:
        self._validate_params()
        rows = check_features(self, X, accept_sparse=self._accepts_sparse())
        made = self._make(rows)
        self.members_ = [member for _, member in made]
        return [labels for labels, _ in made]

    def _make(self, X: Any) -> list[Made]:
        """Run the tasks, all at once; for members that depend on each other, override this."""
        tasks = self._tasks(X)
        store = None if self.store is None else Store(self.store, self, X)
        paths = [None if store is None else store.path(task) for task in tasks]
        made: list[Made] = []
        resumed = 0
        self._begin(X.shape[0], len(tasks))
        # the limit here holds for workers that are threads: theirs end at different times
        with one_thread():
            finished = Parallel(n_jobs=self.n_jobs, return_as="generator")(
                delayed(_in_one_thread)(_make_or_read, task, path, self._model_class(), X)
                for task, path in zip(tasks, paths, strict=True)
            )
            for labels, member, was_there in finished:
                made.append((labels, self._complete(member, tasks[len(made)], X)))
                resumed += was_there
                self._tell(len(made), len(tasks), resumed)
        if store is not None:
            logger.info("%d of %d members came from %s", resumed, len(tasks), store.folder)
        return made

    def _begin(self, n: int, n_members: int) -> None:
        """See that the labels of all members fit, before the first is made."""
        require_memory(
            4.0 * n * n_members,
            f"labels of {n} objects by {n_members} members",
            "make fewer members, or cluster a sample and predict the rest",
        )
        self._tell(0, n_members)

    def _tell(self, done: int, total: int, resumed: int = 0) -> None:
        """Tell who watches how far the members are."""
        callback = _watcher.get()
        if callback is not None:
            callback(Progress(type(self).__name__, done, total, resumed))

    def _ensemble(self, columns: list[np.ndarray], X: Any) -> Ensemble:
        labels = np.empty((len(columns[0]), len(columns)), dtype=np.int32, order="F")
        for m in range(len(columns)):
            labels[:, m] = columns[m]
            columns[m] = columns[m][:0]  # the matrix and the columns need not both fit
        return Ensemble(
            labels,
            [member.record for member in self.members_],
            [member.payload for member in self.members_],
            X.index.to_numpy() if hasattr(X, "iloc") else None,
        )

    @property
    def _n_features_out(self) -> int:
        return len(self.members_)

    def _accepts_sparse(self) -> bool:
        return get_tags(self).input_tags.sparse

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # labels are int32 whatever X is
        return tags


@dataclass(frozen=True)
class Remade:
    """A model that a store cannot hold: made again, once, when rows are to be labelled."""

    task: Task
    X: Any

    @cached_property
    def model(self) -> Model:
        """The model, as the task makes it."""
        return self.task(self.X)[1].model

    def label(self, X: Any) -> np.ndarray:
        """Cluster of each row, in the member's own numbers."""
        return self.model.label(X)


def _make_or_read(
    task: Task, path: Path | None, model_class: Any, X: Any
) -> tuple[np.ndarray, Member, bool]:
    """Labels and member of a task, and whether its file gave them; else they are put there.

    The model is None where the file cannot hold it.
    """
    model: Any
    if path is not None and path.exists():
        try:
            labels, record, payload, model = read(path)
            if model is not None:
                model = model_class(**model)
            return labels, Member(model, record, payload), True
        except (OSError, EOFError, ValueError, KeyError, TypeError, BadZipFile) as error:
            logger.warning("%s is damaged (%s); the member is made again", path, error)
    labels, member = task(X)
    if path is not None:
        model = None
        if model_class is not None:
            model = {f.name: getattr(member.model, f.name) for f in fields(model_class)}
        write(path, Stored(labels, member.record, member.payload, model))
    return labels, member, False


def _stored(path: Path, model_class: Any) -> Trained | None:
    """What a file holds of a member of a collection in blocks, or None."""
    if path.exists():
        try:
            found = read(path)
            return Trained(model_class(**(found.model or {})), found.record)
        except (OSError, EOFError, ValueError, KeyError, TypeError, BadZipFile) as error:
            logger.warning("%s is damaged (%s); the member is made again", path, error)
    return None


def describe(
    algorithm: str, labels: np.ndarray, seed: int, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Record of a member, as `Ensemble.members` shows it."""
    return {
        "algorithm": algorithm,
        "n_clusters": int(labels.max()) + 1 if labels.max() >= 0 else 0,
        "seed": seed,
        "parameters": dict(parameters),
        "weight": 1.0,
    }


def _in_one_thread(function: Callable[..., Any], *args: Any) -> Any:
    # sums over threads end in another last digit for another number of threads
    with one_thread():
        return function(*args)
