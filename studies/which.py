"""Which method, when: quality against time of every consensus method on the same members.

    python -m studies.which [--runs 3] [--seed 0] [--only DATA] [--out DIR] [--picture FILE]
    python -m studies.which --numbers which.json --picture FILE

Data: those that scikit-learn brings (standardised where units differ), and drawings of
studies._datasets.  Members: 50 runs of k-means with random k, KMeansEnsemble(), drawn anew in each
run; for WSPA, WBPA and WSBPA the LAC members that they are made for.  "The default" is
DrawnConsensus that settles, on its own 400 to 800 members, MixedEnsemble().  Every method gets the
number of classes.  Quality is the ARI with the classes; time is the CPU time of the consensus
alone, without the members, in one process, after a first run that compiles.  One k-means with ten
starts stands beside them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets as sklearn_data
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

from consens import consensus
from consens.generate import KMeansEnsemble
from consens.measure import ari
from studies import _datasets as datasets
from studies._run import chosen, parser, say, write_json
from studies._table import markdown

SINGLE = "k-means alone"
DEFAULT = "the default"
ROUND = (
    sklearn_data.load_iris,
    sklearn_data.load_wine,
    sklearn_data.load_breast_cancer,
    sklearn_data.load_digits,
    datasets.make_two_gaussians,
    datasets.make_three_gaussians,
)
SHAPES = (
    datasets.make_cigars,
    datasets.make_half_rings,
    datasets.make_rings,
    datasets.make_spirals,
)
TITLES = {"round": "round groups and real data", "shapes": "cigars, rings, spirals"}
STANDARDISED = ("wine", "breast_cancer")


def name_of(source: Callable[..., Any]) -> str:
    """What a data set is called."""
    return source.__name__.removeprefix("load_").removeprefix("make_")


SOURCES = {name_of(source): source for source in (*ROUND, *SHAPES)}


def data(name: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Features and classes; drawings are drawn anew."""
    source = SOURCES[name]
    if source.__name__.startswith("load_"):
        X, y = source(return_X_y=True)
        return (StandardScaler().fit_transform(X) if name in STANDARDISED else X), y
    return source(random_state=seed)


def run(name: str, seed: int) -> list[dict[str, Any]]:
    """Quality and time of every method on one data set."""
    X, y = data(name, seed)
    k = len(np.unique(y[y >= 0]))
    members: dict[str, Any] = {}
    rows = []
    for method in [*sorted(consensus.METHODS), DEFAULT]:
        name_of_class = "DrawnConsensus" if method == DEFAULT else method
        estimator = getattr(consensus, name_of_class)(n_clusters=k)
        if "random_state" in estimator.get_params():
            estimator.set_params(random_state=seed)
        generator: Any = KMeansEnsemble()
        if hasattr(estimator, "default_generator") and method != "DrawnConsensus":
            generator = estimator.default_generator()
        generator.set_params(random_state=seed)
        made = type(generator).__name__
        if made not in members:
            members[made] = generator.fit_transform(X)
        settles = {"settle": True} if method == DEFAULT else {}
        fit = partial(estimator.set_params(**settles).fit, members[made])
        rows.append(timed(method, name, seed, y, fit))
    single = KMeans(k, n_init=10, random_state=seed)
    return [*rows, timed(SINGLE, name, seed, y, lambda: single.fit(X))]


def timed(
    method: str, name: str, seed: int, y: np.ndarray, fit: Callable[[], Any]
) -> dict[str, Any]:
    """Run a method; None for what an optional dependency is missing for."""
    row: dict[str, Any] = {"method": method, "data": name, "seed": seed}
    start = time.process_time()
    try:
        labels = fit().labels_
    except ImportError as error:
        say(f"{method}: {error}")
        return row | {"ari": None, "seconds": None}
    return row | {"seconds": time.process_time() - start, "ari": float(ari(y, labels))}


def summary(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Mean quality on round and on other groups, and geometric mean of the time, per method."""
    known = [row for row in rows if row["ari"] is not None]
    shapes = {name_of(source) for source in SHAPES}
    found = []
    for method in sorted({row["method"] for row in known}):
        own = [row for row in known if row["method"] == method]
        parts = {
            "ari": own,
            "round": [row for row in own if row["data"] not in shapes],
            "shapes": [row for row in own if row["data"] in shapes],
        }
        means = {
            part: float(np.mean([row["ari"] for row in those])) if those else None
            for part, those in parts.items()
        }
        seconds = np.exp(np.mean(np.log([max(row["seconds"], 1e-4) for row in own])))
        found.append({"method": method, **means, "seconds": float(seconds)})
    return sorted(found, key=lambda one: -one["ari"])


def draw(found: list[dict[str, Any]], file: Path) -> None:
    """Quality against time, one point per method."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    parts = [part for part in TITLES if any(one[part] is not None for one in found)]
    figure, grid = plt.subplots(
        1, len(parts), figsize=(11, 5.6), sharex=True, dpi=90, squeeze=False
    )
    axes = grid[0]
    figure.subplots_adjust(left=0.07, right=0.98, bottom=0.1, top=0.93, wspace=0.12)
    shown = []
    for ax, part in zip(axes, parts, strict=True):
        known = [one for one in found if one[part] is not None]
        x = [1000 * one["seconds"] for one in known]
        y = [one[part] for one in known]
        names = [one["method"] for one in known]
        colors = ["#1f2328" if name in (SINGLE, DEFAULT) else "#3b78c4" for name in names]
        ax.scatter(x, y, color=colors, s=30, zorder=3)
        ax.set_xscale("log")
        ax.margins(0.12, 0.08)
        ax.set_title(TITLES[part], fontsize="medium")
        ax.set_xlabel("CPU time of the consensus in ms, geometric mean")
        ax.set_xlim(min(x) / 2, max(x) * 2)
        ax.set_xticks([20, 50, 100, 200, 500, 1000], minor=False)
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter(mpl.ticker.NullFormatter())
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="#d5dae0", lw=0.5)
        shown.append((x, y, names))
    axes[0].set_ylabel("mean ARI with the classes")
    figure.canvas.draw()
    for ax, points in zip(axes, shown, strict=True):
        ax.autoscale(False)
        name_points(ax, *points)
    figure.savefig(file)


def name_points(ax: Any, x: list[float], y: list[float], names: list[str]) -> None:
    """Write names near their points, where they cover neither a point nor another name."""
    from matplotlib.transforms import Bbox

    renderer = ax.figure.canvas.get_renderer()
    points = ax.transData.transform(np.column_stack([x, y]))
    taken = [Bbox.from_bounds(a - 5, b - 5, 10, 10) for a, b in points]
    directions = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)]
    for (a, b), name in sorted(zip(points.tolist(), names, strict=True), key=lambda p: p[0][1]):
        text = ax.text(0, 0, name, fontsize=8, transform=None)
        size = text.get_window_extent(renderer)
        for distance, (right, up) in ((r, way) for r in range(8, 120, 8) for way in directions):
            left = (
                a
                + right * distance
                - (size.width if right < 0 else 0 if right else size.width / 2)
            )
            low = b + up * distance - (0 if up > 0 else size.height if up else size.height / 2)
            box = Bbox.from_bounds(left, low, size.width, size.height)
            inside = ax.bbox.x0 < box.x0 and box.x1 < ax.bbox.x1
            if inside and not any(box.overlaps(other) for other in taken):
                break
        taken.append(box)
        text.set_position((box.x0, box.y0 + 2))
        if distance > 12:
            near = np.clip([a, b], [box.x0, box.y0], [box.x1, box.y1])
            ends = ax.transData.inverted().transform([[a, b], near])
            ax.plot(*ends.T, color="#8a929c", lw=0.6, zorder=2)


def main() -> None:
    """Measure, print the table, draw."""
    options = parser(__doc__, runs=3, data_required=False)
    options.add_argument("--picture", type=Path, help="file of the figure")
    options.add_argument("--numbers", type=Path, help="which.json of an earlier run, to draw it")
    given = options.parse_args()
    rows: list[dict[str, Any]] = []
    if given.numbers is None:
        run("iris", given.seed)  # compiles
        for name in chosen(SOURCES, given.only):
            for seed in range(given.seed, given.seed + given.runs):
                say(f"{name}, seed {seed}")
                rows += run(name, seed)
        write_json(given.out, "which.json", rows)
    else:
        rows = json.loads(given.numbers.read_text(encoding="utf-8"))
    found = summary(rows)
    cells = [
        [one["method"]]
        + ["–" if one[part] is None else f"{one[part]:.3f}" for part in ("ari", "round", "shapes")]
        + [f"{1000 * one['seconds']:,.0f}"]
        for one in found
    ]
    head = ["method", "ARI", "round and real", "cigars, rings, spirals", "CPU ms"]
    print(markdown(head, cells))
    if given.picture is not None:
        draw(found, given.picture)


if __name__ == "__main__":
    main()
