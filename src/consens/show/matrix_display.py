"""Heat map of the consensus matrix, in the order of the tree."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.cluster import hierarchy
from sklearn.base import BaseEstimator

from consens._validation import check_integer
from consens.ensemble import Ensemble
from consens.evidence import coassociation
from consens.evidence.coassociation import group_coassociation
from consens.measure import object_confidence
from consens.partition import linkage
from consens.show._display import Axes, Display, cluster_bar, runs
from consens.show._fitted import read_estimator

#: Most objects with a row each; more objects are averaged in about this many blocks.
MAX_ROWS = 2_000
MATRIX_BLOCKS = 400


@dataclass(eq=False, repr=False)
class ConsensusMatrixDisplay(Display):
    """Heat map of the co-association matrix, with clusters as blocks on the diagonal.

    Objects are in the order of the consensus tree, or of a tree for each cluster if the method
    has none.  Clear clusters are dark squares on a pale background.  The bars at the left and at
    the top show the clusters.

    Parameters
    ----------
    matrix : ndarray of shape (b, b)
        Co-association of objects, or mean co-association of blocks of objects.
    labels : ndarray of shape (b,)
        Cluster of each row; -1 for objects in no cluster.
    sizes : ndarray of shape (b,)
        Number of objects in each row.

    Notes
    -----
    For more than 2,000 objects, each row is a block of consecutive objects of one cluster, with
    about 400 rows in total.  No n × n matrix is built.

    {iris_model}
    >>> from consens.show import ConsensusMatrixDisplay
    >>> display = ConsensusMatrixDisplay.from_estimator(model)
    >>> display.matrix.shape
    (150, 150)
    """

    matrix: np.ndarray
    labels: np.ndarray
    sizes: np.ndarray

    _figure_size = (5.6, 5.0)

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, *, max_objects: int = MAX_ROWS, ax: Axes | None = None
    ) -> Self:
        """Plot the consensus matrix of a fitted consensus.

        {of_estimator}
        max_objects : int
            More objects are averaged in blocks.
        ax : matplotlib axes, optional
        """
        fitted = read_estimator(estimator)
        chosen = fitted.chosen
        order = object_order(fitted.ensemble, chosen.labels, fitted.linkage, chosen.confidence)
        return cls(*matrix_rows(fitted.ensemble, fitted.labels, order, max_objects)).plot(ax)

    def _draw(self, ax: Axes) -> None:
        image = ax.imshow(self.matrix, cmap="Blues", vmin=0, vmax=1, interpolation="nearest")
        ax.set_xticks([])
        ax.set_yticks([])
        text = f"{self.sizes.sum():,} objects"
        if (self.sizes > 1).any():
            text += f" in blocks of about {round(self.sizes.mean())}"
        ax.set_xlabel(text)
        above, left = ax.get_xaxis_transform(), ax.get_yaxis_transform()
        for cluster, start, end in runs(self.labels):
            low, length = start - 0.5, float(end - start)
            cluster_bar(ax, cluster, (low, 1.01, length, 0.04), above)
            cluster_bar(ax, cluster, (-0.05, low, 0.04, length), left)
            if length / len(self.labels) > 0.03:
                name = "none" if cluster < 0 else str(cluster)
                middle = low + length / 2
                ax.text(middle, 1.06, name, ha="center", transform=above)
                ax.text(
                    -0.065, middle, name, ha="right", va="center",
                    rotation=90 if cluster < 0 else 0, transform=left,
                )  # fmt: skip
        ax.figure.colorbar(image, ax=ax, shrink=0.8, label="co-association")


def object_order(
    ensemble: Ensemble,
    labels: np.ndarray,
    merges: np.ndarray | None = None,
    confidence: np.ndarray | None = None,
    *,
    large: int = MAX_ROWS,
) -> np.ndarray:
    """Order objects such that clusters are contiguous and similar objects are close.

    This is the order of the leaves if the clusters are a cut of the given tree.  Otherwise the
    clusters are ordered by the average-link tree of their mean co-association, and the objects of
    a cluster by another such tree, or by decreasing confidence if there are more than `large`.
    Objects in no cluster come last.
    """
    inside = np.flatnonzero(labels >= 0)
    outside = np.flatnonzero(labels < 0)
    if merges is not None and len(merges) + 1 == len(inside):
        order = inside[hierarchy.leaves_list(merges)]
        runs = np.count_nonzero(np.diff(labels[order])) + 1
        if runs == labels.max(initial=-1) + 1:
            return np.concatenate([order, outside])
    parts = []
    for c in _leaves(group_coassociation(ensemble, labels)):
        own = np.flatnonzero(labels == c)
        if len(own) <= large:
            own = own[_leaves(coassociation(Ensemble(ensemble.labels[own])))]
        else:
            if confidence is None:
                confidence = object_confidence(ensemble, labels)
            own = own[np.argsort(-confidence[own], kind="stable")]
        parts.append(own)
    return np.concatenate([*parts, outside])


def _leaves(similarity: np.ndarray) -> np.ndarray:
    if len(similarity) < 3:
        return np.arange(len(similarity))
    return hierarchy.leaves_list(linkage(np.clip(similarity, 0, 1), "average"))


def matrix_rows(
    ensemble: Ensemble, labels: np.ndarray, order: np.ndarray, max_objects: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Matrix, cluster and size of each row, which is an object or a block of objects."""
    n = len(order)
    max_objects = check_integer(max_objects, "max_objects")
    if n <= max_objects:
        matrix = coassociation(Ensemble(ensemble.labels[order]))
        return matrix, labels[order], np.ones(n, dtype=np.int64)
    return block_rows(ensemble, labels, order, min(MATRIX_BLOCKS, max_objects))


def block_rows(
    ensemble: Ensemble, labels: np.ndarray, order: np.ndarray, n_blocks: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Matrix, cluster and size of about `n_blocks` blocks of consecutive objects."""
    blocks = consecutive_blocks(labels[order], n_blocks)
    group = np.empty(len(order), dtype=np.int32)
    group[order] = blocks
    sizes = np.bincount(blocks)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return group_coassociation(ensemble, group), labels[order][first], sizes


def consecutive_blocks(labels: np.ndarray, n_blocks: int) -> np.ndarray:
    """Divide rows into about `n_blocks` consecutive blocks, each within one cluster."""
    borders = np.flatnonzero(np.diff(labels)) + 1
    runs = np.split(np.arange(len(labels)), borders)
    target = len(labels) / n_blocks
    blocks = np.empty(len(labels), dtype=np.int32)
    used = 0
    for run in runs:
        pieces = max(1, round(len(run) / target))
        blocks[run] = used + np.arange(len(run)) * pieces // len(run)
        used += pieces
    return blocks
