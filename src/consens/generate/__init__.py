"""X -> Ensemble: transformers that make many clusterings of the same objects."""

import warnings
from typing import Any

from consens._support.progress import MemberProgress as Progress
from consens.generate._base import watch
from consens.generate.boosted import BoostedKMeans
from consens.generate.estimators import EstimatorEnsemble
from consens.generate.kmeans_ensemble import KMeansEnsemble
from consens.generate.lac import LAC
from consens.generate.lac_ensemble import LACEnsemble
from consens.generate.landmarks import LandmarkEnsemble
from consens.generate.libraries import library
from consens.generate.mixed import MixedEnsemble
from consens.generate.mixtures import MixtureEnsemble
from consens.generate.projection import ProjectionEnsemble
from consens.generate.prototypes import PrototypeEnsemble
from consens.generate.spectral_ensemble import SpectralEnsemble
from consens.generate.subspace import SubspaceEnsemble
from consens.generate.trees import TreeEnsemble
from consens.generate.weighting import FeatureWeightEnsemble

__all__ = [
    "LAC",
    "BoostedKMeans",
    "EstimatorEnsemble",
    "FeatureWeightEnsemble",
    "KMeansEnsemble",
    "LACEnsemble",
    "LandmarkEnsemble",
    "MixedEnsemble",
    "MixtureEnsemble",
    "Progress",
    "ProjectionEnsemble",
    "PrototypeEnsemble",
    "SpectralEnsemble",
    "SubspaceEnsemble",
    "TreeEnsemble",
    "library",
    "watch",
]


def __getattr__(name: str) -> Any:
    if name == "TextFeatures":
        from consens.text import TextFeatures

        warnings.warn(
            "consens.generate.TextFeatures has moved to consens.text.TextFeatures; the old name "
            "is removed in version 0.2",
            FutureWarning,
            stacklevel=2,
        )
        return TextFeatures
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
