"""Other readings of Domeniconi and Al-Razgan, and their effect on the cells."""

import numpy as np
import pandas as pd
import pytest

from consens import Ensemble
from studies import paper0, paper0_claims, paper0_readings
from studies._claims import HOLDS, IN_PART, UNTESTED
from studies._store import Store
from studies.paper0_figures import GAINS, OF_MEMBERS, gains_by_diversity, members_by_diversity


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
    wanted = {
        f"{method}, {own.reading}" for own in paper0_readings.OTHERS for method in own.methods
    }
    wanted |= {f"{method}, {paper0_readings.KL}" for method in ("WSPA-METIS", "WSPA-SPEC")}
    assert set(measured) == wanted
    assert all(0 <= error <= 50 for error in measured.values())


@pytest.mark.parametrize("method", paper0.WEIGHTED)
def test_methods_follow_the_steps_of_the_paper(method):
    found = paper0.weighted(method, 2, 0).get_params()
    assert found["smoothing"] == 1
    if "BPA" in method:  # all partitions, and the graph of objects and clusters
        assert found["drop_degenerate"] is False
        assert found["partitioner"] == ("metis" if "METIS" in method else "joint")


def test_rows_that_settings_were_fitted_by_are_counted_apart():
    store = Store(None, "paper0")
    printed = paper0.MEMBERS["Iris"][0]
    store.known["Iris", 0] = dict(zip(("LAC max", "LAC min", "LAC avg"), printed, strict=True))
    store.known["WDBC", 0] = {"LAC max": paper0.MEMBERS["WDBC"][0][0] + 1.5}
    found = paper0_readings._fitted(store).counts()
    assert (found.cells, found.headline, found.missing) == (21, 3, 17)


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


def test_members_are_compared_without_a_consensus(monkeypatch):
    monkeypatch.setattr("studies.paper0_figures.POOL", range(2))
    monkeypatch.setattr("studies.paper0_figures.ENSEMBLE_SIZE", 2)
    y = np.array([0, 0, 1, 1])
    pool = Ensemble.from_labels(np.array([[0, 0, 1, 1], [0, 1, 0, 1]]).T)
    found = members_by_diversity(pool, y, 0)
    # one member is the classes, the other independent of them: NMI 1 and 0, ARI 1 and -1/2
    assert found == {"r": None, "NMI": 0.5, "ARI": 0.25, "least": 1.0, "most": 1.0}
    store = Store(None, "paper0")
    store.known[OF_MEMBERS, "SatImage"] = found
    assert paper0_claims.members_by_nmi(store).verdict == HOLDS
    assert paper0_claims.narrow_on_satimage(store) == (
        "SatImage 0.000",
        "range of D_NMI at most 0.1",
        HOLDS,
    )
    assert paper0_claims.members_with_diversity(store).verdict == UNTESTED


def test_the_weights_of_words_are_read_from_what_was_kept():
    store = Store(None, "paper0")
    said = "words:\n- mostly a, heavy: x (0.90), y (0.60), z (0.10)\n"
    store.known["Fig. 11",] = {"said": said + "- mostly b, heavy: u (0.50), v (1.00)"}
    told = paper0_claims.words_of_their_own(store)
    assert told.figure == "1 of 2 (not b 1 of 2)"
    assert told.verdict == IN_PART


def test_numbers_of_clusters_beside_those_of_the_classes():
    store = Store(None, "paper0")
    for run, k in enumerate((3.0, 4.0, 4.0)):
        store.known["Iris", run] = {"free k": k}
        store.known["WDBC", run] = {"free k": 6.0}
    store.known["data", "Iris"] = {"sizes": [50, 50, 50]}
    store.known["data", "WDBC"] = {"sizes": [212, 212]}
    assert paper0_claims.few_clusters(store).figure == "1 of 2 (not WDBC 6 of 2)"


def test_other_ranges_are_compared_with_the_first(few):
    _, X, y = few
    found = paper0_readings.by_range(X, y, 0)
    assert len(found) == 2 * len(paper0_readings.RANGES)
    store = Store(None, "paper0")
    store.known[paper0_readings.WIDTHS, 0] = dict.fromkeys(found, 40.0) | {
        "[60, 90] (k free)": 38.0
    }
    told = paper0_claims.no_better_range(store)
    assert told.figure == "7 of 8 (not [60, 90] (k free) +2.0)"


def test_the_figures_use_the_defaults_of_the_library():
    for method, (name, _) in paper0.WEIGHTED.items():
        found = paper0.by_default(method, 2, 0).get_params()
        usual = getattr(paper0.consensus, name)(2).get_params()
        same = ["smoothing", *(["drop_degenerate"] if name != "WSPA" else [])]
        same += ["partitioner"] if method.endswith("SPEC") else []
        assert {key: found[key] for key in same} == {key: usual[key] for key in same}
