"""BestOf keeps all scores and takes the method with the best one."""

import numpy as np
import pytest

from consens.consensus import CSPA, EAC, HGPA, MCLA, BestOf
from consens.measure import anmi

TRUTH = np.repeat([0, 1, 2], [16, 12, 10])


def ensemble(seed, n_members=8, flips=0.4):
    rng = np.random.default_rng(seed)
    labels = np.repeat(TRUTH[:, None], n_members, axis=1)
    wrong = rng.random(labels.shape) < flips
    labels[wrong] = rng.integers(0, 3, wrong.sum())
    return labels


@pytest.mark.parametrize("seed", range(3))
def test_the_winner_agrees_most_with_the_members(seed):
    labels = ensemble(seed)
    model = BestOf(3, random_state=0).fit(labels)
    assert [type(m) for m in model.methods_] == [CSPA, HGPA, MCLA]
    scores = [anmi(m.labels_, labels) for m in model.methods_]
    np.testing.assert_allclose(model.scores_, scores)
    np.testing.assert_array_equal(model.labels_, model.methods_[np.argmax(scores)].labels_)
    assert anmi(model.labels_, labels) == pytest.approx(max(scores))


def test_the_first_of_equal_methods_wins():
    model = BestOf(3, methods=[EAC(), MCLA(), EAC(linkage="single")], random_state=0)
    model.fit(np.repeat(TRUTH[:, None], 4, axis=1))
    assert model.best_ is model.methods_[0]


def test_methods_keep_what_they_set_and_are_left_untouched():
    given = MCLA(n_clusters=7, imbalance=0.5, random_state=3)
    model = BestOf(3, methods=[given], random_state=0).fit(ensemble(0))
    assert model.best_.get_params() == given.get_params() | {"n_clusters": 3}
    assert given.n_clusters == 7
    assert not hasattr(given, "labels_")


def test_nothing_to_choose_from():
    with pytest.raises(ValueError, match="methods is empty"):
        BestOf(3, methods=[]).fit(ensemble(0))


@pytest.mark.parametrize("wrong", [1, "eac", EAC])
def test_what_is_no_estimator_is_named(wrong):
    with pytest.raises(ValueError, match="expected consensus estimators"):
        BestOf(2, methods=[wrong]).fit(np.array([[0, 1], [0, 1], [1, 0]]))
