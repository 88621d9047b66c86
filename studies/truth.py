"""Whether what is said about an answer is true: confidence, stability and chosen number.

    python -m studies.truth --data DIR [--runs 20] [--seed 0] [--only NAME] [--out DIR]
                            [--pages DIR]

For every data set with known classes (of at most 200 objects a sample), the default answers with
the number of classes given.  Then it is fitted again, twenty times, each time to 90 % of the
objects and with another seed.  A refit agrees on an object if it puts it in the same cluster,
clusters being matched one-to-one by their overlap.  The larger sets have 2,000 objects and are
refitted at most eight times.

fits : fits of samples that the model made to judge its answer; the refits are others.
calibration error : distance, over ten bins of confidence, of the share of refits that agree
    from the mean confidence.
by chance : the error that a perfect forecaster would have with as many refits, on average and in
    one case of twenty: the share of all refits that agree on an object is the forecast for as many
    refits that are drawn from them with replacement.
error of refits : error of the share of half of the refits as a forecast for the other half: what
    fitting again ten times, instead of asking the model, would give.
AUROC : whether objects with a higher confidence are those that refits agree on; beside it, whether
    they are those in their class, and the same for the margin of the members.  Confidence is
    inverted if the AUROC is below .5 by more than its standard error (Hanley and McNeil 1982) with
    at least 20 disagreements; where nearly all refits agree, it is chance.
stability : expected ARI with a refit, as the model says, beside the mean over the refits.
clusters : mean distance, over the clusters, of the expected Jaccard coefficient from the measured
    one.
k : number that is chosen, beside the number of classes.

Sets are divided by studies/_split.py into those to develop on and those to validate on.  --only
takes development, validation or larger, or parts of names of sets.  With --out, finished fits are
kept in refits.jsonl and truth.jsonl (what the model says; delete it after a change), and a study
that was stopped goes on.  --pages writes truth.md and truth.png.
"""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from consens import ConsensusClustering
from consens._labels import match
from consens.consensus._refits import best_jaccard
from consens.measure import ari
from consens.measure.confidence import object_margin
from studies import _split
from studies._data import MissingData
from studies._run import chosen, parser, say
from studies._store import Store
from studies._table import markdown
from studies.sizes import draw as draw_larger
from studies.stability import N_BINS, auroc, reliability, right

MAX_OBJECTS = 200
LARGER, LARGER_RUNS = 2000, 8
SHARE = 0.9

TOLERANCE = 0.005  # of errors that are compared with those by chance

#: Times that refits are drawn from the refits.
N_DRAWN = 200

#: Fewest disagreements with which an order can be called inverted.
MIN_WRONG = 20
#: How often the sets to validate on were used.
LOOKS = (
    "What is said about an answer was changed on the sets for development; those for validation "
    "were run once for each version of this page, of which this is the fourth, once more on "
    "sets where all fits of samples agree, whose objects had lost their order by a mistake, and "
    "once with fits of samples by 128 members, which were given up because of what it showed."
)
PARTS = {
    "development": [*_split.DEVELOP_REAL, *_split.DEVELOP_SHAPES],
    "validation": [*_split.VALIDATE_REAL, *_split.VALIDATE_SHAPES],
    "larger": [f"{name}, {LARGER:,}" for name in ("Gaussian overlap", "satimage")],
}
TITLES = {
    "development": "Sets for development",
    "validation": "Sets for validation",
    "larger": "Larger sets",
}
COLUMNS = [
    "data",
    "n",
    "classes",
    "k",
    "fits",
    "agree",
    "confidence",
    "calibration error",
    "by chance",
    "error of refits",
    "AUROC",
    "ARI of refits",
    "stability",
    "interval",
    "clusters",
    "AUROC, class",
    "margin, class",
]


def read(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Features and classes of a set of one of the parts."""
    if name in PARTS["larger"]:
        return draw_larger(folder, name.split(",")[0], LARGER)
    return _split.features(folder, name, MAX_OBJECTS)


def refit(X: np.ndarray, k: int, seed: int) -> dict[str, Any]:
    """Rows and labels of a fit to nine tenths of the objects."""
    n = len(X)
    rows = np.sort(np.random.default_rng(seed).choice(n, round(SHARE * n), replace=False))
    model = ConsensusClustering(k, random_state=seed).fit(X[rows])
    return {"rows": rows.tolist(), "labels": model.labels_.tolist(), "recipe": model.recipe_}


def answer(X: np.ndarray, k: int, seed: int) -> dict[str, Any]:
    """What the model says of all objects, and the number that it would choose."""
    model = ConsensusClustering(k, random_state=seed).fit(X)
    said, samples = model.stability_, model.consensus_._refits.samples
    return {
        "labels": model.labels_.tolist(),
        "confidence": np.round(model.confidence_, 5).tolist(),
        "margin": np.round(object_margin(model.ensemble_, model.labels_), 5).tolist(),
        "stability": said.ari,
        "interval": list(said.interval),
        "clusters": said.clusters.tolist(),
        "recipe": model.recipe_,
        "fits": 0 if samples is None else samples.shape[1],
    }


def choose(X: np.ndarray, seed: int) -> int:
    """Number of clusters that the model chooses."""
    return int(ConsensusClustering(random_state=seed).fit(X).n_clusters_)


class Truth:
    """What the model says of a set, and what refits say."""

    def __init__(self, y: np.ndarray, said: dict[str, Any], refits: list[dict[str, Any]]) -> None:
        self.said = said
        labels, confidence = np.array(said["labels"]), np.array(said["confidence"])
        sure, agrees, indices, overlaps = [], [], [], []
        same = np.full((len(labels), len(refits)), np.nan)
        for r, one in enumerate(refits):
            rows, other = np.array(one["rows"]), np.array(one["labels"], dtype=np.int32)
            own = labels[rows].astype(np.int32)
            sure.append(confidence[rows])
            same[rows, r] = match(other, own) == own
            agrees.append(same[rows, r].astype(bool))
            indices.append(ari(own, other))
            overlaps.append(best_jaccard(own, other, int(labels.max()) + 1))
        self.sure, self.agrees = np.concatenate(sure), np.concatenate(agrees)
        self.ari = float(np.mean(indices))
        low, high = said["interval"]
        self.covered = float(np.mean([(low - 1e-9 <= v <= high + 1e-9) for v in indices]))
        measured = np.nanmean(overlaps, axis=0)
        self.clusters = float(np.nanmean(np.abs(measured - np.array(said["clusters"]))))
        self.error = reliability(self.sure, self.agrees)[0]
        self.chance = errors_by_chance(same)
        self.of_refits = float(np.mean([_forecast(same, half) for half in (0, 1)]))
        self.order = _auroc(self.sure, self.agrees)
        self.inverted = _below_chance(self.order, int((~self.agrees).sum()), len(self.agrees))
        hit = right(y, labels)
        self.of_class = [_auroc(np.array(said[name]), hit) for name in ("confidence", "margin")]

    @property
    def most_by_chance(self) -> float:
        """Error of a perfect forecaster that is exceeded in one case of twenty."""
        return float(np.quantile(self.chance, 0.95))

    def row(self, name: str, y: np.ndarray, k: int | None) -> list[str]:
        """A row of the table."""
        low, high = self.said["interval"]
        return [
            name,
            str(len(y)),
            str(len(np.unique(y))),
            "–" if k is None else str(k),
            str(self.said["fits"]),
            f"{self.agrees.mean():.3f}",
            f"{self.sure.mean():.3f}",
            f"{self.error:.3f}",
            f"{self.chance.mean():.3f}, {self.most_by_chance:.3f}",
            f"{self.of_refits:.3f}",
            _two(self.order),
            f"{self.ari:.2f}",
            f"{self.said['stability']:.2f}",
            f"{low:.2f} to {high:.2f}",
            f"{self.clusters:.2f}",
            *map(_two, self.of_class),
        ]


def _auroc(score: np.ndarray, correct: np.ndarray) -> float:
    """NaN if all or none are correct."""
    return auroc(score, correct) if 0 < correct.sum() < len(correct) else float("nan")


def errors_by_chance(same: np.ndarray) -> np.ndarray:
    """Calibration errors of the share of the refits as a forecast for refits drawn from them.

    `same` says for each object and refit whether they agree, or NaN.
    """
    seen = ~np.isnan(same)
    share = np.nansum(same, axis=1) / np.maximum(seen.sum(axis=1), 1)
    bins = np.minimum((share * N_BINS).astype(int), N_BINS - 1)
    inside = (bins[:, None] == np.arange(N_BINS)).astype(float)
    # surplus of agreement over the forecast in each bin and refit
    surplus = inside.T @ np.where(seen, same - share[:, None], 0.0)
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, same.shape[1], (N_DRAWN, same.shape[1]))
    errors = np.abs(surplus[:, drawn].sum(axis=2)).sum(axis=0)
    return np.asarray(errors / seen.sum(axis=0)[drawn].sum(axis=1))


def _forecast(same: np.ndarray, half: int) -> float:
    """Calibration error of the share of one half of the refits for the other half."""
    few, others = same[:, half::2], same[:, 1 - half :: 2]
    seen = (~np.isnan(few)).sum(axis=1)
    share = np.where(seen > 0, np.nansum(few, axis=1) / np.maximum(seen, 1), np.nanmean(few))
    known = ~np.isnan(others)
    sure = np.broadcast_to(share[:, None], others.shape)[known]
    return reliability(sure, others[known].astype(bool))[0]


def _below_chance(area: float, n_wrong: int, n: int) -> bool:
    """Whether an AUROC is below 0.5 by more than its standard error, with enough errors."""
    if n_wrong < MIN_WRONG or np.isnan(area):
        return False
    n_right, first, second = n - n_wrong, area / (2 - area), 2 * area**2 / (1 + area)
    variance = area * (1 - area) + (n_right - 1) * (first - area**2)
    variance += (n_wrong - 1) * (second - area**2)
    return bool(area < 0.5 - np.sqrt(variance / (n_right * n_wrong)))


def _two(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.2f}"


def measure(options: Any, names: list[str]) -> dict[str, tuple[np.ndarray, Truth, int | None]]:
    """Fit and refit the sets that the folder holds."""
    stores = {name: Store(options.out, name) for name in ("refits", "truth", "numbers")}
    found = {}
    for name in names:
        try:
            X, y = read(options.data, name)
        except MissingData as missing:
            say(str(missing))
            continue
        k, seed = len(np.unique(y)), options.seed
        runs = min(options.runs, LARGER_RUNS) if name in PARTS["larger"] else options.runs
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            refits = [
                stores["refits"].get((name, r), partial(refit, X, k, 1000 + r))
                for r in range(seed, seed + runs)
            ]
            said = stores["truth"].get((name, seed), partial(answer, X, k, seed))
            number = None
            if options.numbers:
                number = stores["numbers"].get((name, seed), partial(choose, X, seed))
        found[name] = y, Truth(y, said, refits), number
    return found


def summary(found: dict[str, tuple[np.ndarray, Truth, int | None]]) -> str:
    """Sentences about all sets of a part."""
    truths = [truth for _, truth, _ in found.values()]
    errors = np.array([truth.error for truth in truths])
    of_refits = np.array([truth.of_refits for truth in truths])
    expected = np.mean([truth.chance.mean() for truth in truths])
    explained = sum(truth.error <= truth.most_by_chance + TOLERANCE for truth in truths)
    perfect = sum(np.mean(truth.chance <= 0.05) for truth in truths)
    fits = [truth.said["fits"] for truth in truths]
    orders = np.array([truth.order for truth in truths])
    classes = np.array([truth.of_class for truth in truths])
    distance = np.array([abs(truth.ari - truth.said["stability"]) for truth in truths])
    covered = np.mean([truth.covered for truth in truths])
    text = (
        f"{len(truths)} sets: calibration error {errors.mean():.3f} on average, "
        f"{np.median(errors):.3f} in the median, {errors.max():.3f} at most, 0.05 or less on "
        f"{(errors <= 0.05).sum()}. A perfect forecaster would have {expected:.3f} on average by "
        f"chance, and 0.05 or less on {perfect:.1f}; {explained} errors are at most {TOLERANCE} "
        f"above what chance gives 19 times of 20. The models made {np.mean(fits):.1f} fits of "
        f"samples on average, {min(fits)} to {max(fits)}. Half of the refits as a forecast for "
        f"the others: "
        f"{of_refits.mean():.3f} on average, {of_refits.max():.3f} at most, 0.05 or less on "
        f"{(of_refits <= 0.05).sum()}. AUROC for agreement {np.nanmean(orders):.2f} on average, "
        f"{np.nanmin(orders):.2f} at least, below 0.5 on {(orders < 0.5).sum()} and inverted on "
        f"{sum(truth.inverted for truth in truths)}. Stability is {distance.mean():.3f} from the "
        f"mean ARI of the refits, and {covered:.0%} of the refits are within the interval (90 % "
        f"expected). "
        f"AUROC for classes: confidence {np.nanmean(classes[:, 0]):.3f}, margin of the members "
        f"{np.nanmean(classes[:, 1]):.3f}."
    )
    numbers = [(k, len(np.unique(y))) for y, _, k in found.values() if k is not None]
    if numbers:
        exact = sum(k == classes for k, classes in numbers)
        near = sum(abs(k - classes) <= 1 for k, classes in numbers)
        text += f" The chosen number is that of the classes on {exact} sets of {len(numbers)}, and"
        text += f" within one of it on {near}."
    return text


def draw(found: dict[str, dict[str, Any]], path: Path) -> None:
    """Calibration curve of each set, one panel for each part."""
    from matplotlib import pyplot as plt

    from studies._pictures import save

    figure, axes = plt.subplots(1, len(found), figsize=(5 * len(found), 5), squeeze=False)
    for ax, (part, sets) in zip(axes[0], found.items(), strict=True):
        ax.plot([0, 1], [0, 1], color="0.6", linestyle="--", linewidth=1)
        for _, truth, _ in sets.values():
            bins = np.minimum((truth.sure * 10).astype(int), 9)
            used = [b for b in range(10) if (bins == b).sum() >= 20]
            points = [(truth.sure[bins == b].mean(), truth.agrees[bins == b].mean()) for b in used]
            ax.plot(*zip(*points, strict=True), marker=".", linewidth=0.8, alpha=0.6)
        ax.set(title=part, xlabel="confidence", ylabel="share of refits that agree")
    save(figure, path)


def main() -> None:
    options = parser(__doc__, runs=20)
    options.add_argument("--pages", type=Path, help="folder for truth.md and truth.png")
    options.add_argument("--numbers", action="store_true", help="also let the model choose k")
    given = options.parse_args()
    words = [word for word in given.only if word not in PARTS]
    wanted = chosen([name for names in PARTS.values() for name in names], words)
    found: dict[str, Any] = {}
    text = []
    for part in chosen(PARTS, given.only):
        sets = measure(given, [name for name in PARTS[part] if name in wanted])
        if sets:
            found[part] = sets
            rows = [truth.row(name, y, k) for name, (y, truth, k) in sets.items()]
            text += [f"## {TITLES[part]}", summary(sets), markdown(COLUMNS, rows)]
    print("\n\n".join(text))
    if given.pages is not None and found:
        given.pages.mkdir(parents=True, exist_ok=True)
        draw(found, given.pages / "truth.png")
        page = "\n\n".join(
            [_INTRODUCTION.format(runs=given.runs, looks=LOOKS, larger=LARGER_RUNS), *text]
        )
        (given.pages / "truth.md").write_text(page + "\n", encoding="utf-8")


_INTRODUCTION = """# Is it true? Confidence, stability and refits

`confidence_` is the probability that a fit of another sample of the same data, with other members,
puts an object in the same cluster. `stability_` is the adjusted Rand index that such a fit is
expected to have with the answer. Both can be checked without classes, by fitting again: here
{runs} times, to 90 % of the objects and with other seeds, on samples of at most 200 objects;
larger sets, of 2,000 objects, are refitted at most {larger} times. The columns are explained in
`studies/truth.py`; the page is written by
`python -m studies.truth --data DIR --runs {runs} --pages docs/studies`.

{looks}

![Calibration curve of each data set](truth.png)"""


if __name__ == "__main__":
    main()
