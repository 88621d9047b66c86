"""The rule for the threshold of CA-HNE: small cases by hand, and what it depends on."""

import numpy as np
import pytest

from consens.consensus import CAHNE
from consens.evidence import coassociation
from studies.paper1_thresholds import valley_threshold

# object 3 changes sides once: 3 pairs are together once, 2 twice, 4 three times
ONE_MOVES = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1], [1, 1, 1]])


def test_the_automatic_threshold_is_where_the_number_of_pairs_stops_falling():
    theta = valley_threshold(ONE_MOVES)
    assert theta == pytest.approx(2 / 3)
    assert CAHNE(2, threshold=theta).fit(ONE_MOVES).n_edges_ == 4


def test_the_numbers_of_pairs_are_smoothed():
    # of nine partitions the smoothing spans three numbers
    numbers = np.array([9, 4, 5, 1, 1, 1, 6, 6, 6])
    labels = np.arange(2 * numbers.sum())[:, None].repeat(9, axis=1)
    pairs = np.repeat(np.arange(1, 10), numbers)  # objects 2p and 2p + 1 are together so often
    for p, together in enumerate(pairs):
        labels[2 * p + 1, :together] = labels[2 * p, :together]
    # sums of three: 22 18 10 7 3 8 13 18 18: the first number that is not above the next is the
    # fifth; without smoothing it would be the second
    assert valley_threshold(labels) == pytest.approx(5 / 9)


def test_without_a_valley_the_automatic_threshold_is_that_of_the_paper():
    # (0, 1) and (2, 3) are together once, no pair twice
    labels = np.array([[0, 0], [0, 1], [1, 2], [2, 2]])
    assert valley_threshold(labels) == 0.3


@pytest.mark.parametrize("share_missing", [0, 0.2])
def test_the_automatic_threshold_depends_on_the_coassociations_only(share_missing):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, size=(50, 12))[rng.integers(0, 50, size=120)]  # equal rows
    labels[:30, :7] = 0
    labels[rng.random(labels.shape) < share_missing] = -2
    pairs = coassociation(labels)[np.triu_indices(120, 1)]
    numbers = np.bincount(np.floor(12 * pairs + 0.5 + 1e-9).astype(int), minlength=13)[1:]
    smooth = np.convolve(np.pad(numbers, 1, mode="edge"), np.ones(3), mode="valid")
    valley = np.flatnonzero(smooth[:-1] <= smooth[1:])[0] + 1
    theta = valley_threshold(labels)
    assert theta == pytest.approx(valley / 12)
    renamed = np.where(labels == -2, -2, 7 - labels)
    for same in (renamed, labels[:, rng.permutation(12)]):
        assert valley_threshold(same) == theta
    assert valley_threshold(labels[::-1]) == theta
