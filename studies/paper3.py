"""Fern and Lin 2008, cluster ensemble selection: published beside measured.

    python -m studies.paper3 --data DIR [--libraries 10] [--seed 0] [--only NAME] [--out DIR]
                             [--consensus cspa] [--jobs 1]

A library is 600 k-means partitions, 200 each on all features, on random subsets of them and on
random projections, k drawn from 2 to twice the number of classes; library r uses the seed + r.
Members are selected and combined by CSPA with spectral partitioning into as many clusters as
there are classes; NMI with the classes (geometric mean), mean ± sd of the libraries.

    Table 2-7  Joint Criterion, Cluster and Select and Random by size, Convex Hull, Full;
               in bold what is better than Full (paired t-test over the libraries, p < .05)
    Fig. 1     Quality and Diversity by size
    Fig. 2     Joint Criterion, Cluster and Select and Convex Hull by size
    Fig. 3     Joint Criterion for several α, on libraries extended to 1,000 members by feature
               weights and spectral clustering
    Fig. 4     Cluster and Select on the small (S) and the extended libraries, with (LO) and
               without (L) the tenth of least entropy

With --out every finished figure is kept there, member by member and library by library: a study
that was stopped goes on where it was, and a longer one continues a shorter one.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import ttest_rel

from consens import consensus, select
from consens.files import write_files
from consens.generate import Progress, library, watch
from consens.measure import nmi
from studies._data import MissingData, load
from studies._run import chosen, parser, say, write_json
from studies._table import markdown, measured

SIZES = (30, 60, 90, 120, 150)
ALL_SIZES = tuple(range(10, 201, 10))
ALPHAS = (0.4, 0.5, 0.6)
SMALL, EXTENDED = 600, 1000
OUTLIERS = 0.1

# six of the letters with 240 rows each in the first 6238; which six the paper drew is not printed
LETTERS = sorted(
    np.random.default_rng(0).choice(list("ABCDEGHIJKLMNOPQRSTUVWXYZ"), 6, replace=False).tolist()
)


def _standardised(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    X = X[:, X.std(axis=0) > 0]
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def _six_letters(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows = np.flatnonzero(np.isin(y[:6238].astype(str), LETTERS))
    return X[rows], y[rows]


class Data(NamedTuple):
    """Where a data set is printed, its file, how it is prepared, and whether it has outliers."""

    table: int
    file: str
    prepare: Callable[..., tuple[np.ndarray, np.ndarray]] = lambda X, y: (X, y)
    outliers: bool = False
    remark: str = "features as they are"


DATA = {
    "CBIR": Data(2, "cbir", outliers=True),
    "CHART": Data(3, "chart", outliers=True),
    "EOS": Data(4, "eos"),
    "ISOLET6": Data(
        5,
        "isolet",
        _six_letters,
        outliers=True,
        remark=f"letters {' '.join(LETTERS)}; the paper's six are not printed",
    ),
    "SEGMENTATION": Data(
        6, "segmentation", _standardised, remark="without the constant feature, standardised"
    ),
    "WINE": Data(7, "wine"),
}

# NMI by size, then Convex Hull and Full, as printed
PUBLISHED = {
    "CBIR": {
        "Joint Criterion": [0.310, 0.319, 0.303, 0.297, 0.294],
        "Cluster and Select": [0.325, 0.308, 0.310, 0.323, 0.311],
        "Random": [0.294, 0.304, 0.301, 0.306, 0.299],
        "Convex Hull": [0.341],
        "Full": [0.308],
    },
    "CHART": {
        "Joint Criterion": [0.737, 0.739, 0.777, 0.778, 0.779],
        "Cluster and Select": [0.747, 0.742, 0.738, 0.742, 0.750],
        "Random": [0.731, 0.731, 0.730, 0.743, 0.742],
        "Convex Hull": [0.734],
        "Full": [0.735],
    },
    "EOS": {
        "Joint Criterion": [0.295, 0.304, 0.306, 0.300, 0.300],
        "Cluster and Select": [0.290, 0.294, 0.297, 0.295, 0.296],
        "Random": [0.284, 0.290, 0.289, 0.289, 0.287],
        "Convex Hull": [0.277],
        "Full": [0.287],
    },
    "ISOLET6": {
        "Joint Criterion": [0.819, 0.811, 0.813, 0.816, 0.816],
        "Cluster and Select": [0.850, 0.849, 0.850, 0.851, 0.851],
        "Random": [0.797, 0.797, 0.822, 0.822, 0.832],
        "Convex Hull": [0.806],
        "Full": [0.838],
    },
    "SEGMENTATION": {
        "Joint Criterion": [0.576, 0.583, 0.582, 0.578, 0.577],
        "Cluster and Select": [0.597, 0.603, 0.596, 0.597, 0.595],
        "Random": [0.567, 0.566, 0.561, 0.563, 0.574],
        "Convex Hull": [0.584],
        "Full": [0.576],
    },
    "WINE": {
        "Joint Criterion": [0.458, 0.458, 0.458, 0.457, 0.459],
        "Cluster and Select": [0.620, 0.701, 0.730, 0.696, 0.627],
        "Random": [0.432, 0.429, 0.438, 0.433, 0.429],
        "Convex Hull": [0.429],
        "Full": [0.447],
    },
}

CONSENSUS: dict[str, Callable[[int, int], Any]] = {
    "cspa": lambda k, seed: consensus.CSPA(k, partitioner="spectral", random_state=seed),
    "cspa-metis": lambda k, seed: consensus.CSPA(k, random_state=seed),
    "hbgf": lambda k, seed: consensus.HBGF(k, partitioner="spectral", random_state=seed),
    "hbgf-metis": lambda k, seed: consensus.HBGF(k, random_state=seed),
    "eac": lambda k, seed: consensus.EAC(k),
}


class Cell(NamedTuple):
    """One figure of one library: which library, how it is selected from, and to what size."""

    library: str  # S, L or LO
    method: str
    size: int = 0  # 0: the method decides

    def __str__(self) -> str:
        return f"{self.library} {self.method} {self.size or ''}".strip()


def cells(section: str, outliers: bool) -> list[Cell]:
    """What a table or figure needs."""
    if section.startswith("Table"):
        sized = ("Joint Criterion", "Cluster and Select", "Random")
        needed = [Cell("S", method, size) for method in sized for size in SIZES]
        return [*needed, Cell("S", "Convex Hull"), Cell("S", "Full")]
    by_size = {
        "Fig. 1": [("S", "Quality"), ("S", "Diversity")],
        "Fig. 2": [("S", "Joint Criterion"), ("S", "Cluster and Select")],
        "Fig. 3": [
            ("LO", "Quality"),
            ("LO", "Diversity"),
            *(("LO", f"Joint Criterion, α = {alpha}") for alpha in ALPHAS),
        ],
        "Fig. 4": [("S", "Cluster and Select"), ("LO", "Cluster and Select")],
    }[section]
    flat = {
        "Fig. 1": [Cell("S", "Full")],
        "Fig. 2": [Cell("S", "Full"), Cell("S", "Convex Hull")],
        "Fig. 3": [Cell("LO", "Full")],
        "Fig. 4": [Cell("S", "Full"), Cell("LO", "Full")],
    }[section]
    if section == "Fig. 4" and outliers:
        by_size = [*by_size, ("L", "Cluster and Select")]
        flat = [*flat, Cell("L", "Full")]
    return [Cell(*key, size) for key in by_size for size in ALL_SIZES] + flat


# ------------------------------------------------------------------------------ one library


def selector(cell: Cell, seed: int) -> Any:
    """The selector of a figure; None keeps all members."""
    method, size = cell.method, cell.size
    if method.startswith("Joint Criterion, α"):
        return select.SelectJoint(size, alpha=float(method.rsplit(" ", 1)[1]))
    return {
        "Full": lambda: None,
        "Quality": lambda: select.SelectQuality(size),
        "Diversity": lambda: select.SelectDiversity(size),
        "Joint Criterion": lambda: select.SelectJoint(size),
        "Cluster and Select": lambda: select.ClusterAndSelect(size, random_state=seed),
        "Convex Hull": lambda: select.SelectConvexHull(),
        "Random": lambda: select.SelectRandom(size, random_state=1000 * seed + size),
    }[method]()


def one_library(
    name: str, X: np.ndarray, y: np.ndarray, seed: int, needed: list[Cell], how: str, out: Any
) -> dict[str, float]:
    """NMI of all figures of one library; those that a former run kept are read."""
    kept = out / "paper3" / f"{name}_{seed}_{how}.json" if out else None
    found = json.loads(kept.read_text()) if kept and kept.exists() else {}
    missing = [cell for cell in needed if str(cell) not in found]
    if not missing:
        return found
    k = len(set(y.tolist()))
    extended = any(cell.library != "S" for cell in missing)
    store = out / "paper3" / "members" / name / str(seed) if out else None
    members = library(k, EXTENDED if extended else SMALL, random_state=seed, store=store)
    with watch(lambda p: _tell(name, seed, p)):
        whole = members.fit_transform(X)
    libraries = {"S": whole[:, :SMALL]}
    if extended:
        libraries |= {"LO": whole, "L": select.DropDegenerate(OUTLIERS).fit_transform(whole)}
    for done, cell in enumerate(missing, 1):
        ensemble = libraries[cell.library]
        chosen_by = selector(cell, seed)
        ensemble = ensemble if chosen_by is None else chosen_by.fit_transform(ensemble)
        labels = CONSENSUS[how](k, seed).fit_predict(ensemble)
        found[str(cell)] = nmi(y, labels)
        if kept and (done % 20 == 0 or done == len(missing)):
            write_files(kept.parent, {kept.name: json.dumps(found, indent=1) + "\n"})
    if store:
        shutil.rmtree(store, ignore_errors=True)  # the figures are there; members can be remade
    say(f"{name}, library {seed}: {len(found)} figures")
    return found


def _tell(name: str, seed: int, progress: Progress) -> None:
    if progress.done == progress.total:
        again = f", {progress.resumed} of them kept" if progress.resumed else ""
        say(f"{name}, library {seed}: {progress.done} members by {progress.generator}{again}")


# ---------------------------------------------------------------------------------- results


Values = dict[str, list[float]]


def p_value(values: list[float], full: list[float]) -> float:
    """Two-sided paired t-test; 1 where nothing differs."""
    if len(values) < 2 or np.allclose(values, full, atol=1e-12):
        return 1.0
    return float(ttest_rel(values, full).pvalue)


def table(name: str, values: Values) -> str:
    """One of Tables 2 to 7."""
    published = PUBLISHED[name]
    full = values["S Full"]

    def cell(printed: float, cell: Cell) -> str:
        own = values[str(cell)]
        better = np.mean(own) > np.mean(full) and p_value(own, full) < 0.05
        return f"{printed:.3f} / " + (f"**{measured(own, 3)}**" if better else measured(own, 3))

    rows = [
        [method, *(cell(p, Cell("S", method, s)) for p, s in zip(printed, SIZES, strict=True))]
        for method, printed in published.items()
        if len(printed) > 1
    ]
    rows += [
        [method, cell(published[method][0], Cell("S", method)), *[""] * (len(SIZES) - 1)]
        for method in ("Convex Hull", "Full")
    ]
    return markdown(["size", *map(str, SIZES)], rows)


def main() -> None:
    options = parser(__doc__, runs=10)
    options.add_argument("--libraries", dest="runs", type=int, help="the same as --runs")
    options.add_argument("--consensus", choices=CONSENSUS, default="cspa")
    options.add_argument("--jobs", type=int, default=1, help="libraries at the same time (1)")
    given = options.parse_args()
    tables = {f"Table {data.table}": name for name, data in DATA.items()}
    sections = chosen([*tables, "Fig. 1", "Fig. 2", "Fig. 3", "Fig. 4"], given.only)
    names = chosen(DATA, given.only)
    figures = [section for section in sections if section.startswith("Fig")]
    if given.out is None:
        figures = []
    if not any(section in tables for section in sections):
        tables = {}
    elif len(sections) < len(tables):  # tables were named
        names = [name for name in names if f"Table {DATA[name].table}" in sections]
    print(
        f"Fern and Lin 2008. {given.runs} libraries of {SMALL} members, seeds {given.seed} to "
        f"{given.seed + given.runs - 1}, combined by {given.consensus}. NMI by the geometric "
        "mean, published / measured; bold: better than Full, p < .05 (paired t-test).\n"
    )
    results: dict[str, Values] = {}
    for name in names:
        data = DATA[name]
        try:
            X, y = data.prepare(*load(given.data, data.file))
        except MissingData as error:
            say(f"{name}: {error}")
            continue
        wanted = [s for s in sections if s in tables and tables[s] == name] + figures
        needed = list(dict.fromkeys(c for s in wanted for c in cells(s, data.outliers)))
        if not needed:
            continue
        found = Parallel(n_jobs=given.jobs)(
            delayed(one_library)(name, X, y, seed, needed, given.consensus, given.out)
            for seed in range(given.seed, given.seed + given.runs)
        )
        results[name] = {str(c): [values[str(c)] for values in found] for c in needed}
        if f"Table {data.table}" in wanted:
            print(f"Table {data.table}: {name} ({data.remark})\n\n{table(name, results[name])}\n")
    tests = {
        name: {
            key: p_value(v, values["S Full"]) for key, v in values.items() if "S Full" in values
        }
        for name, values in results.items()
    }
    write_json(given.out, f"paper3_{given.consensus}.json", {"nmi": results, "p": tests})
    if figures and results:
        from studies.paper3_figures import draw

        for path in draw(figures, results, given.out):
            say(f"wrote {path}")
    elif any(s.startswith("Fig") for s in sections) and given.out is None:
        say("figures need a folder: give --out")


if __name__ == "__main__":
    main()
