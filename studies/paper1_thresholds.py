"""The threshold θ of CA-HNE: fixed values and the rule on sets with known classes.

`studies.paper1` measures and shows it.  The sets are the two halves of shapes of `studies._split`
with at most 1,100 objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from consens._blocks import row_blocks
from consens._labels import PairCounts, unique_rows
from consens.consensus import CAHNE
from consens.ensemble import Ensemble
from consens.generate import KMeansEnsemble
from consens.measure import error_rate
from studies._data import DataSet, MissingData
from studies._run import say
from studies._split import DEVELOP_SHAPES, VALIDATE_SHAPES, features
from studies._store import Store
from studies._table import markdown

N_PARTITIONS_HNE = 30
START = "box"  # "random initialization of cluster centers"
DEFAULT_THRESHOLD = 0.3
THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)

SECTION = "θ on shapes"
HALVES = {"development": DEVELOP_SHAPES, "validation": VALIDATE_SHAPES}
SHAPES = [*DEVELOP_SHAPES, *VALIDATE_SHAPES]
MAX_OBJECTS = 1100
#: Base k of a set of n objects, as a multiple of √n.
BASES = {"√n": 1, "2√n": 2}
NEAR = 0.01

Errors = dict[str, list[float]]


def load_shapes(folder: Path, names: Sequence[str]) -> dict[str, DataSet]:
    """The sets of the folder that are small enough; says which are missing."""
    found = {}
    for name in names:
        try:
            data = DataSet(*features(folder, name))
        except MissingData as missing:
            say(str(missing))
            continue
        if len(data.y) <= MAX_OBJECTS:
            found[name] = data
    return found


def measure_shapes(store: Store, shapes: dict[str, DataSet], run: int) -> None:
    """One run of every set and base k."""
    for name, data in shapes.items():
        for base, multiple in BASES.items():
            base_k = round(multiple * len(data.y) ** 0.5)
            key = (SECTION, base, name, run)
            store.get(key, lambda: on_shape(data, base_k, run))  # noqa: B023


def on_shape(data: DataSet, base_k: int, seed: int) -> dict[str, float]:
    """Error rates of CA-HNE with fixed θ and with θ by the rule."""
    made = KMeansEnsemble(N_PARTITIONS_HNE, n_clusters=base_k, init=START, random_state=seed)
    ensemble = made.fit_transform(data.X)
    fixed = {f"θ = {theta:g}": error(data, ensemble, theta) for theta in THRESHOLDS}
    return fixed | by_rule(data, ensemble)


def error(data: DataSet, ensemble: Ensemble, threshold: Any) -> float:
    """Error rate of CA-HNE with a fixed θ."""
    return error_rate(data.y, CAHNE(data.k, threshold=threshold).fit_predict(ensemble))


def by_rule(data: DataSet, ensemble: Ensemble) -> dict[str, float]:
    """θ by the rule, and the error rate with it."""
    theta = valley_threshold(ensemble)
    return {"θ by the rule": theta, "rule": error(data, ensemble, theta)}


def valley_threshold(ensemble: Any) -> float:
    """Threshold at the first valley of the distribution of positive co-associations.

    The numbers of pairs at 1/M, 2/M, ..., 1 are smoothed over about √M of them; 0.3 if they fall
    to the end.  Pairs across a border are seldom together, so where the fall stops, others
    prevail.
    """
    numbers = _numbers_of_pairs(Ensemble.from_labels(ensemble).matrix)
    half = int(np.sqrt(len(numbers)) / 2)  # width 5 for 30 partitions
    padded = np.pad(numbers, half, mode="edge")
    smooth = np.convolve(padded, np.ones(2 * half + 1, dtype=np.int64), mode="valid")
    stops = np.flatnonzero(smooth[:-1] <= smooth[1:])
    return float((stops[0] + 1) / len(numbers)) if len(stops) else DEFAULT_THRESHOLD


def _numbers_of_pairs(labels: np.ndarray) -> np.ndarray:
    """Number of pairs of objects, in both directions, by co-association 1/M, 2/M, ..., 1."""
    rows, _, sizes = unique_rows(labels)
    n, n_members = len(rows), labels.shape[1]
    counts = PairCounts(rows)
    numbers = np.zeros(n_members + 1)  # sums of integers, exact below 2^53
    for block in row_blocks(n, bytes_per_row=40 * n):
        share = counts.together(block).astype(np.int64)
        if not counts.complete:  # the nearest multiple of 1/M
            seen = counts.seen(block)
            share = (2 * n_members * share + seen) // np.maximum(2 * seen, 1)
        pairs = np.outer(sizes[block], sizes).astype(np.float64)
        own = np.arange(len(pairs))
        pairs[own, own + block.start] -= sizes[block]  # objects with themselves
        numbers += np.bincount(share.ravel(), pairs.ravel(), minlength=n_members + 1)
    return numbers[1:].astype(np.int64)


def shapes_text(store: Store) -> str:
    """Mean errors over the sets of each half; empty if nothing was measured."""
    columns = [*(f"θ = {theta:g}" for theta in THRESHOLDS), "rule"]
    rows = []
    for half, names in HALVES.items():
        for base in BASES:
            found = [own for name in names if (own := store.values(SECTION, base, name))]
            if found:
                runs = sorted({len(own["rule"]) for own in found})
                shown = [f"{mean_error(found, c):.3f} ({near_best(found, c)})" for c in columns]
                thetas = [np.mean(own["θ by the rule"]) for own in found]
                spread = f"{min(thetas):.2f} to {max(thetas):.2f}"
                said = "–".join(str(number) for number in (runs[0], runs[-1])[: len(runs)])
                rows.append([half, base, str(len(found)), said, *shown, spread])
    if not rows:
        return ""
    conclusion = "".join(_conclusion(store, half) for half in HALVES)
    header = ["sets", "base k", "number", "runs", *columns[:-1], "by the rule", "θ by the rule"]
    return (
        f"The same on sets with known classes: shapes with at most {MAX_OBJECTS:,} objects, in "
        "the two halves of `studies._split`. Mean error over the sets and, in brackets, the "
        f"number of sets whose mean error is at most {NEAR:g} above that of the best fixed θ for "
        f"the set. {N_PARTITIONS_HNE} partitions; two base k for all sets, because with 2√n "
        "clusters most sets have no error with any θ. The rule was chosen on the development "
        "sets, with a look at the paper's five, among about forty: valleys with other smoothing, "
        "Otsu's threshold and other cuts of the distribution, and largest θ that leave few "
        "components or isolated objects; the validation sets were measured once, afterwards.\n\n"
        + markdown(header, rows)
        + f"\n\nMean over the base k.{conclusion}"
    )


def _conclusion(store: Store, half: str) -> str:
    """The rule beside θ = 0.3 and the best fixed θ, in words."""
    every = [store.values(SECTION, base, name) for base in BASES for name in HALVES[half]]
    found = [own for own in every if own]
    if not found:
        return ""
    errors = {theta: mean_error(found, f"θ = {theta:g}") for theta in THRESHOLDS}
    best = min(errors, key=lambda theta: errors[theta])
    return (
        f" {half.capitalize()} sets: the rule {mean_error(found, 'rule'):.3f}, θ = 0.3 "
        f"{errors[0.3]:.3f}, the best fixed θ ({best:g}) {errors[best]:.3f}."
    )


def mean_error(found: Sequence[Errors], column: str) -> float:
    """Mean over the sets of the mean error of a column."""
    return float(np.mean([np.mean(own[column]) for own in found]))


def near_best(found: Sequence[Errors], column: str) -> int:
    """Number of sets where a column is about as good as the best fixed θ, or better."""
    fixed = [f"θ = {theta:g}" for theta in THRESHOLDS]
    best = [min(np.mean(own[c]) for c in fixed) for own in found]
    own_error = [np.mean(own[column]) for own in found]
    return sum(bool(e <= b + NEAR + 1e-9) for e, b in zip(own_error, best, strict=True))
