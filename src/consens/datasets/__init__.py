"""Synthetic data of the papers: ``make_*`` functions that return (X, y), as in scikit-learn.

Rows are sorted by class.  Background objects belong to no class and have `NOISE` (-1) in y, so
that `measure.error_rate` ignores them.
"""

from consens._docs import shared_paragraphs
from consens.datasets.gaussians import make_three_gaussians, make_two_gaussians
from consens.datasets.rings import make_half_rings, make_rings

__all__ = [
    "make_half_rings",
    "make_rings",
    "make_three_gaussians",
    "make_two_gaussians",
]

for _name in __all__:
    shared_paragraphs(globals()[_name])
