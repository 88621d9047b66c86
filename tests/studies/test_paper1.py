"""The rule for the threshold of normalised edges on sets with known classes."""

import numpy as np
import pytest

from studies import paper1, paper1_thresholds
from studies._cells import Setting
from studies._store import Store


def test_the_halves_are_compared_with_the_best_fixed_threshold():
    store = Store(None, "paper1")
    fixed = {f"θ = {theta:g}": 0.2 for theta in paper1_thresholds.THRESHOLDS}
    develop, validate = paper1_thresholds.HALVES["development"], "shape_flame"
    for run in (0, 1):
        own = fixed | {"θ = 0.5": 0.1 + 0.2 * run, "θ by the rule": 0.4, "rule": 0.206}
        store.known["θ on shapes", "√n", develop[0], run] = own  # the best has 0.2
        own = fixed | {"θ = 0.5": 0.1, "θ by the rule": 0.2, "rule": 0.12 - 0.02 * run}
        store.known["θ on shapes", "√n", develop[1], run] = own  # the best has 0.1
    own = fixed | {"θ by the rule": 0.5, "rule": 0.3}
    store.known["θ on shapes", "2√n", validate, 0] = own
    text = paper1_thresholds.shapes_text(store)
    [first] = [line for line in text.splitlines() if line.startswith("| development")]
    row = [cell.strip() for cell in first.split("|")[1:-1]]
    assert row[:4] == ["development", "√n", "2", "2"]
    assert row[4] == "0.200 (1)"
    assert row[9] == "0.150 (2)"
    assert row[11:] == ["0.158 (2)", "0.20 to 0.40"]
    assert "Development sets: the rule 0.158, θ = 0.3 0.200, the best fixed θ (0.5) 0.150." in text
    assert "Validation sets: the rule 0.300" in text
    assert "| validation  | 2√n    | 1 " in text


def test_nothing_measured_says_nothing(tmp_path):
    store = Store(None, "paper1")
    assert paper1_thresholds.shapes_text(store) == ""
    page = paper1.report(Setting(tmp_path, store, 1, 0)).page()
    assert "## Table 1, data sets\n\nNot measured." in page


def test_missing_shapes_are_named_and_drawn_ones_measured(tmp_path, capsys):
    given = Setting(tmp_path, Store(None, "paper1"), 1, 0, ["θ on shapes", "cigars", "jain"])
    paper1.measure(given)
    assert "shape_jain.parquet is not in" in capsys.readouterr().err
    assert set(given.store.known) == {("θ on shapes", base, "cigars", 0) for base in ("√n", "2√n")}
    values = given.store.known["θ on shapes", "√n", "cigars", 0]
    assert values["rule"] == pytest.approx(values["θ = 0.3"], abs=0.1)


def test_clusters_with_most_edges_between_them_are_merged():
    # 0-1-2 all linked, 3-4 linked, and 2-3: two edges join {0, 1} and 2, one each 2-3 and 3-4
    linked = np.zeros((6, 6), dtype=bool)
    for i, j in [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)]:
        linked[i, j] = linked[j, i] = True
    assert paper1.merge_by_edges(linked, 4).tolist() == [0, 0, 0, 3, 4, 5]
    # the large cluster wins the tie; object 5 has no edges, and stays apart even for k = 1
    assert paper1.merge_by_edges(linked, 3).tolist() == [0, 0, 0, 0, 4, 5]
    assert paper1.merge_by_edges(linked, 1).tolist() == [0, 0, 0, 0, 0, 5]
