"""Fitted models in files: the same predictions, small, and damage is noticed."""

import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler

import consens
from consens import ConsensusClustering, combine, load, save
from consens.consensus import WSBPA
from consens.generate import EstimatorEnsemble, KMeansEnsemble, LACEnsemble
from consens.io.models import MODEL_META, dump_model
from consens.select import ClusterAndSelect

X, Y = make_blobs(120, 3, centers=3, cluster_std=0.7, random_state=1)
NEW = np.random.default_rng(0).uniform(X.min(), X.max(), (50, 3))

MODELS = {
    "default": ConsensusClustering(3, random_state=0, scale="auto"),
    "generator": ConsensusClustering(3, generator=KMeansEnsemble(10), random_state=0),
    "estimators": ConsensusClustering(
        3,
        generator=EstimatorEnsemble([KMeans(3, n_init=1), KMeans(4, n_init=1)], n_estimators=6),
        random_state=0,
    ),
    "weights": ConsensusClustering(3, generator=LACEnsemble(3), consensus=WSBPA(), random_state=0),
    "method": ConsensusClustering(3, consensus="voting", random_state=0),
    "selector": ConsensusClustering(
        3, generator=KMeansEnsemble(10), selector=ClusterAndSelect(5), random_state=0
    ),
    "union": ConsensusClustering(
        3,
        generator=FeatureUnion([("a", KMeansEnsemble(5)), ("b", KMeansEnsemble(6))]),
        random_state=0,
    ),
    "pipeline": make_pipeline(StandardScaler(), ConsensusClustering(3, random_state=0)),
}


@pytest.mark.parametrize("keep_members", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_predictions_are_the_same(tmp_path, name, keep_members):
    model = MODELS[name].fit(X)
    save(model, tmp_path / "m", keep_members=keep_members)
    again = load(tmp_path / "m")
    np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))
    np.testing.assert_array_equal(again.predict_proba(NEW), model.predict_proba(NEW))
    found, expected = (one[-1] if name == "pipeline" else one for one in (again, model))
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_array_equal(found.confidence_, expected.confidence_)
    assert (found.names_, found.n_clusters_) == (expected.names_, 3)
    assert str(found) == str(expected)
    if keep_members:
        np.testing.assert_array_equal(found.ensemble_.labels, expected.ensemble_.labels)
        np.testing.assert_array_equal(found.memberships_, expected.memberships_)
    else:
        for attribute in ("ensemble_", "consensus_", "memberships_"):
            with pytest.raises(AttributeError, match="saved without .* keep_members=True"):
                getattr(found, attribute)


def test_a_model_with_members_has_a_report(tmp_path):
    model = ConsensusClustering(3, generator=KMeansEnsemble(10), random_state=0).fit(X)
    save(model, tmp_path / "m", keep_members=True)
    consens.report(load(tmp_path / "m"), tmp_path / "a.html", X, n_clusters=[])
    save(model, tmp_path / "m")
    with pytest.raises(AttributeError, match="keep_members=True"):
        consens.report(load(tmp_path / "m"), tmp_path / "a.html", X)


@pytest.mark.parametrize("method", [None, "lwea", "drawnconsensus", "latentem", "eac"])
@pytest.mark.parametrize("keep_members", [False, True])
def test_combined_labels(tmp_path, method, keep_members):
    rng = np.random.default_rng(0)
    names = np.array(["low", "mid", "high"])
    frame = pd.DataFrame(
        {m: names[np.where(rng.random(120) < 0.9, Y, rng.integers(0, 3, 120))] for m in "abcde"}
    )
    model = combine(frame, method, n_clusters=3)
    save(model, tmp_path / "m", keep_members=keep_members)
    again = load(tmp_path / "m")
    np.testing.assert_array_equal(again.labels_, model.labels_)
    np.testing.assert_array_equal(again.confidence_, model.confidence_)
    assert again.names_ == model.names_
    np.testing.assert_array_equal(again.annotators_.cohen, model.annotators_.cohen)
    assert hasattr(again, "ensemble_") == keep_members


def test_wsbpa_predicts(tmp_path):
    members = LACEnsemble(3, random_state=0).fit_transform(X)
    model = WSBPA(3, random_state=0).fit(members)
    save(model, tmp_path / "m")
    np.testing.assert_array_equal(load(tmp_path / "m").predict(NEW), model.predict(NEW))


def test_size_hardly_depends_on_the_number_of_objects():
    rng = np.random.default_rng(0)
    sizes = []
    for n in (500, 5000):
        rows = X[rng.integers(0, 120, n)] + rng.normal(size=(n, 3)) / 10
        model = ConsensusClustering(3, generator=KMeansEnsemble(10, n_clusters=5), random_state=0)
        sizes.append(len(dump_model(model.fit(rows))))
        assert len(dump_model(model, keep_members=True)) > sizes[-1]
    assert sizes[1] - sizes[0] < 4500 * 10  # labels and confidence, compressed


@pytest.fixture(scope="module")
def content():
    return dump_model(ConsensusClustering(2, generator=KMeansEnsemble(5)).fit(X))


class TestDamage:
    def test_bytes(self, content, tmp_path):
        path = tmp_path / "m"
        middle = len(content) // 2
        for place in (0, 10, middle, len(content) - 30):
            path.write_bytes(content[:place])
            with pytest.raises(ValueError, match="m is not a model .* or a damaged one"):
                load(path)
        path.write_bytes(content[:middle] + bytes(64) + content[middle + 64 :])
        with pytest.raises(ValueError, match="or a damaged one"):
            load(path)

    def test_other_files(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="no such file"):
            load(tmp_path / "none")
        (tmp_path / "a.csv").write_text("x,y\n1,2\n")
        with pytest.raises(ValueError, match=r"a.csv is not a model .* or a damaged one"):
            load(tmp_path / "a.csv")
        np.savez(tmp_path / "a.npz", x=X)
        with pytest.raises(ValueError, match=r"a.npz is not a model"):
            load(tmp_path / "a.npz")

    def rewritten(self, content, path, **changed):
        """Write a model whose description has changed entries."""
        path.write_bytes(content)
        with zipfile.ZipFile(path) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        meta = json.loads(parts[MODEL_META])
        parts[MODEL_META] = json.dumps(meta | changed).encode()
        with zipfile.ZipFile(path, "w") as archive:
            for name, part in parts.items():
                archive.writestr(name, part)

    def test_versions(self, content, tmp_path):
        self.rewritten(content, tmp_path / "m", **{"encoding-version": "2"})
        with pytest.raises(ValueError, match="version 2 of the format, written by consens 0"):
            load(tmp_path / "m")
        self.rewritten(content, tmp_path / "m", **{"encoding-type": "other"})
        with pytest.raises(ValueError, match="not a model"):
            load(tmp_path / "m")
        self.rewritten(content, tmp_path / "m", versions={"scikit-learn": "0.24.2"})
        with pytest.warns(UserWarning, match=r"written with scikit-learn 0.24.2, and this is 1\."):
            load(tmp_path / "m")

    def test_no_class_of_others_is_made(self, tmp_path):
        from fractions import Fraction

        model = ConsensusClustering(2, generator=KMeansEnsemble(5)).fit(X)
        model.extra_ = Fraction(1, 2)
        save(model, tmp_path / "m")
        with pytest.raises(ValueError, match="holds fractions.Fraction, .* trusted="):
            load(tmp_path / "m")


def test_what_cannot_be_saved(tmp_path):
    with pytest.raises(TypeError, match="got KMeans; expected a fitted ConsensusClustering"):
        save(KMeans(2).fit(X), tmp_path / "m")
    with pytest.raises((ValueError, NotFittedError), match="not fitted"):
        save(ConsensusClustering(2), tmp_path / "m")
    assert not (tmp_path / "m").exists()
