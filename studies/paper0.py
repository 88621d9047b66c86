"""Domeniconi and Al-Razgan 2009, weighted cluster ensembles: published beside measured.

    python -m studies.paper0 --data DIR [--runs 10] [--seed 0] [--only NAME] [--out DIR]

Tables III to IX, error rates of thirteen methods and of the partitions they combine, on the
data that can be had; Table II, their averages over the real data sets; Table XIII, 20 Newsgroups
with the words of each cluster.  Names for --only: a data set, "Table XIII", "few members" or
"Figures".  Figures 7, 8 and 12 to 18 (plots and data, see studies.paper0_figures) are made when
--out is given, or with --only Figures.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from consens import Ensemble, consensus, datasets
from consens.consensus import EAC
from consens.generate import KMeansEnsemble, LACEnsemble
from consens.measure import error_rate, relevant_features
from consens.text import TextFeatures
from studies._data import MissingData, load
from studies._run import chosen, parser, say, write_json
from studies._table import beside, markdown

N_KMEANS = 50
EAC_RANGE = (2, 20)
EVEN = 0.001  # imbalance of METIS: its own default for bisections, and the classes are balanced

Data = tuple[np.ndarray, np.ndarray]


class Source(NamedTuple):
    """How a data set is read for a seed, how LAC sees it, and the values 1/h."""

    read: Callable[[Path, int], Data]
    scale: str
    inverse_h: range


def balanced(folder: Path, name: str, seed: int) -> Data:
    """All of the smaller class, and as many objects of the other, drawn at random."""
    X, y = load(folder, name)
    classes, sizes = np.unique(y, return_counts=True)
    rng = np.random.default_rng(seed)
    rows = [rng.choice(np.flatnonzero(y == c), sizes.min(), replace=False) for c in classes]
    kept = np.sort(np.concatenate(rows))
    return X[kept], y[kept]


def some_classes(folder: Path, name: str, classes: list[Any], first: int | None = None) -> Data:
    X, y = load(folder, name)
    X, y = X[:first], y[:first]
    kept = np.isin(y, classes)
    return X[kept], y[kept]


DATA = {
    "Two-Gaussian": Source(
        lambda f, seed: datasets.make_two_gaussians(random_state=seed), "z", range(1, 51)
    ),
    "Three-Gaussian": Source(
        lambda f, seed: datasets.make_three_gaussians(random_state=seed), "z", range(1, 51)
    ),
    "Iris": Source(lambda f, seed: load(f, "iris"), "raw", range(1, 21)),
    "WDBC": Source(lambda f, seed: balanced(f, "wdbc_id", seed), "raw", range(1, 17)),
    "Breast": Source(lambda f, seed: balanced(f, "breast_w", seed), "z", range(1, 15)),
    "Letter(A,B)": Source(lambda f, seed: some_classes(f, "letter", ["A", "B"]), "z", range(1, 5)),
    "SatImage": Source(
        lambda f, seed: some_classes(f, "satimage", [1, 7], 4435), "min-max", range(1, 26)
    ),
}
REAL = ["Iris", "WDBC", "Breast", "Letter(A,B)", "SatImage", "Spam2000", "Spam5996"]
TABLE_OF = {
    "Two-Gaussian": "III",
    "Three-Gaussian": "IV",
    "Iris": "V",
    "WDBC": "VI",
    "Breast": "VII",
    "Letter(A,B)": "VIII",
    "SatImage": "IX",
    "Spam2000": "X",
    "Spam5996": "XI",
}

# the six weighted methods: class of consens.consensus and its partitioner
WEIGHTED = {
    f"{name}-{short}": (name, partitioner)
    for name in ("WSPA", "WBPA", "WSBPA")
    for short, partitioner in (("METIS", "metis"), ("SPEC", "spectral"))
}
METHODS = [
    *WEIGHTED,
    "CSPA",
    "MCLA",
    "LAC+Co-as",
    "LAC+wCo-as",
    "k-means+Co-as",
    "k-means+EAC-AL (k fixed)",
    "k-means+EAC-AL (k free)",
]

# error rates in %, as printed, in the order of METHODS
PUBLISHED = {
    "Two-Gaussian": [0.17, 1.3, 0, 1.3, 0, 0, 0, 0, 0, 0.18, 1.3, 0.5, 0],
    "Three-Gaussian": [0, 2.2, 0.44, 1.3, 1.3, 1.56, 2.3, 1.3, 17.3, 2.7, 17.2, 0.3, 0.3],
    "Iris": [10.0, 6.0, 9.3, 6.6, 11.3, 9.3, 13.3, 13.3, 20.8, 15.7, 19.9, 12.0, 12.0],
    "WDBC": [10.6, 10.3, 8.7, 10.3, 12.5, 12.7, 11.1, 13.4, 12.9, 12.7, 49.7, 49.8, 46.2],
    "Breast": [3.6, 3.77, 3.6, 3.77, 9.6, 10.0, 4.8, 10.3, 8.2, 11.0, 5.2, 5.0, 5.0],
    "Letter(A,B)": [8.6, 6.6, 8.2, 6.6, 9.9, 9.4, 8.6, 10.8, 10.8, 10.0, 11.9, 24.9, 19.2],
    "SatImage": [14.9, 13.2, 15.0, 13.2, 14.5, 15.2, 20.3, 15.6, 15.6, 16.1, 15.7, 17.5, 17.5],
    "Spam2000": [0.7, 1.4, 0.7, 1.4, 0.6, 0.6, 0.7, 0.7, 0.7, 0.8, 9.7, 49.3, 49.3],
    "Spam5996": [1.17, 0.93, 1.12, 0.93, 0.93, 0.93, 1.3, 1.3, 1.5, 1.6, 5.4, 49.9, 49.9],
}
# final number of clusters of EAC-AL (k free), and max, min and mean error of the partitions of
# LAC, of k-means with the true k and of k-means with k in [2, 20]
FREE_K = {"Two-Gaussian": 217, "Three-Gaussian": 3, "Iris": 4, "WDBC": 4, "Letter(A,B)": 3}
MEMBERS = {
    "Two-Gaussian": ((5.5, 0, 2.2), (1.3, 1.3, 1.3), (0.8, 0.0, 0.45)),
    "Three-Gaussian": ((34.9, 1.3, 10.5), (1.2, 1.1, 1.17), (33.3, 0.2, 4.0)),
    "Iris": ((17.3, 9.3, 12.9), (33.3, 10.6, 17.6), (12.7, 2.7, 7.1)),
    "WDBC": ((48.5, 11.1, 23.4), (49.7, 49.7, 49.7), (46.2, 33.7, 38.9)),
    "Breast": ((34.1, 5.9, 20.5), (5.2, 4.8, 5.1), (4.8, 2.1, 3.4)),
    "Letter(A,B)": ((47.9, 6.4, 13.6), (18.0, 7.3, 12.6), (19.0, 2.1, 7.5)),
    "SatImage": ((16.5, 15.4, 15.8), (15.7, 15.6, 15.7), (19.0, 1.0, 6.3)),
    "Spam2000": ((1.5, 0.6, 0.9), (47.9, 5.4, 22.3), (48.6, 2.2, 18.5)),
    "Spam5996": ((49.7, 1.9, 7.9), (49.7, 5.4, 41.2), (49.3, 2.5, 37.5)),
}
TABLE_2 = [7.07, 6.04, 6.67, 6.14, 8.51, 8.32, 8.59, 9.36, 10.07, 9.7, 16.78, 29.8, 28.4]
TABLE_2_LAC = 13.59

NEWS = "newsgroups_elec_med"
NEWS_INVERSE_H = range(1, 11)
NEWS_SUPPORT = 0.03
# Ens-ER of Table XIII in the order of WEIGHTED; min, max, mean of LAC
TABLE_13 = [18.16, 17.15, 16.95, 17.09, 16.89, 17.19]
TABLE_13_LAC = (16.79, 46.17, 20.37)


def scaled(X: np.ndarray, how: str) -> np.ndarray:
    if how == "z":
        spread = X.std(axis=0)
        return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    if how == "min-max":
        return (X - X.min(axis=0)) / np.ptp(X, axis=0)
    return X


def weighted(method: str, k: int, seed: int) -> Any:
    """One of the six methods of the paper, for parts of equal size where METIS is used."""
    name, partitioner = WEIGHTED[method]
    return getattr(consensus, name)(k, partitioner=partitioner, imbalance=EVEN, random_state=seed)


def one_run(source: Source, X: np.ndarray, y: np.ndarray, seed: int) -> dict[str, float]:
    """Error rates in % of all methods and of the members, for one draw and start."""
    k = len(np.unique(y))

    def error(labels: np.ndarray, matching: str = "one-to-one") -> float:
        return 100 * error_rate(y, labels, matching)

    values: dict[str, float] = {}

    def note_members(name: str, E: Ensemble, matching: str = "one-to-one") -> None:
        errors = [error(column, matching) for column in E.labels.T]
        values.update({f"{name} max": max(errors), f"{name} min": min(errors)})
        values[f"{name} avg"] = float(np.mean(errors))

    E = LACEnsemble(k, source.inverse_h, random_state=seed).fit_transform(scaled(X, source.scale))
    note_members("LAC", E)
    for method in WEIGHTED:
        values[method] = error(weighted(method, k, seed).fit_predict(E))
    values["CSPA"] = error(consensus.CSPA(k, imbalance=EVEN, random_state=seed).fit_predict(E))
    values["MCLA"] = error(consensus.MCLA(k, random_state=seed).fit_predict(E))
    one_start = consensus.CoassociationKMeans(k, n_init=1, random_state=seed)
    values["LAC+Co-as"] = error(one_start.fit_predict(E))
    values["LAC+wCo-as"] = error(one_start.set_params(weighted=True).fit_predict(E))
    one_start.set_params(weighted=False)
    same_k = KMeansEnsemble(N_KMEANS, k, random_state=seed).fit_transform(X)
    note_members("k-means", same_k)
    values["k-means+Co-as"] = error(one_start.fit_predict(same_k))
    drawn_k = KMeansEnsemble(N_KMEANS, EAC_RANGE, random_state=seed).fit_transform(X)
    note_members("k in [2, 20]", drawn_k, "majority")
    values["k-means+EAC-AL (k fixed)"] = error(EAC(k, linkage="average").fit_predict(drawn_k))
    free = EAC(None, linkage="average").fit(drawn_k)
    values["k-means+EAC-AL (k free)"] = error(free.labels_, "majority")
    values["free k"] = free.n_clusters_
    return values


def table(name: str, results: pd.DataFrame) -> str:
    """Tables III to XI: methods, then the partitions they combine."""
    rows = []
    for method, published in zip(METHODS, PUBLISHED[name], strict=True):
        note = ""
        if method.endswith("(k free)"):
            ks = sorted(set(results["free k"].astype(int))) if len(results) else []
            note = f"k = {FREE_K.get(name, 2)} / {', '.join(map(str, ks)) or '–'}"
        rows.append([method, beside(published, _column(results, method), 2), note])
    for kind, published in zip(("LAC", "k-means", "k in [2, 20]"), MEMBERS[name], strict=True):
        for part, p in zip(("max", "min", "avg"), published, strict=True):
            column = f"{kind} {part}"
            rows.append([f"partitions of {column}", beside(p, _column(results, column), 2), ""])
    return markdown(["method", "error %, published / measured", "final k"], rows)


def table_2(everything: dict[str, pd.DataFrame]) -> str:
    """Averages over real data sets; the published ones over the same sets as measured, too."""
    measured_on = [name for name in REAL if name in everything]
    header = ["method", "published, 7 sets", f"published, {len(measured_on)} sets", "measured"]
    rows = []
    for number, method in enumerate(METHODS):
        same = np.mean([PUBLISHED[name][number] for name in measured_on])
        mean = np.mean([everything[name][method].mean() for name in measured_on])
        rows.append([method, f"{TABLE_2[number]:.2f}", f"{same:.2f}", f"{mean:.2f}"])
    same = np.mean([MEMBERS[name][0][2] for name in measured_on])
    mean = np.mean([everything[name]["LAC avg"].mean() for name in measured_on])
    rows.append(["LAC (mean of partitions)", f"{TABLE_2_LAC:.2f}", f"{same:.2f}", f"{mean:.2f}"])
    return markdown(header, rows)


def few_members(runs: int, seed: int) -> str:
    """WBPA-METIS on Three-Gaussian with five members: METIS alone collapses there."""
    rows = []
    for values in (range(1, 6), range(10, 51, 10)):
        errors = []
        for run in range(seed, seed + runs):
            X, y = DATA["Three-Gaussian"].read(Path(), run)
            E = LACEnsemble(3, values, random_state=run).fit_transform(scaled(X, "z"))
            errors.append(100 * error_rate(y, weighted("WBPA-METIS", 3, run).fit_predict(E)))
        rows.append([", ".join(map(str, values)), beside(None, errors, 2)])
    return markdown(["1/h", "error %, published / measured"], rows)


def table_13(folder: Path, runs: int, seed: int) -> tuple[str, dict[str, list[float]]]:
    """20 Newsgroups, electronics against medicine, and the words of each cluster."""
    path = folder / f"{NEWS}.parquet"
    if not path.exists():
        raise MissingData(
            f"{path.name} is not in {folder}. Get the groups sci.electronics and sci.med of 20 "
            "Newsgroups, the version of 18,828 messages; save columns 'text' and 'label'"
        )
    documents = pd.read_parquet(path)
    y = documents["label"].to_numpy()
    text = TextFeatures(min_support=NEWS_SUPPORT)
    counts = text.fit_transform(documents["text"])
    X = make_pipeline(Normalizer(), StandardScaler(with_mean=False)).fit_transform(counts)
    values: dict[str, list[float]] = {method: [] for method in WEIGHTED}
    members: list[list[float]] = []
    words = ""
    for run in range(seed, seed + runs):
        E = LACEnsemble(2, NEWS_INVERSE_H, random_state=run).fit_transform(X)
        members.append([100 * error_rate(y, column) for column in E.labels.T])
        for method in WEIGHTED:
            fitted = weighted(method, 2, run).fit(E)
            values[method].append(100 * error_rate(y, fitted.labels_))
            if method == "WSBPA-METIS" and run == seed:
                words = _words(fitted, text, y)
    rows = [
        [method, beside(p, values[method], 2)]
        for method, p in zip(WEIGHTED, TABLE_13, strict=True)
    ]
    parts = {"min": min, "max": max, "avg": np.mean}
    for (part, function), p in zip(parts.items(), TABLE_13_LAC, strict=True):
        rows.append(
            [f"partitions of LAC {part}", beside(p, [function(own) for own in members], 2)]
        )
    said = (
        f"{text.vocabulary_size_} stems (published: a dictionary of 24546), "
        f"{len(text.terms_)} in pairs that occur together in {NEWS_SUPPORT:.0%} of the documents "
        f"(published: 321).\n\n"
        + markdown(["method", "error %, published / measured"], rows)
        + f"\n\nWords of the clusters of WSBPA-METIS (seed {seed}); in brackets the share of "
        "this cluster in the frequency of the word:\n\n" + words
    )
    return said, values


def _words(fitted: Any, text: TextFeatures, y: np.ndarray) -> str:
    lines = []
    for by, what in (("weight", "heavy"), ("frequency", "frequent, and heavy in any cluster")):
        for cluster, words in enumerate(relevant_features(fitted, text.words_, 15, by)):
            group, size = np.unique(y[fitted.labels_ == cluster], return_counts=True)
            listed = ", ".join(f"{word.name} ({word.share:.2f})" for word in words)
            lines.append(f"- mostly {group[size.argmax()]}, {what}: {listed}")
    return "\n".join(lines)


def _column(results: pd.DataFrame, name: str) -> list[float]:
    return results[name].tolist() if name in results else []


def main() -> None:
    options = parser(__doc__, runs=10).parse_args()
    runs, seed, out = options.runs, options.seed, options.out
    print(
        "Domeniconi and Al-Razgan 2009. Error rates in %, published / measured (mean ± sd of "
        f"{runs} runs, seeds {seed} to {seed + runs - 1}; a seed draws the Gaussians and the "
        "balanced subsamples, and starts LAC and the methods). One-to-one matching; majority "
        "where k is free or drawn.\nLAC: well-scattered start, shared by all h. METIS: parts of "
        f"equal size ({EVEN:.1%}). k-means: {N_KMEANS} partitions of the raw features; for EAC, "
        f"k in [{EAC_RANGE[0]}, {EAC_RANGE[1]}]. Co-as.: one start of k-means. WSBPA leaves out "
        "members with a degenerate cluster.\n"
    )
    names = [*DATA, "Spam2000", "Spam5996", "few members", "Table XIII", "Figures"]
    everything: dict[str, pd.DataFrame] = {}
    for name in chosen(names, options.only):
        if name in TABLE_OF:
            results = _measure(name, options.data, runs, seed)
            setting = ""
            if len(results):
                everything[name] = results
                source = DATA[name]
                hs = source.inverse_h
                setting = f"; features {source.scale}, 1/h = {hs[0]}..{hs[-1]}"
            print(f"## Table {TABLE_OF[name]}, {name}{setting}\n\n{table(name, results)}\n")
            write_json(out, f"paper0_{name}.json", results.to_dict("list"))
        elif name == "few members":
            print(f"## Three-Gaussian, WBPA-METIS, five members\n\n{few_members(runs, seed)}\n")
        elif name == "Table XIII":
            _print_table_13(options)
        elif out is not None or options.only:
            from studies.paper0_figures import figures

            for line in figures(options.data, out or Path("paper0_figures"), seed, options.only):
                print(line)
    if any(name in everything for name in REAL):
        print(f"## Table II, averages over real data sets\n\n{table_2(everything)}\n")


def _measure(name: str, folder: Path, runs: int, seed: int) -> pd.DataFrame:
    if name not in DATA:
        say(f"{name}: Email-1431 has no public copy; published figures only")
        return pd.DataFrame()
    rows = []
    for run in range(seed, seed + runs):
        try:
            X, y = DATA[name].read(folder, run)
        except MissingData as error:
            say(str(error))
            return pd.DataFrame()
        say(f"{name}: seed {run}")
        rows.append(one_run(DATA[name], X, y, run))
    return pd.DataFrame(rows)


def _print_table_13(options: Any) -> None:
    print("## Table XIII, 20 Newsgroups (electronics, medicine)\n")
    try:
        said, values = table_13(options.data, options.runs, options.seed)
    except (MissingData, ImportError) as error:
        say(str(error))
        return
    print(
        f"1/h = {NEWS_INVERSE_H[0]}..{NEWS_INVERSE_H[-1]}; documents scaled to length 1, "
        f"terms to variance 1. {said}\n"
    )
    write_json(options.out, "paper0_TableXIII.json", values)


if __name__ == "__main__":
    main()
