"""The study of Fred and Jain: which run of k-means is the best."""

import numpy as np

from studies.paper2 import best_kmeans


def test_the_best_run_is_chosen_without_the_classes():
    X = np.concatenate([np.zeros((10, 1)), np.ones((10, 1)) * 9, np.ones((10, 1)) * 10])
    wrong = np.repeat([0, 1, 0], 10)  # classes that no least squared error has
    assert best_kmeans(X, wrong, 2, seed=0) == 100 * 10 / 30
