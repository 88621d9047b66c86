"""A writer that is killed, by kill -9, leaves the old ensemble or the new one, whole."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from consens.io import read_ensemble

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")

# a process that has imported the library forks the writers that are killed, since an import
# takes longer than writing a hundred ensembles
WRITERS = """
import os, signal, sys
import numpy as np
from consens import Ensemble
from consens.io import write_ensemble

def ensemble(version):
    labels = np.full((50 + version, 3 + version), version, dtype=np.int32)
    payload = [{"centers": np.full((version + 1, 2), float(version))}] * labels.shape[1]
    return Ensemble(labels, payload=payload)

def die_at(step):
    left = [step]
    def hook(event, arguments):
        kind = event.partition(".")[0]
        if kind in ("os", "shutil") or kind == "open" and "a.ens" in str(arguments[0]):
            left[0] -= 1
            if left[0] == -1:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(hook)

print("ready", flush=True)
for line in sys.stdin:
    version, step, path = line.split(maxsplit=2)
    version, step, path = int(version), int(step), path.rstrip()
    child = os.fork()
    if not child:
        if step >= 0:
            die_at(step)
            write_ensemble(ensemble(version), path)
            os._exit(0)
        while True:
            write_ensemble(ensemble(version), path)
            version = 1 - version
    if step < 0:
        print(child, flush=True)
    print(os.WIFSIGNALED(os.waitpid(child, 0)[1]), flush=True)
"""


def version_of(path):
    """Which of the two ensembles is there; anything else is damage."""
    found = read_ensemble(path)
    version = found.shape[0] - 50
    assert version in (0, 1)
    assert found.shape == (50 + version, 3 + version)
    assert (found.labels == version).all()
    for entries in found.payload:
        np.testing.assert_array_equal(entries["centers"], np.full((version + 1, 2), version))
    return version


@pytest.fixture(scope="module")
def process():
    command = [sys.executable, "-c", WRITERS]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        yield process
        process.stdin.close()


@pytest.fixture
def write(process, tmp_path):
    """Let a writer put a version in place, killed before a step, or (-1) go on until killed."""

    def ask(version, step=10**6):
        process.stdin.write(f"{version} {step} {tmp_path / 'a.ens'}\n")
        process.stdin.flush()
        return process.stdout.readline().strip()

    return ask


def test_killed_before_every_step(write, tmp_path):
    path = tmp_path / "a.ens"
    assert write(0) == "False"
    killed, versions = True, []
    while killed:
        killed = write(1, len(versions)) == "True"
        versions.append(version_of(path))
        if versions[-1] == 1:
            write(0)
            assert version_of(path) == 0
    assert len(versions) > 20
    assert versions == sorted(versions)  # the old one up to a step, the new one from there
    assert versions[0] == 0
    assert versions[-1] == 1
    # a set that was committed is in its place with the next write
    assert not list(tmp_path.glob(".consens-*.commit"))


def test_killed_while_writing_for_the_first_time(write, tmp_path):
    step = 0
    while write(0, step) == "True":
        path = tmp_path / "a.ens"
        if path.exists():
            assert version_of(path) == 0
        step += 1
        for left in Path(tmp_path).glob("a.ens"):
            left.rename(tmp_path / f"finished{step}")
    assert step > 15


@pytest.mark.slow  # every step is tried above
def test_killed_at_random_moments(write, process, tmp_path):
    rng = np.random.default_rng(0)
    assert write(0) == "False"
    for _ in range(20):
        child = int(write(1, -1))
        for _ in range(rng.integers(3)):  # reading while the folder is replaced is safe too
            version_of(tmp_path / "a.ens")
        time.sleep(rng.uniform(0, 0.05))
        os.kill(child, signal.SIGKILL)
        assert process.stdout.readline() == "True\n"
        version_of(tmp_path / "a.ens")
    write(0)
    assert version_of(tmp_path / "a.ens") == 0
