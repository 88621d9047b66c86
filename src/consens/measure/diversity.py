"""Diversity of an ensemble, and accuracy of its members and their consensus."""

from __future__ import annotations

import numpy as np

from consens._blocks import Labels
from consens.ensemble import Ensemble, EnsembleLike
from consens.measure.agreement import anmi, ari, nmi, pairwise_ari, pairwise_nmi


def diversity(
    ensemble: EnsembleLike, labels: Labels | None = None, y: Labels | None = None
) -> dict[str, float]:
    """Measure the diversity of an ensemble and the accuracy of its members and consensus.

    With L members P_i, their consensus P* and classes P^T:

    ============  ====================================================================
    ``D_NMI``     mean of 1 - NMI(P_i, P_j) over pairs of members (Eq. 14)
    ``D_p``       mean of 1 - ARI(P_i, P_j) over pairs of members
    ``D_np1``     mean of 1 - ARI(P_i, P*)
    ``D_np2``     standard deviation of 1 - ARI(P_i, P*), with L - 1
    ``D_ARI``     ½ (1 - D_np1 + D_np2)  (Eq. 16): close to the consensus, but varied
    ``Acc_NMI``   mean of NMI(P_i, P^T) (Eq. 17); ``Acc_ARI`` with ARI (Eq. 18)
    ``Acc*_NMI``  NMI(P*, P^T) (Eq. 19); ``Acc*_ARI`` with ARI (Eq. 20)
    ============  ====================================================================

    Parameters
    ----------
    ensemble : Ensemble or label matrix of shape (n, M), M >= 2
    labels : label vector, optional
        The consensus; measures that need it are left out otherwise.
    y : label vector, optional
        The classes; measures that need them are left out otherwise.

    Returns
    -------
    dict of the measures, in the order of the table

    Notes
    -----
    O(n M²) time.  Only D_NMI, D_p, Acc_NMI and Acc_ARI are independent of the consensus method.

    {domeniconi_2009}
    S. Hadjitodorov, L. Kuncheva and L. Todorova, "Moderate diversity for better cluster
    ensembles", Information Fusion 7(3), 2006. doi:10.1016/j.inffus.2005.01.008

    Examples
    --------
    >>> from consens.measure import diversity
    >>> members = [[0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 1, 1]]
    >>> round(diversity(members)["D_NMI"], 3)
    0.667
    """
    ensemble = Ensemble.from_labels(ensemble)
    n_members = ensemble.shape[1]
    if n_members < 2:
        raise ValueError(f"got {n_members} member; diversity needs at least 2")
    above = np.triu_indices(n_members, k=1)
    result = {
        "D_NMI": float(np.mean(1 - pairwise_nmi(ensemble)[above])),
        "D_p": float(np.mean(1 - pairwise_ari(ensemble)[above])),
    }
    members = ensemble.matrix.T
    if labels is not None:
        apart = np.array([1 - ari(member, labels) for member in members])
        mean, spread = float(apart.mean()), float(apart.std(ddof=1))
        result |= {"D_np1": mean, "D_np2": spread, "D_ARI": (1 - mean + spread) / 2}
    if y is not None:
        result["Acc_NMI"] = anmi(y, ensemble)
        result["Acc_ARI"] = float(np.mean([ari(member, y) for member in members]))
    if labels is not None and y is not None:
        result |= {"Acc*_NMI": nmi(labels, y), "Acc*_ARI": ari(labels, y)}
    return result
