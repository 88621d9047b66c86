"""Relative coordinates: probability of each cluster of each member for an object.

If members keep their centres, an object has a distance to every cluster in addition to its labels.
The methods of Domeniconi and Al-Razgan (2009) use these distances.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from consens._blocks import collect_rows, fixed, map_rows, row_blocks, sum_rows
from consens._labels import MISSING, cluster_sizes
from consens._numerics.distances import unit_rows, weighted_squares
from consens._support.memory import require_memory
from consens.ensemble import Ensemble

MIN_SHARE = 0.05  # a cluster with less than this part of an even share is degenerate

HOW_TO_GET = (
    "make the ensemble with consens.generate.LACEnsemble, which keeps the centres and weights of "
    "every member and the data; or add soft 'memberships' (objects by clusters) to the payload of "
    "each member"
)


def relative_coordinates(ensemble: Ensemble, smoothing: float | str = "auto") -> list[Any]:
    """Estimate P(C | x) for the clusters of each member from the distances to their centres.

    With d_il the distance of object i from centre l, weighted by the weights of cluster l, and
    D_i = max_l d_il,

        P(C_l | x_i) = (D_i - d_il + s) / (k D_i + k s - Σ_l d_il)          (Eq. 6)

    The payload of each member holds ``features``, ``centers`` and perhaps ``weights``; or
    ``memberships``, which are returned unchanged.  s is 1 in the paper; "auto" is the mean
    distance between the centres of the member.  Rows of objects in no cluster are 0.
    """
    coordinates = []
    for m, entries in enumerate(ensemble.payload):
        if "memberships" not in entries:
            entries = require_payload(ensemble, m, "centers", "features")
        own = _of_member(entries, m, len(ensemble), smoothing)

        def zero_outside(labels: np.ndarray, own: np.ndarray, m: int = m) -> np.ndarray:
            outside = labels[:, m] < 0
            return np.where(outside[:, None], 0.0, own) if outside.any() else own

        coordinates.append(map_rows(zero_outside, ensemble.labels, own, width=own.shape[1]))
    return coordinates


class SoftBipartite:
    """Bipartite graph of objects and clusters with the relative coordinates as weights (Eq. 11).

    Coordinates are rounded to multiples of 2^-20 of the largest, so that products and sums are
    exact and do not depend on the order of the objects.
    """

    def __init__(self, coordinates: list[Any], largest: float | None = None) -> None:
        self.coordinates = coordinates
        self.shape = len(coordinates[0]), sum(own.shape[1] for own in coordinates)
        if largest is None:
            found = (collect_rows(np.max, own, bytes_per_row=8) for own in coordinates)
            largest = max(float(block) for blocks in found for block in blocks)
        exponent = int(np.frexp(max(largest, np.finfo(float).tiny))[1])
        self.bits = min(20, (62 - self.shape[0].bit_length()) // 2) - exponent
        self.size = self.bits + exponent  # number of bits of a coordinate

    def __matmul__(self, columns: np.ndarray) -> Any:
        """A @ columns."""
        largest = float(np.abs(columns).max(initial=np.finfo(float).tiny))
        room = 52 - self.size - self.shape[1].bit_length()
        bits = room - int(np.frexp(largest)[1])
        units = fixed(columns, bits)

        def product(*parts: np.ndarray) -> np.ndarray:
            return np.ldexp(fixed(np.hstack(parts), self.bits) @ units, -self.bits - bits)

        width = 24 * self.shape[1]
        return map_rows(product, *self.coordinates, bytes_per_row=width, width=columns.shape[1])

    def gram(self) -> csr_array:
        """A' D^-1 A with D the row sums of A."""

        def products(*parts: np.ndarray) -> np.ndarray:
            units = fixed(np.hstack(parts), self.bits)
            degrees = units.sum(axis=1, keepdims=True)
            # at most 1, because a coordinate is at most the sum of all
            rows = fixed(units / np.sqrt(np.maximum(degrees, 1) * 2.0**self.size), self.size)
            total = np.zeros((rows.shape[1],) * 2, dtype=np.int64)
            for start in range(0, len(rows), 2**12):
                part = rows[start : start + 2**12]  # 2^12 products of at most 2^40 are exact
                total += (part.T @ part).astype(np.int64)
            return total

        total = sum_rows(products, *self.coordinates, bytes_per_row=24 * self.shape[1])
        return csr_array(np.ldexp(total.astype(np.float64), -self.bits - self.size))


def unit_coordinates(ensemble: Ensemble, smoothing: float | str = "auto") -> np.ndarray:
    """Relative coordinates of all members, scaled to length 1 per member: Ψ = Q Q' / M."""
    return np.hstack([unit_rows(own) for own in relative_coordinates(ensemble, smoothing)])


def weighted_coassociation(
    ensemble: Ensemble, similarity: str = "cosine", smoothing: float | str = "auto"
) -> np.ndarray:
    """Mean similarity Ψ of the relative coordinates of two objects (Eq. 10).

    The similarity "cosine" is that of the angle between P_i and P_j (Eq. 8), "kl" is 1 - d_ij /
    max d with d the symmetric Kullback-Leibler divergence in bits (Eq. 9).  The mean runs over the
    members that saw both objects; an object that is noise in a member has similarity 0 there.
    """
    coordinates = relative_coordinates(ensemble, smoothing)
    labels = ensemble.matrix
    n, n_members = labels.shape
    require_memory(
        8.0 * n * n,
        f"the {n} x {n} matrix of similarities",
        "use a partitioner that does not need it (WSPA with 'spectral'), or WBPA",
    )
    result = np.zeros((n, n))
    if similarity == "cosine":
        factor = np.hstack([unit_rows(own) for own in coordinates])
        for block in row_blocks(n, bytes_per_row=16 * n):
            result[block] += factor[block] @ factor.T
    else:
        for own, column in zip(coordinates, labels.T, strict=True):
            _add_divergences(result, own, np.flatnonzero(column >= 0))
        _symmetrise(result)
    seen = (labels != MISSING).astype(np.float64)
    if seen.all():
        result /= n_members
    else:
        for block in row_blocks(n, bytes_per_row=16 * n):
            counts = seen[block] @ seen.T
            np.divide(result[block], counts, out=result[block], where=counts > 0)
    np.fill_diagonal(result, 1.0)
    return np.minimum(result, 1.0, out=result)


def _symmetrise(matrix: np.ndarray) -> None:
    """Average a matrix with its transpose, in place: rounding makes 0 here and 1e-16 there."""
    for block in row_blocks(len(matrix), bytes_per_row=24 * len(matrix)):
        rest = slice(block.start, None)
        mean = (matrix[block, rest] + matrix[rest, block].T) / 2
        matrix[block, rest] = mean
        matrix[rest, block] = mean.T


def require_payload(ensemble: Ensemble, m: int, *names: str) -> Mapping[str, Any]:
    """Return the payload of member m, or raise an error if it lacks one of the named entries."""
    entries = ensemble.payload[m]
    missing = [name for name in names if name not in entries]
    if missing:
        raise ValueError(
            f"member {m} holds no {' and no '.join(missing)} in its payload: {HOW_TO_GET}"
        )
    return entries


def weighted_centers(entries: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Centres and feature weights of a member; weights are equal by default."""
    centers = np.asarray(entries["centers"], dtype=np.float64)
    weights = entries.get("weights")
    if weights is None:
        weights = np.full(centers.shape, 1 / centers.shape[1])
    return centers, np.asarray(weights, dtype=np.float64)


def _of_member(entries: Mapping[str, Any], m: int, n: int, smoothing: float | str) -> Any:
    if "memberships" in entries:
        soft = entries["memberships"]

        def valid(rows: np.ndarray) -> bool:
            return bool(np.isfinite(rows).all() and (rows >= 0).all())

        if np.ndim(soft) != 2 or len(soft) != n or not all(collect_rows(valid, soft)):
            raise ValueError(
                f"the memberships of member {m} have shape {np.shape(soft)}; expected one row of "
                f"finite numbers >= 0 for each of {n} objects"
            )
        return map_rows(partial(np.asarray, dtype=np.float64), soft, width=soft.shape[1])
    features, (centers, weights) = entries["features"], weighted_centers(entries)
    k, d = centers.shape
    if smoothing == "auto":  # the mean distance between two centres; 1 if all coincide
        total = float(np.sqrt(weighted_squares(centers, centers, weights)).sum())
        s = total / (k * (k - 1)) if total else 1.0
    else:
        s = float(smoothing)

    def posterior(rows: Any) -> np.ndarray:
        """Eq. 6; its denominator is the sum of its numerators."""
        distances = np.sqrt(weighted_squares(rows, centers, weights))
        nearness = distances.max(axis=1, keepdims=True) - distances + s
        return nearness / nearness.sum(axis=1, keepdims=True)

    return map_rows(posterior, features, bytes_per_row=32 * (k + d), width=k)


def informed_members(ensemble: Ensemble) -> np.ndarray:
    """Indices of the members without a degenerate cluster (see `WBPA`), or of all members."""
    sizes = np.split(cluster_sizes(ensemble.labels), np.cumsum(ensemble.n_clusters)[:-1])
    informed = np.ones(ensemble.shape[1], dtype=bool)
    for m, (entries, own) in enumerate(zip(ensemble.payload, sizes, strict=True)):
        if "weights" in entries and "memberships" not in entries:
            weights = weighted_centers(entries)[1]
            enough = own.min() >= MIN_SHARE * own.sum() / len(weights)
            uniform = (np.ptp(weights, axis=1) <= 1e-12).any()
            informed[m] = enough and len(own) == len(weights) and not uniform
    return np.flatnonzero(informed if informed.any() else ~informed)


def _add_divergences(result: np.ndarray, coordinates: np.ndarray, rows: np.ndarray) -> None:
    """Add 1 - d / max d of one member, for the objects that it put in a cluster.

    Eq. 9 is d_ij = ½ Σ_l (p_l - q_l) (log p_l - log q_l) for p = P_i and q = P_j, which equals
    ½ (p·log p + q·log q - p·log q - q·log p).
    """
    P = coordinates[rows]
    if (P <= 0).any():
        raise ValueError(
            "similarity='kl' needs memberships > 0, because the divergence from a membership of "
            "0 is infinite; use similarity='cosine'"
        )
    logs = np.log2(P)
    negentropy = (P * logs).sum(axis=1)

    def divergences(block: slice) -> np.ndarray:
        result = np.hstack([P[block], logs[block]]) @ np.vstack([logs.T, P.T])
        np.subtract(negentropy, result, out=result)
        result += negentropy[block, None]
        result /= 2
        return np.maximum(result, 0.0, out=result)

    blocks = list(row_blocks(len(rows), bytes_per_row=40 * len(rows)))
    largest = max((float(divergences(block).max()) for block in blocks), default=0.0)
    for block in blocks:
        similar: Any = 1.0
        if largest > 1e-12:  # else all coordinates are equal up to rounding
            similar = divergences(block)
            similar /= -largest
            similar += 1.0
        if len(rows) == len(result):
            result[block] += similar
        else:
            result[np.ix_(rows[block], rows)] += similar
