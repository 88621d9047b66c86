"""The README keeps its promises: its Python runs, its commands and methods exist."""

import re
from pathlib import Path

import pytest

from consens import consensus

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```python\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.usefixtures("no_plots")
@pytest.mark.parametrize("snippet", SNIPPETS)
def test_python_runs(snippet, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(snippet, "README.md", "exec"), {"__name__": "readme"})


def test_there_is_python_to_run():
    assert SNIPPETS


def test_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^make (\w+)", TEXT, flags=re.MULTILINE))
    assert targets >= {"demo", "test"}
    assert all(f"\n{target}:" in makefile for target in targets)


def test_methods_of_the_table_exist():
    rows = re.findall(r"^\| `(\w+)`", TEXT, flags=re.MULTILINE)
    assert "EAC" in rows
    assert set(rows) <= set(consensus.METHODS)


def test_the_method_of_the_contributing_guide_works():
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    names = {"__name__": "guide"}
    exec(re.search(r"^```python\n(.*?)^```", guide, flags=re.MULTILINE | re.DOTALL)[1], names)
    labels = [[0, 0, 2], [0, 0, 2], [0, 1, 2], [1, 1, 0], [1, 1, 0]]
    assert names["Farthest"](n_clusters=2).fit_predict(labels).tolist() == [0, 0, 0, 1, 1]


def test_the_shell_works_on_the_files_of_the_demo(tmp_path, monkeypatch):
    from consens.cli import run

    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^consens (.*)$", TEXT, re.MULTILINE)
    commands = [line for line in lines if "demo" in line]
    assert commands[0] == "demo"
    for command in commands:
        assert run(command.split()) == 0
    assert (tmp_path / "demo" / "wine.html").stat().st_size > 100_000


def test_shell_options_exist(capsys):
    from consens.cli import run

    for verb, rest in re.findall(r"^consens (\w+)(.*)$", TEXT, flags=re.MULTILINE):
        assert run([verb, "--help"]) == 0
        known = capsys.readouterr().out
        assert all(option in known for option in re.findall(r"(?<!\S)--?[a-z][\w-]*", rest))
