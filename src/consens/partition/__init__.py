"""Partitioners: from a graph or matrix, k and a seed to labels, without ensembles."""

from consens.partition.bipartite import metis_bipartite, transfer_cut
from consens.partition.hypergraph import hypergraph_cut
from consens.partition.kmeans import weighted_kmeans
from consens.partition.label_linkage import label_linkage
from consens.partition.linkage import linkage
from consens.partition.metis import metis, pmetis
from consens.partition.normalized_edges import normalized_edges
from consens.partition.spectral import ncut, spectral_cut, spectral_cut_of_product
from consens.partition.tree import cut, lifetimes

__all__ = [
    "cut",
    "hypergraph_cut",
    "label_linkage",
    "lifetimes",
    "linkage",
    "metis",
    "metis_bipartite",
    "ncut",
    "normalized_edges",
    "pmetis",
    "spectral_cut",
    "spectral_cut_of_product",
    "transfer_cut",
    "weighted_kmeans",
]
