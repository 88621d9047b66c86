"""X -> Ensemble: transformers that make many clusterings of the same objects."""

from consens.generate._members import Progress, watch
from consens.generate.boosted import BoostedKMeans
from consens.generate.estimators import EstimatorEnsemble
from consens.generate.kmeans import KMeansEnsemble
from consens.generate.lac import LAC
from consens.generate.lac_ensemble import LACEnsemble
from consens.generate.libraries import library
from consens.generate.projection import ProjectionEnsemble
from consens.generate.prototypes import PrototypeEnsemble
from consens.generate.spectral import SpectralEnsemble
from consens.generate.subspace import SubspaceEnsemble
from consens.generate.text import TextFeatures
from consens.generate.weighting import FeatureWeightEnsemble

__all__ = [
    "LAC",
    "BoostedKMeans",
    "EstimatorEnsemble",
    "FeatureWeightEnsemble",
    "KMeansEnsemble",
    "LACEnsemble",
    "Progress",
    "ProjectionEnsemble",
    "PrototypeEnsemble",
    "SpectralEnsemble",
    "SubspaceEnsemble",
    "TextFeatures",
    "library",
    "watch",
]
