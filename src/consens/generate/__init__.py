"""X -> Ensemble: transformers that make many clusterings of the same objects."""

from consens.generate._base import BaseGenerator, watch
from consens.generate.boosted import BoostedKMeans
from consens.generate.estimators import EstimatorEnsemble
from consens.generate.graph_ensemble import GraphEnsemble
from consens.generate.kmeans_ensemble import KMeansEnsemble
from consens.generate.lac import LAC
from consens.generate.lac_ensemble import LACEnsemble
from consens.generate.landmarks import LandmarkEnsemble
from consens.generate.libraries import library
from consens.generate.mixed import MixedEnsemble
from consens.generate.mixtures import MixtureEnsemble
from consens.generate.prototypes import PrototypeEnsemble
from consens.generate.spectral_ensemble import SpectralEnsemble
from consens.generate.trees import TreeEnsemble
from consens.generate.uspec import USPEC
from consens.generate.views import FeatureWeightEnsemble, ProjectionEnsemble, SubspaceEnsemble

__all__ = [
    "LAC",
    "USPEC",
    "BaseGenerator",
    "BoostedKMeans",
    "EstimatorEnsemble",
    "FeatureWeightEnsemble",
    "GraphEnsemble",
    "KMeansEnsemble",
    "LACEnsemble",
    "LandmarkEnsemble",
    "MixedEnsemble",
    "MixtureEnsemble",
    "ProjectionEnsemble",
    "PrototypeEnsemble",
    "SpectralEnsemble",
    "SubspaceEnsemble",
    "TreeEnsemble",
    "library",
    "watch",
]
