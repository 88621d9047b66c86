"""The front door for labels that people already hold."""

import numpy as np
import pandas as pd
import pytest

from consens import Ensemble, combine
from consens.consensus import LWEA, DrawnConsensus


class TestCombine:
    def test_label_vectors_of_different_kinds(self):
        result = combine([["a", "a", "b", "b"], [7, 7, 9, 9], [0, None, 1, 1]], n_clusters=2)
        np.testing.assert_array_equal(result.labels_, [0, 0, 1, 1])
        np.testing.assert_array_equal(result.confidence_, 1)

    def test_a_matrix_a_frame_and_an_ensemble_are_the_same(self):
        labels = np.random.default_rng(0).integers(0, 3, (20, 5))
        expected = combine(labels, n_clusters=3).labels_
        for form in (pd.DataFrame(labels), Ensemble.from_labels(labels), list(labels.T)):
            np.testing.assert_array_equal(combine(form, n_clusters=3).labels_, expected)

    def test_parameters_reach_the_method(self):
        assert combine([[0, 0, 1], [0, 1, 1]], "EAC", linkage="single").linkage == "single"

    def test_unknown_method(self):
        with pytest.raises(ValueError, match="method='nope' is not known"):
            combine([[0, 1, 1], [0, 1, 1]], method="nope")

    def test_unknown_parameter(self):
        for method in ("eac", None):
            with pytest.raises((TypeError, ValueError), match="flavour"):
                combine([[0, 1, 1], [0, 1, 1]], method, flavour="sour")

    def test_the_default_chooses_the_number_of_clusters(self):
        labels = np.repeat([[0, 0, 1], [1, 0, 0], [2, 1, 2]], 10, axis=0)
        chosen = combine(labels)
        assert type(chosen) is LWEA
        assert chosen.n_clusters_ == chosen.results_.n_clusters == 3
        assert chosen.results_.candidates[0].n_clusters == 3
        given = combine(labels, n_clusters=3)
        np.testing.assert_array_equal(chosen.labels_, given.labels_)
        assert not hasattr(given, "results_")

    def test_many_clusterings_are_drawn_from(self):
        labels = np.random.default_rng(0).integers(0, 3, size=(60, 51))
        found = combine(labels, n_clusters=2)
        assert type(found) is DrawnConsensus
        np.testing.assert_array_equal(found.labels_, combine(labels, n_clusters=2).labels_)
        other = combine(labels, n_clusters=2, random_state=1)
        assert not np.array_equal(found.draws_.labels, other.draws_.labels)


def test_more_clusterings_than_objects_are_not_taken_for_the_transpose():
    """An Ensemble says which of its axes are objects, also when the number is chosen."""
    E = Ensemble(np.repeat([[0], [0], [1], [1]], 25, axis=1).astype(np.int32))
    assert combine(E).labels_.tolist() == [0, 0, 1, 1]
