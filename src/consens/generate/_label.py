"""Label rows with the models of the members, independently of the number of threads."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from consens._blocks import map_rows, row_blocks, split_like
from consens._labels import MISSING, NOISE, cluster_sizes, keep_labels, rename_clusters
from consens._support.progress import Progress, notify
from consens._support.threads import one_thread
from consens.generate._plan import Model


def label_rows(
    X: Any,
    models: Sequence[Model],
    n_jobs: int | None = None,
    known: Mapping[int, np.ndarray] = {},
) -> Any:
    """Label all rows with all models; blocks of rows are labelled lazily."""
    label = partial(_label_block, list(models), n_jobs, list(known))
    columns = [split_like(np.column_stack(list(known.values())), X)] if known else []
    return map_rows(label, X, *columns, width=len(models), dtype=np.int32)


def _label_block(
    models: list[Model], n_jobs: int | None, known: list[int], block: Any, *columns: np.ndarray
) -> np.ndarray:
    labels = np.empty((block.shape[0], len(models)), dtype=np.int32, order="F")
    if known:
        labels[:, known] = columns[0]
    # members that share a graph or a tree are labelled together
    others = np.setdiff1d(np.arange(len(models)), known)
    groups: dict[Any, list[int]] = {}
    for m in others.tolist():
        source = models[m].source
        groups.setdefault((type(models[m]), source) if source is not None else m, []).append(m)

    def label(own: list[int]) -> int:
        for m, column in zip(own, _label_group([models[m] for m in own], block), strict=True):
            labels[:, m] = column
        return len(own)

    run = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")
    done = len(known)
    with one_thread():
        for size in run(delayed(label)(own) for own in groups.values()):
            done += size
            notify(Progress("labels", done, len(models), span=(0.5, 1.0)))
    return labels


def _label_group(models: list[Any], rows: Any) -> list[np.ndarray]:
    """Labels of rows by models of one source."""
    if len(models) == 1:
        return [models[0].label(rows)]
    columns = [np.empty(rows.shape[0], dtype=np.int32) for _ in models]
    for block in row_blocks(rows.shape[0], models[0].bytes_per_row):
        located = models[0].locate(rows[block])
        for model, column in zip(models, columns, strict=True):
            column[block] = model.label_located(located)
    return columns


def label_and_shrink(
    X: Any,
    models: Sequence[Model],
    n_jobs: int | None = None,
    known: Mapping[int, np.ndarray] = {},
) -> tuple[Any, list[Model]]:
    """Label all rows, and drop empty clusters from the labels and the models."""
    widths = [model.n_clusters for model in models]
    labels = keep_labels(label_rows(X, models, n_jobs, known), max(widths))
    sizes = np.split(cluster_sizes(labels, widths), np.cumsum(widths)[:-1])
    if all(own.all() for own in sizes):
        return labels, list(models)
    # the new number of a cluster is the number of nonempty clusters before it
    names = [np.append(np.cumsum(own > 0) - 1, [MISSING, NOISE]) for own in sizes]
    shrunk = [model.keep(np.flatnonzero(own)) for model, own in zip(models, sizes, strict=True)]
    return keep_labels(rename_clusters(labels, names), max(widths)), shrunk
