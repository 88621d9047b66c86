"""Plots in the style of scikit-learn's displays, and the report.

Every display has ``from_estimator``, which computes and plots, and ``plot(ax=None)``, which draws
the plot again.
"""

from consens.show.choice_display import ChoiceDisplay
from consens.show.map_display import MapDisplay
from consens.show.matrix_display import ConsensusMatrixDisplay
from consens.show.resampled_display import ResampledConsensusDisplay
from consens.show.tracking_display import TrackingDisplay

__all__ = [
    "ChoiceDisplay",
    "ConsensusMatrixDisplay",
    "MapDisplay",
    "ResampledConsensusDisplay",
    "TrackingDisplay",
]
