"""Ensemble -> matrix or graph: similarity of objects and clusters according to the partitions."""

from consens._docs import shared_paragraphs
from consens.evidence.bipartite import Bipartite
from consens.evidence.clusters import cluster_graph
from consens.evidence.coassociation import coassociation
from consens.evidence.coordinates import relative_coordinates, weighted_coassociation
from consens.evidence.neighbors import coassociation_graph

__all__ = [
    "Bipartite",
    "cluster_graph",
    "coassociation",
    "coassociation_graph",
    "relative_coordinates",
    "weighted_coassociation",
]

for _name in __all__:
    shared_paragraphs(globals()[_name])
