"""How many clusters: criteria over a range of k, one rule, and consensus clustering for each k."""

from consens.choose.choice import Choice
from consens.choose.resampling import resampled_consensus
from consens.choose.rule import choose_n_clusters

__all__ = [
    "Choice",
    "choose_n_clusters",
    "resampled_consensus",
]
