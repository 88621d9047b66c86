"""What Domeniconi and Al-Razgan 2009 say in words."""

from __future__ import annotations

import re
from itertools import product

import numpy as np

from studies._claims import (
    Claim,
    Outcome,
    better,
    each,
    means,
    on_average,
    one,
    trend,
    unmeasured,
    untested,
)
from studies._store import Store
from studies.paper0 import DATA, METHODS, REAL, WEIGHTED
from studies.paper0_figures import GAINS, OF_MEMBERS, errors_by_size
from studies.paper0_readings import KL, LEFT_OUT, RANGES, READINGS, WIDTHS

OURS = [name for name in REAL if name in DATA]
GAUSSIANS = [name for name in DATA if name not in REAL]
THREE = ("WSPA", "WBPA", "WSBPA")
E_MAILS = "the e-mails cannot be had"


def runs(store: Store, column: str, names: list[str] | None = None) -> dict[str, list[float]]:
    """Errors of a method or of its members, by data set."""
    return {name: store.values(name).get(column, []) for name in names or DATA}


def average(store: Store, method: str) -> float:
    """Mean error over the real data sets; 0 if one is not measured."""
    found = list(means(runs(store, method, OURS)).values())
    return float(np.mean(found)) if len(found) == len(OURS) else 0.0


def best_of(store: Store, columns: list[str], names: list[str]) -> dict[str, list[float]]:
    """Runs of the method with the least mean error, by data set."""
    found = {}
    for name in names:
        every = [runs(store, column, [name])[name] for column in columns]
        found[name] = min((own for own in every if own), key=np.mean, default=[])
    return found


def as_good_as_the_best_member(store: Store) -> Outcome:
    least = means(runs(store, "LAC min"))
    right = {
        f"{name} {method}": means(runs(store, f"{method}-METIS"))[name] <= value + 1e-9
        for name, value in least.items()
        for method in THREE
    }
    told = each(right, "mean error against the mean least error of LAC")
    return told._replace(figure=told.figure.split(" (")[0])


def lowest_of_all(store: Store) -> Outcome:
    right = {}
    for name in OURS:
        found = {
            method: own for method in METHODS if (own := means(runs(store, method)).get(name))
        }
        if found:
            right[name] = min(found, key=lambda method: found[method]) in WEIGHTED
    return each(right, "the method with the least mean error of 13")


def of_methods(store: Store, first: list[str], second: list[str]) -> Outcome:
    """Averages of two groups of methods over the real data sets."""
    pair = []
    for group in (first, second):
        every = [runs(store, method, OURS) for method in group]
        pair.append({n: [v for own in every for v in own[n]] for n in OURS})
    return on_average(*pair)


def poorest(store: Store) -> Outcome:
    found = {m: mean for m in METHODS if (mean := average(store, m))}
    if len(found) < len(METHODS):
        return unmeasured()
    worst = sorted(found, key=lambda method: -found[method])[:2]
    right = {f"{method} ({found[method]:.1f})": "EAC" in method for method in worst}
    return each(right, f"the two methods with the largest mean error over {len(OURS)} sets")


def close_to_the_largest(store: Store) -> Outcome:
    largest = means(runs(store, "k in [2, 20] max", OURS))
    found = {m: means(runs(store, m, OURS)) for m in METHODS if "EAC" in m}
    right = {
        f"{name}{method.removeprefix('k-means+EAC-AL')}": abs(own[name] - largest[name]) <= 5
        for method, own in found.items()
        for name in largest
    }
    return each(right, "within 5 points of the largest error of a member")


def by_size(store: Store) -> Outcome:
    curves = {}
    for name, table in errors_by_size(store).items():
        for method, own in table.groupby("method"):
            line = own.groupby("size")["error"].mean()
            curves[f"{name} {method}"] = (list(line.index), list(line))
    return trend(curves, -1)


def similar_by_divergence(store: Store) -> Outcome:
    right = {}
    for name in DATA:
        other, here = store.values(READINGS, name), store.values(name)
        for method in ("WSPA-METIS", "WSPA-SPEC"):
            if other and here:
                gap = np.mean(other[f"{method}, {KL}"]) - np.mean(here[method])
                right[f"{name} {method} {gap:+.1f}"] = abs(gap) <= 1
    return each(right, "mean error within 1 point")


def near_the_least(store: Store) -> Outcome:
    found = means(store.values("Table XIII"))
    right = {
        f"{method} {found[method] - found['LAC min']:+.1f}": found[method] <= found["LAC min"] + 1
        for method in ("WSBPA-METIS", "WSBPA-SPEC")
        if method in found
    }
    return each(right, "at most 1 point above the least error of LAC")


def alike_on_news(store: Store) -> Outcome:
    found = means(store.values("Table XIII"))
    right = {
        f"{m} {found[f'{m}-METIS'] - found[f'{m}-SPEC']:+.1f}": abs(
            found[f"{m}-METIS"] - found[f"{m}-SPEC"]
        )
        <= 1
        for m in THREE
        if f"{m}-METIS" in found
    }
    return each(right, "mean errors within 1 point")


def correlations(store: Store, place: str, column: int) -> dict[str, float]:
    """Correlations with diversity (0: NMI, 1: ARI), or the gains (2), by data set and method."""
    found = {name: store.known.get((place, name), {}) for name in DATA}
    return {
        f"{name} {method}": values[column]
        for name, own in found.items()
        for method, values in own.items()
        if values[column] is not None
    }


def with_diversity(store: Store, column: int) -> Outcome:
    found = correlations(store, "Figs. 12 to 18", column)
    told = each({n: r > 0 for n, r in found.items()}, "correlation of 50 ensembles above 0")
    real = [r for name, r in found.items() if name.rsplit(" ", 1)[0] in REAL]
    shown = f"{told.figure.split(' (')[0]}; real data {sum(r > 0 for r in real)} of {len(real)}"
    return told._replace(figure=shown)


def ari_more_consistent(store: Store) -> Outcome:
    shares = []
    for column in (0, 1):
        found = correlations(store, "Figs. 12 to 18", column)
        shares.append((sum(r > 0 for r in found.values()), len(found)))
    (nmi, of_nmi), (ari, of_ari) = shares
    if not of_nmi:
        return unmeasured()
    right = ari / of_ari > nmi / of_nmi
    shown = f"positive {ari} of {of_ari} by ARI, {nmi} of {of_nmi} by NMI"
    return one(right, shown, "number of positive correlations")


def gains(store: Store) -> Outcome:
    found = correlations(store, "Figs. 12 to 18", 2)
    told = each({n: gain > 0 for n, gain in found.items()}, "mean gain in ARI over the members")
    return told


def gain_with_diversity(store: Store) -> Outcome:
    by = {c: correlations(store, GAINS, i) for i, c in enumerate(("NMI", "ARI"))}
    right = {f"{name} {c}": r > 0 for c, found in by.items() for name, r in found.items()}
    told = each(right, "correlation of the gain of 50 ensembles above 0")
    return told._replace(figure=told.figure.split(" (")[0])


def hgpa_worse(store: Store) -> Outcome:
    pairs: tuple[dict[str, list[float]], dict[str, list[float]]] = ({}, {})
    for name, method in product(DATA, ("CSPA", "MCLA")):
        pairs[0][f"{name} {method}"] = runs(store, method, [name])[name]
        pairs[1][f"{name} {method}"] = store.values(LEFT_OUT, name).get("HGPA", [])
    return better(*pairs)


def average_above_single(store: Store) -> Outcome:
    pairs: tuple[dict[str, list[float]], dict[str, list[float]]] = ({}, {})
    for name, k in product(DATA, ("k fixed", "k free")):
        pairs[0][f"{name} {k}"] = runs(store, f"k-means+EAC-AL ({k})", [name])[name]
        pairs[1][f"{name} {k}"] = store.values(LEFT_OUT, name).get(f"EAC-SL ({k})", [])
    return better(*pairs)


def same_with_centroids(store: Store) -> Outcome:
    found = correlations(store, "random centroids", 1)
    other = correlations(store, "Figs. 12 to 18", 1)
    both = {n: found[n] * other[n] > 0 for n in found if n in other}
    told = each(both, "same sign of the correlation by ARI as with varying h")
    return told._replace(figure=told.figure.split(" (")[0])


def wdbc_rises(store: Store) -> Outcome:
    found = {c: correlations(store, "Figs. 12 to 18", i) for i, c in enumerate(("NMI", "ARI"))}
    right = {
        f"{c} {own['WDBC WSBPA']:+.2f}": own["WDBC WSBPA"] > 0.5
        for c, own in found.items()
        if "WDBC WSBPA" in own
    }
    return each(right, "correlation above 0.5")


def of_members(store: Store) -> dict[str, dict[str, float | None]]:
    """Accuracy and diversity of drawn members, by data set."""
    return {n: store.known[OF_MEMBERS, n] for n in DATA if (OF_MEMBERS, n) in store.known}


def members_with_diversity(store: Store) -> Outcome:
    found = {name: own["r"] for name, own in of_members(store).items() if own["r"] is not None}
    told = each({n: r > 0 for n, r in found.items()}, "correlation of 50 ensembles above 0")
    return told


def members_by_nmi(store: Store) -> Outcome:
    right = {
        f"{name} {own['NMI'] - own['ARI']:+.2f}": own["NMI"] > own["ARI"]
        for name, own in of_members(store).items()
        if own["NMI"] is not None and own["ARI"] is not None
    }
    return each(right, "mean accuracy of the members by NMI above that by ARI")


def narrow_on_satimage(store: Store) -> Outcome:
    ranges = {
        name: own["most"] - own["least"]
        for name, own in of_members(store).items()
        if name in REAL and own["most"] is not None and own["least"] is not None
    }
    if "SatImage" not in ranges:
        return unmeasured()
    shown = ", ".join(f"{name} {gap:.3f}" for name, gap in ranges.items())
    return one(ranges["SatImage"] <= 0.1, shown, "range of D_NMI at most 0.1")


def letter_rises(store: Store) -> Outcome:
    found = correlations(store, "Figs. 12 to 18", 0).get("Letter(A,B) WSBPA")
    if found is None:
        return unmeasured()
    return one(found > 0.5, f"{found:+.2f}", "correlation above 0.5")


def sensitive_to_h(store: Store) -> Outcome:
    most, least = means(runs(store, "LAC max")), means(runs(store, "LAC min"))
    right = {
        f"{name} {most[name] - least[name]:.0f}": most[name] - least[name] > 5 for name in most
    }
    return each(right, "largest minus least error of LAC above 5 points")


def lower_than_members(
    store: Store, method: str, row: str, names: list[str], surely: bool = False
) -> Outcome:
    both = best_of(store, [f"{method}-METIS", f"{method}-SPEC"], names)
    return better(both, runs(store, row, names), surely=surely)


def superior_to_both(store: Store, names: list[str]) -> Outcome:
    return better(
        best_of(store, ["WSBPA-METIS", "WSBPA-SPEC"], names),
        best_of(store, ["CSPA", "MCLA"], names),
    )


def averages_of_weighted(store: Store) -> Outcome:
    found = {m: average(store, m) for m in (*WEIGHTED, "CSPA", "MCLA")}
    if not all(found.values()):
        return unmeasured()
    plain = min(found["CSPA"], found["MCLA"])
    right = {f"{m} {found[m]:.1f}": found[m] < plain for m in WEIGHTED}
    return each(
        right, f"mean over {len(OURS)} sets below the better of CSPA and MCLA, {plain:.1f}"
    )


def equal_to_the_least(store: Store) -> Outcome:
    names = ["Three-Gaussian"]
    return better(runs(store, "WSBPA-METIS", names), runs(store, "LAC min", names), margin=0.5)


def good_on_gaussians(store: Store) -> Outcome:
    right = {
        f"{name} {own:.1f}": own <= 1
        for name in GAUSSIANS
        for own in [means(runs(store, "k-means+EAC-AL (k fixed)")).get(name)]
        if own is not None
    }
    return each(right, "mean error at most 1 point")


def groups_nearly_all(store: Store) -> Outcome:
    names = ["WDBC"]
    found = means(runs(store, "k-means+EAC-AL (k fixed)", names))
    return each({f"{n} {own:.1f}": own > 40 for n, own in found.items()}, "mean error above 40")


def parts_the_gaussians(store: Store) -> Outcome:
    least = means(runs(store, "LAC min", ["Two-Gaussian"]))
    right = {
        f"{method} {own['Two-Gaussian'] - least['Two-Gaussian']:+.1f}": own["Two-Gaussian"]
        <= least["Two-Gaussian"] + 0.5
        for method in THREE
        if (own := means(runs(store, f"{method}-METIS", ["Two-Gaussian"])))
    }
    return each(right, "mean error at most 0.5 points above the least of LAC, METIS")


def same_as_mcla(store: Store) -> Outcome:
    found = [means(runs(store, m, ["Three-Gaussian"])) for m in ("WSBPA-METIS", "MCLA")]
    if not all(found):
        return unmeasured()
    own, other = (pair["Three-Gaussian"] for pair in found)
    return one(abs(own - other) <= 0.5, f"{own:.1f} against {other:.1f}", "within 0.5 points")


def comparable_to_others(store: Store) -> Outcome:
    right = {}
    others = [method for method in METHODS if not method.startswith("WSBPA")]
    for name in OURS:
        best = means(best_of(store, ["WSBPA-METIS", "WSBPA-SPEC"], [name]))
        found = [v for method in others for v in means(runs(store, method, [name])).values()]
        if best:
            gap = best[name] - float(np.median(found))
            right[f"{name} {gap:+.1f}"] = gap <= 1
    return each(right, "the better of METIS and SPEC at most 1 point above the median of others")


def no_better_range(store: Store) -> Outcome:
    found = means(store.values(WIDTHS))
    (first, *others) = [f"[{low}, {high}]" for low, high in RANGES]
    right = {
        f"{other} (k {k}) {gain:+.1f}": gain <= 1
        for other in others
        for k in ("fixed", "free")
        if found
        for gain in [found[f"{first} (k {k})"] - found[f"{other} (k {k})"]]
    }
    return each(right, f"mean error at most 1 point below that of {first}")


def few_clusters(store: Store) -> Outcome:
    right = {}
    for name in OURS:
        if found := store.values(name).get("free k"):
            classes = len(store.known["data", name]["sizes"])
            middle = float(np.median(found))
            right[f"{name} {middle:g} of {classes}"] = abs(middle - classes) <= 1
    return each(right, "median number of clusters at most one from that of the classes")


def many_clusters(store: Store) -> Outcome:
    found = store.values("Two-Gaussian").get("free k")
    if not found:
        return unmeasured()
    shown = f"median {np.median(found):g}, {min(found):g} to {max(found):g}"
    return one(float(np.median(found)) > 20, shown, "median number of clusters above 20")


def alike_each_time(store: Store) -> Outcome:
    most, least = (means(runs(store, f"k-means {part}", ["WDBC"])) for part in ("max", "min"))
    if not most or not least:
        return unmeasured()
    shown = f"{least['WDBC']:.1f} to {most['WDBC']:.1f}"
    right = most["WDBC"] - least["WDBC"] <= 1 and least["WDBC"] > 40
    return one(right, shown, "least and largest error of k-means within 1 point, above 40")


def enough_members(store: Store) -> Outcome:
    right = {}
    for name, table in errors_by_size(store).items():
        for method, own in table.groupby("method"):
            line = own.groupby("size")["error"].mean()
            gap = float(line[[25, 30]].mean() - line.min())
            right[f"{name} {method} {gap:+.1f}"] = gap <= 0.5
    return each(right, "mean error of 25 and 30 members at most 0.5 points above the least size")


def words_of_their_own(store: Store) -> Outcome:
    right = {}
    for line in str(store.known.get(("Fig. 11",), {}).get("said", "")).splitlines():
        if line.endswith(")") and "heavy:" in line:
            shares = [float(share) for share in re.findall(r"\(([\d.]+)\)", line)]
            cluster = line.removeprefix("- mostly ").split(",")[0]
            own = sum(share > 0.5 for share in shares)
            right[f"{cluster} {own} of {len(shares)}"] = 2 * own > len(shares)
    return each(right, "most of the heaviest words are more frequent in that cluster")


def gain_on(store: Store, name: str, methods: tuple[str, ...]) -> Outcome:
    right = {
        f"{method} by {c} {r:+.1f}": r > 0.5
        for i, c in enumerate(("NMI", "ARI"))
        for method in methods
        if (r := correlations(store, GAINS, i).get(f"{name} {method}")) is not None
    }
    return each(right, "correlation of the gain with diversity above 0.5")


CONNECTED = [name for name in ("Iris", "WDBC", "Breast", "SatImage") if name in DATA]
CLAIMS = [
    Claim(
        "5",
        "the three methods part the Two-Gaussian data as the best member does",
        parts_the_gaussians,
    ),
    Claim(
        "abstract, 6.1, 9",
        "the consensus is as good as the best member or better, for all three methods",
        as_good_as_the_best_member,
    ),
    Claim(
        "6.1",
        "on each real data set one of the weighted methods has the least error of all",
        lowest_of_all,
    ),
    Claim(
        "6.1",
        "WBPA is as good as the best member or better on Iris, WDBC, Breast, SatImage",
        lambda s: better(
            best_of(s, ["WBPA-METIS", "WBPA-SPEC"], CONNECTED),
            runs(s, "LAC min", CONNECTED),
            margin=0.1,
        ),
    ),
    Claim(
        "6.1",
        "WSPA has a lower error than the best member on Iris, WDBC, Breast, SatImage",
        lambda s: lower_than_members(s, "WSPA", "LAC min", CONNECTED),
    ),
    Claim(
        "6.1",
        "WBPA is below the mean error of its members on Letter(A,B)",
        lambda s: lower_than_members(s, "WBPA", "LAC avg", ["Letter(A,B)"]),
    ),
    Claim(
        "6.1",
        "WSPA is well below the mean error of its members on Letter(A,B)",
        lambda s: lower_than_members(s, "WSPA", "LAC avg", ["Letter(A,B)"], True),
    ),
    Claim("6.1", "the same of WBPA and WSPA on Spam2000", untested(E_MAILS)),
    Claim(
        "6.1",
        "WSBPA is far better than the mean of its members on each data set",
        lambda s: lower_than_members(s, "WSBPA", "LAC avg", list(DATA), True),
    ),
    Claim(
        "6.1",
        "WSBPA is better than CSPA and MCLA on Iris and SatImage",
        lambda s: superior_to_both(s, ["Iris", "SatImage"]),
    ),
    Claim(
        "6.1",
        "the same on Spam2000 and Spam5996, with excellent results in many dimensions",
        untested(E_MAILS),
    ),
    Claim(
        "6.1",
        "on Three-Gaussian WSPA and WBPA (METIS) have a lower error than any member",
        lambda s: better(
            {m: runs(s, f"{m}-METIS")["Three-Gaussian"] for m in ("WSPA", "WBPA")},
            {m: runs(s, "LAC min")["Three-Gaussian"] for m in ("WSPA", "WBPA")},
        ),
    ),
    Claim("6.1", "on Three-Gaussian WSBPA has the least error of a member", equal_to_the_least),
    Claim("6.1", "on Three-Gaussian WSBPA (METIS) has the same error as MCLA", same_as_mcla),
    Claim(
        "6.1",
        "WSBPA is comparable with the other methods on the real data",
        comparable_to_others,
    ),
    Claim(
        "1, 6.1",
        "weighted methods are more accurate than CSPA and MCLA, on average",
        averages_of_weighted,
    ),
    Claim(
        "6.1",
        "on average SPEC is better than METIS",
        lambda s: of_methods(
            s,
            [m for m in WEIGHTED if m.endswith("SPEC")],
            [m for m in WEIGHTED if m.endswith("METIS")],
        ),
    ),
    Claim(
        "6.1",
        "ensembles improve much on LAC, on average",
        lambda s: of_methods(s, list(WEIGHTED), ["LAC avg"]),
    ),
    Claim(
        "6.1",
        "WBPA-METIS is slightly better than WSPA-METIS, on average",
        lambda s: of_methods(s, ["WBPA-METIS"], ["WSPA-METIS"]),
    ),
    Claim(
        "6.1",
        "LAC + wCo-as. has a lower error than LAC + Co-as., on average",
        lambda s: of_methods(s, ["LAC+wCo-as"], ["LAC+Co-as"]),
    ),
    Claim(
        "6.1",
        "members by LAC make more accurate ensembles than k-means (Co-as.), on average",
        lambda s: of_methods(s, ["LAC+Co-as"], ["k-means+Co-as"]),
    ),
    Claim("6.1", "k-means + EAC-AL is very good on the Gaussian data", good_on_gaussians),
    Claim("6.1", "k-means + EAC-AL is the poorest on average over the real data", poorest),
    Claim(
        "6.1", "the error of EAC-AL is close to the largest of its members", close_to_the_largest
    ),
    Claim("6.1", "EAC-AL fails on WDBC: nearly all objects in one cluster", groups_nearly_all),
    Claim("6.1", "other ranges of k do not improve it", no_better_range),
    Claim(
        "6.1",
        "with k free it finds about as many clusters as classes on the real data",
        few_clusters,
    ),
    Claim("6.1", "with k free it finds many clusters on Two-Gaussian (217)", many_clusters),
    Claim("6.1", "k-means has the same large error in each run on WDBC", alike_each_time),
    Claim("6.1", "LAC is sensitive to h on each data set", sensitive_to_h),
    Claim(
        "6",
        "HGPA is always worse than CSPA and MCLA",
        hgpa_worse,
    ),
    Claim(
        "6",
        "EAC is always better with average link than with single link",
        average_above_single,
    ),
    Claim("6.1, Fig. 8", "the error falls slowly as the ensemble grows", by_size),
    Claim("6.1, Fig. 8", "25 to 30 members are a reasonable choice", enough_members),
    Claim(
        "4.1",
        "WSPA gives similar results with the cosine and the KL divergence",
        similar_by_divergence,
    ),
    Claim("7", "WSBPA is near the least error of LAC on 20 Newsgroups", near_the_least),
    Claim("7", "METIS and SPEC give similar results on 20 Newsgroups", alike_on_news),
    Claim(
        "7",
        "WSBPA is much better than WSPA and WBPA with METIS on Email-1431, SPEC better than METIS",
        untested(E_MAILS),
    ),
    Claim(
        "7.1",
        "on 20 Newsgroups words are heaviest in the cluster that they describe",
        words_of_their_own,
    ),
    Claim("7.1", "on Email-1431 in the other cluster", untested(E_MAILS)),
    Claim(
        "8.1, 9",
        "more diversity gives more accuracy, for all data and methods (NMI)",
        lambda s: with_diversity(s, 0),
    ),
    Claim("8.1, 9", "the same by ARI", lambda s: with_diversity(s, 1)),
    Claim(
        "8.1",
        "more diversity goes with more accuracy of the members (NMI)",
        members_with_diversity,
    ),
    Claim("8", "members by random centroids show the same as varying h", same_with_centroids),
    Claim("8.1", "the consensus is typically more accurate than its members", gains),
    Claim(
        "8.1",
        "in many cases the gain is larger for larger diversity",
        gain_with_diversity,
    ),
    Claim("8.1", "on WDBC the accuracy of WSBPA rises rapidly with diversity", wdbc_rises),
    Claim(
        "8.1",
        "on WDBC the gain of WSPA and WBPA is much larger for larger diversity",
        lambda s: gain_on(s, "WDBC", ("WSPA", "WBPA")),
    ),
    Claim("8.1", "on Letter(A,B) WSBPA rises with diversity by NMI as on WDBC", letter_rises),
    Claim(
        "8.1",
        "the accuracy of members is larger by NMI than by ARI in general",
        members_by_nmi,
    ),
    Claim("8.1", "on SatImage the range of diversity is very narrow", narrow_on_satimage),
    Claim(
        "1, 8.1, 9",
        "diversity by ARI is more robust and consistent than by NMI",
        ari_more_consistent,
    ),
]
