"""Systems with the Laplacian of a graph, solved component by component."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components


class Laplacian:
    """The Laplacian L = diag(H 1) - H of a graph with few edges between its components.

    L is block-diagonal over the connected components of H, each of which is decomposed once.

    Parameters
    ----------
    weights : ndarray of shape (n, n), symmetric
        H >= 0; the diagonal makes no difference.
    """

    def __init__(self, weights: np.ndarray) -> None:
        component = connected_components(csr_array(weights), directed=False)[1]
        order = np.argsort(component, kind="stable")
        self.blocks = []
        for inside in np.split(order, np.cumsum(np.bincount(component))[:-1]):
            if len(inside) > 1:
                block = -weights[np.ix_(inside, inside)]
                np.fill_diagonal(block, 0.0)
                np.fill_diagonal(block, -block.sum(axis=1))
                self.blocks.append((inside, *eigh(block)))

    def solve(self, right: np.ndarray, shift: float) -> np.ndarray:
        """Solve (2 L + shift · I) X = right, with shift > 0."""
        result = right / shift
        for inside, values, vectors in self.blocks:
            parts = (vectors.T @ right[inside]) / (2 * values + shift)[:, None]
            result[inside] = vectors @ parts
        return result
