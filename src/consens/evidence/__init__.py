"""Ensemble -> matrix or graph: similarity of objects and clusters according to the partitions."""

from consens.docstrings import shared_paragraphs
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
from consens.evidence.link_analysis import connected_triples, linked_clusters
from consens.evidence.neighbors import coassociation_graph, neighbor_pairs
from consens.evidence.related import related_coassociation
from consens.evidence.threshold import threshold_graph
from consens.evidence.trajectories import probability_trajectories, trajectory_similarity

__all__ = [
    "Bipartite",
    "SoftBipartite",
    "cluster_graph",
    "coassociation",
    "coassociation_graph",
    "connected_triples",
    "cooccurrence",
    "group_coassociation",
    "linked_clusters",
    "neighbor_pairs",
    "pair_coassociation",
    "probability_trajectories",
    "related_coassociation",
    "relative_coordinates",
    "threshold_graph",
    "trajectory_similarity",
    "unit_coordinates",
    "weighted_coassociation",
]

for _name in __all__:
    shared_paragraphs(globals()[_name])
