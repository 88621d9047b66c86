"""Fitted models in notebooks and in print."""

import numpy as np
import pytest

from consens import ConsensusClustering, combine
from consens.consensus import EAC
from consens.generate import KMeansEnsemble


@pytest.fixture(scope="module")
def model():
    X = np.repeat([[0.0, 0.0], [9.0, 9.0]], 20, axis=0)
    X = X + np.random.default_rng(0).normal(size=(40, 2))
    members = KMeansEnsemble(8, n_clusters=(2, 4))
    return ConsensusClustering(generator=members, max_clusters=4, random_state=0).fit(X)


def test_before_fitting_a_model_is_its_parameters():
    assert str(EAC(3)) == repr(EAC(3)) == "EAC(n_clusters=3)"
    assert "<strong>" not in EAC(3)._repr_mimebundle_()["text/html"]


def test_print_says_what_was_found(model):
    assert "2 clusters of 40 objects (20, 20), mean confidence " in str(model)
    assert f", stability {model.stability_.ari:.2f} (" in str(model)
    assert "\n" not in str(combine([[0, 0, 1], [0, 1, 1]]))


def test_a_notebook_shows_the_answer_above_the_diagram(model):
    html = model._repr_mimebundle_()["text/html"]
    assert html.index("2 clusters of 40 objects (20, 20)") < html.index("sk-container")


def test_a_choice_does_not_print_labels(model):
    assert repr(model.results_).startswith("<Choice of 2 clusters among 1 to 4: ")
    assert repr(model.results_.labels) == "<Partitions into 1, 2, 3, 4 clusters>"
