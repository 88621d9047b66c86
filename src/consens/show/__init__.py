"""Plots in the style of scikit-learn's displays, and the report.

Every display has ``from_estimator`` and ``from_ensemble``, which compute and plot, and
``plot(ax=None)``, which draws the plot again.
"""

from consens.show.cdf import ConsensusCDFDisplay
from consens.show.choice import ChoiceDisplay
from consens.show.confidence import ConfidenceDisplay
from consens.show.dendrogram import DendrogramDisplay
from consens.show.map import MapDisplay
from consens.show.matrix import ConsensusMatrixDisplay
from consens.show.members import MemberMapDisplay
from consens.show.page import report
from consens.show.quality import QualityDiversityDisplay
from consens.show.resampled import ResampledConsensusDisplay
from consens.show.stability import StabilityDisplay
from consens.show.summary import summarise
from consens.show.tracking import TrackingDisplay
from consens.show.weights import FeatureWeightsDisplay

__all__ = [
    "ChoiceDisplay",
    "ConfidenceDisplay",
    "ConsensusCDFDisplay",
    "ConsensusMatrixDisplay",
    "DendrogramDisplay",
    "FeatureWeightsDisplay",
    "MapDisplay",
    "MemberMapDisplay",
    "QualityDiversityDisplay",
    "ResampledConsensusDisplay",
    "StabilityDisplay",
    "TrackingDisplay",
    "report",
    "summarise",
]
