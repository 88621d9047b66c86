"""Figures of Domeniconi and Al-Razgan 2009: CSV and PNG in --out.

    python -m studies.paper0 --data DIR --only Figures --out OUT

Figs. 2 and 3    Two-Gaussian: points, relative coordinates and error of LAC for two values of 1/h
Figs. 5 and 6    Three-Gaussian: points, clusters and error of LAC for two values of 1/h
Figs. 4, 7, 9    error of LAC by 1/h, and of the methods that combine all values
Fig. 8           error by number of members, drawn from 1/h = 1..50 (ten draws per size)
Figs. 12 to 18   accuracy over diversity: 50 ensembles of 15 members drawn from 1/h = 1..50
Section 8.1      the gain of the consensus over its members, on the same ensembles

The methods are those of the library with its defaults.
"""

from __future__ import annotations

from functools import cache, partial
from itertools import product
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd

from consens import Ensemble
from consens.evidence.coordinates import relative_coordinates
from consens.generate import LACEnsemble
from consens.measure import diversity, error_rate
from studies._cells import NOTHING, Note, Setting, Table, in_part, note
from studies._data import MissingData
from studies._pictures import plt, save
from studies._run import chosen, say
from studies._store import Store
from studies._table import markdown
from studies.paper0 import CONSTANT, DATA, REAL, by_default, news_members, scaled

POOL = range(1, 51)
SIZES = range(10, 46, 5)
N_DRAWS_PER_SIZE = 10
N_ENSEMBLES, ENSEMBLE_SIZE = 50, 15
GAINS = "gains by diversity"
OF_MEMBERS = "members by diversity"
METHODS = ("WSPA", "WBPA", "WSBPA")
FIGURE_OF = {name: 12 + number for number, name in enumerate(DATA)}
ERROR_FIGURE_OF = {name: 4 if name == "Two-Gaussian" else 7 for name in DATA}
NEWS_NAME = "20 Newsgroups"
COLORS = {"WSPA": "#0072b2", "WBPA": "#d55e00", "WSBPA": "#009e73"}


def measure(given: Setting) -> None:
    """Measure what the store does not have; pictures and tables go to its folder."""
    out = Path(mkdtemp()) if given.store.file is None else given.store.file.parent
    out.mkdir(parents=True, exist_ok=True)
    get = given.store.get
    get(("Figs. 2 and 3",), lambda: figure_3(out, given.seed))
    get(("Figs. 5 and 6",), lambda: figure_6(out, given.seed))
    for name in chosen([*DATA, NEWS_NAME], given.only):
        try:
            if name == NEWS_NAME:
                get(("Fig. 9",), lambda: figure_9(given.data, out, given.seed))
            else:
                _measure_one(given, name, out)
        except (MissingData, ImportError) as missing:
            say(str(missing))
    if sizes := errors_by_size(given.store):
        figure_8(sizes, out)
    if words := given.store.known.get(("Fig. 11",)):
        figure_11(words, out)


def _measure_one(given: Setting, name: str, out: Path) -> None:
    get, seed = given.store.get, given.seed
    X, y = DATA[name].read(given.data, seed)
    k = len(np.unique(y))
    pools = {
        start: cache(partial(_pool, X, k, DATA[name].scale, start, seed))
        for start in ("shared", "random")
    }
    shared = pools["shared"]
    get(("Figs. 4 and 7", name), lambda: figure_7(name, shared(), y, out, seed))
    get(("Figs. 12 to 18", name), lambda: figure_12(name, shared(), y, out, seed))
    get(
        ("random centroids", name),
        lambda: correlations(by_diversity(pools["random"](), y, seed)),
    )
    get((GAINS, name), lambda: gains_by_diversity(by_diversity(shared(), y, seed)))
    get((OF_MEMBERS, name), lambda: members_by_diversity(shared(), y, seed))
    if name in REAL:
        get(
            ("Fig. 8", name),
            lambda: _errors_by_size(name, shared(), y, seed).to_dict("list"),
        )


def errors_by_size(store: Store) -> dict[str, pd.DataFrame]:
    """What the store has of Fig. 8, by data set."""
    known = {name: store.known.get(("Fig. 8", name)) for name in DATA}
    return {name: pd.DataFrame(values) for name, values in known.items() if values}


def _pool(X: np.ndarray, k: int, scale: str, start: str, seed: int) -> Ensemble:
    return LACEnsemble(k, inverse_h=POOL, init=start, random_state=seed).fit_transform(
        scaled(X, scale)
    )


def report(given: Setting) -> list[Table | Note]:
    """What the store has of the figures."""
    store, known = given.store, given.store.known
    process = "A drawing of the process: `ConsensusClustering` is that process."
    parts: list[Table | Note] = [
        Note("Fig. 1, the process", NOTHING, process),
        *(
            note(f"{key}, {data}", known.get((key,), ""), store, f"paper0_fig{number}.png")
            for key, data, number in (
                ("Figs. 2 and 3", "Two-Gaussian", 3),
                ("Figs. 5 and 6", "Three-Gaussian", 6),
            )
        ),
    ]
    errors = {n: known[key] for n in DATA if (key := ("Figs. 4 and 7", n)) in known}
    pictures = [_file(number, name) for name, number in ERROR_FIGURE_OF.items()]
    shown = note("Figs. 4 and 7, errors of LAC", _errors(errors), store, *pictures)
    parts.append(in_part(shown, len(errors), len(DATA)))
    means = [
        [method, name, *[f"{v:.2f}" for v in own.groupby("size")["error"].mean()]]
        for name, table in errors_by_size(store).items()
        for method, own in table.groupby("method")
    ]
    header = ["method", "data", *[f"{size} members" for size in SIZES]]
    table = markdown(header, means) if means else ""
    shown = note("Fig. 8, error by number of members", table, store, "paper0_fig8.png")
    parts.append(in_part(shown, len(means), 2 * len(set(REAL) & set(DATA))))
    news = {NEWS_NAME: known[key]} if (key := ("Fig. 9",)) in known else {}
    parts.append(note(f"Fig. 9, {NEWS_NAME}", _errors(news), store, _file(9, NEWS_NAME)))
    for key, title, pictures in (
        (
            "Figs. 12 to 18",
            "Figs. 12 to 18, accuracy and diversity",
            [_file(number, name) for name, number in FIGURE_OF.items()],
        ),
        ("random centroids", "Section 8, members by random centroids", []),
    ):
        found = {name: known[key, name] for name in DATA if (key, name) in known}
        shown = note(title, _correlations(found), store, *pictures)
        parts.append(in_part(shown, len(found), len(DATA)))
    found = {name: known[GAINS, name] for name in DATA if (GAINS, name) in known}
    shown = note("Section 8.1, gain and diversity", _gains(found))
    parts.append(in_part(shown, len(found), len(DATA)))
    found = {name: known[OF_MEMBERS, name] for name in DATA if (OF_MEMBERS, name) in known}
    shown = note("Section 8.1, members and diversity", _members(found))
    return [*parts, in_part(shown, len(found), len(DATA))]


def figure_3(out: Path, seed: int) -> str:
    """Two-Gaussian: relative coordinates of a sample, and the error of LAC (Figs. 2 and 3)."""
    X, y = DATA["Two-Gaussian"].read(Path(), seed)
    found = LACEnsemble(2, inverse_h=[7, 12], random_state=seed).fit_transform(scaled(X, "z"))
    rng = np.random.default_rng(seed)
    sample = np.concatenate(
        [rng.choice(np.flatnonzero(y == c), 100, replace=False) for c in (0, 1)]
    )
    figure, axes = plt.subplots(1, 4, figsize=(14, 3.6), layout="constrained")
    _scatter(axes[0], X, y, "Two-Gaussian")
    _scatter(axes[1], X[sample], y[sample], "100 of each class")
    said = []
    for ax, labels, coordinates, inverse_h, published in zip(
        axes[2:],
        found.labels.T,
        relative_coordinates(found, CONSTANT),
        (7, 12),
        (0.0, 5.3),
        strict=True,
    ):
        error = 100 * error_rate(y, labels)
        said.append(f"- 1/h = {inverse_h}: {error:.1f} % (published {published} %)")
        _scatter(ax, coordinates[sample], y[sample], f"1/h = {inverse_h}, error {error:.1f} %")
        ax.plot([0, 1], [0, 1], color="0.6", lw=0.8)
        ax.set(xlabel="P(C₁ | x)", ylabel="P(C₂ | x)", xlim=(0, 1), ylim=(0, 1))
    save(figure, out / "paper0_fig3.png")
    return "\n".join(said)


def figure_6(out: Path, seed: int) -> str:
    """Three-Gaussian: points, and the clusters and error of LAC (Figs. 5 and 6)."""
    X, y = DATA["Three-Gaussian"].read(Path(), seed)
    found = LACEnsemble(3, inverse_h=[1, 4], random_state=seed).fit_transform(scaled(X, "z"))
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    _scatter(axes[0], X, y, "Three-Gaussian")
    said = []
    for ax, labels, inverse_h, published in zip(
        axes[1:], found.labels.T, (1, 4), (34.6, 1.3), strict=True
    ):
        error = 100 * error_rate(y, labels)
        said.append(f"- 1/h = {inverse_h}: {error:.1f} % (published {published} %)")
        _scatter(ax, X, labels, f"LAC, 1/h = {inverse_h}, error {error:.1f} %")
    save(figure, out / "paper0_fig6.png")
    return "\n".join(said)


def _scatter(ax: plt.Axes, points: np.ndarray, labels: np.ndarray, title: str) -> None:
    """Points by class or cluster: a colour and a marker each."""
    for label, color, marker in zip(np.unique(labels), COLORS.values(), "os^", strict=False):
        own = points[labels == label]
        ax.scatter(*own.T, s=9, color=color, marker=marker, alpha=0.7, linewidths=0)
    ax.set_title(title)


def figure_7(name: str, pool: Ensemble, y: np.ndarray, out: Path, seed: int) -> dict[str, float]:
    """Error of LAC by 1/h, and of the consensus of the members that the tables use."""
    used = pool[:, : len(DATA[name].inverse_h)]
    number = ERROR_FIGURE_OF[name]
    return _by_inverse_h(name, pool, used, y, out / _file(number, name), seed)


def figure_9(folder: Path, out: Path, seed: int) -> dict[str, float]:
    """The same for 20 Newsgroups."""
    members, y = news_members(folder, seed)
    return _by_inverse_h(NEWS_NAME, members, members, y, out / _file(9, NEWS_NAME), seed)


def _by_inverse_h(
    name: str, pool: Ensemble, used: Ensemble, y: np.ndarray, path: Path, seed: int
) -> dict[str, float]:
    k = len(np.unique(y))
    errors = [100 * error_rate(y, column) for column in pool.labels.T]
    combined = {
        method: 100 * error_rate(y, by_default(f"{method}-METIS", k, seed).fit_predict(used))
        for method in METHODS
    }
    table = pd.DataFrame({"1/h": range(1, len(errors) + 1), "LAC": errors}).assign(**combined)
    table.to_csv(path.with_suffix(".csv"), index=False)
    figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
    ax.plot(table["1/h"], table["LAC"], "k.-", label="LAC", lw=0.8)
    for (method, error), style in zip(combined.items(), ("-", "--", ":"), strict=True):
        ax.axhline(error, color=COLORS[method], lw=1.6, ls=style, label=f"{method} {error:.1f} %")
    title = f"{name}, 1/h = 1..{used.shape[1]} combined, seed {seed}"
    ax.set(xlabel="1/h", ylabel="error in %", title=title, ylim=(0, None))
    ax.legend(frameon=False, fontsize=8)
    save(figure, path)
    return {"LAC min": min(errors), "LAC max": max(errors), **combined}


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
                    * error_rate(y, by_default(f"{method}-METIS", k, seed).fit_predict(drawn)),
                }
                for method in ("WSPA", "WBPA")
            ]
    return pd.DataFrame(rows)


def figure_8(tables: dict[str, pd.DataFrame], out: Path) -> None:
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
    axes[1].legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    save(figure, out / "paper0_fig8.png")


def figure_11(found: dict[str, Any], out: Path) -> None:
    """Weights of the heaviest words of each cluster, in both clusters."""
    figure, axes = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
    for ax, (group, own) in zip(axes, found["heavy"].items(), strict=True):
        places = np.arange(len(own["words"]))
        for shift, cluster, weights, color in zip(
            (-0.2, 0.2), found["clusters"], own["weights"], COLORS.values(), strict=False
        ):
            ax.barh(
                places + shift, weights, 0.38, color=color, label=f"in the cluster of {cluster}"
            )
        ax.set(title=f"heaviest words of the cluster of {group}", xlabel="weight", yticks=places)
        ax.set_yticklabels(own["words"])
        ax.invert_yaxis()
    axes[0].legend(frameon=False)
    save(figure, out / "paper0_fig11.png")


def by_diversity(pool: Ensemble, y: np.ndarray, seed: int) -> pd.DataFrame:
    """Diversity, accuracy of the members and of each method, for drawn ensembles."""
    rng = np.random.default_rng(seed)
    k = len(np.unique(y))
    rows = []
    for _ in range(N_ENSEMBLES):
        drawn = pool[:, np.sort(rng.choice(len(POOL), ENSEMBLE_SIZE, replace=False))]
        for method in METHODS:
            labels = by_default(f"{method}-METIS", k, seed).fit_predict(drawn)
            rows.append({"method": method, **diversity(drawn, labels, y)})
    return pd.DataFrame(rows)


def members_by_diversity(pool: Ensemble, y: np.ndarray, seed: int) -> dict[str, float | None]:
    """The same ensembles without a consensus: how accurate and how diverse the members are."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(N_ENSEMBLES):
        drawn = pool[:, np.sort(rng.choice(len(POOL), ENSEMBLE_SIZE, replace=False))]
        rows.append(diversity(drawn, y=y))
    table = pd.DataFrame(rows)
    x, accuracy = table["D_NMI"], table["Acc_NMI"]
    constant = x.std() <= 1e-9 or accuracy.std() <= 1e-9
    return {
        "r": None if constant else float(x.corr(accuracy)),
        "NMI": float(accuracy.mean()),
        "ARI": float(table["Acc_ARI"].mean()),
        "least": float(x.min()),
        "most": float(x.max()),
    }


def figure_12(
    name: str, pool: Ensemble, y: np.ndarray, out: Path, seed: int
) -> dict[str, list[float | None]]:
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
    save(figure, out / _file(FIGURE_OF[name], name))
    return correlations(table)


def correlations(table: pd.DataFrame) -> dict[str, list[float | None]]:
    """How accuracy goes with diversity (NMI, ARI), and the gain of the consensus, by method."""
    return {
        method: [
            _correlation(own, "NMI"),
            _correlation(own, "ARI"),
            float((own["Acc*_ARI"] - own["Acc_ARI"]).mean()),
        ]
        for method, own in table.groupby("method", sort=False)
    }


def gains_by_diversity(table: pd.DataFrame) -> dict[str, list[float | None]]:
    """How the gain in accuracy over the members goes with diversity (NMI, ARI), by method."""
    return {
        method: [_correlation(own, measure, gain=True) for measure in ("NMI", "ARI")]
        for method, own in table.groupby("method", sort=False)
    }


def _correlation(own: pd.DataFrame, measure: str, *, gain: bool = False) -> float | None:
    """Correlation of accuracy or gain with diversity; None where one of them does not vary."""
    x, y = own[f"D_{measure}"], own[f"Acc*_{measure}"]
    if gain:
        y = y - own[f"Acc_{measure}"]
    return float(x.corr(y)) if x.std() > 1e-9 and y.std() > 1e-9 else None


def _errors(found: dict[str, dict[str, float]]) -> str:
    rows = [[name, *(f"{error:.1f}" for error in own.values())] for name, own in found.items()]
    header = ["data", "LAC, least error %", "LAC, largest", *METHODS]
    return markdown(header, rows) if rows else ""


def _correlations(found: dict[str, dict[str, list[float | None]]]) -> str:
    rows = [
        [name, method, *("–" if v is None else f"{v:+.2f}" for v in values)]
        for name, own in found.items()
        for method, values in own.items()
    ]
    said = (
        "Correlation of the accuracy of the consensus with the diversity of its members (–: one "
        "of them does not vary), and the mean gain in ARI over the members.\n\n"
    )
    header = ["data", "method, METIS", "r, NMI", "r, ARI", "mean gain in ARI"]
    return said + markdown(header, rows) if rows else ""


def _gains(found: dict[str, dict[str, list[float | None]]]) -> str:
    rows = [
        [name, method, *("–" if v is None else f"{v:+.2f}" for v in values)]
        for name, own in found.items()
        for method, values in own.items()
    ]
    said = (
        "Correlation of the gain of the consensus over the mean of its members with their "
        "diversity, on the ensembles of Figs. 12 to 18 (–: one of them does not vary).\n\n"
    )
    return said + markdown(["data", "method, METIS", "r, NMI", "r, ARI"], rows) if rows else ""


def _members(found: dict[str, dict[str, float | None]]) -> str:
    rows = [
        [name, "–" if own["r"] is None else f"{own['r']:+.2f}"]
        + [f"{own[key]:.3f}" for key in ("NMI", "ARI", "least", "most")]
        for name, own in found.items()
    ]
    said = (
        "Mean accuracy of the members of the ensembles of Figs. 12 to 18: its correlation with "
        "diversity by NMI (–: one of them does not vary), its mean, and the range of D_NMI.\n\n"
    )
    header = ["data", "r, NMI", "Acc_NMI", "Acc_ARI", "least D_NMI", "largest D_NMI"]
    return said + markdown(header, rows) if rows else ""


def _file(number: int, name: str, ending: str = "png") -> str:
    plain = "".join(letter for letter in name if letter.isalnum()).lower()
    return f"paper0_fig{number}_{plain}.{ending}"
