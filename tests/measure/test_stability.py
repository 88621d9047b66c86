"""Stability under drawing the members anew, against plain twins of Fred and Jain's equations."""

import numpy as np
import pytest

from consens import MISSING, Ensemble
from consens.consensus import EAC
from consens.measure import anmi, pairwise_nmi, stability

TRUTH = np.repeat([0, 1, 2], [9, 7, 6])


def noisy_members(n_members=8, flips=0.2, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.repeat(TRUTH[:, None], n_members, axis=1)
    wrong = rng.random(labels.shape) < flips
    labels[wrong] = rng.integers(0, 3, wrong.sum())
    return labels


class RecordingConsensus:
    """Remembers the ensembles that it combined, and answers from their first member."""

    def __init__(self):
        self.drawn = []

    def __call__(self, ensemble, numbers):
        self.drawn.append(ensemble)
        return [np.minimum(ensemble.labels[:, 0], k - 1) for k in numbers]


def test_plain_twin_of_equations_8_to_12():
    labels = noisy_members()
    consensus = RecordingConsensus()
    table = stability(labels, consensus, [1, 2, 3], n_resamples=12, random_state=0)
    assert len(consensus.drawn) == 12
    for row, k in enumerate([1, 2, 3]):
        partitions = [np.minimum(drawn.labels[:, 0], k - 1) for drawn in consensus.drawn]
        agreement = [
            anmi(partition, drawn, "arithmetic")
            for partition, drawn in zip(partitions, consensus.drawn, strict=True)
        ]
        assert table["mean"].iloc[row] == pytest.approx(np.mean(agreement))
        assert table["std"].iloc[row] == pytest.approx(np.std(agreement, ddof=1))
    above = np.triu_indices(labels.shape[1], k=1)
    within = [pairwise_nmi(drawn, "arithmetic")[above].mean() for drawn in consensus.drawn]
    np.testing.assert_allclose(table["ensemble_std"], np.std(within, ddof=1))
    np.testing.assert_array_equal(table["stable"], table["std"] <= np.std(within, ddof=1))
    assert table.index.name == "n_clusters"
    assert table.index.tolist() == [1, 2, 3]


def test_members_are_drawn_with_replacement_and_keep_their_records():
    labels = noisy_members(6)
    ensemble = Ensemble(labels, [{"name": m} for m in range(6)])
    consensus = RecordingConsensus()
    stability(ensemble, consensus, [2], n_resamples=40, random_state=1)
    names = np.array([[record["name"] for record in drawn.records] for drawn in consensus.drawn])
    for drawn, row in zip(consensus.drawn, names, strict=True):
        np.testing.assert_array_equal(drawn.labels, labels[:, row])
    # 240 draws of 6 names: each count is binomial(240, 1/6); six sd on either side
    counts = np.bincount(names.ravel(), minlength=6)
    assert np.abs(counts - 40).max() < 6 * np.sqrt(240 * 5 / 36)
    assert any(len(set(row)) < 6 for row in names)


def test_an_estimator_is_refitted_on_every_draw():
    labels = noisy_members()
    by_estimator = stability(labels, EAC(), [2, 3], n_resamples=5, random_state=0)
    by_callable = stability(
        labels,
        lambda ensemble, numbers: [EAC(k).fit_predict(ensemble) for k in numbers],
        [2, 3],
        n_resamples=5,
        random_state=0,
    )
    assert by_estimator.equals(by_callable)


def test_draws_that_miss_an_object_or_cannot_tell_k_apart():
    labels = np.column_stack([TRUTH, np.minimum(TRUTH, 1), np.maximum(TRUTH, 1)])
    labels[0, 1:] = MISSING
    table = stability(labels, EAC(), [2, 3], n_resamples=20, random_state=0)
    assert np.isfinite(table.to_numpy(dtype=float)).all()


def test_same_seed_same_table():
    labels = noisy_members()
    first = stability(labels, EAC(), [2, 3, 4], n_resamples=6, random_state=5)
    assert first.equals(stability(labels, EAC(), [2, 3, 4], n_resamples=6, random_state=5))
    assert not first.equals(stability(labels, EAC(), [2, 3, 4], n_resamples=6, random_state=6))


@pytest.mark.parametrize(
    ("consensus", "arguments", "error", "message"),
    [
        (EAC(), {"n_clusters": []}, ValueError, "n_clusters is empty"),
        (EAC(), {"n_clusters": [2], "n_resamples": 1}, ValueError, "n_resamples=1"),
        (3, {"n_clusters": [2]}, TypeError, "must be an estimator or a function"),
    ],
)
def test_impossible_requests_are_named(consensus, arguments, error, message):
    with pytest.raises(error, match=message):
        stability(noisy_members(), consensus, **arguments)
