"""Consensus clustering per k: the consensus index, item and cluster consensus, p-values."""

import numpy as np
import pytest
from scipy.integrate import quad
from sklearn.cluster import AgglomerativeClustering, KMeans

from consens._labels import MISSING
from consens._support.progress import watch_progress
from consens.choose.resampling import (
    ResampledPartition,
    against_references,
    draw_members,
    normal_reference,
    resampled_consensus,
)
from consens.ensemble import Ensemble


def three_groups(seed, per_group=20):
    """Three round groups, each as far from the others."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(3 * per_group, 3)) + 7 * np.eye(3).repeat(per_group, axis=0)


def test_a_case_by_hand():
    """Four objects, three draws of three; the pair 0, 2 was drawn together once, and so on."""
    drawn = [[0, 0, MISSING], [0, 0, 0], [1, MISSING, 0], [MISSING, 1, 1]]
    found = ResampledPartition(2, Ensemble(np.array(drawn, dtype=np.int32)))
    expected = [[1, 1, 0, 0], [1, 1, 1 / 2, 0], [0, 1 / 2, 1, 0], [0, 0, 0, 1]]
    np.testing.assert_allclose(found.matrix, expected)
    # 0 and 1 first; 2 joins them at (0 + 1/2) / 2, before 3, which was with nobody
    assert found.labels.tolist() == [0, 0, 0, 1]
    np.testing.assert_allclose(
        found.item_consensus, [[1 / 2, 0], [3 / 4, 0], [1 / 4, 0], [0, np.nan]]
    )
    np.testing.assert_allclose(found.cluster_consensus, [(1 + 0 + 1 / 2) / 3, np.nan])
    assert found.pac == pytest.approx(1 / 6)  # one pair of six is ambiguous
    assert found.cdf.area == pytest.approx(1 - 1.5 / 6)


def test_the_consensus_index_by_loops():
    """Together over drawn together, pair by pair, on members that Ward's method gives."""
    X = np.random.default_rng(1).normal(size=(25, 3))
    found = resampled_consensus(X, [2, 4], n_resamples=15, n_references=0, random_state=3)
    for k, partition in found.partitions.items():
        members = partition.ensemble.labels
        for r in range(15):
            rows = np.flatnonzero(members[:, r] != MISSING)
            assert len(rows) == 20  # 0.8 of 25
            again = AgglomerativeClustering(k).fit_predict(X[rows])
            same = np.equal.outer(again, again)
            np.testing.assert_array_equal(same, np.equal.outer(members[rows, r], members[rows, r]))
        inside = np.zeros((25, k))
        for i in range(25):
            for j in range(25):
                both = [r for r in range(15) if members[i, r] >= 0 and members[j, r] >= 0]
                together = sum(members[i, r] == members[j, r] for r in both)
                index = together / len(both) if i != j else 0
                inside[i, partition.labels[j]] += index
                assert partition.matrix[i, j] == pytest.approx(index if i != j else 1)
        sizes = np.bincount(partition.labels)
        others = sizes - np.equal.outer(partition.labels, np.arange(k))
        np.testing.assert_allclose(
            partition.item_consensus[others > 0], (inside / np.maximum(others, 1))[others > 0]
        )


def test_all_numbers_share_their_draws():
    members = draw_members(three_groups(0), [2, 3, 5], None, 6, 0.5, seed=1)
    seen = [ensemble.labels != MISSING for ensemble in members.values()]
    assert all((one == seen[0]).all() for one in seen)
    assert [ensemble.n_clusters.tolist() for ensemble in members.values()] == [
        [k] * 6 for k in (2, 3, 5)
    ]


def test_the_comparison_with_references_by_hand():
    references = np.array([[0.4], [0.6], [0.5], [0.1]])
    found = against_references(np.array([0.2]), references, n_pairs=100)
    assert found["reference_pac"] == pytest.approx(0.4)
    assert found["rcsi"] == pytest.approx(np.log10(2))
    assert found["p_value"] == pytest.approx(2 / 5)
    # variance 0.14 / 3, so a + b = 0.24 / variance - 1, and a = 0.4 (a + b)
    total = 0.24 / (0.14 / 3) - 1
    a, b = 0.4 * total, 0.6 * total

    def density(x):
        return x ** (a - 1) * (1 - x) ** (b - 1)

    expected = quad(density, 0, 0.2)[0] / quad(density, 0, 1)[0]
    assert found["p_beta"] == pytest.approx(expected)


def test_no_ambiguous_pair_counts_as_half_a_pair():
    found = against_references(np.array([0.0, 0.0]), np.array([[0.5, 0.0], [0.3, 0.0]]), 50)
    np.testing.assert_allclose(found["rcsi"], [np.log10(0.4 / 0.01), 0])
    np.testing.assert_allclose(found["p_value"], [1 / 3, 1])
    assert np.isnan(found["p_beta"][1])  # references that do not vary have no tail


def test_references_have_mean_and_covariance_of_the_data():
    rng = np.random.default_rng(0)
    n = 4000
    X = rng.exponential(size=(n, 3)) @ np.array([[2.0, 1.0, 0.0], [0, 1, 1], [0, 0, 0.2]])
    drawn = normal_reference(X, seed=1)
    covariance = np.cov(X.T)
    spread = np.diag(covariance)
    np.testing.assert_array_less(
        np.abs(drawn.mean(axis=0) - X.mean(axis=0)), 5 * np.sqrt(spread / n)
    )
    # standard error of a covariance of normal values
    error = np.sqrt((np.outer(spread, spread) + covariance**2) / n)
    np.testing.assert_array_less(np.abs(np.cov(drawn.T) - covariance), 5 * error)
    assert normal_reference(X[:4].repeat(2, axis=1), seed=0).shape == (4, 6)


def test_three_groups_are_told_from_one():
    found = resampled_consensus(
        three_groups(0), [2, 3, 4], n_resamples=20, n_references=19, random_state=0
    )
    table = found.table
    assert table["pac"].idxmin() == table["rcsi"].idxmax() == 3
    assert table.loc[3, "p_value"] == 1 / 20  # no reference is as clear
    assert table.loc[3, "p_beta"] < 1 / 1000
    assert np.bincount(found.partitions[3].labels).tolist() == [20, 20, 20]
    np.testing.assert_allclose(found.partitions[3].cluster_consensus, 1)


@pytest.mark.slow
def test_one_gaussian_seldom_gets_a_small_p_value():
    """At most 0.05 in one of twenty: eight of forty have a probability below 0.001."""
    small = 0
    for seed in range(40):
        X = np.random.default_rng(seed).normal(size=(50, 3)) * [3, 2, 1]
        found = resampled_consensus(X, [3], n_resamples=20, n_references=19, random_state=seed)
        small += found.table.loc[3, "p_value"] <= 0.05
    assert small < 8


def test_one_gaussian():
    """A p-value of 0.1 has a probability of 0.1: four of six would be one case in 800."""
    small = 0
    for seed in range(6):
        X = np.random.default_rng(seed).normal(size=(40, 3)) * [3, 2, 1]
        found = resampled_consensus(X, [3], n_resamples=15, n_references=9, random_state=seed)
        small += found.table.loc[3, "p_value"] <= 0.1
    assert small < 4


def test_the_same_seed_gives_the_same_numbers():
    X = three_groups(2)
    told = []
    with watch_progress(told.append, "units"):
        first, second = (
            resampled_consensus(X, [2, 3], n_resamples=10, n_references=2, random_state=7)
            for _ in range(2)
        )
    assert [(own.name, *own[1:3]) for own in told] == [("resampling", n, 3) for n in range(3)] * 2
    np.testing.assert_array_equal(first.table, second.table)
    np.testing.assert_array_equal(first.partitions[2].matrix, second.partitions[2].matrix)


def test_any_clusterer_and_a_sample_of_many_objects():
    found = resampled_consensus(
        three_groups(3, per_group=100),
        [3],
        estimator=KMeans(n_init=3),
        n_resamples=10,
        n_references=0,
        max_objects=90,
        random_state=0,
    )
    assert len(found.objects) == 90
    assert found.table.columns.tolist() == ["area", "delta_area", "pac"]
    truth = found.objects // 100
    assert len(set(zip(truth, found.partitions[3].labels, strict=True))) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": [1, 2]}, "n_clusters=1"),
        ({"n_clusters": []}, "expected numbers from 2"),
        ({"n_clusters": [49]}, "48 objects of a resample"),
        ({"max_samples": 1.5}, "max_samples"),
        ({"n_resamples": 0}, "n_resamples"),
        ({"n_references": -1}, "n_references"),
    ],
)
def test_errors_say_what_is_allowed(options, message):
    with pytest.raises(ValueError, match=message):
        resampled_consensus(three_groups(0), **({"n_clusters": [2]} | options))
