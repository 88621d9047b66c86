"""Help is quick, complete and ends with an example."""

import inspect
import subprocess
import sys

import pytest

from consens import __version__
from consens.cli import EXAMPLES, app
from consens.cli.configuration import command

VERBS = [verb.__name__ for verb in EXAMPLES]
HEAVY = ["numba", "sklearn", "pandas", "matplotlib", "pyarrow", "scipy"]


def test_version(shell):
    assert shell("--version").out == f"consens {__version__}\n"


def test_consens_alone_prints_its_help(shell):
    done = shell()
    assert (done.code, done.err) == (0, "")
    assert done.out == shell("--help").out


def test_every_verb_is_known():
    assert [command.callback.__name__ for command in app.registered_commands] == VERBS
    assert set(VERBS) >= {"generate", "select", "combine", "measure", "cluster", "report"}
    assert set(VERBS) >= {"info", "methods"}


@pytest.mark.parametrize("verb", [[], *([verb] for verb in VERBS)])
def test_help_ends_with_an_example(shell, verb):
    done = shell(*verb, "--help")
    assert done.code == 0
    assert done.err == ""
    example = done.out.rstrip().splitlines()[-1].strip()
    assert example.startswith(" ".join(["Example: consens", *verb]))


def test_every_verb_takes_a_configuration():
    for verb in EXAMPLES:
        assert "config" in inspect.signature(command(verb)).parameters


@pytest.mark.parametrize("arguments", [["--help"], ["cluster", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(arguments):
    code = (
        "import sys; from consens.cli import run; "
        f"assert run({arguments!r}) == 0; "
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_progress_only_on_a_terminal(shell, votes, monkeypatch):
    assert "consensus (" not in shell("combine", votes).err
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert "consensus (2 of 3)" in shell("combine", votes, "-k", 2).err
    assert shell("combine", votes, "--quiet").err == ""


def test_the_shell_as_a_module_gives_its_exit_code(tmp_path):
    command = [sys.executable, "-m", "consens", "nonsense"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert "nonsense" in done.stderr
