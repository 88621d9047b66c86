"""Make the pictures of the README and of the documentation.

    python docs/pictures.py [NAME...]

Without names, all.  The picture of the report needs Chromium (Debian: chromium).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import matplotlib as mpl
from sklearn.datasets import load_digits, load_wine

import consens
from consens.show import (
    ChoiceDisplay,
    ConsensusMatrixDisplay,
    MapDisplay,
    ResampledConsensusDisplay,
    TrackingDisplay,
)

mpl.use("Agg")

FOLDER = Path(__file__).parent / "_static"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--virtual-time-budget=4000",
    "--window-size=1240,760",
)


@cache
def wines() -> tuple[Any, Any]:
    """A model of the wines, and their features."""
    wine = load_wine(as_frame=True).data
    wine.index = [f"wine {i:03d}" for i in range(1, len(wine) + 1)]
    return consens.ConsensusClustering(scale="standard", random_state=0).fit(wine), wine


def digits_map() -> Any:
    """Ten clusters of handwritten digits."""
    X = load_digits().data / 16
    model = consens.ConsensusClustering(n_clusters=10, random_state=0).fit(X)
    return MapDisplay.from_estimator(model, X)


def per_k() -> Any:
    """The view of ConsensusClusterPlus."""
    return ResampledConsensusDisplay.from_estimator(*wines(), random_state=0)


def tracking() -> Any:
    """Clusters over the number of clusters."""
    return TrackingDisplay.from_estimator(wines()[0])


def choice() -> Any:
    """What decides on the number of clusters."""
    return ChoiceDisplay.from_estimator(wines()[0])


def matrix() -> Any:
    """The consensus matrix."""
    return ConsensusMatrixDisplay.from_estimator(wines()[0])


#: Displays by the name of their picture.
PICTURES = {
    "map": digits_map,
    **{made.__name__: made for made in (per_k, tracking, choice, matrix)},
}


def report() -> None:
    """First screen of a report."""
    model, wine = wines()
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        raise SystemExit("the picture of the report needs Chromium (Debian: chromium)")
    with TemporaryDirectory() as folder:
        page = Path(folder) / "wine.html"
        consens.report(model, page, wine, title="178 wines, 13 measurements")
        subprocess.run(
            [
                browser,
                *FLAGS,
                f"--user-data-dir={folder}/profile",
                f"--screenshot={FOLDER / 'report.png'}",
                page.as_uri(),
            ],
            check=True,
            capture_output=True,
        )


def main(names: list[str]) -> None:
    """Make some pictures, or all."""
    known = [*PICTURES, "report"]
    if unknown := set(names) - set(known):
        raise SystemExit(f"{', '.join(sorted(unknown))}: choose from {', '.join(known)}")
    for name in names or known:
        if name == "report":
            report()
        else:
            PICTURES[name]().figure_.savefig(FOLDER / f"{name}.png", dpi=80)


if __name__ == "__main__":
    main(sys.argv[1:])
