"""Co-association in which different but similar clusters count, too."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from consens._blocks import row_blocks
from consens._labels import offsets
from consens._labels.pairs import PairCounts
from consens._support.memory import require_memory
from consens.ensemble import Ensemble
from consens.evidence.coassociation import INSTEAD


def related_coassociation(ensemble: Any, similarity: np.ndarray) -> np.ndarray:
    """Mean similarity of the clusters of two objects, over the partitions that saw both.

    With c_m(i) the cluster of object i in partition m and Z the similarity of clusters, entry
    (i, j) is 1/M Σ_m Z[c_m(i), c_m(j)].  The identity as Z gives the co-association.

    Clusters are concatenated over the partitions; only pairs of the same partition count.  Noise
    is seen but similar to nothing; a pair that no partition saw gets 0.  The diagonal is 1.

    O(n² M) time and 8 n² bytes; raises a MemoryError before allocating if that does not fit.
    """
    labels = Ensemble.from_labels(ensemble).matrix
    n = len(labels)
    starts = offsets(labels)
    similarity = np.asarray(similarity, dtype=np.float64)
    if similarity.shape != (starts[-1], starts[-1]):
        raise ValueError(
            f"similarity has shape {similarity.shape}; expected one row and one column per "
            f"cluster ({starts[-1]}, {starts[-1]})"
        )
    require_memory(8.0 * n * n, f"the {n} x {n} co-association matrix", INSTEAD)
    counts = PairCounts(labels)
    inside = np.where(labels >= 0, labels, -1)
    # codes point to a last row and column of zeros
    tables = [
        np.pad(similarity[start:stop, start:stop], (0, 1)) for start, stop in pairwise(starts)
    ]
    result = np.zeros((n, n))
    for block in row_blocks(n, bytes_per_row=16 * n):
        rows = result[block]
        for column, table in zip(inside.T, tables, strict=True):
            rows += table[column[block]][:, column]
        seen = counts.seen(block)
        np.divide(rows, seen, out=rows, where=seen > 0)
    np.fill_diagonal(result, 1.0)
    return result
