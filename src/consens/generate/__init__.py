"""X -> Ensemble: transformers that make many clusterings of the same objects."""

from consens.generate.estimators import EstimatorEnsemble
from consens.generate.kmeans import KMeansEnsemble

__all__ = ["EstimatorEnsemble", "KMeansEnsemble"]
