"""How many clusters: criteria over a range of k, one rule, and what each of them says."""

from consens.choose.choice import Candidate, Choice
from consens.choose.rule import choose_n_clusters

__all__ = [
    "Candidate",
    "Choice",
    "choose_n_clusters",
]
