"""Consensus by non-negative matrix factorisation (Li, Ding and Jordan 2007)."""

import numpy as np
from scipy.sparse import csr_array

from consens._labels import MISSING, canonical_members, fill_empty, indicator
from consens._support.seeds import Seed, spawn_seeds
from consens.consensus._base import BaseConsensus
from consens.ensemble import Ensemble
from consens.partition.spectral import spectral_cut_of_product

#: Added to the start, as Li, Ding and Jordan do, so that no entry of the factors is stuck at 0.
_OFFSET = 0.2
_TOLERANCE = 1e-6  # relative decrease of the objective below which the updates stop


class NMFConsensus(BaseConsensus):
    """Non-negative factorisation: the co-association as a product of orthogonal memberships.

    The co-association A is approximated by Q S Q' with non-negative factors and orthogonal columns
    of Q (n × k), which are then close to the indicator of a partition::

        min ‖A - Q S Q'‖²    with Q, S ≥ 0, Q'Q = I,

    by multiplicative updates,

        Q ← Q √[(A Q S) / (Q Q' A Q S)],    S ← S √[(Q' A Q) / (Q'Q S Q'Q)],

    from spectral clustering on.  An object goes to the cluster with its largest entry in Q.

    {n_clusters}
    max_iter : int
        Most updates, more than the iterations of EM or k-means, because each changes little.
    {seeded}
    n_iter_ : int
        Number of updates.
    objective_ : float
        ‖A - Q S Q'‖² / ‖A‖² at the end.
    {combined}

    Notes
    -----
    Use it to compare with the literature; the updates find a local optimum near their start.

    A = F F' is never formed, with F the indicator of clusters over the square root of the number
    of members that saw the object.  O(n M k) time per update, O(n k) memory.

    References
    ----------
    T. Li, C. Ding and M. Jordan, "Solving consensus and semi-supervised clustering problems using
    nonnegative matrix factorization", ICDM 2007. doi:10.1109/ICDM.2007.98

    {five_objects}
    >>> from consens.consensus import NMFConsensus
    >>> NMFConsensus(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        max_iter: int = 200,
        noise: str = "keep",
        settle: bool = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_clusters, noise=noise, settle=settle, random_state=random_state)
        self.max_iter = max_iter

    def _combine(self, ensemble: Ensemble) -> np.ndarray:
        # sums of floats must not depend on the order of members and clusters
        labels, _ = canonical_members(ensemble.matrix)
        factor = indicator(labels)
        seen = np.count_nonzero(labels != MISSING, axis=1)
        factor.data /= np.sqrt(np.repeat(seen, np.diff(factor.indptr)))
        k = int(self.n_clusters)
        seed = spawn_seeds(self.random_state, 1)[0]
        start = spectral_cut_of_product(factor, k, seed=seed)
        Q, self.n_iter_, self.objective_ = factorize(factor, start, k, self.max_iter)
        best = (Q.max(axis=1, keepdims=True) * (1 - 1e-9) <= Q).argmax(axis=1)
        loss = Q[np.arange(len(Q)), best][:, None] - Q
        return fill_empty(best, loss, k)


def factorize(
    factor: csr_array, start: np.ndarray, k: int, max_iter: int
) -> tuple[np.ndarray, int, float]:
    """Multiplicative updates for F F' ≈ Q S Q'; return Q, the updates and the relative error."""
    F = factor
    sizes = np.maximum(np.bincount(start, minlength=k), 1)
    Q = (np.eye(k)[start] + _OFFSET) / np.sqrt(sizes)
    S = Q.T @ (F @ (F.T @ Q))
    norm = float(((F.T @ F).data ** 2).sum())  # ‖F F'‖ = ‖F' F‖
    error, n_iter = np.inf, 0
    tiny = np.finfo(float).tiny
    while n_iter < max_iter:
        n_iter += 1
        AQS = F @ (F.T @ (Q @ S))
        Q = Q * np.sqrt(AQS / np.maximum(Q @ (Q.T @ AQS), tiny))
        QAQ, gram = Q.T @ (F @ (F.T @ Q)), Q.T @ Q
        S = S * np.sqrt(QAQ / np.maximum(gram @ S @ gram, tiny))
        GS = gram @ S
        # ‖A - Q S Q'‖² by traces of small matrices
        rest = norm - 2 * float((QAQ * S).sum()) + float((GS * GS.T).sum())
        before, error = error, rest / norm
        if before - error <= _TOLERANCE:
            break
    return Q, n_iter, max(error, 0.0)
