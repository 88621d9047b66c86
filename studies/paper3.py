"""Fern and Lin 2008, cluster ensemble selection: published beside measured.

    python -m studies.paper3 --data DIR [--runs 10] [--seed 0] [--only NAME] [--out DIR]
                             [--from-store]

A library is 600 k-means partitions, 200 each on all features, on random subsets of them and on
random projections, k drawn from 2 to twice the number of classes; library r uses the seed + r.
Members are selected and combined by CSPA with spectral partitioning into as many clusters as
there are classes; NMI with the classes (geometric mean), mean ± sd of the libraries.

    Table 2-7  Joint Criterion, Cluster and Select and Random by size, Convex Hull, Full
    Fig. 1     Quality and Diversity by size
    Fig. 2     Joint Criterion, Cluster and Select and Convex Hull by size
    Fig. 3     Joint Criterion for several α, on libraries extended to 1,000 members by feature
               weights and spectral clustering
    Fig. 4     Cluster and Select on the small (S) and the extended libraries, with (LO) and
               without (L) the tenth of least entropy
    Weights    Joint Criterion for α = 0.1 to 0.9, and with the sums of Eq. 5.2
    Starts     size 90 of libraries whose k-means starts at objects and from an assignment;
               Diversity that begins with the best member, and Cluster and Select whose k-means
               starts by k-means++
    Consensus  size 90 by CSPA, HBGF and EAC, also of the good and diverse quadrant (the outlook)

Figures come from the first --runs libraries; ISOLET6, whose six letters are drawn, has twice as
many in its table.  With --out every figure of every library is kept there: a study that was
stopped goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import ttest_rel

from consens import consensus, select
from consens.generate import library
from consens.measure import nmi
from studies._cells import (
    OPEN,
    Cell,
    Note,
    Report,
    Setting,
    Table,
    compared,
    departures,
    in_part,
    main,
    not_attainable,
    note,
)
from studies._characteristics import Printed, keep, listed
from studies._data import MissingData, load
from studies._run import chosen, say
from studies._store import Store
from studies._table import markdown, measured

NAME = "paper3"
RUNS = 10
LIBRARIES_PUBLISHED = 10
SIZES = (30, 60, 90, 120, 150)
ALL_SIZES = tuple(range(10, 201, 10))
SHOWN = (10, 20, 30, 60, 90, 120, 150, 200)
ALPHAS = (0.4, 0.5, 0.6)
SMALL, EXTENDED = 600, 1000
KEPT = 0.9

# where k-means starts, by library; the paper speaks of an initial assignment to random clusters
STARTS = {"S": "objects", "A": "assignment"}
TOLERANCE = 0.015
LETTERS = list("ABCDEGHIJKLMNOPQRSTUVWXYZ")  # those with 240 rows in the first 6238


def _as_they_are(X: np.ndarray, y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    return X, y


def _standardised(X: np.ndarray, y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    X = X[:, X.std(axis=0) > 0]
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def _six_letters(X: np.ndarray, y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Six letters, drawn anew for each library: which six the paper drew is not printed."""
    letters = np.random.default_rng(seed).choice(LETTERS, 6, replace=False)
    rows = np.flatnonzero(np.isin(y[:6238].astype(str), letters))
    return X[rows], y[rows]


class Data(NamedTuple):
    """Where a data set is printed, its file, how it is prepared, and whether it has outliers."""

    table: int
    file: str
    prepare: Callable[..., tuple[np.ndarray, np.ndarray]] = _as_they_are
    outliers: bool = False
    remark: str = "features as they are"
    draws: int = 1  # libraries of its table for each run


DATA = {
    "CBIR": Data(2, "cbir", outliers=True),
    "CHART": Data(3, "chart", outliers=True),
    "EOS": Data(4, "eos"),
    "ISOLET6": Data(
        5,
        "isolet",
        _six_letters,
        outliers=True,
        draws=2,
        remark="six letters, drawn anew for each library: the paper's six are not printed, and "
        "most of our spread is theirs, so that a cell inside says little",
    ),
    "SEGMENTATION": Data(
        6, "segmentation", _standardised, remark="without the constant feature, standardised"
    ),
    "WINE": Data(7, "wine"),
}

TABLE_1 = {
    "CBIR": Printed(1545, 183, 8),
    "CHART": Printed(600, 60, 6),
    "EOS": Printed(2398, 20, 8),
    "ISOLET6": Printed(1440, 617, 6),
    "SEGMENTATION": Printed(2310, 18, 7),
    "WINE": Printed(178, 13, 3),
}
LOST = {"CBIR", "EOS"}
# why cells may be outside, by the start of "data method"
CAUSES = {
    "ISOLET6": "data differ",
    "WINE Cluster": "explained: depends on the start of k-means in the selector",
}
FIGURES = ["Fig. 1", "Fig. 2", "Fig. 3", "Fig. 4"]

# NMI by size, then Convex Hull and Full, with standard deviations, as printed
PUBLISHED: dict[str, dict[str, tuple[list[float], list[float]]]] = {
    "CBIR": {
        "Joint Criterion": (
            [0.310, 0.319, 0.303, 0.297, 0.294],
            [0.017, 0.017, 0.027, 0.024, 0.021],
        ),
        "Cluster and Select": (
            [0.325, 0.308, 0.310, 0.323, 0.311],
            [0.023, 0.029, 0.030, 0.026, 0.029],
        ),
        "Random": (
            [0.294, 0.304, 0.301, 0.306, 0.299],
            [0.027, 0.031, 0.030, 0.029, 0.030],
        ),
        "Convex Hull": ([0.341], [0.007]),
        "Full": ([0.308], [0.026]),
    },
    "CHART": {
        "Joint Criterion": (
            [0.737, 0.739, 0.777, 0.778, 0.779],
            [0.033, 0.033, 0.006, 0.008, 0.003],
        ),
        "Cluster and Select": (
            [0.747, 0.742, 0.738, 0.742, 0.750],
            [0.039, 0.039, 0.041, 0.037, 0.035],
        ),
        "Random": (
            [0.731, 0.731, 0.730, 0.743, 0.742],
            [0.039, 0.038, 0.039, 0.038, 0.040],
        ),
        "Convex Hull": ([0.734], [0.028]),
        "Full": ([0.735], [0.036]),
    },
    "EOS": {
        "Joint Criterion": (
            [0.295, 0.304, 0.306, 0.300, 0.300],
            [0.014, 0.017, 0.019, 0.015, 0.006],
        ),
        "Cluster and Select": (
            [0.290, 0.294, 0.297, 0.295, 0.296],
            [0.012, 0.006, 0.005, 0.003, 0.004],
        ),
        "Random": (
            [0.284, 0.290, 0.289, 0.289, 0.287],
            [0.009, 0.005, 0.007, 0.004, 0.003],
        ),
        "Convex Hull": ([0.277], [0.009]),
        "Full": ([0.287], [0.003]),
    },
    "ISOLET6": {
        "Joint Criterion": (
            [0.819, 0.811, 0.813, 0.816, 0.816],
            [0.029, 0.005, 0.003, 0.003, 0.003],
        ),
        "Cluster and Select": (
            [0.850, 0.849, 0.850, 0.851, 0.851],
            [0.001, 0.002, 0.002, 0.002, 0.002],
        ),
        "Random": (
            [0.797, 0.797, 0.822, 0.822, 0.832],
            [0.052, 0.052, 0.041, 0.041, 0.033],
        ),
        "Convex Hull": ([0.806], [0.048]),
        "Full": ([0.838], [0.016]),
    },
    "SEGMENTATION": {
        "Joint Criterion": (
            [0.576, 0.583, 0.582, 0.578, 0.577],
            [0.049, 0.026, 0.008, 0.013, 0.009],
        ),
        "Cluster and Select": (
            [0.597, 0.603, 0.596, 0.597, 0.595],
            [0.015, 0.012, 0.027, 0.013, 0.018],
        ),
        "Random": (
            [0.567, 0.566, 0.561, 0.563, 0.574],
            [0.035, 0.035, 0.045, 0.027, 0.027],
        ),
        "Convex Hull": ([0.584], [0.040]),
        "Full": ([0.576], [0.030]),
    },
    "WINE": {
        "Joint Criterion": (
            [0.458, 0.458, 0.458, 0.457, 0.459],
            [0.005, 0.004, 0.007, 0.006, 0.006],
        ),
        "Cluster and Select": (
            [0.620, 0.701, 0.730, 0.696, 0.627],
            [0.124, 0.079, 0.119, 0.079, 0.082],
        ),
        "Random": (
            [0.432, 0.429, 0.438, 0.433, 0.429],
            [0.019, 0.013, 0.013, 0.015, 0.015],
        ),
        "Convex Hull": ([0.429], [0.021]),
        "Full": ([0.447], [0.013]),
    },
}

CONSENSUS: dict[str, Callable[[int, int], Any]] = {
    "CSPA": lambda k, seed: consensus.CSPA(k, partitioner="spectral", random_state=seed),
    "HBGF": lambda k, seed: consensus.HBGF(k, partitioner="spectral", random_state=seed),
    "EAC": lambda k, seed: consensus.EAC(k),
}


class Figure(NamedTuple):
    """One figure of one library: which library, how it is selected from, and to what size."""

    library: str  # S, A, L or LO
    method: str
    size: int = 0  # 0: the method decides

    def __str__(self) -> str:
        return f"{self.library} {self.method} {self.size or ''}".strip()


def figures_of(section: str, outliers: bool) -> list[Figure]:
    """What a table or figure needs."""
    if section.startswith("Table"):
        sized = ("Joint Criterion", "Cluster and Select", "Random")
        needed = [Figure("S", method, size) for method in sized for size in SIZES]
        return [*needed, Figure("S", "Convex Hull"), Figure("S", "Full")]
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
        "Fig. 1": [Figure("S", "Full")],
        "Fig. 2": [Figure("S", "Full"), Figure("S", "Convex Hull")],
        "Fig. 3": [Figure("LO", "Full")],
        "Fig. 4": [Figure("S", "Full"), Figure("LO", "Full")],
    }[section]
    if section == "Fig. 4" and outliers:
        by_size = [*by_size, ("L", "Cluster and Select")]
        flat = [*flat, Figure("L", "Full")]
    return [Figure(*key, size) for key in by_size for size in ALL_SIZES] + flat


COMPARED = [
    Figure("S", "Full"),
    Figure("S", "Cluster and Select", 90),
    Figure("S", "Joint Criterion", 90),
    Figure("S", "Quadrant", 90),
    Figure("S", "Random", 90),
]


# the Joint Criterion by α on the extended libraries, and with the sums of Eq. 5.2
WEIGHTS = "Weights"
OTHERS = ("Consensus", "Starts", WEIGHTS)
OF_WEIGHTS = ("CHART", "ISOLET6", "SEGMENTATION", "WINE")
MORE_ALPHAS = (0.1, 0.2, 0.3, *ALPHAS, 0.7, 0.8, 0.9)
ALPHA_SIZES = (30, 90, 150)
BY_ALPHA = [
    Figure("LO", f"Joint Criterion, α = {alpha}", size)
    for alpha in MORE_ALPHAS
    for size in ALPHA_SIZES
] + [Figure("LO", method, size) for method in ("Quality", "Diversity") for size in ALPHA_SIZES]
SUMS = "Joint Criterion, sums"
BEST_FIRST, CAREFUL = "Diversity, best member first", "Cluster and Select, k-means++"
BY_BEGINNING = [Figure("S", method, size) for method in (BEST_FIRST, CAREFUL) for size in SIZES]
BY_SUMS = [Figure("S", SUMS, size) for size in SIZES]


# ------------------------------------------------------------------------------ one library


class JointSums(NamedTuple):
    """The Joint Criterion with α = 0.5 and the sums of Eq. 5.2, each pair once."""

    size: int

    def fit_transform(self, ensemble: Any) -> Any:
        nmi = select.SelectQuality(self.size).fit(ensemble).similarity_
        quality = nmi.sum(axis=1)
        chosen = [int(np.argmax(quality))]
        while len(chosen) < self.size:
            gain = 0.5 * quality + 0.5 * (1 - nmi[chosen]).sum(axis=0)
            gain[chosen] = -np.inf
            chosen.append(int(np.argmax(gain)))
        return ensemble[:, np.sort(chosen)]


def selector(figure: Figure, seed: int) -> Any:
    """The selector of a figure; None keeps all members."""
    method, size = figure.method, figure.size
    if method.startswith("Joint Criterion, α"):
        return select.SelectJoint(size, alpha=float(method.rsplit(" ", 1)[1]))
    return {
        "Full": lambda: None,
        "Quality": lambda: select.SelectQuality(size),
        "Diversity": lambda: select.SelectDiversity(size, init="pair"),
        BEST_FIRST: lambda: select.SelectDiversity(size, init="quality"),
        CAREFUL: lambda: select.ClusterAndSelect(size, init="careful", random_state=seed),
        "Joint Criterion": lambda: select.SelectJoint(size),
        SUMS: lambda: JointSums(size),
        "Cluster and Select": lambda: select.ClusterAndSelect(size, random_state=seed),
        "Convex Hull": lambda: select.SelectConvexHull(),
        "Quadrant": lambda: select.SelectQuadrant(size),
        "Random": lambda: select.SelectRandom(size, random_state=1000 * seed + size),
    }[method]()


def measure(given: Setting) -> None:
    """Measure what the store does not have, one library of all data sets after the other."""
    tables = {f"Table {data.table}": name for name, data in DATA.items()}
    sections = chosen([*tables, *FIGURES, "Consensus", "Starts", WEIGHTS], given.only)
    names = []
    for name in chosen(DATA, given.only):
        try:
            keep(given.store, name, lambda: _read(given, name, given.seed))  # noqa: B023
            names.append(name)
        except MissingData as missing:
            say(f"{name}: {missing}")
    for run in range(given.runs * max((DATA[name].draws for name in names), default=0)):
        for name in names:
            if run >= given.runs * DATA[name].draws:
                continue
            wanted = sections if run < given.runs else [s for s in sections if s in tables]
            needed = [
                ("CSPA", figure)
                for section in wanted
                if section not in OTHERS and tables.get(section, name) == name
                for figure in figures_of(section, DATA[name].outliers)
            ]
            if WEIGHTS in wanted and name in OF_WEIGHTS:
                needed += [("CSPA", figure) for figure in (*BY_ALPHA, *BY_SUMS)]
            if "Consensus" in wanted:
                needed += [(how, f) for how in CONSENSUS for f in COMPARED]
            if "Starts" in wanted:
                needed += [
                    ("CSPA", f._replace(library=start)) for start in STARTS for f in COMPARED
                ]
                needed += [("CSPA", figure) for figure in BY_BEGINNING]
            _measure_library(given, name, given.seed + run, needed)
    if given.store.file is not None:
        from studies.paper3_figures import draw

        draw(given.store)


def _read(given: Setting, name: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    return DATA[name].prepare(*load(given.data, DATA[name].file), seed)


def _measure_library(
    given: Setting, name: str, seed: int, needed: list[tuple[str, Figure]]
) -> None:
    extended = any(figure.library in ("L", "LO") for _, figure in needed)

    @cache
    def libraries() -> tuple[dict[str, Any], np.ndarray]:
        X, y = _read(given, name, seed)
        k, size = len(set(y.tolist())), EXTENDED if extended else SMALL
        whole = library(k, size, random_state=seed, init=STARTS["S"]).fit_transform(X)
        made = {"S": whole[:, :SMALL], "LO": whole}
        if any(figure.library == "A" for _, figure in needed):
            other = library(k, SMALL, random_state=seed, init=STARTS["A"])
            made["A"] = other.fit_transform(X)
        if extended:
            made["L"] = select.DropDegenerate(KEPT).fit_transform(whole)
        return made, y

    def one(how: str, figure: Figure) -> dict[str, float]:
        made, y = libraries()
        ensemble, chosen_by = made[figure.library], selector(figure, seed)
        ensemble = ensemble if chosen_by is None else chosen_by.fit_transform(ensemble)
        labels = CONSENSUS[how](len(set(y.tolist())), seed).fit_predict(ensemble)
        return {"NMI": nmi(y, labels)}

    for how, figure in dict.fromkeys(needed):
        given.store.get((how, name, str(figure), seed), lambda: one(how, figure))  # noqa: B023


# ---------------------------------------------------------------------------------- results


def values_of(store: Store, name: str, figure: Figure, how: str = "CSPA") -> list[float]:
    return store.values(how, name, str(figure)).get("NMI", [])


def measured_in(store: Store, name: str, figures: list[Figure]) -> dict[Figure, list[float]]:
    """Values of the libraries that all sizes of a figure were measured on.

    The tables have some of the sizes on more libraries, which would bend the lines.
    """
    libraries = len(values_of(store, name, figures[0]))  # of ten members: no table has it
    found = {figure: values_of(store, name, figure)[:libraries] for figure in figures}
    return {figure: own for figure, own in found.items() if own}


def p_value(values: list[float], full: list[float]) -> float:
    """Two-sided paired t-test over the libraries that both have; 1 where nothing differs."""
    both = min(len(values), len(full))
    values, full = values[:both], full[:both]
    if both < 2 or np.allclose(values, full, atol=1e-12):
        return 1.0
    return float(ttest_rel(values, full).pvalue)


def report(given: Setting) -> Report:
    """Tables and figures of what the store has."""
    store = given.store
    parts: list[Table | Note] = [
        _departures(store),
        listed(store, "Table 1, data sets", TABLE_1, len(LOST)),
    ]
    for name, data in DATA.items():
        place = f"Table {data.table}, {name}"
        if name in LOST:
            printed = sum(len(figures) for figures, _ in PUBLISHED[name].values())
            parts.append(not_attainable(place, "No public copy of the data is known.", printed))
            continue
        cells, better = [], []
        full = values_of(store, name, Figure("S", "Full"))
        for method, (printed, sds) in PUBLISHED[name].items():
            sizes = SIZES if len(printed) > 1 else (0,)
            for size, p, sd in zip(sizes, printed, sds, strict=True):
                own = values_of(store, name, Figure("S", method, size))
                label = f"{method} {size or ''}".strip()
                cells.append(Cell(name, label, p, own, sd, _cause(f"{name} {label}")))
                if own and np.mean(own) > np.mean(full) and p_value(own, full) < 0.05:
                    better.append(label)
        remark = f"{data.remark.capitalize()}. Better than Full (paired t-test, p < .05): "
        remark += f"{', '.join(better) or 'none'}."
        parts.append(Table(place, cells, TOLERANCE, 3, remark, published_runs=LIBRARIES_PUBLISHED))
    for section in FIGURES:
        picture = f"paper3_{section.lower().replace('. ', '')}.png"
        shown = note(section, _figure(store, section), store, picture)
        parts.append(in_part(shown, *_coverage(shown)))
    parts.append(_sums(store))
    parts.append(note("Section 6.1, α from 0.1 to 0.9", _alphas(store)))
    for title, what, settings in (
        (
            "Consensus by HBGF and EAC, and the quadrant",
            "consensus",
            {how: (how, "S") for how in CONSENSUS},
        ),
        (
            "Starts of k-means",
            "start",
            {start: ("CSPA", kind) for kind, start in STARTS.items()},
        ),
    ):
        shown = note(title, _compared(store, what, settings))
        parts.append(in_part(shown, *_coverage(shown)))
    return Report(
        "paper 3",
        "Fern and Lin 2008, cluster ensemble selection.",
        f"Libraries of {SMALL} members, combined by CSPA with spectral partitioning. NMI by the "
        "geometric mean. k-means starts at random objects; the paper speaks of random "
        "assignments, see the last table. Joint Criterion: both sums divided by their number of "
        "terms, α = 0.5; Diversity begins with the pair that agrees least (footnote 1).\n\n"
        "Fixed beforehand: the library, CSPA, the sizes, α. Chosen by the published figures: the "
        "start of k-means, the means in the Joint Criterion, rows at right angles as the start "
        "of Cluster and Select, and that SEGMENTATION is standardised.",
        parts,
    )


def _departures(store: Store) -> Note:
    """Where the study does not follow the text, and what that does."""
    figures = [figure for figure in COMPARED if figure.method != "Quadrant"]
    tables = []
    for kind in reversed(STARTS):
        cells = [
            Cell(name, str(figure), printed[0][place], own, printed[1][place])
            for name in PUBLISHED
            if name not in LOST
            for figure in figures
            for printed in [PUBLISHED[name][figure.method]]
            for place in [SIZES.index(figure.size) if figure.size else 0]
            for own in [values_of(store, name, figure._replace(library=kind))[:RUNS]]
        ]
        tables.append(Table("", cells, TOLERANCE, published_runs=LIBRARIES_PUBLISHED))
    sums = _sums(store)
    here = []
    for cell, size in zip(sums.cells, SIZES * len(_with_sums(store)), strict=True):
        own = values_of(store, cell.data, Figure("S", "Joint Criterion", size))
        here.append(cell._replace(values=own[: len(cell.values)]))
    size = SIZES[2]
    return departures(
        (
            "k-means starts from an assignment of the objects to random clusters",
            "at random objects, chosen by the printed figures",
            f"Full and size 90 from assignments: {compared(*tables)}",
        ),
        (
            f"leaves open the scale of the sums of Eq. 5.2: for size {size} the first has "
            f"{size * SMALL:,} terms and the second {size * (size - 1):,}, but the text finds "
            "that diversity weighs heavily",
            "both sums divided by their number of terms, by which the printed figures of WINE "
            "come out; the plain sums beside it",
            f"sums on {', '.join(_with_sums(store))}: "
            + compared(sums, sums._replace(cells=here)),
        ),
        (
            "leaves open whether Diversity begins with the best member or with the pair that "
            "agrees least",
            "the pair",
            _of_best_first(store),
        ),
        (
            "leaves open how the k-means of spectral clustering starts in Cluster and Select",
            "rows at right angles, chosen by the printed figures",
            f"by k-means++: {_of_careful(store)}",
        ),
        (
            "leaves open the six letters, and the scaling of SEGMENTATION",
            "letters drawn for each library; SEGMENTATION standardised, chosen by the printed "
            "figures",
            "the spread over letters makes 17 cells of ISOLET6 weak evidence",
        ),
    )


def _of_best_first(store: Store) -> str:
    """Mean NMI of Diversity by its first member."""
    said = []
    for name in PUBLISHED:
        pair = [
            [values_of(store, name, Figure("S", method, size)) for size in SIZES]
            for method in (BEST_FIRST, "Diversity")
        ]
        if all(pair[0]):
            other, here = (np.mean([own[:RUNS] for own in found]) for found in pair)
            said.append(f"{name} {other:.3f} (the pair: {here:.3f})")
    if not said:
        return "not measured; the paper finds no difference"
    return f"with the best member, mean NMI of sizes {SIZES[0]} to {SIZES[-1]}: {', '.join(said)}"


def _of_careful(store: Store) -> str:
    """Cells of Cluster and Select by another start of its k-means."""
    tables = []
    names = [name for name in PUBLISHED if values_of(store, name, BY_BEGINNING[-1])]
    for method in (CAREFUL, "Cluster and Select"):
        cells = [
            Cell(name, str(size), p, values_of(store, name, Figure("S", method, size))[:RUNS], sd)
            for name in names
            for size, p, sd in zip(SIZES, *PUBLISHED[name]["Cluster and Select"], strict=True)
        ]
        tables.append(Table("", cells, TOLERANCE, published_runs=LIBRARIES_PUBLISHED))
    return f"{compared(*tables)} ({', '.join(names)})" if names else "not measured"


def _with_sums(store: Store) -> list[str]:
    """Data sets on which the sums were measured."""
    return [name for name in OF_WEIGHTS if values_of(store, name, BY_SUMS[-1])]


def _sums(store: Store) -> Table:
    """Cells of the Joint Criterion as Eq. 5.2 is printed."""
    cells = [
        Cell(name, f"Joint Criterion {size}", p, values_of(store, name, figure), sd, OPEN)
        for name in _with_sums(store)
        for figure, size, p, sd in zip(
            BY_SUMS, SIZES, *PUBLISHED[name]["Joint Criterion"], strict=True
        )
    ]
    return Table(
        "Joint Criterion, the sums of Eq. 5.2",
        cells,
        TOLERANCE,
        3,
        "Sums over the members and over their pairs, instead of their means.",
        published_runs=LIBRARIES_PUBLISHED,
        counted=False,
    )


def _alphas(store: Store) -> str:
    """Mean NMI by α, between Diversity and Quality."""
    methods = ["Diversity", *(f"Joint Criterion, α = {alpha}" for alpha in MORE_ALPHAS), "Quality"]
    rows = []
    for name in OF_WEIGHTS:
        for size in ALPHA_SIZES:
            figures = [Figure("LO", method, size) for method in methods]
            found = [values_of(store, name, figure) for figure in figures]
            libraries = min(map(len, found))
            if libraries:
                means = [f"{np.mean(own[:libraries]):.3f}" for own in found]
                rows.append([name, str(size), str(libraries), *means])
    header = ["data", "size", "libraries", "Diversity", *map(str, MORE_ALPHAS), "Quality"]
    said = "Mean NMI on the extended libraries, by α; Diversity is α = 0 and Quality α = 1.\n\n"
    return said + markdown(header, rows) if rows else ""


def _coverage(shown: Note) -> tuple[int, int]:
    """Number of data sets in a table whose first column names them, and how many can be had."""
    found = {row.split("|")[1].strip() for row in shown.text.splitlines()[2:]}
    return len(found), len(DATA) - len(LOST)


def _cause(cell: str) -> str:
    return next((why for start, why in CAUSES.items() if cell.startswith(start)), OPEN)


def _figure(store: Store, section: str) -> str:
    """Mean NMI by size, a row for each line of the figure."""
    rows = []
    for name, data in DATA.items():
        lines: dict[str, dict[int, list[float]]] = {}
        known = measured_in(store, name, figures_of(section, data.outliers))
        for figure, own in known.items():
            line = f"{figure.method}, {figure.library}"
            lines.setdefault(line, {})[figure.size] = own
        for line, by_size in lines.items():
            if 0 in by_size:
                shown = [f"{np.mean(by_size[0]):.3f}", *["" for _ in SHOWN]]
            else:
                shown = [
                    "",
                    *[f"{np.mean(by_size[s]):.3f}" if s in by_size else "–" for s in SHOWN],
                ]
            rows.append([name, line, str(max(map(len, by_size.values()))), *shown])
    sizes = [str(size) for size in SHOWN]
    return markdown(["data", "line", "libraries", "any size", *sizes], rows) if rows else ""


def _compared(store: Store, what: str, settings: dict[str, tuple[str, str]]) -> str:
    """A row for each data set and setting, over the libraries that all have."""
    rows = []
    for name in DATA:
        found = {
            setting: [values_of(store, name, f._replace(library=kind), how) for f in COMPARED]
            for setting, (how, kind) in settings.items()
        }
        libraries = min(len(own) for values in found.values() for own in values)
        if libraries:
            rows += [
                [name, setting, str(libraries), *[measured(v[:libraries], 3) for v in values]]
                for setting, values in found.items()
            ]
    columns = [f"{figure.method} {figure.size or ''}".strip() for figure in COMPARED]
    return markdown(["data", what, "libraries", *columns], rows) if rows else ""


if __name__ == "__main__":
    main(__name__)
