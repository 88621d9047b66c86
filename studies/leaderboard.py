"""Leaderboard: all consensus methods on the same ensembles, by rank, quality and cost.

    python -m studies.leaderboard --data DIR [--runs 20] [--seed 0] [--members 20] [--cpu 60]
                                  [--large 4000] [--large-runs 20] [--pool FILE]
                                  [--method MODULE:CLASS] [--features NAME] [--only NAME]
                                  [--jobs 1] [--out DIR] [--kept FILE] [--from-store]

Every method of the library combines draws of 20 members from each pool of base clusterings
(``pool_*.parquet`` in DIR: one column per member, and the classes as `label`), and from k-means on
the features of the data sets named by --features (``all`` for every table with classes, but text
and second copies).  Run r draws with seed + r; the rows are permuted before every run, because an
order of the rows by class must not help.  The number of clusters is the number of classes; all
other parameters are the defaults.  --pool adds a pool of your own, also in MATLAB format
(``members`` and ``gt``); --method adds a class of your own with the interface of the library's
methods.

Each method has processes of its own, and --cpu seconds for each run; a method that needs more on
a case has the last rank there, and is not tried on larger ones.  Cases of more than --large
objects may have fewer runs, --large-runs.  With --out every run is kept:
an interrupted study goes on, and a new method costs only its own runs.  --kept reads the runs of
earlier studies from a file with a line for each case and method, and adds the new ones to it;
those of the published page are docs/studies/leaderboard.jsonl.  Remove the lines of a method to
run it anew.  --from-store writes the page from what is kept, for which --kept needs no --data.

The ranks are those of the mean NMI of the runs on each case.  The Friedman test says whether they
could be chance; two methods whose average ranks differ by less than the critical difference of
Nemenyi cannot be distinguished (Demšar, JMLR 7, 2006).  A method is dominated if another one has a
better average rank and takes less CPU time.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy import stats

from studies import _leader_kept
from studies._leader_run import names, read
from studies._run import chosen, parser, say
from studies._store import Store
from studies._table import markdown

#: Mean NMI over 84 data sets in the survey of ensemble clustering of 2026, where it is known.
SURVEY = {
    "LWGP": ".382",
    "LCE": ".371",
    "ECPCS": ".365 to .369",
    "GPMGLA": ".365 to .369",
    "HBGF": ".365 to .369",
    "USENC": ".365 to .369",
}


#: Text, and a second copy of a table.
NOT_FEATURES = ("newsgroups_elec_med", "wdbc_id")
#: Cases that a process takes one after the other, so that it starts less often.
BATCH = 20


class Case(NamedTuple):
    """A pool of members, or the features of a data set."""

    name: str
    file: Path
    pool: bool

    @property
    def n(self) -> int:
        """Number of objects."""
        if self.file.suffix == ".parquet":
            from pyarrow.parquet import read_metadata

            return int(read_metadata(self.file).num_rows)
        return len(read(self.file)[1])


def draws_of(given: Any, n: int) -> int:
    """Number of runs on n objects."""
    return given.runs if n <= given.large else min(given.runs, given.large_runs or given.runs)


def find_cases(data: Path | None, pools: Sequence[Path], features: Sequence[str]) -> list[Case]:
    """Pools of the folder, pools given by name, and data sets."""
    files = [] if data is None else sorted(data.glob("*.parquet"))
    found = [Case(p.stem, p, True) for p in files if p.stem.startswith("pool_")]
    found += [Case(p.stem, p, True) for p in pools]
    tables = [p for p in files if not p.stem.startswith("pool_")]
    for table in tables:
        if table.stem in features or ("all" in features and table.stem not in NOT_FEATURES):
            found.append(Case(table.stem, table, False))
    return found


def run(method: str, cases: Sequence[Case], *, given: Any, folder: Path, store: Store) -> None:
    """Run the draws that are not known yet, and keep each as soon as it is done."""
    known, sizes = store.known, {case.name: case.n for case in cases}
    slow = [v for k, v in known.items() if k[1:] == (method, "failed") and v["cpu"] >= given.cpu]
    too_many = min((v["n"] for v in slow if "n" in v), default=float("inf"))
    todo = []
    for case in cases:
        wanted = range(draws_of(given, sizes[case.name]))
        left = [d for d in wanted if (case.name, method, d) not in known]
        failed = (case.name, method, "failed")
        if left and known.get(failed, {"cpu": 0})["cpu"] < given.cpu:
            known.pop(failed, None)  # there is more time now
            todo.append(case._asdict() | {"file": str(case.file), "draws": left})
    work = {key: getattr(given, key) for key in ("seed", "members", "cpu")}
    work |= {"method": method, "folder": str(folder)}
    while todo:
        if sizes[todo[0]["name"]] >= too_many:
            why = f"not tried: more than {given.cpu} s on {too_many} objects"
            key = todo.pop(0)["name"], method, "failed"
            store.get(key, partial(dict, error=why, cpu=given.cpu))
            continue
        last = next((i for i, c in enumerate(todo) if sizes[c["name"]] >= too_many), len(todo))
        begun, error = _run_cases(work | {"cases": todo[:last]}, store)
        if error is None:
            todo = todo[last:]
            continue
        result: dict[str, Any] = {"error": error, "cpu": given.cpu}
        if not error:
            too_many = min(too_many, sizes[begun])
            result |= {"error": f"more than {given.cpu} s of CPU time", "n": sizes[begun]}
        store.get((begun, method, "failed"), partial(dict, result))
        todo = todo[[case["name"] for case in todo].index(begun) + 1 :]


def _run_cases(work: dict[str, Any], store: Store) -> tuple[str, str | None]:
    """Run one method in a process of its own; its last case, and its error if any."""
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "studies._leader_run"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=os.environ | dict.fromkeys(threads, "1"),
        ) as child,
    ):
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(json.dumps(work))
        child.stdin.close()
        begun = work["cases"][0]["name"]
        for line in child.stdout:
            case, draw, result = json.loads(line)
            if draw == "begun":
                begun = case
            else:
                store.get((case, work["method"], draw), partial(dict, result))
        code = child.wait()
        errors.seek(0)
        lines = errors.read().strip().splitlines()
    if code == 0:
        return begun, None
    if code == -signal.SIGXCPU:
        return begun, ""
    return begun, lines[-1][:200] if lines else f"ended with code {code}"


class Board:
    """What is known about methods (rows) and cases (columns), and from how many runs.

    `runs` has the number of runs that a case should have.
    """

    def __init__(
        self, store: Store, methods: Sequence[str], cases: Sequence[str], runs: Sequence[int]
    ) -> None:
        self.methods, self.cases, self.wanted = list(methods), list(cases), list(runs)
        self.values = {figure: np.full((len(methods), len(cases)), np.nan) for figure in FIGURES}
        self.runs = np.zeros((len(methods), len(cases)), dtype=np.int64)
        self.failed: dict[tuple[str, str], str] = {}
        for i, method in enumerate(methods):
            for j, case in enumerate(cases):
                keys = [(case, method, draw) for draw in range(runs[j])]
                known = [store.known[key] for key in keys if key in store.known]
                if len(known) < len(keys) and (case, method, "failed") in store.known:
                    self.failed[method, case] = store.known[case, method, "failed"]["error"]
                elif known:
                    self.runs[i, j] = len(known)
                    for figure, table in self.values.items():
                        center = np.median if figure == "cpu" else np.mean
                        table[i, j] = center([one[figure] for one in known])

    def ranks(self, figure: str = "nmi") -> np.ndarray:
        """Rank of each method on each case, 1 for the best; those that failed share the last."""
        table = np.nan_to_num(self.values[figure], nan=-np.inf)
        return stats.rankdata(-table, axis=0)


FIGURES = ("nmi", "ari", "f", "cpu", "mb")


def friedman(ranks: np.ndarray) -> tuple[float, float]:
    """Friedman's statistic as an F (Iman and Davenport), and its probability by chance."""
    k, n = ranks.shape
    mean = ranks.mean(axis=1)
    square = 12 * n / (k * (k + 1)) * ((mean**2).sum() - k * (k + 1) ** 2 / 4)
    spare = n * (k - 1) - square
    if n < 2:
        return float("nan"), float("nan")  # one case says nothing about others
    if spare <= 0:
        return float("inf"), 0.0
    ratio = (n - 1) * square / spare
    return float(ratio), float(stats.f.sf(ratio, k - 1, (k - 1) * (n - 1)))


def critical_difference(k: int, n: int, level: float = 0.05) -> float:
    """Difference of average ranks that k methods on n cases reach by chance (Nemenyi)."""
    quantile = stats.studentized_range.ppf(1 - level, k, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(k * (k + 1) / (6 * n)))


def cliques(mean: np.ndarray, difference: float) -> list[tuple[int, int]]:
    """First and last of the largest runs of sorted ranks that cannot be distinguished."""
    found: list[tuple[int, int]] = []
    for first in range(len(mean)):
        last = int(np.searchsorted(mean, mean[first] + difference, side="right")) - 1
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


def dominated_by(mean: np.ndarray, cpu: np.ndarray, i: int) -> int | None:
    """The best method with a better rank and less time than method i."""
    better = np.flatnonzero((mean < mean[i]) & (cpu < cpu[i]))
    return int(better[mean[better].argmin()]) if len(better) else None


PREFIXES = {"pools": "pool_", "sets": "", "shapes": "shape_"}


def grouped(cases: Sequence[str]) -> list[tuple[str, list[int]]]:
    """Columns of pools, of shapes in two or three dimensions, and of other data sets."""
    kinds = ["pools", "sets", "shapes"]
    own = [0 if c.startswith("pool_") else 2 if c.startswith("shape_") else 1 for c in cases]
    return [(kind, [j for j, o in enumerate(own) if o == i]) for i, kind in enumerate(kinds)]


def draw_ranks(board: Board, mean: np.ndarray, difference: float, path: Path) -> None:
    """The critical-difference figure of Demšar."""
    from studies._pictures import plt, save

    order = np.argsort(mean)
    half = (len(order) + 1) // 2
    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.22 * half), layout="constrained")
    top, low, high = 0.0, 1.0, float(len(order))
    axes.hlines(top, low, high, color="black")
    for tick in range(1, len(order) + 1):
        axes.vlines(tick, top, top + 0.3, color="black")
        if tick % 5 == 0 or tick == 1:
            axes.text(tick, top + 0.5, str(tick), ha="center", va="bottom")
    bars = cliques(mean[order], difference)
    below = 0.6 + 0.25 * len(bars)
    for place, method in enumerate(order):
        left = place < half
        y = -below - (place if left else len(order) - 1 - place)
        end = low - 0.8 if left else high + 0.8
        axes.plot([mean[method], mean[method], end], [top, y, y], color="grey", linewidth=0.8)
        text = f"{board.methods[method]} {mean[method]:.1f}"
        axes.text(end, y, text, ha="right" if left else "left", va="center", fontsize=9)
    for level, (first, last) in enumerate(bars):
        ends = mean[order[first]] - 0.1, mean[order[last]] + 0.1
        axes.hlines(-0.4 - 0.25 * level, *ends, color="black", linewidth=3)
    axes.plot([low, low + difference], [2.2, 2.2], color="black", linewidth=2)
    axes.text(low + difference / 2, 2.4, f"critical difference {difference:.1f}", ha="center")
    axes.set_xlim(low - 6, high + 6)
    axes.axis("off")
    save(figure, path)


def draw_cost(board: Board, mean: np.ndarray, cpu: np.ndarray, path: Path) -> None:
    """Average rank against time, with the methods that no other dominates."""
    from studies._pictures import plt, save

    figure, axes = plt.subplots(figsize=(9, 6), layout="constrained")
    axes.set_xscale("log")
    cpu = np.maximum(cpu, 1e-3)  # the clock may see nothing of a short run
    covered: dict[tuple[float, float], list[int]] = {}  # methods at about the same place
    for i in np.flatnonzero(np.isfinite(cpu)):
        best = dominated_by(mean, cpu, i) is None
        axes.plot(cpu[i], mean[i], "o" if best else ".", color="C3" if best else "grey")
        covered.setdefault((round(np.log10(cpu[i]), 1), round(mean[i], 1)), []).append(i)
    for own in covered.values():
        names = ", ".join(board.methods[i] for i in own)
        place = cpu[own[0]], mean[own[0]]
        axes.annotate(names, place, (4, 2), textcoords="offset points", fontsize=8)
    axes.margins(x=0.1)
    axes.invert_yaxis()
    axes.set_xlabel("median over the cases of the CPU seconds of a run")
    axes.set_ylabel("average rank by NMI")
    save(figure, path)


def _runs(board: Board, cases: Sequence[int]) -> str:
    """Numbers of runs behind the figures of some cases, in words."""
    found = board.runs[:, cases]
    found = found[found > 0]
    few, many = (int(f(found)) if len(found) else 0 for f in (np.min, np.max))
    shown = str(few) if few == many else f"{few} to {many}"
    return f"{shown} run{'s' * (many != 1)}"


def _fewer(board: Board, given: Any) -> str:
    """Which cases and which methods have fewer runs than others, in words."""
    text = ""
    large = [j for j, runs in enumerate(board.wanted) if runs < given.runs]
    if large:
        others = [j for j in range(len(board.cases)) if j not in large]
        text = (
            f" The {len(large)} cases of more than {given.large:,} objects have "
            f"{_runs(board, large)}, the others {_runs(board, others)}."
        )
    most = board.runs.max(axis=0)
    short = (board.runs > 0) & (board.runs < most)
    said = []
    for i in np.flatnonzero(short.any(axis=1)):
        few, usually = board.runs[i, short[i]], most[short[i]]
        ends = [
            f"{min(own)} to {max(own)}" if min(own) < max(own) else str(min(own))
            for own in (few, usually)
        ]
        cases = f"{len(few)} case{'s' * (len(few) > 1)}"
        said.append(f"`{board.methods[i]}` {ends[0]} instead of {ends[1]} on {cases}")
    return f"{text} Fewer runs have {', '.join(said)}." if said else text


def _kinds(board: Board, groups: Sequence[tuple[str, list[int]]]) -> str:
    """Numbers of cases of each kind, with those of their runs where kinds differ."""
    runs = [_runs(board, own) for _, own in groups]
    shown = [f" ({own})" if len(set(runs)) > 1 else "" for own in runs]
    return ", ".join(
        f"{len(own)} {name}{said}" for (name, own), said in zip(groups, shown, strict=True)
    )


def page(board: Board, given: Any) -> str:
    """The page as Markdown; figures go to the folder of results."""
    ranks = board.ranks()
    mean = ranks.mean(axis=1)
    k, n = ranks.shape
    finished = ~np.isnan(board.values["cpu"])
    cpu = np.array(
        [
            np.median(row[done]) if done.any() else np.inf
            for row, done in zip(board.values["cpu"], finished, strict=True)
        ]
    )
    ratio, chance = friedman(ranks)
    difference = critical_difference(k, n)
    order = np.argsort(mean, kind="stable")
    groups = [own for own in grouped(board.cases) if len(own[1])]
    rows = []
    for i in order:
        method = board.methods[i]
        master = dominated_by(mean, cpu, i)
        figures = ["–"] * 3
        if finished[i].all():
            figures = [f"{board.values[f][i].mean():.3f}" for f in ("nmi", "ari", "f")]
        rows.append(
            [
                f"`{method}`",
                f"{mean[i]:.1f}",
                *([f"{ranks[i, own].mean():.1f}" for _, own in groups] if len(groups) > 1 else ()),
                f"{finished[i].sum()}",
                f"{ranks[i, finished[i]].mean():.1f}" if finished[i].any() else "–",
                *figures,
                f"{cpu[i]:.2f}" if finished[i].any() else "–",
                f"{np.nanmax(board.values['mb'][i], initial=0):.0f}" if finished[i].any() else "–",
                "" if master is None else f"`{board.methods[master]}`",
                SURVEY.get(method, "–"),
            ]
        )
    same = int((mean[order] <= mean[order[0]] + difference).sum())
    text = [
        f"{k} methods on {n} cases, {_runs(board, range(n))} each of "
        f"{given.members} members; seed {given.seed}. Friedman test: F = {ratio:.1f}, "
        f"p = {chance:.1g}. The critical difference of average ranks at 5 % is {difference:.1f}: "
        f"the first {same} methods cannot be distinguished.{_fewer(board, given)}",
        "",
        f"The cases are {_kinds(board, groups)}. Finished are "
        f"the cases on which no run took more than {given.cpu} s of CPU time; the column after it "
        "is the average rank on these alone, where slow methods have the small cases only. "
        "NMI, ARI and F are means over all cases, for methods that finished all of them. "
        "CPU is the median over the finished cases of the seconds of one run, on one thread; MB "
        "is the largest memory of a run in addition to the members.",
        "",
        markdown(
            [
                "method",
                "rank",
                *([name for name, _ in groups] if len(groups) > 1 else ()),
                "finished",
                "rank there",
                "NMI",
                "ARI",
                "F",
                "CPU s",
                "MB",
                "dominated by",
                "survey NMI",
            ],
            rows,
        ),
        "",
        "The last column has the mean NMI of the survey of 2026 over its own 84 data sets and "
        "members: only its order can be compared.",
    ]
    if given.out is not None:
        draw_ranks(board, mean, difference, given.out / "leaderboard_ranks.png")
        draw_cost(board, mean, cpu, given.out / "leaderboard_cost.png")
        text += ["", "![Average ranks; methods joined by a bar cannot be distinguished]"
                 "(leaderboard_ranks.png)", "",
                 "![Average rank against CPU time; red methods are not dominated]"
                 "(leaderboard_cost.png)"]  # fmt: skip
    text += ["", "## Mean NMI on each case"]
    for name, own in groups:
        header = ["method", *(board.cases[j].removeprefix(PREFIXES[name]) for j in own)]
        cells = [
            [f"`{board.methods[i]}`", *("–" if np.isnan(v) else f"{v:.3f}" for v in row)]
            for i in order
            for row in [board.values["nmi"][i, own]]
        ]
        text += [
            "",
            f"{name.capitalize()}:",
            "",
            markdown([c.replace("_", " ") for c in header], cells),
        ]
    if board.failed:
        text += ["", "Not finished:", ""]
        reasons: dict[tuple[str, str], list[str]] = {}
        for (method, case), why in sorted(board.failed.items()):
            reasons.setdefault((method, why), []).append(case)
        text += [f"- `{m}` on {', '.join(own)}: {why}" for (m, why), own in reasons.items()]
    return "\n".join(text)


def main(arguments: Sequence[str] | None = None) -> None:
    options = parser(__doc__, data_required=False)
    options.add_argument("--members", type=int, default=20, help="members of a draw (20)")
    options.add_argument("--cpu", type=int, default=60, help="seconds of CPU per run (60)")
    options.add_argument("--large", type=int, default=4000, help="objects of a large case (4000)")
    options.add_argument("--large-runs", type=int, help="repetitions on large cases (as --runs)")
    options.add_argument("--jobs", type=int, default=1, help="processes at a time (1)")
    options.add_argument("--pool", type=Path, action="append", default=[], metavar="FILE")
    options.add_argument("--features", action="append", default=[], metavar="NAME")
    options.add_argument("--method", action="append", default=[], metavar="MODULE:CLASS")
    options.add_argument("--kept", type=Path, metavar="FILE", help="runs of earlier studies")
    options.add_argument("--from-store", action="store_true", help="only what is kept")
    given = options.parse_args(arguments)
    cases = {case.name: case for case in find_cases(given.data, given.pool, given.features)}
    sizes = {case.name: case.n for case in cases.values()}
    store = Store(given.out, "leaderboard")
    kept_sizes: dict[str, int] = {}
    if given.kept is not None and given.kept.exists():
        known, kept_sizes = _leader_kept.load(given.kept)
        store.known = known | store.known
        if given.from_store and not cases:
            sizes = kept_sizes
    if not sizes:
        raise SystemExit(f"no pool_*.parquet in {given.data}; pass --pool FILE or --features all")
    wanted = chosen(sizes, given.only)
    methods = [*names(), *given.method]
    if not given.from_store:
        queue = sorted((cases[name] for name in wanted), key=lambda case: case.n)
        with tempfile.TemporaryDirectory() as spare:
            folder = Path(spare) if given.out is None else given.out / "members"
            folder.mkdir(parents=True, exist_ok=True)
            for i in range(0, len(queue), BATCH):
                say(f"{i} of {len(queue)} cases")
                batch = queue[i : i + BATCH]
                Parallel(given.jobs, prefer="threads")(
                    delayed(run)(m, batch, given=given, folder=folder, store=store)
                    for m in methods
                )
        if given.kept is not None:
            _leader_kept.save(given.kept, store.known, kept_sizes | sizes)
    runs = [draws_of(given, sizes[name]) for name in wanted]
    print(page(Board(store, methods, wanted, runs), given))


if __name__ == "__main__":
    main()
