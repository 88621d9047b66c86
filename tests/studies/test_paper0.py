"""Other readings of Domeniconi and Al-Razgan, and their effect on the cells."""

import numpy as np
import pandas as pd
import pytest

from studies import paper0, paper0_claims, paper0_readings
from studies._claims import IN_PART
from studies._store import Store
from studies.paper0_figures import GAINS, gains_by_diversity


@pytest.fixture(scope="module")
def few():
    source = paper0.DATA["Two-Gaussian"]._replace(inverse_h=range(1, 4))
    X, y = source.read(None, 0)
    rows = np.r_[0:60, 300:360]  # both classes
    return source, X[rows], y[rows]


@pytest.fixture(scope="module")
def measured(few):
    return paper0_readings.one_run(*few, 0)


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


def test_methods_that_the_paper_leaves_out(few):
    found = paper0_readings.left_out(*few, 0)
    assert list(found) == ["HGPA", "EAC-SL (k fixed)", "EAC-SL (k free)"]
    assert all(0 <= error < 50 for error in found.values())


def test_claims_about_them():
    store = Store(None, "paper0")
    for run in range(3):
        tables = {"CSPA": 10.0, "MCLA": 12.0 + run}
        tables |= {f"k-means+EAC-AL (k {k})": 5.0 for k in ("fixed", "free")}
        store.known["Iris", run] = tables
        left = {"HGPA": 11.0 + run, "EAC-SL (k fixed)": 6.0 + run, "EAC-SL (k free)": 4.0}
        store.known[paper0_readings.LEFT_OUT, "Iris", run] = left
    assert paper0_claims.hgpa_worse(store).figure.startswith("1 of 2 (not Iris MCLA)")
    told = paper0_claims.average_above_single(store)
    assert told.figure.startswith("1 of 2 (not Iris k free)")
    assert told.verdict == IN_PART


def test_gains_go_with_diversity_by_hand():
    diversity = np.array([0.1, 0.2, 0.3])
    table = pd.DataFrame({"method": "WSPA", "D_NMI": diversity, "D_ARI": diversity})
    table[["Acc_NMI", "Acc_ARI"]] = np.array([[0.5, 0.5], [0.4, 0.4], [0.3, 0.3]])
    table["Acc*_NMI"] = 0.6  # the same accuracy: the gain grows as the members get worse
    table["Acc*_ARI"] = table["Acc_ARI"] + 0.2  # the same gain
    (by_nmi, by_ari) = gains_by_diversity(table)["WSPA"]
    assert by_nmi == pytest.approx(1)
    assert by_ari is None
    store = Store(None, "paper0")
    store.known[GAINS, "Iris"] = {"WSPA": [by_nmi, -0.5], "WBPA": [0.2, None]}
    assert paper0_claims.gain_with_diversity(store).figure == "2 of 3"
