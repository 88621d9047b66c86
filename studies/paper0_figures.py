"""Figures 3, 4, 6 to 8 and 12 to 18 of Domeniconi and Al-Razgan 2009: CSV and PNG in --out.

    python -m studies.paper0 --data DIR --only Figures --out OUT

Figs. 3 and 6  error of LAC on the Gaussians for single values of 1/h
Figs. 4 and 7  error of LAC by 1/h, and of the methods that combine all values
Fig. 8         error by number of members, drawn from 1/h = 1..50 (ten draws per size)
Figs. 12-18    accuracy over diversity: 50 ensembles of 15 members drawn from 1/h = 1..50
"""

from __future__ import annotations

from functools import cache, partial
from itertools import product
from pathlib import Path
from tempfile import mkdtemp

import matplotlib as mpl
import numpy as np
import pandas as pd

from consens import Ensemble
from consens.generate import LACEnsemble
from consens.measure import diversity, error_rate
from studies._cells import Note, Setting, Table, in_part, note
from studies._data import MissingData
from studies._run import chosen, say
from studies._table import markdown
from studies.paper0 import DATA, REAL, scaled, weighted

mpl.use("Agg")
from matplotlib import pyplot as plt

POOL = range(1, 51)
SIZES = range(10, 46, 5)
N_DRAWS_PER_SIZE = 10
N_ENSEMBLES, ENSEMBLE_SIZE = 50, 15
METHODS = ("WSPA", "WBPA", "WSBPA")
FIGURE_OF = {name: 12 + number for number, name in enumerate(DATA)}
COLORS = {"WSPA": "#0072b2", "WBPA": "#d55e00", "WSBPA": "#009e73"}


def measure(given: Setting) -> None:
    """Measure what the store does not have; pictures and tables go to its folder."""
    out = Path(mkdtemp()) if given.store.file is None else given.store.file.parent
    out.mkdir(parents=True, exist_ok=True)
    sizes = {}
    for name in chosen(DATA, given.only):
        try:
            X, y = DATA[name].read(given.data, given.seed)
        except MissingData as error:
            say(str(error))
            continue
        k = len(np.unique(y))
        pools = {
            start: cache(partial(_pool, X, k, DATA[name].scale, start, given.seed))
            for start in ("shared", "random")
        }
        shared, get = pools["shared"], given.store.get
        get(("Figs. 4 and 7", name), lambda: figure_7(name, shared(), y, out, given.seed))  # noqa: B023
        get(("Figs. 12 to 18", name), lambda: figure_12(name, shared(), y, out, given.seed))  # noqa: B023
        get(
            ("random centroids", name),
            lambda: correlations(by_diversity(pools["random"](), y, given.seed)),  # noqa: B023
        )
        if name in REAL:
            sizes[name] = get(
                ("Fig. 8", name),
                lambda: _errors_by_size(name, shared(), y, given.seed).to_dict("list"),  # noqa: B023
            )
    given.store.get(("Figs. 3 and 6",), lambda: figure_3(given.seed))
    if sizes:
        figure_8({name: pd.DataFrame(values) for name, values in sizes.items()}, out)


def _pool(X: np.ndarray, k: int, scale: str, start: str, seed: int) -> Ensemble:
    return LACEnsemble(k, POOL, start=start, random_state=seed).fit_transform(scaled(X, scale))


def report(given: Setting) -> list[Table | Note]:
    """What the store has of the figures."""
    known = given.store.known
    parts: list[Table | Note] = [
        note("Figs. 3 and 6, Gaussians", known.get(("Figs. 3 and 6",), ""))
    ]
    for key in ("Figs. 4 and 7", "Figs. 12 to 18"):
        lines = [f"- {known[key, name]}" for name in DATA if (key, name) in known]
        start = {name: 7 if key == "Figs. 4 and 7" else FIGURE_OF[name] for name in DATA}
        pictures = [_file(number, name) for name, number in start.items()]
        shown = note(key, "\n".join(lines), given.store, *pictures)
        parts.append(in_part(shown, len(lines), len(DATA)))
    centroids = {n: known[key] for n in DATA if (key := ("random centroids", n)) in known}
    lines = [f"- {name}: {said}" for name, said in centroids.items()]
    shown = note("Section 8, members by random centroids", "\n".join(lines))
    parts.append(in_part(shown, len(lines), len(DATA)))
    means = [
        [method, name, *[f"{v:.2f}" for v in own.groupby("size")["error"].mean()]]
        for name in DATA
        if ("Fig. 8", name) in known
        for method, own in pd.DataFrame(known["Fig. 8", name]).groupby("method")
    ]
    header = ["method", "data", *[f"{size} members" for size in SIZES]]
    table = markdown(header, means) if means else ""
    shown = note("Fig. 8, error by number of members", table, given.store, "paper0_fig8.png")
    parts.append(in_part(shown, len(means), 2 * len(set(REAL) & set(DATA))))
    return parts


def figure_3(seed: int) -> str:
    """LAC on the Gaussians for single values of 1/h, as the captions of Figs. 3 and 6 say."""
    said = []
    for name, published in (("Two-Gaussian", {7: 0.0}), ("Three-Gaussian", {1: 34.6, 4: 1.3})):
        X, y = DATA[name].read(Path(), seed)
        lac = LACEnsemble(len(np.unique(y)), list(published), random_state=seed)
        found = lac.fit_transform(scaled(X, "z")).labels.T
        said += [
            f"- {name}, 1/h = {h}: {100 * error_rate(y, labels):.1f} % (published {p} %)"
            for (h, p), labels in zip(published.items(), found, strict=True)
        ]
    return "\n".join(said)


def figure_7(name: str, pool: Ensemble, y: np.ndarray, out: Path, seed: int) -> str:
    """Error of each member, and of the consensus of those that the tables use."""
    k = len(np.unique(y))
    errors = [100 * error_rate(y, column) for column in pool.labels.T]
    used = pool[:, : len(DATA[name].inverse_h)]
    combined = {
        method: 100 * error_rate(y, weighted(f"{method}-METIS", k, seed).fit_predict(used))
        for method in METHODS
    }
    table = pd.DataFrame({"1/h": list(POOL), "LAC": errors}).assign(**combined)
    table.to_csv(out / _file(7, name, "csv"), index=False)
    figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
    ax.plot(table["1/h"], table["LAC"], "k.-", label="LAC", lw=0.8)
    for method, error in combined.items():
        ax.axhline(error, color=COLORS[method], lw=1.2, label=f"{method} {error:.1f} %")
    ax.set(xlabel="1/h", ylabel="error in %", title=f"{name}, seed {seed}", ylim=(0, None))
    ax.legend(frameon=False, fontsize=8)
    _save(figure, out / _file(7, name))
    return f"Fig. 7, {name}: LAC {min(errors):.1f} to {max(errors):.1f} %, " + ", ".join(
        f"{method} {error:.1f} %" for method, error in combined.items()
    )


def _errors_by_size(name: str, pool: Ensemble, y: np.ndarray, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    k = len(np.unique(y))
    rows = []
    for size in SIZES:
        say(f"Fig. 8, {name}: {size} members")
        for _ in range(N_DRAWS_PER_SIZE):
            drawn = pool[:, np.sort(rng.choice(len(POOL), size, replace=False))]
            rows += [
                {
                    "data": name,
                    "size": size,
                    "method": f"{method}-METIS",
                    "error": 100
                    * error_rate(y, weighted(f"{method}-METIS", k, seed).fit_predict(drawn)),
                }
                for method in ("WSPA", "WBPA")
            ]
    return pd.DataFrame(rows)


def figure_8(tables: dict[str, pd.DataFrame], out: Path) -> str:
    """Mean error by number of members."""
    whole = pd.concat(tables.values())
    whole.to_csv(out / "paper0_fig8.csv", index=False)
    means = whole.groupby(["method", "data", "size"])["error"].mean()
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
    for ax, method in zip(axes, ("WSPA-METIS", "WBPA-METIS"), strict=True):
        for name in tables:
            line = means[method, name]
            ax.plot(line.index, line, "o-", ms=3, label=name)
        ax.set(xlabel="number of members", title=method, ylim=(0, None))
    axes[0].set_ylabel("error in %, mean of ten ensembles")
    axes[1].legend(frameon=False, fontsize=8)
    _save(figure, out / "paper0_fig8.png")
    change = means.unstack("size")
    first, last = change.columns[0], change.columns[-1]
    return "Fig. 8, mean error with " + "; ".join(
        f"{first} and {last} members: {method}, {name} {row[first]:.2f} and {row[last]:.2f} %"
        for (method, name), row in change.iterrows()
    )


def by_diversity(pool: Ensemble, y: np.ndarray, seed: int) -> pd.DataFrame:
    """Diversity, accuracy of the members and of each method, for drawn ensembles."""
    rng = np.random.default_rng(seed)
    k = len(np.unique(y))
    rows = []
    for _ in range(N_ENSEMBLES):
        drawn = pool[:, np.sort(rng.choice(len(POOL), ENSEMBLE_SIZE, replace=False))]
        for method in METHODS:
            labels = weighted(f"{method}-METIS", k, seed).fit_predict(drawn)
            rows.append({"method": method, **diversity(drawn, labels, y)})
    return pd.DataFrame(rows)


def figure_12(name: str, pool: Ensemble, y: np.ndarray, out: Path, seed: int) -> str:
    """Accuracy of members and of the consensus over the diversity of drawn ensembles."""
    table = by_diversity(pool, y, seed)
    table.to_csv(out / _file(FIGURE_OF[name], name, "csv"), index=False)
    figure, axes = plt.subplots(2, 3, figsize=(10, 5.6), layout="constrained", sharey="row")
    for (row, measure), (column, method) in product(enumerate(("NMI", "ARI")), enumerate(METHODS)):
        ax = axes[row, column]
        own = table[table["method"] == method].sort_values(f"D_{measure}")
        x = own[f"D_{measure}"]
        ax.plot(x, own[f"Acc_{measure}"], "*-", color="0.5", ms=5, lw=0.6, label="members (mean)")
        ax.plot(
            x,
            own[f"Acc*_{measure}"],
            "s-",
            color=COLORS[method],
            mfc="none",
            ms=4,
            lw=0.6,
            label="consensus",
        )
        ax.set(xlabel=f"D_{measure}", title=f"{method}-METIS")
        if column == 0:
            ax.set_ylabel(f"accuracy ({measure})")
    axes[0, 0].legend(frameon=False, fontsize=8)
    figure.suptitle(f"{name}: {N_ENSEMBLES} ensembles of {ENSEMBLE_SIZE} members, seed {seed}")
    _save(figure, out / _file(FIGURE_OF[name], name))
    return f"Fig. {FIGURE_OF[name]}, {name}: {correlations(table)}"


def correlations(table: pd.DataFrame) -> str:
    """How accuracy goes with diversity, and what the consensus gains, by method."""
    return "; ".join(
        f"{method} r = {_correlation(own, 'NMI')} (NMI), {_correlation(own, 'ARI')} (ARI), "
        f"mean gain in ARI {(own['Acc*_ARI'] - own['Acc_ARI']).mean():+.3f}"
        for method, own in table.groupby("method", sort=False)
    )


def _file(number: int, name: str, ending: str = "png") -> str:
    plain = "".join(letter for letter in name if letter.isalnum()).lower()
    return f"paper0_fig{number}_{plain}.{ending}"


def _correlation(own: pd.DataFrame, measure: str) -> str:
    x, y = own[f"D_{measure}"], own[f"Acc*_{measure}"]
    return f"{x.corr(y):+.2f}" if x.std() > 1e-9 and y.std() > 1e-9 else "none"


def _save(figure: plt.Figure, path: Path) -> None:
    figure.savefig(path, dpi=80)
    plt.close(figure)
