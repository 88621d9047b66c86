"""Partitioners: from a graph or matrix, k and a seed to labels, without ensembles."""

from consens.partition.bipartite_cut import transfer_cut
from consens.partition.linkage import linkage
from consens.partition.metis import metis
from consens.partition.spectral import ncut, spectral_cut
from consens.partition.tree import cut, lifetimes
from consens.partition.weighted_kmeans import weighted_kmeans

__all__ = [
    "cut",
    "lifetimes",
    "linkage",
    "metis",
    "ncut",
    "spectral_cut",
    "transfer_cut",
    "weighted_kmeans",
]
