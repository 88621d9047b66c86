"""Figures of the studies are drawn from the store, over the libraries that all lines have."""

import pytest

from studies import paper3, paper3_figures, paper4, paper4_figures
from studies._cells import Setting
from studies._store import Store


def setting(folder, name):
    return Setting(folder / "no data", Store(folder, name), runs=2, seed=0)


def part(report, name):
    [found] = [part for part in report.parts if part.name == name]
    return found


def fill(store, key, value):
    store.get(key, lambda: value)


@pytest.fixture
def selections(tmp_path):
    """Figures 1 and Starts of WINE and CHART, with two libraries and one."""
    given = setting(tmp_path, "paper3")
    for name, libraries in (("WINE", 2), ("CHART", 1)):
        for run in range(libraries):
            for figure in paper3.figures_of("Fig. 1", outliers=False):
                fill(given.store, ("CSPA", name, str(figure), run), {"NMI": 0.4 + 0.1 * run})
            for start in paper3.STARTS:
                for figure in paper3.COMPARED:
                    key = ("CSPA", name, str(figure._replace(library=start)), run)
                    fill(given.store, key, {"NMI": 0.5})
    # one more library of the table alone
    fill(given.store, ("CSPA", "WINE", "S Full", 2), {"NMI": 0.9})
    return given


def test_a_figure_of_selection_has_as_many_libraries_for_all_its_lines(selections):
    paper3_figures.draw(selections.store)
    shown = part(paper3.report(selections), "Fig. 1")
    assert shown.state == "measured in part"  # two of the four data sets that can be had
    assert [picture.name for picture in shown.pictures] == ["paper3_fig1.png"]
    [full] = [line for line in shown.text.splitlines() if "| WINE" in line and "Full" in line]
    assert [cell.strip() for cell in full.split("|")[3:5]] == ["2", "0.450"]


def test_starts_are_compared_on_the_libraries_that_both_have(selections):
    shown = part(paper3.report(selections), "Starts of k-means").text
    rows = [[cell.strip() for cell in line.split("|")[1:5]] for line in shown.splitlines()[2:]]
    assert rows == [
        ["CHART", "objects", "1", "0.400 ± 0.000"],
        ["CHART", "assignment", "1", "0.500 ± 0.000"],
        ["WINE", "objects", "2", "0.450 ± 0.050"],
        ["WINE", "assignment", "2", "0.500 ± 0.000"],
    ]


def test_published_spreads_of_selection_stand_beside_ours(selections):
    table = part(paper3.report(selections), "Table 7, WINE")
    [full] = [cell for cell in table.cells if cell.method == "Full"]
    assert (full.published, full.published_sd, len(full.values)) == (0.447, 0.013, 3)
    assert "0.447 ± 0.013" in table.text()


def test_figures_of_local_weights_are_drawn_from_the_store(tmp_path):
    given = setting(tmp_path, "paper4")
    columns = ["base", "LWMC", "base, max", "LWMC, max"]
    columns += [f"θ = {theta:g}" for theta in paper4.THETAS]
    for run in range(2):
        fill(given.store, ("True k", "pools", "SPF", run), dict.fromkeys(columns, 0.1))
    fill(given.store, ("Fig. 3",), {"LWMC": {"2000": 0.1, "20000": 0.2}})
    paper4_figures.draw(given.store)
    report = paper4.report(given)
    for figure in ("Fig. 1, LWMC over θ", "Fig. 2, LWMC and its base clusterings"):
        assert part(report, figure).state == "measured in part"
    names = [f"paper4_fig{number}.png" for number in (1, 2, 3)]
    assert [picture.name for picture in report.pictures()] == names
