"""How many clusters: criteria over a range of k, one rule, and what each of them says."""

from consens.choose.choice import MAX_CANDIDATES, Candidate, Choice, Resamples, draw_agreement
from consens.choose.criteria import Curves, curves, spectrum
from consens.choose.rule import (
    MAX_OBJECTS,
    N_REFERENCES,
    choose_n_clusters,
    largest_n_clusters,
    uniform_reference,
)

__all__ = [
    "MAX_CANDIDATES",
    "MAX_OBJECTS",
    "N_REFERENCES",
    "Candidate",
    "Choice",
    "Curves",
    "Resamples",
    "choose_n_clusters",
    "curves",
    "draw_agreement",
    "largest_n_clusters",
    "spectrum",
    "uniform_reference",
]
