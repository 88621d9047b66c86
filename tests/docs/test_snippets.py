"""Every snippet of the documentation runs, page by page, in a folder of its own.

``python`` blocks are run, ``pycon`` blocks must show what they print, and in ``sh`` blocks the
lines that call `consens` are run; all blocks of a page share their names and their files.  A page
that needs more than the core says so in a comment: ``<!-- needs: dask, anndata -->``.

Pages that show results have the default as users have it, commands and other pages few members;
so do pages whose results hold for any number of members: ``<!-- any number of members -->``.
"""

import doctest
import re
import shlex
from contextlib import nullcontext

import pytest

from consens.cli import run

from ._pages import DOCS, PAGES, blocks, named

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the documentation is not here")

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.usefixtures("no_plots")
@pytest.mark.parametrize("page", PAGES, ids=named)
def test_snippets_run(page, tmp_path, monkeypatch, defaults_of_users):
    text = page.read_text(encoding="utf-8")
    for needed in re.findall(r"<!-- needs: (.*?) -->", text):
        for module in needed.split(","):
            pytest.importorskip(module.strip())
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "page"}
    shows_results = any(block.language == "pycon" for block in blocks(text))
    shows_results &= "<!-- any number of members -->" not in text
    for block in blocks(text):
        as_users_have_it = shows_results and block.language != "sh"
        with defaults_of_users() if as_users_have_it else nullcontext():
            run_block(block, page, names)


def run_block(block, page, names):
    if block.language == "python":
        # empty lines in front make the numbers of a traceback those of the page
        exec(compile("\n" * block.line + block.text, named(page), "exec"), names)
    elif block.language == "pycon":
        test = doctest.DocTestParser().get_doctest(
            block.text, names, named(page), named(page), block.line
        )
        said = []
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        runner.run(test, out=said.append, clear_globs=False)
        names.update(test.globs)
        assert not runner.failures, "".join(said)
    elif block.language == "sh":
        for command in commands(block.text):
            where = f"{named(page)}:{block.line}"
            assert run(command) == 0, f"{where}: consens {shlex.join(command)}"


def commands(text):
    """Calls of `consens` in a shell block, as lists of arguments."""
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line.removeprefix("$ "), comments=True)
        if words[:1] == ["consens"]:
            yield words[1:]


def test_there_is_something_to_run():
    found = [block for page in PAGES for block in blocks(page.read_text(encoding="utf-8"))]
    assert {block.language for block in found} >= {"python", "pycon", "sh"}


def test_commands_are_found():
    text = "pip install consens\n$ consens cluster a.csv \\\n  -k 3  # three\nconsens methods\n"
    assert list(commands(text)) == [["cluster", "a.csv", "-k", "3"], ["methods"]]
