"""Co-association of objects with clusters, and sums over the clusters of an object."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from consens._blocks import C, Collection, map_rows, sum_rows
from consens._kernels import repeats, worth_compiling
from consens._labels.codes import MISSING, NOISE, n_clusters_per_member
from consens._labels.overlap import indicator, offsets_of_widths, shared_objects


class Profiles(NamedTuple):
    """Distribution of the clusters of one partition over the clusters of an ensemble.

    ``together[c, k]`` counts the objects of partition cluster k in ensemble cluster c,
    ``seen[m, k]`` those that member m has seen, ``sizes[k]`` all objects of cluster k.
    """

    together: np.ndarray
    seen: np.ndarray
    sizes: np.ndarray
    offsets: np.ndarray


def profiles(labels: Collection, partition: Any, n_clusters: int | None = None) -> Profiles:
    """Count the objects that clusters of `partition` share with the clusters of an ensemble."""
    widths = n_clusters_per_member(labels)
    if n_clusters is None:
        n_clusters = int(n_clusters_per_member(partition)[0])
    count = partial(_counts, widths, n_clusters)
    counts = sum_rows(count, labels, partition, bytes_per_row=8 * labels.shape[1])
    return Profiles(*counts, offsets_of_widths(widths))


def _counts(
    widths: np.ndarray, k: int, labels: np.ndarray, partition: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    together = shared_objects(labels, partition, widths, np.array([k])).toarray()
    sizes = np.bincount(partition[partition >= 0], minlength=k)
    seen = np.repeat(sizes[None].astype(np.float64), labels.shape[1], axis=0)
    for count, column in zip(seen, labels.T, strict=True):
        unseen = partition[(column == MISSING) & (partition >= 0)]
        if len(unseen):
            count -= np.bincount(unseen, minlength=k)
    return together.astype(np.float64), seen, sizes


def association(labels: np.ndarray, spread: Profiles) -> tuple[np.ndarray, np.ndarray]:
    """Co-association of objects with clusters, as counts: (together, seen), each n × k.

    Sums over the objects of a cluster of the members that put both together, and that saw both.
    Labels that the ensemble never used count as missing.  O(n·M·k) time.
    """
    starts = spread.offsets
    known = labels < np.diff(starts)
    if not known.all():
        labels = np.where(known, labels, MISSING)
    seen = (labels != MISSING).astype(np.float64)
    return cluster_sums(labels, starts, spread.together), seen @ spread.seen


def nearest_cluster(labels: np.ndarray, spread: Profiles) -> np.ndarray:
    """Cluster with the highest mean co-association; `NOISE` for objects without any."""
    together, seen = association(labels, spread)
    mean = np.divide(together, seen, out=np.zeros_like(together), where=seen > 0)
    return np.where(mean.max(axis=1) > 0, mean.argmax(axis=1), NOISE).astype(np.int32)


def cluster_shares(labels: np.ndarray, spread: Profiles) -> np.ndarray:
    """Share of each cluster in what the labels of an object say about it, n × k.

    A label stands for the clusters in proportion to the share of each that carries it, so that
    clusters of any size, and members with few or many clusters, count alike.  The result is the
    mean over the members in which the object has a cluster of the ensemble; 0 if there is none.
    """
    starts = spread.offsets
    labels = np.where(labels < np.diff(starts), labels, MISSING)
    seen = np.repeat(spread.seen, np.diff(starts), axis=0)
    rates = np.divide(spread.together, seen, out=np.zeros_like(seen), where=seen > 0)
    rates /= np.maximum(rates.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    shares = cluster_sums(labels, starts, rates)
    shares /= np.maximum((labels >= 0).sum(axis=1, keepdims=True), 1)
    return np.asarray(shares)


def likeliest_cluster(labels: np.ndarray, spread: Profiles) -> np.ndarray:
    """Cluster with the largest of `cluster_shares`; `NOISE` for objects without any."""
    shares = cluster_shares(labels, spread)
    # equal shares may differ in the last digit
    first = np.round(shares, 12).argmax(axis=1)
    return np.where(shares.max(axis=1) > 0, first, NOISE).astype(np.int32)


def cluster_sums(labels: C, starts: np.ndarray, table: np.ndarray) -> C:
    """Add up the rows of a table that belong to the clusters of each object: B @ table, n × k."""
    return map_rows(partial(_sums, starts, table), labels, width=table.shape[1])


def _sums(starts: np.ndarray, table: np.ndarray, labels: np.ndarray) -> np.ndarray:
    if not worth_compiling("objects", len(labels) * repeats()):
        product: np.ndarray = indicator(labels, starts=starts) @ table
        return product
    from consens._kernels.contingency import as_members, fill_sums

    sums = np.empty((len(labels), table.shape[1]))
    fill_sums(*as_members(labels), starts, _contiguous(table), sums)
    return sums


def cluster_votes(labels: C, starts: np.ndarray, table: np.ndarray) -> C:
    """Column of the largest of `cluster_sums`, the first within 1e-10 of it, in O(n) memory."""
    return map_rows(partial(_votes, starts, table), labels, dtype=np.int32)


def _votes(starts: np.ndarray, table: np.ndarray, labels: np.ndarray) -> np.ndarray:
    tolerance = 1e-10
    if not worth_compiling("objects", len(labels)):
        sums = _sums(starts, table, labels)
        highest = sums.max(axis=1, keepdims=True)
        enough = sums >= highest - tolerance * np.abs(highest)
        return np.asarray(enough.argmax(axis=1), dtype=np.int32)
    from consens._kernels.contingency import as_members, fill_votes

    winners = np.empty(len(labels), dtype=np.int32)
    fill_votes(*as_members(labels), starts, _contiguous(table), tolerance, winners)
    return winners


def _contiguous(table: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(table, dtype=np.float64)
