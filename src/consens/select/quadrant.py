"""Upper quadrant of the quality-diversity diagram (Fern and Lin 2008, future work)."""

from typing import Any

import numpy as np

from consens.select._base import EQUAL, AgreementSelector, Similarity, n_members


class SelectQuadrant(AgreementSelector):
    """Keep the members with most pairs that are both good and different.

    Each pair of members is a point in the quality-diversity diagram: 1 - NMI(C_i, C_j) and the
    mean quality (see `SelectQuality`) of the two.  The quadrant contains the pairs for which
    neither is below its median over all pairs; the members with most pairs in it are kept.
    Unlike `SelectConvexHull`, this leaves out members that are different because they are poor.

    Parameters
    ----------
    {n_selected}
    {similarity}

    Attributes
    ----------
    pairs_ : ndarray of shape (n_pairs, 2)
        The pairs in the quadrant.
    quality_, diversity_, similarity_, order_, n_selected_ : as in `SelectQuality`

    Notes
    -----
    The paper mentions the idea as future work, without results.  Members with equal numbers of
    pairs are ordered by quality, then by index.  O(n M²) time for the NMI of all pairs; O(M²)
    memory.

    {fern_lin_2008}

    Examples
    --------
    >>> import numpy as np
    >>> from consens.select import SelectQuadrant
    >>> labels = np.array([[0, 0, 0, 0], [0, 0, 1, 1], [1, 1, 0, 2], [1, 1, 1, 3]])
    >>> selector = SelectQuadrant(2).fit(labels)
    >>> selector.pairs_
    array([[0, 3],
           [1, 3]])
    >>> selector.order_
    array([3, 0])
    """

    def __init__(self, n_selected: int | float = 0.2, *, similarity: Similarity = "nmi") -> None:
        self.n_selected = n_selected
        self.similarity = similarity

    def _choose(self, nmi: np.ndarray, quality: np.ndarray) -> Any:
        i, j = np.triu_indices(len(nmi), k=1)
        good, apart = (quality[i] + quality[j]) / 2, 1.0 - nmi[i, j]
        inside = _upper_half(good) & _upper_half(apart)
        self.pairs_ = np.column_stack([i, j])[inside]
        number = np.bincount(self.pairs_.ravel(), minlength=len(nmi))
        ranked = np.lexsort((np.arange(len(nmi)), -np.round(quality / EQUAL), -number))
        return ranked[: n_members(self.n_selected, len(nmi))]


def _upper_half(values: np.ndarray) -> np.ndarray:
    return values >= np.median(values) - EQUAL if len(values) else np.zeros(0, dtype=bool)
