"""One method on draws of several cases, in a process of its own.

Reads a description of the work as JSON from standard input and writes one line of JSON per case
that it begins and per draw that it finishes.  The system ends the process when a run takes more
CPU time than it may.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import re
import resource
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from consens import consensus
from consens._labels import contingency
from consens.generate import KMeansEnsemble
from consens.measure import ari, nmi

#: Methods with other parameters than the default ones.
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "CSPA (spectral)": ("CSPA", {"partitioner": "spectral"}),
    "EAC": ("EAC", {}),
    "ECPCS (meta)": ("ECPCS", {"form": "meta"}),
    "EAC (single)": ("EAC", {"linkage": "single"}),
}
#: They need more than labels.
LEFT_OUT = ("WBPA", "WSBPA", "WSPA")


def names() -> list[str]:
    """Methods of the library, and variants of them."""
    own = [name for name in consensus.METHODS if name not in (*LEFT_OUT, *VARIANTS)]
    return sorted([*own, *VARIANTS], key=str.lower)


def make(name: str, n_clusters: int, seed: int) -> Any:
    """A method by its name, the name of a variant, or ``module:Class``."""
    if ":" in name:
        module, _, public = name.partition(":")
        kind, given = getattr(import_module(module), public), {}
    else:
        public, given = VARIANTS.get(name, (name, {}))
        kind = getattr(consensus, public)
    seeded = "random_state" in inspect.signature(kind).parameters
    return kind(n_clusters, **given, **({"random_state": seed} if seeded else {}))


def read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Columns and classes of a table, or of a MATLAB file with ``members`` and ``gt``."""
    if path.suffix == ".mat":
        from scipy.io import loadmat

        content = loadmat(path)
        return content["members"], pd.factorize(content["gt"].ravel())[0]
    table = pd.read_parquet(path)
    return table.drop(columns="label").to_numpy(), pd.factorize(table["label"])[0]


def members(table: np.ndarray, pool: bool, n_members: int, seed: int) -> np.ndarray:
    """A draw from the members of a pool, or k-means members of standardised features."""
    rng = np.random.default_rng(seed)
    if pool:
        return table[:, rng.choice(table.shape[1], n_members, replace=False)].astype(np.int64)
    X = np.asarray(table, dtype=np.float64)
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return np.asarray(KMeansEnsemble(n_members, random_state=seed).fit_transform(X))


def f_measure(labels: np.ndarray, classes: np.ndarray) -> float:
    """F-measure of the pairs of objects that are together."""
    table = contingency(labels, classes).toarray().astype(np.float64)

    def pairs(counts: np.ndarray) -> float:
        return float((counts * (counts - 1)).sum())

    return 2 * pairs(table) / (pairs(table.sum(axis=0)) + pairs(table.sum(axis=1)))


def drawn(work: dict[str, Any], case: dict[str, Any], table: np.ndarray, seed: int) -> np.ndarray:
    """The members of a draw, made once for all methods."""
    kept = Path(work["folder"]) / f"{case['name']}_{work['members']}_{seed}.npy"
    if not kept.exists():
        own = kept.with_suffix(f".{os.getpid()}.npy")
        np.save(own, members(table, case["pool"], work["members"], seed))
        own.replace(kept)
    return np.asarray(np.load(kept))


def forget_peak() -> float:
    """Let the peak of memory begin again at what is in use now; its megabytes."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return peak()


def peak() -> float:
    """Largest memory of this process, in megabytes."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return int(re.findall(r"VmHWM:\s+(\d+)", status.read_text(encoding="ascii"))[0]) / 1024


def allow(seconds: int) -> None:
    """End the process when it takes more CPU time than this from now on."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = int(used.ru_utime + used.ru_stime) + seconds + 1
    resource.setrlimit(resource.RLIMIT_CPU, (until, resource.RLIM_INFINITY))


def main() -> None:
    work = json.load(sys.stdin)
    for case in work["cases"]:
        write(case["name"], "begun", None)
        table, classes = read(Path(case["file"]))
        k = len(np.unique(classes))
        for draw in case["draws"]:
            seed = work["seed"] + draw
            labels = drawn(work, case, table, seed)
            order = np.random.default_rng(seed).permutation(len(labels))
            labels, y = labels[order], classes[order]
            if draw == case["draws"][0]:  # compilation is not counted
                make(work["method"], 2, 0).fit(labels[:300])
            before = forget_peak()
            allow(work["cpu"])
            began = time.process_time()
            found = np.asarray(make(work["method"], k, seed).fit_predict(labels))
            cpu = time.process_time() - began
            used = max(0.0, peak() - before)
            resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY,) * 2)
            quality = {"nmi": nmi(found, y), "ari": ari(found, y), "f": f_measure(found, y)}
            write(case["name"], draw, quality | {"cpu": cpu, "mb": used})


def write(*line: Any) -> None:
    """One line of JSON."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
