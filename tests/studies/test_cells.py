"""Which cells are inside, how they are counted, and what a store keeps."""

import json

import numpy as np
import pytest

from studies import _cells as studies
from studies._characteristics import Printed, keep, listed


@pytest.fixture
def table():
    cells = [
        studies.Cell("Iris", "near", 10.0, [10.5, 11.0]),  # 0.75 away
        studies.Cell("Iris", "far", 10.0, [12.0, 12.0], 0.5, "data differ"),
        studies.Cell("Iris", "spread", 10.0, [9.0, 15.0], cause="open"),  # 2 away, sd 3
        studies.Cell("Iris", "one run", 10.0, [11.0]),  # at the tolerance
        studies.Cell("Iris", "none", 10.0),
    ]
    return studies.Table("Table 1", cells, 1.0)


def test_inside_by_the_tolerance_by_the_means_and_by_our_own_spread(table):
    by = {rule: [table.inside(cell, rule) for cell in table.cells] for rule in studies.RULES}
    assert by["tolerance"] == [True, False, False, True, None]
    assert by["means"] == [True, False, True, True, None]  # 2 away, twice the error 2 · 3 / √2
    assert by["spread"] == [True, False, True, True, None]
    assert table.counts() == (5, 2, 3, 3, 2, 1)
    assert [table.verdict(cell) for cell in table.cells] == [
        "all",
        "none",
        "means, spread",
        "all",
        "–",
    ]


def test_published_means_of_several_runs_make_the_headline_and_bring_their_own_error(table):
    # 3.5 away: twice the error is 2 √(3² / 4 + 2² / 4) = 3.6, and 3 without the published spread
    cell = studies.Cell("Iris", "spread", 8.5, [9.0, 15.0, 9.0, 15.0], 2.0)
    means = studies.Table("Table 2", [cell], 1.0, published_runs=4)
    assert means.inside(cell)
    assert means.counts().headline == 1
    assert not means.inside(cell._replace(published_sd=None))
    assert not means._replace(published_runs=None).inside(cell)
    assert "Published: means of 4 runs; ours: 4." in studies.Report("p", "", "", [means]).page()
    single = means._replace(published_runs=None)
    assert "Our runs: 4." in studies.Report("p", "", "", [single]).page()


def test_a_page_counts_and_says_the_cause_of_what_is_outside_only(table):
    lost = studies.not_attainable("Table 2", "No copy.", 7)
    again = table._replace(name="Table 1, other reading", counted=False)
    report = studies.Report("paper 9", "A title.", "Settings.", [table, again, lost])
    page = report.page()
    said = "2 of 5 cells inside by the rule “tolerance”, 1 not measured; 7 more are printed whose"
    assert f"**{said} data cannot be had.**" in page
    assert "| 3 of 5 " in page
    lines = [line for line in page.splitlines() if line.startswith("| Iris")][:5]
    assert [line.count("data differ") for line in lines] == [0, 1, 0, 0, 0]
    assert "10.0 ± 0.5" in lines[1]
    assert "## Table 2\n\nNo copy.\n" in page
    listed = studies.index([report])
    assert f"- paper 9: {said}" in listed
    rows = [[c.strip() for c in line.split("|")[2:-1]] for line in listed.splitlines()[-3:]]
    assert rows[0] == ["Table 1", "measured in part", "5", "2", "3", "3", "1", ""]
    assert rows[1][2:] == ["(5)", "(2)", "(3)", "(3)", "(1)", ""]
    assert rows[2] == ["Table 2", "not attainable", "", "", "", "", "", "7"]


def test_pages_of_one_study_keep_the_lines_of_others(table, tmp_path):
    note = studies.note("Fig. 1", "")
    other = studies.Report("paper 8", "Another title.", "Settings.", [table, note])
    both = [other, studies.Report("paper 9", "A title.", "Settings.", [table, note])]
    for name, report in zip(("paper8", "paper9"), both, strict=True):
        studies.write_pages(tmp_path, name, report)
    listed = (tmp_path / "index.md").read_text()
    assert listed.rstrip() == studies.index(both).rstrip()
    better = both[1]._replace(parts=[table._replace(tolerance=9.0)])
    studies.write_pages(tmp_path, "paper9", better)
    studies.write_pages(tmp_path, "paper8", other)
    assert (tmp_path / "index.md").read_text().rstrip() == studies.index([other, better]).rstrip()
    assert (tmp_path / "paper9.md").read_text().rstrip() == better.page().rstrip()


def test_a_store_goes_on_after_a_line_that_was_cut_off(tmp_path):
    calls = []

    def measure(run):
        calls.append(run)
        return {"error": float(run)}

    store = studies.Store(tmp_path, "one")
    for run in range(2):
        store.get(("Table 1", "Iris", run), lambda run=run: measure(run))
    with (tmp_path / "one.jsonl").open("a") as out:
        out.write(json.dumps([["Table 1", "Iris", 2], {"error": 2.0}])[:-9])
    for _ in range(2):
        again = studies.Store(tmp_path, "one")
        for run in range(3):
            again.get(("Table 1", "Iris", run), lambda run=run: measure(run))
    assert calls == [0, 1, 2]
    assert again.values("Table 1", "Iris") == {"error": [0.0, 1.0, 2.0]}
    assert again.values("Table 1", "Breast") == {}


def test_pictures_of_the_store_stand_beside_their_numbers(table, tmp_path):
    store = studies.Store(tmp_path, "one")
    (tmp_path / "there.png").write_bytes(b"")
    note = studies.note("Fig. 1", "numbers", store, "there.png", "missing.png")
    report = studies.Report("paper 9", "A title.", "Settings.", [table, note])
    assert report.pictures() == [tmp_path / "there.png"]
    assert "numbers\n\n![Fig. 1](there.png)\n" in report.page()


def test_data_sets_stand_beside_the_printed_ones():
    store = studies.Store(None, "one")
    X, y = np.zeros((6, 3)), np.array([0, 1, 1, -1, -1, 0])
    keep(store, "spirals", lambda: (X, y))
    printed = {"spirals": Printed(6, 3, 2, "2-2-(2)"), "paths": Printed(8, 2, 4)}
    shown = listed(store, "Table 1", printed)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in shown.text.splitlines()]
    assert rows[2] == ["spirals", "6", "6", "3", "3", "2", "2", "2-2-(2)", "2-2-(2)"]
    assert rows[3] == ["paths", "8", "–", "2", "–", "4", "–", "–", "–"]
    assert shown.state == "measured in part"
    assert listed(store, "Table 1", printed, lost=1).state == "measured"


def test_other_readings_stand_beside_that_of_the_study(table):
    other = table._replace(cells=[cell._replace(values=[10.0]) for cell in table.cells])
    said = "5 of 5 cells inside by “tolerance”; 2 in the study"
    assert studies.compared(other, table) == said
    unmeasured = table._replace(cells=[cell._replace(values=()) for cell in table.cells])
    assert studies.compared(unmeasured, table) == "not measured"
    note = studies.departures(("ten runs", "two", said))
    assert f"| ten runs  | two       | {said} |" in note.text
    page = studies.Report("paper 9", "A title.", "Settings.", [table, note]).page()
    assert "**2 of 5 cells" in page  # departures are not counted
