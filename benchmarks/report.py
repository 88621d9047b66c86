"""The report of many objects: size of the page, and the time until a browser has drawn it.

    python -m benchmarks.report [NAME...] [--json FILE]

20,000 objects with 20 features in six groups.  Chromium without a screen (Debian: chromium), from
the start of the navigation until a picture of the window has been taken, the best of three.  The
target holds for the CPU time of the page, which other work on the machine does not lengthen; the
time on the wall stands beside it.
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


def page(bench: Bench) -> None:
    found = bench.measure("report", fitted, write_and_draw, n=20_000, d=20)
    bench.compare("MB of the page", found.figures["MB"], at_most=5)
    for width in WIDTHS:
        name = f"CPU s at {width} px"
        bench.compare(f"{name} until it is drawn", found.figures[name], at_most=2)


if __name__ == "__main__":
    main(__doc__, page)
