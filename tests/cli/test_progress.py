"""How far a generation is, on a terminal and nowhere else; what it needs, before it is taken."""

import os
import pty
import re
import sys
from threading import Thread

import numpy as np
import pytest

from consens._support import memory
from consens.cli import console
from consens.generate import KMeansEnsemble


@pytest.fixture
def on_a_terminal(shell, monkeypatch):
    """Run ``consens`` with stderr on a terminal; what the terminal got, and stdout."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")

    def call(*arguments):
        ours, theirs = pty.openpty()
        seen = []
        reader = Thread(target=lambda: seen.extend(read_to_the_end(ours)))
        reader.start()
        with open(theirs, "w") as terminal, monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", terminal)
            done = shell(*arguments)
        reader.join()
        os.close(ours)
        assert done.code == 0
        text = b"".join(seen).decode()
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text), done.out

    return call


def read_to_the_end(terminal):
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # the other side is closed
            return
        if not piece:
            return
        yield piece


def test_members_are_counted_on_a_terminal(on_a_terminal, blobs, tmp_path):
    read = ["--drop", "colour", "--members", 30]
    seen, out = on_a_terminal("generate", blobs, *read, "-o", tmp_path / "x.ens")
    assert "30/30 members" in seen
    assert "0:00:0" in seen  # how long it has taken
    assert "left" not in seen  # nobody knows
    assert "members" not in out
    assert out.startswith("Ensemble: 60 objects, 30 partitions")


def test_one_display_from_reading_to_the_report(on_a_terminal, blobs, tmp_path):
    options = ["--drop", "colour", "--members", 10, "-o", tmp_path / "page.html"]
    seen, _ = on_a_terminal("report", blobs, *options)
    lines = [line for line in seen.split("\r") if line.startswith("[")]
    shares = [int(line[22:].partition("%")[0]) for line in lines]
    assert shares == sorted(shares)
    names = [re.search(r"\d:\d\d:\d\d ([a-z ]+) \((\d) of 6\)", line) for line in lines]
    assert list(dict.fromkeys(match.groups() for match in names)) == [
        ("reading", "1"),
        ("members", "2"),
        ("choice of k", "3"),
        ("consensus", "4"),
        ("summary", "5"),
        ("report", "6"),
    ]
    assert all("blobs.csv" in line for line in lines)


def test_nothing_is_shown_elsewhere(capsys):
    with console.progress("points", "members", quiet=False):
        KMeansEnsemble(2, random_state=0).fit([[0.0], [1.0], [5.0]])
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("generator", ["kmeans", "boostedkmeans"])
def test_labels_that_cannot_fit_are_refused_before_they_are_made(
    shell, blobs, monkeypatch, generator
):
    monkeypatch.setattr(memory, "available_memory", lambda: 4.0 * 60 * 50)
    arguments = ["generate", blobs, "--drop", "colour", "--generator", generator, "-o", "x.ens"]
    assert shell(*arguments, "--members", 39).code == 0
    done = shell(*arguments, "--members", 41)
    assert done.code == 1
    assert "labels of 60 objects by 41 members needs" in done.err
    assert "make fewer members" in done.err


def test_a_method_that_cannot_fit_is_refused(shell, monkeypatch):
    labels = np.random.default_rng(0).integers(0, 30, (500, 4)).astype(float)
    labels[0, 0] = np.nan
    np.save("a.npy", labels)
    monkeypatch.setattr(memory, "available_memory", lambda: 1e6)
    done = shell("combine", "a.npy", "-k", 2, "--method", "eac")
    assert done.code == 1
    assert "are available; " in done.err
    assert os.listdir() == ["a.npy"]
