"""Make the pictures of the README and of the documentation.

    python docs/pictures.py

The map needs matplotlib only, the picture of the report also Chromium (Debian: chromium).
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib as mpl
from sklearn.datasets import load_digits, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import consens
from consens.show import MapDisplay

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


def main() -> None:
    """Write map.png and report.png."""
    X = load_digits().data / 16
    model = consens.ConsensusClustering(n_clusters=10, random_state=0).fit(X)
    display = MapDisplay.from_estimator(model, X)
    display.figure_.savefig(FOLDER / "map.png", dpi=90)
    wine = load_wine(as_frame=True).data
    wine.index = [f"wine {i:03d}" for i in range(1, len(wine) + 1)]
    pipeline = make_pipeline(StandardScaler(), consens.ConsensusClustering(random_state=0))
    with TemporaryDirectory() as folder:
        page = Path(folder) / "wine.html"
        consens.report(pipeline.fit(wine), page, wine, title="178 wines, 13 measurements")
        browser = shutil.which("chromium") or shutil.which("chromium-browser")
        if browser is None:
            raise SystemExit("the picture of the report needs Chromium (Debian: chromium)")
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


if __name__ == "__main__":
    main()
