"""The rule for the threshold of normalised edges, by hand."""

import numpy as np
import pytest

from consens import Ensemble
from studies import paper1


def test_the_threshold_is_where_the_number_of_pairs_stops_to_fall():
    # object 3 changes sides once: 3 pairs are together once, 2 twice, 4 three times
    labels = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1], [1, 1, 1]])
    assert paper1.threshold_at_valley(Ensemble.from_labels(labels)) == pytest.approx(2 / 3)


def test_a_distribution_that_falls_to_its_end_gets_the_threshold_of_the_paper():
    # (0, 1) and (2, 3) are together once, no pair twice
    labels = np.array([[0, 0], [0, 1], [1, 2], [2, 2]])
    assert paper1.threshold_at_valley(Ensemble.from_labels(labels)) == 0.3
