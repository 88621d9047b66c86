"""X -> Ensemble: transformers that make many clusterings of the same objects."""

from consens.generate._members import Progress, watch
from consens.generate.boosted import BoostedKMeans
from consens.generate.estimators import EstimatorEnsemble
from consens.generate.kmeans import KMeansEnsemble
from consens.generate.lac import LAC
from consens.generate.lac_ensemble import LACEnsemble

__all__ = [
    "LAC",
    "BoostedKMeans",
    "EstimatorEnsemble",
    "KMeansEnsemble",
    "LACEnsemble",
    "Progress",
    "watch",
]
