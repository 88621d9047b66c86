"""Positions of objects on the map."""

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import KDTree
from threadpoolctl import threadpool_limits

from consens._labels import in_a_cluster, unique_rows
from consens._validation import check_finite, check_matrix
from consens.ensemble import Ensemble
from consens.evidence import coassociation
from consens.measure import object_association

#: Number of objects embedded by t-SNE; the others are placed between their nearest landmarks.
LANDMARKS = 400
NEIGHBORS = 6
ITERATIONS = 500

FEW = 40  # up to this many objects are embedded by classical scaling alone

#: Random displacement as a share of the width, larger for objects with the same labels, but
#: bounded by the distance to other clusters.
JITTER = 0.004


class Layout(NamedTuple):
    """Positions of objects in the plane, with a description."""

    positions: np.ndarray
    text: str
    axes: tuple[str, str] | None = None


def lay_out(
    kind: Any,
    ensemble: Ensemble,
    objects: np.ndarray,
    X: Any,
    names: list[str] | None,
    clusters: np.ndarray,
) -> Layout:
    """Compute positions of some objects of an ensemble, given by ascending row numbers.

    `clusters` has the label of each object of the ensemble.

    The kind "auto" means the features if there are exactly two, principal components if there is
    a single cluster (in which t-SNE would suggest groups), and the ensemble otherwise.
    """
    if not isinstance(kind, str):
        given = check_matrix(kind, "a layout")
        if given.shape != (len(ensemble), 2):
            raise ValueError(
                f"a layout needs two coordinates for each of the {len(ensemble)} objects, got an "
                f"array of shape {given.shape}"
            )
        return Layout(given[objects], "Coordinates as given.")
    if X is not None:
        X = check_finite(X, "X")
        if X.shape[0] != len(ensemble):
            raise ValueError(f"X has {X.shape[0]} rows; expected {len(ensemble)}, one per object")
        if names is not None and len(names) != X.shape[1]:
            raise ValueError(f"got {len(names)} feature names for the {X.shape[1]} features of X")
    if kind == "auto":
        kind = "ensemble"
        if X is not None and (X.shape[1] == 2 or clusters.max(initial=-1) == 0):
            kind = "features" if X.shape[1] == 2 else "pca"
    if kind == "ensemble":
        text = "Objects that many clusterings put together are close to each other."
        return Layout(embed_ensemble(ensemble, objects, clusters), text)
    if kind not in ("features", "pca"):
        raise ValueError(
            f"layout={kind!r} is not known; expected 'auto', 'features', 'pca', 'ensemble' or an "
            "array with two columns"
        )
    if X is None:
        raise ValueError(f"layout={kind!r} needs the features: pass X")
    X = X.to_numpy() if hasattr(X, "to_numpy") else X
    values = X[objects]
    values = np.asarray(values.toarray() if hasattr(values, "toarray") else values, np.float64)
    if kind == "pca":
        positions, share = principal_plane(values)
        return Layout(positions, f"Principal components: {share:.0%} of the variance.")
    if values.shape[1] != 2:
        raise ValueError(f"layout='features' needs two features, got {values.shape[1]}")
    first, second = names or ("feature 0", "feature 1")
    return Layout(values, f"{second} against {first}.", (first, second))


def principal_plane(values: np.ndarray) -> tuple[np.ndarray, float]:
    """First two principal components of standardised features, and their share of variance."""
    spread = values.std(axis=0)
    scaled = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    left, singular, _ = np.linalg.svd(scaled, full_matrices=False)
    positions = np.zeros((len(values), 2))
    positions[:, : min(2, len(singular))] = left[:, :2] * singular[:2]
    total = float((singular**2).sum())
    return _oriented(positions), float((singular[:2] ** 2).sum()) / total if total > 0 else 1.0


def classical_scaling(distances: np.ndarray) -> np.ndarray:
    """Positions in the plane that approximate distances."""
    squares = distances**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    shown = np.maximum(values[::-1][:2], 0.0)
    positions = np.zeros((len(distances), 2))
    positions[:, : len(shown)] = vectors[:, ::-1][:, :2] * np.sqrt(shown)
    return _oriented(positions)


def embed_ensemble(ensemble: Ensemble, objects: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Embed objects in the plane by their co-association.

    About 400 landmarks, some of each cluster, are embedded by t-SNE (van der Maaten and Hinton,
    JMLR 2008) of 1 - co-association, which starts from classical scaling.  Every other object is
    placed at the weighted mean of the six landmarks of its cluster with which it is together most
    often.  Objects in no cluster of any member form a row at the bottom.

    O(n·M·400) time for n objects and M members; no n × n matrix.
    """
    rng = np.random.default_rng(0)
    labels = np.asarray(ensemble.labels)
    placed = in_a_cluster(labels[objects])
    inside = objects[placed]
    positions = np.zeros((len(objects), 2))
    if not len(inside):
        return positions
    landmarks = _landmarks(inside, clusters, rng)
    arranged = _arrange(1.0 - coassociation(Ensemble(labels[landmarks])))
    alone = np.full(len(ensemble), -1, dtype=np.int32)
    alone[landmarks] = np.arange(len(landmarks))
    for block in np.array_split(np.flatnonzero(placed), 1 + len(inside) // 4000):
        near = object_association(ensemble, alone, objects[block])
        near[clusters[objects[block], None] != clusters[landmarks]] = -1.0
        most = min(NEIGHBORS, near.shape[1])
        first = np.argpartition(-near, most - 1, axis=1)[:, :most]
        nearest = np.take_along_axis(near, first, axis=1)[:, :, None]
        weights = np.where(nearest < 0, 0.0, nearest**4 + 1e-12)
        positions[block] = (weights * arranged[first]).sum(axis=1) / weights.sum(axis=1)
    width = float(np.ptp(positions[placed], axis=0).max()) or 1.0
    same = unique_rows(labels[objects])
    positions[placed] = _spread_out(
        positions[placed],
        clusters[inside],
        (arranged, clusters[landmarks]),
        JITTER * width * np.sqrt(same.counts)[same.inverse][placed],
        rng,
    )
    low = positions[placed].min(axis=0)
    positions[~placed, 0] = low[0] + width * rng.random((~placed).sum())
    positions[~placed, 1] += (
        low[1] - 0.1 * width + JITTER * width * rng.normal(size=(~placed).sum())
    )
    return positions


def _landmarks(inside: np.ndarray, clusters: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw landmarks at random, and complete those of each cluster to six."""
    if len(inside) <= LANDMARKS:
        return inside
    order = inside[rng.permutation(len(inside))]
    drawn = order[:LANDMARKS]
    few = [order[clusters[order] == c][:NEIGHBORS] for c in np.unique(clusters[order])]
    return np.unique(np.concatenate([drawn, *few]))


def _spread_out(
    positions: np.ndarray,
    clusters: np.ndarray,
    landmarks: tuple[np.ndarray, np.ndarray],
    spread: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    """Displace objects at random, but never half the way to a landmark of another cluster.

    An object between landmarks of its cluster that is closer to one of another cluster, such as a
    mean over two islands, moves to the nearest landmark of its own first.
    """
    points, groups = landmarks
    positions, room = positions.copy(), np.full(len(positions), np.inf)
    for c in np.unique(clusters):
        own = np.flatnonzero(clusters == c)
        if (groups == c).all():
            continue
        mates, others = KDTree(points[groups == c]), KDTree(points[groups != c])
        distance, nearest = mates.query(positions[own])
        astray = distance > others.query(positions[own])[0]
        positions[own[astray]] = points[groups == c][nearest[astray]]
        room[own] = others.query(positions[own])[0]
    step = rng.normal(size=positions.shape) * np.minimum(spread, room / 6)[:, None]
    length = np.maximum(np.linalg.norm(step, axis=1), 1e-300)
    return positions + step * np.minimum(1.0, 0.4 * room / length)[:, None]


def _arrange(distances: np.ndarray) -> np.ndarray:
    """Embed a few hundred objects by t-SNE, with the principal axis from left to right."""
    from sklearn.manifold import TSNE

    distances = np.sqrt(np.maximum(distances, 0.0))
    start = classical_scaling(distances)
    spread = float(start[:, 0].std())
    if len(distances) <= FEW or spread < 1e-9:
        return start
    # Objects that start at the same point would never part, even those of different clusters.
    start = 1e-4 / spread * start + np.random.default_rng(0).normal(0.0, 1e-5, start.shape)
    # One thread, because the sums of scikit-learn's gradient depend on the number of threads.
    with threadpool_limits(1):
        found = TSNE(
            perplexity=min(30.0, len(distances) / 4),
            init=start.astype(np.float32),
            metric="precomputed",
            max_iter=ITERATIONS,
        ).fit_transform(distances)
    return _oriented(found @ np.linalg.svd(found, full_matrices=False)[2].T)


def _oriented(positions: np.ndarray) -> np.ndarray:
    """Fix the signs of both axes by their largest coordinates, so that maps are reproducible."""
    largest = positions[np.abs(positions).argmax(axis=0), [0, 1]]
    return positions * np.where(largest < 0, -1.0, 1.0)
