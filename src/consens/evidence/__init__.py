"""Ensemble -> matrix or graph: similarity of objects and clusters according to the partitions."""

from consens._docs import shared_paragraphs
from consens.evidence.coassociation import coassociation
from consens.evidence.neighbors import coassociation_graph

__all__ = [
    "coassociation",
    "coassociation_graph",
]

for _name in __all__:
    shared_paragraphs(globals()[_name])
