"""Landmark-spectral members: shapes that k-means cannot see, the same in blocks and in memory."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_moons

from consens._blocks import Rows, load
from consens.datasets import make_rings
from consens.generate import KMeansEnsemble, LandmarkEnsemble, MixedEnsemble
from consens.generate.landmarks import _nearest_landmarks, fit_landmarks
from consens.generate.mixed import MEMBER_KINDS
from consens.measure import ari


@pytest.fixture(scope="module")
def moons():
    return make_moons(400, noise=0.05, random_state=0)


def test_members_see_shapes_that_kmeans_cuts(moons):
    X, y = moons
    E = LandmarkEnsemble(10, n_clusters=2, random_state=0).fit_transform(X)
    round_ones = KMeansEnsemble(10, n_clusters=2, random_state=0).fit_transform(X)
    assert np.mean([ari(y, column) for column in E.labels.T]) > 0.9
    assert max(ari(y, column) for column in round_ones.labels.T) < 0.6


def test_the_cut_is_that_of_the_dense_formula():
    X = make_rings(random_state=0)[0][::4]
    (trained,) = fit_landmarks(X, ks=(3,), p=40, q=5, seed=0)
    model = trained.model
    squares = ((X[:, None] - model.landmarks) ** 2).sum(axis=2)
    near = np.argsort(squares, axis=1, kind="stable")[:, :5]
    B = np.zeros_like(squares)
    for i, j in enumerate(near):
        B[i, j] = np.exp(-squares[i, j] / (2 * model.width**2))
    assert model.width == pytest.approx(np.sqrt(np.take_along_axis(squares, near, 1)).mean())
    D = B.sum(axis=1, keepdims=True)
    gram = B.T @ (B / D)
    # the places solve B' D^-1 B v = λ D_z v for its largest λ
    lifted = gram @ model.places / gram.sum(axis=1, keepdims=True)
    values = np.einsum("ij,ij->j", lifted, model.places) / (model.places**2).sum(axis=0)
    np.testing.assert_allclose(lifted, values * model.places, atol=1e-8)
    scale = np.sqrt(gram.sum(axis=1))
    everything = np.linalg.eigvalsh(gram / np.outer(scale, scale))
    np.testing.assert_allclose(np.sort(values), everything[-3:], atol=1e-8)
    place = (B / D) @ model.places
    place /= np.linalg.norm(place, axis=1, keepdims=True)
    nearest = ((place[:, None] - model.centers) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(model.label(X), nearest)
    np.testing.assert_array_equal(trained.own, nearest)


@pytest.mark.parametrize("points", ["random", "grid"])
def test_nearest_landmarks_are_those_of_the_plain_formula(points):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) if points == "random" else rng.integers(0, 3, (60, 3)) * 1.0
    squares = ((X[:, None] - X[:20]) ** 2).sum(axis=2)
    expected = np.argsort(squares, axis=1, kind="stable")[:, :7]
    found = _nearest_landmarks(X, X[:20], 7)
    np.testing.assert_array_equal(found[0], expected)
    np.testing.assert_array_equal(found[1], np.take_along_axis(squares, expected, axis=1))


@pytest.mark.parametrize("generator", [LandmarkEnsemble, MixedEnsemble])
class TestBothGenerators:
    def test_new_rows_are_labelled_alike(self, generator, moons):
        made = generator(6, random_state=0)
        E = made.fit_transform(moons[0])
        np.testing.assert_array_equal(made.transform(moons[0]).labels, E.labels)

    def test_blocks_change_nothing(self, generator, moons):
        expected = generator(4, random_state=0).fit_transform(moons[0]).labels
        rows = Rows.from_array(moons[0], [150, 150, 100])
        E = generator(4, random_state=0).fit_transform(rows)
        np.testing.assert_array_equal(load(E.labels), expected)

    def test_jobs_change_nothing_and_more_members_continue(self, generator, moons):
        few = generator(16, random_state=0).fit_transform(moons[0])
        more = generator(22, random_state=0, n_jobs=2).fit_transform(moons[0])
        np.testing.assert_array_equal(more.labels[:, :16], few.labels)

    def test_a_store_of_fewer_members_is_continued(self, generator, moons, tmp_path):
        generator(4, random_state=0, store=tmp_path).fit(moons[0])
        resumed = generator(6, random_state=0, store=tmp_path).fit_transform(moons[0])
        plain = generator(6, random_state=0).fit_transform(moons[0])
        np.testing.assert_array_equal(resumed.labels, plain.labels)

    def test_a_store_gives_the_members_back(self, generator, moons, tmp_path):
        made = generator(4, random_state=0, store=tmp_path / "members")
        expected = made.fit_transform(moons[0])
        again = generator(4, random_state=0, store=tmp_path / "members")
        np.testing.assert_array_equal(again.fit_transform(moons[0]).labels, expected.labels)
        np.testing.assert_array_equal(
            again.transform(moons[0][:5]).labels, made.transform(moons[0][:5]).labels
        )

    def test_few_objects(self, generator):
        X = np.array([[0.0], [1.0], [5.0]])
        assert generator(3, random_state=0).fit_transform(X).shape == (3, 3)

    def test_equal_objects(self, generator):
        E = generator(3, random_state=0).fit_transform(np.zeros((250, 2)))
        np.testing.assert_array_equal(E.labels, 0)


ALGORITHMS = ["KMeans", "LandmarkSpectral", "GaussianMixture", "Tree"]


@pytest.mark.parametrize("M", [*range(1, 23), 33])
def test_kinds_take_turns(moons, M):
    plans = MixedEnsemble(M, random_state=0)._plans(moons[0])
    found = [plan.algorithm for plan in plans for _ in range(len(plan))]
    assert len(found) == M
    if M >= 16:
        assert found == [ALGORITHMS[m // 4 % 4] for m in range(M)]
    else:  # fewer than four of a kind, as even as can be
        counts = [found.count(name) for name in ALGORITHMS]
        assert found == [one for one, c in zip(ALGORITHMS, counts, strict=True) for _ in range(c)]
        assert max(counts) - min(counts) <= 1


def test_members_of_a_kind_do_not_depend_on_the_others(moons):
    E = MixedEnsemble(32, random_state=0).fit_transform(moons[0])
    for i, kind in enumerate(MEMBER_KINDS):
        alone = MixedEnsemble(8, kinds=(kind,), random_state=0).fit_transform(moons[0])
        of_kind = np.arange(32) // 4 % 4 == i
        np.testing.assert_array_equal(E.labels[:, of_kind], alone.labels)


def test_numbers_of_clusters_of_each_kind(moons):
    E = MixedEnsemble(64, random_state=0).fit_transform(moons[0])
    spread = np.array([record["parameters"]["n_clusters"] for record in E.records])
    # n = 400: sqrt(n) / 2 to 1.5 sqrt(n); 2 to sqrt(n), sqrt(n) / 1.5 and 1.5 sqrt(n)
    for i, (low, high) in enumerate([(10, 30), (2, 20), (2, 13), (2, 30)]):
        own = spread[np.arange(64) // 4 % 4 == i]
        assert low <= own.min() <= low + 2
        assert high - 2 <= own.max() <= high


def test_unknown_kinds_are_named(moons):
    with pytest.raises(ValueError, match="kinds=.*'ward'.*expected one or more of 'kmeans'"):
        MixedEnsemble(4, kinds=("ward",)).fit(moons[0])
    with pytest.raises(ValueError, match="expected one or more of"):
        MixedEnsemble(4, kinds=()).fit(moons[0])


def test_sparse_data_get_kmeans_members(moons):
    E = MixedEnsemble(6, random_state=0).fit_transform(csr_array(moons[0]))
    assert set(E.members["algorithm"]) == {"KMeans"}
