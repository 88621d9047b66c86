"""Weighted k-means with careful starts, on dense or sparse rows."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse

from consens._blocks import in_blocks, load, map_rows, split_like, take_rows
from consens._labels import first_seen, first_seen_order
from consens._numerics.kmeans import KMeansResult, WeightedRows, refine_exactly
from consens._numerics.seeding import start_sample
from consens._support.threads import in_one_thread
from consens._validation import check_finite
from consens.partition.graph import check_n_parts, check_vertex_weights


@in_one_thread
def weighted_kmeans(
    X: Any,
    n_clusters: int,
    weights: ArrayLike | None = None,
    *,
    metric: np.ndarray | None = None,
    init: ArrayLike | None = None,
    n_init: int = 10,
    seed: int = 0,
) -> KMeansResult:
    """Minimise the sum of w_i |x_i - c_k|² over k centres, in O(n·d·k) time per iteration.

    The best of `n_init` starts of greedy k-means++, on at most 20,000 rows, is kept; `init` are
    initial centres instead.  With a positive semidefinite `metric` G, |x|² is x G x'.  Iterations
    stop when the sum falls by less than a millionth; an empty cluster gets the row farthest from
    its centre.  More than 20,000 dense rows without weights are refined on a grid, where sums are
    exact, so that `Rows` give the same result as an array.
    """
    X = X if in_blocks(X) else check_finite(X, "X")
    n = X.shape[0]
    n_clusters = check_n_parts(n_clusters, n)
    rng = np.random.default_rng(seed)
    sample = start_sample(n, n_clusters, rng)
    on_grid = len(sample) < n and weights is None and metric is None and not issparse(X)
    w = check_vertex_weights(weights, len(sample) if on_grid else n)
    rows = X if on_grid else load(X)
    if issparse(rows):
        rows = csr_array(rows).astype(np.float64)
    else:
        rows = map_rows(partial(np.asarray, dtype=np.float64), rows, width=X.shape[1])
    if init is None:
        drawn = WeightedRows(take_rows(rows, sample), w if on_grid else w[sample], metric)
        best = drawn.best_of_starts(n_clusters, n_init, rng)
    else:
        best = KMeansResult(np.empty(0), np.asarray(init, dtype=np.float64), np.inf)
    if on_grid:
        best = refine_exactly(rows, best.centers)
    elif len(best.labels) < n:
        best = WeightedRows(rows, w, metric).lloyd(best.centers)
    order = first_seen(best.labels)
    labels = split_like(first_seen_order(best.labels), X)
    return KMeansResult(labels, best.centers[order], best.inertia)
