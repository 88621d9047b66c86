"""Ensemble -> matrix or graph: similarity of objects and clusters according to the partitions."""

from consens._docs import shared_paragraphs
from consens.evidence.bipartite import Bipartite
from consens.evidence.clusters import cluster_graph
from consens.evidence.coassociation import coassociation, cooccurrence, pair_coassociation
from consens.evidence.coordinates import (
    SoftBipartite,
    relative_coordinates,
    unit_coordinates,
    weighted_coassociation,
)
from consens.evidence.groups import group_coassociation
from consens.evidence.link_analysis import connected_triples
from consens.evidence.neighbors import coassociation_graph, neighbor_pairs
from consens.evidence.threshold import threshold_graph

__all__ = [
    "Bipartite",
    "SoftBipartite",
    "cluster_graph",
    "coassociation",
    "coassociation_graph",
    "connected_triples",
    "cooccurrence",
    "group_coassociation",
    "neighbor_pairs",
    "pair_coassociation",
    "relative_coordinates",
    "threshold_graph",
    "unit_coordinates",
    "weighted_coassociation",
]

for _name in __all__:
    shared_paragraphs(globals()[_name])
