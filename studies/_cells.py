"""Published figures beside ours: what is inside tolerance, how many cells, and why not."""

from __future__ import annotations

import re
import shutil
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from studies._run import parser
from studies._store import Store
from studies._table import markdown, measured

OPEN = "open"
DATA_DIFFER = "data differ"
NOTHING = "nothing to measure"
NOT_HMETIS = "explained: hMETIS cannot be had, and another bisection finds other cuts"

# CSPA, HGPA and MCLA as Strehl and Ghosh's programs are: pmetis and shmetis with UBfactor 5 as
# they come; equal objects and clusters are not merged
AS_PUBLISHED: dict[str, tuple[str, dict[str, Any]]] = {
    "CSPA": ("CSPA", {"partitioner": "pmetis", "imbalance": 0.001, "merge_equal": False}),
    "HGPA": (
        "HGPA",
        {
            "partitioner": "bisection",
            "imbalance": 0.1,
            "merge_equal": False,
            "objective": "cut",
        },
    ),
    "MCLA": (
        "MCLA",
        {
            "partitioner": "pmetis",
            "imbalance": 0.001,
            "merge_equal": False,
            "balance": "objects",
        },
    ),
}
SAID_AS_PUBLISHED = (
    "CSPA, HGPA and MCLA as in the programs of Strehl and Ghosh: METIS's recursive bisection "
    "once, unrefined and balanced; multilevel bisection by hyperedge cut with sides of 45 to "
    "55 %; equal objects and clusters are not merged."
)


class Cell(NamedTuple):
    """One published figure and our runs; `cause` says why they differ, should they."""

    data: str
    method: str
    published: float
    values: Sequence[float] = ()
    published_sd: float | None = None
    cause: str = OPEN


class Table(NamedTuple):
    """A table of a paper.

    A cell is inside if our mean is at most `tolerance`, or two of our standard deviations, away
    from the published figure.
    """

    name: str
    cells: list[Cell]
    tolerance: float
    digits: int = 1
    remark: str = ""
    pictures: tuple[Path, ...] = ()

    def inside(self, cell: Cell) -> bool | None:
        """Whether a cell is inside tolerance; None if it was not measured."""
        if not len(cell.values):
            return None
        away = abs(float(np.mean(cell.values)) - cell.published)
        return bool(away <= max(self.tolerance, 2 * float(np.std(cell.values))) + 1e-9)

    def counts(self) -> tuple[int, int, int]:
        """Cells inside, outside and not measured."""
        verdicts = [self.inside(cell) for cell in self.cells]
        return verdicts.count(True), verdicts.count(False), verdicts.count(None)

    def text(self) -> str:
        rows = [
            [
                cell.data,
                cell.method,
                _with_sd(cell, self.digits),
                _ours(cell.values, self.digits),
                str(len(cell.values)),
                {True: "inside", False: "outside", None: "–"}[self.inside(cell)],
                cell.cause if self.inside(cell) is False else "",
            ]
            for cell in self.cells
        ]
        header = ["data", "method", "published", "measured", "runs", "tolerance", "cause"]
        return markdown(header, rows)


class Note(NamedTuple):
    """A figure or table without published numbers that could be compared."""

    name: str
    state: str  # "measured", "measured in part", "not measured", "not attainable" or NOTHING
    text: str = ""
    pictures: tuple[Path, ...] = ()


def note(name: str, text: str, store: Store | None = None, *pictures: str) -> Note:
    """A figure whose numbers the text shows; without a text it was not measured.

    Of the pictures those count that lie in the folder of the store.
    """
    drawn = pictures_in(store, *pictures)
    return Note(name, "measured" if text else "not measured", text, drawn)


def pictures_in(store: Store | None, *pictures: str) -> tuple[Path, ...]:
    """Paths of those pictures that are in the folder of the store."""
    if store is None or store.file is None:
        return ()
    return tuple(path for p in pictures if (path := store.file.parent / p).exists())


def in_part(note: Note, found: int, wanted: int) -> Note:
    """A figure for some of the data sets only."""
    return note._replace(state="measured in part") if 0 < found < wanted else note


class Report(NamedTuple):
    """What a study says: a title, its settings, tables and figures."""

    paper: str
    title: str
    settings: str
    parts: list[Table | Note]

    def tables(self) -> list[Table]:
        return [part for part in self.parts if isinstance(part, Table)]

    def pictures(self) -> list[Path]:
        return [picture for part in self.parts for picture in part.pictures]

    def page(self) -> str:
        """The page of the study, as Markdown."""
        lines = [f"{self.title}\n", f"**{count(self.tables())}**\n"]
        lines.append(f"{self.settings} The seed of a run is its number, from 0 on.\n")
        for part in self.parts:
            lines.append(f"## {part.name}\n")
            if isinstance(part, Table):
                tolerance = f"Tolerance {part.tolerance:g} or two of our standard deviations: "
                lines.append(f"{tolerance}{count([part])}\n")
                lines += [f"{part.remark}\n"] if part.remark else []
                lines.append(f"{part.text()}\n")
            else:
                lines.append(f"{part.text or part.state.capitalize() + '.'}\n")
            lines += [f"![{part.name}]({picture.name})\n" for picture in part.pictures]
        return "\n".join(lines)


def count(tables: Sequence[Table]) -> str:
    """Cells inside tolerance, in words."""
    inside, outside, missing = (sum(n) for n in zip(*(t.counts() for t in tables), strict=True))
    said = f"{inside} of {inside + outside + missing} cells inside tolerance"
    return said + (f", {missing} of them not measured." if missing else ".")


def index(reports: Sequence[Report], before: str = "") -> str:
    """One line per table and figure of all papers.

    `before` is an index whose lines are kept for papers that are not among the reports.
    """
    new = {report.paper for report in reports}
    kept_totals = re.findall(r"^- (paper \d+): (.*)$", before, re.MULTILINE)
    kept_rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in before.splitlines()
        if re.match(r"\| paper \d", line)
    ]
    totals = [(paper, said) for paper, said in kept_totals if paper not in new]
    totals += [(report.paper, count(report.tables())) for report in reports]
    rows = [row for row in kept_rows if row[0] not in new]
    rows += [row for report in reports for row in _lines(report)]
    header = ["paper", "table or figure", "state", "inside", "outside", "not measured"]
    listed = "\n".join(f"- {paper}: {said}" for paper, said in sorted(totals))
    return (
        "Tables and figures of the five papers. A cell is inside if our mean is within the "
        "tolerance of its paper, or within two of our standard deviations, of the published "
        f"figure.\n\n{listed}\n\n{markdown(header, sorted(rows, key=lambda row: row[0]))}\n"
    )


def _lines(report: Report) -> list[list[str]]:
    rows = []
    for part in report.parts:
        if isinstance(part, Table):
            inside, outside, missing = part.counts()
            state = "measured" if inside + outside else "not measured"
            if inside + outside and missing:
                state = "measured in part"
            numbers = [f"{inside} of {inside + outside + missing}", str(outside), str(missing)]
            rows.append([report.paper, part.name, state, *numbers])
        else:
            rows.append([report.paper, part.name, part.state, "", "", ""])
    return rows


def write_pages(folder: Path, study: str, report: Report) -> None:
    """Write the page of a study and its pictures, and its lines in ``index.md``."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / f"{study}.md", report.page())
    for picture in report.pictures():
        if picture.parent.resolve() != folder.resolve():
            shutil.copy(picture, folder)
    listed = folder / "index.md"
    before = listed.read_text(encoding="utf-8") if listed.exists() else ""
    _write(listed, index([report], before))


def _write(path: Path, text: str) -> None:
    path.write_text(text.rstrip() + "\n", encoding="utf-8")


class Setting(NamedTuple):
    """What a study is given: where data are, where results are kept, how many runs."""

    data: Path
    store: Store
    runs: int
    seed: int
    only: Sequence[str] = ()

    def seeds(self) -> range:
        return range(self.seed, self.seed + self.runs)


def study_options(description: str | None, runs: int | None = None) -> ArgumentParser:
    """The options of studies with a store; without `runs` each study has its own number."""
    known = parser(description, runs)
    known.add_argument(
        "--from-store", action="store_true", help="measure nothing: show what --out holds"
    )
    known.add_argument(
        "--pages", type=Path, help="folder for the page of each paper and its lines in index.md"
    )
    return known


def run_study(study: Any, given: Namespace) -> Report:
    """Measure what the store of a study lacks, and report all that it has."""
    store, runs = Store(given.out, study.NAME), given.runs or study.RUNS
    setting = Setting(given.data, store, runs, given.seed, given.only)
    if not given.from_store:
        study.measure(setting)
    return study.report(setting)


def main(name: str) -> None:
    """The command of a study."""
    study = sys.modules[name]
    given = study_options(study.__doc__, study.RUNS).parse_args()
    report = run_study(study, given)
    if given.pages is not None:
        write_pages(given.pages, study.NAME, report)
    print(report.page())


def _with_sd(cell: Cell, digits: int) -> str:
    sd = "" if cell.published_sd is None else f" ± {cell.published_sd:.{digits}f}"
    return f"{cell.published:.{digits}f}{sd}"


def _ours(values: Sequence[float], digits: int) -> str:
    if not len(values):
        return "–"
    return measured(values, digits) if len(values) > 1 else f"{values[0]:.{digits}f}"
