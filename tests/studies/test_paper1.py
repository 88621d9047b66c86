"""The rule for the threshold of normalised edges, by hand."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

from consens import Ensemble

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(not (ROOT / "studies").exists(), reason="studies are not here")


@pytest.fixture(scope="module")
def paper1():
    sys.path.insert(0, str(ROOT))
    try:
        yield importlib.import_module("studies.paper1")
    finally:
        sys.path.remove(str(ROOT))


def test_the_threshold_is_where_the_number_of_pairs_stops_to_fall(paper1):
    # object 3 changes sides once: 3 pairs are together once, 2 twice, 4 three times
    labels = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1], [1, 1, 1]])
    assert paper1.threshold_at_valley(Ensemble.from_labels(labels)) == pytest.approx(2 / 3)


def test_a_distribution_that_falls_to_its_end_gets_the_threshold_of_the_paper(paper1):
    # (0, 1) and (2, 3) are together once, no pair twice
    labels = np.array([[0, 0], [0, 1], [1, 2], [2, 2]])
    assert paper1.threshold_at_valley(Ensemble.from_labels(labels)) == 0.3
