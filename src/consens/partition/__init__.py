"""Graph or matrix, k, seed -> labels; knows nothing of ensembles."""

from consens.partition.linkage import cut, lifetimes, linkage

__all__ = ["cut", "lifetimes", "linkage"]
