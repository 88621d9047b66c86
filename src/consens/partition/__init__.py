"""Partitioners: from a graph or matrix, k and a seed to labels, without ensembles."""

from consens.partition.linkage import linkage
from consens.partition.metis import metis
from consens.partition.spectral import spectral_cut
from consens.partition.tree import cut, lifetimes

__all__ = [
    "cut",
    "lifetimes",
    "linkage",
    "metis",
    "spectral_cut",
]
