"""Small models that the plots and the report are made from."""

import numpy as np
import pytest

from consens import ConsensusClustering
from consens.generate import KMeansEnsemble


@pytest.fixture(scope="session")
def blobs():
    """Forty points in each of three corners of the plane, and their classes."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    return np.array([[0, 0], [9, 0], [0, 9]])[y] + rng.normal(size=(120, 2)), y


@pytest.fixture(scope="session")
def model(blobs):
    return ConsensusClustering(
        n_clusters=3, generator=KMeansEnsemble(30, n_clusters=(2, 6)), random_state=0
    ).fit(blobs[0])
