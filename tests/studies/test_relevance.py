"""Which features matter to a cluster: heavy ones, and frequency where many clusters claim one."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from consens.consensus import EAC
from consens.generate import LAC
from studies._relevance import relevant_features


def clusters(weights, means):
    return SimpleNamespace(
        feature_weights_=np.array(weights), cluster_centers_=np.array(means, dtype=float)
    )


def names(found):
    return [[feature.name for feature in own] for own in found]


class TestByWeight:
    found = clusters([[0.3, 0.4, 0.2, 0.1], [0.3, 0.1, 0.2, 0.4]], [[9, 1, 5, 0], [1, 3, 5, 0.5]])

    def test_features_heavier_than_even_in_the_order_of_their_weights(self):
        # even is ¼; the first is heavy in both and nine times as frequent in cluster 0
        assert names(relevant_features(self.found)) == [["x1", "x0"], ["x3"]]

    def test_weight_mean_and_share_of_the_means(self):
        [[first, second], _] = relevant_features(self.found, ["a", "b", "c", "d"])
        assert first == ("b", 0.4, 1.0, 0.25)
        assert second == ("a", 0.3, 9.0, 0.9)

    def test_no_more_than_asked_for(self):
        assert names(relevant_features(self.found, top=1)) == [["x1"], ["x3"]]


def test_by_frequency_a_heavy_feature_goes_where_it_is_frequent():
    # the swapping of the paper: both words weigh most where they do not occur
    swapped = clusters([[0.6, 0.1, 0.3], [0.1, 0.7, 0.2]], [[0, 5, 1], [4, 0, 1]])
    assert names(relevant_features(swapped)) == [["x0"], ["x1"]]
    by_frequency = relevant_features(swapped, by="frequency")
    assert names(by_frequency) == [["x1"], ["x0"]]
    assert by_frequency[0][0].weight == 0.7


def test_a_word_of_one_topic_that_is_heavy_in_both():
    """In all documents of one class and in none of the other: no variance in either."""
    rng = np.random.default_rng(0)
    X = rng.poisson(2, (40, 4)).astype(float)
    X[:20, 1], X[20:, 1] = 1, 0
    lac = LAC(2, h=0.2, init=[X[:20].mean(axis=0), X[20:].mean(axis=0)]).fit(X)
    np.testing.assert_array_equal(lac.labels_, np.repeat([0, 1], 20))
    assert (lac.feature_weights_[:, 1] > 0.5).all()
    first, second = names(relevant_features(lac, ["a", "word", "b", "c"]))
    assert first[0] == "word"
    assert "word" not in second


def test_names_of_a_data_frame_are_known():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 2)), columns=["size", "colour"])
    found = relevant_features(LAC(2, h=0.1, random_state=0).fit(X))
    assert {feature.name for own in found for feature in own} <= {"size", "colour"}


def test_features_that_are_no_frequencies_have_no_share():
    [[feature], _] = relevant_features(clusters([[0.9, 0.1], [0.2, 0.8]], [[-1, 2], [1, 2]]))
    assert feature.name == "x0"
    assert np.isnan(feature.share)


def test_bad_arguments():
    fitted = clusters([[0.5, 0.5]], [[1, 1]])
    with pytest.raises(TypeError, match="EAC has no feature_weights_"):
        relevant_features(EAC())
    with pytest.raises(ValueError, match=r"shape \(1, 2\), centres \(1, 3\)"):
        relevant_features(clusters([[0.5, 0.5]], [[1, 1, 1]]))
    with pytest.raises(ValueError, match="3 names for 2 features"):
        relevant_features(fitted, ["a", "b", "c"])
    with pytest.raises(ValueError, match="by='size'"):
        relevant_features(fitted, by="size")
