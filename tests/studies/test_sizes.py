"""The study of the default at every size."""

from pathlib import Path

import numpy as np
import pytest

from studies import sizes


@pytest.mark.parametrize(("name", "k"), [("Gaussian overlap", 10), ("moons and rings", 4)])
def test_drawn_sets_have_the_objects_and_classes_they_say(name, k):
    X, y = sizes.draw(Path(), name, 200)
    assert len(X) == len(y) == 200
    assert set(y) == set(range(k))
    again, _ = sizes.draw(Path(), name, 200)
    np.testing.assert_array_equal(X, again)


@pytest.mark.slow
def test_a_case_is_measured_in_a_process_of_its_own():
    root = Path(sizes.__file__).parents[1]
    found = sizes.measure(Path(), root, "moons and rings", 200, 0)
    assert found["ari"] > found["kmeans"]
    assert found["seconds"] > 0
    assert found["recipe"] in ("mixed", "kmeans", "spectral", "mixture", "tree")
