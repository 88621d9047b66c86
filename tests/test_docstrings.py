"""Docstrings are whole: what many classes share is filled in, and can be left out altogether."""

import importlib
import inspect
import re

import pytest

from consens._docs import fill_paragraphs, shared_paragraphs

PACKAGES = ("datasets", "generate", "evidence", "measure", "select", "consensus")


@pytest.mark.parametrize("package", PACKAGES)
def test_no_placeholder_is_left(package):
    module = importlib.import_module(f"consens.{package}")
    for name in module.__all__:
        text = inspect.getdoc(getattr(module, name)) or ""
        assert not re.findall(r"^ *\{\w+\}$", text, re.MULTILINE), name


def test_paragraphs_are_indented_as_their_placeholder():
    assert fill_paragraphs("a\n\n    {n_estimators}\n    b") == (
        "a\n\n    n_estimators : int, default=50\n        Number of members M.\n    b"
    )
    assert fill_paragraphs("one of {n_estimators}") == "one of {n_estimators}"


def test_an_unknown_paragraph_is_an_error():
    with pytest.raises(KeyError, match="nothing"):

        @shared_paragraphs
        class Wrong:
            """{nothing}"""


def test_classes_work_without_docstrings():
    class Stripped:  # as by python -OO
        pass

    assert shared_paragraphs(Stripped).__doc__ is None
