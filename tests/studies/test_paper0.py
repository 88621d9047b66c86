"""Other readings of Domeniconi and Al-Razgan, and their effect on the cells."""

import numpy as np
import pytest

from studies import paper0, paper0_readings
from studies._store import Store


@pytest.fixture(scope="module")
def measured():
    source = paper0.DATA["Two-Gaussian"]._replace(inverse_h=range(1, 4))
    X, y = source.read(None, 0)
    rows = np.r_[0:60, 300:360]  # both classes
    return paper0_readings.one_run(source, X[rows], y[rows], 0)


def test_every_reading_is_measured(measured):
    readings = [
        paper0_readings.CONSTANT,
        *paper0_readings.CUTS,
        paper0_readings.MEMBERS,
        paper0_readings.KMEANS,
    ]
    wanted = {f"{method}, {own.reading}" for own in readings for method in own.methods}
    wanted |= {f"{method}, {paper0_readings.KL}" for method in ("WSPA-METIS", "WSPA-SPEC")}
    assert set(measured) == wanted
    assert all(0 <= error <= 50 for error in measured.values())


def test_an_effect_counts_the_same_cells_by_both_readings():
    store = Store(None, "paper0")
    reading = paper0_readings.Reading("by hand", "another cut", ["WBPA-SPEC"])
    assert reading.effect(store) == "not measured"
    printed = paper0.PUBLISHED["Iris"][paper0.METHODS.index("WBPA-SPEC")]
    store.known["Readings", "Iris", 0] = {"WBPA-SPEC, another cut": printed + 0.9}
    store.known["Iris", 0] = {"WBPA-SPEC": printed + 1.1}
    said = "1 of 7 cells inside by “tolerance”; 0 in the study"
    assert reading.effect(store) == said
    assert not reading.table(store).counted
