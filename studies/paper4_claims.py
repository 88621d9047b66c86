"""What Huang, Wang and Lai 2017 say in words; members of the features, each method's best k."""

from __future__ import annotations

import numpy as np

from studies._claims import (
    FAILS,
    HOLDS,
    IN_PART,
    Claim,
    Outcome,
    better,
    each,
    means,
    one,
    unmeasured,
)
from studies._store import Store
from studies.paper4 import COUNTED, DATA, METHODS, SIZES, THETAS, UNWEIGHTED, best

OTHERS = [method for method in METHODS if method != "LWMC"]


def runs(store: Store, method: str) -> dict[str, list[float]]:
    return {name: best(store, "Best k", COUNTED, name, method) for name in DATA}


def true_k(store: Store, column: str) -> dict[str, list[float]]:
    return {name: store.values("True k", COUNTED, name).get(column, []) for name in DATA}


def best_of_all(store: Store) -> Outcome:
    right = {}
    for name in (name for name in DATA if name != "ISOLET"):
        own = {
            m: float(np.mean(v)) for m in METHODS if (v := best(store, "Best k", COUNTED, name, m))
        }
        if "LWMC" in own and len(own) > 1:
            rival = max((m for m in own if m != "LWMC"), key=lambda m: own[m])
            right[f"{name} {own['LWMC'] - own[rival]:+.3f} to {rival}"] = own["LWMC"] > own[rival]
    return each(right, "mean NMI against the best of eight other methods")


def overall(store: Store) -> Outcome:
    mean = {}
    for method in METHODS:
        own = means(runs(store, method))
        if len(own) == len(DATA):
            mean[method] = float(np.mean(list(own.values())))
    if "LWMC" not in mean:
        return unmeasured()
    listed = ", ".join(f"{m} {v:.3f}" for m, v in mean.items())
    right = max(mean, key=lambda m: mean[m]) == "LWMC"
    return one(right, listed, "mean NMI over eight sets")


def weac_on_isolet(store: Store) -> Outcome:
    own = means({m: best(store, "Best k", COUNTED, "ISOLET", m) for m in ("WEAC", "LWMC")})
    if len(own) < 2:
        return unmeasured()
    gap = own["WEAC"] - own["LWMC"]
    return one(0 < gap <= 0.015, f"{gap:+.3f}", "mean NMI")


def by_theta(store: Store) -> Outcome:
    right = {}
    for name in DATA:
        own = means(store.values("True k", COUNTED, name))
        if own:
            gap = float(np.ptp([own[f"θ = {theta:g}"] for theta in THETAS]))
            right[f"{name} {gap:.3f}"] = gap <= 0.02
    return each(right, "range of mean NMI over θ = 1/16 to 16 at most 0.02, true k")


def moderate_theta(store: Store) -> Outcome:
    right = {}
    for name in DATA:
        own = means(store.values("True k", COUNTED, name))
        if own:
            top = max(THETAS, key=lambda theta: own[f"θ = {theta:g}"])
            loss = own[f"θ = {top:g}"] - min(own[f"θ = {theta:g}"] for theta in (0.25, 0.5, 1.0))
            right[f"{name} {loss:.3f}"] = loss <= 0.01
    return each(right, "largest loss against the best θ for θ = 0.25 to 1 at most 0.01, true k")


def seconds(store: Store) -> dict[str, float]:
    times = store.known.get(("Fig. 3",), {})
    return {method: own[str(SIZES[-1])] for method, own in times.items() if str(SIZES[-1]) in own}


def fastest(store: Store) -> Outcome:
    found = seconds(store)
    if not found:
        return unmeasured()
    order = sorted(found, key=lambda method: found[method])
    shown = ", ".join(f"{m} {found[m]:.3f}" for m in order[:4])
    right = order[:2] == ["LWMC", "MCLA"]
    half = order[0] == "LWMC"
    test = "CPU seconds for all of LR, our programs, one measurement"
    return Outcome(shown, test, HOLDS if right else IN_PART if half else FAILS)


def faster_than_mcla(store: Store) -> Outcome:
    found = seconds(store)
    if not found:
        return unmeasured()
    shown = f"{found['LWMC']:.3f} against {found['MCLA']:.3f}"
    right = found["LWMC"] < found["MCLA"]
    return one(right, shown, "CPU seconds for all of LR, our programs")


def scales(store: Store) -> Outcome:
    times = store.known.get(("Fig. 3",), {}).get("LWMC", {})
    if not times:
        return unmeasured()
    ratio, of = times[str(SIZES[-1])] / times[str(SIZES[0])], SIZES[-1] / SIZES[0]
    shown = f"{ratio:.1f} times the time for {of:.0f} times the objects"
    return one(ratio <= of, shown, "CPU seconds on parts of LR")


def better_than_base(store: Store, names: tuple[str, ...]) -> Outcome:
    own, base = true_k(store, "LWMC, max"), true_k(store, "base, max")
    return better({n: own[n] for n in names}, base, larger=True, surely=True)


CLAIMS = [
    Claim("3.2", "LWMC is consistent for varying θ", by_theta),
    Claim("3.2", "moderate θ, from 0.25 to 1, is a good choice", moderate_theta),
    Claim(
        "3.3",
        "LWMC is significantly better than its base clusterings",
        lambda s: better_than_base(s, tuple(DATA)),
    ),
    Claim(
        "3.3",
        "much better on SPF, where base clusterings are poor",
        lambda s: better_than_base(s, ("SPF",)),
    ),
    Claim("3.4", "LWMC is the best on all data sets but ISOLET", best_of_all),
    Claim("3.4", "WEAC is marginally better on ISOLET", weac_on_isolet),
    Claim(
        "3.4",
        "LWMC is better than WEAC on the other seven",
        lambda s: better(
            {n: v for n, v in runs(s, "LWMC").items() if n != "ISOLET"},
            runs(s, "WEAC"),
            larger=True,
        ),
    ),
    Claim("3.4", "LWMC is overall the best", overall),
    *(
        Claim(
            "3.4, Table 2",
            f"LWMC is better than {method}",
            lambda s, m=method: better(runs(s, "LWMC"), runs(s, m), larger=True),
        )
        for method in OTHERS
        if method != "WEAC"
    ),
    Claim(
        "1, 2.3",
        "weighted votes are better than plain ones",
        lambda s: better(true_k(s, "LWMC"), true_k(s, UNWEIGHTED), larger=True),
    ),
    Claim("3.5", "LWMC is the fastest, MCLA the second", fastest),
    Claim("3.5", "LWMC is faster than MCLA in spite of its weights", faster_than_mcla),
    Claim("1, 4", "LWMC is efficient on large data", scales),
]
