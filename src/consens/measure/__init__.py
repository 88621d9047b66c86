"""Numbers about partitions and ensembles."""

from consens._docs import shared_paragraphs
from consens.measure.agreement import anmi, ari, error_rate, nmi, pairwise_nmi
from consens.measure.annotators import annotator_agreement
from consens.measure.cdf import cdf_table, consensus_cdf
from consens.measure.confidence import cluster_confidence, object_association, object_confidence
from consens.measure.contrast import contrast
from consens.measure.diversity import diversity
from consens.measure.element_centric import (
    element_similarity,
    object_consistency,
    object_similarity,
)
from consens.measure.reliability import cluster_reliability, member_reliability
from consens.measure.stability import stability

__all__ = [
    "anmi",
    "annotator_agreement",
    "ari",
    "cdf_table",
    "cluster_confidence",
    "cluster_reliability",
    "consensus_cdf",
    "contrast",
    "diversity",
    "element_similarity",
    "error_rate",
    "member_reliability",
    "nmi",
    "object_association",
    "object_confidence",
    "object_consistency",
    "object_similarity",
    "pairwise_nmi",
    "stability",
]

for _name in __all__:
    shared_paragraphs(globals()[_name])
