"""Docstrings hold what the pages of the documentation are made of."""

import importlib
import inspect
import re
import sys

import pytest

from consens import consensus

from ._pages import DOCS

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the documentation is not here")


@pytest.fixture(scope="module")
def catalogue():
    pytest.importorskip("sphinx")
    pytest.importorskip("numpydoc")
    sys.path.insert(0, str(DOCS / "_ext"))
    try:
        yield importlib.import_module("catalogue")
    finally:
        sys.path.remove(str(DOCS / "_ext"))


def notes(method):
    doc = inspect.getdoc(getattr(consensus, method))
    return re.search(r"(?ms)^Notes\n-----\n(.*?)(?=^\w[\w ]*\n---|\Z)", doc)[1]


@pytest.mark.parametrize("method", consensus.METHODS)
def test_a_method_says_when_to_use_it_and_what_it_costs(method):
    paragraphs = notes(method).split("\n\n")
    assert [text for text in paragraphs if text.startswith("Use it ")]
    assert re.search(r"O\(|\btime\b|\bcost\b", notes(method), re.IGNORECASE)
    doc = inspect.getdoc(getattr(consensus, method))
    assert re.search(r"doi:10\.\d{4,}/", doc)
    assert ">>> " in doc


def test_a_new_method_gets_a_page(catalogue, monkeypatch):
    class Newest(consensus.EAC):
        """Newest of all: a sentence.

        The formula is |a| and

            f(x) = 1          (3)

        Notes
        -----
        Use it never.

        O(1) time for labels_.

        References
        ----------
        A paper. doi:10.1000/182.
        """

    monkeypatch.setattr(consensus, "Newest", Newest, raising=False)
    monkeypatch.setattr(consensus, "METHODS", [*consensus.METHODS, "Newest"])
    pages = dict(catalogue.method_pages())
    page = pages["Newest.rst"]
    assert ".. code-block:: none\n   :class: formula\n\n    f(x) = 1    (3)" in page
    assert r"is \|a\| and" in page
    assert "When to use it\n--------------\n\nUse it never." in page
    assert "O(1) time for labels\\_." in page
    assert "`doi:10.1000/182 <https://doi.org/10.1000/182>`__." in page
    assert ":doc:`Newest <Newest>`" in pages["index.rst"]
    assert "Newest of all: a sentence." in pages["index.rst"]


def test_a_study_without_output_says_how_to_get_it(catalogue, tmp_path):
    (tmp_path / "studies").mkdir()
    command = '\nif __name__ == "__main__":\n    main()\n'
    (tmp_path / "studies" / "one.py").write_text(f'"""First study.\n\n    run\n"""{command}')
    (tmp_path / "studies" / "one_part.py").write_text('"""A part of the first study."""')
    (tmp_path / "docs" / "studies").mkdir(parents=True)
    pages = dict(catalogue.result_pages(tmp_path / "docs"))
    assert pages["studies/one.md"].startswith("# First study\n")
    assert "studies/one_part.md" not in pages
    assert "`> docs/studies/one.md`" in pages["studies/one.md"]
    (tmp_path / "docs" / "studies" / "one.md").write_text("| a |\n|---|\n| 1 |\n")
    pages = dict(catalogue.result_pages(tmp_path / "docs"))
    assert "```{include} ../../studies/one.md" in pages["studies/one.md"]


def test_the_index_of_the_papers_is_the_page_of_the_command_for_all(catalogue, tmp_path):
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies" / "all.py").write_text('"""All papers.\n\n    its command\n"""')
    (tmp_path / "docs" / "studies").mkdir(parents=True)
    (tmp_path / "docs" / "studies" / "index.md").write_text("- paper 0\n")
    pages = dict(catalogue.result_pages(tmp_path / "docs"))
    assert "```{include} ../../studies/index.md" in pages["studies/all.md"]
    assert "studies/index.md" not in pages
