"""What Fern and Lin 2008 say in words."""

from __future__ import annotations

import numpy as np

from studies._claims import (
    FAILS,
    HOLDS,
    Claim,
    Outcome,
    differs,
    each,
    means,
    trend,
    unmeasured,
    untested,
)
from studies._store import Store
from studies.paper3 import (
    ALL_SIZES,
    ALPHA_SIZES,
    ALPHAS,
    BEST_FIRST,
    COMPARED,
    CONSENSUS,
    DATA,
    LOST,
    MORE_ALPHAS,
    OF_WEIGHTS,
    RUNS,
    SIZES,
    Figure,
    measured_in,
    values_of,
)

OURS = [name for name in DATA if name not in LOST]
NEAR = 0.01
PROPOSED = ("Joint Criterion", "Cluster and Select")


def full(store: Store, library: str = "S") -> dict[str, list[float]]:
    return {name: values_of(store, name, Figure(library, "Full")) for name in OURS}


def line(store: Store, name: str, method: str, library: str = "S") -> dict[int, float]:
    """Mean NMI by size, over the libraries that all sizes have."""
    figures = [Figure(library, method, size) for size in ALL_SIZES]
    found = measured_in(store, name, figures)
    return {figure.size: float(np.mean(own)) for figure, own in found.items()}


def can_improve(store: Store) -> Outcome:
    right = {}
    for name, own in means(full(store)).items():
        found = [v for m in ("Quality", "Diversity") for v in line(store, name, m).values()]
        if found:
            right[f"{name} {max(found) - own:+.3f}"] = max(found) > own
    return each(right, "largest mean NMI of Quality and Diversity above that of Full")


def alone_unreliable(store: Store) -> Outcome:
    right = {}
    for method in ("Quality", "Diversity"):
        wins = []
        for name, own in means(full(store)).items():
            if found := line(store, name, method):
                wins.append(float(np.mean([v > own for v in found.values()])))
        if wins:
            shown = "/".join(f"{share:.0%}" for share in wins)
            right[f"{method}: {shown}"] = min(wins) < 0.5
    return each(right, "share of sizes above Full; below half on some data set")


def quality_levels_off(store: Store) -> Outcome:
    right = {}
    for name in OURS:
        if found := line(store, name, "Quality"):
            early = max(v for size, v in found.items() if size <= 60)
            late = float(np.mean([v for size, v in found.items() if size > 100]))
            right[f"{name} {late - early:+.3f}"] = late <= early + NEAR
    return each(right, "mean NMI beyond size 100 at most that of sizes to 60")


def diversity_gains(store: Store) -> Outcome:
    names = [name for name in OURS if name != "WINE"]
    found = {name: line(store, name, "Diversity") for name in names}
    return trend({n: (list(own), list(own.values())) for n, own in found.items() if own}, 1)


def diversity_below_full(store: Store) -> Outcome:
    own = means(full(store))
    found = {n: line(store, n, "Diversity") for n in ("ISOLET6", "SEGMENTATION") if n in own}
    right = {
        f"{n} {max(lines.values()) - own[n]:+.3f}": max(lines.values()) <= own[n]
        for n, lines in found.items()
        if lines
    }
    return each(right, "no mean NMI to size 200 above Full")


def sized(store: Store, name: str, method: str) -> list[list[float]]:
    return [values_of(store, name, Figure("S", method, size)) for size in SIZES]


def comparable(store: Store, method: str, margin: float) -> Outcome:
    right = {}
    for name, own in full(store).items():
        found = [v for v in sized(store, name, method) if v]
        if found and own:
            gap = max(float(np.mean(v)) for v in found) - float(np.mean(own))
            right[f"{name} {gap:+.3f}"] = gap >= -margin
    return each(right, f"best mean NMI of five sizes at least Full - {margin:g}")


def changes(store: Store, method: str, sign: int) -> dict[str, tuple[int, int]]:
    """Number of sizes significantly above (+1) or below (-1) Full, and of all, by data set."""
    found = {}
    for name, own in full(store).items():
        values = [v for v in sized(store, name, method) if v]
        if values and own:
            sure = [sign * (np.mean(v) - np.mean(own)) > 0 and differs(v, own) for v in values]
            found[name] = sum(sure), len(values)
    return found


def significant(store: Store, method: str, names: list[str]) -> Outcome:
    found = {n: own for n, own in changes(store, method, 1).items() if n in names}
    right = {f"{n} {sure} of {of}": sure > 0 for n, (sure, of) in found.items()}
    return each(right, "some size with a gain over Full, paired t-test, p < .05")


def never(store: Store, method: str, sign: int) -> Outcome:
    found = changes(store, method, sign)
    right = {f"{n} {sure} of {of}": sure == 0 for n, (sure, of) in found.items()}
    what = "gain over" if sign > 0 else "loss against"
    return each(right, f"no size with a {what} Full, paired t-test, p < .05")


def levels_off(store: Store) -> Outcome:
    right = {}
    for name in OURS:
        if found := line(store, name, "Joint Criterion"):
            late = [v for size, v in found.items() if size > 100]
            early = max(v for size, v in found.items() if size <= 100)
            right[f"{name} {max(late) - early:+.3f}"] = max(late) <= early + NEAR
    return each(right, f"largest mean NMI beyond size 100 at most {NEAR} above that to 100")


def alike_for_alpha(store: Store) -> Outcome:
    right = {}
    for name in OURS:
        lines = [line(store, name, f"Joint Criterion, α = {alpha}", "LO") for alpha in ALPHAS]
        if all(lines):
            gaps = [np.ptp([own[size] for own in lines]) for size in ALL_SIZES if size >= 30]
            right[f"{name} {max(gaps):.3f}"] = bool(np.median(gaps) <= 0.02)
    return each(right, "median over sizes of the range for α = 0.4, 0.5, 0.6 at most 0.02")


def ends_of_alpha(store: Store) -> Outcome:
    right = {}
    for name in OF_WEIGHTS:
        for size in ALPHA_SIZES:
            found = {
                m: values_of(store, name, Figure("LO", m, size))
                for m in (
                    "Diversity",
                    "Quality",
                    *(f"Joint Criterion, α = {a}" for a in (0.1, 0.9)),
                )
            }
            own = means(found)
            if len(own) == 4:
                low, high = own["Joint Criterion, α = 0.1"], own["Joint Criterion, α = 0.9"]
                near = abs(low - own["Diversity"]) <= abs(low - own["Quality"])
                far = abs(high - own["Quality"]) <= abs(high - own["Diversity"])
                right[f"{name} {size}"] = near and far
    return each(right, "NMI for α = 0.1 nearer to Diversity, for 0.9 nearer to Quality")


def middle_most_robust(store: Store) -> Outcome:
    worst = {}
    for alpha in MORE_ALPHAS:
        ranks = []
        for name in OF_WEIGHTS:
            for size in ALPHA_SIZES:
                figures = {a: Figure("LO", f"Joint Criterion, α = {a}", size) for a in MORE_ALPHAS}
                own = means({str(a): values_of(store, name, f) for a, f in figures.items()})
                if len(own) == len(MORE_ALPHAS):
                    ranks.append(max(own.values()) - own[str(alpha)])
        if ranks:
            worst[alpha] = max(ranks)
    if not worst:
        return unmeasured()
    least = min(worst, key=lambda alpha: worst[alpha])
    listed = ", ".join(f"{alpha}: {gap:.3f}" for alpha, gap in worst.items())
    told = each({"": 0.4 <= least <= 0.6}, "largest loss against the best α, by α")
    return told._replace(figure=listed)


def wine_rises_and_falls(store: Store) -> Outcome:
    found = line(store, "WINE", "Cluster and Select")
    if not found:
        return unmeasured()
    top = max(found, key=lambda size: found[size])
    right = {
        f"largest at size {top}": top <= 100,
        f"at 200 {found[200]:.3f}": found[200] < found[top] - NEAR,
    }
    return each(right, "size of the largest mean NMI, and the fall behind it")


def hull_no_gain(store: Store) -> Outcome:
    own = {name: values_of(store, name, Figure("S", "Convex Hull")) for name in OURS}
    right = {
        f"{n} {np.mean(own[n]) - np.mean(f):+.3f}": not (
            np.mean(own[n]) > np.mean(f) and differs(own[n], f)
        )
        for n, f in full(store).items()
        if own[n] and f
    }
    return each(right, "no significant gain over Full")


def hull_loses(store: Store) -> Outcome:
    own, other = (values_of(store, "ISOLET6", Figure("S", m)) for m in ("Convex Hull", "Full"))
    if not own or not other:
        return unmeasured()
    gap = float(np.mean(own) - np.mean(other))
    right = {f"ISOLET6 {gap:+.3f}": gap < 0 and differs(own, other)}
    return each(right, "paired t-test, p < .05")._replace(figure=f"{gap:+.3f}")


def respectable(store: Store) -> Outcome:
    own = means({"CHART": values_of(store, "CHART", Figure("S", "Random", 30))})
    right = {
        f"{n} {v - means(full(store))[n]:+.3f}": v >= means(full(store))[n] - 0.015
        for n, v in own.items()
    }
    return each(right, "mean NMI at most 0.015 below Full")


def best_on(store: Store, name: str, method: str) -> Outcome:
    found = {m: [v for v in sized(store, name, m) if v] for m in (*PROPOSED, "Random")}
    if not all(found.values()):
        return unmeasured()
    own = {m: float(np.mean([np.mean(v) for v in values])) for m, values in found.items()}
    own["Full"] = means(full(store))[name]
    told = each({"": max(own, key=lambda m: own[m]) == method}, "mean NMI over five sizes")
    return told._replace(figure=", ".join(f"{m} {v:.3f}" for m, v in own.items()))


def best_overall(store: Store) -> Outcome:
    own: dict[str, list[float]] = {}
    for name in OURS:
        for method in (*PROPOSED, "Random"):
            if found := [v for v in sized(store, name, method) if v]:
                own.setdefault(method, []).append(float(np.mean([np.mean(v) for v in found])))
    if not own:
        return unmeasured()
    own["Full"] = list(means(full(store)).values())
    own["Convex Hull"] = list(
        means({n: values_of(store, n, Figure("S", "Convex Hull")) for n in OURS}).values()
    )
    mean = {m: float(np.mean(values)) for m, values in own.items()}
    test = f"mean NMI over {len(OURS)} sets"
    told = each({"": max(mean, key=lambda m: mean[m]) == "Cluster and Select"}, test)
    return told._replace(figure=", ".join(f"{m} {v:.3f}" for m, v in mean.items()))


def extended_helps(store: Store, names: tuple[str, ...], helps: bool) -> Outcome:
    small, large = means(full(store)), means(full(store, "LO"))
    gaps = {n: large[n] - small[n] for n in names if n in small and n in large}
    right = {f"{n} {gap:+.3f}": gap > 0 if helps else gap <= NEAR for n, gap in gaps.items()}
    return each(right, "mean NMI of Full, extended minus small")


def keeps_relation(store: Store) -> Outcome:
    right = {}
    for name, own in means(full(store, "LO")).items():
        if found := line(store, name, "Cluster and Select", "LO"):
            gaps = [v - own for size, v in found.items() if size >= 50]
            right[f"{name} {min(gaps):+.3f}"] = min(gaps) >= -0.02
    return each(right, "Cluster and Select at most 0.02 below Full from size 50 on, extended")


def worse_on_extended(store: Store) -> Outcome:
    found = [line(store, "WINE", "Cluster and Select", library) for library in ("LO", "S")]
    if not all(found):
        return unmeasured()
    gap = float(np.mean(list(found[0].values())) - np.mean(list(found[1].values())))
    told = each({"": gap < 0}, "mean over sizes, extended minus small, WINE")
    return told._replace(figure=f"{gap:+.3f}")


def outliers_harmless(store: Store) -> Outcome:
    right = {}
    for name in (n for n in OURS if DATA[n].outliers):
        found = [line(store, name, "Cluster and Select", library) for library in ("LO", "L")]
        if all(found):
            gaps = [found[0][s] - found[1][s] for s in ALL_SIZES if s >= 30]
            right[f"{name} {np.mean(gaps):+.3f}"] = bool(np.mean(gaps) >= -NEAR)
    return each(right, f"mean NMI from size 30 on, with minus without outliers, at least -{NEAR}")


def alike_full(store: Store) -> Outcome:
    with_them, without = means(full(store, "LO")), means(full(store, "L"))
    right = {
        f"{n} {with_them[n] - v:+.3f}": abs(with_them[n] - v) <= NEAR
        for n, v in without.items()
        if n in with_them
    }
    return each(right, f"mean NMI of Full within {NEAR}")


def alike_by_consensus(store: Store) -> Outcome:
    right = {}
    for name in OURS:
        orders = []
        for how in CONSENSUS:
            own = [values_of(store, name, f, how) for f in COMPARED if f.method != "Quadrant"]
            if all(own):
                orders.append(int(np.argmax([np.mean(v) for v in own])))
        if len(orders) == len(CONSENSUS):
            right[name] = len(set(orders)) == 1
    return each(right, "the same of Full, CAS, JC and Random is best by CSPA, HBGF and EAC")


def joint_small_like_quality(store: Store) -> Outcome:
    names = {name: line(store, name, "Joint Criterion") for name in OURS}
    other = {name: line(store, name, "Diversity") for name in OURS}
    right = {
        name: float(np.mean([own[s] for s in (10, 20, 30)]))
        > float(np.mean([other[name][s] for s in (10, 20, 30)]))
        for name, own in names.items()
        if own and other[name]
    }
    return each(right, "mean NMI of sizes 10 to 30, Joint Criterion above Diversity")


def significant_on_wine(store: Store) -> Outcome:
    own = values_of(store, "WINE", Figure("S", "Full"))
    right = {}
    for method in ("Quality", "Diversity"):
        found = [values_of(store, "WINE", Figure("S", method, size)) for size in ALL_SIZES]
        if all(found) and own:
            sure = sum(np.mean(v) > np.mean(own) and differs(v, own) for v in found)
            right[f"{method} {sure} of {len(found)}"] = sure > 0
    told = each(right, "sizes with a gain over Full, paired t-test, p < .05")
    return told._replace(figure=", ".join(right) or told.figure)


def same_from_best(store: Store) -> Outcome:
    right = {}
    for name in OURS:
        pairs = [
            [values_of(store, name, Figure("S", method, size))[:RUNS] for size in SIZES]
            for method in (BEST_FIRST, "Diversity")
        ]
        if all(pairs[0]) and all(pairs[1]):
            gap = float(np.mean(pairs[0]) - np.mean(pairs[1]))
            right[f"{name} {gap:+.3f}"] = abs(gap) <= NEAR
    told = each(right, f"mean NMI of five sizes within {NEAR}")
    return told._replace(figure=", ".join(right) or told.figure)


def joint_like_diversity(store: Store) -> Outcome:
    right = {}
    for name in OURS:
        lines = [line(store, name, method) for method in ("Joint Criterion", "Diversity")]
        if all(lines):
            gaps = [lines[0][size] - lines[1][size] for size in ALL_SIZES if size > 100]
            gap = float(np.mean(np.abs(gaps)))
            right[f"{name} {gap:.3f}"] = gap > 0.02 if name == "WINE" else gap <= 0.02
    test = "mean difference beyond size 100 at most 0.02, above it on WINE"
    told = each(right, test)
    return told._replace(figure=", ".join(right) or told.figure)


def joint_more_stable(store: Store) -> Outcome:
    right = {}
    for name in OURS:
        spreads = []
        for method in ("Joint Criterion", "Diversity"):
            found = [values_of(store, name, Figure("S", method, size)) for size in (10, 20, 30)]
            if all(found):
                spreads.append(float(np.mean([np.std(v[:RUNS]) for v in found])))
        if len(spreads) == 2:
            right[f"{name} {spreads[0]:.3f} to {spreads[1]:.3f}"] = spreads[0] < spreads[1]
    test = "standard deviation over libraries, sizes 10 to 30, below that of Diversity"
    return each(right, test)


def steadier_for_large(store: Store) -> Outcome:
    right = {}
    for name in OURS:
        lines = [line(store, name, f"Joint Criterion, α = {alpha}", "LO") for alpha in ALPHAS]
        if all(lines):
            gaps = {s: float(np.ptp([own[s] for own in lines])) for s in ALL_SIZES}
            late, early = (
                float(np.mean([gap for s, gap in gaps.items() if (s > 100) == large]))
                for large in (True, False)
            )
            right[f"{name} {early:.3f} to {late:.3f}"] = late <= early
    test = "mean range for α = 0.4, 0.5, 0.6 beyond size 100 at most that to 100"
    return each(right, test)


def extreme_alpha_helps(store: Store) -> Outcome:
    best = []
    for name in OF_WEIGHTS:
        for size in ALPHA_SIZES:
            figures = {a: Figure("LO", f"Joint Criterion, α = {a}", size) for a in MORE_ALPHAS}
            own = means({str(a): values_of(store, name, f) for a, f in figures.items()})
            if len(own) == len(MORE_ALPHAS):
                best.append(float(max(own, key=own.__getitem__)))
    if not best:
        return unmeasured()
    ends = sum(alpha <= 0.2 or alpha >= 0.8 for alpha in best)
    shown = f"{ends} of {len(best)}"
    test = "sets and sizes where 0.1, 0.2, 0.8 or 0.9 has the largest mean NMI"
    return Outcome(shown, test, HOLDS if ends else FAILS)


def drastic_on_wine(store: Store) -> Outcome:
    own = values_of(store, "WINE", Figure("S", "Full"))
    found = sized(store, "WINE", "Cluster and Select")
    if not own or not all(found):
        return unmeasured()
    gains = {
        f"{size} {np.mean(v) - np.mean(own):+.3f}": np.mean(v) > np.mean(own) + 0.1
        and differs(v, own)
        for size, v in zip(SIZES, found, strict=True)
    }
    told = each(gains, "gain of a size over Full above 0.1, paired t-test, p < .05")
    return told._replace(figure=", ".join(gains))


CLAIMS = [
    Claim(
        "3.2",
        "Diversity that begins with the most different pair gives no different results",
        same_from_best,
    ),
    Claim(
        "4.2",
        "on every data set a smaller subset can do better than the full library",
        can_improve,
    ),
    Claim("4.2", "on WINE the gain can be significant", significant_on_wine),
    Claim("1, 4.2", "Quality or Diversity alone does not reliably do better", alone_unreliable),
    Claim(
        "4.2",
        "Quality does well for small sizes, then levels off or gets worse",
        quality_levels_off,
    ),
    Claim("4.2", "Diversity gains steadily with size on all data but WINE", diversity_gains),
    Claim(
        "4.2",
        "Diversity stays below Full up to 200 on ISOLET6 and SEGMENTATION",
        diversity_below_full,
    ),
    Claim("4.2", "the same on CBIR", untested("CBIR cannot be had")),
    Claim(
        "6.1",
        "Joint Criterion is comparable to Full or better on most data",
        lambda s: comparable(s, "Joint Criterion", 0.015),
    ),
    Claim(
        "6.1",
        "Joint Criterion is significantly better on CHART and WINE",
        lambda s: significant(s, "Joint Criterion", ["CHART", "WINE"]),
    ),
    Claim("6.1", "the same on EOS", untested("EOS cannot be had")),
    Claim(
        "6.1",
        "its trend for large sizes is that of Diversity, but on WINE",
        joint_like_diversity,
    ),
    Claim("6.1", "it is more stable than Diversity for small sizes", joint_more_stable),
    Claim(
        "6.1", "Joint Criterion is better than Diversity for small sizes", joint_small_like_quality
    ),
    Claim("6.1", "Joint Criterion levels off before size 100", levels_off),
    Claim("6.1", "Joint Criterion is stable for α = 0.4 to 0.6", alike_for_alpha),
    Claim("6.1", "and more so for large sizes", steadier_for_large),
    Claim("6.1", "a very small or large α can be the best", extreme_alpha_helps),
    Claim("6.1", "small α behaves like Diversity, large α like Quality", ends_of_alpha),
    Claim("6.1", "results are more robust for α around 0.5", middle_most_robust),
    Claim(
        "6.2, 8",
        "Cluster and Select is significantly better than Full on five of six data sets",
        lambda s: significant(s, "Cluster and Select", OURS),
    ),
    Claim(
        "6.2",
        "Cluster and Select never degrades the result",
        lambda s: never(s, "Cluster and Select", -1),
    ),
    Claim(
        "6.2",
        "on WINE Cluster and Select improves drastically over a wide range of sizes",
        drastic_on_wine,
    ),
    Claim(
        "6.2",
        "on WINE Cluster and Select improves with size, and gets worse beyond 100",
        wine_rises_and_falls,
    ),
    Claim("6.3", "Convex Hull is not significantly better than Full (but on CBIR)", hull_no_gain),
    Claim("6.3", "Convex Hull loses significantly on ISOLET6", hull_loses),
    Claim(
        "1, 6.4", "Random is never significantly better than Full", lambda s: never(s, "Random", 1)
    ),
    Claim("6.4", "Random does respectably on CHART with 30 members", respectable),
    Claim(
        "6.4",
        "Joint Criterion is the best on CHART",
        lambda s: best_on(s, "CHART", "Joint Criterion"),
    ),
    Claim("6.5, 8", "Cluster and Select has the best overall performance", best_overall),
    Claim(
        "4.1",
        "CSPA, HBGF and EAC as the consensus give qualitatively similar results",
        alike_by_consensus,
    ),
    Claim(
        "7.3",
        "the extended library improves Full on CHART and ISOLET6",
        lambda s: extended_helps(s, ("CHART", "ISOLET6"), True),
    ),
    Claim(
        "7.3",
        "and makes no difference or slightly worse on SEGMENTATION and WINE",
        lambda s: extended_helps(s, ("SEGMENTATION", "WINE"), False),
    ),
    Claim(
        "7.3, 8",
        "Cluster and Select is robust to the library: not worse than Full on the extended one",
        keeps_relation,
    ),
    Claim("7.3", "on WINE Cluster and Select is worse on the extended library", worse_on_extended),
    Claim("7.3, 8", "Cluster and Select is robust to degenerate members", outliers_harmless),
    Claim("7.3", "Full is nearly the same with and without degenerate members", alike_full),
]
