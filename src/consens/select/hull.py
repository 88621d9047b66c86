"""Convex hull of the quality-diversity diagram (Fern and Lin 2008)."""

from __future__ import annotations

from typing import Any

import numpy as np

from consens.select._base import EQUAL, AgreementSelector


class SelectConvexHull(AgreementSelector):
    """Keep the members of extreme pairs: most alike, most different, best, worst.

    Each pair of members is a point of the quality-diversity diagram: NMI(C_i, C_j) to the
    right, the mean quality (see `SelectQuality`) of the two upwards.  Members of pairs at the
    corners of the convex hull of all points are kept (Section 5); how many these are
    follows from the library.

    Attributes
    ----------
    pairs_ : ndarray of shape (n_corners, 2)
        The pairs at the corners of the hull, by rising NMI.
    quality_, diversity_, nmi_, order_, n_selected_ : as in `SelectQuality`

    Notes
    -----
    The paper finds it less useful than `ClusterAndSelect`: corners are often outliers, poor
    members among them.  Of pairs at the same point the first counts, so that copies of a
    member add nothing.  A library whose points lie on one line keeps the pairs at its ends, a
    library of one member keeps that.  O(n M²) time for the NMI of all pairs and O(M² log M)
    for the hull; O(M²) memory.

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
    """Pairs of members at the corners of the quality-diversity diagram, by rising NMI."""
    i, j = np.triu_indices(len(nmi), k=1)
    if len(i) == 0:
        return np.empty((0, 2), dtype=np.intp)
    points = np.column_stack([nmi[i, j], (quality[i] + quality[j]) / 2])
    # rounded, so that equal points are equal; the first of them stands for all
    points, first = np.unique(np.round(points / EQUAL), axis=0, return_index=True)
    return np.column_stack([i, j])[first[np.sort(_corners(points))]]


def _corners(points: np.ndarray) -> np.ndarray:
    """Indices of the corners of the convex hull of distinct points in lexicographic order."""
    from scipy.spatial import ConvexHull, QhullError

    ends = np.unique([0, len(points) - 1])
    along = points - points[0]
    span = along[-1]
    aside = np.abs(along[:, 0] * span[1] - along[:, 1] * span[0])
    if aside.max() <= np.hypot(*span):  # one unit aside at most: all on one line
        return ends
    try:
        return ConvexHull(points).vertices
    except QhullError:
        return ends
