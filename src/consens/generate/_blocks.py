"""Members of a collection in blocks: trained on samples, then all objects block by block.

A member needs some rows to be trained on, which are gathered for many members in one pass, and
its model labels rows one by one.  So its labels depend on the numbers of the rows in its sample,
and not on the blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from consens.blocks import Rows, preset
from consens.generate._threads import one_thread
from consens.labels import LabelStats, cluster_sizes, keep_labels, rename_clusters
from consens.labels.codes import find_label_stats

#: Bytes of training rows that are held at a time; members whose samples do not fit together are
#: trained one group after the other, with a pass over the collection for each.
SAMPLE_BYTES = 2**28


class Trained(NamedTuple):
    """A model (a dataclass of arrays whose entries are clusters), and facts for its record."""

    model: Any
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Training:
    """How a member is made: by ``train(sample)`` of the objects with the numbers `rows`.

    ``record(n_clusters)`` is what the ensemble says about it, beside the facts of `Trained`.
    """

    rows: np.ndarray
    train: Callable[[np.ndarray], Trained]
    record: Callable[[int], dict[str, Any]]


def batches(trainings: Sequence[Training], bytes_per_row: int) -> Iterator[list[int]]:
    """Numbers of members whose samples are held together."""
    batch: list[int] = []
    held = 0
    for number, training in enumerate(trainings):
        size = len(training.rows) * bytes_per_row
        if batch and held + size > SAMPLE_BYTES:
            yield batch
            batch, held = [], 0
        batch.append(number)
        held += size
    yield batch


def train(
    X: Rows, trainings: Sequence[Training], numbers: Sequence[int], n_jobs: int | None
) -> Iterator[tuple[int, Trained]]:
    """Members with their numbers, trained, as they are finished."""
    n_bytes = X.dtype.itemsize * X.shape[1]
    wanted = [trainings[number] for number in numbers]
    for batch in batches(wanted, n_bytes) if wanted else ():
        sample = np.unique(np.concatenate([wanted[b].rows for b in batch]))
        jobs = [(wanted[b].train, np.searchsorted(sample, wanted[b].rows)) for b in batch]
        for done, trained in X.train(_trained, jobs, sample, n_jobs):
            yield numbers[batch[done]], trained


def _trained(
    job: tuple[Callable[[np.ndarray], Trained], np.ndarray], sample: np.ndarray
) -> Trained:
    function, rows = job
    return function(sample if len(rows) == len(sample) else sample[rows])


def labelled(X: Rows, models: Sequence[Any]) -> Rows:
    """Labels of all rows by all models, when they are asked for."""
    return X.map(partial(_labels, list(models)), width=len(models), dtype=np.int32)


def _labels(models: list[Any], block: np.ndarray) -> np.ndarray:
    result = np.empty((len(block), len(models)), dtype=np.int32, order="F")
    with one_thread():
        for m, model in enumerate(models):
            result[:, m] = model.label(block)
    return result


def label_all(X: Rows, models: Sequence[Any]) -> tuple[Rows, list[Any]]:
    """Labels of all rows, kept, and the models without clusters that no row belongs to."""
    widths = np.array([n_clusters(model) for model in models])
    stats = LabelStats(widths, noise=0, missing=0, clustered=X.sizes)
    labels = keep_labels(labelled(X, models), stats)
    sizes = np.split(cluster_sizes(labels), np.cumsum(widths)[:-1])
    filled = [np.flatnonzero(own) for own in sizes]
    if all(len(own) == k for own, k in zip(filled, widths, strict=True)):
        return labels, list(models)
    names = [np.cumsum(own > 0).astype(np.int32) - 1 for own in sizes]
    stats = stats._replace(n_clusters=np.array([len(own) for own in filled]))
    renamed = preset(find_label_stats, rename_clusters(labels, names), stats)
    return renamed, [_of_clusters(m, own) for m, own in zip(models, filled, strict=True)]


def n_clusters(model: Any) -> int:
    """Number of clusters of a model."""
    return len(getattr(model, fields(model)[0].name))


def _of_clusters(model: Any, clusters: np.ndarray) -> Any:
    kept = {field.name: getattr(model, field.name)[clusters] for field in fields(model)}
    return replace(model, **kept)


def as_payload(model: Any) -> dict[str, np.ndarray]:
    """The arrays of a model, for the ensemble."""
    return {field.name: getattr(model, field.name) for field in fields(model)}
