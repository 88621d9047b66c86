"""A full disk: one line that says so, the former files whole, nothing left behind."""

import os
import subprocess
from contextlib import contextmanager

import numpy as np
import pytest

from consens import Ensemble
from consens.cli import run
from consens.io import read_ensemble, write_ensemble

resource = pytest.importorskip("resource", reason="limits of POSIX systems")

N = 9000
FORMER = Ensemble(np.zeros((5, 2), dtype=np.int32))


@contextmanager
def files_no_larger_than(size):
    """What a full disk does, without one: a write beyond the limit fails."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def large():
    labels = np.random.default_rng(0).integers(0, 9, (N, 4)).astype(np.int32)
    features = np.random.default_rng(1).normal(size=(N, 1))
    ids = [f"object number {i:x}" for i in range(N)]
    return Ensemble(labels, payload=[{"features": features}] * 4, obs=ids)


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("size", [0, 1, 100, 2000, 80_000])
@pytest.mark.parametrize("former", [True, False])
def test_ensembles(tmp_path, size, former):
    if former:
        write_ensemble(FORMER, tmp_path / "a.ens")
    before = contents(tmp_path)
    with files_no_larger_than(size), pytest.raises(OSError, match="cannot write .*a.ens: ") as e:
        write_ensemble(large(), tmp_path / "a.ens")
    assert "File too large" in str(e.value)
    assert contents(tmp_path) == before
    assert os.listdir(tmp_path) == (["a.ens"] if former else [])


def test_parents_made_in_vain_are_gone(tmp_path):
    with files_no_larger_than(10), pytest.raises(OSError, match="cannot write"):
        write_ensemble(large(), tmp_path / "deep" / "down" / "a.ens")
    assert os.listdir(tmp_path) == []


@pytest.fixture
def table(tmp_path):
    lines = [f"object number {i},{i % 3},{i % 2}" for i in range(40)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["id,p,q", *lines]))
    return path


@pytest.mark.usefixtures("no_plots")
@pytest.mark.parametrize("verb", ["combine", "report"])
@pytest.mark.parametrize("size", [0, 400])
def test_the_shell(tmp_path, table, monkeypatch, capsys, verb, size):
    monkeypatch.chdir(tmp_path)
    out = tmp_path / ("out" if verb == "combine" else "page.html")
    options = ["--labels"] if verb == "report" else []
    arguments = [verb, str(table), *options, "-k", "2", "--out", str(out)]
    assert run(arguments) == 0
    before = contents(tmp_path)
    capsys.readouterr()
    with files_no_larger_than(size):
        code = run([*arguments, "--seed", "1"])
    output, error = capsys.readouterr()
    assert code == 1
    assert output == ""
    assert len(error.splitlines()) == 1
    assert error.startswith("error: ")
    assert "File too large" in error
    assert contents(tmp_path) == before


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 160 KiB, where mounting one is allowed."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=160k", "tmpfs", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount here")
    if done.returncode:
        pytest.skip("mounting needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.slow
def test_a_real_disk(small_disk, capsys, table):
    write_ensemble(FORMER, small_disk / "a.ens")
    with pytest.raises(OSError, match="cannot write .*a.ens: No space left on device"):
        write_ensemble(large(), small_disk / "a.ens")
    np.testing.assert_array_equal(read_ensemble(small_disk / "a.ens").labels, FORMER.labels)
    assert os.listdir(small_disk) == ["a.ens"]
    with (
        open(small_disk / "filler", "wb", buffering=0) as filler,
        pytest.raises(OSError, match="No space"),
    ):
        while filler.write(bytes(4096)):
            pass
    code = run(["report", str(table), "--labels", "-k", "2", "--out", f"{small_disk}/a.html"])
    error = capsys.readouterr().err
    assert code == 1
    assert len(error.splitlines()) == 1
    assert "No space left on device" in error
    assert sorted(os.listdir(small_disk)) == ["a.ens", "filler"]
