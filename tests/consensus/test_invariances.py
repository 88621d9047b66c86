"""Invariances of every consensus method, checked for all of `consensus.METHODS` at once."""

from functools import cache, partial

import numpy as np
import pandas as pd
import pytest

from consens import MISSING, NOISE, Ensemble, combine, consensus
from consens.measure import ari


def variant(method, **given):
    """A method with other parameters than the default ones."""
    made = partial(method, **given)
    made.__name__ = method.__name__
    made._parameter_constraints = method._parameter_constraints
    return made


METHODS = [getattr(consensus, name) for name in consensus.METHODS]
METHODS += [variant(consensus.ECPCS, form="meta")]

# methods on weighted clusters refuse labels alone; here they get what certain labels imply
pytestmark = pytest.mark.usefixtures("certain_labels")

# class name -> why an ensemble with every member twice is another ensemble by its definition; it
# must change nothing where the members are clear all the same
COUNTS_COPIES: dict[str, str] = {
    "DrawnConsensus": "ten members are enough to draw from, nine are not",
    "ECPCS": "random walks go to and fro between a cluster and its copy",
    "GPMGLA": "the agreement of a member with the others includes that with its copy",
    "SDGCA": "random walks go to and fro between a cluster and its copy",
    "WEAC": "the agreement of a member with the others includes that with its copy",
}

TRUTH = np.repeat([0, 1, 2], [12, 10, 8])


def make(method, n_clusters):
    return method(n_clusters=n_clusters, random_state=0)


def planted(seed=0, n_members=9, flips=0.08):
    """Members that agree with TRUTH but for some objects at random places."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(TRUTH[:, None], n_members, axis=1)
    wrong = rng.random(labels.shape) < flips
    labels[wrong] = rng.integers(0, 3, wrong.sum())
    return labels


@cache
def answer(method, seed, flips):
    """Labels of planted members, with which other fits are compared."""
    return make(method, 3).fit_predict(planted(seed, flips=flips))


@pytest.fixture(params=METHODS, ids=lambda m: m.__name__)
def method(request):
    return request.param


def test_finds_what_the_members_agree_on(method):
    model = make(method, 3).fit(planted())
    assert ari(model.labels_, TRUTH) == 1
    assert model.n_clusters_ == 3
    # clusters are numbered by their first object
    np.testing.assert_array_equal(model.labels_, TRUTH)


@pytest.mark.parametrize("seed", range(3))
def test_renaming_clusters_changes_nothing(method, seed):
    labels = planted(seed, flips=0.3)
    rng = np.random.default_rng(seed)
    renamed = np.column_stack([rng.permutation(9)[:3][column] * 5 for column in labels.T])
    again = make(method, 3).fit_predict(renamed)
    np.testing.assert_array_equal(again, answer(method, seed, 0.3))


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_partitions_does_not_matter(method, seed):
    labels = planted(seed, flips=0.3)
    order = np.random.default_rng(seed).permutation(labels.shape[1])
    again = make(method, 3).fit_predict(labels[:, order])
    np.testing.assert_array_equal(again, answer(method, seed, 0.3))


def test_the_order_of_the_objects_does_not_matter(method):
    labels = planted()
    order = np.random.default_rng(0).permutation(len(labels))
    again = np.empty(len(labels), dtype=int)
    again[order] = make(method, 3).fit_predict(labels[order])
    assert ari(again, make(method, 3).fit_predict(labels)) == 1


@pytest.mark.parametrize("seed", range(3))
def test_duplicating_every_member_changes_nothing(method, seed):
    flips = 0.08 if method.__name__ in COUNTS_COPIES else 0.3
    twice = np.repeat(planted(seed, flips=flips), 2, axis=1)
    again = make(method, 3).fit_predict(twice)
    np.testing.assert_array_equal(again, answer(method, seed, flips))


def test_one_member_is_its_own_consensus(method):
    np.testing.assert_array_equal(make(method, 3).fit_predict(TRUTH[:, None]), TRUTH)


def test_identical_members_are_their_own_consensus(method):
    labels = np.repeat(TRUTH[:, None], 6, axis=1)
    np.testing.assert_array_equal(make(method, 3).fit_predict(labels), TRUTH)


def test_one_cluster(method):
    model = make(method, 1).fit(planted())
    assert (model.labels_ == 0).all()
    assert model.n_clusters_ == 1


def test_as_many_clusters_as_objects(method):
    labels = np.column_stack([np.arange(7), np.arange(7) // 2, np.arange(7) // 3])
    np.testing.assert_array_equal(make(method, 7).fit_predict(labels), np.arange(7))


def test_missing_and_noise_labels_are_no_obstacle(method):
    labels = planted(flips=0)
    rng = np.random.default_rng(1)
    labels[rng.random(labels.shape) < 0.15] = MISSING
    labels[rng.random(labels.shape) < 0.1] = NOISE
    model = make(method, 3).fit(labels)
    assert ari(model.labels_, TRUTH) == 1
    assert np.isin(model.labels_, [0, 1, 2]).all()


@pytest.mark.usefixtures("few_refits")
def test_an_object_that_is_always_noise_stays_noise(method):
    labels = planted()
    labels[[3, 20]] = NOISE
    labels[20, ::2] = MISSING
    model = make(method, 3).fit(labels)
    np.testing.assert_array_equal(np.flatnonzero(model.labels_ == NOISE), [3, 20])
    assert model.n_clusters_ == 3
    assert ari(model.labels_[model.labels_ >= 0], TRUTH[model.labels_ >= 0]) == 1
    np.testing.assert_array_equal(model.confidence_[[3, 20]], 0)


def test_a_partition_of_noise_only_does_not_break_it(method):
    labels = np.column_stack([planted(), np.full(len(TRUTH), NOISE)])
    np.testing.assert_array_equal(make(method, 3).fit_predict(labels), TRUTH)


@pytest.mark.parametrize("method", [consensus.EAC, consensus.CAHNE, consensus.LWEA])
def test_some_ties_cannot_be_broken_by_content(method):
    """Why the order of objects decides between equal merges in the end.

    Exchanging the first and the last object, the members, and the names of the clusters maps this
    ensemble onto itself.  It also maps the two best partitions, which join the middle object to
    one of the others, onto each other: whoever chooses one must look at the order.
    """
    labels = np.array([[0, 0], [0, 1], [1, 1]])
    np.testing.assert_array_equal(1 - labels[::-1, ::-1], labels)
    found = method(2).fit_predict(labels)
    np.testing.assert_array_equal(found, [0, 0, 1])
    mapped = method(2).fit_predict(labels[::-1])[::-1]
    np.testing.assert_array_equal(mapped == mapped[1], [False, True, True])


def test_numpy_integers_are_numbers(method):
    labels = np.repeat(planted(), 6, axis=0)  # more objects than int8 can count
    np.testing.assert_array_equal(
        make(method, np.int8(3)).fit_predict(labels), make(method, 3).fit_predict(labels)
    )


@pytest.mark.usefixtures("few_refits")
def test_same_seed_same_labels_and_refitting_forgets(method):
    labels = planted(flips=0.3)
    model = make(method, 3).fit(planted(seed=5))
    before = model.confidence_
    first = model.fit(labels).labels_
    np.testing.assert_array_equal(first, make(method, 3).fit_predict(labels))
    assert not np.array_equal(before, model.confidence_)


def test_every_form_of_the_same_labels_gives_the_same_answer(method):
    labels = planted(flips=0.3)
    expected = make(method, 3).fit_predict(labels)
    names = np.array(["x", "y", "z"])[labels]
    for form in (pd.DataFrame(labels), pd.DataFrame(names), Ensemble(labels), list(labels.T)):
        np.testing.assert_array_equal(make(method, 3).fit_predict(form), expected)


def test_confidence_lies_between_0_and_1_and_is_high_where_members_agree(method):
    labels = planted()
    confidence = make(method, 3).fit(labels).confidence_
    assert confidence.shape == TRUTH.shape
    assert ((confidence >= 0) & (confidence <= 1)).all()
    if method is consensus.PTA:  # its microclusters change with the members that are drawn
        return
    agreed = (labels == TRUTH[:, None]).all(axis=1)
    assert confidence[agreed].mean() > confidence[~agreed].mean()


@pytest.fixture(
    params=[combine, *(m for m in METHODS if None in m._parameter_constraints["n_clusters"])],
    ids=lambda m: m.__name__,
)
def choosing(request):
    """Combine labels and choose the number of clusters: the front door and methods that can."""
    if request.param is combine:
        return combine
    return lambda labels: make(request.param, None).fit(labels)


class TestChosenNumberOfClusters:
    """The same invariances where nobody says how many clusters there are."""

    @staticmethod
    def members():
        """Three groups in noisy members, and eight objects that one member each clusters."""
        rng = np.random.default_rng(0)
        labels = np.repeat(np.repeat([0, 1, 2], 30)[:, None], 6, axis=1)
        wrong = rng.random(labels.shape) < 0.3
        labels[wrong] = rng.integers(0, 3, wrong.sum())
        noise = np.full((8, 6), NOISE)
        noise[np.arange(8), np.arange(8) % 6] = 3 + np.arange(8) // 6
        return np.vstack([labels, noise])

    def test_finds_the_groups(self):
        assert combine(self.members()).n_clusters_ == 3

    def test_renaming_clusters_changes_nothing(self, choosing):
        labels = self.members()
        expected = choosing(labels).labels_
        # clusters of noise objects only come last, then first, then between the others
        for names in ([4, 3, 2, 1, 0], [1, 4, 0, 3, 2], [9, 50, 30, 40, 10]):
            renamed = np.where(labels < 0, labels, np.take(names, labels))
            np.testing.assert_array_equal(choosing(renamed).labels_, expected)

    def test_the_order_of_the_partitions_does_not_matter(self, choosing):
        labels = self.members()
        expected = choosing(labels).labels_
        np.testing.assert_array_equal(choosing(labels[:, ::-1]).labels_, expected)

    def test_the_order_of_the_objects_does_not_matter(self, choosing):
        labels = self.members()
        expected = choosing(labels)
        order = np.random.default_rng(0).permutation(len(labels))
        found = choosing(labels[order])
        assert found.n_clusters_ == expected.n_clusters_
        assert ari(found.labels_, expected.labels_[order]) > 0.9  # but for ties

    def test_duplicating_every_member_changes_nothing(self, choosing):
        labels = self.members()
        expected = choosing(labels).labels_
        np.testing.assert_array_equal(choosing(np.repeat(labels, 2, axis=1)).labels_, expected)


def test_combine_takes_one_seed_for_all_methods(method):
    labels = planted()
    found = combine(labels, method.__name__, 3, random_state=0)
    np.testing.assert_array_equal(found.labels_, make(method, 3).fit_predict(labels))


class TestBadInput:
    def test_more_clusters_than_distinct_objects(self, method):
        labels = np.repeat(TRUTH[:, None], 4, axis=1)
        with pytest.raises(ValueError, match="n_clusters=4 is more than the 3 distinct objects"):
            make(method, 4).fit(labels)

    def test_a_transposed_matrix_is_hinted_at(self, method):
        labels = np.repeat(TRUTH[None, :], 4, axis=0)
        with (
            pytest.warns(UserWarning, match="pass the transpose"),
            pytest.raises(ValueError, match="are rows and columns exchanged"),
        ):
            make(method, 5).fit(labels)

    @pytest.mark.parametrize("k", [0, -1, 2.5, "3"])
    def test_impossible_numbers_of_clusters(self, method, k):
        with pytest.raises(ValueError, match="'n_clusters' parameter of"):
            make(method, k).fit(planted())

    def test_features(self, method):
        with pytest.raises(ValueError, match="did you mean ConsensusClustering"):
            make(method, 2).fit(np.random.default_rng(0).normal(size=(20, 3)))

    def test_nothing_but_noise(self, method):
        with pytest.raises(ValueError, match="no partition holds a cluster"):
            make(method, 2).fit(np.full((5, 2), NOISE))
