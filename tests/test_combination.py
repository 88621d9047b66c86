"""The front door for labels that people already hold."""

import logging

import numpy as np
import pandas as pd
import pytest

from consens import ConsensusClustering, Ensemble, combine
from consens.consensus import LWEA, DrawnConsensus, LatentEM
from consens.generate import KMeansEnsemble
from consens.measure import ari
from tests.measure._annotators import draw_annotators


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


class TestAnnotators:
    """Columns that share names: Dawid and Skene instead of a consensus of clusterings."""

    def test_gaps(self):
        found = []
        for seed in range(10):
            classes, frame, _ = draw_annotators(seed)
            model = combine(frame)
            assert type(model) is LatentEM
            assert sorted(model.names_) == ["high", "low", "mid", "none"]
            found.append(ari(classes, model.labels_))
        assert np.mean(found) >= 0.94
        assert min(found) >= 0.85

    def test_the_result_says_how_far_they_agree(self):
        _, frame, right = draw_annotators(0)
        model = combine(frame)
        assert model.annotators_.annotators == list(frame)
        np.testing.assert_allclose(model.annotators_.reliability, right, atol=0.05)
        assert combine(frame.iloc[:, :1].dropna(), n_clusters=4).annotators_ is None
        assert combine([[0, 0, 1], [1, 1, 0]], n_clusters=2).annotators_ is None

    def test_independent_names_are_not_shared(self):
        rng = np.random.default_rng(0)
        truth = np.repeat(np.arange(4), 25)
        columns = {m: [f"C{own}" for own in rng.permutation(4)[truth]] for m in "abcde"}
        model = combine(pd.DataFrame(columns), n_clusters=4)
        assert type(model) is LWEA
        assert model.names_ == ["0", "1", "2", "3"]
        assert ari(truth, model.labels_) == 1

    def test_another_number_of_clusters_than_of_names(self):
        _, frame, _ = draw_annotators(0, n=60)
        assert type(combine(frame, n_clusters=2)) is LWEA
        assert type(combine(frame, n_clusters=4)) is LatentEM


def test_more_clusterings_than_objects_are_not_taken_for_the_transpose():
    """An Ensemble says which of its axes are objects, also when the number is chosen."""
    E = Ensemble(np.repeat([[0], [0], [1], [1]], 25, axis=1).astype(np.int32))
    assert combine(E).labels_.tolist() == [0, 0, 1, 1]


def test_known_classes_among_the_clusterings_are_mentioned():
    votes = pd.DataFrame({"run1": [0, 0, 1, 1], "run2": [1, 1, 0, 0], "y_true": [0, 1, 0, 1]})
    with pytest.warns(UserWarning, match="'y_true' looks like known classes"):
        combine(votes, n_clusters=2)
    combine(votes[["run1", "run2"]], n_clusters=2)
    combine(votes[["y_true"]], n_clusters=2)


def test_columns_that_are_hardly_clusterings_are_mentioned():
    runs = {f"run{i}": np.arange(40) // 10 for i in range(3)}
    odd = {"comment": [f"see {i}" for i in range(40)], "day": ["2024-01-01"] * 40}
    with pytest.warns(UserWarning, match="'(comment|day)' has") as told:
        combine(pd.DataFrame(runs | odd), n_clusters=4)
    assert ["label of its own" in str(one.message) for one in told] == [True, False]
    combine(pd.DataFrame(runs), n_clusters=4)


class TestLogging:
    """The logger `consens` says at INFO what a fit does."""

    def test_combine(self, caplog, capsys):
        with caplog.at_level(logging.INFO, "consens"):
            combine([[0, 0, 1, 1, 1, 0]] * 3)
        chosen, combined = caplog.messages
        assert chosen.startswith("choice of k: 2, largest sum")
        assert combined == "LWEA: 2 clusters of 6 objects from 3 members"
        assert capsys.readouterr() == ("", "")

    def test_stages(self, caplog):
        X = np.repeat([[0.0, 0.0], [9.0, 9.0]], 10, axis=0) + np.arange(40).reshape(20, 2) / 99
        model = ConsensusClustering(2, generator=KMeansEnsemble(5), consensus="lwea")
        with caplog.at_level(logging.INFO, "consens"):
            model.fit(X)
        assert caplog.messages[0] == "KMeansEnsemble: 5 members"
        assert caplog.messages[-1] == "2 clusters of 20 objects from 5 members"

    def test_nothing_below_the_level(self, caplog):
        with caplog.at_level(logging.WARNING, "consens"):
            combine([[0, 0, 1, 1, 1, 0]] * 3)
        assert not caplog.messages
