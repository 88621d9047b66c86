"""The default at every size: quality, time and memory beside k-means.

    python -m studies.sizes --data DIR [--seed 0] [--only NAME] [--out DIR] [--code FOLDER]

Overlapping Gaussians, moons with rings, and two sets of real features with 200 to 200,000 objects.
Real sets that are smaller are drawn again with a twentieth of their spread as noise.  Then sets at
full size, where a sample alone is no cure; isolet, letter and mnist5k are no sets to develop on.
Each case
runs in a process of its own: CPU seconds of the fit with its confidence, and memory above that of
the data.  k-means has ten starts.  --code FOLDER measures another version of the library, whose
`src` that folder has, for a table before and after a change.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from studies._data import load
from studies._run import chosen, parser
from studies._split import features
from studies._store import Store
from studies._table import markdown

SIZES = (200, 2_000, 20_000, 200_000)
SETS = ("Gaussian overlap", "moons and rings", "satimage", "letter")
NOISE = 0.05

FULL = (
    "satimage",
    "usps11000",
    "texture",
    "shape_chameleon_t7_10k",
    "letter",
    "isolet",
    "mnist5k",
)

RUN = """
import json, resource, sys, time
import numpy as np
X, k = np.load(sys.argv[1]), int(sys.argv[2])
from consens import ConsensusClustering
ConsensusClustering(2, random_state=1).fit(X[:150]).confidence_  # compiles
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
model = ConsensusClustering(k, random_state=int(sys.argv[3])).fit(X)
confidence = float(model.confidence_.mean())
took = time.process_time() - start
extra = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3
print(json.dumps([model.labels_.tolist(), took, extra, model.recipe_, confidence]))
"""


def draw(folder: Path, name: str, n: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Features and classes of n objects, or of a whole set."""
    if n is None:
        return features(folder, name)
    rng = np.random.default_rng(0)
    if name == "Gaussian overlap":
        X, y = make_blobs(n, n_features=10, centers=10, cluster_std=4, random_state=0)
        return X, y
    if name == "moons and rings":
        moons, a = make_moons(n // 2, noise=0.05, random_state=0)
        rings, b = make_circles(n - n // 2, noise=0.03, factor=0.5, random_state=0)
        return np.vstack([moons, rings + np.array([4, 0])]), np.append(a, b + 2)
    X, classes = load(folder, name)
    y = np.unique(classes, return_inverse=True)[1]
    X = StandardScaler().fit_transform(X)
    if n <= len(X):
        rows = np.sort(rng.choice(len(X), n, replace=False))
        return X[rows], y[rows]
    rows = rng.integers(0, len(X), n)
    return X[rows] + rng.normal(scale=NOISE, size=(n, X.shape[1])), y[rows]


def measure(folder: Path, code: Path, name: str, n: int | None, seed: int) -> dict[str, object]:
    """Run the default in a process of its own, and k-means here."""
    X, y = draw(folder, name, n)
    k = len(np.unique(y))
    with tempfile.TemporaryDirectory() as place:
        np.save(f"{place}/X.npy", X)
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", RUN, f"{place}/X.npy", str(k), str(seed)],
            env=os.environ | {"PYTHONPATH": str(code / "src"), "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=True,
        )
    labels, seconds, extra, recipe, confidence = json.loads(done.stdout)
    theirs = KMeans(k, n_init=10, random_state=seed).fit_predict(X)
    return {
        "n": len(X),
        "ari": adjusted_rand_score(y, labels),
        "kmeans": adjusted_rand_score(y, theirs),
        "seconds": seconds,
        "extra": extra,
        "recipe": recipe,
        "confidence": confidence,
    }


def main() -> None:
    options = parser(__doc__, runs=1)
    options.add_argument("--code", type=Path, default=Path(), help="checkout to measure (.)")
    options = options.parse_args()
    store, code, rows = Store(options.out, "sizes"), options.code.resolve(), []
    cases = [(name, n) for name in SETS for n in SIZES] + [(name, None) for name in FULL]
    only = chosen([name for name, _ in cases], options.only)
    for name, n in cases:
        if name not in only:
            continue
        run = partial(measure, options.data, code, name, n, options.seed)
        one = store.get((str(options.code), name, n or "all", options.seed), run)
        figures = [f"{one['ari']:.3f}", f"{one['kmeans']:.3f}", f"{one['seconds']:.1f}"]
        size = f"{one['n']:,}" + ("" if n else " (all)")
        rows.append([name, size, *figures, f"{one['extra']:.0f}", one["recipe"]])
    columns = ["data", "objects", "ARI", "k-means", "CPU s", "extra MB", "recipe"]
    print(markdown(columns, rows))


if __name__ == "__main__":
    main()
