"""Self-enhancement of the co-association (Jia, Tao, Wang and Wang 2023)."""

from numbers import Real

import numpy as np

from consens._labels import unique_rows
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
    with_diagonal,
)
from consens.ensemble import Ensemble
from consens.evidence import coassociation
from consens.measure import cluster_reliability
from consens.partition import cut

_MAX_ITER = 100
_TOLERANCE = 1e-2  # relative change of every variable


class ECCMS(BaseConsensus):
    """Self-enhanced co-association: confident pairs pass their similarities on to each other.

    The confident entries H of the co-association are those of at least α.  The locally weighted
    co-association W (`LWEA`) is split into an enhanced matrix C, whose rows are smooth along the
    confident pairs, and an error E outside of them::

        min tr(C' L C) + λ/2 ‖E‖²    with W = C + E, E = 0 where H > 0, 0 ≤ C = C' ≤ 1,

    where L is the Laplacian of H.  C is agglomerated by average link.

    {n_clusters}
    alpha : float, 0 to 1
        Co-association from which a pair is confident.
    penalty : float, > 0
        λ: the larger, the nearer C stays to W.
    theta : float, > 0
        As in `LWEA`.
    {unseeded}
    {linkage_}
    n_iter_ : int
        Number of iterations.
    {combined}

    Notes
    -----
    Use it for up to a few thousand distinct rows of labels, if `alpha` and `penalty` can be tuned;
    otherwise `LWEA` is as good and far cheaper.

    Alternating directions with fixed penalties 1, at most 100 iterations.  The linear system is
    block-diagonal over the connected parts of the confident pairs of u distinct rows of labels:
    O(u Σ b²) time per iteration for parts of b rows, at most u³, and about 120 u² bytes.  With
    missing labels, co-associations are shares of the partitions that saw both objects.

    References
    ----------
    Y. Jia, S. Tao, R. Wang and Y. Wang, "Ensemble clustering via co-association matrix
    self-enhancement", IEEE TNNLS, 2023. doi:10.1109/TNNLS.2023.3249207

    {five_objects}
    >>> from consens.consensus import ECCMS
    >>> ECCMS(n_clusters=2).fit_predict(labels)
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    _slow = True
    _parameter_constraints = rules(
        alpha=[Interval(Real, 0, 1, closed="both")],
        penalty=[Interval(Real, 0, None, closed="neither")],
    )

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        alpha: float = 0.75,
        penalty: float = 0.01,
        theta: float = 0.4,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.alpha = alpha
        self.penalty = penalty
        self.theta = theta

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        alike = unique_rows(ensemble.matrix)
        u = len(alike.rows)
        require_memory(
            120.0 * u * u,
            f"the enhanced co-association of {u} distinct label rows",
            "use LWEA, which needs no matrix, or combine prototypes of the objects",
        )
        reliability = cluster_reliability(ensemble, self.theta)
        weighted = with_diagonal(copies_coassociation(alike.rows, reliability), 1.0)
        confident = with_diagonal(coassociation(Ensemble(alike.rows)), 0.0)
        confident[confident < self.alpha] = 0.0
        enhanced, self.n_iter_ = enhance(weighted, confident, alike.counts, self.penalty)
        self.linkage_ = average_link(enhanced, alike.inverse)
        return cut(self.linkage_, self.n_clusters)


def enhance(
    weighted: np.ndarray, confident: np.ndarray, counts: np.ndarray, penalty: float
) -> tuple[np.ndarray, int]:
    """Solve the problem of `ECCMS` (see `_copies`): C, symmetric in [0, 1], and the iterations."""
    laplacian = Laplacian(confident, counts)
    free = confident <= 0
    C = E = F = Y2 = np.zeros_like(weighted)
    Y1 = weighted
    n_iter, rounding = 0, 1e-12 * frobenius(weighted, counts)
    while n_iter < _MAX_ITER:
        n_iter += 1
        before = C, E, F, Y1, Y2
        C = laplacian.solve((weighted - E + Y1) + (F - Y2), 2.0)
        E = np.where(free, (weighted - C + Y1) / (penalty + 1), 0.0)
        F = np.clip(symmetrized(C + Y2), 0.0, 1.0)
        Y1 = Y1 + (weighted - C - E)
        Y2 = Y2 + (C - F)
        if all(
            frobenius(new - old, counts) <= max(_TOLERANCE * frobenius(old, counts), rounding)
            for new, old in zip((C, E, F, Y1, Y2), before, strict=True)
        ):
            break
    return np.clip(symmetrized(C), 0.0, 1.0), n_iter
