"""Latent classes: EM for a mixture of multinomials over label vectors."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from consens._labels import indicator, n_clusters_per_member, offsets
from consens._numerics.seeding import far_rows

LEAST_PROBABILITY = 1e-300  # its logarithm is finite


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
