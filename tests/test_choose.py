"""How many clusters: the rule, what it shows, and what it costs nothing to promise."""

import copy
from functools import cache, partial

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_blobs, make_circles, make_moons
from sklearn.preprocessing import StandardScaler

from consens import ConsensusClustering, Ensemble
from consens.choose import choose_n_clusters
from consens.choose.choice import Resamples, curves, draw_agreement, spectrum
from consens.choose.rule import largest_n_clusters
from consens.choose.splits import split_tree
from consens.consensus import EAC, CosineLWEA
from consens.evidence import coassociation
from consens.generate import KMeansEnsemble, MixedEnsemble
from consens.measure import ari
from consens.partition import cut
from studies._datasets import make_cube

MEMBERS = KMeansEnsemble(20)


def spread(k, n=150, n_features=2, seed=0):
    """Blobs of variance 1 with centres on a circle (or its higher-dimensional stand-in)."""
    angle = 2 * np.pi * np.arange(k) / k
    radius = 5 / np.sin(np.pi / k)  # neighbours are 10 apart
    centers = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    centers = np.hstack([centers, np.zeros((k, n_features - 2))])
    return make_blobs(n, centers=centers, random_state=seed)


@pytest.fixture(scope="module")
def model():
    X, _ = spread(3, n=70)
    return ConsensusClustering(generator=MEMBERS, random_state=0).fit(X)


class TestRule:
    def test_the_reason_for_one_cluster(self):
        labels = np.repeat([[0], [1]], 5, axis=0).repeat(3, axis=1)
        one = choose_n_clusters(labels, max_clusters=1, random_state=0)
        assert (one.n_clusters, one.rule) == (1, "only one cluster is allowed (max_clusters=1)")
        assert (one.reason, one.votes, one.agreement) == (one.rule, {}, 1.0)
        same = choose_n_clusters(np.zeros((10, 3), dtype=int), random_state=0)
        assert same.n_clusters == 1
        assert same.rule == "all objects have the same labels in every member"

    @pytest.mark.parametrize("bad", [0, 2.5, float("nan"), "3"])
    def test_bad_max_clusters(self, bad):
        with pytest.raises((TypeError, ValueError), match="max_clusters="):
            choose_n_clusters(np.zeros((10, 3), dtype=int), max_clusters=bad)

    @pytest.mark.parametrize("k", [2, 3, 5, 7])
    @pytest.mark.parametrize("n_features", [2, 6])
    def test_blobs(self, k, n_features):
        X, y = spread(k, n_features=n_features)
        model = ConsensusClustering(generator=MEMBERS, random_state=0).fit(X)
        assert model.n_clusters_ == k
        assert ari(model.labels_, y) == 1

    # each cube is split with probability 0.05 at most; three of ten have probability 0.01
    def test_a_uniform_cube_is_seldom_split(self):
        cubes = [make_cube(150, random_state=seed)[0] for seed in range(10)]
        models = [ConsensusClustering(generator=MEMBERS, random_state=0).fit(X) for X in cubes]
        assert sum(model.n_clusters_ > 1 for model in models) < 3

    @pytest.mark.parametrize("n_features", [2, 5])
    def test_a_normal_cloud_is_one_cluster(self, n_features):
        X = np.random.default_rng(0).normal(size=(150, n_features))
        assert ConsensusClustering(generator=MEMBERS, random_state=0).fit(X).n_clusters_ == 1

    def test_wine(self, all_members):
        X, y = load_wine(return_X_y=True)
        model = ConsensusClustering(random_state=0).fit(StandardScaler().fit_transform(X))
        assert model.n_clusters_ == 3
        assert ari(model.labels_, y) > 0.7

    def test_moons(self, all_members):
        X, _ = make_moons(300, noise=0.06, random_state=0)
        assert ConsensusClustering(random_state=0).fit(X).n_clusters_ == 2

    def test_kinds_of_members_are_judged_apart(self):
        connected = np.random.default_rng(0).integers(0, 3, (30, 12))
        parted = connected + np.repeat([[0], [3]], 15, axis=0)
        kinds = [{"algorithm": "a"}] * 12 + [{"algorithm": "b"}] * 6
        both = Ensemble(np.hstack([connected, parted[:, :6]]), kinds)
        found = choose_n_clusters(both, random_state=0).curves
        own, other = (curves(Ensemble(labels), 5) for labels in (connected, parted[:, :6]))
        for curve, one, two in zip(found, own, other, strict=True):
            np.testing.assert_allclose(curve, (2 * one + two) / 3)

    def test_without_objects_to_split_there_are_two_clusters_at_least(self):
        X, _ = make_cube(100, random_state=0)
        choice = choose_n_clusters(MEMBERS.fit_transform(X), n_resamples=2, random_state=0)
        assert choice.n_clusters > 1
        assert choice.p_split is None
        assert "of two clusters or more" in choice.rule

    def test_a_split_that_members_do_not_see(self):
        # two circles of 75 objects: each member cuts them, the test finds the gap
        X, _ = make_circles(150, noise=0.05, factor=0.5, random_state=0)
        ensemble = KMeansEnsemble(30, random_state=0).fit_transform(X)
        choice = choose_n_clusters(
            ensemble, split=partial(split_tree, X, random_state=0), random_state=0
        )
        assert choice.curves.score.argmax() == 0
        assert choice.p_split < 0.05
        assert choice.n_clusters == 2 + choice.curves.score[1:].argmax()
        assert f"a split is found (p = {choice.p_split:.2g})" in choice.reason

    def test_one_cluster_has_the_largest_score_and_no_split(self):
        X, _ = make_cube(150, random_state=0)
        results = ConsensusClustering(random_state=0).fit(X).results_
        assert results.n_clusters == 1
        assert results.table["score"].idxmax() == 1
        assert results.p_split > 0.05
        assert f"({results.table['score'][1]:.2f}), and no split is found" in results.reason

    def test_too_few_objects_to_split(self):
        X = np.random.default_rng(0).normal(size=(12, 2))
        choice = ConsensusClustering(random_state=0).fit(X).results_
        assert choice.n_clusters == 1
        assert choice.p_split is None
        assert "no split is found (too few objects)" in choice.rule

    @pytest.mark.parametrize("k", [2, 3, 8])
    def test_the_score_of_the_choice_is_the_largest(self, k):
        results = ConsensusClustering(random_state=0).fit(spread(k)[0]).results_
        score = results.table["score"]
        assert score.idxmax() == results.n_clusters == k
        assert f"largest sum of lifetimes and eigengap ({score[k]:.2f});" in results.reason
        assert results.p_split is None


class TestResults:
    def test_every_number_tried_has_labels_and_measures(self, model):
        results = model.results_
        numbers = list(range(1, 9))  # up to √70
        assert results.table.index.tolist() == list(results.labels) == numbers
        assert [len(np.unique(results.labels[k])) for k in numbers] == numbers
        assert results.table.iloc[1:].notna().all(axis=None)
        np.testing.assert_array_equal(results.labels[3], model.labels_)

    def test_partitions_of_the_tree_are_those_of_a_fit(self, model):
        for k in (2, 5):
            fitted = ConsensusClustering(k, generator=MEMBERS, random_state=0)
            fitted.fit(spread(3, n=70)[0])
            np.testing.assert_array_equal(model.results_.labels[k], fitted.labels_)

    def test_score_is_the_sum_of_its_parts(self, model):
        table = model.results_.table
        parts = table["lifetime"] + table["lifetime_average"] + table["eigengap"]
        np.testing.assert_allclose(table["score"], parts)

    def test_votes_are_counted(self, model):
        results = model.results_
        counted = results.table["n_votes"]
        assert counted.sum() == len(results.votes) == 6
        assert results.agreement == counted[3] / 6
        assert {"lifetime", "eigengap", "bootstrap", "delta_area", "pac"} < results.votes.keys()
        assert f"{counted[3]} of 6 criteria alone agree" in results.reason

    def test_what_is_only_shown_is_computed_when_it_is_read(self, monkeypatch):
        drawn = []
        draw = Resamples.table
        monkeypatch.setattr(Resamples, "table", lambda *args: drawn.append(1) or draw(*args))
        X, _ = spread(3, n=70)
        results = ConsensusClustering(generator=MEMBERS, random_state=0).fit(X).results_
        assert not drawn
        assert list(results.labels) == list(results.numbers)
        assert results.reason.endswith("criteria alone agree")
        assert results.table is results.table
        assert len(drawn) == 1

    @pytest.mark.parametrize("read_first", [False, True])
    def test_a_copy_has_the_same_results(self, model, read_first):
        if read_first:
            assert len(model.results_.table)
        again = copy.deepcopy(model).results_
        assert again.table.equals(model.results_.table)
        assert again.reason == model.results_.reason
        np.testing.assert_array_equal(again.labels[4], model.results_.labels[4])

    def test_a_number_that_was_not_tried(self, model):
        with pytest.raises(KeyError):
            model.results_.labels[40]

    def test_max_clusters(self):
        X, _ = spread(3, n=70)
        model = ConsensusClustering(generator=MEMBERS, max_clusters=4, random_state=0).fit(X)
        assert list(model.results_.labels) == [1, 2, 3, 4]

    def test_only_where_the_number_was_chosen(self):
        X, _ = spread(2, n=30)
        for given in ({"n_clusters": 2}, {"consensus": EAC(2)}):
            model = ConsensusClustering(generator=MEMBERS, random_state=0, **given).fit(X)
            assert model.results_ is None

    def test_a_large_table_is_decided_by_a_sample(self, monkeypatch):
        monkeypatch.setattr("consens.cluster.MAX_OBJECTS", 60)
        X, y = spread(3, n=200)
        model = ConsensusClustering(generator=MEMBERS, random_state=0).fit(X)
        assert ari(model.labels_, y) == 1
        assert model.results_.table.index[-1] == 7  # √60
        assert all(len(labels) == 200 for labels in model.results_.labels.values())
        assert model.results_.resamples.ensemble.shape == (60, 20)

    def test_same_seed_same_choice_whatever_n_jobs(self, model):
        X, _ = spread(3, n=70)
        again = ConsensusClustering(generator=MEMBERS, random_state=0, n_jobs=2).fit(X)
        assert again.results_.table.equals(model.results_.table)

    def test_members_on_disk_are_those_of_the_data_only(self, tmp_path):
        X, _ = spread(2, n=40)
        generator = KMeansEnsemble(10, store=tmp_path)
        model = ConsensusClustering(generator=generator, random_state=0).fit(X)
        again = ConsensusClustering(generator=generator, random_state=0).fit(X)
        np.testing.assert_array_equal(model.labels_, again.labels_)

    def test_noise_stays_noise_for_every_number(self):
        labels = np.repeat([[0, 0], [1, 1], [-1, -1]], [5, 5, 2], axis=0)

        class Fixed:
            def get_params(self, deep=True):
                return {}

            def set_params(self, **params):
                return self

            def __sklearn_clone__(self):
                return self

            def fit(self, X, y=None):
                return self

            def transform(self, X):
                return labels[: len(X)]

            fit_transform = transform

        model = ConsensusClustering(generator=Fixed(), max_clusters=2, random_state=0)
        model.fit(np.random.default_rng(0).normal(size=(12, 2)))
        for partition in model.results_.labels.values():
            np.testing.assert_array_equal(partition[10:], -1)


class TestCandidates:
    def test_the_choice_comes_first_and_all_differ(self, model):
        candidates = model.results_.candidates
        numbers = [one.n_clusters for one in candidates]
        assert numbers[0] == model.n_clusters_ == 3
        assert len(numbers) == len(set(numbers)) == 3
        assert candidates[0].agreement == 1  # three blobs that are far apart
        assert candidates[0].score == pytest.approx(model.results_.curves.score[2])

    def test_agreement_by_hand(self):
        # two members that agree on two clusters, in twelve draws of one of them
        labels = np.column_stack([[0, 0, 1, 1], [1, 1, 0, 0]])
        np.testing.assert_array_equal(draw_agreement(Ensemble(labels), [2], seed=0), [1])
        # members that contradict each other: draws of the same agree, draws of both do not
        labels = np.column_stack([[0, 0, 1, 1], [0, 1, 0, 1]])
        drawn = np.random.default_rng(0)
        picks = np.array([drawn.choice(2, 1, replace=False)[0] for _ in range(12)])
        same = np.equal.outer(picks, picks)[np.triu_indices(12, 1)]
        expected = np.where(same, 1.0, ari([0, 0, 1, 1], [0, 1, 0, 1])).mean()
        assert draw_agreement(Ensemble(labels), [2], seed=0)[0] == pytest.approx(expected)

    def test_a_partition_is_found_again_at_any_number(self):
        # members that part three groups, some of them with an outlier of its own
        rng = np.random.default_rng(0)
        labels = np.repeat([0, 1, 2], 6)[:, None].repeat(8, axis=1)
        labels[rng.integers(0, 18, 8), np.arange(8)] = 3
        numbers = [2, 3, 4, 5]
        drawn = np.random.default_rng(1)
        cuts = []
        for _ in range(12):
            members = np.sort(drawn.choice(8, 4, replace=False))
            tree = CosineLWEA().fit(labels[:, members]).linkage_
            cuts.append([tuple(cut(tree, k)) for k in numbers])
        agreement = cache(ari)  # many draws give the same partitions
        expected = [
            np.mean(
                [
                    max(agreement(own[i], other) for other in others)
                    for a, own in enumerate(cuts)
                    for b, others in enumerate(cuts)
                    if a != b
                ]
            )
            for i in range(len(numbers))
        ]
        found = draw_agreement(Ensemble(labels), numbers, seed=1)
        np.testing.assert_allclose(found, expected)
        assert found[1] > found[2] > found[3]

    def test_rivals_have_the_next_score_and_the_largest_agreement(self, model):
        results = model.results_
        numbers = list(results.numbers[1:])
        found = draw_agreement(results.resamples.ensemble, numbers, results.resamples.seed)
        assert found.min() < found.max()
        score = results.table["score"].drop([1, 3])
        rivals = [k for k in sorted(numbers, key=lambda k: -found[k - 2]) if k != 3]
        expected = dict.fromkeys([3, score.idxmax(), *rivals])
        assert [one.n_clusters for one in results.candidates] == list(expected)[:3]
        assert [one.agreement for one in results.candidates] == [
            found[one.n_clusters - 2] for one in results.candidates
        ]

    def test_the_members_to_combine_are_drawn(self):
        X, _ = spread(3, n=70)
        model = ConsensusClustering(generator=MixedEnsemble(30), random_state=0).fit(X)
        drawn = model.results_.resamples.ensemble
        np.testing.assert_array_equal(drawn.matrix, model.ensemble_.matrix)

    def test_clusters_inside_clusters_are_both_candidates(self):
        centers = [[0, 0], [4, 0], [40, 0], [44, 0]]
        X, _ = make_blobs(120, centers=centers, cluster_std=0.5, random_state=0)
        model = ConsensusClustering(generator=MixedEnsemble(60), random_state=0).fit(X)
        assert {2, 4} <= {one.n_clusters for one in model.results_.candidates}

    def test_one_cluster_has_no_agreement(self):
        X, _ = make_cube(60, random_state=0)
        first = (
            ConsensusClustering(generator=MEMBERS, random_state=0).fit(X).results_.candidates[0]
        )
        assert (first.n_clusters, first.agreement) == (1, None)

    def test_equal_rows(self):
        model = ConsensusClustering(generator=MEMBERS, random_state=0).fit(np.zeros((20, 2)))
        assert [one.n_clusters for one in model.results_.candidates] == [1]


class TestSmallCases:
    def test_equal_rows_are_one_cluster(self):
        model = ConsensusClustering(generator=MEMBERS, random_state=0).fit(np.zeros((20, 2)))
        assert model.n_clusters_ == 1
        assert list(model.results_.labels) == [1]

    def test_two_objects(self):
        model = ConsensusClustering(generator=MEMBERS, random_state=0).fit([[0.0], [1.0]])
        assert model.n_clusters_ == 1

    @pytest.mark.parametrize(("n", "largest"), [(3, 1), (16, 4), (99, 9), (1000, 15)])
    def test_range(self, n, largest):
        labels = np.arange(n)[:, None] % [40, 2]
        assert largest_n_clusters(Ensemble(labels)) == largest

    @pytest.mark.parametrize(
        ("n", "k", "largest"), [(6, 3, 3), (6, 5, 3), (99, 12, 12), (200, 40, 30)]
    )
    def test_no_fewer_than_every_member_has(self, n, k, largest):
        labels = np.arange(n)[:, None] % [k, k + 1]
        assert largest_n_clusters(Ensemble(labels)) == largest

    def test_no_more_than_distinct_objects(self):
        assert largest_n_clusters(Ensemble(np.arange(100)[:, None] % 3)) == 3


class TestParts:
    def test_eigenvalues_are_those_of_the_objects(self):
        # The walk object -> cluster -> object has the matrix B D_c^-1 B' / M, whose eigenvalues
        # are those of the small problem on the side of the clusters.
        labels = np.random.default_rng(0).integers(0, 3, (25, 4))
        one_hot = np.hstack([np.eye(3)[column] for column in labels.T])
        walk = one_hot / one_hot.sum(axis=0) @ one_hot.T / 4
        expected = np.sort(np.linalg.eigvals(walk).real)[::-1][:6]
        np.testing.assert_allclose(spectrum(Ensemble(labels), 6), expected, atol=1e-10)

    def test_groups_that_no_cluster_connects(self):
        labels = np.repeat([[0, 0, 1], [1, 2, 0], [2, 1, 2]], 4, axis=0)
        found = curves(Ensemble(labels), 4)
        for curve in found:
            np.testing.assert_allclose(curve, [0, 0, 1, 0], atol=1e-12)

    def test_one_cluster_lives_above_the_last_merge(self):
        labels = np.random.default_rng(1).integers(0, 3, (20, 10))
        found = curves(Ensemble(labels), 3)
        matrix = coassociation(labels)
        connected = [
            np.linalg.matrix_power(matrix >= level, 20)[0].all() for level in np.unique(matrix)
        ]
        assert found.lifetime[0] == pytest.approx(np.unique(matrix)[connected].max())
