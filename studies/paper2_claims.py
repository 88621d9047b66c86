"""What Fred and Jain 2005 say in words."""

from __future__ import annotations

import re
from itertools import pairwise

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
from studies.paper2 import RUNS, SIZES, TABLE_2, TABLE_4
from studies.paper2_curves import FIGURE_7, NUMBERS

EAC, GRAPHS = ["EAC-SL", "EAC-AL"], ["CSPA", "HGPA", "MCLA"]
SHAPES = ["Complex image", "Cigar", "Half-rings", "3-Rings"]
SEPARATED = SHAPES[1:]
TOUCHING = [name for name in TABLE_2 if name not in SHAPES]


def runs(
    store: Store, place: str, column: str, names: list[str] | None = None
) -> dict[str, list[float]]:
    """Errors of a column of a table, by data set."""
    found = {}
    for name in names or TABLE_2:
        own = store.values(place, name)
        if place == "Table 2":
            own |= store.values("Single runs", name)
            once = store.known.get(("Single runs", name, "once"), {})
            own |= {c: [value] * RUNS for c, value in once.items()}  # the same in each run
        found[name] = own.get(column, [])
    return found


def best(
    store: Store, place: str, columns: list[str], names: list[str] | None = None
) -> dict[str, list[float]]:
    """Runs of the column with the least mean error, by data set."""
    every = [runs(store, place, column, names) for column in columns]
    return {
        name: min((own[name] for own in every if own[name]), key=np.mean, default=[])
        for name in names or TABLE_2
    }


def best_single(store: Store) -> Outcome:
    found = {c: means(runs(store, "Table 2", c)) for c in ("KM", "SL", "AL", "SC")}
    if not all(found.values()):
        return unmeasured()
    every = {c: float(np.mean(list(own.values()))) for c, own in found.items()}
    shown = ", ".join(f"{c} {value:.1f}" for c, value in every.items())
    least = min(every, key=lambda c: every[c])
    return one(least == "SC", shown, "mean error over eight sets")


def without_error(store: Store) -> Outcome:
    right = {
        f"{name} {c} {own:.1f}": own <= 0.5
        for c in ("SC", "EAC-SL")
        for name, own in means(runs(store, "Table 2", c, SEPARATED)).items()
    }
    return each(right, "mean error at most 0.5")


def below_members(store: Store) -> Outcome:
    first, second = {}, {}
    for column in GRAPHS:
        for name in TABLE_2:
            first[f"{name} {column}"] = runs(store, "Table 3", "KM (mean)")[name]
            second[f"{name} {column}"] = runs(store, "Table 3", column)[name]
    told = better(first, second)
    return told._replace(figure=re.sub(r" \(.*?\)", "", told.figure))


def degraded(store: Store) -> Outcome:
    first, second = {}, {}
    for column in (*EAC, *GRAPHS):
        for name in TABLE_2:
            first[f"{name} {column}"] = runs(store, "Table 2", column)[name]
            second[f"{name} {column}"] = runs(store, "Table 3", column)[name]
    told = better(first, second)
    return told._replace(figure=re.sub(r" \(.*?\)", "", told.figure))


def similar_for_more(store: Store) -> Outcome:
    right = {}
    for name in TABLE_2:
        found = means(store.values("N = 200", name))
        for column in EAC:
            if found:
                values = [found[f"{column}, N = {size}"] for size in SIZES]
                right[f"{name} {column} {np.ptp(values):.1f}"] = bool(np.ptp(values) <= 2)
    return each(right, "mean errors for N = 50, 100 and 200 within 2 points")


def enough_neighbors(store: Store) -> Outcome:
    right = {}
    for name in TABLE_2:
        whole = means(store.values("N = 200", name)).get("EAC-SL, N = 50")
        near = means(runs(store, "Table 2", "EAC-SL", [name])).get(name)
        if whole is not None and near is not None:
            right[f"{name} {near - whole:+.1f}"] = abs(near - whole) <= 1
    test = "mean error of EAC-SL with 20 neighbours within 1 point of that of all pairs"
    return each(right, test)


def lifetimes(store: Store, name: str, k: int) -> Outcome:
    found = store.values("Section 5", name)
    right = {
        f"{column} {np.mean(np.equal(own, k)):.0%}": bool(np.mean(np.equal(own, k)) >= 0.9)
        for column, own in found.items()
    }
    return each(right, f"{k} cluster{'s' * (k > 1)} in nine of ten ensembles")


def lines(store: Store, figure: str) -> list[str]:
    return list(store.known.get((figure,), []))


def converges(store: Store) -> Outcome:
    first = {}
    for line in lines(store, "Fig. 8"):
        if found := re.match(r"- k = (\d+): (.*)", line):
            steps = re.findall(r"(\d+): ([\d.]+) ± ([\d.]+)", found[2])
            away = [int(n) for n, mean, sd in steps if (float(mean), float(sd)) != (2.0, 0.0)]
            sizes = [int(n) for n, *_ in steps]
            first[int(found[1])] = min(n for n in sizes if n > max(away, default=0))
    if not first:
        return unmeasured()
    ordered = [first[k] for k in sorted(first)]
    pairs = {
        f"k = {b} from N = {first[b]} on, k = {a} from {first[a]}": first[b] < first[a]
        for a, b in pairwise(sorted(first))
    }
    told = each(pairs, "number of partitions from which on each ensemble has two clusters")
    return told._replace(
        figure=", ".join(f"k = {k}: {n}" for k, n in zip(sorted(first), ordered, strict=True))
    )


def longest(store: Store) -> dict[str, int]:
    """Number of clusters with the longest lifetime, by k or interval."""
    found = (
        re.match(r"- (k .*?): longest (\d+) ", line) for line in lines(store, "Figs. 9 and 10")
    )
    return {one[1]: int(one[2]) for one in found if one}


def drawn_more_robust(store: Store) -> Outcome:
    found = longest(store)
    shares = [
        [n == 2 for setting, n in found.items() if setting.startswith(kind)]
        for kind in ("k in", "k =")
    ]
    if not all(shares):
        return unmeasured()
    shown = "two clusters in " + ", ".join(
        f"{sum(own)} of {len(own)} {kind}"
        for own, kind in zip(shares, ("intervals", "fixed k"), strict=True)
    )
    right = np.mean(shares[0]) > np.mean(shares[1])
    return one(right, shown, "share of settings with the right number")


def more_with_k(store: Store) -> Outcome:
    found = {s: n for s, n in longest(store).items() if s.startswith("k =")}
    if not found:
        return unmeasured()
    shown = ", ".join(f"{setting}: {n}" for setting, n in found.items())
    large = [n for s, n in found.items() if int(s[4:]) >= 15]
    right = all(b > a for a, b in pairwise(large))
    return one(right, shown, "more clusters for k = 80 than for 15")


def spreads(store: Store) -> dict[str, tuple[int, float, float]]:
    """Number of clusters of the least spread, that spread, and the one of the ensembles."""
    found = {}
    for line in lines(store, "Fig. 7"):
        pattern = r"- (.*?): least spread at k = (\d+).*?, ([\d.]+); within the ensembles ([\d.]+)"
        if one := re.match(pattern, line):
            found[one[1]] = int(one[2]), float(one[3]), float(one[4])
    return found


def least_at_natural(store: Store) -> Outcome:
    natural = {"cigar": 4, "half-rings": 2, "3-rings": 3, "iris": 2}
    right = {
        f"{setting}: {found[0]}": found[0] == k
        for setting, found in spreads(store).items()
        for word, k in natural.items()
        if word in setting
    }
    return each(right, "k of the least spread is the number by lifetime")


def mean_grows(store: Store) -> Outcome:
    curves = {}
    for setting, own in store.known.get(("Fig. 7, means",), {}).items():
        k = FIGURE_7[setting][1]
        most = min(k if isinstance(k, int) else k[0], NUMBERS[-1])
        if "random" not in setting:
            curves[setting] = (NUMBERS[: most - 1], own[: most - 1])
    return trend(curves, 1)


def inequality(store: Store) -> Outcome:
    right = {
        setting: least <= within if "random" not in setting else least > within
        for setting, (_, least, within) in spreads(store).items()
    }
    return each(right, "least spread at most that within the ensembles; of random data above it")


def separated_by_votes(store: Store) -> Outcome:
    found = store.known.get(("Fig. 2",), {})
    ratios = {}
    for name, (within, between) in found.items():
        if name.startswith(("(d)", "(g)")):
            ratios[name[:3]] = between / within
    if len(ratios) < 2:
        return unmeasured()
    shown = f"{ratios['(g)']:.3f} against {ratios['(d)']:.3f}"
    return one(
        ratios["(g)"] < ratios["(d)"], shown, "mean similarity between clusters over that within"
    )


def largest_agreement(store: Store) -> dict[str, int]:
    """Number of clusters of the reference that agrees most with an ensemble, in Fig. 5."""
    found = store.known.get(("Fig. 5",), {})
    return {setting: REFERENCES[int(np.argmax(own))] for setting, own in found.items()}


def most_at_k(store: Store) -> Outcome:
    right = {
        f"{setting}: {most}": abs(most - int(setting.removeprefix("k = "))) <= 5
        for setting, most in largest_agreement(store).items()
        if setting.startswith("k =")
    }
    told = each(right, "clusters of the reference with the largest NMI, at most 5 from k")
    return told._replace(figure=", ".join(right) or told.figure)


def like_the_mean_k(store: Store) -> Outcome:
    found = store.known.get(("Fig. 5",), {})
    drawn = found.get("k in [4, 20]")
    if drawn is None:
        return unmeasured()
    gaps = [float(np.mean(np.abs(np.subtract(drawn, found[f"k = {k}"])))) for k in (10, 20)]
    shown = f"{gaps[0]:.3f} from k = 10, {gaps[1]:.3f} from k = 20"
    right = gaps[0] < gaps[1] and gaps[0] <= 0.05
    return one(right, shown, "mean difference of NMI, at most 0.05 and less than from k = 20")


def not_the_natural_number(store: Store) -> Outcome:
    right = {f"{s}: {most}": most != 4 for s, most in largest_agreement(store).items()}
    told = each(right, "the largest NMI is not at the four natural clusters")
    return told._replace(figure=", ".join(right) or told.figure)


def lifetime_of_two(store: Store) -> dict[str, float]:
    """Lifetime of two clusters of the half-rings, by k or interval."""
    found = {}
    for line in lines(store, "Figs. 9 and 10"):
        pair = re.match(r"- (k .*?): .*?2 clusters ([\d.]+)", line)
        if pair:
            found[pair[1]] = float(pair[2])
    return found


def clearest_at_15(store: Store) -> Outcome:
    found = {s: v for s, v in lifetime_of_two(store).items() if s.startswith("k =")}
    if not found:
        return unmeasured()
    shown = ", ".join(f"{setting}: {value:.2f}" for setting, value in found.items())
    return one(max(found, key=found.__getitem__) == "k = 15", shown, "lifetime of two clusters")


def clearest_in_wide(store: Store) -> Outcome:
    found = {s: v for s, v in lifetime_of_two(store).items() if s.startswith("k in")}
    if not found:
        return unmeasured()
    shown = ", ".join(f"{setting}: {value:.2f}" for setting, value in found.items())
    right = found["k in [2, 80]"] >= max(found.values())
    return one(right, shown, "lifetime of two clusters")


def average_more_robust(store: Store) -> Outcome:
    return on_average(runs(store, "Table 2", "EAC-AL"), runs(store, "Table 2", "EAC-SL"))


def lifetime_as_good_as_sc(store: Store) -> Outcome:
    own = store.values("Fig. 12").get("error", [])
    other = runs(store, "Table 2", "SC", ["Complex image"])["Complex image"]
    return better({"Complex image": own}, {"Complex image": other}, margin=0.5)


def improved_by_prototypes(store: Store, names: list[str], target: str) -> Outcome:
    second = runs(store, "Table 2", target, names)
    return better(
        runs(store, "Table 4", "EAC-SL", names), second, margin=1.0 if target == "EAC-AL" else 0
    )


def better_with_prototypes(store: Store) -> Outcome:
    names = list(TABLE_4)
    return better(best(store, "Table 4", EAC, names), best(store, "Table 4", GRAPHS, names))


REFERENCES = (2, 3, 4, 5, 10, 15, 20, 50)  # clusters of the references of Fig. 5
OTHERS = ["KM", "SL", "AL", "SC", "EAC-AL", *GRAPHS]
NO_TEXTURES = "the texture image cannot be had"
CLAIMS = [
    Claim(
        "3.2, Fig. 2",
        "votes separate ring, bar and Gaussian more clearly than distances",
        separated_by_votes,
    ),
    Claim("3.4", "20 neighbours are enough for correct results of EAC-SL", enough_neighbors),
    Claim(
        "4.2, Fig. 5",
        "NMI with an ensemble is largest where a partition has about as many clusters",
        most_at_k,
    ),
    Claim(
        "4.2, Fig. 5",
        "for k drawn from an interval it is near that for the middle of the interval",
        like_the_mean_k,
    ),
    Claim(
        "4.2, Fig. 5",
        "its size does not show the right number of clusters",
        not_the_natural_number,
    ),
    Claim(
        "5.1",
        "a single cluster is found in random data, whatever k",
        lambda s: lifetimes(s, "Random 5-D", 1),
    ),
    Claim(
        "5.1",
        "the natural clusters of the half-rings are found",
        lambda s: lifetimes(s, "Half-rings", 2),
    ),
    Claim(
        "5.1",
        "those of the cigars and rings are found",
        untested("our cigars and rings were drawn for it, see the page"),
    ),
    Claim("5.1", "Iris falls into two clusters", lambda s: lifetimes(s, "Iris", 2)),
    Claim(
        "5.1",
        "evidence accumulation improves much on k-means where shapes are complex",
        lambda s: better(best(s, "Table 2", EAC, SHAPES), runs(s, "Table 2", "KM", SHAPES)),
    ),
    Claim(
        "5.2",
        "the spread of NMI is least at the number of clusters that the lifetime finds",
        least_at_natural,
    ),
    Claim("5.2", "it obeys Eq. 12 on data with clusters, and not on random data", inequality),
    Claim(
        "5.2",
        "the mean NMI grows with k up to that of the partitions",
        mean_grows,
    ),
    Claim("5.3", "results converge near N = 50 partitions, faster for higher k", converges),
    Claim("5.3", "the number of clusters found grows with k", more_with_k),
    Claim(
        "5.3, Fig. 9",
        "two clusters are clearest for k = 15, less for k = 5 and 80",
        clearest_at_15,
    ),
    Claim("5.3", "drawing k from an interval is more robust than a fixed k", drawn_more_robust),
    Claim(
        "5.3, Fig. 10",
        "the widest interval identifies the true structure",
        clearest_in_wide,
    ),
    Claim("6", "N = 100 and 200 lead to results similar to N = 50", similar_for_more),
    Claim(
        "6, 7",
        "EAC has the least error of combinations on all data but Iris and digits",
        lambda s: better(
            best(s, "Table 2", EAC, [n for n in TABLE_2 if n not in ("Iris", "Optical Digits")]),
            best(s, "Table 2", GRAPHS),
        ),
    ),
    Claim(
        "6",
        "graph methods are better on Iris and digits",
        lambda s: better(
            best(s, "Table 2", GRAPHS, ["Iris", "Optical Digits"]), best(s, "Table 2", EAC)
        ),
    ),
    Claim(
        "6",
        "the difference is large for arbitrary shapes",
        lambda s: better(best(s, "Table 2", EAC, SHAPES), best(s, "Table 2", GRAPHS)),
    ),
    Claim("6", "EAC-AL is more robust than EAC-SL, better in general", average_more_robust),
    Claim(
        "6",
        "EAC-AL is better than EAC-SL for touching clusters",
        lambda s: better(runs(s, "Table 2", "EAC-AL", TOUCHING), runs(s, "Table 2", "EAC-SL")),
    ),
    Claim(
        "6",
        "EAC-SL is the best for well-separated clusters",
        lambda s: better(
            runs(s, "Table 2", "EAC-SL", SEPARATED), runs(s, "Table 2", "EAC-AL"), margin=0.5
        ),
    ),
    Claim(
        "6, Fig. 12",
        "on Complex image EAC-SL with the lifetime errs as little as SC",
        lifetime_as_good_as_sc,
    ),
    Claim(
        "6",
        "EAC-AL is better than KM",
        lambda s: better(runs(s, "Table 2", "EAC-AL"), runs(s, "Table 2", "KM")),
    ),
    Claim(
        "6",
        "EAC-AL is better than SL",
        lambda s: better(runs(s, "Table 2", "EAC-AL"), runs(s, "Table 2", "SL")),
    ),
    Claim(
        "6",
        "EAC-AL is better than AL",
        lambda s: better(runs(s, "Table 2", "EAC-AL"), runs(s, "Table 2", "AL")),
    ),
    Claim("6", "spectral clustering is the best single run", best_single),
    Claim("6", "SC and EAC-SL find the well-separated clusters", without_error),
    Claim(
        "6",
        "EAC-AL is better than SC on Iris and Breast Cancer",
        lambda s: better(
            runs(s, "Table 2", "EAC-AL", ["Iris", "Breast Cancer"]), runs(s, "Table 2", "SC")
        ),
    ),
    Claim(
        "6",
        "and worse on digits and Std Yeast",
        lambda s: better(
            runs(s, "Table 2", "SC", ["Optical Digits", "Std Yeast"]), runs(s, "Table 2", "EAC-AL")
        ),
    ),
    Claim(
        "6, Table 3",
        "members with the natural k: combinations are worse than with larger k",
        degraded,
    ),
    Claim(
        "6, Table 3",
        "EAC is generally better than graph methods",
        lambda s: better(best(s, "Table 3", EAC), best(s, "Table 3", GRAPHS)),
    ),
    Claim(
        "6, Table 3",
        "EAC-AL is lower than the mean of its members or comparable",
        lambda s: better(
            runs(s, "Table 3", "EAC-AL"), runs(s, "Table 3", "KM (mean)"), margin=1.0
        ),
    ),
    Claim(
        "6, Table 3",
        "EAC-SL is better than its members for well-separated clusters",
        lambda s: better(runs(s, "Table 3", "EAC-SL", SEPARATED), runs(s, "Table 3", "KM (mean)")),
    ),
    Claim(
        "6, Table 3",
        "graph methods are mostly worse than the mean of their members",
        below_members,
    ),
    Claim(
        "6, Table 4",
        "prototypes improve EAC-SL on Iris and Breast Cancer",
        lambda s: improved_by_prototypes(s, list(TABLE_4), "EAC-SL"),
    ),
    Claim(
        "6, Table 4",
        "EAC-SL becomes comparable to EAC-AL",
        lambda s: improved_by_prototypes(s, list(TABLE_4), "EAC-AL"),
    ),
    Claim(
        "6, Table 4",
        "on Breast Cancer it is better than all other methods",
        lambda s: better(
            runs(s, "Table 4", "EAC-SL", ["Breast Cancer"]),
            best(s, "Table 2", OTHERS, ["Breast Cancer"]),
            margin=0.5,
        ),
    ),
    Claim("6, Table 4", "EAC is better than graph methods on prototypes", better_with_prototypes),
    Claim(
        "6, Table 4",
        "EAC-AL is better than SL, AL and SC on the textures; KM is the best there",
        untested(NO_TEXTURES),
    ),
    Claim("6", "HGPA is the fastest combination", untested("its program, hMETIS, cannot be had")),
    Claim(
        "6",
        "combinations are slower than single runs but SC",
        untested("by operations, without times; 50 runs of k-means are slower than one"),
    ),
]
