"""The labels of every method and generator, equal to those recorded before the code was reworked.

``python tests/test_recorded_labels.py`` records them anew, into ``recorded_labels.npz`` beside
this file: only for a change that is meant to change labels, and the message of its commit says so.
With parts of names, such as ``default Mixed``, it records only the cases with one of them.
"""

import inspect
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine
from sklearn.preprocessing import StandardScaler

from consens import ConsensusClustering, Ensemble, combine, consensus, generate, select
from consens._blocks import Rows
from consens.measure import ari

RECORD = Path(__file__).with_name("recorded_labels.npz")
pytestmark = pytest.mark.usefixtures("all_members")

LIBRARIES = ("numpy", "scipy", "scikit-learn", "pymetis")

GENERATORS = {
    "BoostedKMeans": generate.BoostedKMeans(4, n_clusters=5, random_state=0),
    "EstimatorEnsemble": generate.EstimatorEnsemble(random_state=0, max_samples=0.8),
    "FeatureWeightEnsemble": generate.FeatureWeightEnsemble(4, random_state=0),
    "KMeansEnsemble": generate.KMeansEnsemble(4, random_state=0),
    "KMeansEnsemble sampled": generate.KMeansEnsemble(4, max_samples=0.5, random_state=0),
    "GraphEnsemble": generate.GraphEnsemble(3, random_state=0),
    "LACEnsemble": generate.LACEnsemble(4, inverse_h=(1, 5, 20), random_state=0),
    "LACEnsemble own starts": generate.LACEnsemble(
        (2, 5), inverse_h=(1, 5), init="random", max_samples=0.5, random_state=0
    ),
    "LandmarkEnsemble": generate.LandmarkEnsemble(3, random_state=0),
    "MixedEnsemble": generate.MixedEnsemble(16, random_state=0),
    "MixtureEnsemble": generate.MixtureEnsemble(4, random_state=0),
    "ProjectionEnsemble": generate.ProjectionEnsemble(4, random_state=0),
    "PrototypeEnsemble": generate.PrototypeEnsemble(
        generate.KMeansEnsemble(4), n_prototypes=60, random_state=0
    ),
    "SpectralEnsemble": generate.SpectralEnsemble(2, random_state=0),
    "SubspaceEnsemble": generate.SubspaceEnsemble(4, random_state=0),
    "TreeEnsemble": generate.TreeEnsemble(4, random_state=0),
    "library": generate.library(2, random_state=0),
}
IN_BLOCKS = ("KMeansEnsemble", "KMeansEnsemble sampled", "LACEnsemble", "PrototypeEnsemble")
WEIGHTED = ("WBPA", "WSBPA", "WSPA")
LINEAR = ("HBGF", "KCC", "LWGP", "LWMC", "MCLA", "SEC", "Voting")
SELECTORS = [name for name in select.__all__ if not name.startswith("Base")]


@cache
def features(data):
    if data == "wine":
        return StandardScaler().fit_transform(load_wine().data), 3
    return load_digits().data / 16, 10


@cache
def members(data, kind="kmeans"):
    X, k = features(data)
    if kind == "lac":
        return generate.LACEnsemble(k, inverse_h=range(1, 9), random_state=0).fit_transform(X)
    return generate.KMeansEnsemble(20, random_state=0).fit_transform(X)


@cache
def large():
    """Noisy copies of one partition: enough objects for compiled code."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 6, 25_000)
    labels = np.repeat(truth[:, None], 10, axis=1)
    wrong = rng.random(labels.shape) < 0.3
    labels[wrong] = rng.integers(0, 6, wrong.sum())
    return Ensemble.from_labels(labels)


def blocks(array):
    n = len(array)
    return Rows.from_array(np.asarray(array), [n // 3, n // 2, n - n // 3 - n // 2])


def made(method, k):
    """A method with k clusters and a seed."""
    accepted = inspect.signature(method).parameters
    return method(n_clusters=k, **({"random_state": 0} if "random_state" in accepted else {}))


def compute(name):
    """Labels of a case, by its name: data, what is run, and where."""
    data, role, one = name.split("/")
    if role == "generator":
        X, _ = features(data)
        return np.asarray(GENERATORS[one].fit_transform(X))
    if role == "generator in blocks":
        X, _ = features(data)
        return np.asarray(GENERATORS[one].fit_transform(blocks(X)))
    if role == "selector":
        selector = getattr(select, one)()
        accepted = inspect.signature(type(selector)).parameters
        if "random_state" in accepted:
            selector.set_params(random_state=0)
        return selector.fit(members(data)).get_support(indices=True)
    if role == "default":
        k = {"wine": 3, "digits": 10}[data] if one.endswith("k given") else None
        if one.startswith("combine"):
            return combine(members(data), n_clusters=k).labels_
        X, _ = features(data)
        model = ConsensusClustering(k, random_state=0).fit(X)
        return np.concatenate([model.labels_, model.predict(X[:50] + 0.01)])
    if role == "front door":
        X, k = features(data)
        model = ConsensusClustering(
            k,
            generator=generate.KMeansEnsemble(20),
            selector=select.SelectJoint(10),
            consensus=getattr(consensus, one)(),
            random_state=0,
        ).fit(X)
        return np.concatenate([model.labels_, model.predict(X[:50] + 0.01)])
    method = getattr(consensus, one)
    if data == "large":
        return made(method, 6).fit_predict(large())
    ensemble = members(data, "lac" if one in WEIGHTED else "kmeans")
    k = features(data)[1]
    if role == "consensus in blocks":
        return np.asarray(made(method, k).fit_predict(blocks(ensemble.labels)))
    return made(method, k).fit_predict(ensemble)


@pytest.fixture(scope="module")
def recorded():
    with np.load(RECORD) as file:
        return dict(file)


@pytest.fixture(scope="module")
def same_libraries(recorded):
    """Whether the libraries are those of the record: others may round otherwise."""
    return [version(name) for name in LIBRARIES] == recorded["libraries"].tolist()


def names():
    """The names of all cases."""
    both = "wine", "digits"
    return [
        *(f"{data}/generator/{one}" for data in both for one in GENERATORS),
        *(f"digits/generator in blocks/{one}" for one in IN_BLOCKS),
        *(f"wine/selector/{one}" for one in SELECTORS),
        *(f"{data}/consensus/{one}" for data in both for one in consensus.METHODS),
        *(f"digits/consensus in blocks/{one}" for one in LINEAR),
        *(f"large/consensus/{one}" for one in LINEAR),
        *(f"wine/front door/{one}" for one in ("EAC", "LWEA", "LWGP")),
        *(f"{data}/default/{door}, k given" for data in both for door in ("fit", "combine")),
        *(f"wine/default/{door}, k chosen" for door in ("fit", "combine")),
    ]


def cases():
    """All cases; generators whose wines are enough for every day are slow ones."""
    for name in names():
        long = name in (
            "digits/generator/library",
            "digits/generator/SpectralEnsemble",
            "digits/default/fit, k given",
        )
        yield pytest.param(name, marks=[pytest.mark.slow] if long else [], id=name)


def test_all_generators_are_recorded():
    kinds = {type(generator).__name__ for generator in GENERATORS.values()}
    known = {name for name in generate.__all__ if name.endswith(("Ensemble", "KMeans"))}
    assert known <= kinds


@pytest.mark.parametrize("name", list(cases()))
def test_labels_are_those_recorded(name, recorded, same_libraries):
    assert name in recorded, "no record: python tests/test_recorded_labels.py"
    labels, expected = compute(name), recorded[name]
    if same_libraries or "/selector/" in name:
        np.testing.assert_array_equal(labels, expected)
    elif labels.ndim == 2:
        agreement = [ari(a, b) for a, b in zip(labels.T, expected.T, strict=True)]
        assert np.mean(agreement) > 0.9
    else:
        assert ari(labels, expected) > 0.9


if __name__ == "__main__":
    parts = sys.argv[1:]
    kept = {}
    if parts:
        with np.load(RECORD) as file:
            kept = {name: file[name] for name in names() if name in file}
    wanted = [name for name in names() if not parts or any(part in name for part in parts)]
    found = kept | {name: compute(name).astype(np.int16) for name in wanted}
    libraries = np.array([version(name) for name in LIBRARIES])
    np.savez_compressed(RECORD, libraries=libraries, **found)
