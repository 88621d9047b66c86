"""How far the answer depends on the seed, and on the objects.

    python -m studies.stability --data DIR [--runs 8] [--seed 0] [--only NAME] [--out DIR]

Mean ARI between the answers of all pairs of seeds, with the number of classes given, of the
default and of k-means with ten starts; "90 %" is the default on nine tenths of the objects, drawn
anew with each seed, compared on the objects that two samples share.  --only takes development or
validation.  What confidence is worth is the question of `studies.truth`.

With --out, finished runs are kept in answers.jsonl, which `studies.defaults` shares.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.optimize import linear_sum_assignment

from consens.measure import ari
from studies import _split
from studies._answers import DEFAULT, OUTSIDE, SUBSAMPLE, Answers
from studies._run import parser
from studies._table import markdown

TABLES = {"validation": _split.VALIDATE_REAL, "development": _split.DEVELOP_REAL}
N_BINS = 10


def agreement(runs: list[np.ndarray]) -> float:
    """Mean ARI of all pairs of answers, on the objects that both have."""
    found = []
    for a, b in combinations(runs, 2):
        both = (a != OUTSIDE) & (b != OUTSIDE)
        found.append(ari(a[both], b[both]))
    return float(np.mean(found))


def right(y: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Objects whose cluster is matched to their class."""
    counts = np.zeros((y.max() + 1, labels.max() + 1), dtype=np.int64)
    np.add.at(counts, (y, labels), 1)
    classes, clusters = linear_sum_assignment(-counts)
    match = np.full(labels.max() + 1, -1)
    match[clusters] = classes
    return match[labels] == y


def reliability(confidence: np.ndarray, correct: np.ndarray) -> tuple[float, list[list[str]]]:
    """Expected calibration error, and a row per bin."""
    bins = np.minimum((confidence * N_BINS).astype(int), N_BINS - 1)
    error, rows = 0.0, []
    for b in range(N_BINS):
        own = bins == b
        if own.any():
            sure, share = confidence[own].mean(), correct[own].mean()
            error += own.mean() * abs(sure - share)
            low, high = b / N_BINS, (b + 1) / N_BINS
            bounds = f"{low:.1f} to {high:.1f}"
            rows.append([bounds, f"{own.sum()}", f"{sure:.2f}", f"{share:.2f}"])
    return float(error), rows


def auroc(score: np.ndarray, correct: np.ndarray) -> float:
    """Share of pairs of a right and a wrong object that the score puts in order."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(correct, score))


def show_stability(part: str, answers: Answers, seeds: range) -> None:
    """Print agreement between seeds, real sets of at least 100 objects."""
    rows, values = [], []
    for name, y in answers.available(TABLES[part]).items():
        if len(y) < 100:
            continue
        ours = [answers.get(name, DEFAULT, seed) for seed in seeds]
        theirs = [np.array(answers.get(name, "k-means", seed)["labels"]) for seed in seeds]
        parts = [np.array(answers.get(name, SUBSAMPLE, seed)["labels"]) for seed in seeds]
        labels = [np.array(one["labels"]) for one in ours]
        found = [agreement(labels), agreement(parts), agreement(theirs)]
        values.append(found)
        rows.append([name, *(f"{one:.3f}" for one in found)])
    rows.append(["**mean**", *(f"**{one:.3f}**" for one in np.mean(values, axis=0))])
    print(f"\nAgreement between {len(seeds)} seeds, real sets ({part}):\n")
    print(markdown(["data", "default", "90 %", "k-means"], rows), flush=True)


def main() -> None:
    options = parser(__doc__, runs=8).parse_args()
    seeds = range(options.seed, options.seed + options.runs)
    answers = Answers(options.data, options.out)
    print(f"Seeds {seeds[0]} to {seeds[-1]}; at most 600 objects of a set. {_split.LOOKS}")
    for part in TABLES:
        if options.only and part not in options.only:
            continue
        show_stability(part, answers, seeds)


if __name__ == "__main__":
    main()
