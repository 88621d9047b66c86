"""Latent-class consensus: EM for a mixture over label vectors (Topchy, Jain and Punch 2005)."""

from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np

from consens._labels import (
    canonical_members,
    fill_empty,
    first_seen_order,
    n_clusters_per_member,
    unique_rows,
)
from consens._naming import shared_codes, vote_shares
from consens._numerics.latent_classes import LabelVectors, expectation_maximization
from consens._params import COUNT_RULE, Interval, rules
from consens._support.seeds import Seed, spawn_seeds
from consens.consensus._base import BaseConsensus
from consens.ensemble import Ensemble


class LatentEM(BaseConsensus):
    """Latent classes: fits a mixture of multinomials whose components are the clusters.

    The labels of an object are modelled as independent draws from its component, one per member:
    with mixing proportions α and probabilities θ_jm(c) that component m gets label c from member
    j,

        p(y_i) = Σ_m α_m Π_j θ_jm(y_ij),

    fitted by maximum likelihood with EM.

    Parameters
    ----------
    n_clusters : int, optional
        None takes the number of names if all members use the same names, and otherwise the number
        from 1 to `max_clusters` with the smallest BIC, which is sound if members err
        independently; partitions of the same features do not (for three Gaussians and k-means it
        chooses 6 to 8).
    max_clusters : int
        Largest number to consider if `n_clusters` is None; each takes as long as a fit.
    n_init : int
        Number of starts, fewer than for k-means, because EM depends less on them; the one with the
        largest likelihood is kept.
    max_iter : int
        Maximum number of iterations per start.
    tol : float
        Stop when an iteration adds less than this to the mean log-likelihood.
    {seed}

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
    different data, or when you need probabilities, which are overconfident otherwise.

    Missing labels and noise are left out of the likelihood.  A start draws k distant label vectors
    by k-means++.  A component without objects gets the one that the mixture explains least.

    If all members use the same names, as annotators do, this is the model of Dawid and Skene: EM
    starts once, from the shares of the names, unless another number of clusters is given.

    O(t·n·M·k) time for t iterations, over distinct label vectors only; memory of O(n·(M + k)).
    Repeating every partition squares the likelihoods, so objects between components may move.

    References
    ----------
    A. Topchy, A. Jain and W. Punch, "Clustering ensembles: models of consensus and weak
    partitions", IEEE TPAMI 27(12), 2005. doi:10.1109/TPAMI.2005.237
    A. Dawid and A. Skene, "Maximum likelihood estimation of observer error-rates using the EM
    algorithm", Applied Statistics 28(1), 1979. doi:10.2307/2346806

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
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.max_clusters = max_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        labels, _ = canonical_members(ensemble.labels)
        labels = labels[:, n_clusters_per_member(labels) > 0]
        rows, inverse, counts = unique_rows(labels)
        vectors = LabelVectors.of(rows, counts)
        named_start = self._start_from_names(ensemble, inverse, len(rows))
        if named_start is not None:
            numbers = range(named_start.shape[1], named_start.shape[1] + 1)
        elif self.n_clusters is None:
            numbers = range(1, min(self.max_clusters, len(rows)) + 1)
        else:
            numbers = range(int(self.n_clusters), int(self.n_clusters) + 1)
        seeds = spawn_seeds(self.random_state, self.n_init)
        fits = {}
        for k in numbers:
            starts: Iterable[np.ndarray] = (
                vectors.start(k, np.random.default_rng(seed)) for seed in seeds
            )
            if named_start is not None:
                starts = [named_start]
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

    def _start_from_names(
        self, ensemble: Ensemble, inverse: Any, n_rows: int
    ) -> np.ndarray | None:
        """Shares of the names in each distinct label vector, if there is a cluster for each."""
        shared = shared_codes(ensemble)
        if shared is None:
            return None
        _, shares = vote_shares(shared[1], len(shared[0]))
        if self.n_clusters not in (None, shares.shape[1]):
            return None
        start = np.empty((n_rows, shares.shape[1]))
        start[inverse] = shares
        return start
