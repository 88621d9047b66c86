"""Sentences of the papers and what the kept runs say of them: tests and verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import spearmanr, ttest_1samp

from studies._store import Store
from studies._table import markdown

HOLDS, IN_PART, FAILS, UNTESTED = "holds", "holds in part", "fails", "cannot be tested"
VERDICTS = (HOLDS, IN_PART, FAILS, UNTESTED)
P = 0.05
NAMED = 6


class Outcome(NamedTuple):
    """Our figure, the test it comes from, and the verdict."""

    figure: str
    test: str
    verdict: str


class Claim(NamedTuple):
    """A sentence of a paper in our words, where it stands, and how the store answers it."""

    where: str
    said: str
    outcome: Callable[[Store], Outcome]


Runs = Mapping[str, Sequence[float]]


def verdict(right: int, of: int) -> str:
    """All comparisons right: holds; at least half of them: in part."""
    if not of:
        return UNTESTED
    return HOLDS if right == of else IN_PART if 2 * right >= of else FAILS


def untested(why: str) -> Callable[[Store], Outcome]:
    """A sentence that the kept runs cannot answer."""
    return lambda store: Outcome("–", why, UNTESTED)


def each(items: Mapping[str, bool], test: str, more: str = "") -> Outcome:
    """A sentence about several things, each right or wrong; few of a kind are named."""
    if not items:
        return Outcome("–", "not measured", UNTESTED)
    right = [name for name, own in items.items() if own]
    wrong = [name for name, own in items.items() if not own]
    shown = f"{len(right)} of {len(items)}"
    kind, few = ("only", right) if 0 < len(right) < len(wrong) else ("not", wrong)
    if 0 < len(few) <= NAMED:
        shown += f" ({kind} {', '.join(few)})"
    return Outcome(shown + more, test, verdict(len(right), len(items)))


def one(right: bool, figure: str, test: str) -> Outcome:
    """A sentence that is right or wrong as a whole."""
    return Outcome(figure, test, HOLDS if right else FAILS)


def unmeasured() -> Outcome:
    return Outcome("–", "not measured", UNTESTED)


def differs(first: Sequence[float], second: Sequence[float]) -> bool:
    """Whether paired runs differ by a two-sided t-test, p < .05."""
    both = min(len(first), len(second))
    gaps = np.subtract(first[:both], second[:both])
    if both < 2 or np.ptp(gaps) < 1e-9:
        return both > 1 and bool(abs(gaps.mean()) > 1e-9)
    return bool(ttest_1samp(gaps, 0).pvalue < P)


def better(
    first: Runs,
    second: Runs,
    *,
    larger: bool = False,
    margin: float = 0.0,
    surely: bool = False,
) -> Outcome:
    """The first is better than the second in the mean of runs, on each set that both have.

    With a margin it may be worse by as much: "as good as or better".  With `surely` only a
    significant difference is right: "far better".
    """
    sign = 1 if larger else -1
    names = [name for name in first if len(first[name]) and len(second.get(name, ()))]
    gains = {n: sign * float(np.mean(first[n]) - np.mean(second[n])) for n in names}
    sure = {n: differs(first[n], second[n]) for n in names}
    won = sum(gains[n] > 0 and sure[n] for n in names)
    lost = sum(gains[n] < 0 and sure[n] for n in names)
    told = f"; significantly better on {won}, worse on {lost}" if names else ""
    least = -margin - 1e-9 if margin else 0.0
    right = {n: gain > least and (sure[n] or not surely) for n, gain in gains.items()}
    test = "a paired t-test, p < .05" if surely else "means of runs, and a paired t-test, p < .05"
    test += f"; worse by {margin:g} at most" if margin else ""
    return each(right, test, told)


def on_average(first: Runs, second: Runs, *, larger: bool = False, digits: int = 2) -> Outcome:
    """The first is better than the second in the mean over the sets that both have."""
    names = [name for name in first if len(first[name]) and len(second.get(name, ()))]
    if not names:
        return unmeasured()
    own, other = (float(np.mean([np.mean(runs[n]) for n in names])) for runs in (first, second))
    shown = f"{own:.{digits}f} against {other:.{digits}f}"
    return one(own > other if larger else own < other, shown, f"means over {len(names)} sets")


def trend(curves: Mapping[str, tuple[Sequence[float], Sequence[float]]], sign: int) -> Outcome:
    """Curves that rise (+1) or fall (-1): Spearman's correlation beyond 0.5."""
    found = {}
    for name, (x, y) in curves.items():
        constant = np.ptp(y) < 1e-12
        found[name] = 0.0 if constant else float(spearmanr(x, y).statistic)
    listed = ", ".join(f"{name} {r:+.1f}" for name, r in found.items())
    told = each({name: sign * r > 0.5 for name, r in found.items()}, "")
    test = f"Spearman's correlation {'>' if sign > 0 else '<'} {sign * 0.5:+.1f}"
    return told._replace(figure=f"{told.figure.split(' (')[0]}: {listed}", test=test)


def means(runs: Runs) -> dict[str, float]:
    """Mean of each that has runs."""
    return {name: float(np.mean(own)) for name, own in runs.items() if len(own)}


def section(title: str, outcomes: Sequence[tuple[Claim, Outcome]]) -> str:
    """The claims of one paper as a table."""
    rows = [
        [str(number), claim.where, claim.said, own.figure, own.test, own.verdict]
        for number, (claim, own) in enumerate(outcomes, 1)
    ]
    header = ["", "where", "the paper says", "our figure", "test", "verdict"]
    return f"## {title}\n\n{markdown(header, rows)}\n"
