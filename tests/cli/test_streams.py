"""Closed, full and narrow streams, and names that a locale cannot spell."""

import os
import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-m", "consens"]


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


@pytest.mark.parametrize(
    ("command", "ending", "code"),
    [("--help", " <&- >&-", 0), ("--help", " 2>&-", 0), ("nonsense", " >&- 2>&-", 2)],
)
def test_closed_streams(tmp_path, command, ending, code):
    done = start(tmp_path, command, shell_ending=ending)
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_a_reader_that_stops(tmp_path):
    done = start(tmp_path, "--help", shell_ending=" | true")
    assert done.stderr == ""


def test_a_full_disk(tmp_path):
    done = start(tmp_path, "--help", shell_ending=" > /dev/full")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1


TWO_COMMANDS = """
import sys
from consens.cli import console, run
console.open_streams()
then = sys.argv.index("then")
sys.exit(run(sys.argv[1:then]) or run(sys.argv[then + 1:]))
"""


@pytest.mark.parametrize("utf8", ["0", pytest.param("1", marks=pytest.mark.slow)])
def test_names_that_the_locale_cannot_spell(tmp_path, utf8):
    (tmp_path / "größe.csv").write_text("id,ä\n" + "".join(f"o{i},{i}.5\n" for i in range(12)))
    locale = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": utf8}
    cluster = ["cluster", "größe.csv", "-k", "2", "--members", "4"]
    again = ["cluster", "--config", "größe-consens/config.toml"]
    command = [sys.executable, "-c", TWO_COMMANDS, *cluster, "then", *again]
    done = subprocess.run(
        command, cwd=tmp_path, env=os.environ | locale, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(b"written: ") == 2
    assert (tmp_path / "größe-consens" / "labels.csv").exists()


def test_a_narrow_terminal(shell, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    for arguments in (["methods", "selector"], ["cluster", "--help"], ["cluster", "none.csv"]):
        done = shell(*arguments)
        assert done.out or done.err.startswith("error: no such file")
