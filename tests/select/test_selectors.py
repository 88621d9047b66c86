"""Selectors: against their definitions on tiny libraries, and what all of them keep."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from sklearn.datasets import make_blobs
from sklearn.metrics import normalized_mutual_info_score

from consens import MISSING, ConsensusClustering, Ensemble, generate, select
from consens.select import _base

from ._libraries import libraries, pair_by_pair, three_kinds

ALL = [getattr(select, name) for name in select.__all__ if not name.startswith("Base")]
SIZED = [cls for cls in ALL if "n_selected" in cls().get_params()]


def first_largest(values):
    return int(np.flatnonzero(np.asarray(values) >= max(values) - 1e-9)[0])


class TestGreedy:
    @settings(deadline=None, max_examples=20)
    @given(
        libraries,
        st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    )
    def test_every_step_is_the_best_of_all(self, labels, alpha):
        nmi = pair_by_pair(labels)
        quality = nmi.mean(axis=1)

        def criterion(members):  # Eq. 5.2 with means
            pairs = [(i, j) for i in members for j in members if i < j]
            return alpha * np.mean([quality[i] for i in members]) + (1 - alpha) * np.mean(
                [1 - nmi[i, j] for i, j in pairs]
            )

        members = [first_largest(quality)]
        while len(members) < labels.shape[1]:
            rest = [m for m in range(labels.shape[1]) if m not in members]
            members.append(rest[first_largest([criterion([*members, m]) for m in rest])])
        selector = select.SelectJoint(labels.shape[1], alpha=alpha)
        assert selector.fit(labels.astype(str)).order_.tolist() == members

    @settings(deadline=None, max_examples=20)
    @given(libraries, st.data())
    def test_the_ends_of_alpha_are_quality_and_diversity(self, labels, data):
        size = data.draw(st.integers(1, labels.shape[1]))
        for alpha, other in ((1.0, select.SelectQuality), (0.0, select.SelectDiversity)):
            joint = select.SelectJoint(size, alpha=alpha).fit(Ensemble(labels))
            np.testing.assert_array_equal(joint.order_, other(size).fit(Ensemble(labels)).order_)

    def test_quality_is_the_mean_nmi_with_the_library(self):
        labels = three_kinds()
        selector = select.SelectQuality(3).fit(labels)
        nmi = pair_by_pair(labels)
        np.testing.assert_allclose(selector.similarity_, nmi, atol=1e-9)
        np.testing.assert_allclose(selector.quality_, nmi.sum(axis=1) / 12, atol=1e-9)
        kept = selector.get_support()
        assert kept.sum() == 3
        assert selector.quality_[kept].min() >= selector.quality_[~kept].max()
        i, j, k = selector.order_
        expected = 1 - (nmi[i, j] + nmi[i, k] + nmi[j, k]) / 3
        assert selector.diversity_ == pytest.approx(expected)

    def test_diversity_takes_unlike_members_first(self):
        selector = select.SelectDiversity(3).fit(three_kinds())
        assert {m // 4 for m in selector.order_} == {0, 1, 2}

    @settings(deadline=None, max_examples=20)
    @given(libraries)
    def test_diversity_may_start_with_the_pair_that_agrees_least(self, labels):
        size = labels.shape[1]
        selector = select.SelectDiversity(size, init="pair").fit(Ensemble(labels))
        assert sorted(selector.order_) == list(range(size))
        if size > 1:
            apart = pair_by_pair(labels)[np.triu_indices(size, 1)].min()
            i, j = selector.order_[:2]
            assert pair_by_pair(labels)[i, j] == pytest.approx(apart, abs=1e-9)
        assert select.SelectDiversity(1, init="pair").fit(Ensemble(labels)).order_.tolist() == (
            select.SelectQuality(1).fit(Ensemble(labels)).order_.tolist()
        )

    def test_equal_members_go_by_their_index(self):
        one = np.array([0, 0, 1, 1, 2, 2])
        renamed = np.array([2, 2, 0, 0, 1, 1])
        labels = np.stack([one, renamed, one, renamed], axis=1)
        for cls in (select.SelectQuality, select.SelectDiversity, select.SelectJoint):
            assert cls(3).fit(labels).order_.tolist() == [0, 1, 2]

    @pytest.mark.parametrize("cls", [select.SelectQuality, select.SelectDiversity])
    def test_renaming_clusters_and_permuting_objects_change_nothing(self, cls):
        labels = three_kinds()
        order = np.random.default_rng(1).permutation(90)
        changed = 2 - labels[order]
        np.testing.assert_array_equal(cls(5).fit(labels).order_, cls(5).fit(changed).order_)


class TestClusterAndSelect:
    def test_the_best_of_each_group_is_kept(self):
        selector = select.ClusterAndSelect(3, random_state=0).fit(three_kinds())
        np.testing.assert_array_equal(selector.groups_, np.repeat([0, 1, 2], 4))
        expected = [4 * g + selector.quality_[4 * g : 4 * g + 4].argmax() for g in range(3)]
        assert selector.get_support(indices=True).tolist() == expected
        assert (np.diff(selector.quality_[selector.order_]) <= 0).all()

    def test_a_rare_kind_of_member_gets_a_group_by_right_angles(self):
        # 60 members of one kind, changed here and there, and two single ones of other kinds
        rng = np.random.default_rng(0)
        members = []
        for _ in range(60):
            member = np.arange(90) % 3
            member[rng.choice(90, 25, replace=False)] = rng.integers(0, 3, 25)
            members.append(member)
        labels = np.stack([*members, np.arange(90) // 30, np.arange(90) // 10 % 3], axis=1)
        for seed in range(5):
            kept = select.ClusterAndSelect(3, random_state=seed).fit(labels)
            assert {60, 61} <= set(kept.get_support(indices=True))

    def test_one_group_keeps_the_best_and_a_group_per_member_keeps_all(self):
        labels = three_kinds()
        one = select.ClusterAndSelect(1).fit(labels)
        assert one.order_.tolist() == [one.quality_.argmax()]
        assert select.ClusterAndSelect(12).fit(labels).get_support().all()

    def test_copies_still_give_as_many_members_as_asked(self):
        labels = np.repeat(three_kinds(copies=1), 5, axis=1)
        selector = select.ClusterAndSelect(7, random_state=0).fit(labels)
        assert selector.get_support().sum() == selector.n_selected_ == 7

    def test_a_seed_gives_the_same_members(self):
        labels = np.random.default_rng(0).integers(0, 3, (30, 20))
        first, second = (select.ClusterAndSelect(6, random_state=3).fit(labels) for _ in range(2))
        np.testing.assert_array_equal(first.order_, second.order_)


class TestConvexHull:
    def diagram(self, labels):
        nmi = pair_by_pair(labels)
        quality = nmi.mean(axis=1)
        pairs = [(i, j) for i in range(len(nmi)) for j in range(i + 1, len(nmi))]
        return pairs, np.array([[nmi[i, j], (quality[i] + quality[j]) / 2] for i, j in pairs])

    def test_members_are_those_of_scipys_hull(self):
        labels = np.random.default_rng(2).integers(0, 4, (25, 15))
        pairs, points = self.diagram(labels)
        corners = [pairs[v] for v in ConvexHull(points).vertices]
        selector = select.SelectConvexHull().fit(labels)
        assert {tuple(pair) for pair in selector.pairs_} == set(corners)
        members = {m for pair in corners for m in pair}
        assert set(selector.get_support(indices=True)) == members
        assert selector.n_selected_ == len(members)

    @settings(deadline=None, max_examples=20)
    @given(libraries)
    def test_no_direction_has_a_point_beyond_the_corners(self, labels):
        pairs, points = self.diagram(labels)
        selector = select.SelectConvexHull().fit(labels.astype(str))
        if not pairs:
            assert selector.order_.tolist() == [0]
            return
        corners = points[[pairs.index(tuple(pair)) for pair in selector.pairs_]]
        angles = np.linspace(0, 2 * np.pi, 64, endpoint=False)
        directions = np.stack([np.cos(angles), np.sin(angles)])
        reach = (points @ directions).max(axis=0)
        np.testing.assert_allclose((corners @ directions).max(axis=0), reach, atol=1e-8)

    def test_copies_add_nothing(self):
        labels = np.random.default_rng(2).integers(0, 4, (25, 8))
        alone = select.SelectConvexHull().fit(labels)
        assert alone.n_selected_ < 8
        twice = select.SelectConvexHull().fit(np.repeat(labels, 2, axis=1))
        # a member and its copy are a pair of their own, with NMI 1
        assert twice.n_selected_ <= 2 * alone.n_selected_ + 4
        assert (np.diff(twice.pairs_, axis=1) > 0).all()

    def test_points_on_one_line(self):
        labels = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
        # NMI 1 for the pair (0, 1) of quality 2/3, 0 for (0, 2) and (1, 2) of quality 1/2
        assert select.SelectConvexHull().fit(labels).pairs_.tolist() == [[0, 2], [0, 1]]

    def test_equal_members(self):
        labels = np.tile([[0], [0], [1]], 4)
        assert select.SelectConvexHull().fit(labels.T[:3].T).order_.tolist() == [0, 1]


class TestDraws:
    def test_random_selections_of_one_seed_are_nested(self):
        labels = np.zeros((4, 30), dtype=int)
        large = select.SelectRandom(20, random_state=5).fit(Ensemble(labels)).order_
        small = select.SelectRandom(7, random_state=5).fit(Ensemble(labels)).order_
        np.testing.assert_array_equal(small, large[:7])
        other = select.SelectRandom(20, random_state=6).fit(Ensemble(labels)).order_
        assert not np.array_equal(other, large)

    def test_every_member_is_as_likely(self):
        labels = Ensemble(np.zeros((4, 10), dtype=int))
        counts = np.zeros(10)
        for seed in range(1000):
            counts[select.SelectRandom(3, random_state=seed).fit(labels).order_] += 1
        # 300 expected with a standard deviation of 14.5; 5 of them for ten members
        assert np.abs(counts - 300).max() < 5 * np.sqrt(1000 * 0.3 * 0.7)

    def test_the_median_of_the_candidates_is_kept(self):
        labels = np.random.default_rng(3).integers(0, 3, (40, 12))
        selector = select.SelectMedianDiversity(4, n_candidates=11, random_state=0).fit(labels)
        nmi = pair_by_pair(labels)
        diversities = [
            np.mean([1 - nmi[i, j] for i in c for j in c if i < j]) for c in selector.candidates_
        ]
        np.testing.assert_allclose(selector.diversities_, diversities, atol=1e-9)
        assert np.sum(selector.diversities_ < selector.diversity_) == 5
        assert np.sum(selector.diversities_ > selector.diversity_) == 5
        assert (np.diff(selector.candidates_, axis=1) > 0).all()

    def test_of_an_even_number_the_one_below_the_middle_is_kept(self):
        labels = np.random.default_rng(4).integers(0, 3, (40, 12))
        selector = select.SelectMedianDiversity(4, n_candidates=4, random_state=0).fit(labels)
        assert selector.diversity_ == np.sort(selector.diversities_)[1]


class TestDropDegenerate:
    labels = np.array([[0, 0, 0, 0], [0, 0, 1, 0], [1, 0, 2, 1], [1, 1, 3, 2]])

    def test_by_hand(self):
        selector = select.DropDegenerate(0.5).fit(self.labels)
        quarter, half = 0.25 * np.log(4), 0.5 * np.log(2)
        uneven = (quarter + 0.75 * np.log(4 / 3)) / np.log(2)
        three = (half + 2 * quarter) / np.log(3)
        np.testing.assert_allclose(selector.entropy_, [1, uneven, 1, three])
        assert selector.get_support(indices=True).tolist() == [0, 2]

    @pytest.mark.parametrize(("share", "left"), [(10, 10), (0.9, 9), (0.81, 9), (0.7, 7)])
    def test_the_share_is_rounded_up(self, share, left):
        labels = np.random.default_rng(0).integers(0, 3, (20, 10))
        assert select.DropDegenerate(share).fit(labels).n_selected_ == left

    def test_one_cluster_and_noise_only_have_no_entropy(self):
        labels = np.array([[0, -1, 0], [0, -1, -1], [0, -1, 1]])
        np.testing.assert_array_equal(
            select.DropDegenerate(0.5).fit(Ensemble(labels)).entropy_, [0, 0, 1]
        )

    def test_of_equal_members_the_first_stay(self):
        labels = np.tile(self.labels[:, :1], 4)
        kept = select.DropDegenerate(0.5).fit(labels)
        assert kept.get_support(indices=True).tolist() == [0, 1]


@pytest.mark.parametrize("cls", ALL)
class TestAll:
    def ensemble(self):
        labels = three_kinds()
        records = [{"name": f"m{m}", "seed": m} for m in range(12)]
        payload = [{"centers": np.full((3, 1), m)} for m in range(12)]
        return Ensemble(labels, records, payload, obs=np.arange(100, 190))

    def fitted(self, cls, X):
        seeded = {"random_state": 0} if "random_state" in cls().get_params() else {}
        return cls(**seeded).fit(X)

    def test_an_ensemble_stays_one_with_its_side_cars(self, cls):
        ensemble = self.ensemble()
        selector = self.fitted(cls, ensemble)
        kept = selector.get_support(indices=True)
        chosen = selector.transform(ensemble)
        assert isinstance(chosen, Ensemble)
        np.testing.assert_array_equal(chosen.labels, ensemble.labels[:, kept])
        assert [r["seed"] for r in chosen.records] == kept.tolist()
        assert [p["centers"][0, 0] for p in chosen.payload] == kept.tolist()
        np.testing.assert_array_equal(chosen.obs, ensemble.obs)
        assert len(chosen.members) == selector.n_selected_ == len(selector.order_)

    def test_tables_keep_their_names_and_values(self, cls):
        table = pd.DataFrame(self.ensemble().labels).map("abc".__getitem__)
        table.columns = [f"m{m}" for m in range(12)]
        selector = self.fitted(cls, table)
        plain = self.fitted(cls, self.ensemble())
        np.testing.assert_array_equal(selector.order_, plain.order_)
        names = selector.get_feature_names_out()
        assert names.tolist() == [f"m{m}" for m in selector.get_support(indices=True)]
        selector.set_output(transform="pandas")
        pd.testing.assert_frame_equal(selector.transform(table), table[list(names)])

    def test_back_in_their_places(self, cls):
        labels = three_kinds()
        selector = self.fitted(cls, labels)
        kept = selector.get_support()
        back = selector.inverse_transform(selector.transform(labels))
        np.testing.assert_array_equal(back[:, kept], labels[:, kept])
        assert (back[:, ~kept] == MISSING).all()
        with pytest.raises(ValueError, match=f"expected {selector.n_selected_} columns"):
            selector.inverse_transform(labels[:, :0])

    def test_another_number_of_members_is_refused(self, cls):
        ensemble = self.ensemble()
        selector = self.fitted(cls, ensemble)
        with pytest.raises(ValueError, match="11 features, but .* is expecting 12"):
            selector.transform(ensemble[:, :11])

    def test_one_member_and_missing_labels(self, cls):
        labels = three_kinds()
        labels[:5, :6] = MISSING
        labels[5:8] = -1
        assert 1 <= self.fitted(cls, labels).n_selected_ <= 12
        assert self.fitted(cls, labels[:, -1:]).get_support().all()

    def test_it_fits_the_front_door(self, cls):
        X, y = make_blobs(60, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
        model = ConsensusClustering(
            3, generator=generate.KMeansEnsemble(20), selector=cls(), random_state=0
        ).fit(X)
        assert normalized_mutual_info_score(y, model.labels_) > 0.7
        assert model.ensemble_.shape[1] == model.selector_.n_selected_
        np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("cls", SIZED)
class TestSizes:
    def test_numbers_and_shares(self, cls):
        labels = np.random.default_rng(0).integers(0, 3, (30, 10))
        for n_selected, size in ((1, 1), (4, 4), (10, 10), (0.2, 2), (0.25, 3), (0.01, 1)):
            assert cls(n_selected).fit(labels).n_selected_ == size

    def test_more_than_there_are(self, cls):
        with pytest.raises(ValueError, match="n_selected=5 is more than the 3 members"):
            cls(5).fit(np.random.default_rng(0).integers(0, 3, (30, 3)))

    @pytest.mark.parametrize("n_selected", [0, 1.0, -1, 1.5, "all"])
    def test_what_is_no_size(self, cls, n_selected):
        with pytest.raises(ValueError, match="'n_selected' parameter"):
            cls(n_selected).fit(np.random.default_rng(0).integers(0, 3, (30, 3)))


def test_one_ensemble_is_compared_once(monkeypatch):
    calls = []
    true = _base.pairwise_nmi
    monkeypatch.setattr(_base, "pairwise_nmi", lambda e: calls.append(e) or true(e))
    ensemble = Ensemble(three_kinds())
    for selector in (select.SelectQuality(3), select.SelectJoint(5), select.SelectConvexHull()):
        selector.fit(ensemble)
    assert len(calls) == 1
    select.SelectQuality(3).fit(Ensemble(three_kinds()))
    assert len(calls) == 2


def test_a_count_beyond_all_reason():
    with pytest.raises(ValueError, match="'n_candidates' parameter of SelectMedianDiversity"):
        select.SelectMedianDiversity(n_candidates=2**70).fit(np.zeros((4, 3), dtype=int))
