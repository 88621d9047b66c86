"""K-means-based consensus: utilities against their definitions, and the optimum of small cases."""

from itertools import product

import numpy as np
import pytest

from consens import MISSING
from consens._kernels import COMPILED_FROM
from consens._labels import abstain, check_labels
from consens._numerics import seeding
from consens.consensus import KCC, kcc
from consens.measure import ari


def noisy_labels(seed, lowest, n=40, flips=0.3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    labels = np.repeat(truth[:, None], 5, axis=1)
    wrong = rng.random(labels.shape) < flips
    labels[wrong] = rng.integers(lowest, 5, wrong.sum())
    labels[:, 0] = truth
    return abstain(check_labels(labels))


def plain_mu(shares, utility):
    if utility == "category":
        return (shares**2).sum()
    shares = shares[shares > 0]
    return (shares * np.log(shares)).sum()


def plain_utility(labels, partition, weights, utility):
    total = 0.0
    for column, weight in zip(labels.T, weights, strict=True):
        seen = column != MISSING
        clusters = np.arange(column.max() + 1)

        def mu(inside, column=column, clusters=clusters, seen=seen):
            shares = [(column[inside & seen] == c).mean() for c in clusters]
            return plain_mu(np.array(shares), utility)

        gain = -mu(seen)
        for k in np.unique(partition[seen]):
            gain += ((partition == k) & seen).sum() / seen.sum() * mu(partition == k)
        total += weight * seen.mean() * gain
    return total


@pytest.mark.parametrize("utility", ["category", "entropy"])
@pytest.mark.parametrize("lowest", [0, -2])
def test_the_utility_is_that_of_the_definition(utility, lowest):
    labels = noisy_labels(0, lowest)
    model = KCC(3, utility=utility, random_state=0).fit(labels)
    expected = plain_utility(labels, model.labels_, np.full(5, 1 / 5), utility)
    assert model.utility_ == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("utility", ["category", "entropy"])
@pytest.mark.parametrize("seed", range(4))
def test_no_partition_of_a_small_ensemble_has_a_higher_utility(seed, utility):
    labels = np.repeat([[0], [0], [0], [1], [1], [1], [1]], 4, axis=1)  # one flip per member
    labels[np.random.default_rng(seed).integers(0, 7, 4), range(4)] = 2
    model = KCC(2, utility=utility, n_init=20, random_state=0).fit(labels)
    weights = np.full(4, 1 / 4)
    best = max(
        plain_utility(labels, np.array(p), weights, utility)
        for p in product([0, 1], repeat=7)
        if len(set(p)) == 2
    )
    assert model.utility_ == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("utility", ["category", "entropy"])
@pytest.mark.parametrize("lowest", [0, -2])
def test_every_step_climbs(utility, lowest):
    labels = noisy_labels(2, lowest, n=80)
    weights = np.full(5, 1 / 5)
    problem = kcc._Utility(4, weights, utility)
    partition = np.random.default_rng(0).integers(0, 4, len(labels)).astype(np.int32)
    values = []
    for _ in range(5):
        spread = kcc.profiles(labels, partition)
        values.append(weights @ kcc._values(spread, utility))
        partition = problem.step(labels, spread)[0]
    assert (np.diff(values) >= -1e-12).all()
    assert values[-1] > values[0] + 0.05


@pytest.mark.parametrize("lowest", [0, -2])
@pytest.mark.parametrize("utility", ["category", "entropy"])
def test_starts_of_a_sample_serve_all_objects(monkeypatch, utility, lowest):
    labels = noisy_labels(3, lowest, n=400, flips=0.15)
    labels[0, 1] = labels[:, 1].max() + 1  # a cluster that the sample may miss
    expected = KCC(3, utility=utility, random_state=0).fit(labels)
    monkeypatch.setattr(seeding, "START_ROWS", 100)
    sampled = KCC(3, utility=utility, random_state=0).fit(labels)
    assert sampled.utility_ == pytest.approx(expected.utility_, rel=0.02)
    assert ari(sampled.labels_, expected.labels_) > 0.9


def test_the_compiled_path_gives_the_same(monkeypatch):
    labels = noisy_labels(4, 0)
    expected = KCC(3, random_state=0).fit(labels)
    monkeypatch.setitem(COMPILED_FROM, "objects", 0)
    again = KCC(3, random_state=0).fit(labels)
    np.testing.assert_array_equal(again.labels_, expected.labels_)


@pytest.mark.parametrize("utility", ["category", "entropy"])
def test_starts_at_random_objects_reach_less_than_careful_ones(utility):
    # twelve groups of very different size: random objects rarely come from all of them
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(12), [200, 100, *[10] * 10])
    labels = np.repeat(truth[:, None], 6, axis=1)
    labels = np.where(rng.random(labels.shape) < 0.15, rng.integers(0, 12, labels.shape), labels)
    reached = {
        init: [
            KCC(12, utility=utility, n_init=1, init=init, random_state=r).fit(labels).utility_
            for r in range(8)
        ]
        for init in ("far", "objects")
    }
    assert np.mean(reached["far"]) > np.mean(reached["objects"]) + 0.001
    again = KCC(12, utility=utility, n_init=1, init="objects", random_state=3).fit(labels)
    assert again.utility_ == reached["objects"][3]
    many = KCC(12, utility=utility, n_init=8, init="objects", random_state=0).fit(labels)
    assert many.utility_ >= reached["objects"][0]
