"""Criteria that decide the number of clusters: lifetimes and eigengaps over k."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consens._labels import indicator
from consens.consensus._coassociation_tree import coassociation_linkage
from consens.ensemble import Ensemble
from consens.partition import lifetimes
from consens.partition.graph import check_graph
from consens.partition.spectral import normalized_eigenvectors


class Curves(NamedTuple):
    """Three curves over k = 1, 2, ...; each value is the width of a range of thresholds."""

    lifetime: np.ndarray
    lifetime_average: np.ndarray
    eigengap: np.ndarray

    @property
    def score(self) -> np.ndarray:
        """Sum of the three curves; its maximum decides."""
        return self.lifetime + self.lifetime_average + self.eigengap


def curves(ensemble: Ensemble, largest: int) -> Curves:
    """Lifetimes and eigengaps of 1 to `largest` clusters."""
    found = np.zeros((3, largest))
    if len(ensemble) == 1:
        found[:, 0] = 1.0
        return Curves(*found)
    for curve, method in zip(found, ("single", "average"), strict=False):
        living = lifetimes(coassociation_linkage(ensemble, method))[:largest]
        curve[: len(living)] = living
    found[2] = np.maximum(-np.diff(spectrum(ensemble, largest + 1)), 0.0)
    return Curves(*found)


def spectrum(ensemble: Ensemble, n_values: int) -> np.ndarray:
    """Leading eigenvalues of the graph of clusters, from 1 downwards; 0 beyond its size.

    The weight between clusters i and j is Σ_o 1/d_o over the objects o in both, where d_o is the
    number of clusters that contain o, as on the cluster side of the transfer cut.  1 - λ_2 is the
    cost of the best normalised cut of the objects; the eigenvalue 1 has multiplicity k if the
    objects form k groups that no cluster connects.
    """
    clusters = indicator(ensemble.matrix)
    clusters = clusters[:, clusters.sum(axis=0) > 0]  # an empty cluster would be a group
    weights = 1 / np.asarray(clusters.sum(axis=1)).ravel()
    graph = clusters.T.tocsr() @ clusters.multiply(weights[:, None]).tocsr()
    graph = check_graph((graph + graph.T) / 2)
    values = np.zeros(n_values)
    found, _ = normalized_eigenvectors(graph, min(n_values, graph.shape[0]))
    values[: len(found)] = np.clip(found, 0.0, 1.0)
    return values
