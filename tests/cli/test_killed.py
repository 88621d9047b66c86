"""`kill -9` at any moment: the old result or the new one, and a second run makes up the rest."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from consens.cli import run
from consens.io import read_ensemble
from consens.io.ensembles import is_ensemble_folder

NEW = ["--seed", "0"]
OLD = {
    "generate": ["--seed", "1"],
    "select": ["--seed", "1"],
    "combine": ["--seed", "1", "-k", "5"],
    "report": ["--seed", "1", "-k", "5"],
}
COMMANDS = {
    "generate": ["generate", "a.npy", "--members", "60", "-o", "out/x.ens"],
    "select": ["select", "given.ens", "--selector", "mediandiversity", "-o", "out/x.ens"],
    "combine": ["combine", "given.ens", "-k", "4", "--method", "kcc", "-o", "out"],
    "report": ["report", "a.npy", "-k", "4", "--members", "30", "-o", "out/page.html"],
}


def whole_results():
    """What a user sees in the folder of the results: files by content, ensembles as one."""
    found = {}
    for path in sorted(Path("out").iterdir()):
        if path.name.startswith(".") or path.suffix == ".members":
            continue  # what a run under way keeps for itself
        if path.is_dir():
            assert is_ensemble_folder(path)
            read_ensemble(path)
            found[path.name] = {file.name: file.read_bytes() for file in path.iterdir()}
        else:
            found[path.name] = path.read_bytes()
    return found


def begin(command, program=("-m", "consens"), **streams):
    """Start a command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, *program, *command, "-q"], stderr=subprocess.DEVNULL, **streams
    )


def kill(process):
    process.kill()
    assert process.wait() in (-signal.SIGKILL, 0)  # 0 when it was finished before


def write_data():
    rng = np.random.default_rng(0)
    centers = 6 * rng.normal(size=(4, 6))
    np.save("a.npy", centers[rng.integers(4, size=400)] + rng.normal(size=(400, 6)))


def prepare(verb):
    """Make the data, the results of another seed, and those of an undisturbed run."""
    write_data()
    if verb in ("select", "combine"):
        made = ["generate", "a.npy", "--members", "60", "-o", "given.ens", "-q"]
        assert run(made) == 0
    assert run([*COMMANDS[verb], *OLD[verb], "-q"]) == 0
    old = whole_results()
    shutil.copytree("out", "before")
    started = time.monotonic()
    assert begin([*COMMANDS[verb], *NEW]).wait() == 0
    return old, whole_results(), time.monotonic() - started


def kill_at_random(verb, n_moments):
    """Kill a verb at moments that are uniform over its duration, and run it again."""
    old, new, duration = prepare(verb)
    assert old.keys() == new.keys()
    assert all(old[name] != new[name] for name in old)
    for moment in np.random.default_rng(len(verb)).uniform(0, duration, n_moments):
        shutil.rmtree("out")
        shutil.copytree("before", "out")
        process = begin([*COMMANDS[verb], *NEW])
        time.sleep(moment)
        kill(process)
        left = whole_results()
        assert left.keys() == new.keys()
        for name, content in left.items():
            assert content in (old[name], new[name]), f"{name} is damaged after {moment:.2f} s"
        assert begin([*COMMANDS[verb], *NEW]).wait() == 0
        assert whole_results() == new
        assert not list(Path("out").glob("*.members"))


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("verb", COMMANDS)
def test_killed_at_twenty_moments(verb):
    """Five moments for each of the four verbs."""
    kill_at_random(verb, 5)


STOPPED = """
import signal
from consens.cli import main
from consens.generate import watch

def stop(progress):
    if progress.done == 3:
        print("stopped", flush=True)
        signal.pause()

with watch(stop):
    main()
"""


def test_a_kill_while_members_are_made_loses_none():
    """The moment that a clock seldom meets: members are finished, the ensemble is not."""
    write_data()
    command = ["generate", "a.npy", "--generator", "kmeans", "--members", "12", "-o", "out/x.ens"]
    store = Path("out/x.ens.members")
    stored = [*command, "--store", str(store)]
    with begin(stored, ("-c", STOPPED), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "stopped\n"
        kill(process)
    assert os.listdir("out") == ["x.ens.members"]
    times = {path.name: path.stat().st_mtime_ns for path in store.glob("*.npz")}
    assert len(times) == 3
    assert run([*stored, "-q"]) == 0
    again = {path.name: path.stat().st_mtime_ns for path in store.glob("*.npz")}
    assert times.items() <= again.items()
    resumed = whole_results()["x.ens"]
    shutil.rmtree("out")
    assert run([*command, "-q"]) == 0
    assert whole_results()["x.ens"] == resumed
