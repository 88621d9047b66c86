"""The counts on the pages, recounted from the kept runs and the printed values by plain code."""

import json
import re
from collections import defaultdict
from math import sqrt

import pytest

from studies import all as every
from studies import paper0, paper1, paper2, paper2_scenes, paper3, paper4


def kept(name):
    """Lines of a store: what was measured, by key."""
    lines = (every.PAGES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return {tuple(key): value for key, value in map(json.loads, lines)}


def runs(lines, *start):
    """Values of each column, over the lines whose key is the start and the number of a run."""
    found = defaultdict(list)
    for key, values in sorted((k, v) for k, v in lines.items() if k[:-1] == start):
        assert isinstance(key[-1], int)
        for column, value in values.items():
            found[column].append(value)
    return found


def recount(cells, published_runs=None):
    """Cells, and those inside by the tolerance, the means and our spread.

    A cell is (published, standard deviation or None, our values, tolerance).
    """
    counts = [len(cells), 0, 0, 0]
    for published, sd, values, tolerance in cells:
        n = len(values)
        mean = sum(values) / n
        variance = sum((value - mean) ** 2 for value in values) / n
        of_theirs = 0 if sd is None or published_runs is None else sd**2 / published_runs
        away = abs(mean - published) - 1e-9
        counts[1] += away <= tolerance
        counts[2] += away <= max(tolerance, 2 * sqrt(variance / n + of_theirs))
        counts[3] += away <= max(tolerance, 2 * sqrt(variance))
    return tuple(counts)


def cells_of_paper_0():
    lines, cells = kept("paper0"), []
    for name in paper0.DATA:
        found = runs(lines, name)
        printed = dict(zip(paper0.METHODS, paper0.PUBLISHED[name], strict=True))
        for kind, row in zip(
            ("LAC", "k-means", "k in [2, 20]"), paper0.MEMBERS[name], strict=True
        ):
            printed |= {
                f"{kind} {part}": p for part, p in zip(("max", "min", "avg"), row, strict=True)
            }
        cells += [(p, None, found[method], 1.0) for method, p in printed.items()]
    found = runs(lines, "Table XIII")
    cells += [
        (p, None, found[m], 1.0) for m, p in zip(paper0.WEIGHTED, paper0.TABLE_13, strict=True)
    ]
    members = ("LAC min", "LAC max", "LAC avg")
    cells += [(p, None, found[m], 1.0) for m, p in zip(members, paper0.TABLE_13_LAC, strict=True)]
    return cells, None, 2 * 22 + 9


def cells_of_paper_1():
    lines, cells = kept("paper1"), []
    for name in paper1.DATA:
        found = runs(
            {k: v for k, v in lines.items() if k[-1] not in ("once", "σ")}, "Table 2", name
        )
        found |= {c: [value] for c, value in lines["Table 2", name, "once"].items()}
        found["CA-HNE"] = runs(lines, "Readings", name)["CA-HNE, stopped without edges"]
        for column, p, sd in zip(paper1.COLUMNS, *paper1.TABLE_2[name], strict=True):
            cells.append((p, sd, found[column], 0.01))
    return cells, 20, 0


def cells_of_paper_2():
    lines, cells = kept("paper2"), []
    numbered = {k: v for k, v in lines.items() if isinstance(k[-1], int)}
    for name, printed in paper2.TABLE_2.items():
        found = runs(numbered, "Table 2", name) | runs(numbered, "Single runs", name)
        found |= {c: [value] for c, value in lines["Single runs", name, "once"].items()}
        columns = ("KM", "SL", "AL", "SC", "EAC-SL", "EAC-AL", "CSPA", "HGPA", "MCLA")
        cells += [
            (p, None, found[c], 1.0)
            for c, p in zip(columns, printed, strict=True)
            if p is not None
        ]
    for name, (_, printed) in paper2.TABLE_3.items():
        found = runs(numbered, "Table 3", name)
        columns = ("KM (mean)", "EAC-SL", "EAC-AL", "CSPA", "HGPA", "MCLA")
        cells += [
            (p, None, found[c], 1.0)
            for c, p in zip(columns, printed, strict=True)
            if p is not None
        ]
    for name, (_, printed) in paper2.TABLE_4.items():
        found = runs(numbered, "Table 4", name)
        cells += [(p, None, found[c], 1.0) for c, p in printed.items()]
    for name, k in paper2.SECTION_5.items():
        found = runs(numbered, "Section 5", name)
        pairs = zip(found["k = 15, N = 50"], found["k drawn, N = 50"], strict=True)
        cells.append((1, None, [((a == k) + (b == k)) / 2 for a, b in pairs], 0.1))
    found = runs(numbered, "Figs. 2 and 3")
    cells += [
        (p, None, found[f"lifetime of {k} clusters"], 0.1)
        for k, p in paper2_scenes.FIGURE_3.items()
    ]
    found = runs(numbered, "Fig. 12")
    cells += [(13, None, found["clusters"], 1.0), (1.2, None, found["error"], 1.0)]
    return cells, None, 9 + 6 + 2 * 9


def cells_of_paper_3():
    lines, cells = kept("paper3"), []
    for name in ("CHART", "ISOLET6", "SEGMENTATION", "WINE"):
        for method, (printed, sds) in paper3.PUBLISHED[name].items():
            sizes = (30, 60, 90, 120, 150) if len(printed) == 5 else ("",)
            for size, p, sd in zip(sizes, printed, sds, strict=True):
                found = runs(lines, "CSPA", name, f"S {method} {size}".strip())
                cells.append((p, sd, found["NMI"], 0.015))
    return cells, 10, 2 * 17


def cells_of_paper_4():
    lines, cells = kept("paper4"), []
    for method, (printed, sds) in paper4.TABLE_2.items():
        for name, p, sd in zip(paper4.DATA, printed, sds, strict=True):
            start = ("Best k", "features", name, method)
            best = [max(v.values()) for k, v in lines.items() if k[:-1] == start]
            cells.append((p, None if sd == 0.482 else sd, best, 0.015))
    return cells, 20, 0


PAPERS = {
    "paper0": (cells_of_paper_0, 163),
    "paper1": (cells_of_paper_1, 60),
    "paper2": (cells_of_paper_2, 141),
    "paper3": (cells_of_paper_3, 68),
    "paper4": (cells_of_paper_4, 72),
}


@pytest.mark.parametrize("name", PAPERS)
def test_a_page_counts_each_printed_cell_once_and_by_the_rules(name):
    cells_of, number = PAPERS[name]
    cells, published_runs, lost = cells_of()
    every_cell, *inside = recount(cells, published_runs)
    assert every_cell == number
    page = (every.PAGES / f"{name}.md").read_text(encoding="utf-8")
    rows = [
        re.search(rf"^\| {rule} .*\| (\d+) of (\d+) ", page, re.MULTILINE).groups()
        for rule in ("tolerance", "means", "spread")
    ]
    assert rows == [(str(own), str(number)) for own in inside]
    headline = inside[0 if published_runs is None else 1]
    assert f"**{headline} of {number} cells inside" in page
    said = re.search(r"; (\d+) more are printed whose data cannot be had\.\*\*", page)
    assert (0 if said is None else int(said[1])) == lost
    listed = (every.PAGES / "index.md").read_text(encoding="utf-8")
    assert f"- paper {name[-1]}: {headline} of {number} cells inside" in listed


def test_the_rules_by_hand():
    # 2 away: twice the standard error is 2 √(3² / 4 + 2² / 4) = 3.6, of ours alone 3
    cells = [(10.0, 2.0, [9.0, 15.0, 9.0, 15.0], 1.0)]
    assert recount(cells, 4) == (1, 0, 1, 1)
    # 3.5 away: only with the published spread
    cells = [(8.5, 2.0, [9.0, 15.0, 9.0, 15.0], 1.0)]
    assert recount(cells, 4)[2] == 1
    assert recount(cells)[2] == 0
