"""Corners and upper quadrant of the quality-diversity diagram (Fern and Lin 2008)."""

from typing import Any

import numpy as np

from consens.select._base import EQUAL, AgreementSelector, n_members


class SelectConvexHull(AgreementSelector):
    """Keep the members of extreme pairs: most similar, most different, best, worst.

    Each pair of members is a point in the quality-diversity diagram with x = NMI(C_i, C_j) and y
    the mean quality (see `SelectQuality`) of the two.  The members of pairs at the corners of the
    convex hull of all points are kept (Section 5); their number depends on the library.

    Attributes
    ----------
    pairs_ : ndarray of shape (n_corners, 2)
        The pairs at the corners of the hull, by increasing NMI.
    quality_, diversity_, similarity_, order_, n_selected_ : as in `SelectQuality`

    Notes
    -----
    The paper finds it less useful than `ClusterAndSelect`: corners are often outliers.  Only the
    first of several pairs at the same point counts.  O(n M²) time for the NMI of all pairs and
    O(M² log M) for the hull; O(M²) memory.

    {fern_lin_2008}

    Examples
    --------
    >>> import numpy as np
    >>> from consens.select import SelectConvexHull
    >>> labels = np.array([[0, 0, 0, 0], [0, 0, 1, 1], [1, 1, 0, 2], [1, 1, 1, 3]])
    >>> SelectConvexHull().fit(labels).pairs_
    array([[0, 2],
           [2, 3],
           [0, 3],
           [0, 1]])
    """

    def _choose(self, nmi: np.ndarray, quality: np.ndarray) -> Any:
        self.pairs_ = extreme_pairs(nmi, quality)
        if len(self.pairs_) == 0:
            return [0]
        _, first = np.unique(self.pairs_, return_index=True)
        return self.pairs_.ravel()[np.sort(first)]


def extreme_pairs(nmi: np.ndarray, quality: np.ndarray) -> np.ndarray:
    """Pairs of members at the corners of the quality-diversity diagram, by increasing NMI."""
    i, j = np.triu_indices(len(nmi), k=1)
    if len(i) == 0:
        return np.empty((0, 2), dtype=np.intp)
    points = np.column_stack([nmi[i, j], (quality[i] + quality[j]) / 2])
    # round, so that equal points compare equal; keep the first of them
    points, first = np.unique(np.round(points / EQUAL), axis=0, return_index=True)
    return np.column_stack([i, j])[first[np.sort(_corners(points))]]


def _corners(points: np.ndarray) -> np.ndarray:
    """Indices of the corners of the convex hull of distinct points in lexicographic order."""
    from scipy.spatial import ConvexHull, QhullError

    ends = np.unique([0, len(points) - 1])
    offset = points - points[0]
    span = offset[-1]
    area = np.abs(offset[:, 0] * span[1] - offset[:, 1] * span[0])
    if area.max() <= np.hypot(*span):  # at most one unit from the line between the ends
        return ends
    try:
        return ConvexHull(points).vertices
    except QhullError:
        return ends


class SelectQuadrant(AgreementSelector):
    """Keep the members with most pairs that are both good and different.

    Each pair of members is a point in the quality-diversity diagram: 1 - NMI(C_i, C_j) and the
    mean quality (see `SelectQuality`) of the two.  The quadrant contains the pairs for which
    neither is below its median over all pairs; the members with most pairs in it are kept.
    Unlike `SelectConvexHull`, this leaves out members that are different because they are poor.

    Parameters
    ----------
    {n_selected}

    Attributes
    ----------
    pairs_ : ndarray of shape (n_pairs, 2)
        The pairs in the quadrant.
    quality_, diversity_, similarity_, order_, n_selected_ : as in `SelectQuality`

    Notes
    -----
    The paper mentions the idea as future work.  Members with equal numbers of pairs are ordered by
    quality.  O(n M²) time for the NMI of all pairs; O(M²) memory.

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

    def __init__(self, n_selected: int | float = 0.2) -> None:
        self.n_selected = n_selected

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
