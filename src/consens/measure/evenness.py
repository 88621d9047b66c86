"""Evenness of the cluster sizes of the members."""

from typing import Any

import numpy as np

from consens._labels import cluster_sizes, offsets
from consens.ensemble import Ensemble


def normalized_entropy(ensemble: Any) -> np.ndarray:
    """Entropy of the cluster sizes of each member, divided by log k; 1 if all are equal."""
    labels = Ensemble.from_labels(ensemble).labels
    result = np.zeros(labels.shape[1])
    for m, sizes in enumerate(np.split(cluster_sizes(labels), offsets(labels)[1:-1])):
        if len(sizes) > 1:
            shares = sizes[sizes > 0] / sizes.sum()
            result[m] = -(shares * np.log(shares)).sum() / np.log(len(sizes))
    return result
