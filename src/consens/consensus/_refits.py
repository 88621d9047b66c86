"""What a fit of another sample with other members would give, from resampled members.

`confidence_` and `stability_` of all methods come from here.  A *refit* is a partition that the
same method gives for members drawn with replacement and for nine tenths of the objects; its
clusters are matched one-to-one with those of the answer, by the number of objects they share.
These refits share their members, so that they agree too well where other members would see
something else.  Where the features are at hand, fits of samples with members of their own, made
until their mean agreement is known, tell on which scale to read them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt
from typing import Any, NamedTuple

import numpy as np

from consens._blocks import load, map_rows, split_like, take_rows
from consens._labels import (
    MISSING,
    NOISE,
    Profiles,
    abstain,
    cluster_shares,
    contingency,
    count_distinct_rows,
    in_a_cluster,
    is_noise,
    match,
    nearest_cluster,
    profiles,
)
from consens._support.seeds import spawn_seeds
from consens.ensemble import Ensemble, payload_rows
from consens.measure.agreement import ari
from consens.measure.confidence import object_margin
from consens.partition import cut

#: Refits, and those by slow methods.
N_REFITS = 20
N_SLOW_REFITS = 8

#: Weight of the agreement of the members in the confidence of an object, because refits are few;
#: and how much objects differ by it that all refits agree on.
MEMBERS_WEIGHT = 0.5
SHADE = 1e-3

#: Weight of the rising curve from refits to fits of samples; the rest is a shift, which keeps the
#: order of objects.
CURVE_WEIGHT = 0.7

SAMPLES_WEIGHT = 0.8  # weight of the fits of samples in the stability

#: Fits of samples: fewest, fewest for an answer that needed many members, and most; and the same
#: of many objects.  In between they are made until the standard error of their mean agreement is
#: small; that of a single fit is taken to be its disagreement.
FITS = 4, 6, 10
FITS_OF_MANY = 1, 3, 3
MOST_FITS = 10
MANY_MEMBERS = 128
MANY_OBJECTS = 1000
STANDARD_ERROR = 0.02

#: Draws that a refit combines, and refits by another recipe.
DRAWS_PER_REFIT = 7
N_REFITS_OF_RIVAL = 5

SHARE = 0.9  # share of the objects in a refit

#: Objects that a refit combines at most; others go to the cluster they are most associated with.
MAX_REFITTED = 500

#: Objects for which refits are compared with the answer; the confidence of others follows from
#: their association with the clusters.
MAX_COMPARED = 2000

#: Jaccard coefficients above and below which a cluster is called stable or dissolved (Hennig).
STABLE, DISSOLVED = 0.85, 0.6

_SEED = 0


@dataclass(frozen=True)
class Stability:
    """How far a fit of another sample with other members would give the same answer.

    Attributes
    ----------
    ari : float
        Expected adjusted Rand index between the answer and a refit.
    interval : tuple of two floats
        Range that holds the adjusted Rand index of nine refits in ten.
    clusters : ndarray of shape (n_clusters_,)
        Expected Jaccard coefficient of each cluster with the most similar cluster of a refit.

    References
    ----------
    C. Hennig, "Cluster-wise assessment of cluster stability", Computational Statistics & Data
    Analysis 52, 2007. doi:10.1016/j.csda.2006.11.025
    """

    ari: float
    interval: tuple[float, float]
    clusters: np.ndarray

    @property
    def words(self) -> list[str]:
        """Word for each cluster: stable, doubtful or dissolved."""
        return [
            "stable" if value > STABLE else "dissolved" if value < DISSOLVED else "doubtful"
            for value in self.clusters.tolist()
        ]


class Refits(NamedTuple):
    """Partitions of the compared objects by refits (one column each) and by the answer.

    ``rows`` are the numbers of these objects, ``weights`` the probabilities of the refits, and
    ``samples`` the partitions by fits of samples of the objects, if there are any.
    """

    partitions: np.ndarray
    answer: np.ndarray
    rows: np.ndarray
    weights: np.ndarray
    samples: np.ndarray | None = None

    def confidence(self, margin: np.ndarray) -> np.ndarray:
        """Probability that a fit of another sample puts each object in its cluster.

        The mean of the share of the refits that do and of its rising function of the margin of
        the members, which knows more about single objects than a few refits; then on the scale of
        the fits of samples.
        """
        shares = matched_share(self.partitions, self.answer, self.weights)
        inside = np.flatnonzero(self.answer >= 0)
        if self.answer.max(initial=-1) < 1 or not len(inside):
            return shares
        own, margin = shares[inside], margin[inside]
        by_members = np.interp(margin, *rising_curve(margin, own)) - SHADE * (1 - margin)
        own = (1 - MEMBERS_WEIGHT) * own + MEMBERS_WEIGHT * by_members
        if self.samples is not None and self.samples.shape[1]:
            own = self._on_scale(own, inside)
        shares[inside] = np.clip(own, 0.0, 1.0)
        return shares

    def _on_scale(self, shares: np.ndarray, inside: np.ndarray) -> np.ndarray:
        """Read shares of refits of some objects as shares of the fits of samples."""
        assert self.samples is not None
        known, agrees = [], []
        for column in self.samples.T:
            seen = column != MISSING
            same = np.zeros(len(column))
            same[seen] = match(column[seen], self.answer[seen]) == self.answer[seen]
            known.append(shares[seen[inside]])
            agrees.append(same[inside[seen[inside]]])
        x, y = np.concatenate(known), np.concatenate(agrees)
        if np.cov(x, y)[0, 1] < 0:  # the fits contradict the order
            return np.full(len(shares), y.mean())
        curve = np.interp(shares, *rising_curve(x, y))
        shifted = np.clip(shares + y.mean() - x.mean(), 0.0, 1.0)
        return CURVE_WEIGHT * curve + (1 - CURVE_WEIGHT) * shifted

    def with_samples(self, samples: Iterable[np.ndarray], n_members: int) -> Refits:
        """Add fits of samples, one after the other, until their mean agreement is known."""
        few, several, most = FITS if len(self.rows) <= MANY_OBJECTS else FITS_OF_MANY
        fewest = several if n_members > MANY_MEMBERS else few
        found, shares = [], []
        for column in samples:
            seen = column != MISSING
            own = self.answer[seen]
            found.append(column)
            shares.append(np.mean(match(column[seen], own) == own))
            n = len(found)
            spread = np.std(shares, ddof=1) if n > 1 else 1 - shares[0]
            known = n >= fewest and spread <= STANDARD_ERROR * sqrt(n)
            if known or n == most:
                break
        return self._replace(samples=np.column_stack(found) if found else None)

    def stability(self) -> Stability:
        """Compare the refits with the answer as a whole, and cluster by cluster."""
        k = int(self.answer.max(initial=-1)) + 1
        indices, overlaps = [], []
        partitions, weights = self.partitions, self.weights
        if self.samples is not None and self.samples.shape[1]:
            n_fits = self.samples.shape[1]
            partitions = np.column_stack([partitions, self.samples])
            parts = (1 - SAMPLES_WEIGHT) * weights, np.full(n_fits, SAMPLES_WEIGHT / n_fits)
            weights = np.concatenate(parts)
        for column in partitions.T:
            seen = (column != MISSING) & (self.answer != MISSING)
            own, other = self.answer[seen], column[seen]
            indices.append(ari(own, other))
            overlaps.append(best_jaccard(own, other, k))
        n_refits = len(self.weights)
        order = np.argsort(indices[:n_refits], kind="stable")
        below = np.cumsum(self.weights[order])
        low, high = (indices[order[np.searchsorted(below, q - 1e-9)]] for q in (0.05, 0.95))
        of_samples = indices[n_refits:]
        known = ~np.isnan(overlaps)
        each = weights[:, None] * known
        return Stability(
            min(1.0, float(weights @ indices)),
            (float(min([low, *of_samples])), float(max([high, *of_samples]))),
            (each * np.where(known, overlaps, 0.0)).sum(axis=0) / each.sum(axis=0),
        )


def matched_share(
    partitions: np.ndarray, labels: np.ndarray, weights: np.ndarray | None = None
) -> np.ndarray:
    """Share of the partitions whose cluster of an object is matched with its own cluster.

    Partitions that lack the object are left out.
    """
    same, seen = np.zeros(len(labels)), np.zeros(len(labels))
    weights = np.ones(partitions.shape[1]) if weights is None else weights
    for column, weight in zip(partitions.T, weights, strict=True):
        inside = column != MISSING
        same[inside] += weight * (match(column[inside], labels[inside]) == labels[inside])
        seen += weight * inside
    return np.divide(same, seen, out=np.zeros(len(labels)), where=seen > 0)


def best_jaccard(labels: np.ndarray, other: np.ndarray, n_clusters: int) -> np.ndarray:
    """Jaccard coefficient of each cluster with the most similar one of another partition.

    NaN for clusters without objects.

    Examples
    --------
    >>> import numpy as np
    >>> from consens.consensus._refits import best_jaccard
    >>> best_jaccard(np.array([0, 0, 0, 1, 1]), np.array([1, 1, 0, 0, 0]), 2).round(2)
    array([0.67, 0.67])
    """
    shared = np.zeros((n_clusters, max(int(other.max(initial=-1)) + 1, 1)))
    found = contingency(labels, other).toarray()
    shared[: found.shape[0], : found.shape[1]] = found
    own = np.bincount(labels[labels >= 0], minlength=n_clusters)
    others = np.bincount(other[other >= 0], minlength=shared.shape[1])
    union = own[:, None] + others[None, :] - shared
    jaccard = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0).max(axis=1)
    return np.where(own > 0, jaccard, np.nan)


def resampled(consensus: Any, answers: Mapping[int, Any]) -> dict[int, Refits]:
    """Refits of a fitted consensus with each number of clusters, given its answers.

    A method with a tree makes one tree for all numbers, and cuts it.
    """
    rows, compared = _compared(consensus.ensemble_)
    n, n_members = compared.shape
    n_refits = N_SLOW_REFITS if consensus._slow else N_REFITS
    found = {k: np.full((n, n_refits), MISSING, dtype=np.int32) for k in answers}
    for r, seed in enumerate(spawn_seeds(_SEED, n_refits)):
        rng = np.random.default_rng(seed)
        members = np.sort(rng.integers(0, n_members, n_members))
        taken = np.sort(rng.choice(n, ceil(SHARE * n), replace=False))
        for k, labels in _refit(
            consensus, compared[taken][:, members], list(answers), seed
        ).items():
            found[k][taken, r] = labels
    weights = np.full(n_refits, 1 / n_refits)
    return {
        k: Refits(
            partitions,
            take_rows(split_like(answers[k], consensus.ensemble_.labels), rows),
            rows,
            weights,
        )
        for k, partitions in found.items()
    }


def _compared(ensemble: Ensemble) -> tuple[np.ndarray, Ensemble]:
    """Numbers of the objects that refits are compared for, and these objects."""
    rows = some_rows(len(ensemble), MAX_COMPARED)
    if len(rows) == len(ensemble) and isinstance(ensemble.labels, np.ndarray):
        return rows, ensemble
    payload = payload_rows(ensemble.payload, lambda value: take_rows(value, rows))
    return rows, Ensemble(take_rows(ensemble.labels, rows), ensemble.records, payload)


def some_rows(n: int, most: int) -> np.ndarray:
    """Numbers of at most `most` of n objects, drawn at random, in ascending order."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(_SEED).choice(n, most, replace=False))


def _refit(
    consensus: Any, sample: Ensemble, numbers: Sequence[int], seed: int
) -> dict[int, np.ndarray]:
    """Labels of the objects of a sample by a fit to at most `MAX_REFITTED` of them."""
    labels = sample.matrix
    clustered = in_a_cluster(labels)
    usable = np.flatnonzero(
        clustered if consensus.noise == "assign" else clustered & ~is_noise(labels)
    )
    result = {k: np.where(clustered, NOISE, MISSING).astype(np.int32) for k in numbers}
    if len(usable) < 2:
        for partition in result.values():
            partition[usable] = 0
        return result
    few = usable[some_rows(len(usable), MAX_REFITTED)]
    known = sample[few]
    most = count_distinct_rows(abstain(known.matrix))
    again = consensus._for_refit(seed)
    for k, partition in result.items():
        if len(getattr(again, "linkage_", ())):
            own = again.label_all(cut(again.linkage_, min(k, most)))
        else:
            again.set_params(n_clusters=min(k, most))
            own = again.fit(known).labels_
        if len(few) < len(usable):
            spread = profiles(abstain(known.matrix), own)
            partition[usable] = nearest_cluster(abstain(labels[usable]), spread)
        partition[few] = own
    return result


class Rivals(NamedTuple):
    """Other recipes that a refit may choose.

    ``rows`` are the numbers of the objects on which recipes competed, ``draws`` the partitions of
    the draws of each rival, ``chances`` the probabilities that a refit chooses it.
    """

    rows: np.ndarray
    draws: list[np.ndarray]
    chances: list[float]

    def among(self, objects: np.ndarray) -> Rivals:
        """Restrict the objects to some, and number them by their places among these."""
        _, places, own = np.intersect1d(objects, self.rows, return_indices=True)
        return Rivals(places, [draws[own] for draws in self.draws], self.chances)


def redrawn(
    draws: np.ndarray,
    answer: np.ndarray,
    rows: np.ndarray,
    rivals: Rivals | None,
    combine: Callable[[np.ndarray], np.ndarray],
    smooth: Callable[[np.ndarray], np.ndarray] | None = None,
) -> Refits:
    """Refits by few draws, for a method that combines the partitions of many draws.

    A refit of nine tenths of the objects by `DRAWS_PER_REFIT` of the draws varies about as much
    as one by new members, and costs little.

    Parameters
    ----------
    draws : ndarray of shape (n, T)
    answer : labels of n objects
    rows : numbers of these objects
    rivals : Rivals, optional
    combine : function from partitions of draws to labels
    smooth : function, optional
        Labels by a refit to some objects, given their numbers among the n; instead of draws.
    """
    here = some_rows(len(rows), MAX_COMPARED)
    if rivals is not None:
        here = np.union1d(here, np.flatnonzero(np.isin(rows, rivals.rows)))
    draws, answer, rows = draws[here], answer[here], rows[here]
    rng = np.random.default_rng(_SEED)

    def from_draws(draws: np.ndarray, taken: np.ndarray) -> np.ndarray:
        n_draws = draws.shape[1]
        some = np.sort(rng.choice(n_draws, min(DRAWS_PER_REFIT, n_draws), replace=False))
        return combine(draws[np.ix_(taken, some)])

    refit = partial(from_draws, draws) if smooth is None else lambda taken: smooth(here[taken])
    partitions = [_refit_sample(len(rows), rng, refit) for _ in range(N_REFITS)]
    chances = [1.0] if rivals is None else [1 - sum(rivals.chances), *rivals.chances]
    weights = [chances[0] / N_REFITS] * N_REFITS
    if rivals is not None:
        at = np.flatnonzero(np.isin(rows, rivals.rows))
        among = np.searchsorted(rivals.rows, rows[at])
        for other, chance in zip(rivals.draws, rivals.chances, strict=True):
            for _ in range(N_REFITS_OF_RIVAL if chance > 0 else 0):
                column = np.full(len(rows), MISSING, dtype=np.int32)
                refit = partial(from_draws, other[among])
                column[at] = _refit_sample(len(at), rng, refit)
                partitions.append(column)
                weights.append(chance / N_REFITS_OF_RIVAL)
    return Refits(np.column_stack(partitions), answer, rows, np.array(weights))


def _refit_sample(
    n: int, rng: np.random.Generator, refit: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Labels of n objects by a refit to some of them, given their numbers."""
    labels = np.full(n, MISSING, dtype=np.int32)
    taken = np.sort(rng.choice(n, ceil(SHARE * n), replace=False))
    labels[taken] = refit(taken)
    return labels


def transferred(refits: Refits, members: Any, labels: Any) -> Any:
    """Confidence of all objects, those that were not compared by their association with clusters.

    The confidence of these is that of compared objects with the same share of their cluster in
    the association with all clusters, by isotonic regression.
    """
    compared = members if len(refits.rows) == len(members) else take_rows(members, refits.rows)
    shares = refits.confidence(object_margin(Ensemble(load(compared)), refits.answer))
    if len(refits.rows) == len(labels):
        return split_like(shares, members)
    members = abstain(members)
    spread = profiles(members, labels)
    curve = rising_curve(own_share(take_rows(members, refits.rows), spread), shares)
    known = np.full(len(labels), np.nan)
    known[refits.rows] = shares
    return map_rows(
        lambda rows, share: np.where(np.isnan(share), on_curve(rows, spread, curve), share),
        members,
        split_like(known, members),
    )


def rising_curve(shares: np.ndarray, confidence: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nodes of the rising function of the share that is nearest to the confidence."""
    from sklearn.isotonic import IsotonicRegression

    fitted = IsotonicRegression(out_of_bounds="clip").fit(shares, confidence)
    return fitted.X_thresholds_, fitted.y_thresholds_


def own_share(labels: np.ndarray, spread: Profiles) -> np.ndarray:
    """Share of the likeliest cluster of each row."""
    return np.asarray(cluster_shares(labels, spread).max(axis=1))


def on_curve(
    labels: np.ndarray, spread: Profiles, curve: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """Confidence of rows by the share of their cluster."""
    return np.interp(own_share(labels, spread), *curve)
