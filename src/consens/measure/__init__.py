"""Numbers about partitions and ensembles."""

from consens.measure.agreement import anmi, ari, nmi, pairwise_nmi
from consens.measure.confidence import cluster_confidence, object_confidence
from consens.measure.error import error_rate

__all__ = [
    "anmi",
    "ari",
    "cluster_confidence",
    "error_rate",
    "nmi",
    "object_confidence",
    "pairwise_nmi",
]
