"""The report of many objects: size, time until a browser has drawn it, and quality of the map.

    python -m benchmarks.report [NAME...] [--json FILE]

20,000 objects with 20 features in six groups.  Chromium without a screen (Debian: chromium), from
the start of the navigation until a picture of the window has been taken, the best of three.  The
target holds for the CPU time of the page, which other work on the machine does not lengthen; the
time on the wall stands beside it.

The map is judged on five kinds of drawn data at 2,000 and 20,000 objects: the share of the ten
nearest neighbours on the map that are in the same cluster, for objects on which the members agree
(confidence of at least .9).
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks._harness import Bench, main

WIDTHS = (1280, 400)
TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def fitted(n: int, d: int, groups: int = 6) -> tuple[Any, np.ndarray]:
    """A model of objects in groups, and their features."""
    from consens import ConsensusClustering

    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) + 2 * rng.normal(size=(groups, d))[np.arange(n) % groups]
    return ConsensusClustering(scale="standard", random_state=0).fit(X), X


def write_and_draw(given: tuple[Any, np.ndarray]) -> dict[str, float]:
    """Write the page, and let a browser draw it on a desk and on a phone."""
    import consens

    model, X = given
    with TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        consens.report(model, file, X)
        size = {"MB": file.stat().st_size / 1e6, "clusters": float(model.n_clusters_)}
        for width in WIDTHS:
            cpu, wall = np.min([drawn(file, width) for _ in range(3)], axis=0)
            size |= {f"CPU s at {width} px": float(cpu), f"wall s at {width} px": float(wall)}
        return size


def drawn(file: Path, width: int) -> tuple[float, float]:
    """CPU and wall seconds from the navigation to a picture of the drawn page."""
    from tests.show._browser import Browser

    with TemporaryDirectory() as profile, Browser(profile) as browser:
        browser.resize(width, 800, mobile=width < 500)
        browser.call("Performance.enable", timeDomain="threadTicks")
        start = time.monotonic()
        browser.open(file)
        browser.evaluate(TWO_FRAMES)
        browser.screenshot()
        wall = time.monotonic() - start
        metrics = browser.call("Performance.getMetrics")["metrics"]
        cpu = next(one["value"] for one in metrics if one["name"] == "TaskDuration")
        return cpu, wall


def overlapping(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(size=(n, 20)) + 1.2 * rng.normal(size=(6, 20))[np.arange(n) % 6]


def many(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(size=(n, 10)) + 4 * rng.normal(size=(30, 10))[np.arange(n) % 30]


def uneven(rng: np.random.Generator, n: int) -> np.ndarray:
    which = rng.choice(8, n, p=0.5 ** np.arange(1, 9) / (1 - 0.5**8))
    return rng.normal(size=(n, 10)) + 3 * rng.normal(size=(8, 10))[which]


def rings(rng: np.random.Generator, n: int) -> np.ndarray:
    angle, radius = rng.uniform(0, 2 * np.pi, n), 1.0 + np.arange(n) % 3
    X = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.hstack([X + 0.1 * rng.normal(size=X.shape), 0.1 * rng.normal(size=(n, 1))])


def uniform(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.uniform(size=(n, 5))


DRAWN = {draw.__name__: draw for draw in (overlapping, many, uneven, rings, uniform)}


def mapped(kind: str, n: int, n_clusters: int) -> Any:
    """A model of drawn data."""
    from consens import ConsensusClustering

    X = DRAWN[kind](np.random.default_rng(0), n)
    return ConsensusClustering(n_clusters, scale="standard", random_state=0).fit(X)


def neighbors_on_map(model: Any) -> dict[str, float]:
    """Share of the ten neighbours on the map in the same cluster, where the members agree.

    Also the share of objects on which they agree, and the share of neighbours for all objects.
    """
    from scipy.spatial import KDTree

    from consens.show import MapDisplay

    display = MapDisplay.from_estimator(model, layout="ensemble")
    near = KDTree(display.positions).query(display.positions, 11)[1][:, 1:]
    sure = display.confidence >= 0.9
    same = (display.labels[near] == display.labels[:, None]).mean(axis=1)
    found = {"sure": float(sure.mean()), "share of all": float(same.mean())}
    return found | ({"share": float(same[sure].mean())} if sure.any() else {})


def neighbors(bench: Bench) -> None:
    clusters = {"overlapping": 6, "many": 30, "uneven": 8, "rings": 3, "uniform": 4}
    for kind, k in clusters.items():
        for n in (2_000, 20_000):
            about = {"kind": kind, "n": n, "n_clusters": k}
            name = f"{kind}, {n:,} objects"
            found = bench.measure(name, mapped, neighbors_on_map, **about)
            if found.figures.get("sure", 1.0) > 0:
                share = found.figures.get("share", float("nan"))
                bench.compare(f"share of neighbours, {name}", share, at_least=0.95)


def page(bench: Bench) -> None:
    found = bench.measure("report", fitted, write_and_draw, n=20_000, d=20)
    bench.compare("MB of the page", found.figures["MB"], at_most=5)
    for width in WIDTHS:
        name = f"CPU s at {width} px"
        bench.compare(f"{name} until it is drawn", found.figures[name], at_most=2)


if __name__ == "__main__":
    main(__doc__, page, neighbors)
