"""What methods answer on the sets with classes, kept run by run so that a study can go on."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.mixture import GaussianMixture

from consens import ConsensusClustering
from studies._data import MissingData
from studies._run import say
from studies._split import features

MAX_OBJECTS = 600
DEFAULT = "default"
SUBSAMPLE = "default, 90 %"
OUTSIDE = -1  # label of an object that a subsample left out


def _default(X: np.ndarray, k: int, seed: int) -> Any:
    return ConsensusClustering(k, random_state=seed).fit_predict(X)


def _subsample(X: np.ndarray, k: int, seed: int) -> Any:
    """The default on nine tenths of the objects, with other members, too."""
    rows = np.random.default_rng(seed).choice(len(X), round(0.9 * len(X)), replace=False)
    labels = np.full(len(X), OUTSIDE)
    labels[rows] = ConsensusClustering(k, random_state=seed).fit_predict(X[rows])
    return labels


def _of(make: Callable[[int, int], Any]) -> Callable[[np.ndarray, int, int], Any]:
    return lambda X, k, seed: make(k, seed).fit_predict(X)


METHODS: dict[str, Callable[[np.ndarray, int, int], Any]] = {
    DEFAULT: _default,
    "k-means": _of(lambda k, seed: KMeans(k, n_init=10, random_state=seed)),
    "Ward": _of(lambda k, seed: AgglomerativeClustering(k)),
    "Gaussian mixture": _of(
        lambda k, seed: GaussianMixture(k, reg_covar=1e-3, n_init=3, random_state=seed)
    ),
    "spectral": _of(
        lambda k, seed: SpectralClustering(
            k, affinity="nearest_neighbors", assign_labels="cluster_qr", random_state=seed
        )
    ),
    "HDBSCAN": _of(lambda k, seed: HDBSCAN(copy=True)),
}


class Answers:
    """Labels by set, method and seed: taken from a file where they are there, else made.

    Of a set with more than 600 objects all seeds see the same sample.
    """

    def __init__(self, folder: Path, store: Path | None) -> None:
        self.folder = folder
        self.file = None if store is None else store / "answers.jsonl"
        self.known: dict[tuple[str, str, int], Any] = {}
        if self.file is not None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            if self.file.exists():
                for line in self.file.read_text(encoding="utf-8").splitlines():
                    one = json.loads(line)
                    self.known[one["set"], one["method"], one["seed"]] = one

    def get(self, name: str, method: str, seed: int) -> dict[str, Any]:
        """Labels of one run."""
        if (name, method, seed) not in self.known:
            X, y = features(self.folder, name, MAX_OBJECTS)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # parts of a graph, empty clusters
                answer = _subsample if method == SUBSAMPLE else METHODS[method]
                labels = answer(X, len(np.unique(y)), seed)
            one = {"set": name, "method": method, "seed": seed, "labels": labels.tolist()}
            self.known[name, method, seed] = one
            if self.file is not None:
                with self.file.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(one) + "\n")
            say(f"{name}, {method}, seed {seed}")
        return self.known[name, method, seed]

    def available(self, names: Iterable[str]) -> dict[str, np.ndarray]:
        """Classes of the sets that the folder holds."""
        found = {}
        for name in names:
            try:
                found[name] = features(self.folder, name, MAX_OBJECTS)[1]
            except MissingData as missing:
                say(str(missing))
        return found
