"""Co-association guided by similarity and dissimilarity (Zhang et al. 2025)."""

from numbers import Real

import numpy as np

from consens._labels import MISSING, unique_rows
from consens._params import Interval, rules
from consens._support.memory import require_memory
from consens._support.seeds import Seed
from consens.consensus._base import BaseConsensus
from consens.consensus._copies import (
    Laplacian,
    average_link,
    copies_coassociation,
    frobenius,
    symmetrized,
    transposed,
    with_diagonal,
)
from consens.ensemble import Ensemble
from consens.evidence import coassociation
from consens.evidence.coassociation import related_coassociation
from consens.evidence.link_analysis import cluster_graph
from consens.evidence.trajectories import trajectory_similarity
from consens.measure.reliability import normalized_reliability
from consens.partition import cut

_N_STEPS = 20  # of the random walks
_MAX_ITER = 300
_TOLERANCE = 1e-3
_GROWTH, _LARGEST = 1.1, 1e6  # of the penalty


class SDGCA(BaseConsensus):
    """Similarity and dissimilarity guided co-association: must-links and cannot-links spread.

    The co-association weighted by the entropy H of clusters (NWCA), with the weight
    exp(-H / (log2(k) λ M)) for a cluster of a partition with k clusters, is corrected by links.
    Pairs with a co-association of at least `must_link` are must-links S.  Pairs with a
    dissimilarity

        1 - 1/M Σ_m Z[c_m(x), c_m(y)]

    of at least `cannot_link` are cannot-links D, with Z the similarity of clusters by random
    walks.  Both spread along the graph of the pairs with a co-association of at least η, with
    Laplacian L, and exclude each other::

        min tr(S L S') + tr(D L D') + ⟨S, D'⟩,    0 ≤ S, D ≤ 1 symmetric, given on the links.

    An entry w of NWCA becomes 1 - (1 - S + D)(1 - w) where S ≥ D, else (1 + S - D) w, and the
    result is agglomerated by average link.

    {n_clusters}
    theta : float, > 0
        λ of NWCA: how slowly weights fall with the entropy of a cluster.
    eta : float, > 0
        Co-association from which links spread along a pair.  Above 1 there are no links, and the
        method is average link of NWCA.
    must_link : float, 0 to 1
        Co-association of a must-link (θ in the paper).
    cannot_link : float, 0 to 1
        Dissimilarity of a cannot-link.
    {unseeded}
    {linkage_}
    cluster_reliability_ : ndarray of shape (number of clusters,)
        Weights of the clusters in NWCA.
    n_iter_ : int
        Number of iterations; 0 without links.
    {combined}

    Notes
    -----
    Use it for up to a few thousand distinct rows of labels, if there is a way to tune it: the
    defaults are the medians of the settings that the authors tuned for each data set.

    Time as for `ECCMS`, with at most 300 iterations, and about 200 u² bytes for u distinct rows of
    labels.  With missing labels, both are means over the partitions that saw both objects.

    References
    ----------
    X. Zhang et al., "Similarity and dissimilarity guided co-association matrix construction for
    ensemble clustering", IEEE TKDE, 2025. doi:10.1109/TKDE.2025.3608721

    {five_objects}
    >>> from consens.consensus import SDGCA
    >>> SDGCA(n_clusters=2).fit_predict(labels)
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    _slow = True
    _parameter_constraints = rules(
        eta=[Interval(Real, 0, None, closed="neither")],
        must_link=[Interval(Real, 0, 1, closed="both")],
        cannot_link=[Interval(Real, 0, 1, closed="both")],
    )

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        theta: float = 0.06,
        eta: float = 0.85,
        must_link: float = 0.95,
        cannot_link: float = 0.8,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.theta = theta
        self.eta = eta
        self.must_link = must_link
        self.cannot_link = cannot_link

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        alike = unique_rows(ensemble.matrix)
        u = len(alike.rows)
        require_memory(
            200.0 * u * u,
            f"the links between {u} distinct label rows",
            "use LWEA, which needs no matrix, or combine prototypes of the objects",
        )
        self.cluster_reliability_ = normalized_reliability(ensemble, self.theta)
        weighted = copies_coassociation(alike.rows, self.cluster_reliability_)
        weighted /= max(float(weighted.max()), np.finfo(float).tiny)
        weighted = with_diagonal(weighted, 1.0)
        self.n_iter_ = 0
        if self.eta <= 1:
            plain = with_diagonal(coassociation(Ensemble(alike.rows)), 1.0)
            similarity = trajectory_similarity(cluster_graph(ensemble), _N_STEPS)
            must, cannot = self._links(alike.rows, similarity, plain, weighted)
            spread = Laplacian(np.where(plain >= self.eta, plain, 0.0), alike.counts)
            S, D, self.n_iter_ = spread_links(spread, must, cannot)
            weighted = np.where(
                S >= D, 1 - (1 - S + D) * (1 - weighted), (1 + S - D) * weighted
            ).clip(0.0, 1.0)
            weighted = np.maximum(weighted, transposed(weighted))
        self.linkage_ = average_link(weighted, alike.inverse)
        return cut(self.linkage_, self.n_clusters)

    def _links(
        self, rows: np.ndarray, similarity: np.ndarray, plain: np.ndarray, weighted: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Strengths of must-links, from 0.8 to 1, and of cannot-links; 0 where there is none."""
        np.fill_diagonal(similarity, 1.0)
        cannot = 1 - related_coassociation(Ensemble(rows), similarity)
        cannot[cannot < self.cannot_link] = 0.0
        saw = (rows != MISSING).astype(np.float64)
        if not saw.all():
            cannot[saw @ saw.T == 0] = 0.0
        cannot = with_diagonal(cannot, 0.0)
        must = np.where((plain >= self.must_link) & (cannot <= 0), weighted, 0.0)
        # the program subtracts the least entry first, which is 0 unless every pair is a must-link
        must[must > 0] = must[must > 0] / (5 * must.max()) + 0.8
        return must, cannot


def spread_links(
    laplacian: Laplacian, must: np.ndarray, cannot: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int]:
    """Solve the problem of `SDGCA` (see `_copies`): S, D and the number of iterations."""

    def step(
        F: np.ndarray, Y: np.ndarray, other: np.ndarray, links: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        # the matrix on the right is symmetric, so the transposed system is the same
        right = transposed(2 * mu * F - Y) - other
        moved = transposed(laplacian.solve(right, 2 * mu))
        bounded = np.clip(Y / (2 * mu) + moved, 0.0, 1.0)
        return moved, symmetrized(np.where(links > 0, links, bounded))

    S = D = F1 = F2 = Y1 = Y2 = np.zeros_like(must)
    mu = 1.0
    n_iter = 0
    while n_iter < _MAX_ITER:
        n_iter += 1
        before = S, D
        S, F1 = step(F1, Y1, D, must)
        D, F2 = step(F2, Y2, S, cannot)
        Y1 = Y1 + mu * (S - F1)
        Y2 = Y2 + mu * (D - F2)
        mu = min(_GROWTH * mu, _LARGEST)
        changes = (S - before[0], D - before[1], S - F1, D - F2)
        if max(frobenius(change, laplacian.counts) for change in changes) < _TOLERANCE:
            break
    S, D = (np.clip(symmetrized(matrix), 0.0, 1.0) for matrix in (S, D))
    return S, D, n_iter
