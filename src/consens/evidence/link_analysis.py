"""Similarity of clusters by shared neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from consens._docs import shared_paragraphs
from consens._kernels import worth_compiling
from consens._support.memory import require_memory
from consens.evidence.clusters import cluster_graph

#: Share of non-zero entries above which a dense matrix is faster.
DENSE_FROM = 0.15


@shared_paragraphs
def connected_triples(ensemble: Any, weights: ArrayLike | None = None) -> np.ndarray:
    """Similarity of clusters by common neighbours, weighted by their partition (SACT).

    With w_ij the Jaccard coefficient of clusters i and j (`cluster_graph`) and I_k the
    reliability of the partition that cluster k belongs to, the source-aware connected triple is

        S_ij = Σ_k I_k min(w_ik, w_jk),

    divided by the largest value.  Clusters that share no object are similar if they overlap with
    the same clusters.

    Parameters
    ----------
    ensemble : Ensemble or label matrix of shape (n, M)
    weights : array-like of shape (number of clusters,), optional
        I_k >= 0; 1 by default.

    Returns
    -------
    ndarray of shape (number of clusters, number of clusters), symmetric, in [0, 1]
        The diagonal is 1, but 0 for a cluster without objects.

    Notes
    -----
    Time proportional to the sum of the squared numbers of neighbours, at most the cube of the
    total number of clusters.  Raises a MemoryError if the dense matrix does not fit.

    {huang_2015}

    Examples
    --------
    >>> from consens.evidence.link_analysis import connected_triples
    >>> connected_triples([[0, 0, 0, 1], [0, 0, 1, 1]]).round(2)
    array([[1.  , 0.13, 0.7 , 0.26],
           [0.13, 1.  , 0.  , 0.52],
           [0.7 , 0.  , 1.  , 0.13],
           [0.26, 0.52, 0.13, 1.  ]])
    """
    graph = cluster_graph(ensemble)
    n = graph.shape[0]
    require_memory(
        32.0 * n * n,
        f"the similarity of {n} clusters by link analysis",
        "combine fewer or coarser partitions, or use LWGP, which needs no such matrix",
    )
    weights = np.ones(n) if weights is None else np.asarray(weights)
    right = weights.dtype.kind in "biuf" and weights.shape == (n,)
    if not right or not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError(f"expected {n} finite weights >= 0, one per cluster")
    weights = weights.astype(np.float64)
    triples = np.zeros((n, n))
    if worth_compiling("triples", float(np.square(np.diff(graph.indptr), dtype=np.float64).sum())):
        from consens._kernels.triples import weighted_minima, weighted_minima_dense

        if graph.nnz > DENSE_FROM * n * n:
            weighted_minima_dense(graph.toarray(), weights, triples)
        else:
            graph.sort_indices()
            weighted_minima(graph.indptr, graph.indices, graph.data, weights, triples)
        for i in range(1, n):  # the kernels fill the upper triangle
            triples[i, :i] = triples[:i, i]
    else:
        for k in range(n):
            part = slice(graph.indptr[k], graph.indptr[k + 1])
            neighbours, links = graph.indices[part], graph.data[part]
            triples[np.ix_(neighbours, neighbours)] += weights[k] * np.minimum.outer(links, links)
    triples /= triples.max() if triples.any() else 1.0
    np.fill_diagonal(triples, graph.diagonal())
    return triples
