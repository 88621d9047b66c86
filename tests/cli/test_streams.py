"""Closed, full and narrow streams, and names that a locale cannot spell."""

import os
import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-m", "consens.cli"]


def start(folder, *arguments, shell_ending="", **environment):
    line = " ".join([*COMMAND, *arguments]) + shell_ending
    return subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


@pytest.mark.parametrize("ending", [" <&- >&-", " 2>&-", " >&- 2>&-"])
def test_closed_streams(tmp_path, ending):
    done = start(tmp_path, "methods", "selector", shell_ending=ending)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_a_reader_that_stops(tmp_path):
    done = start(tmp_path, "methods", "--json", shell_ending=" | head -c 1")
    assert done.stdout == "["
    assert done.stderr == ""


def test_a_full_disk(tmp_path):
    done = start(tmp_path, "methods", shell_ending=" > /dev/full")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("utf8", ["0", pytest.param("1", marks=pytest.mark.slow)])
def test_names_that_the_locale_cannot_spell(tmp_path, utf8):
    (tmp_path / "größe.csv").write_text("id,ä\n" + "".join(f"o{i},{i}.5\n" for i in range(12)))
    locale = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": utf8}
    done = start(tmp_path, "cluster", "größe.csv", "-k", "2", "--members", "4", **locale)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "größe-consens" / "labels.csv").exists()
    again = start(tmp_path, "cluster", "--config", "größe-consens/config.toml", **locale)
    assert again.returncode == 0, again.stderr


def test_a_narrow_terminal(shell, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    for arguments in (["methods", "selector"], ["cluster", "--help"], ["cluster", "none.csv"]):
        done = shell(*arguments)
        assert done.out or done.err.startswith("error: no such file")
