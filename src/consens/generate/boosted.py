"""Boosted k-means: each member prefers objects that earlier members assigned with doubt."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from consens._blocks import map_rows
from consens._labels import compact, partners
from consens._params import COUNT_RULE, one_of, rules
from consens._support.seeds import Seed, spawn_seeds
from consens._support.threads import one_thread
from consens.generate._base import BaseGenerator
from consens.generate._plan import Plan, Sample, Trained
from consens.generate._sizes import sample_size
from consens.generate.kmeans_ensemble import NO_CENTERS, STARTS, Centers, fit_kmeans

SMALLEST_LOSS = 1e-6  # a loss of 0 would give an infinite weight


class BoostedKMeans(BaseGenerator):
    """Run k-means on samples that prefer objects with an uncertain cluster.

    Member t is k-means on objects drawn with replacement with probabilities w_t.  The
    memberships h_ij, the inverse distances of object i to the centres divided by their sum,
    define a doubt D_i for each object, a pseudoloss, a weight, and the next probabilities::

        D_t(i) = 1 - max_j h_ij + min_j h_ij,
        ε_t = ½ Σ_i w_t(i) D_t(i),    β_t = (1 - ε_t) / ε_t,
        w_{t+1}(i) ∝ w_t(i) β_t^{D_t(i)}

    The member's weight in the final vote is log β_t: `consens.consensus.Voting` uses it.

    Parameters
    ----------
    {n_estimators}
    n_clusters : int, default=8
        Clusters of each member, the same for all, whose memberships are averaged.
    {kmeans_init}
    n_iter_no_change : int or None, default=None
        Stop after this many members in a row whose pseudoloss is below the largest one; the paper
        uses 3.
    max_samples : int, float or None, default=None
        Number of objects drawn for each member, or their share; None draws n.
    random_state : int, RandomState or None, default=None
        More members continue the same sequence.

    {generator_attributes}
    sample_weights_ : ndarray of shape (n,)
        The probabilities w after the last member.
    memberships_ : ndarray of shape (n, n_clusters)
        The aggregate of the paper: the mean of the memberships, weighted by log β_t; each member
        is relabelled to match the aggregate so far.
    labels_ : ndarray of shape (n,)
        The cluster with the largest aggregated membership.

    Notes
    -----
    The paper's aggregate (`labels_`) depends on the order of the members; `Voting` relabels all of
    them to match one reference.

    O(M·n·k·d·t) time for t sweeps, one member after another; memory for the labels and a copy of
    the drawn objects.

    References
    ----------
    D. Frossyniotis, A. Likas and A. Stafylopatis, "A clustering method based on boosting",
    Pattern Recognition Letters 25 (2004) 641-654. doi:10.1016/j.patrec.2003.12.018

    Examples
    --------
    >>> from consens.consensus import Voting
    >>> from consens.datasets import make_two_gaussians
    >>> from consens.generate import BoostedKMeans
    >>> from consens.measure import error_rate
    >>> X, y = make_two_gaussians(random_state=0)
    >>> E = BoostedKMeans(10, n_clusters=2, random_state=0).fit_transform(X)
    >>> bool((E.weights > 0).all())
    True
    >>> error_rate(y, Voting(2).fit_predict(E)) < 0.01
    True
    """

    _parameter_constraints = rules(
        init=one_of(*STARTS),
        n_iter_no_change=[*COUNT_RULE, None],
    )

    n_jobs = None  # a member depends on earlier ones
    _in_blocks = _sparse = False

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        n_clusters: int = 8,
        init: str = "objects",
        n_iter_no_change: int | None = None,
        max_samples: int | float | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_clusters = n_clusters
        self.init = init
        self.n_iter_no_change = n_iter_no_change
        self.max_samples = max_samples
        self.random_state = random_state

    def _plans(self, X: Any) -> list[Plan]:
        n = X.shape[0]
        size = sample_size("max_samples", self.max_samples, n, "objects") or n
        if self.n_clusters > size:
            raise ValueError(f"n_clusters={self.n_clusters} is more than the {size} drawn objects")
        parameters = {"n_clusters": self.n_clusters, "max_samples": size, "init": self.init}
        plans = []
        for seed in spawn_seeds(self.random_state, self.n_estimators):
            fit = partial(
                fit_kmeans,
                view=Centers(NO_CENTERS),
                k=self.n_clusters,
                seed=seed,
                init=self.init,
            )
            sample = Sample(np.random.default_rng(seed), n, size)
            plans.append(Plan(fit, "BoostedKMeans", seed, sample, parameters))
        return plans

    def _fit_members(self, X: Any, plans: Sequence[Plan]) -> list[list[Trained]]:
        """Train the members in sequence: each draws by the doubts of the earlier ones."""
        n = X.shape[0]
        weights, fitted = np.full(n, 1.0 / n), list[Trained]()
        aggregate = np.zeros((n, self.n_clusters))
        largest_loss, n_below = 0.0, 0
        self._notify(0, len(plans))
        with one_thread():
            for plan in plans:
                drawn = plan.sample.rng.choice(n, len(plan.sample), p=weights)
                model: Any = plan.train(X[np.sort(drawn)])[0].model
                numbers = model.label(X)
                model = model.keep(np.flatnonzero(np.bincount(numbers)))
                labels, belongs = compact(numbers), memberships(X, model.centers)
                loss, weights = reweigh(weights, doubts(belongs))
                weight = float(np.log((1 - loss) / loss))
                names = matching_columns(labels, aggregate)
                aggregate[:, names] += weight * belongs
                fitted.append(Trained(model, {"weight": weight, "pseudoloss": loss}, labels))
                self._notify(len(fitted), len(plans))
                n_below = n_below + 1 if loss < largest_loss else 0
                largest_loss = max(loss, largest_loss)
                if n_below == self.n_iter_no_change:
                    break
        self.sample_weights_ = weights
        self.memberships_ = aggregate / aggregate.sum(axis=1, keepdims=True)
        self.labels_ = compact(aggregate.argmax(axis=1))
        return [[one] for one in fitted]


def matching_columns(labels: np.ndarray, aggregate: np.ndarray) -> np.ndarray:
    """Match each cluster with the column of the aggregate that it overlaps most."""
    n_clusters, k = labels.max() + 1, aggregate.shape[1]
    if not aggregate.any():
        return np.arange(n_clusters)
    overlap = np.bincount(labels * k + aggregate.argmax(axis=1), minlength=n_clusters * k)
    return partners(overlap.reshape(-1, k))


def memberships(X: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Inverse distances to the centres, scaled to sum 1; a row at a centre belongs to it alone."""

    def of_rows(rows: np.ndarray) -> np.ndarray:
        distance = np.column_stack([np.sqrt(np.square(rows - c).sum(axis=1)) for c in centers])
        closest = distance.min(axis=1, keepdims=True)
        inverse = np.divide(closest, distance, out=np.ones_like(distance), where=distance > 0)
        return inverse / inverse.sum(axis=1, keepdims=True)

    return map_rows(of_rows, X, bytes_per_row=8 * (X.shape[1] + 4 * len(centers)))


def doubts(memberships: np.ndarray) -> np.ndarray:
    """How undecided each object is between the clusters, in [0, 1]."""
    if memberships.shape[1] == 1:
        return np.zeros(len(memberships))
    return 1.0 - memberships.max(axis=1) + memberships.min(axis=1)


def reweigh(weights: np.ndarray, in_doubt: np.ndarray) -> tuple[float, np.ndarray]:
    """Pseudoloss of a member, and the probabilities of drawing objects for the next."""
    loss = float(np.clip(0.5 * weights @ in_doubt, SMALLEST_LOSS, 0.5))
    raised = weights * ((1 - loss) / loss) ** in_doubt
    return loss, raised / raised.sum()
