"""Documents to terms: stems, itemsets, and what is said when a library is not there."""

import builtins
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from consens.consensus import WSBPA
from consens.generate import LACEnsemble
from consens.measure import error_rate
from studies._relevance import relevant_features
from studies._text import TextFeatures

DOCUMENTS = [
    "The circuits need more voltage",
    "A circuit at high voltage, and a noisy circuit",
    "The patient needs treatment",
    "Treatments for patients",
]


@pytest.fixture
def features():
    pytest.importorskip("snowballstemmer")
    pytest.importorskip("mlxtend")
    return TextFeatures(min_support=0.5)


def test_words_of_one_stem_are_counted_together(features):
    counts = features.fit_transform(DOCUMENTS)
    circuit = list(features.terms_).index("circuit")
    np.testing.assert_array_equal(counts[:, circuit].toarray().ravel(), [1, 2, 0, 0])


def test_stop_words_and_rare_words_are_left_out(features):
    features.fit(DOCUMENTS)
    # "need" is in two documents, but with no other term that is
    assert list(features.terms_) == ["circuit", "patient", "treatment", "voltag"]
    assert features.vocabulary_size_ == 7


def test_people_are_shown_the_commonest_word(features):
    features.set_params(min_support=0.4, max_df=1.0).fit([*DOCUMENTS, "voltages"])
    assert list(features.words_) == ["circuit", "patient", "treatment", "voltage"]
    assert list(features.get_feature_names_out()) == list(features.terms_)


def test_terms_must_occur_together():
    documents = ["a1 b1", "a1 b1", "c1 a1", "c1 d1", "d1 b1"]
    alone = TextFeatures(0.4, itemset_size=1, max_df=1.0, language=None, stop_words=None)
    assert list(alone.fit(documents).terms_) == ["a1", "b1", "c1", "d1"]
    pytest.importorskip("mlxtend")
    together = clone(alone).set_params(itemset_size=2).fit(documents)
    assert list(together.terms_) == ["a1", "b1"]
    with pytest.raises(ValueError, match="no 3 terms occur together in 40.0% of the documents"):
        clone(alone).set_params(itemset_size=3).fit(documents)


def test_itemsets_equal_the_products_of_columns(features):
    """A term is in a frequent pair where a column of the product with others is large enough."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{i}x" for i in range(30)])
    chance = np.linspace(0.05, 0.5, 30)
    documents = [" ".join(words[rng.random(30) < chance]) + " end" for _ in range(100)]
    features.set_params(min_support=0.12, max_df=0.9, language=None).fit(documents)
    occurs = np.array([[w in d.split() for w in words] for d in documents], dtype=float)
    pairs = occurs.T @ occurs / 100
    np.fill_diagonal(pairs, 0)
    frequent = occurs.mean(axis=0) >= 0.12
    expected = frequent & (pairs[:, frequent].max(axis=1) >= 0.12)
    assert 0 < expected.sum() < frequent.sum()
    assert set(features.terms_) == set(words[expected])


def test_terms_that_go_with_everything_are_left_out(features):
    documents = [f"subject {document}" for document in DOCUMENTS]
    assert "subject" not in features.fit(documents).terms_


def test_new_documents_are_counted_by_the_same_terms(features):
    expected = features.fit_transform(DOCUMENTS)
    np.testing.assert_array_equal(features.transform(DOCUMENTS).toarray(), expected.toarray())
    new = features.transform(["Unknown words beside a circuit", ""])
    np.testing.assert_array_equal(new.toarray(), [[1, 0, 0, 0], [0, 0, 0, 0]])


def test_from_documents_to_clusters_with_their_words(features):
    rng = np.random.default_rng(0)
    topics = [["circuit", "voltage", "signal", "wire"], ["doctor", "disease", "drug", "diet"]]
    common = ["today", "question", "book", "friend"]
    y = np.repeat([0, 1], 60)
    documents = [" ".join([*rng.choice(topics[topic], 3), *rng.choice(common, 2)]) for topic in y]
    model = make_pipeline(
        features.set_params(min_support=0.05),
        Normalizer(),
        StandardScaler(with_mean=False),
        LACEnsemble(2, inverse_h=[0.5, 1, 2], random_state=0),
        WSBPA(2, random_state=0),
    )
    labels = model.fit_predict(documents)
    assert error_rate(y, labels) < 0.05
    np.testing.assert_array_equal(model.predict(documents), labels)
    words = relevant_features(model[-1], features.words_, top=4, by="frequency")
    found = [{feature.name for feature in own} for own in words]
    own = [found[labels[y == topic][0]] for topic in (0, 1)]
    assert own[0] <= set(topics[0])
    assert own[1] <= set(topics[1])


@pytest.mark.parametrize(
    ("package", "what"), [("snowballstemmer", "stemming"), ("mlxtend", "frequent itemsets")]
)
def test_a_missing_library_is_named_with_the_way_to_get_it(package, what, monkeypatch):
    for name in [m for m in sys.modules if m.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    language = "english" if package == "snowballstemmer" else None
    with pytest.raises(
        ImportError, match=rf"{what} needs {package}: pip install 'consens\[studies"
    ):
        TextFeatures(min_support=0.5, language=language).fit(DOCUMENTS)


def test_nothing_is_imported_before_it_is_needed(monkeypatch):
    def refuse(name, *args, **kwargs):
        assert name.partition(".")[0] not in ("mlxtend", "snowballstemmer")
        return original(name, *args, **kwargs)

    original = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", refuse)
    TextFeatures(0.5, itemset_size=1, language=None).fit(DOCUMENTS)


def test_unknown_language(features):
    with pytest.raises(ValueError, match="language='klingon'; allowed are .*english"):
        features.set_params(language="klingon").fit(DOCUMENTS)


def test_impossible_parameters():
    with pytest.raises(ValueError, match="'min_support' parameter of TextFeatures"):
        TextFeatures(min_support=0).fit(DOCUMENTS)
