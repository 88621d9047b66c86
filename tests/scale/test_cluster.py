"""A real cluster on this machine: two worker processes, one of which may be killed."""

import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import dask
import dask.array as da
import dask.dataframe as dd
import joblib
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from distributed.utils import get_mp_context

from consens import ConsensusClustering
from consens._labels import overlap
from consens.cli import run
from consens.consensus import KCC, LWGP, LWMC, MCLA, WBPA
from consens.generate import KMeansEnsemble, LACEnsemble, kmeans_ensemble, watch


@pytest.fixture(scope="module")
def client():
    # workers are forked from a process that has imported the library; where there is no fork,
    # each of them imports it
    methods = multiprocessing.get_all_start_methods()
    method = "forkserver" if "forkserver" in methods else "spawn"
    with dask.config.set({"distributed.worker.multiprocessing-method": method}):
        if method == "forkserver":
            get_mp_context().set_forkserver_preload(["distributed", "consens.cluster"])
        yield from start_cluster()


def start_cluster():
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    centers = rng.normal(0, 4, (4, 3))
    return np.concatenate([rng.normal(center, 1, (375, 3)) for center in centers])[
        rng.permutation(1500)
    ]


@pytest.fixture(autouse=True)
def _samples(monkeypatch):
    """As if 1500 objects were many."""
    monkeypatch.setattr(kmeans_ensemble, "MIN_SAMPLES", 300)
    monkeypatch.setattr(kmeans_ensemble, "SAMPLES_PER_CENTER", 50)
    monkeypatch.setattr("consens.generate.lac_ensemble.LARGE", 500)
    monkeypatch.setattr("consens.generate.lac_ensemble.MIN_OBJECTS", 300)
    monkeypatch.setattr("consens._numerics.seeding.START_ROWS", 400)


def pids(client):
    return set(client.run(os.getpid).values())


@pytest.fixture(scope="module")
def labels(X):
    return KMeansEnsemble(6, n_clusters=(4, 8), random_state=0).fit_transform(X).labels


@pytest.mark.parametrize("method", [LWMC, MCLA, LWGP, KCC])
def test_labels_are_those_of_this_process_to_the_last_bit(method, client, labels):
    expected = method(4, random_state=0).fit(labels)
    for chunks in [(700, 800), (1, 599, 400, 500)]:
        found = method(4, random_state=0).fit(da.from_array(labels, chunks=(chunks, (6,))))
        assert found.labels_.chunks == (chunks,)
        np.testing.assert_array_equal(found.labels_.compute(), expected.labels_)
    np.testing.assert_array_equal(found.confidence_.compute(), expected.confidence_)


def test_the_front_door_with_soft_memberships(client, X):
    model = ConsensusClustering(
        4, generator=LACEnsemble(inverse_h=[0.5, 1, 2]), consensus=WBPA(), random_state=0
    )
    expected = model.fit(X).labels_
    model.fit(da.from_array(X, chunks=((1, 899, 600), (3,))))
    np.testing.assert_array_equal(model.labels_.compute(), expected)
    new = model.predict(da.from_array(X[:100], chunks=(60, 3)))
    assert new.chunks == ((60, 40),)
    np.testing.assert_array_equal(new.compute(), model.predict(X[:100]))


def test_the_shell_on_a_scheduler(client, X, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    for part, rows in enumerate(np.split(X, [600, 601])):
        pd.DataFrame(rows, columns=["x", "y", "z"]).to_parquet(f"{part}.parquet")
    files = ["0.parquet", "1.parquet", "2.parquet"]
    options = ["-k", "4", "--method", "lwgp", "--seed", "1"]
    where = {
        "here": ["--memory-limit", "1GB"],
        "there": ["--scheduler", client.scheduler.address],
    }
    found = {}
    for out, engine in where.items():
        assert run(["cluster", *files, *options, *engine, "--out", out]) == 0, capfd.readouterr()
        found[out] = pd.read_parquet(Path(out) / "labels.parquet")
    assert found["here"]["label"].nunique() == 4
    pd.testing.assert_frame_equal(found["there"], found["here"])


def test_joblib_spreads_generation_and_X_is_scattered_once(client, X, monkeypatch):
    generator = KMeansEnsemble(4, n_clusters=5, max_samples=400, random_state=0)
    expected = generator.fit_transform(X).labels
    scattered, scatter = [], Client.scatter

    def spy(self, data, *args, **kwargs):
        scattered.append(getattr(data, "nbytes", 0))
        return scatter(self, data, *args, **kwargs)

    monkeypatch.setattr(Client, "scatter", spy)
    with joblib.parallel_config(backend="dask"):
        found = generator.fit_transform(X)
    np.testing.assert_array_equal(found.labels, expected)
    assert scattered.count(X.nbytes) == 1


@pytest.mark.slow
def test_data_frames_from_parquet_files(client, X, tmp_path):
    for part in range(3):
        frame = pd.DataFrame(X[500 * part : 500 * part + 500], columns=["a", "b", "c"])
        frame.to_parquet(tmp_path / f"{part}.parquet")
    model = ConsensusClustering(4, generator=KMeansEnsemble(4, n_clusters=6), consensus=LWMC())
    model.set_params(random_state=0).fit(dd.read_parquet(tmp_path))
    assert model.labels_.chunks == ((500, 500, 500),)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(model.labels_.compute(), model.fit(X).labels_)


class TestAWorkerIsKilled:
    """By identity, once, in the middle of the work: SIGKILL leaves nobody time to say goodbye."""

    @pytest.mark.slow
    def test_in_the_middle_of_the_contingency(self, client, labels, tmp_path, monkeypatch):
        flag, original = tmp_path / "killed", overlap.shared_objects

        def shared(*args, **kwargs):
            try:
                flag.touch(exist_ok=False)
            except FileExistsError:
                return original(*args, **kwargs)
            os.kill(os.getpid(), signal.SIGKILL)

        expected = LWMC(4, random_state=0).fit(labels)
        before = pids(client)
        monkeypatch.setattr(overlap, "shared_objects", shared)
        found = LWMC(4, random_state=0).fit(da.from_array(labels, chunks=(500, 6)))
        np.testing.assert_array_equal(found.labels_.compute(), expected.labels_)
        assert flag.exists()
        client.wait_for_workers(2)
        assert len(pids(client) & before) == 1

    @pytest.mark.slow
    def test_in_the_middle_of_generation(self, client, X, tmp_path, monkeypatch):
        flag, original = tmp_path / "killed", kmeans_ensemble.fit_kmeans

        def trained(rows, **settings):
            try:
                flag.touch(exist_ok=False)
            except FileExistsError:
                return original(rows, **settings)
            os.kill(os.getpid(), signal.SIGKILL)

        generator = KMeansEnsemble(6, n_clusters=6, random_state=0)
        expected = generator.fit_transform(X)
        before = pids(client)
        monkeypatch.setattr(kmeans_ensemble, "fit_kmeans", trained)
        found = generator.fit_transform(da.from_array(X, chunks=(500, 3)))
        np.testing.assert_array_equal(np.asarray(found), expected.labels)
        assert flag.exists()
        client.wait_for_workers(2)
        assert len(pids(client) & before) == 1


@pytest.mark.slow
def test_the_scheduler_is_gone(X, tmp_path, monkeypatch):
    """A clear error, and members that are finished are taken up again without the cluster."""
    original, here = kmeans_ensemble.fit_kmeans, os.getpid()

    def trained(rows, **settings):
        if os.getpid() != here:
            flag = tmp_path / "trained"
            flag.write_text(f"{flag.read_text()}1" if flag.exists() else "1")
            if len(flag.read_text()) > 2:  # the others cannot finish before the scheduler is gone
                threading.Event().wait()
        return original(rows, **settings)

    monkeypatch.setattr(kmeans_ensemble, "fit_kmeans", trained)
    python = [sys.executable, "-m"]
    command = [*python, "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    log = tmp_path / "scheduler.log"
    with open(log, "w") as output, dask.config.set({"distributed.comm.timeouts.connect": "5s"}):
        scheduler = subprocess.Popen([*command, "--no-dashboard"], stderr=output)
        address = wait_for(log, r"tcp://127\.0\.0\.1:\d+")
        command = [*python, "distributed.cli.dask_worker", address, "--nthreads", "1"]
        worker = subprocess.Popen(
            [*command, "--no-dashboard", "--no-nanny"], stderr=subprocess.DEVNULL
        )
        generator = KMeansEnsemble(6, n_clusters=6, random_state=0, store=tmp_path / "members")

        def kill(progress):
            if progress.done == 2:
                scheduler.kill()
                scheduler.wait()

        try:
            with (
                Client(address, timeout=20),
                watch(kill),
                pytest.raises(ConnectionError, match="scheduler at tcp.* was lost.*keeps"),
            ):
                generator.fit(da.from_array(X, chunks=(500, 3)))
        finally:
            for process in (worker, scheduler):
                process.kill()
                process.wait()
    told = []
    with watch(told.append):
        again = generator.fit_transform(da.from_array(X, chunks=(300, 3)))
    assert told[0].resumed == 2
    expected = generator.set_params(store=None).fit_transform(X)
    np.testing.assert_array_equal(np.asarray(again), expected.labels)


def wait_for(log: Path, pattern):
    import time

    for _ in range(300):
        if found := re.search(pattern, log.read_text()):
            return found[0]
        time.sleep(0.1)
    raise TimeoutError(log.read_text())
