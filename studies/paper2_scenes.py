"""Scenes of Fred and Jain 2005: numbers of Figs. 1 to 6 and 12, and the partitions they show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

from consens.consensus import EAC
from consens.evidence import coassociation
from consens.generate import KMeansEnsemble
from consens.measure import error_rate, nmi
from consens.partition import lifetimes
from studies import _single
from studies._cells import Setting
from studies._data import DataSet
from studies.paper2 import DATA, MANY_PARTITIONS, RANDOM, ensemble_of

# panel of Fig. 1: link, threshold or None, number of clusters (printed in the caption)
FIGURE_1: dict[str, tuple[str, float | None, int]] = {
    "(c) SL, threshold 0.55": ("single", 0.55, 27),
    "(d) SL, k = 8": ("single", None, 8),
    "(e) CL, threshold 2.6": ("complete", 2.6, 22),
    "(f) CL, k = 8": ("complete", None, 8),
}
FIGURE_1_KMEANS = "(b) k-means, k = 8"
FIGURE_2_RUNS = (25, 11)
FIGURE_3 = {2: 0.18, 3: 0.36, 4: 0.14, 5: 0.02}
FIGURE_3_PARTITIONS, FIGURE_3_K = 30, (10, 30)
FIGURE_5 = (2, 3, 4, 5, 10, 15, 20, 50)
FIGURE_4 = FIGURE_5[:5]
FIGURE_6 = {"Random 5-D": [300], "Half-rings": [100, 300], "3-Rings": [200, 200, 50]}


def read(name: str, folder: Path, seed: int) -> DataSet:
    return DATA.get(name, RANDOM).read(folder, seed)


def partitions_1(data: DataSet, seed: int) -> dict[str, np.ndarray]:
    """Partitions of the complex image, by panel of Fig. 1."""
    found = {FIGURE_1_KMEANS: ensemble_of(data, 8, seed, 1).labels[:, 0]}
    for panel, (method, threshold, k) in FIGURE_1.items():
        if threshold is None:
            found[panel] = _single.link(data.X, k, method)
        else:
            tree = hierarchy.linkage(data.X, method)
            found[panel] = hierarchy.fcluster(tree, threshold, "distance")
    return found


def figure_1(given: Setting) -> dict[str, list[float]]:
    """Number of clusters and error in %, by panel."""
    data = read("Complex image", given.data, given.seed)
    return {
        panel: [float(len(np.unique(labels))), 100 * error_rate(data.y, labels)]
        for panel, labels in partitions_1(data, given.seed).items()
    }


def ring_bar_gaussian(seed: int) -> DataSet:
    """A ring of 200 points around a bar of 50 and a Gaussian of 150 (our shapes; Fig. 2a)."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, 200)
    ring = rng.normal(4, 0.15, 200)[:, None] * np.c_[np.cos(angle), np.sin(angle)]
    bar = np.c_[rng.uniform(-1.5, 1.5, 50), rng.uniform(1.6, 2.0, 50)]
    cloud = rng.normal((0, -0.6), 0.5, (150, 2))
    return DataSet(np.vstack([ring, bar, cloud]), np.repeat([0, 1, 2], [200, 50, 150]))


def similarities_2(data: DataSet, seed: int) -> dict[str, np.ndarray]:
    """Similarities of the objects, by panel of Fig. 2."""
    distances = squareform(pdist(data.X))
    ensembles = {f"k = {k}": ensemble_of(data, k, seed, 1) for k in FIGURE_2_RUNS}
    whole = f"{FIGURE_3_PARTITIONS} partitions"
    ensembles[whole] = ensemble_of(data, FIGURE_3_K, seed, FIGURE_3_PARTITIONS)
    return {
        "(d) Euclidean similarity": 1 - distances / distances.max(),
        **{
            f"({panel}) co-association, {name}": np.asarray(coassociation(ensemble))
            for panel, (name, ensemble) in zip("efg", ensembles.items(), strict=True)
        },
    }


def figure_2(given: Setting) -> dict[str, list[float]]:
    """Mean similarity of pairs within and between the classes, by panel."""
    data = ring_bar_gaussian(given.seed)
    rows, columns = np.triu_indices(len(data.y), 1)
    same = data.y[rows] == data.y[columns]
    pairs = {p: m[rows, columns] for p, m in similarities_2(data, given.seed).items()}
    return {p: [float(own[same].mean()), float(own[~same].mean())] for p, own in pairs.items()}


def eac_3(data: DataSet, run: int) -> EAC:
    """Evidence accumulation of Figs. 2 and 3, number of clusters by lifetime."""
    ensemble = ensemble_of(data, FIGURE_3_K, run, FIGURE_3_PARTITIONS)
    return EAC(linkage="single").fit(ensemble)


def figure_3(run: int) -> dict[str, float]:
    """Lifetimes of two to five clusters."""
    fitted = eac_3(ring_bar_gaussian(run), run)
    lives = lifetimes(fitted.linkage_)
    found = {f"lifetime of {k} clusters": float(lives[k - 1]) for k in FIGURE_3}
    return {**found, "clusters": float(fitted.n_clusters_)}


def partitions_4(data: DataSet, seed: int) -> dict[int, np.ndarray]:
    """Plausible partitions of the cigars, by number of clusters: the dense ones, and the rest."""
    dense = np.argsort([np.var(data.X[data.y == c], axis=0).sum() for c in range(4)])[:2]
    sparse = ~np.isin(data.y, dense)
    partitions = {}
    for k in FIGURE_5:
        labels = np.where(data.y == dense[0], 0, np.where(data.y == dense[1], 1, 2))
        if k == 2:
            labels = np.minimum(labels, 1)
        elif k == 4:
            labels = data.y
        elif k > 3:
            made = KMeansEnsemble(1, n_clusters=k - 2, random_state=seed).fit_transform(
                data.X[sparse]
            )
            labels[sparse] = 2 + made.labels[:, 0]
        partitions[k] = labels
    return partitions


def figure_4(given: Setting) -> dict[str, list[int]]:
    """Sizes of the clusters of the first five partitions."""
    partitions = partitions_4(read("Cigar", given.data, given.seed), given.seed)
    sizes = {k: np.unique(partitions[k], return_counts=True)[1] for k in FIGURE_4}
    return {str(k): sorted(own.tolist(), reverse=True) for k, own in sizes.items()}


def figure_5(given: Setting) -> dict[str, list[float]]:
    """NMI of plausible partitions of the cigars with three ensembles, by number of clusters."""
    data = read("Cigar", given.data, given.seed)
    partitions = partitions_4(data, given.seed)
    ensembles = {"k = 10": 10, "k = 20": 20, "k in [4, 20]": (4, 20)}
    return {
        name: [
            float(np.mean([nmi(labels, m, "arithmetic") for m in ensemble.labels.T]))
            for labels in partitions.values()
        ]
        for name, k in ensembles.items()
        for ensemble in [ensemble_of(data, k, given.seed)]
    }


def figure_6(given: Setting) -> dict[str, list[int]]:
    """Sizes of the classes."""
    classes = {name: read(name, given.data, given.seed).y for name in FIGURE_6}
    return {name: np.unique(y, return_counts=True)[1].tolist() for name, y in classes.items()}


def eac_12(data: DataSet, run: int) -> EAC:
    """Evidence accumulation of the complex image, number of clusters by lifetime."""
    return EAC(linkage="single").fit(ensemble_of(data, (20, 40), run, MANY_PARTITIONS))


def figure_12(given: Setting, run: int) -> dict[str, float]:
    """Complex image: number of clusters by lifetime, and the error (majority)."""
    data = read("Complex image", given.data, given.seed)
    found = eac_12(data, run)
    return {
        "clusters": float(found.n_clusters_),
        "error": 100 * error_rate(data.y, found.labels_, "majority"),
    }
