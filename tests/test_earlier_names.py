"""Numbers and names that clusters keep from an earlier model."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.pipeline import make_pipeline

import consens
from consens import ConsensusClustering, TableFeatures
from consens._naming import Earlier, match_clusters
from consens.consensus import MCLA, LatentEM
from consens.generate import EstimatorEnsemble, KMeansEnsemble, LACEnsemble

CORNERS = np.array([[0, 0], [10, 0], [0, 10], [10, 10]])


def drawn(centers, n=30, seed=0):
    rng = np.random.default_rng(seed)
    return np.vstack([center + rng.normal(size=(n, 2)) for center in centers])


def fit(X, k, seed=0, **options):
    generator = options.pop("generator", KMeansEnsemble(10, n_clusters=k))
    consensus = options.pop("consensus", None)
    model = ConsensusClustering(k, generator=generator, consensus=consensus, random_state=seed)
    return model.fit(X, **options)


def changes(model):
    return [(own.kind, own.before, own.after, own.n_objects) for own in model.changes_]


def matched(table, names, **earlier):
    """Match clusters by a table without objects that lack a cluster."""
    found = match_clusters(np.pad(table, ((0, 1), (0, 1))), Earlier(None, names, **earlier))
    return found.numbers.tolist(), found.names, [own[:3] for own in found.changes]


class TestMatching:
    def test_clusters_keep_number_and_name(self):
        numbers, names, found = matched([[0, 7], [9, 1]], ["a", "b"])
        assert (numbers, names) == ([1, 0], ["a", "b"])
        assert found == [("kept", ("a",), ("a",)), ("kept", ("b",), ("b",))]

    def test_the_larger_part_of_a_split_cluster_keeps_the_name(self):
        numbers, names, found = matched([[4, 6, 0], [0, 0, 5]], ["0", "1"])
        assert (numbers, names) == ([2, 0, 1], ["0", "1", "2"])
        assert found == [("split", ("0",), ("0", "2")), ("kept", ("1",), ("1",))]

    def test_three_small_parts_are_a_split_too(self):
        assert matched([[3, 4, 3]], ["x"])[2] == [("split", ("x",), ("x", "1", "2"))]

    def test_merged_clusters_have_the_name_of_the_larger(self):
        numbers, names, found = matched([[3, 0], [5, 0], [0, 5]], ["0", "1", "2"])
        assert names == ["2", "1"]  # there is no number 2 among two clusters
        assert numbers == [1, 0]
        assert found == [("kept", ("2",), ("2",)), ("merged", ("0", "1"), ("1",))]

    def test_a_vanished_name_is_not_given_to_a_cluster_that_appears(self):
        # most of the third cluster had no label before, and nothing of "1" is left
        table = np.array([[5, 0, 1, 0], [0, 0, 0, 0], [0, 5, 1, 0], [0, 0, 7, 0]])
        found = match_clusters(table, Earlier(None, ["0", "1", "2"]))
        assert found.names == ["0", "3", "2"]
        assert found.changes[1:] == [
            ("vanished", ("1",), (), 0),
            ("kept", ("2",), ("2",), 5),
            ("appeared", (), ("3",), 9),
        ]
        again = match_clusters(table, Earlier(None, ["0", "1", "2"], ["3", "4"]))
        assert again.names == ["0", "5", "2"]

    def test_a_scattered_cluster_vanishes(self):
        table = [[9, 0, 0], [0, 9, 0], [0, 0, 9], [2, 2, 2]]
        assert matched(table, list("abcd"))[2][3] == ("vanished", ("d",), ())

    def test_a_split_beside_a_merge(self):
        found = matched([[8, 0], [6, 4]], ["a", "b"])[2]
        assert found == [("split", ("b",), ("a", "b")), ("merged", ("a", "b"), ("a",))]

    def test_all_clusters_are_mentioned_and_numbers_are_a_permutation(self):
        rng = np.random.default_rng(0)
        for _ in range(200):
            a, b = rng.integers(1, 6, 2)
            table = rng.integers(0, 4, (a + 1, b + 1)) ** 3
            names = [str(i) for i in rng.permutation(8)[:a]]
            found = match_clusters(table, Earlier(None, names))
            assert sorted(found.numbers) == list(range(b))
            assert len(set(found.names)) == b
            assert {name for own in found.changes for name in own.before} == set(names)
            assert {name for own in found.changes for name in own.after} == set(found.names)


class TestFit:
    def test_rows_in_another_order_keep_their_numbers(self):
        old = fit(drawn(CORNERS), 4)
        new = fit(drawn(CORNERS[[2, 0, 3, 1]], seed=1), 4, seed=1, names_from=old)
        assert new.labels_[::30].tolist() == old.labels_[[60, 0, 90, 30]].tolist()
        assert [own.kind for own in new.changes_] == ["kept"] * 4
        assert new.predict(drawn(CORNERS)).tolist() == old.labels_.tolist()
        assert (new.memberships_.argmax(axis=1) == new.labels_).all()

    def test_drift(self):
        """A cluster disappears, another one appears, and the rest moves a little."""
        old = fit(drawn(CORNERS), 4)
        now = np.vstack([CORNERS[[3, 1, 0]] + 0.5, [[30, 30]]])
        new = fit(drawn(now, seed=1), 4, names_from=old)
        gone = str(old.labels_[60])
        assert changes(new)[int(gone)] == ("vanished", (gone,), (), 0)
        assert changes(new)[-1] == ("appeared", (), ("4",), 30)
        assert [new.names_[label] for label in new.labels_[[0, 30, 60]]] == [
            str(label) for label in old.labels_[[90, 30, 0]]
        ]
        later = fit(drawn(CORNERS), 4, names_from=new)  # the names "4" and `gone` are used up
        assert set(later.names_) == ({"0", "1", "2", "3"} - {gone}) | {"5"}

    def test_a_new_group_beyond_a_cluster_is_no_part_of_it(self):
        """The earlier model assigns the new group to the cluster that vanished."""
        old = fit(drawn(CORNERS), 4)
        now = np.vstack([CORNERS[:3], [[30, 30]]])
        new = fit(drawn(now, seed=1), 4, names_from=old)
        gone = str(old.predict([[30, 30]])[0])
        assert changes(new)[int(gone)] == ("vanished", (gone,), (), 0)
        assert changes(new)[-1] == ("appeared", (), ("4",), 30)

    def test_halves_of_a_cluster_are_a_split_at_any_sizes(self):
        old = fit(drawn(CORNERS), 4)
        halves = np.vstack([[[-1.5, 0], [1.5, 0]], CORNERS[1:]])
        X = halves[np.repeat(range(5), 30)]
        X = X + 0.4 * np.random.default_rng(1).normal(size=X.shape)
        for rows in (slice(None), np.r_[:60, 60:150:3]):
            found = changes(fit(X[rows], 5, names_from=old))
            host = str(old.predict([[0, 0]])[0])
            assert [own[:3] for own in found if own[0] != "kept"] == [
                ("split", (host,), (host, "4"))
            ]

    def test_numbers_of_every_result_agree(self):
        X = drawn(CORNERS[:3])
        old = fit(X, 3)
        swapped = [{0: "1", 1: "2", 2: "0"}[label] for label in old.labels_.tolist()]
        plain = fit(X, 3)
        model = fit(X, 3, names_from=swapped)
        assert [str(label) for label in model.labels_] == swapped
        order = [2, 0, 1]  # former number of each cluster
        np.testing.assert_allclose(model.memberships_, plain.memberships_[:, order])
        np.testing.assert_allclose(model.confidence_, plain.confidence_)
        np.testing.assert_allclose(model.stability_.clusters, plain.stability_.clusters[order])
        assert (model.predict(X) == model.labels_).all()

    @pytest.mark.parametrize("consensus", [MCLA(), LatentEM(), "wsbpa"])
    def test_attributes_of_a_method_follow(self, consensus):
        X = drawn(CORNERS[:3])
        generator = LACEnsemble(3) if consensus == "wsbpa" else KMeansEnsemble(10, n_clusters=3)
        plain = fit(X, 3, generator=generator, consensus=consensus)
        shift = (plain.labels_ + 1) % 3
        model = fit(X, 3, generator=generator, consensus=consensus, names_from=shift)
        assert (model.labels_ == shift).all()
        old, new = plain.consensus_, model.consensus_
        for name in ("meta_clusters_", "cluster_labels_"):
            if hasattr(old, name):
                assert (getattr(new, name) == (getattr(old, name) + 1) % 3).all()
        if consensus == "wsbpa":
            assert (new.cluster_centers_ == old.cluster_centers_[[2, 0, 1]]).all()
            assert (new.predict(X) == shift).all()
        if hasattr(old, "probabilities_"):
            assert (new.probabilities_ == old.probabilities_[:, [2, 0, 1]]).all()

    def test_a_chosen_number_of_clusters(self, all_members):
        X = drawn(CORNERS[:3])
        labels = np.repeat([2, 0, 1], 30)
        model = ConsensusClustering(random_state=0).fit(X, names_from=labels)
        assert model.labels_.tolist() == labels.tolist()
        assert model.results_.labels[3].tolist() == labels.tolist()

    def test_labels_with_gaps_and_noise(self):
        X = drawn(CORNERS[:3])
        given = ["north"] * 30 + ["south"] * 20 + [None] * 5 + [np.nan] * 5 + [-1] * 30
        model = fit(X, 3, names_from=given)
        assert [model.names_[label] for label in model.labels_[::30]] == ["north", "south", "2"]
        assert changes(model)[1:] == [
            ("kept", ("south",), ("south",), 20),
            ("appeared", (), ("2",), 30),
        ]

    def test_noise_stays_noise(self):
        X = np.vstack([drawn(CORNERS[:2]), [[50, 50], [-50, 50]]])
        members = EstimatorEnsemble(HDBSCAN(10, copy=True), n_estimators=5)
        model = fit(X, 2, generator=members, names_from=np.repeat([1, 0, -1], [30, 30, 2]))
        assert model.labels_[[0, 30, 60]].tolist() == [1, 0, -1]
        assert changes(model) == [("kept", ("0",), ("0",), 30), ("kept", ("1",), ("1",), 30)]

    def test_clusterers_of_scikit_learn(self):
        X = drawn(CORNERS[:2])
        old = KMeans(2, n_init=1, random_state=0).fit(X)
        assert (fit(X, 2, names_from=old).labels_ == old.labels_).all()

    def test_pipelines(self):
        table = pd.DataFrame(drawn(CORNERS[:3]), columns=["a", "b"])
        steps = TableFeatures(), ConsensusClustering(3, generator=KMeansEnsemble(10))
        old = make_pipeline(*steps).set_params(consensusclustering__random_state=0).fit(table)
        new = make_pipeline(*steps).set_params(consensusclustering__random_state=1)
        shuffled = table.sample(frac=1, random_state=0)
        new.fit(shuffled, consensusclustering__names_from=old.predict(shuffled))
        assert (new.predict(table) == old.predict(table)).all()
        # inside a pipeline, the features are no longer those that the earlier pipeline knows
        with pytest.raises(ValueError, match=r"none of the columns 'a', 'b'.*earlier labels"):
            new.fit(shuffled, consensusclustering__names_from=old)

    def test_it_is_saved(self, tmp_path):
        X = drawn(CORNERS[:2])
        model = fit(X, 2, names_from=["b"] * 30 + ["a"] * 30)
        consens.save(model, tmp_path / "m")
        again = consens.load(tmp_path / "m")
        assert again.names_ == ["a", "b"]
        assert changes(again) == changes(model)
        assert fit(X, 2, seed=3, names_from=again).names_ == ["a", "b"]

    def test_a_second_fit_forgets_the_names(self):
        X = drawn(CORNERS[:2])
        model = fit(X, 2, names_from=["b"] * 30 + ["a"] * 30).fit(X)
        assert model.names_ == ["0", "1"]
        assert model.changes_ is None

    def test_wrong_models_and_labels(self):
        X = drawn(CORNERS[:2])
        old = fit(X, 2)
        with pytest.raises(ValueError, match="has 3 features.*give a model of the same features"):
            fit(np.c_[X, X[:, 0]], 2, names_from=old)
        with pytest.raises(ValueError, match="names_from: the reference has 2 labels, but"):
            fit(X, 2, names_from=["a", "b"])
        with pytest.raises(ValueError, match="names_from: the reference has no labels"):
            fit(X, 2, names_from=[None] * 60)
