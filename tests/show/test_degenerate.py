"""Plots of results in which there is next to nothing to see."""

import numpy as np
import pytest

from consens import ConsensusClustering
from consens.choose import choose_n_clusters
from consens.consensus import EAC
from consens.show import ChoiceDisplay, MapDisplay, ResampledConsensusDisplay

#: Label matrices, and the number of clusters that the criteria find in them.
LABELS = {
    "two objects": (np.array([[0, 0], [0, 1]]), 1),
    "one cluster": (np.zeros((6, 3), dtype=int), 1),
    "one object in a cluster": (np.array([[0, 0], [-1, -1], [-1, -1]]), 1),
    "every object a cluster": (np.tile(np.arange(5)[:, None], 3), 2),
}


@pytest.mark.parametrize("kind", LABELS)
def test_there_is_a_choice(kind):
    labels, n_clusters = LABELS[kind]
    display = ChoiceDisplay(choose_n_clusters(labels, random_state=0)).plot()
    display.figure_.canvas.draw()
    assert display.choice.n_clusters == n_clusters


def test_objects_that_are_all_equal():
    model = ConsensusClustering(random_state=0)
    ChoiceDisplay.from_estimator(model.fit(np.ones((8, 2))))


@pytest.mark.parametrize("find", [choose_n_clusters, EAC().fit])
@pytest.mark.parametrize(
    ("labels", "says"),
    [
        (np.zeros((1, 3), dtype=int), "at least two objects"),
        (np.zeros((0, 3), dtype=int), "at least two objects"),
        (np.zeros((4, 0), dtype=int), "no partition"),
        (np.full((5, 3), -1), r"every (label is|object) noise"),
        (np.full((5, 3), -2), "every label is missing"),
    ],
)
def test_what_holds_no_clusters_is_refused(find, labels, says):
    with pytest.raises(ValueError, match=says):
        find(labels)


@pytest.mark.parametrize("layout", ["auto", "features", "pca", "ensemble"])
def test_a_map_needs_the_features_of_its_objects(layout):
    model = EAC(2).fit(np.repeat([[0, 0], [1, 1]], 4, axis=0))
    X = np.arange(16.0).reshape(8, 2)
    MapDisplay.from_estimator(model, X, layout=layout)
    for other in (X[:5], np.vstack([X, X])):
        with pytest.raises(ValueError, match=rf"X has {len(other)} rows; expected 8"):
            MapDisplay.from_estimator(model, other, layout=layout)
    with pytest.raises(ValueError, match="3 feature names for the 2 features"):
        MapDisplay.from_estimator(model, X, layout=layout, feature_names=["a", "b", "c"])


def test_resampling_needs_real_features():
    X = np.random.default_rng(0).normal(size=(12, 2))
    model = EAC(2).fit(np.repeat([[0, 0], [1, 1]], 6, axis=0))
    with pytest.raises(ValueError, match="X must be a matrix of real numbers"):
        ResampledConsensusDisplay.from_estimator(model, X + 1j, n_clusters=[2])
