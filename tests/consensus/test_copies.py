"""Matrices over interchangeable objects against the n × n matrices that they stand for."""

import numpy as np
import pytest

from consens.consensus._copies import (
    Laplacian,
    average_link,
    frobenius,
    symmetrized,
    transposed,
)
from tests.consensus._plain import check_merges, with_copies

COUNTS = np.array([3, 1, 2, 1, 2])
INVERSE = np.array([0, 1, 0, 2, 3, 2, 0, 4, 4])


def drawn(seed):
    """A matrix that is not symmetric, in the short form and in full."""
    matrix = np.random.default_rng(seed).random((6, 5))
    return matrix, with_copies(matrix, INVERSE)


def test_norm_and_transposed_matrix():
    matrix, full = drawn(0)
    assert frobenius(matrix, COUNTS) == pytest.approx(np.linalg.norm(full))
    np.testing.assert_array_equal(with_copies(transposed(matrix), INVERSE), full.T)
    np.testing.assert_array_equal(with_copies(symmetrized(matrix), INVERSE), (full + full.T) / 2)


@pytest.mark.parametrize("threshold", [0, 0.5, 0.7, 2])
def test_systems_with_the_laplacian(threshold):
    """Graphs of one, of some and of many components."""
    matrix, right = symmetrized(drawn(1)[0]), drawn(2)
    matrix[matrix < threshold] = 0
    H = with_copies(matrix, INVERSE)
    np.fill_diagonal(H, 0)
    L = np.diag(H.sum(axis=1)) - H
    laplacian = Laplacian(matrix, COUNTS)
    for shift in (0.5, 3.0):
        found = with_copies(laplacian.solve(right[0], shift), INVERSE)
        np.testing.assert_allclose((2 * L + shift * np.eye(9)) @ found, right[1], atol=1e-12)


@pytest.mark.parametrize("of_copies", [1.0, 0.05])
def test_average_link_when_copies_are_more_or_less_similar_than_others(of_copies):
    matrix = symmetrized(drawn(3)[0])
    np.fill_diagonal(matrix, of_copies)
    check_merges(average_link(matrix, INVERSE), with_copies(matrix, INVERSE))
