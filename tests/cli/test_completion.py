"""Completion in bash, zsh and fish: the scripts, and what they ask for."""

import os
import subprocess
import sys

import pytest

from consens.cli import EXAMPLES, run, stages

SHELLS = ["bash", "zsh", "fish"]


def ask(environment, *arguments, code="from consens.cli import main; main()"):
    """What ``consens`` prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    return done.stdout


@pytest.fixture
def ask_here(monkeypatch, capsys):
    """Ask without the start of a process."""

    def call(environment):
        with monkeypatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            with pytest.raises(SystemExit):
                run([])
        out, err = capsys.readouterr()
        assert err == ""
        return out

    return call


def complete(shell, line, ask=ask):
    """What a shell is offered behind a line; all three protocols differ."""
    if shell == "bash":
        words = line.split(" ")
        asked = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    else:
        asked = {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    out = ask({"_CONSENS_COMPLETE": f"complete_{shell}"} | asked)
    if shell == "zsh":
        out = out.replace("_arguments '*: :((", "").replace('"', "").replace("))'", "")
    lines = [text.partition(":" if shell == "zsh" else "\t") for text in out.splitlines()]
    return {word for word, _, _ in lines if word}


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts(shell, ask_here):
    script = ask_here({"_CONSENS_COMPLETE": f"source_{shell}"})
    assert f"_CONSENS_COMPLETE=complete_{shell}" in script
    assert "consens" in script


def test_scripts_are_shown_and_sourced(tmp_path):
    """What ``--show-completion`` prints for bash is a script that bash accepts."""
    asked = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    script = ask(asked, "--show-completion", "bash")
    done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "complete -o default -F _consens_completion consens" in script


@pytest.mark.parametrize("shell", SHELLS)
def test_verbs(shell):
    assert complete(shell, "consens ") >= {verb.__name__ for verb in EXAMPLES}


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("consens combine a.csv --method ", set(stages.CONSENSUS.names)),
        ("consens cluster a.csv --method lw", {"lwea", "lwgp", "lwmc"}),
        ("consens generate a.csv --generator s", {"spectral", "subspace"}),
        ("consens select a.ens --selector q", {"quadrant", "quality"}),
    ],
)
def test_names_of_methods(line, names, ask_here):
    assert complete("bash", line, ask_here) == names


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_names_of_methods_in_other_shells(shell, ask_here):
    found = complete(shell, "consens cluster a.csv --method lw", ask_here)
    assert found == {"lwea", "lwgp", "lwmc"}


def test_nothing_heavy_is_imported_to_complete():
    code = (
        "import sys, atexit; from consens.cli import main\n"
        "heavy = {'numba', 'sklearn', 'pandas', 'matplotlib', 'pyarrow', 'scipy', 'numpy'}\n"
        "atexit.register(lambda: print(sorted(heavy & set(sys.modules))))\n"
        "main()"
    )
    line = "consens generate a.csv --generator s"
    asked = {"COMP_WORDS": line, "COMP_CWORD": "4", "_CONSENS_COMPLETE": "complete_bash"}
    assert ask(asked, code=code).splitlines()[-1] == "[]"
