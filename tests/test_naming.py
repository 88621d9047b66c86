"""Names of clusters that members share."""

import numpy as np
import pandas as pd
import pytest

import consens
from consens import Ensemble
from consens._naming import cluster_names, names_like, shared_names, vote_shares
from consens.consensus import Voting

ANN = ["cat", "cat", "cat", "dog", "dog", "owl"]
BEN = ["cat", "cat", "dog", "dog", "dog", "owl"]


def ensemble(**columns):
    return Ensemble.from_labels(pd.DataFrame(columns))


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        ({"a": ANN, "b": BEN}, ["cat", "dog", "owl"]),
        ({"a": ANN, "b": ["cat", None, None, "dog", "dog", None]}, ["cat", "dog", "owl"]),
        ({"a": list("001122"), "b": list("112200")}, []),  # numbers of independent runs
        ({"a": [0, 0, 0, 1, 1, 2], "b": [1, 1, 0, 0, 0, 2]}, []),
        ({"a": ANN, "b": [0, 0, 0, 1, 1, 2]}, ["cat", "dog", "owl"]),
        ({"a": list("CCDDEE"), "b": list("DDEECC")}, []),  # letters of independent runs
        ({"a": ANN, "b": ["red", "red", "red", "blue", "blue", "blue"]}, []),
    ],
)
def test_shared_names(columns, names):
    assert shared_names(ensemble(**columns)) == names


def test_each_name_is_given_once_and_the_rest_are_numbers():
    both = ensemble(a=ANN, b=BEN)
    assert cluster_names(both, np.array([1, 1, 1, 0, 0, 2]), 3) == ["dog", "cat", "owl"]
    assert cluster_names(both, np.array([0, 0, 1, 2, 2, 3]), 4) == ["cat", "1", "dog", "owl"]
    assert cluster_names(both, np.array([0, 0, 0, 1, 1, -1]), 2) == ["cat", "dog"]


def test_a_consensus_carries_the_names():
    frame = pd.DataFrame({"a": ANN * 3, "b": BEN * 3, "c": ANN * 3})
    model = consens.combine(frame, n_clusters=3)
    assert model.labels_.dtype == np.int32
    assert [model.names_[label] for label in model.labels_] == ANN * 3
    mixed = consens.combine(frame.assign(d=[0, 0, 0, 1, 1, 2] * 3), n_clusters=3)
    assert mixed.names_ == ["0", "1", "2"]
    numbers = consens.combine(np.tile([[0, 1], [1, 0]], (5, 1)), n_clusters=2)
    assert numbers.names_ == ["0", "1"]


@pytest.mark.filterwarnings("ignore:a list of 18 sequences")
@pytest.mark.parametrize(
    "take",
    [
        lambda frame: frame.to_numpy(),
        lambda frame: frame.to_numpy().astype(str),
        lambda frame: [frame[name].tolist() for name in frame],
        lambda frame: frame.to_numpy().tolist(),
        lambda frame: frame.astype("category"),
    ],
    ids=["objects", "text", "vectors", "rows", "categories"],
)
def test_names_stay_in_any_form_and_with_any_method(take):
    labels = take(pd.DataFrame({"a": ANN * 3, "b": BEN * 3, "c": ANN * 3}))
    for model in (consens.combine(labels, n_clusters=3), Voting(3).fit(labels)):
        assert [model.names_[label] for label in model.labels_] == ANN * 3


def test_names_of_a_reference():
    frame = pd.DataFrame({"a": [5, 5, 8, 8, 9], "b": list("xxyyy"), "c": [1, 1, 2, 2, 2]})
    model = consens.combine(frame, n_clusters=2, reference="a")
    assert [model.names_[label] for label in model.labels_] == ["5", "5", "8", "8", "8"]
    ensemble = Ensemble.from_labels(frame)
    assert consens.combine(ensemble, n_clusters=2, reference="b").names_ == ["x", "y"]
    other = [None, "new", "old", "old", -1]
    assert consens.combine(ensemble, n_clusters=2, reference=other).names_ == ["new", "old"]
    with pytest.raises(ValueError, match="reference='z'; expected the name of one of 'a', 'b'"):
        consens.combine(frame, n_clusters=2, reference="z")
    with pytest.raises(ValueError, match="has 2 labels, but there are 5 rows"):
        consens.combine(frame, n_clusters=2, reference=["x", "y"])


def test_clusters_without_a_partner_get_unused_numbers():
    labels = np.array([0, 0, 1, 1, 2])
    assert names_like([1, 1, np.nan, np.nan, 0], labels, 3) == ["1", "2", "0"]
    assert names_like([2.0, 2.0, None, None, 7.5], labels, 3) == ["2", "1", "7.5"]


def test_names_that_nobody_has_most_often_get_no_share():
    names, shares = vote_shares(np.array([[0, 0, 2], [2, -1, 2], [-1, -1, -1]]), 3)
    assert names.tolist() == [0, 2]
    assert shares.round(2).tolist() == [[0.67, 0.33], [0.0, 1.0], [0.5, 0.5]]
