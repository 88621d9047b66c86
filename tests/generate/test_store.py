"""Finished members are kept as they are finished, and are not made again."""

import errno
import json
import os
import signal
import subprocess
import sys
import textwrap
from functools import partial

import numpy as np
import pytest
from joblib import parallel_config
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline

from consens import consensus, select
from consens._support.progress import Progress
from consens.generate import (
    EstimatorEnsemble,
    FeatureWeightEnsemble,
    KMeansEnsemble,
    LACEnsemble,
    ProjectionEnsemble,
    SpectralEnsemble,
    SubspaceEnsemble,
    _store,
    kmeans_ensemble,
    watch,
)

X = make_blobs(80, centers=4, n_features=3, random_state=0)[0]

GENERATORS = [
    KMeansEnsemble(5, random_state=0),
    EstimatorEnsemble([KMeans(3), DBSCAN(eps=1.0)], n_estimators=4, random_state=0),
    LACEnsemble(3, inverse_h=[0.5, 1, 2], random_state=0),
    SubspaceEnsemble(3, random_state=0),
    ProjectionEnsemble(3, random_state=0),
    FeatureWeightEnsemble(3, random_state=0),
    SpectralEnsemble(3, random_state=0),
    SpectralEnsemble(3, max_samples=0.5, random_state=0),
]


def made(generator, done, total, resumed):
    """Report of a generator."""
    return Progress("members", done, total, generator, resumed, (0.0, 0.5))


def finished(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("*.npz")}


def assert_same(first, second):
    np.testing.assert_array_equal(first.labels, second.labels)
    assert list(first.records) == list(second.records)
    for a, b in zip(first.payload, second.payload, strict=True):
        assert a.keys() == b.keys()
        for name in a:
            np.testing.assert_array_equal(a[name], b[name])


def progress_of(fit):
    seen = []
    with watch(seen.append):
        fit()
    return seen


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda g: type(g).__name__)
class TestEveryGenerator:
    def test_a_second_fit_reads_what_the_first_made(self, generator, tmp_path):
        expected = clone(generator).fit_transform(X)
        stored = clone(generator).set_params(store=tmp_path / "new" / "store")
        assert_same(stored.fit_transform(X), expected)
        before = finished(stored.store)
        total = expected.shape[1]
        assert len(before) == total
        again = clone(stored)
        *_, last = progress_of(lambda: again.fit(X))
        assert last == made(type(generator).__name__, total, total, total)
        assert_same(clone(stored).fit_transform(X), expected)
        assert finished(stored.store) == before
        # and members that were read label rows as those that were made
        rows = X[::7] + 0.1
        np.testing.assert_array_equal(again.transform(rows), stored.transform(rows))

    def test_only_what_is_missing_is_made(self, generator, tmp_path):
        stored = clone(generator).set_params(store=str(tmp_path))
        expected = stored.fit_transform(X)
        gone, *kept = sorted(tmp_path.glob("*.npz"))
        gone.unlink()
        before = finished(tmp_path)
        *_, last = progress_of(lambda: clone(stored).fit(X))
        assert last.resumed == len(kept)
        after = finished(tmp_path)
        assert {name: after[name] for name in before} == before
        assert len(after) == len(before) + 1
        assert_same(clone(stored).fit_transform(X), expected)

    @pytest.mark.parametrize("change", ["values", "shape", "type", "seed"])
    def test_a_store_of_another_run_is_refused(self, generator, change, tmp_path):
        clone(generator).set_params(store=tmp_path).fit(X)
        before = finished(tmp_path)
        other, data = clone(generator).set_params(store=tmp_path), X.copy()
        if change == "seed":
            other.set_params(random_state=1)
            message = "random_state is 0, not 1"
        elif change == "values":
            data[3, 1] = np.nextafter(data[3, 1], np.inf)
            message = "its X has other values"
        elif change == "shape":
            data = data[:-1]
            message = r"its X has shape \[80, 3\], not \[79, 3\]"
        else:
            data = data.astype(np.float32)
            message = "its X has other values"
        with pytest.raises(ValueError, match=f"another run: {message}"):
            other.fit(data)
        assert finished(tmp_path) == before


def test_more_members_continue_the_store(tmp_path):
    KMeansEnsemble(3, random_state=0, store=tmp_path).fit(X)
    longer = KMeansEnsemble(7, random_state=0, store=tmp_path, n_jobs=2)
    *_, last = progress_of(lambda: longer.fit(X))
    assert last == made("KMeansEnsemble", 7, 7, 3)
    expected = KMeansEnsemble(7, random_state=0).fit_transform(X)
    assert_same(clone(longer).fit_transform(X), expected)


# -------------------------------------------------------------------------------- kill -9

# a process that has imported the library forks those that are killed: an import takes longer than
# all they do
KILLED = """
    import functools, json, os, signal, sys
    import numpy as np
    from sklearn.cluster import KMeans
    from consens.generate import KMeansEnsemble, _store, kmeans_ensemble

    def stop_there(function, stop_after):
        steps = 0
        @functools.wraps(function)
        def counted(*args, **kwargs):
            nonlocal steps
            steps += 1
            if steps > stop_after:
                print(os.getpid(), flush=True)
                signal.pause()
            return function(*args, **kwargs)
        return counted

    places = {
        "making": (kmeans_ensemble, "fit_kmeans"),
        "naming": (os, "replace"),
    }
    print(json.dumps(_store.description(KMeans(2))), flush=True)
    for line in sys.stdin:
        where, stop_after, folder, data = json.loads(line)
        child = os.fork()
        if not child:
            module, name = places[where]
            setattr(module, name, stop_there(getattr(module, name), stop_after))
            KMeansEnsemble(6, random_state=0, store=folder).fit(np.load(data))
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module")
def process():
    """A process that forks generations, and what it says of ``KMeans(2)``."""
    command = [sys.executable, "-c", textwrap.dedent(KILLED)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        yield process, process.stdout.readline().strip()
        process.stdin.close()


def kill_at(where, members, folder, tmp_path, process):
    """Start a generation, and end it by SIGKILL when `members` members are finished."""
    data = tmp_path / "X.npy"
    np.save(data, X)
    # store.json is the first file to be named
    stop_after = {"making": members, "naming": members + 1}[where]
    process.stdin.write(json.dumps([where, stop_after, str(folder), str(data)]) + "\n")
    process.stdin.flush()
    child = int(process.stdout.readline())
    assert child > 0, "the generation ended by itself"
    os.kill(child, signal.SIGKILL)
    assert int(process.stdout.readline()) == -signal.SIGKILL


@pytest.mark.parametrize(("where", "members"), [("making", 4), ("naming", 3)])
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_a_killed_run_is_taken_up_where_it_ended(where, members, tmp_path, process):
    folder = tmp_path / "store"
    kill_at(where, members, folder, tmp_path, process[0])
    before = finished(folder)
    assert len(before) == members
    assert len(list(folder.glob(".*.tmp"))) == (where != "making")
    made = []
    with pytest.MonkeyPatch.context() as patch:
        true = kmeans_ensemble.run_kmeans
        patch.setattr(kmeans_ensemble, "run_kmeans", lambda *args: made.append(1) or true(*args))
        resumed = KMeansEnsemble(6, random_state=0, store=folder)
        ensemble = resumed.fit_transform(X)
    assert len(made) == 6 - members
    after = finished(folder)
    assert {name: after[name] for name in before} == before
    undisturbed = KMeansEnsemble(6, random_state=0)
    assert_same(ensemble, undisturbed.fit_transform(X))
    np.testing.assert_array_equal(resumed.transform(X[:9]), undisturbed.transform(X[:9]))
    rest = [select.ClusterAndSelect(3, random_state=0), consensus.EAC(4)]
    np.testing.assert_array_equal(
        make_pipeline(clone(resumed), *rest).fit_predict(X),
        make_pipeline(undisturbed, *rest).fit_predict(X),
    )


# ------------------------------------------------------------------------ when things go wrong


def test_an_interrupt_keeps_what_is_finished(tmp_path):
    def stop(progress):
        if progress.done == 2:
            raise KeyboardInterrupt

    generator = KMeansEnsemble(5, random_state=0, store=tmp_path)
    with pytest.raises(KeyboardInterrupt), watch(stop):
        generator.fit(X)
    assert not hasattr(generator, "members_")
    assert len(finished(tmp_path)) == 2
    *_, last = progress_of(lambda: generator.fit(X))
    assert last.resumed == 2


def test_a_full_disk_is_an_error_that_damages_nothing(tmp_path, monkeypatch):
    KMeansEnsemble(2, random_state=0, store=tmp_path).fit(X)
    before = finished(tmp_path)

    def full(file, **arrays):
        file.write(b"PK")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(np, "savez_compressed", full)
        with pytest.raises(OSError, match=r"cannot write .*\.npz: No space left on device"):
            KMeansEnsemble(3, random_state=0, store=tmp_path).fit(X)
    assert finished(tmp_path) == before
    assert not list(tmp_path.glob(".*.tmp"))


@pytest.mark.parametrize("content", [b"", b"PK not a zip file", "half"])
def test_a_damaged_member_is_made_again(content, tmp_path, caplog):
    generator = KMeansEnsemble(3, random_state=0, store=tmp_path)
    expected = generator.fit_transform(X)
    path = min(tmp_path.glob("*.npz"))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if content == "half" else content)
    assert_same(generator.fit_transform(X), expected)
    assert "the member is made again" in caplog.text
    caplog.clear()
    *_, last = progress_of(lambda: generator.fit(X))
    assert last.resumed == 3
    assert not caplog.text


def test_files_are_never_read_by_pickle(tmp_path):
    generator = KMeansEnsemble(2, random_state=0, store=tmp_path)
    generator.fit(X)
    path = min(tmp_path.glob("*.npz"))
    with np.load(path) as file:
        arrays = dict(file)
    np.savez(path, **(arrays | {"0/model/centers": np.array([{}], dtype=object)}))
    with pytest.raises(ValueError, match="allow_pickle=False"):
        _store.read_members(path, kmeans_ensemble.Centers)
    *_, last = progress_of(lambda: generator.fit(X))
    assert last.resumed == 1


def test_a_store_needs_a_seed(tmp_path):
    with pytest.raises(ValueError, match="needs a random_state"):
        KMeansEnsemble(2, store=tmp_path).fit(X)
    assert not list(tmp_path.iterdir())


def test_a_folder_with_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(ValueError, match="not empty and not a store of members"):
        KMeansEnsemble(2, random_state=0, store=tmp_path).fit(X)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is damaged"),
        ("[]", "not written by consens"),
        ('{"encoding-type": "x"}', "not written by consens"),
    ],
)
def test_a_foreign_manifest_is_refused(text, message, tmp_path):
    (tmp_path / "store.json").write_text(text)
    with pytest.raises(ValueError, match=message):
        KMeansEnsemble(2, random_state=0, store=tmp_path).fit(X)


def test_a_store_of_other_versions_is_refused(tmp_path):
    KMeansEnsemble(2, random_state=0, store=tmp_path).fit(X)
    manifest = tmp_path / "store.json"
    content = json.loads(manifest.read_text())
    content["versions"]["scikit-learn"] = "0.1"
    manifest.write_text(json.dumps(content))
    with pytest.raises(ValueError, match="scikit-learn is '0.1', not"):
        KMeansEnsemble(2, random_state=0, store=tmp_path).fit(X)


def test_members_without_a_manifest_are_taken_up(tmp_path):
    generator = KMeansEnsemble(3, random_state=0, store=tmp_path)
    generator.fit(X)
    (tmp_path / "store.json").unlink()
    *_, last = progress_of(lambda: generator.fit(X))
    assert last.resumed == 3
    assert (tmp_path / "store.json").exists()


# ------------------------------------------------------------------------- what decides a member


def test_values_of_parameters_are_told_apart_and_hold_between_processes(process):
    values = [
        None,
        1,
        1.5,
        "1",
        (1, 2),
        np.array([1, 2]),
        np.array([1.0, 2.0]),
        KMeans(2),
        KMeans(3),
        DBSCAN(),
        np.random.RandomState(0),
        np.random.RandomState(1),
        partial(kmeans_ensemble.fit_kmeans, seed=1),
        partial(kmeans_ensemble.fit_kmeans, seed=2),
        np.random.default_rng(1),
        np.random.default_rng(2),
        kmeans_ensemble.Centers(np.zeros((1, 1))),
        kmeans_ensemble.Centers(np.ones((1, 1))),
        len,
    ]
    described = [json.dumps(_store.description(value)) for value in values]
    assert len(set(described)) == len(values)
    assert process[1] == described[7]


def test_sparse_data_have_a_fingerprint_of_their_own():
    first, second = csr_array(np.eye(3)), csr_array(np.eye(3)[[1, 0, 2]])
    assert len({_store.fingerprint(x) for x in (first, second, np.eye(3))}) == 3
    assert _store.fingerprint(first) == _store.fingerprint(csr_array(np.eye(3)))


def test_nothing_is_told_when_nobody_watches(capsys):
    KMeansEnsemble(2, random_state=0).fit(X)
    assert progress_of(lambda: None) == []
    assert capsys.readouterr() == ("", "")


def test_progress_counts_every_member():
    with parallel_config("threading"):
        seen = progress_of(lambda: KMeansEnsemble(3, random_state=0, n_jobs=2).fit(X))
    assert seen == [made("KMeansEnsemble", done, 3, 0) for done in range(4)]
