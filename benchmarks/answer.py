"""The default answer by size: time and memory, and its quality beside k-means.

    python -m benchmarks.answer [sizes overlap margin choice recipes shell sc3s] [--json FILE]

Sizes: overlapping Gaussian clusters; k-means of scikit-learn with ten starts, and 50 runs of it
with one start, are the references.  Overlap: the mean lead over k-means on drawn mixtures of 2 to
20 clusters in 2 to 30 features; margin: on ten equal ones, as in tests/test_engine.py.  Choice:
with and without a given number of clusters.  Recipes: one kind of member by name.  Shell: a
million rows from a Parquet file to a folder of results, in a process of its own.  sc3s, a
consensus of k-means runs for single cells, needs an older NumPy: it runs in the environment that
CONSENS_SC3S names (the path of its Python).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from benchmarks._harness import MB, Bench, main
from consens import ConsensusClustering
from consens.measure import ari

#: Objects, features, clusters and their standard deviation.
SIZES = [
    (178, 13, 3, 5.0),
    (569, 20, 4, 5.0),
    (2_000, 20, 8, 5.0),
    (10_000, 20, 8, 5.0),
    (100_000, 10, 10, 4.0),
]
CPU_SECONDS = {178: 0.6, 569: 1.5, 2_000: 2.0, 10_000: 3.0, 100_000: 6.0}
N_RUNS = 50


def blobs(n: int, d: int, k: int, std: float) -> tuple[np.ndarray, np.ndarray, int]:
    X, y = make_blobs(n, n_features=d, centers=k, cluster_std=std, random_state=0)
    return X, y, k


def default(given: Any) -> dict[str, Any]:
    X, y, k = given
    model = ConsensusClustering(k, random_state=0).fit(X)
    return {
        "ari": round(ari(y, model.labels_), 3),
        "recipe": model.recipe_,
        "agreement": round(float(model.agreement_), 3),
    }


def with_choice(given: Any) -> dict[str, Any]:
    X, _, _ = given
    return {"k": ConsensusClustering(random_state=0).fit(X).n_clusters_}


def kmeans(given: Any) -> dict[str, Any]:
    X, y, k = given
    return {"ari": round(ari(y, KMeans(k, n_init=10, random_state=0).fit_predict(X)), 3)}


def many_kmeans(given: Any) -> None:
    X, _, k = given
    for seed in range(N_RUNS):
        KMeans(k, n_init=1, random_state=seed).fit(X)


def one_recipe(given: Any) -> dict[str, Any]:
    X, y, k = given
    return {
        "ari": round(
            ari(y, ConsensusClustering(k, recipe="kmeans", random_state=0).fit(X).labels_), 3
        )
    }


#: Objects of drawn mixtures, and how many are drawn.
OVERLAP = {500: 40, 2_000: 20, 20_000: 20, 200_000: 5, 1_000_000: 2}


def mixture(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Overlapping Gaussian clusters of unequal size and, every other time, unequal extent."""
    rng = np.random.default_rng(seed)
    k, d = int(rng.integers(2, 21)), int(rng.integers(2, 31))
    centers = rng.normal(size=(k, d))
    extent = rng.uniform(0.25, 0.6) * np.sqrt(2 * d) / (2.2 if d > 3 else 4.4)
    y = rng.choice(k, n, p=rng.dirichlet(np.full(k, 8.0)))
    extents = extent * (np.exp(rng.normal(0, 0.3, k)) if seed % 2 else np.ones(k))
    return centers[y] + rng.normal(size=(n, d)) * extents[y, None], y, k


def first_seed(n: int, seed: int) -> tuple[int, int]:
    return n, seed


def leads(given: tuple[int, int]) -> dict[str, Any]:
    n, first = given
    return summary([mixture(n, seed) for seed in range(first, first + OVERLAP[n])])


def blob_leads(given: tuple[int, int]) -> dict[str, Any]:
    n, first = given
    made = [
        make_blobs(n, n_features=10, centers=10, cluster_std=4, random_state=seed)
        for seed in range(first, first + 20)
    ]
    return summary([(X, y, 10) for X, y in made])


def summary(cases: list[tuple[np.ndarray, np.ndarray, int]]) -> dict[str, Any]:
    """Mean lead over k-means, its deviation and standard error, and the worst case."""
    found = [default(one)["ari"] - kmeans(one)["ari"] for one in cases]
    deviation = float(np.std(found, ddof=1))
    return {
        "mean": round(float(np.mean(found)), 4),
        "deviation": round(deviation, 4),
        "error": round(deviation / len(found) ** 0.5, 4),
        "worst": round(float(np.min(found)), 4),
    }


def overlap(bench: Bench) -> None:
    for n in OVERLAP:
        ours = bench.measure("lead over k-means", first_seed, leads, n=n, seed=2000)
        bench.compare(f"mean of {ours}", ours.figures["mean"], at_least=-0.01)


def margin(bench: Bench) -> None:
    for n in (300, 2_000, 12_000):
        ours = bench.measure("lead over k-means, ten blobs", first_seed, blob_leads, n=n, seed=100)
        bench.compare(f"mean of {ours}", ours.figures["mean"], at_least=-0.01)


def sizes(bench: Bench) -> None:
    for n, d, k, std in SIZES:
        case = {"n": n, "d": d, "k": k, "std": std}
        ours = bench.measure("default", blobs, default, warm=case, **case)
        theirs = bench.measure("KMeans(n_init=10)", blobs, kmeans, warm=case | {"n": 500}, **case)
        runs = bench.measure("50 k-means", blobs, many_kmeans, warm=case | {"n": 500}, **case)
        bench.compare(f"CPU s of {ours}", ours.cpu_seconds, at_most=CPU_SECONDS[n])
        bench.ratio(theirs, ours, at_least=0)
        bench.ratio(runs, ours, at_least=0)
        if not ours.error and not theirs.error:
            ahead = ours.figures["ari"] - theirs.figures["ari"]
            bench.compare(f"ARI of {ours} minus k-means", ahead, at_least=-0.01)


def choice(bench: Bench) -> None:
    for n, d, k, std in SIZES[:4]:
        case = {"n": n, "d": d, "k": k, "std": std}
        given = bench.measure("k given", blobs, default, warm=case, **case)
        chosen = bench.measure("k chosen", blobs, with_choice, warm=case, **case)
        times = chosen.cpu_seconds / given.cpu_seconds
        bench.compare(f"CPU of {chosen} / k given", times, at_most=2)


def recipes(bench: Bench) -> None:
    for n, d, k, std in SIZES[2:]:
        case = {"n": n, "d": d, "k": k, "std": std}
        bench.measure("recipe kmeans", blobs, one_recipe, warm=case, **case)


def shell(bench: Bench) -> None:
    import pandas as pd

    n, d = 1_000_000, 10
    with tempfile.TemporaryDirectory() as folder:
        X, _, k = blobs(n, d, 10, 4.0)
        pd.DataFrame(X, columns=[f"f{i}" for i in range(d)]).to_parquet(f"{folder}/X.parquet")
        del X
        script = (
            "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
            "u = resource.getrusage(resource.RUSAGE_CHILDREN);"
            "print(u.ru_utime + u.ru_stime, u.ru_maxrss)"
        )
        command = [sys.executable, "-m", "consens", "cluster", "X.parquet", "-k", str(k)]
        command += ["--out", "out", "--quiet"]
        done = subprocess.run(
            [sys.executable, "-c", script, *command],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
        seconds, kilobytes = map(float, done.stdout.split()[-2:])
    bench.compare("CPU s of consens cluster, 1,000,000 x 10", seconds, at_most=25)
    bench.compare("peak MB of consens cluster, 1,000,000 x 10", kilobytes * 1024 / MB, at_most=900)


SC3S = """
import json, sys, time, numpy as np, anndata, sc3s
X, k = np.load(sys.argv[1]), int(sys.argv[2])
cells = anndata.AnnData(X.astype(np.float32)); cells.obsm["X_pca"] = X.astype(np.float32)
start = time.process_time()
sc3s.tl.consensus(cells, n_clusters=[k], random_state=0)
took = time.process_time() - start
print(json.dumps([took, np.asarray(cells.obs[f"sc3s_{k}"]).astype(int).tolist()]))
"""


def sc3s(bench: Bench) -> None:
    python = os.environ.get("CONSENS_SC3S")
    if not python:
        warnings.warn("CONSENS_SC3S names no Python with sc3s: left out", stacklevel=2)
        return
    for n, most in ((2_000, 5), (10_000, 8), (100_000, 2)):
        case = {"n": n, "d": 10, "k": 10, "std": 4.0}
        ours = bench.measure("default", blobs, default, warm=case, **case)
        X, y, k = blobs(**case)
        with tempfile.TemporaryDirectory() as folder:
            np.save(Path(folder) / "X.npy", X)
            done = subprocess.run(
                [python, "-c", SC3S, f"{folder}/X.npy", str(k)],
                capture_output=True,
                text=True,
                check=True,
            )
        seconds, labels = json.loads(done.stdout.splitlines()[-1])
        bench.compare(f"CPU s of {ours} / sc3s", ours.cpu_seconds / seconds, at_most=most)
        ahead = ours.figures["ari"] - ari(y, np.array(labels))
        bench.compare(f"ARI of {ours} minus sc3s", ahead, at_least=0)


if __name__ == "__main__":
    main(__doc__, sizes, overlap, margin, choice, recipes, shell, sc3s)
