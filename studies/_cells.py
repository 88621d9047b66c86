"""Published figures beside ours: what is inside, by which rule, how many cells, and why not."""

from __future__ import annotations

import re
import shutil
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from consens import consensus
from studies._hgpa import BisectionHGPA
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
    "HGPA": ("BisectionHGPA", {"imbalance": 0.1, "merge_equal": False}),
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


def method_class(name: str) -> type:
    """Class of `consens.consensus`, or of a study."""
    return BisectionHGPA if name == "BisectionHGPA" else getattr(consensus, name)


SAID_AS_PUBLISHED = (
    "CSPA, HGPA and MCLA as in the programs of Strehl and Ghosh: METIS's recursive bisection "
    "once, unrefined and balanced; multilevel bisection by hyperedge cut with sides of 45 to "
    "55 %; equal objects and clusters are not merged."
)


#: How a cell may be inside, from the strictest rule on; each allows at least the tolerance.
RULES = {
    "tolerance": "our mean is at most the tolerance away from the published figure",
    "means": "or at most two standard errors of the difference of the two means",
    "spread": "or at most two of our own standard deviations, which rewards a setting for noise",
}


class Cell(NamedTuple):
    """One published figure and our runs; `cause` says why they differ, should they."""

    data: str
    method: str
    published: float
    values: Sequence[float] = ()
    published_sd: float | None = None
    cause: str = OPEN


class Counts(NamedTuple):
    """Number of cells: all, inside by each rule and by the headline's, and not measured."""

    cells: int
    tolerance: int
    means: int
    spread: int
    headline: int
    missing: int


class Table(NamedTuple):
    """A table of a paper, or another reading of one whose cells are already counted.

    With `published_runs` the published figures are means of so many runs, and the headline counts
    by the rule "means"; otherwise by the tolerance alone.
    """

    name: str
    cells: list[Cell]
    tolerance: float
    digits: int = 1
    remark: str = ""
    pictures: tuple[Path, ...] = ()
    published_runs: int | None = None
    counted: bool = True

    @property
    def rule(self) -> str:
        """The rule of the headline."""
        return "tolerance" if self.published_runs is None else "means"

    def allowed(self, cell: Cell, rule: str) -> float:
        """Largest distance of our mean from the published figure, by a rule.

        The standard error of the difference is √(s²/n + s'²/n'), with our standard deviation s of
        n runs and the published s' of n'.  Without a published s' the figure counts as exact.
        """
        ours = float(np.std(cell.values))
        theirs = (cell.published_sd or 0.0) / np.sqrt(self.published_runs or 1)
        spread = {
            "tolerance": 0.0,
            "means": float(np.hypot(ours / np.sqrt(len(cell.values)), theirs)),
            "spread": ours,
        }[rule]
        return max(self.tolerance, 2 * spread)

    def inside(self, cell: Cell, rule: str | None = None) -> bool | None:
        """Whether a cell is inside, by the rule of the headline or another; None if unmeasured."""
        if not len(cell.values):
            return None
        away = abs(float(np.mean(cell.values)) - cell.published)
        return bool(away <= self.allowed(cell, rule or self.rule) + 1e-9)

    def counts(self) -> Counts:
        inside = [sum(bool(self.inside(cell, rule)) for cell in self.cells) for rule in RULES]
        headline = inside[list(RULES).index(self.rule)]
        missing = sum(self.inside(cell) is None for cell in self.cells)
        return Counts(len(self.cells), *inside, headline, missing)

    def text(self) -> str:
        rows = [
            [
                cell.data,
                cell.method,
                _with_sd(cell, self.digits),
                _ours(cell.values, self.digits),
                str(len(cell.values)),
                self.verdict(cell),
                cell.cause if self.inside(cell) is False else "",
            ]
            for cell in self.cells
        ]
        header = ["data", "method", "published", "measured", "runs", "inside by", "cause"]
        return markdown(header, rows)

    def verdict(self, cell: Cell) -> str:
        """The rules by which a cell is inside: "all", some, or "none"; a dash if unmeasured."""
        if not len(cell.values):
            return "–"
        found = [rule for rule in RULES if self.inside(cell, rule)]
        return "all" if len(found) == len(RULES) else ", ".join(found) or "none"


class Note(NamedTuple):
    """A figure or table without published numbers that could be compared.

    `lost` is the number of printed cells in it that cannot be measured: their data cannot be had.
    """

    name: str
    state: (
        str  # "measured", "measured in part", "not measured", "stated", "not attainable", NOTHING
    )
    text: str = ""
    pictures: tuple[Path, ...] = ()
    lost: int = 0


def not_attainable(name: str, why: str, lost: int = 0) -> Note:
    """A table or figure whose data cannot be had."""
    return Note(name, "not attainable", why, lost=lost)


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


def departures(*rows: tuple[str, str, str]) -> Note:
    """Where a study departs from its paper, or the paper leaves a choice, and the effect."""
    header = ["the paper", "the study", "effect"]
    return Note("Departures from the text", "stated", markdown(header, rows))


def compared(other: Table, here: Table) -> str:
    """Cells inside by another reading and by that of the study, in words."""
    found, ours = other.counts(), here.counts()
    if found.missing == found.cells:
        return "not measured"
    inside = f"{found.headline} of {found.cells} cells inside by “{other.rule}”"
    return f"{inside}; {ours.headline} in the study"


class Report(NamedTuple):
    """What a study says: a title, its settings, tables and figures."""

    paper: str
    title: str
    settings: str
    parts: list[Table | Note]

    def tables(self) -> list[Table]:
        """Tables whose cells count, each printed cell once."""
        return [part for part in self.parts if isinstance(part, Table) and part.counted]

    def lost(self) -> int:
        """Printed cells that cannot be measured."""
        return sum(part.lost for part in self.parts if isinstance(part, Note))

    def pictures(self) -> list[Path]:
        return [picture for part in self.parts for picture in part.pictures]

    def page(self) -> str:
        """The page of the study, as Markdown."""
        found = count(self.tables())
        rows = [
            [rule, what, f"{getattr(found, rule)} of {found.cells}"]
            for rule, what in RULES.items()
        ]
        lines = [f"{self.title}\n", f"**{headline(self)}**\n"]
        lines.append(markdown(["rule", "a cell is inside if", "cells inside"], rows) + "\n")
        lines.append(f"{self.settings} The seed of a run is its number, from 0 on.\n")
        for part in self.parts:
            lines.append(f"## {part.name}\n")
            if isinstance(part, Table):
                lines.append(f"{_counted(part)}\n")
                lines += [f"{part.remark}\n"] if part.remark else []
                lines.append(f"{part.text()}\n")
            else:
                lines.append(f"{part.text or part.state.capitalize() + '.'}\n")
            lines += [f"![{part.name}]({picture.name})\n" for picture in part.pictures]
        return "\n".join(lines)


def count(tables: Sequence[Table]) -> Counts:
    """Cells of several tables."""
    return Counts(*(sum(n) for n in zip(*(t.counts() for t in tables), strict=True)))


def headline(report: Report) -> str:
    """Cells inside, in words; beside them what was not measured and what cannot be."""
    found = count(report.tables())
    rules = " or ".join(sorted({table.rule for table in report.tables()}, reverse=True))
    said = f"{found.headline} of {found.cells} cells inside by the rule “{rules}”"
    said += f", {found.missing} not measured" if found.missing else ""
    lost = report.lost()
    return said + (f"; {lost} more are printed whose data cannot be had." if lost else ".")


def _counted(table: Table) -> str:
    """The counts of one table, in words."""
    found = table.counts()
    inside = ", ".join(f"{getattr(found, rule)} by “{rule}”" for rule in RULES)
    runs = sorted({len(cell.values) for cell in table.cells if len(cell.values)})
    said = f"Tolerance {table.tolerance:g}. Of {found.cells} cells {inside} are inside"
    said += f"; {found.missing} are not measured. " if found.missing else ". "
    ours = " to ".join(map(str, sorted({runs[0], runs[-1]}))) if runs else "none"
    if table.published_runs is not None:
        said += f"Published: means of {table.published_runs} runs; ours: {ours}. "
    else:
        said += f"Our runs: {ours}. "
    said += "" if table.counted else "These printed cells are counted above, and only there."
    return said.strip()


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
    totals += [(report.paper, headline(report)) for report in reports]
    rows = [row for row in kept_rows if row[0] not in new]
    rows += [row for report in reports for row in _lines(report)]
    header = ["paper", "table or figure", "state", "cells", *RULES, "not measured", "lost"]
    listed = "\n".join(f"- {paper}: {said}" for paper, said in sorted(totals))
    rules = "\n".join(f"- {rule}: {what}" for rule, what in RULES.items())
    return (
        "Tables and figures of the five papers, and how many of their cells are inside:\n\n"
        f"{rules}.\n\nThe headline of a paper counts by the means where it prints means of "
        "several runs with their spread, and by the tolerance elsewhere. Every printed cell "
        "counts once: in brackets are other readings of cells that another line counts. Lost "
        "cells are printed, but their data cannot be had. What the papers say in words is in "
        f"[claims](claims.md).\n\n{listed}\n\n"
        f"{markdown(header, sorted(rows, key=lambda row: row[0]))}\n"
    )


def _lines(report: Report) -> list[list[str]]:
    rows = []
    for part in report.parts:
        if isinstance(part, Table):
            found = part.counts()
            state = "measured" if found.missing < found.cells else "not measured"
            if 0 < found.missing < found.cells:
                state = "measured in part"
            numbers = [found.cells, *(getattr(found, rule) for rule in RULES), found.missing]
            shown = [str(n) if part.counted else f"({n})" for n in numbers]
            rows.append([report.paper, part.name, state, *shown, ""])
        else:
            lost = str(part.lost or "")
            rows.append([report.paper, part.name, part.state, *[""] * (2 + len(RULES)), lost])
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
