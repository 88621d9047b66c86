"""Members on subsets, projections, weightings and kernels, and libraries of all of them."""

import pickle  # noqa: TID251 - estimators must survive it; no file of ours is read by it

import numpy as np
import pytest
from joblib import parallel_config
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles
from sklearn.pipeline import make_pipeline

from consens import Ensemble, consensus, measure, select
from consens import _blocks as blocks
from consens._support import memory
from consens.generate import (
    FeatureWeightEnsemble,
    ProjectionEnsemble,
    SpectralEnsemble,
    SubspaceEnsemble,
    library,
    views,
    watch,
)

KINDS = [SubspaceEnsemble, ProjectionEnsemble, FeatureWeightEnsemble, SpectralEnsemble]
LINEAR = KINDS[:3]


@pytest.fixture(scope="module")
def X():
    return make_blobs(90, centers=4, n_features=7, random_state=0)[0]


# ------------------------------------------------------------------------- what all keep


@pytest.mark.parametrize("kind", KINDS)
class TestAll:
    def test_the_same_seed_gives_the_same_members(self, kind, X):
        alone = kind(4, random_state=3).fit_transform(X)
        with parallel_config("threading"):
            together = kind(4, random_state=3, n_jobs=2).fit_transform(X)
        np.testing.assert_array_equal(alone.labels, together.labels)
        longer = kind(6, random_state=3).fit_transform(X)
        np.testing.assert_array_equal(longer.labels[:, :4], alone.labels)
        assert longer.records[:4] == alone.records
        assert (kind(4, random_state=4).fit_transform(X).labels != alone.labels).any()

    def test_new_rows_are_labelled_as_the_old_ones(self, kind, X):
        generator = kind(5, random_state=0)
        E = generator.fit_transform(X)
        assert isinstance(E, Ensemble)
        np.testing.assert_array_equal(generator.transform(X).labels, E.labels)
        np.testing.assert_array_equal(generator.transform(X[40:45]).labels, E.labels[40:45])
        copy = pickle.loads(pickle.dumps(generator))  # noqa: S301
        np.testing.assert_array_equal(copy.transform(X).labels, E.labels)

    def test_some_objects_are_enough(self, kind, X):
        E = kind(3, n_clusters=4, max_samples=30, random_state=0).fit_transform(X)
        assert E.shape == (90, 3)
        assert all(r["parameters"]["max_samples"] == 30 for r in E.records)

    def test_k_is_drawn_from_its_range(self, kind, X):
        E = kind(60, n_clusters=(2, 4), random_state=0).fit_transform(X)
        assert {record["parameters"]["n_clusters"] for record in E.records} == {2, 3, 4}
        with pytest.raises(ValueError, match="n_clusters=91 is more than the 90 objects"):
            kind(2, n_clusters=91).fit(X)

    def test_every_cluster_of_a_member_has_objects(self, kind):
        X = np.repeat([[0.0, 0.0], [1.0, 5.0], [2.0, 1.0]], 4, axis=0)
        E = kind(5, n_clusters=6, random_state=0).fit_transform(X)
        for column in E.labels.T:
            assert set(column) == set(range(column.max() + 1))
            assert len(set(column)) <= 3

    @pytest.mark.parametrize("init", ["box", "assignment"])
    def test_k_means_starts_in_the_view_of_the_member(self, kind, init, X):
        if kind is SpectralEnsemble:
            pytest.skip("starts by k-means++ among eigenvectors")
        E = kind(4, n_clusters=5, random_state=0).fit_transform(X)
        generator = kind(4, n_clusters=5, init=init, random_state=0)
        assert (generator.fit_transform(X).labels != E.labels).any()
        np.testing.assert_array_equal(clone(generator).fit(X).transform(X), generator.transform(X))

    def test_equal_rows_are_one_cluster(self, kind):
        E = kind(2, n_clusters=2, random_state=0).fit_transform(np.ones((6, 2)))
        np.testing.assert_array_equal(E.labels, 0)


@pytest.mark.parametrize("kind", LINEAR)
def test_sparse_data_give_the_same_members(kind, X):
    X = np.where(np.abs(X) < 4, 0.0, X)
    dense = kind(3, n_clusters=3, random_state=0)
    sparse = clone(dense)
    labels = dense.fit_transform(X).labels
    same = [
        measure.nmi(a, b)
        for a, b in zip(labels.T, sparse.fit_transform(csr_array(X)).labels.T, strict=True)
    ]
    # scikit-learn runs other code on sparse data, so k-means may end elsewhere
    assert np.mean(same) > 0.8
    np.testing.assert_array_equal(dense.transform(csr_array(X)).labels, labels)


# ------------------------------------------------------------------------- each by itself


def test_a_subspace_member_is_k_means_on_its_columns(X):
    E = SubspaceEnsemble(4, n_clusters=3, random_state=0).fit_transform(X)
    for column, record, payload in zip(E.labels.T, E.records, E.payload, strict=True):
        columns = payload["columns"]
        assert (np.diff(columns) > 0).all()
        assert record["parameters"]["n_features"] == len(columns) in (2, 3)
        model = KMeans(3, init="random", n_init=1, random_state=record["seed"])
        np.testing.assert_array_equal(column, model.fit_predict(X[:, columns]))


def test_a_projected_member_is_k_means_behind_its_projection(X):
    generator = ProjectionEnsemble(4, n_clusters=3, random_state=0)
    E = generator.fit_transform(X)
    for column, record, member in zip(E.labels.T, E.records, generator.members_, strict=True):
        projection = member.model.projection
        assert projection.shape == (7, record["parameters"]["n_components"])
        model = KMeans(3, init="random", n_init=1, random_state=record["seed"])
        np.testing.assert_array_equal(column, model.fit_predict(X @ projection))
        np.testing.assert_allclose(member.payload["centers"], model.cluster_centers_)


def test_a_projection_keeps_squared_lengths_on_average():
    generator = ProjectionEnsemble(200, n_clusters=1, n_components=4, random_state=0)
    members = generator.fit(np.eye(8)).members_
    # each is chi-squared with 4 degrees of freedom over 4: mean 1, variance 1/2
    lengths = np.array([(member.model.projection**2).sum(axis=1) for member in members])
    assert abs(lengths.mean() - 1) < 5 * np.sqrt(0.5 / lengths.size)
    assert len(np.unique(lengths)) == lengths.size


def test_a_weighted_member_is_k_means_on_its_scale(X):
    E = FeatureWeightEnsemble(4, n_clusters=3, max_weight=5, random_state=0).fit_transform(X)
    for column, record, payload in zip(E.labels.T, E.records, E.payload, strict=True):
        assert set(payload["scale"]) <= {1, 2, 3, 4, 5}
        assert record["parameters"]["exponent"] in views.EXPONENTS
        model = KMeans(3, init="random", n_init=1, random_state=record["seed"])
        np.testing.assert_array_equal(column, model.fit_predict(X * payload["scale"]))


@pytest.mark.parametrize("exponent", [0.0, 1.0, 1.5])
def test_weights_follow_zipfs_law(exponent):
    n, largest = 20_000, 6
    drawn = views.draw_zipf(np.random.default_rng(0), exponent, largest, n)
    chance = np.array([i**-exponent for i in range(1, largest + 1)])
    chance /= chance.sum()
    counts = np.bincount(drawn.astype(int), minlength=largest + 1)[1:]
    assert (np.abs(counts - n * chance) < 5 * np.sqrt(n * chance * (1 - chance))).all()


def test_every_exponent_is_drawn(X):
    E = FeatureWeightEnsemble(80, n_clusters=2, random_state=0).fit_transform(X[:20])
    assert {r["parameters"]["exponent"] for r in E.records} == set(views.EXPONENTS)


class TestSpectral:
    def test_a_member_equals_the_plain_method(self, X):
        E = SpectralEnsemble(5, n_clusters=3, n_widths=20, random_state=0).fit_transform(X)
        distances = np.linalg.norm(X[:, None] - X[None], axis=2)
        for column, record in zip(E.labels.T, E.records, strict=True):
            sigma = distances.max() / 2 ** (record["parameters"]["beta"] / 8)
            assert record["parameters"]["width"] == pytest.approx(sigma)
            W = np.exp(-(distances**2) / sigma**2)
            D = W.sum(axis=1)
            vectors = np.linalg.eigh(W / np.sqrt(np.outer(D, D)))[1][:, -3:]
            rows = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
            # k-means may end elsewhere; its answer is a local optimum all the same
            means = np.array([rows[column == c].mean(axis=0) for c in range(3)])
            near = ((rows[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
            np.testing.assert_array_equal(near, column)

    def test_the_iterative_solver_gives_the_same(self, X, monkeypatch):
        dense = SpectralEnsemble(4, n_clusters=(2, 4), n_widths=30, random_state=1)
        labels = dense.fit_transform(X).labels
        monkeypatch.setattr("consens._numerics.eigenvectors.DENSE_BELOW", 10)
        np.testing.assert_array_equal(clone(dense).fit_transform(X).labels, labels)

    def test_narrow_kernels_follow_rings_and_wide_ones_do_not(self):
        X, y = make_circles(200, factor=0.3, noise=0.02, random_state=0)
        generator = SpectralEnsemble(40, n_clusters=2, random_state=0)
        E = generator.fit_transform(X)
        betas = np.array([record["parameters"]["beta"] for record in E.records])
        agreement = np.array([measure.nmi(y, column) for column in E.labels.T])
        assert (agreement[(betas >= 20) & (betas <= 32)] == 1).all()
        assert (agreement[betas < 8] < 0.5).all()
        new, classes = make_circles(50, factor=0.3, noise=0.02, random_state=1)
        best = int(agreement.argmax())
        assert measure.nmi(classes, generator.transform(new).labels[:, best]) == 1

    def test_rows_far_from_all_objects_get_the_nearest_cluster(self, X):
        generator = SpectralEnsemble(8, n_clusters=4, random_state=0)
        labels = generator.fit_transform(X).labels
        far = X[:3] + 1e4 * (X[:3] - X.mean(axis=0))
        found = generator.transform(far).labels
        assert ((found >= 0) & (found <= labels.max(axis=0))).all()

    def test_members_share_x_and_files_do_not_hold_it(self, X):
        generator = SpectralEnsemble(3, random_state=0).fit(X)
        objects = [member.model.objects for member in generator.members_]
        assert objects[0] is objects[1] is objects[2]

    def test_blocks_change_nothing(self, X, monkeypatch):
        generator = SpectralEnsemble(4, random_state=0)
        labels = generator.fit_transform(X).labels
        monkeypatch.setattr(blocks, "BLOCK_BYTES", 10_000)
        np.testing.assert_array_equal(clone(generator).fit_transform(X).labels, labels)

    def test_memory_is_refused_before_it_is_taken(self, X, monkeypatch):
        monkeypatch.setattr(memory, "available_memory", lambda: 1000.0)
        with pytest.raises(MemoryError, match="spectral member of 90 objects.*max_samples"):
            SpectralEnsemble(2).fit(X)


@pytest.mark.parametrize(
    ("generator", "message"),
    [
        (SubspaceEnsemble(n_features=8), "n_features=8 is more than the 7 features of X"),
        (SubspaceEnsemble(n_features=(3, 2)), "expected 1 <= low <= high"),
        (ProjectionEnsemble(n_components=(1, 8)), r"n_components=\(1, 8\) is more than the 7"),
        (ProjectionEnsemble(n_components=0), "'n_components' parameter"),
        (FeatureWeightEnsemble(max_weight=0), "'max_weight' parameter"),
        (SpectralEnsemble(n_widths=0), "'n_widths' parameter"),
    ],
)
def test_bad_parameters(generator, message, X):
    with pytest.raises(ValueError, match=message):
        generator.fit(X)


# ------------------------------------------------------------------------------- libraries


class TestLibrary:
    @pytest.mark.parametrize(
        ("size", "extended", "parts"),
        [
            (600, None, [200] * 3),
            (1000, None, [200] * 5),
            (8, None, [3, 3, 2]),
            (8, True, [2, 2, 2, 1, 1]),
            (601, False, [201, 200, 200]),
        ],
    )
    def test_the_parts_are_equal(self, size, extended, parts):
        made = library(3, size, extended=extended)
        assert [g.n_estimators for _, g in made.transformer_list] == parts
        assert all(g.n_clusters == (2, 6) for _, g in made.transformer_list)

    def test_seeds_differ_between_parts_and_libraries(self):
        seeds = [
            g.random_state for s in (0, 1) for _, g in library(3, random_state=s).transformer_list
        ]
        assert len(set(seeds)) == 6
        assert all(g.random_state is None for _, g in library(3).transformer_list)

    def test_all_k_means_start_alike(self):
        made = library(3, 5, extended=True, init="assignment").transformer_list
        starts = {name: getattr(g, "init", None) for name, g in made}
        assert starts.pop("spectral") is None
        assert set(starts.values()) == {"assignment"}

    def test_a_size_below_the_number_of_kinds(self):
        with pytest.raises(ValueError, match="size=2 is less than the 3 kinds"):
            library(3, size=2)

    def test_members_are_told_apart_and_label_new_rows(self, X):
        made = library(3, size=10, extended=True, random_state=0)
        E = made.fit_transform(X)
        assert isinstance(E, Ensemble)
        assert E.shape == (90, 10)
        assert E.members["algorithm"].nunique() == 5
        assert E.members["seed"].nunique() == 10
        assert E.n_clusters.max() <= 6
        np.testing.assert_array_equal(made.transform(X[:7]).labels, E.labels[:7])

    def test_a_selected_pipeline_is_one_line(self, X, tmp_path):
        members = library(3, size=12, random_state=0)
        pipeline = make_pipeline(
            members,
            select.ClusterAndSelect(6, random_state=0),
            consensus.CSPA(3, random_state=0),
        )
        labels = pipeline.fit_predict(X)
        np.testing.assert_array_equal(clone(pipeline).fit_predict(X), labels)
        copy = pickle.loads(pickle.dumps(pipeline))  # noqa: S301
        np.testing.assert_array_equal(copy.fit_predict(X), labels)
        # interrupted in the second of three parts, and taken up again
        stored = library(3, size=12, random_state=0, store=tmp_path)

        def stop(progress):
            if progress.name == "SubspaceEnsemble" and progress.done == 2:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt), watch(stop):
            stored.fit(X)
        seen = []
        resumed = make_pipeline(stored, *(clone(step) for _, step in pipeline.steps[1:]))
        with watch(seen.append):
            np.testing.assert_array_equal(resumed.fit_predict(X), labels)
        ends = {p.name: p.resumed for p in seen}
        assert ends == {"KMeansEnsemble": 4, "SubspaceEnsemble": 2, "ProjectionEnsemble": 0}
