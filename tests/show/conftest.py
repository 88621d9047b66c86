"""Small models that the plots and the report are made from."""

import numpy as np
import pytest

from consens import ConsensusClustering
from consens.consensus import EAC
from consens.generate import KMeansEnsemble


@pytest.fixture(scope="session")
def blobs():
    """Forty points in each of three corners of the plane, and their classes."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    return np.array([[0, 0], [9, 0], [0, 9]])[y] + rng.normal(size=(120, 2)), y


@pytest.fixture(scope="session")
def model(blobs):
    """Three clusters, asked for, on a tree of evidence accumulation."""
    members = KMeansEnsemble(30, n_clusters=(2, 6))
    return ConsensusClustering(3, generator=members, consensus=EAC(), random_state=0).fit(blobs[0])


@pytest.fixture(scope="session")
def chosen(blobs):
    """The number of clusters is chosen among 1 to 6."""
    members = KMeansEnsemble(20, n_clusters=(2, 8))
    return ConsensusClustering(generator=members, max_clusters=6, random_state=0).fit(blobs[0])
