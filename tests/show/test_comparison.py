"""Comparison of methods: scores, ranks and the agreement of answers."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

import consens
from consens.generate import KMeansEnsemble
from consens.measure import anmi, ari, nmi

#: Three clusterings of eight objects.
POOL = [[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 1], [0, 0, 1, 1, 2, 2, 3, 3]]
CLASSES = list("aaaabbbb")


def first(labels, n_clusters):
    return labels[:, 0]


def second(labels, n_clusters):
    return labels[:, 1]


def third(labels, n_clusters):
    return labels[:, 2]


def refuse(labels, n_clusters):
    raise ValueError("too\nfew objects")


def test_scores_are_those_of_the_library():
    found = consens.compare(POOL, [first, second, "eac"], truth=CLASSES, n_clusters=2)
    for name, labels in found.labels.items():
        row = found.table.loc[name]
        assert row["nmi"] == pytest.approx(nmi(CLASSES, labels))
        assert row["ari"] == pytest.approx(ari(CLASSES, labels))
        assert row["agreement"] == pytest.approx(anmi(labels, POOL))
        assert row["seconds"] >= 0
    assert found.labels["second"].tolist() == POOL[1]


def test_methods_are_ranked_and_ties_share_their_rank():
    found = consens.compare(POOL, [third, second, first, "eac"], truth=CLASSES, n_clusters=2)
    # the first member is the classes, as is the answer of EAC; the second is closer by ARI (.53
    # instead of .39), the third by NMI (.71 instead of .59)
    assert found.ranks["nmi"].to_dict() == {"first": 1.5, "eac": 1.5, "third": 3, "second": 4}
    assert found.ranks["ari"].to_dict() == {"first": 1.5, "eac": 1.5, "second": 3, "third": 4}
    assert found.table["rank"].to_dict() == {"first": 1.5, "eac": 1.5, "third": 3.5, "second": 3.5}
    assert found.table.index[:2].tolist() == ["first", "eac"]


def test_without_classes_the_agreement_with_members_ranks():
    found = consens.compare(POOL, [second, first, third], n_clusters=2)
    assert "nmi" not in found.table
    best = max((anmi(own, POOL), name) for name, own in found.labels.items())[1]
    assert found.table.index[0] == best
    assert found.table["rank"].tolist() == [1, 2, 3]


def test_similarity_is_the_nmi_of_pairs_of_answers():
    found = consens.compare(POOL, [first, second, third], n_clusters=2)
    assert found.similarity.loc["first", "third"] == pytest.approx(nmi(POOL[0], POOL[2]))
    assert np.diag(found.similarity).tolist() == [1, 1, 1]


def test_estimators_keep_their_number_unless_one_is_given():
    methods = {"four": consens.consensus.LWEA(4), "named": "lwea"}
    kept = consens.compare(POOL, methods)
    assert kept.table.loc["four", "n_clusters"] == 4
    assert kept.table.loc["named", "n_clusters"] == consens.combine(POOL).n_clusters_
    given = consens.compare(POOL, methods, n_clusters=2)
    assert given.table["n_clusters"].tolist() == [2, 2]
    assert methods["four"].n_clusters == 4


def test_default_is_the_method_of_combine():
    found = consens.compare(POOL, ["default", None], n_clusters=2)
    assert list(found.labels) == ["default", "default 2"]
    expected = consens.combine(POOL, n_clusters=2).labels_
    assert found.labels["default"].tolist() == expected.tolist()


def test_features_are_clustered_first_and_clusterers_take_part():
    X, y = load_iris(return_X_y=True)
    methods = ["EAC", KMeans(3, n_init=2), first]
    members = KMeansEnsemble(8)
    found = consens.compare(X, methods, truth=y, n_clusters=3, generator=members, random_state=1)
    again = consens.compare(X, methods, truth=y, n_clusters=3, generator=members, random_state=1)
    assert found.labels.equals(again.labels)
    assert found.table.loc["KMeans", "ari"] > 0.7
    assert set(found.labels) == {"EAC", "KMeans", "first"}


def test_a_method_that_refuses_has_an_error_and_no_rank():
    found = consens.compare(POOL, [refuse, first], n_clusters=2)
    assert found.table.loc["refuse", "error"] == "too few objects"
    assert np.isnan(found.table.loc["refuse", "rank"])
    assert found.table.index.tolist() == ["first", "refuse"]
    assert list(found.labels) == ["first"]
    assert "too few objects" in repr(found)
    with pytest.raises(ValueError, match="none of the methods gave an answer: refuse: too few"):
        consens.compare(POOL, [refuse], n_clusters=2)


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="truth has 3 classes; expected 8"):
        consens.compare(POOL, [first], truth=[0, 1, 1])
    with pytest.raises(TypeError, match="methods='eac'; expected a list"):
        consens.compare(POOL, "eac")


def test_the_plot_names_methods_and_shows_their_agreement():
    found = consens.compare(POOL, [first, second], n_clusters=2).plot()
    assert [own.get_text() for own in found.ax_.get_yticklabels()] == ["first", "second"]
    shown = [text.get_text() for text in found.ax_.texts]
    assert shown == ["1.00", *[f"{nmi(POOL[0], POOL[1]):.2f}"] * 2, "1.00"]
