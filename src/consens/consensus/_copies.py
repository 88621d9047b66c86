"""Matrices over interchangeable objects, and systems with a Laplacian over them.

Objects with equal labels are interchangeable, so a matrix that is computed from labels has one
value for all pairs of different objects from rows a and b, and one for each object with itself.
Such an n × n matrix is stored as an array of shape (u + 1, u) for u distinct rows: first the
values for two different objects, whose diagonal is that of two copies of a row, then the diagonal.
What works entry by entry works on this array as it is.
"""

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from consens._labels import MISSING, label_weights, offsets
from consens.ensemble import Ensemble
from consens.evidence import coassociation
from consens.partition import linkage


def copies_coassociation(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Co-association of distinct rows with weighted clusters; the diagonal is that of copies."""
    pairs = coassociation(Ensemble(rows), weights)
    own = label_weights(rows, offsets(rows), weights).sum(axis=1)
    np.fill_diagonal(pairs, own / (rows != MISSING).sum(axis=1))
    return pairs


def with_diagonal(pairs: np.ndarray, diagonal: np.ndarray | float) -> np.ndarray:
    """A matrix from its values for pairs of different objects and its diagonal."""
    return np.vstack([pairs, np.broadcast_to(diagonal, len(pairs))])


def transposed(matrix: np.ndarray) -> np.ndarray:
    """The transposed matrix."""
    return np.vstack([matrix[:-1].T, matrix[-1]])


def symmetrized(matrix: np.ndarray) -> np.ndarray:
    """Mean of a matrix and its transposed matrix."""
    return (matrix + transposed(matrix)) / 2


def frobenius(matrix: np.ndarray, counts: np.ndarray) -> float:
    """Frobenius norm of the n × n matrix, for `counts` copies of each row."""
    squares = matrix * matrix
    different = counts @ squares[:-1] @ counts - counts @ squares.diagonal()
    return float(np.sqrt(different + squares[-1] @ counts))


def average_link(matrix: np.ndarray, inverse: np.ndarray) -> np.ndarray:
    """Average link of all objects, of which object x has row ``inverse[x]``."""
    pairs = matrix[:-1]
    copied = np.bincount(inverse) > 1
    if (pairs.diagonal() >= pairs.max(axis=1))[copied].all():  # then copies merge first
        return linkage(pairs, "average", inverse=inverse)
    return linkage(pairs[np.ix_(inverse, inverse)], "average", overwrite=True)


class Laplacian:
    """The Laplacian L = diag(H 1) - H of a graph of objects, with H >= 0 symmetric.

    Its eigenvectors are constant on the copies of a row (a matrix, block-diagonal over the
    connected components), or differences of copies (a number for each row).
    """

    def __init__(self, weights: np.ndarray, counts: np.ndarray) -> None:
        pairs = weights[:-1]
        self.counts = counts
        self.roots = np.sqrt(counts)
        degrees = pairs @ counts - pairs.diagonal()
        self.differences = degrees + pairs.diagonal()
        component = connected_components(csr_array(pairs), directed=False)[1]
        order = np.argsort(component, kind="stable")
        self.blocks = []
        for inside in np.split(order, np.cumsum(np.bincount(component))[:-1]):
            if len(inside) > 1:
                own = np.ix_(inside, inside)
                block = -pairs[own] * np.multiply.outer(self.roots[inside], self.roots[inside])
                np.fill_diagonal(block, block.diagonal() + self.differences[inside])
                self.blocks.append((inside, block))
        self.shift = 0.0
        self.factors: list[Any] = []

    def solve(self, right: np.ndarray, shift: float) -> np.ndarray:
        """Solve (2 L + shift · I) X = right, with shift > 0."""
        if shift != self.shift:
            self.shift = shift
            self.factors = [
                cho_factor(2 * block + shift * np.eye(len(block)), overwrite_a=True)
                for _, block in self.blocks
            ]
        scale = np.multiply.outer(self.roots, self.roots)
        difference = right[-1] - right.diagonal()
        constant = right[:-1] * scale
        np.fill_diagonal(constant, difference + self.counts * right.diagonal())
        result = constant / shift
        for (inside, _), factor in zip(self.blocks, self.factors, strict=True):
            result[inside] = cho_solve(factor, constant[inside], overwrite_b=True)
        difference /= 2 * self.differences + shift
        diagonal = (result.diagonal() - difference) / self.counts
        result /= scale
        np.fill_diagonal(result, diagonal)
        return with_diagonal(result, diagonal + difference)
