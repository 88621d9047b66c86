"""Latent-class consensus: EM for a mixture over label vectors (Topchy, Jain and Punch 2005)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from consens._labels import (
    canonical_members,
    first_seen_order,
    indicator,
    n_clusters_per_member,
    offsets,
    unique_rows,
)
from consens._numerics.empty import fill_empty
from consens._numerics.seeding import far_rows
from consens._params import COUNT_RULE, Interval, rules
from consens._support.seeds import Seed, spawn_seeds
from consens.consensus._base import BaseConsensus
from consens.ensemble import Ensemble

LEAST_PROBABILITY = 1e-300  # its logarithm is finite


class LatentEM(BaseConsensus):
    """Latent classes: fits a mixture of multinomials whose components are the clusters.

    The labels of an object are modelled as independent draws from its component, one per member:
    with mixing proportions α and probabilities θ_jm(c) that component m gets label c from member
    j,

        p(y_i) = Σ_m α_m Π_j θ_jm(y_ij),

    fitted by maximum likelihood with EM.  The E-step computes the probabilities of the components
    for each object, the M-step sets α and θ to the shares that these probabilities imply.

    Parameters
    ----------
    n_clusters : int, optional
        None chooses the number from 1 to `max_clusters` with the smallest BIC.  This is sound if
        the model holds, that is, if members err independently of each other.  Partitions of the
        same features into too many clusters agree within a cluster as well, and BIC mistakes that
        for more clusters (for three Gaussians and k-means with k in [2, 10] it chooses 6 to 8):
        set the number then.
    max_clusters : int
        Largest number to consider if `n_clusters` is None.
    n_init : int
        Number of starts; the one with the largest likelihood is kept.
    max_iter : int
        Maximum number of iterations per start.
    tol : float
        Stop when an iteration adds less than this to the mean log-likelihood.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The most probable component; -1 for objects that no partition put in a cluster.
    n_clusters_ : int
    probabilities_ : ndarray
        Probabilities of the components (columns, by cluster number) for the objects with a
        cluster in at least one partition (rows, in their order).
    mixing_ : ndarray
        α.
    log_likelihood_ : float
        Of all labels, at the end of the best start.
    bic_ : float
        -2 log-likelihood + (number of free parameters) · log n.
    bics_ : dict
        BIC of each number of clusters that was considered.
    n_iter_ : int
    {combined}

    Notes
    -----
    Use it when members err independently of each other, such as annotators or partitions of
    different data, or when you need probabilities.  Members made from the same features share
    their errors, which makes the probabilities overconfident.

    Missing labels are left out of the likelihood, as in the paper.  So is noise: two objects that
    a member puts in no cluster need not belong together, as a category for noise would imply.  A
    start draws k distant label vectors as centres by k-means++ and assigns each object mostly to
    the nearest.  A component without objects at the end gets the object that the mixture explains
    least.

    O(t·n·M·k) time for t iterations, over distinct label vectors only; memory of O(n·(M + k)).
    Names and order of the partitions do not matter.  Repeating every partition squares the
    likelihoods, so an object between two components may change sides.

    References
    ----------
    A. Topchy, A. Jain and W. Punch, "Clustering ensembles: models of consensus and weak
    partitions", IEEE TPAMI 27(12), 2005. doi:10.1109/TPAMI.2005.237

    {five_objects}
    >>> from consens.consensus import LatentEM
    >>> em = LatentEM(n_clusters=2, random_state=0).fit(labels)
    >>> em.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> em.mixing_.round(2)
    array([0.6, 0.4])
    """

    _parameter_constraints = rules(
        n_clusters=[*COUNT_RULE, None],
        max_clusters=COUNT_RULE,
        tol=[Interval(Real, 0, None, closed="left")],
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        max_clusters: int = 10,
        n_init: int = 5,
        max_iter: int = 100,
        tol: float = 1e-5,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.max_clusters = max_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        labels, _ = canonical_members(ensemble.labels)
        labels = labels[:, n_clusters_per_member(labels) > 0]
        rows, inverse, counts = unique_rows(labels)
        vectors = LabelVectors.of(rows, counts)
        if self.n_clusters is None:
            numbers = range(1, min(self.max_clusters, len(rows)) + 1)
        else:
            numbers = range(int(self.n_clusters), int(self.n_clusters) + 1)
        seeds = spawn_seeds(self.random_state, self.n_init)
        fits = {}
        for k in numbers:
            starts = (vectors.start(k, np.random.default_rng(seed)) for seed in seeds)
            found = (expectation_maximization(vectors, s, self.max_iter, self.tol) for s in starts)
            fits[k] = max(found, key=lambda fit: fit.log_likelihood)
        self.bics_ = {k: fit.bic(vectors) for k, fit in fits.items()}
        best = fits[min(self.bics_, key=self.bics_.__getitem__)]

        # an empty component gets the vector that is explained least
        components = fill_empty(best.probabilities.argmax(axis=1), best.evidence, len(best.mixing))
        components = components[inverse]
        named = first_seen_order(components)
        order = components[np.unique(named, return_index=True)[1]]  # component of cluster 0, 1, ..
        self.probabilities_ = best.probabilities[inverse][:, order]
        self.mixing_ = best.mixing[order]
        self.log_likelihood_ = best.log_likelihood
        self.bic_ = best.bic(vectors)
        self.n_iter_ = best.n_iter
        return named


@dataclass(frozen=True)
class LabelVectors:
    """Distinct label vectors, as rows of labels and as an indicator matrix over all clusters."""

    rows: np.ndarray
    counts: np.ndarray
    clusters: csr_array  # vectors by clusters
    objects: csr_array  # clusters by vectors
    member: np.ndarray  # of each cluster
    starts: np.ndarray  # first cluster of each member
    n_clusters: np.ndarray  # of each member

    @classmethod
    def of(cls, rows: np.ndarray, counts: np.ndarray) -> Self:
        """Prepare the rows of a label matrix for the EM steps."""
        sizes = n_clusters_per_member(rows)
        member = np.repeat(np.arange(len(sizes)), sizes)
        clusters = indicator(rows)
        objects = clusters.T.tocsr()
        counts = counts.astype(np.float64)
        return cls(rows, counts, clusters, objects, member, offsets(rows)[:-1], sizes)

    def start(self, k: int, rng: np.random.Generator) -> np.ndarray:
        """Initial probabilities of the components: 0.9 for the nearest centre."""
        found = far_rows(lambda rows: self._distance(rows[0])[:, None], self.counts, k, rng)
        chosen, columns = zip(*found, strict=True)
        distances = np.column_stack(columns)
        distances[chosen, np.arange(k)] = -1.0  # a centre belongs to itself
        probabilities = np.full(distances.shape, 0.1 / k)
        probabilities[np.arange(len(self.rows)), distances.argmin(axis=1)] += 0.9
        return probabilities

    def _distance(self, row: int) -> np.ndarray:
        """Share of differing labels among the members that clustered both objects."""
        known = (self.rows >= 0) & (self.rows[row] >= 0)
        differing = (known & (self.rows != self.rows[row])).sum(axis=1)
        shared = known.sum(axis=1)
        return np.divide(differing, shared, out=np.ones(len(self.rows)), where=shared > 0)


@dataclass(frozen=True)
class Mixture:
    """One fitted mixture."""

    mixing: np.ndarray
    theta: np.ndarray
    probabilities: np.ndarray
    evidence: np.ndarray  # log p(y) of each distinct vector
    log_likelihood: float
    n_iter: int

    def bic(self, vectors: LabelVectors) -> float:
        """Bayesian information criterion; smaller is better."""
        k = len(self.mixing)
        n_parameters = (k - 1) + k * int((vectors.n_clusters - 1).sum())
        penalty = n_parameters * np.log(vectors.counts.sum())
        return float(penalty - 2.0 * self.log_likelihood)


def expectation_maximization(
    vectors: LabelVectors, probabilities: np.ndarray, max_iter: int, tol: float
) -> Mixture:
    """Alternate M- and E-steps from given probabilities of the components."""
    enough = min(tol, 1e100) * vectors.counts.sum()
    log_likelihood, gain, n_iter = -np.inf, np.inf, 0
    while n_iter < max_iter and gain >= enough:
        mixing, theta = maximize(vectors, probabilities)
        probabilities, evidence = expect(vectors, mixing, theta)
        before, log_likelihood = log_likelihood, float(vectors.counts @ evidence)
        gain, n_iter = log_likelihood - before, n_iter + 1
    return Mixture(mixing, theta, probabilities, evidence, log_likelihood, n_iter)


def maximize(vectors: LabelVectors, probabilities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """M-step: α_m, and θ_jm(c) for the clusters c of all members, one column per component."""
    weighted = probabilities * vectors.counts[:, None]
    together = vectors.objects @ weighted
    labelled = np.add.reduceat(together, vectors.starts)
    # a component whose objects a member never clustered has uniform θ
    theta = np.where(labelled > 0, 0.0, 1.0 / vectors.n_clusters[:, None])[vectors.member]
    np.divide(together, labelled[vectors.member], out=theta, where=theta == 0)
    return weighted.sum(axis=0) / vectors.counts.sum(), theta


def expect(
    vectors: LabelVectors, mixing: np.ndarray, theta: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """E-step: probabilities of the components given the labels, and log p of the labels."""
    joint = vectors.clusters @ np.log(np.maximum(theta, LEAST_PROBABILITY))
    joint += np.log(np.maximum(mixing, LEAST_PROBABILITY))
    # log-sum-exp: products of many small probabilities underflow, their logarithms do not
    largest = joint.max(axis=1, keepdims=True)
    np.exp(joint - largest, out=joint)
    total = joint.sum(axis=1, keepdims=True)
    joint /= total
    return joint, (largest + np.log(total))[:, 0]
