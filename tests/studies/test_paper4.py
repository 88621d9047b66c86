"""Other settings of the methods, beside those of the study."""

from pathlib import Path

import pytest

from studies import paper4
from studies._cells import Setting, Table
from studies._store import Store
from tests.consensus._plain import noisy_labels


def test_every_number_of_clusters_or_some(monkeypatch):
    ensemble, y = paper4.Ensemble(noisy_labels(0)), noisy_labels(0)[:, 0]
    monkeypatch.setattr(paper4, "CANDIDATES", [2, 4])
    monkeypatch.setattr(paper4, "SPARSE", [3])
    most = int(len(y) ** 0.5)
    assert list(paper4.each_k("EAC", ensemble, y, 0)) == ["2", "4"]
    assert list(paper4.each_k("CSPA", ensemble, y, 0)) == ["3"]
    every = paper4.each_k("EAC", ensemble, y, 0, every=True)
    assert list(every) == [str(k) for k in range(2, most + 1)]
    assert every["4"] == paper4.each_k("EAC", ensemble, y, 0)["4"]


def test_the_effect_of_a_setting_is_of_the_same_runs():
    store = Store(None, "paper4")
    printed = paper4.TABLE_2["KCC"][0][0]
    for run, value in enumerate([0.1, 0.1, 0.9]):  # the third run has no other setting
        store.known["Best k", "pools", "Semeion", "KCC", run] = {"2": value, "3": 0.0}
    for run in range(2):
        store.known["by hand", "Semeion", "KCC", run] = {"2": 0.0, "3": printed}
    said = paper4._of_setting(store, ["Semeion"], ["KCC"], "by hand")
    gain = printed - 0.1
    assert said == (
        "1 of 1 cells inside by “means”; 0 in the study (Semeion); "
        f"NMI {gain:+.3f} on average, {gain:+.3f} to {gain:+.3f}"
    )
    assert paper4._of_setting(store, ["SPF"], ["KCC"], "by hand") == "not measured"


def test_the_members_of_the_text_count_and_the_true_k_stands_beside():
    store = Store(None, "paper4")
    printed = paper4.TABLE_2["KCC"][0][0]
    store.known["Best k", "features", "Semeion", "KCC", 0] = {"2": 0.0, "3": printed}
    lines = [f"θ = {theta:g}" for theta in paper4.THETAS]
    columns = ["LWMC", "LWMC, max", "base", "base, max", *lines]
    true_k = dict.fromkeys(columns, 0.5) | {"KCC": printed + 0.1}
    store.known["True k", "features", "Semeion", 0] = true_k
    report = paper4.report(Setting(Path("no data"), store, 1, 0))
    tables = {part.name: part for part in report.parts if isinstance(part, Table)}
    assert [table.name for table in report.tables()] == ["Table 2, from features"]
    assert tables["Table 2, from features"].counts().headline == 1
    assert list(tables) == [
        f"Table 2{k}, from {source}"
        for k in ("", " with the true k")
        for source in ("features", "pools")
    ]
    true = tables["Table 2 with the true k, from features"].counts()
    assert (true.cells, true.spread, true.missing) == (72, 0, 70)


@pytest.mark.parametrize("method", ["SEC", "KCC"])
def test_defaults_are_other_settings(method):
    assert paper4.DEFAULTS[method][1] == {}
    assert paper4.METHODS[method][1]["n_init"] == 1
