"""Members that are Gaussian mixtures."""

from dataclasses import dataclass, replace
from functools import partial
from math import ceil, log, pi
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils.extmath import randomized_svd

from consens._blocks import map_rows, take_rows
from consens._numerics.kmeans import run_lloyd
from consens._numerics.nearest import nearest
from consens._params import BOOLEAN_RULE, rules
from consens._support.seeds import Seed, spawn_seeds
from consens.ensemble import Ensemble
from consens.generate._base import SampledGenerator
from consens.generate._plan import Model, Plan, Sample, Trained
from consens.generate._sizes import few_clusters, spread_evenly, training_sizes

MAX_FEATURES = 20  # most features of a mixture: with more, it sees as many principal components
OBJECTS_OF_AXES = 1000  # objects that decide on the principal components
#: Share of the objects that a member is trained on, and most objects.
SHARE_OF_MIXTURE = 0.9
MAX_OF_MIXTURE = 1000

#: Share of the mean variance of a feature that is added to the diagonal of covariances.
REGULARIZATION = 0.01

SWEEPS_OF_START = 5
MAX_STEPS = 10

#: Gain in log likelihood per object below which EM stops; labels hardly change any more.
MIN_GAIN = 1e-3

#: Covariances of components, from few parameters to many: one variance for all; one for each
#: component; one for each feature and component; one matrix for all; one for each component.
COVARIANCES = ("ball", "spherical", "diag", "tied", "full")

#: Covariances with correlations, which need the products of all pairs of features.
WITH_PRODUCTS = ("tied", "full")


@dataclass(frozen=True)
class MixtureModel(Model):
    """A member that assigns rows to the component with the largest posterior probability.

    With z = x - `origin`, or x `axes` - `origin`, the logarithm of the weight times the density
    of component j is ``offsets[j] + linear[j] · z + quadratic[j] · products(z)``, but for a
    constant.  With as many columns of ``quadratic`` as features, z² takes the place of the
    products.
    """

    per_cluster: ClassVar[tuple[str, ...]] = ("linear", "quadratic", "offsets")

    linear: np.ndarray
    quadratic: np.ndarray
    offsets: np.ndarray
    origin: np.ndarray
    axes: np.ndarray | None = None

    def label(self, X: Any) -> np.ndarray:
        """Cluster of each row."""
        width = 8 * (2 * X.shape[1] + 3 * self.quadratic.shape[1] + 2 * len(self.offsets))
        return map_rows(self._label, X, bytes_per_row=width, dtype=np.int32)

    def _label(self, rows: Any) -> np.ndarray:
        return self._densities(rows).argmax(axis=1).astype(np.int32)

    def _densities(self, rows: Any) -> np.ndarray:
        rows = project(rows, self.axes) - self.origin
        few = self.quadratic.shape[1] == rows.shape[1]
        return self.log_densities(rows, rows * rows if few else products(rows))

    def memberships(self, X: Any) -> Any:
        """Posterior probability of each cluster for each row."""
        width = 8 * (2 * self.quadratic.shape[1] + 3 * self.n_clusters)
        return map_rows(self._memberships, X, bytes_per_row=width, width=self.n_clusters)

    def _memberships(self, rows: Any) -> np.ndarray:
        densities = self._densities(rows)
        shares = np.exp(densities - densities.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def log_likelihood(self, rows: np.ndarray) -> np.ndarray:
        """Log likelihood of each row, but for a constant."""
        densities = self._densities(rows)
        highest = densities.max(axis=1)
        return np.asarray(highest + np.log(np.exp(densities - highest[:, None]).sum(axis=1)))

    def log_densities(self, rows: np.ndarray, squares: np.ndarray) -> np.ndarray:
        """Logarithm of weight times density of centred rows, but for a constant."""
        densities: np.ndarray = squares @ self.quadratic.T
        densities += rows @ self.linear.T
        densities += self.offsets
        return densities


def project(rows: Any, axes: np.ndarray | None) -> np.ndarray:
    """Coordinates of rows on some axes; without axes, their features."""
    rows = np.asarray(rows, dtype=np.float64)
    return rows if axes is None else rows @ axes


def products(rows: np.ndarray) -> np.ndarray:
    """Products of all pairs of features, i <= j; by feature, because that is much faster."""
    features = np.ascontiguousarray(rows.T)
    return np.concatenate([features[i] * features[i:] for i in range(len(features))]).T


class MixtureEnsemble(SampledGenerator):
    """Fit Gaussian mixtures many times, each time to other objects with another k.

    Components have their own shape and size, so a mixture keeps clusters of different extent
    apart, where k-means cuts the wide one.

    Parameters
    ----------
    {n_estimators}
    n_clusters : int, (low, high) or None, default=None
        Components of each member, which fill a range evenly.  None means 2 to √n / 1.5, at most
        20.
    max_samples : int, float, "bootstrap" or None, default=None
        Number, or share, of the objects that a member is trained on, drawn without
        replacement, or n with replacement ("bootstrap"); None means nine tenths of them, at most
        1,000.  All objects are labelled in any case.
    {sequence_of_members}
    soft : bool, default=False
        Whether the payload of each member holds the memberships of all objects in its clusters,
        8·n·k bytes, for ``soft=True`` of `CSPA`, `MCLA` and `HBGF`.

    {generator_attributes}

    See Also
    --------
    MixedEnsemble : these members together with other kinds.

    Notes
    -----
    Covariances are full.  Of more than 20 features, the members see the first 20 principal
    components of at most 1,000 objects.  A hundredth of the mean variance of the features is added
    to the diagonals.  EM starts from a few sweeps of k-means and ends after ten steps, or when the
    log likelihood rises by less than 0.001 per object: a member need not converge to be of use.

    With s training objects and t steps, a member costs O(t·s·k·d²) time, d <= 20.

    Examples
    --------
    >>> from consens.datasets import make_two_gaussians
    >>> from consens.generate import MixtureEnsemble
    >>> from consens.measure import ari
    >>> X, y = make_two_gaussians(random_state=0)
    >>> E = MixtureEnsemble(1, n_clusters=2, random_state=0).fit_transform(X)
    >>> round(ari(y, E.labels[:, 0]), 2)
    1.0
    """

    _parameter_constraints = rules(soft=BOOLEAN_RULE)
    _model_class = MixtureModel
    _sparse = False

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        n_clusters: int | tuple[int, int] | None = None,
        max_samples: int | float | str | None = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
        soft: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_clusters = n_clusters
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.store = store
        self.soft = soft

    def _ensemble(self, labels: Any, rows: Any, X: Any) -> Ensemble:
        found = super()._ensemble(labels, rows, X)
        if not self.soft:
            return found
        models: list[Any] = [member.model for member in self.members_]
        payload = [{"memberships": model.memberships(rows)} for model in models]
        return replace(found, payload=payload)

    def _plans(self, X: Any) -> list[Plan]:
        n = X.shape[0]
        bounds, size = training_sizes(n, self.n_clusters, self.max_samples)
        if self.n_clusters is None:
            bounds = few_clusters(n if size is None else size)
        return plan_mixtures(X, self.n_estimators, bounds, size, self.random_state)


def plan_mixtures(
    X: Any, n_members: int, bounds: tuple[int, int], size: int | None, random_state: Seed
) -> list[Plan]:
    """Plans of members with numbers of components that fill a range evenly."""
    n = X.shape[0]
    if size is None:
        size = min(MAX_OF_MIXTURE, max(ceil(SHARE_OF_MIXTURE * n), bounds[1]))
    axes = principal_axes(X)
    plans = []
    for m, seed in enumerate(spawn_seeds(random_state, n_members)):
        k = spread_evenly(m, *bounds)
        sample = Sample(np.random.default_rng(seed), n, size)
        fit = partial(fit_mixture, k=k, seed=seed, axes=axes)
        parameters = {"n_clusters": k, "max_samples": len(sample)}
        plans.append(Plan(fit, "GaussianMixture", seed, sample, parameters))
    return plans


def principal_axes(X: Any) -> np.ndarray | None:
    """Axes of the largest variance, orthonormal columns; None for as few features as they are."""
    n, d = X.shape
    if d <= MAX_FEATURES:
        return None
    rows = take_rows(X, np.unique(np.linspace(0, n - 1, OBJECTS_OF_AXES).astype(np.intp)))
    rows = np.asarray(rows, dtype=np.float64)
    rows = rows - rows.mean(axis=0)
    found = randomized_svd(rows, min(MAX_FEATURES, len(rows)), random_state=0)[2]
    return np.ascontiguousarray(found.T)


def fit_mixture(rows: Any, *, k: int, seed: int, axes: np.ndarray | None = None) -> Trained:
    """Run EM from a partition by k-means."""
    rows = project(rows, axes)
    n = len(rows)
    origin = rows.mean(axis=0)
    rows = rows - origin  # so that differences of large squares lose no digits
    start = rows[np.random.default_rng((seed, 1)).choice(n, k, replace=False)]
    labels = nearest(rows, run_lloyd(rows, start, SWEEPS_OF_START))
    found = maximize_likelihood(rows, labels, k)
    return Trained(replace(found.model, origin=origin, axes=axes))


class MixtureFit(NamedTuple):
    """A fitted mixture and the log likelihood of its objects."""

    model: MixtureModel
    likelihood: float


def maximize_likelihood(
    rows: np.ndarray,
    labels: np.ndarray,
    n_clusters: int,
    covariance: str = "full",
    max_steps: int = MAX_STEPS,
    least: float | None = None,
) -> MixtureFit:
    """Run EM on centred rows from a partition; rows with a negative label start in no cluster.

    `least` is added to variances, by default a hundredth of the mean one of the features.
    """
    n = len(rows)
    shares = np.zeros((n, n_clusters))
    shares[labels >= 0, labels[labels >= 0]] = 1.0
    if least is None:
        least = REGULARIZATION * float(rows.var(axis=0).mean())
    least = least or 1.0
    squares = products(rows) if covariance in WITH_PRODUCTS else rows * rows
    before = -np.inf
    for _ in range(max_steps):
        model = _maximize(rows, squares, shares, least, covariance)
        shares = model.log_densities(rows, squares)
        highest = shares.max(axis=1, keepdims=True)
        shares -= highest
        np.exp(shares, out=shares)
        total = shares.sum(axis=1, keepdims=True)
        shares /= total
        likelihood = float((highest + np.log(total)).mean())
        if likelihood < before + MIN_GAIN:
            break
        before = likelihood
    return MixtureFit(model, n * (likelihood - 0.5 * rows.shape[1] * log(2 * pi)))


def _maximize(
    rows: np.ndarray, squares: np.ndarray, shares: np.ndarray, least: float, covariance: str
) -> MixtureModel:
    """Mixture of greatest likelihood, given the shares of the components in each row."""
    mass = shares.sum(axis=0) + 10 * np.finfo(np.float64).eps
    means = (shares.T @ rows) / mass[:, None]
    moments = (shares.T @ squares) / mass[:, None]
    weights = mass / mass.sum()
    if covariance in WITH_PRODUCTS:
        linear, quadratic, logs = _precisions(means, moments, weights, least, covariance)
    else:
        variances = moments - means**2 + least
        if covariance == "ball":
            variances[:] = weights @ variances.mean(axis=1)
        elif covariance == "spherical":
            variances[:] = variances.mean(axis=1, keepdims=True)
        linear, quadratic = means / variances, -0.5 / variances
        logs = -np.log(variances).sum(axis=1)
    offsets = np.log(weights) + 0.5 * (logs - (linear * means).sum(axis=1))
    return MixtureModel(linear, quadratic, offsets, np.zeros(rows.shape[1]))


def _precisions(
    means: np.ndarray, moments: np.ndarray, weights: np.ndarray, least: float, covariance: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coefficients of densities with correlations, and log determinants of the precisions."""
    k, d = means.shape
    i, j = np.triu_indices(d)
    upper = moments - means[:, i] * means[:, j]
    if covariance == "tied":
        upper = (weights @ upper)[None]
    covariances = np.empty((len(upper), d, d))
    covariances[:, i, j] = covariances[:, j, i] = upper
    covariances[:, np.arange(d), np.arange(d)] += least
    factors = np.linalg.inv(np.linalg.cholesky(covariances))
    precisions = factors.transpose(0, 2, 1) @ factors
    logs = 2.0 * np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)
    quadratic = np.where(i == j, -0.5, -1.0) * precisions[:, i, j]
    linear = (precisions @ means[:, :, None])[:, :, 0]
    return linear, np.broadcast_to(quadratic, (k, quadratic.shape[1])), np.broadcast_to(logs, k)
