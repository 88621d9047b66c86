"""Graph or matrix, k, seed -> labels; knows nothing of ensembles."""

from consens.partition.bipartite import metis_bipartite, transfer_cut
from consens.partition.hypergraph import hypergraph_cut
from consens.partition.kmeans import weighted_kmeans
from consens.partition.label_linkage import label_linkage
from consens.partition.linkage import linkage
from consens.partition.metis import metis
from consens.partition.normalized_edges import normalized_edges
from consens.partition.spectral import ncut, njw, njw_of_product
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
    "njw",
    "njw_of_product",
    "normalized_edges",
    "transfer_cut",
    "weighted_kmeans",
]
