"""Members of a collection in blocks are those of the whole, and so is what comes of them."""

import numpy as np
import pytest

from consens import ConsensusClustering, _engine
from consens._blocks import Rows, Task, functions
from consens._support.progress import watch_progress
from consens.consensus import EAC, KCC, LWEA, LWGP, LWMC, WBPA
from consens.generate import (
    EstimatorEnsemble,
    FeatureWeightEnsemble,
    KMeansEnsemble,
    LACEnsemble,
    ProjectionEnsemble,
    PrototypeEnsemble,
    SpectralEnsemble,
    SubspaceEnsemble,
    kmeans_ensemble,
    lac_ensemble,
    watch,
)
from studies._datasets import make_three_gaussians

SIZES = [[900], [300, 300, 300], [1, 99, 500, 300]]


@pytest.fixture(scope="module")
def data():
    X, y = make_three_gaussians(random_state=0)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@pytest.fixture
def _large(monkeypatch):
    """As if 900 objects were many: members are trained on samples."""
    monkeypatch.setattr(kmeans_ensemble, "MIN_SAMPLES", 120)
    monkeypatch.setattr(kmeans_ensemble, "SAMPLES_PER_CENTER", 20)
    monkeypatch.setattr(lac_ensemble, "LARGE", 500)
    monkeypatch.setattr(lac_ensemble, "MIN_OBJECTS", 200)
    monkeypatch.setattr(lac_ensemble, "OBJECTS_PER_CENTER", 30)


def assert_same_members(found, expected):
    np.testing.assert_array_equal(np.asarray(found), expected.labels)
    assert list(found.records) == list(expected.records)
    for own, other in zip(found.payload, expected.payload, strict=True):
        for name in other:
            np.testing.assert_array_equal(np.asarray(own[name]), other[name])
    np.testing.assert_array_equal(found.n_clusters, expected.n_clusters)


GENERATORS = [
    KMeansEnsemble(6, n_clusters=(2, 9), random_state=0),
    KMeansEnsemble(4, n_clusters=5, max_samples=0.3, random_state=0),
    KMeansEnsemble(3, random_state=0),
    LACEnsemble(3, inverse_h=[0, 1, 5], random_state=0),
    LACEnsemble((2, 5), inverse_h=[1, 5], init="random", random_state=0),
    LACEnsemble(3, inverse_h=[1, 5], max_samples=90, random_state=0),
    SubspaceEnsemble(3, n_clusters=(2, 9), random_state=0),
    SubspaceEnsemble(3, n_clusters=4, max_samples=90, random_state=0),
    ProjectionEnsemble(3, n_clusters=(2, 9), n_components=(1, 2), random_state=0),
    ProjectionEnsemble(3, n_clusters=4, max_samples=90, random_state=0),
    FeatureWeightEnsemble(3, n_clusters=(2, 9), random_state=0),
    FeatureWeightEnsemble(3, n_clusters=4, max_samples=90, random_state=0),
]


@pytest.mark.usefixtures("_large")
@pytest.mark.parametrize("generator", GENERATORS, ids=repr)
def test_members_are_those_of_the_whole(generator, data):
    X, _ = data
    expected = generator.fit_transform(X)
    new = generator.transform(X[:50])
    for sizes in SIZES:
        assert_same_members(generator.fit_transform(Rows.from_array(X, sizes)), expected)
        labels = generator.transform(Rows.from_array(X[:50], [20, 30]))
        np.testing.assert_array_equal(np.asarray(labels), new.labels)


@pytest.mark.parametrize("generator", [GENERATORS[0], GENERATORS[3]], ids=repr)
def test_few_objects_are_trained_on_as_a_whole(generator, data):
    X, _ = data
    expected = generator.fit_transform(X)
    assert_same_members(generator.fit_transform(Rows.from_array(X, SIZES[2])), expected)


@pytest.mark.usefixtures("_large")
def test_samples_that_do_not_fit_together_are_gathered_one_after_the_other(data, monkeypatch):
    X, _ = data
    generator = GENERATORS[0]
    expected = generator.fit_transform(X)
    monkeypatch.setattr(functions, "SAMPLE_BYTES", 16 * 300)
    assert_same_members(generator.fit_transform(Rows.from_array(X, SIZES[1])), expected)


def test_clusters_without_objects_are_left_out():
    X = np.repeat([[0.0], [1.0], [7.0]], 40, axis=0)
    generator = KMeansEnsemble(3, n_clusters=5, random_state=0)
    assert_same_members(
        generator.fit_transform(Rows.from_array(X, [50, 70])), generator.fit_transform(X)
    )


def test_float32_and_integers(data):
    X, _ = data
    generator = KMeansEnsemble(2, n_clusters=3, random_state=0)
    for own in (X.astype(np.float32), np.rint(10 * X).astype(int)):
        found = generator.fit_transform(Rows.from_array(own, SIZES[1]))
        np.testing.assert_array_equal(np.asarray(found), generator.fit_transform(own).labels)


@pytest.mark.usefixtures("_large", "few_refits")
@pytest.mark.parametrize(
    "consensus", [LWGP(), LWMC(), KCC(), WBPA()], ids=lambda c: type(c).__name__
)
def test_the_front_door(consensus, data):
    X, _ = data
    generator = (
        LACEnsemble(inverse_h=[1, 4, 8]) if isinstance(consensus, WBPA) else KMeansEnsemble(8)
    )
    model = ConsensusClustering(3, generator=generator, consensus=consensus, random_state=0)
    expected = model.fit(X).labels_
    confidence, new = model.confidence_, model.predict(X[:40])
    for sizes in SIZES[1:]:
        model.fit(Rows.from_array(X, sizes))
        np.testing.assert_array_equal(model.labels_, expected)
        np.testing.assert_array_equal(model.confidence_, confidence)
        np.testing.assert_array_equal(model.predict(Rows.from_array(X[:40], [13, 27])), new)
        np.testing.assert_array_equal(model.predict(X[:40]), new)


def test_a_small_collection_gets_the_same_default(data):
    X, _ = data
    model = ConsensusClustering(3, generator=KMeansEnsemble(5), random_state=0)
    expected = model.fit(X).labels_
    found = model.fit(Rows.from_array(X, SIZES[2]))
    assert isinstance(found.consensus_, LWEA)
    np.testing.assert_array_equal(found.labels_, expected)
    np.testing.assert_array_equal(found.confidence_, found.consensus_.confidence_)


@pytest.mark.usefixtures("_large")
@pytest.mark.parametrize("linkage", ["single", "average"])
def test_prototypes_make_evidence_accumulation_possible(linkage, data):
    X, _ = data
    generator = PrototypeEnsemble(KMeansEnsemble(8, n_clusters=6), n_prototypes=40)
    model = ConsensusClustering(
        3, generator=generator, consensus=EAC(linkage=linkage), random_state=0
    )
    expected = model.fit(X).labels_
    cores, new = model.generator_.nearest_core(X), model.predict(X[:30])
    for sizes in SIZES:
        found = model.fit(Rows.from_array(X, sizes))
        np.testing.assert_array_equal(found.labels_, expected)
        np.testing.assert_array_equal(
            found.generator_.nearest_core(Rows.from_array(X, sizes)), cores
        )
        np.testing.assert_array_equal(found.predict(Rows.from_array(X[:30], [10, 20])), new)
    model.set_params(n_clusters=None).fit(Rows.from_array(X, SIZES[1]))
    np.testing.assert_array_equal(model.labels_, model.fit(X).labels_)


def test_evidence_accumulation_of_many_distinct_rows_points_to_prototypes(monkeypatch):
    labels = np.column_stack([np.arange(900), np.arange(900) % 7])
    monkeypatch.setattr("consens.consensus.eac.MAX_DISTINCT", 500)
    for own in (labels, np.where(labels == 3, -1, labels)):
        with pytest.raises(TypeError, match="EAC needs all objects.*PrototypeEnsemble"):
            EAC(3).fit(Rows.from_array(own, SIZES[0]))


class TestStore:
    @pytest.mark.usefixtures("_large")
    @pytest.mark.parametrize("kind", [KMeansEnsemble, ProjectionEnsemble, SubspaceEnsemble])
    def test_finished_members_are_taken_up_again(self, kind, data, tmp_path):
        X, _ = data
        generator = kind(5, n_clusters=4, random_state=0, store=tmp_path)

        def stop(progress):
            if progress.done == 3:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt), watch(stop):
            generator.fit(Rows.from_array(X, SIZES[1]))
        assert len(list(tmp_path.glob("*.npz"))) == 3
        told = []
        with watch(told.append):
            found = generator.fit_transform(Rows.from_array(X, SIZES[2]))
        assert told[0].resumed == told[0].done == 3
        assert_same_members(found, generator.set_params(store=None).fit_transform(X))

    def test_a_store_of_blocks_goes_on_in_memory(self, data, tmp_path):
        X, _ = data
        generator = KMeansEnsemble(3, n_clusters=4, random_state=0, store=tmp_path)
        expected = generator.fit_transform(Rows.from_array(X, SIZES[2]))
        told = []
        with watch(told.append):
            assert_same_members(generator.fit_transform(X), expected)
        assert told[0].resumed == 3

    def test_one_changed_value_anywhere_is_another_run(self, data, tmp_path):
        X, _ = data
        generator = KMeansEnsemble(2, n_clusters=4, random_state=0, store=tmp_path)
        generator.fit(Rows.from_array(X, SIZES[1]))
        for other in (np.roll(X, 1, axis=0), X[::-1]):
            with pytest.raises(ValueError, match="its X has other values"):
                generator.fit(Rows.from_array(np.ascontiguousarray(other), SIZES[1]))
        for row in (0, 1, 450, 898, 899):
            other = X.copy()
            other[row, 1] = np.nextafter(other[row, 1], np.inf)
            with pytest.raises(ValueError, match="its X has other values"):
                generator.fit(Rows.from_array(other, SIZES[2]))


@pytest.mark.usefixtures("_large")
@pytest.mark.parametrize("generator", GENERATORS, ids=repr)
def test_blocks_are_read_twice_before_members_are_trained(generator, data, tmp_path):
    X, _ = data
    rows, n_blocks = Rows.from_array(X, SIZES[1]), len(SIZES[1])
    seen = []
    with watch_progress(seen.append, "blocks"), watch(seen.append):
        generator.set_params(store=tmp_path).fit(rows)
    generator.set_params(store=None)
    first = next(i for i, report in enumerate(seen) if report.what == "members")
    made = next(i for i, report in enumerate(seen[first + 1 :]) if report.what == "members")
    # finite values and fingerprint in one pass, then the samples of all members in another
    assert first == made == n_blocks


@pytest.mark.parametrize(
    ("options", "before"),
    [
        ({}, 2),  # values are checked, and a sample is drawn
        ({"scale": "minmax"}, 2),
        ({"scale": "standard"}, 2),  # means and deviations need the ranges, the sample only places
        ({"scale": "log"}, 2),
    ],
)
@pytest.mark.parametrize("flag", [False, True])  # beside it, the others are measured
def test_blocks_are_read_once_to_label_all_objects(monkeypatch, data, options, before, flag):
    X = data[0].copy()
    if flag:
        X[:, 0] = X[:, 0] > 0
    monkeypatch.setattr(_engine, "WORKING_OBJECTS", 60)
    monkeypatch.setattr(_engine, "LABELLERS", 10)
    reads = []

    def read(number):
        reads.append(number)
        return np.split(X, np.cumsum(SIZES[1])[:-1])[number]

    tasks = [Task(read, number) for number in range(len(SIZES[1]))]
    rows = Rows(tasks, SIZES[1], X.shape[1], X.dtype)
    model = ConsensusClustering(3, recipe="kmeans", random_state=0, **options)
    with watch(lambda progress: reads.append("members")):
        model.fit(rows)
    first = reads.index("members")
    assert [reads[:first].count(number) for number in range(len(tasks))] == [before] * len(tasks)
    assert [reads[first:].count(number) for number in range(len(tasks))] == [1] * len(tasks)


class TestBadInput:
    def test_missing_values_are_named(self, data):
        X = data[0].copy()
        X[[5, 700], 1] = np.nan
        with pytest.raises(ValueError, match=r"X contains NaN in column 1 \(2 of 900 values\)"):
            KMeansEnsemble(2).fit(Rows.from_array(X, SIZES[1]))

    def test_too_many_clusters(self, data):
        rows = Rows.from_array(np.repeat([[0.0], [1.0]], 20, axis=0), [15, 25])
        with pytest.raises(ValueError, match="n_clusters=3 is more than the 2 distinct objects"):
            ConsensusClustering(3, consensus=LWGP()).fit(rows)

    def test_names(self):
        with pytest.raises(ValueError, match="expected rows and columns of numbers"):
            KMeansEnsemble(2).fit(Rows.from_array(np.array([["a"], ["b"]]), [1, 1]))

    @pytest.mark.parametrize("kind", [EstimatorEnsemble, SpectralEnsemble])
    def test_generators_that_need_all_objects_say_so(self, kind, data):
        with pytest.raises(TypeError, match=f"{kind.__name__} needs all objects at once"):
            kind().fit(Rows.from_array(data[0], SIZES[1]))
