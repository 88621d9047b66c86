"""Consensus of drawn members: steady, without contradictions, the same in blocks."""

from copy import deepcopy

import numpy as np
import pytest
from sklearn.base import clone

from consens import MISSING, Ensemble
from consens._blocks import Rows
from consens._support.seeds import spawn_seeds
from consens.consensus import LWEA, CosineLWEA, DrawnConsensus
from consens.consensus._settle import settle
from consens.consensus.drawn import halves_of, most_typical, settle_draws
from consens.measure import ari, object_association

pytestmark = pytest.mark.usefixtures("all_members")

TRUTH = np.repeat([0, 1, 2], [40, 30, 30])


def members(n_members=60, flips=0.4, seed=0, lowest=0):
    rng = np.random.default_rng(seed)
    labels = np.repeat(TRUTH[:, None], n_members, axis=1)
    wrong = rng.random(labels.shape) < flips
    labels[wrong] = rng.integers(lowest, 5, wrong.sum())
    return Ensemble.from_labels(labels)


def test_without_anything_to_draw_it_is_the_consensus_itself():
    E = members(9)
    drawn = DrawnConsensus(3, consensus=LWEA(), random_state=0).fit(E)
    assert drawn.draws_.shape == (100, 1)
    np.testing.assert_array_equal(drawn.labels_, LWEA(3).fit_predict(E))


def test_each_draw_is_a_consensus_of_drawn_members():
    E = members(32)
    drawn = DrawnConsensus(
        3, consensus=CosineLWEA(), n_draws=4, max_members=10, random_state=5
    ).fit(E)
    # the first seed is for the objects; groups of four alternate
    for t, seed in enumerate(spawn_seeds(5, 5)[1:]):
        answer = drawn.draws_.labels[:, t]
        half = np.flatnonzero(np.repeat([0, 1] * 4, 4) == t % 2)
        columns = np.sort(np.random.default_rng(seed).choice(half, 10, replace=False))
        np.testing.assert_array_equal(answer, CosineLWEA(3).fit_predict(E[:, columns]))


def test_most_typical_is_the_medoid():
    a, b, c = [0, 0, 1, 1, 1], [0, 0, 0, 1, 1], [0, 1, 0, 1, 0]
    assert most_typical(np.array([c, a, a, b]).T) == 1
    # a partition with fewer clusters is no start
    one = [0, 0, 0, 0, 0]
    assert most_typical(np.array([one, one, one, b]).T) == 3


def test_objects_settle_where_they_are_together_most():
    # object 2 starts with 3 and 4, but most partitions put it with 0 and 1
    answers = np.array([[0, 0, 1, 1, 1], [0, 0, 0, 1, 1], [0, 0, 0, 1, 1]]).T
    start = answers[:, 0]
    np.testing.assert_array_equal(settle(answers, start), [0, 0, 0, 1, 1])


def test_settling_empties_no_cluster():
    answers = np.array([[0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]]).T
    np.testing.assert_array_equal(settle(answers, answers[:, 0]), answers[:, 0])


@pytest.mark.parametrize("seed", range(3))
def test_no_object_is_together_more_with_another_cluster(seed):
    drawn = DrawnConsensus(3, n_draws=20, max_members=10, random_state=seed)
    drawn.fit(members(40, 0.6, seed))
    mean = object_association(drawn.draws_, drawn.labels_)
    own = mean[np.arange(len(mean)), drawn.labels_]
    assert (own >= mean.max(axis=1) - 1e-9).all()


def test_steadier_than_the_consensus_of_as_many_members():
    runs = [
        (
            DrawnConsensus(3, n_draws=30, max_members=10, random_state=seed).fit_predict(
                members(80, 0.7, seed)
            ),
            CosineLWEA(3).fit_predict(members(10, 0.7, seed)),
        )
        for seed in range(6)
    ]
    steady, plain = (np.mean([ari(TRUTH, run[i]) for run in runs]) for i in (0, 1))
    assert steady > plain


def test_objects_outside_a_draw_find_their_cluster():
    drawn = DrawnConsensus(3, max_objects=50, random_state=0).fit(members(20, 0.2))
    assert drawn.draws_.shape == (100, 40)
    assert ari(drawn.labels_, TRUTH) > 0.9


def test_an_object_that_a_draw_does_not_know_is_missing_there():
    labels = members(12, 0.1).labels.copy()
    labels[0, 1:] = MISSING
    drawn = DrawnConsensus(3, max_members=4, random_state=0).fit(labels)
    assert (drawn.draws_.labels[0] == MISSING).any()
    assert drawn.labels_[0] == drawn.labels_[1]


@pytest.mark.parametrize("max_objects", [30, 1000])
def test_blocks_change_nothing(max_objects):
    E = members(60, lowest=-2)
    model = DrawnConsensus(3, n_draws=20, max_objects=max_objects, random_state=0)
    expected = model.fit(E).labels_
    confidence = model.confidence_
    rows = Rows.from_array(E.labels, [33, 33, 34])
    model.fit(Ensemble(rows))
    np.testing.assert_array_equal(model.labels_, expected)
    np.testing.assert_allclose(model.confidence_, confidence)


def test_jobs_change_nothing():
    model = DrawnConsensus(3, n_draws=20, random_state=1)
    expected = model.fit_predict(members())
    again = clone(model).set_params(n_jobs=2)
    np.testing.assert_array_equal(again.fit_predict(members()), expected)


@pytest.mark.parametrize("n", [120, 750])
def test_a_refit_is_a_fit_of_the_same_draws(n):
    """Trees that are cut again give what a new fit gives; also where one method peels outliers."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 6, n)
    columns = [rng.permutation(12)[group + 6 * (rng.random(n) < 0.2)] for _ in range(60)]
    model = DrawnConsensus(3, n_draws=8, random_state=0).fit(np.column_stack(columns))
    for k in (1, 2, 8):
        again = model.refit(k)
        expected = clone(model).set_params(n_clusters=k).fit(model.ensemble_)
        np.testing.assert_array_equal(again.labels_, expected.labels_)
        np.testing.assert_array_equal(again.confidence_, expected.confidence_)
    np.testing.assert_array_equal(model.refit(3).labels_, model.labels_)


def test_a_refit_with_many_clusters_draws_more_objects():
    """A tree of fewer objects would be written beyond its end."""
    rng = np.random.default_rng(0)
    columns = rng.integers(0, 40, (700, 40))
    model = DrawnConsensus(24, n_draws=2, random_state=0).fit(columns)
    for k in (20, 26):
        expected = clone(model).set_params(n_clusters=k).fit(model.ensemble_)
        np.testing.assert_array_equal(model.refit(k).labels_, expected.labels_)


def test_a_refit_without_a_seed_keeps_the_draws():
    labels = np.random.default_rng(0).integers(0, 4, (80, 60))
    model = DrawnConsensus(3, n_draws=5).fit(labels)
    np.testing.assert_array_equal(model.refit(3).labels_, model.labels_)


def test_copies_and_files_leave_the_trees_out():
    labels = np.random.default_rng(0).integers(0, 4, (80, 60))
    model = DrawnConsensus(3, n_draws=5, random_state=0).fit(labels)
    copied = deepcopy(model)
    assert not copied._drawn.trees
    np.testing.assert_array_equal(copied.refit(4).labels_, model.refit(4).labels_)


def test_agreement_compares_the_even_draws_with_the_odd_ones():
    drawn = DrawnConsensus(3, random_state=0).fit(members(64, 0.75))
    even, odd = (settle_draws(drawn.draws_.labels[:, half::2]) for half in (0, 1))
    assert drawn.agreement_ == ari(even, odd) < 1
    assert np.isnan(DrawnConsensus(3, random_state=0).fit(members(5)).agreement_)


def test_halves_of_the_draws_share_no_member():
    drawn, halves = DrawnConsensus(3), np.repeat([0, 1] * 16, 4)
    seen = [
        set(
            np.concatenate(
                [
                    drawn._draw_members(t, halves, np.random.default_rng(t))
                    for t in range(half, 80, 2)
                ]
            ).tolist()
        )
        for half in (0, 1)
    ]
    assert not seen[0] & seen[1]
    assert len(seen[0] | seen[1]) == 128


@pytest.mark.parametrize("n_kinds", [1, 2, 3, 4])
def test_both_halves_have_all_kinds_of_members(n_kinds):
    kinds = [kind for _ in range(8) for kind in range(n_kinds) for _ in range(4)]
    halves = halves_of([{"algorithm": kind} for kind in kinds])
    assert (halves.reshape(-1, 4) == halves[::4, None]).all()
    for kind in range(n_kinds):
        assert halves[np.array(kinds) == kind].mean() == 0.5
    # more members change nothing
    np.testing.assert_array_equal(
        halves_of([{"algorithm": kind} for kind in kinds[:16]]), halves[:16]
    )


def test_draws_of_the_same_members_are_reused():
    E = Ensemble(np.hstack([members(64, seed=seed).labels for seed in (0, 1)]))
    first = DrawnConsensus(3, random_state=0).fit(E)
    before = dict(first._drawn.labels)
    again = DrawnConsensus(3, random_state=0, settle=True).continue_from(first).fit(E)
    assert len(before) == again.draws_.shape[1] == 80
    assert all(again._drawn.labels[t] is labels for t, labels in before.items())
    alone = DrawnConsensus(3, random_state=0, settle=True).fit(E)
    np.testing.assert_array_equal(again.labels_, alone.labels_)


def test_a_sample_decides_on_the_clusters_of_all():
    E = members(40, 0.3)
    drawn = DrawnConsensus(3, max_compared=60, random_state=0).fit(E)
    assert drawn.draws_.shape == (60, 40)
    assert drawn.labels_.shape == drawn.confidence_.shape == (100,)
    assert ari(drawn.labels_, TRUTH) > 0.9
    assert ((drawn.confidence_ >= 0) & (drawn.confidence_ <= 1)).all()


def test_other_objects_are_assigned_by_some_members():
    E = members(40, 0.3)
    rows, columns = np.arange(0, 100, 2), np.arange(16)
    drawn = DrawnConsensus(3, random_state=0).fit(E[rows])
    drawn.extend(E[:, columns], columns)
    assert drawn.labels_.shape == drawn.confidence_.shape == (100,)
    assert ari(drawn.labels_, TRUTH) > 0.9
    sample = DrawnConsensus(3, random_state=0).fit(E[rows])
    assert drawn.stability_.ari == sample.stability_.ari
    again = drawn.refit(2)
    assert again.labels_.shape == (100,)
    assert set(again.labels_) == {0, 1}
