"""Ctrl-C ends at once, keeps finished members, and says how to go on."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from consens import generate
from consens.cli import interruption
from consens.generate import _store, kmeans_ensemble


class Watcher:
    """Counts members, and presses Ctrl-C behind some of them."""

    def __init__(self, stop=None):
        self.stop, self.first, self.last = stop, None, None

    def __call__(self, progress):
        self.last = progress
        if self.first is None and progress.done:
            self.first = progress
        if progress.done == self.stop:
            raise KeyboardInterrupt


def watched(shell, watcher, *arguments):
    with generate.watch(watcher):
        return shell(*arguments)


#: One member after the other, so that it is certain which of them are finished.
RUNS = {
    "generate": ["--n-jobs", 1, "-o", "x.ens"],
    "library": ["--generator", "library", "--n-jobs", 1, "-o", "x.ens"],
    "cluster": ["-k", 3, "--n-jobs", 1, "-o", "out"],
    "report": ["-k", 3, "--n-jobs", 1, "-o", "page.html"],
}


def results(folder="."):
    """What is left in a folder, but for the data."""
    return {
        str(path): path.read_bytes()
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file() and path.name != "blobs.csv"
    }


@pytest.fixture
def store_at_once(monkeypatch):
    """As in a run whose members took longer than ten seconds."""
    monkeypatch.setattr(interruption, "STORE_AFTER", -1)


@pytest.mark.usefixtures("store_at_once")
@pytest.mark.parametrize("run", RUNS)
def test_finished_members_are_kept_and_the_same_command_goes_on(shell, blobs, run):
    verb = "generate" if run == "library" else run
    arguments = [verb, "blobs.csv", "--drop", "colour", "--members", 12, *RUNS[run]]
    done = watched(shell, Watcher(stop=3), *arguments)
    assert done.code == 130
    *notes, last = done.err.splitlines()
    assert any("'constant' is constant" in note for note in notes)
    words, _, command = last.rpartition(": ")
    assert "interrupted" in words
    store = f"{RUNS[run][-1]}.members"
    assert f"3 finished members are kept in {store}; continue with" in words
    assert set(os.listdir()) == {"blobs.csv", store}

    watcher = Watcher()
    program, *rest = shlex.split(command)
    assert program == "consens"
    done = watched(shell, watcher, *rest)
    assert done.code == 0, done.err
    assert watcher.first.resumed == 3
    assert not Path(store).exists()
    went_on = results()
    for path in went_on:
        Path(path).unlink()
    assert shell(*arguments).code == 0
    assert results() == went_on


@pytest.mark.parametrize("run", RUNS)
def test_members_of_a_short_run_are_not_stored(shell, blobs, monkeypatch, run):
    monkeypatch.setattr(interruption, "time", SimpleNamespace(monotonic=lambda: 0.0))
    store = _store.MemberStore
    monkeypatch.setattr(store, "_write", lambda *_: pytest.fail("a member was stored"))
    verb = "generate" if run == "library" else run
    arguments = [verb, "blobs.csv", "--drop", "colour", "--members", 12, *RUNS[run]]
    done = watched(shell, Watcher(stop=3), *arguments)
    assert done.code == 130
    assert "interrupted; nothing was changed; start again with" in done.err
    assert os.listdir() == ["blobs.csv"]
    assert shell(*arguments).code == 0


def test_members_are_stored_from_the_eleventh_second_on(shell, blobs, monkeypatch):
    """Members of four seconds each; the clock is read at the start and after each of them."""
    readings = iter(range(0, 400, 4))
    monkeypatch.setattr(interruption, "time", SimpleNamespace(monotonic=lambda: next(readings)))
    kept = []

    def look(progress):
        kept.append((progress.done, len(list(Path("x.ens.members").glob("*.npz")))))

    arguments = [
        "generate",
        "blobs.csv",
        "--drop",
        "colour",
        "--generator",
        "kmeans",
        "--n-jobs",
        1,
        "-o",
        "x.ens",
    ]
    done = watched(shell, look, *arguments, "--members", 5)
    assert done.code == 0, done.err
    assert kept[1:] == [(1, 0), (2, 0), (3, 3), (4, 4), (5, 5)]
    assert not Path("x.ens.members").exists()


def test_a_store_that_was_asked_for_stays_and_grows(shell, blobs):
    arguments = ["generate", "blobs.csv", "--drop", "colour", "--store", "kept", "-o", "x.ens"]
    assert shell(*arguments, "--members", 16).code == 0
    watcher = Watcher()
    assert watched(shell, watcher, *arguments, "--members", 20).code == 0
    assert (watcher.last.resumed, watcher.last.total) == (16, 20)
    # four spectral members share a file, as do four of a tree
    assert len(list(Path("kept").glob("*.npz"))) == 14


@pytest.mark.usefixtures("store_at_once")
def test_members_of_another_run_are_not_touched(shell, blobs):
    arguments = ["generate", "blobs.csv", "--drop", "colour", "-o", "x.ens", "--members", 5]
    arguments += ["--n-jobs", 1]
    assert watched(shell, Watcher(stop=2), *arguments, "--seed", 1).code == 130
    before = results()
    done = shell(*arguments, "--seed", 2)
    assert done.code == 1
    assert "x.ens.members holds members of another run: random_state is" in done.err
    assert results() == before
    assert shell(*arguments, "--seed", 1).code == 0


def test_a_folder_of_the_user_is_not_removed(shell, blobs):
    os.mkdir("kept")
    Path("kept/thesis.txt").write_text("years")
    arguments = ["generate", "blobs.csv", "--drop", "colour", "-o", "x.ens", "--store", "kept"]
    done = shell(*arguments)
    assert done.code == 1
    assert "not empty and not a store" in done.err
    assert Path("kept/thesis.txt").read_text() == "years"


def test_bad_data_leave_no_folder(shell, tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,\n2,3\n")
    assert shell("generate", "a.csv", "-o", "x.ens").code == 1
    assert os.listdir() == ["a.csv"]


def start(folder, *arguments, code=None):
    program = ["-m", "consens"] if code is None else ["-c", code]
    return subprocess.Popen(
        [sys.executable, *program, *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(condition, process):
    while not condition():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


@pytest.mark.parametrize(
    "kind", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_signals(tmp_path, kind):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).normal(size=(5_000, 20)))
    process = start(
        tmp_path,
        *("generate", "a.npy", "--generator", "kmeans", "--members", 2000, "--out", "x.ens"),
        *("--store", "x.ens.members"),
    )
    try:
        wait_for(lambda: len(list(tmp_path.glob("x.ens.members/*.npz"))) > 1, process)
        process.send_signal(kind)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    # CPython may end by the signal itself when that came inside exec; shells see the same
    assert process.returncode in (128 + kind, -kind), err
    assert out == ""
    assert "Traceback" not in err
    assert sorted(os.listdir(tmp_path)) == ["a.npy", "x.ens.members"]
    for path in tmp_path.glob("x.ens.members/*.npz"):
        (member,) = _store.read_members(path, kmeans_ensemble.Centers)
        assert member.model.centers.shape[1] == 20
    if kind == signal.SIGINT:
        assert "consens generate a.npy --generator kmeans --members 2000 --out x.ens" in err


def test_compiled_code_is_interrupted_as_well(tmp_path):
    """A derivation of a key that would take hours, without the lock of the interpreter."""
    code = (
        "import hashlib, sys; from consens.cli import interruption\n"
        "import signal; signal.signal(signal.SIGINT, lambda *_: None)  # Python is late\n"
        "interruption.begin(['cluster', 'a b.csv']); interruption.exit_on_interrupt()\n"
        "print('ready', flush=True)\n"
        "hashlib.pbkdf2_hmac('sha256', b'a', b'b', 2**31 - 1)\n"
    )
    process = start(tmp_path, code=code)
    try:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err == (
        "error: interrupted; nothing was changed; start again with: consens cluster 'a b.csv'\n"
    )


def test_it_is_said_once(capsys):
    run = interruption.begin(["methods"])
    run.notify()
    run.notify()
    assert len(capsys.readouterr().err.splitlines()) == 1
