"""The comparison with other packages measures what it says, and says why where it cannot."""

import sys
from argparse import Namespace
from pathlib import Path

import pytest

from studies import comparison

HERE = Path(sys.executable)
LIMITS = Namespace(cpu=60, memory=6)


@pytest.fixture
def case(tmp_path):
    return tmp_path, comparison.prepare(90, tmp_path, seed=0)


def test_a_run_is_scored_and_measured(case):
    folder, y = case
    method = "co-association, SciPy average link"
    figures = comparison.measure(HERE, "by hand", method, folder, y, LIMITS)
    assert figures["clusters"] == 10
    assert 0.2 < figures["ari"] <= 1
    assert comparison.cells(figures)[0] == f"{figures['ari']:.3f}"


def test_a_run_that_fails_says_why(case):
    folder, y = case
    figures = comparison.measure(HERE, "ClusterEnsembles", "MCLA", folder, y, LIMITS)
    assert figures == {"error": "ModuleNotFoundError: No module named 'ClusterEnsembles'"}
    assert comparison.cells(figures)[1:] == ["", ""]


def test_errors_are_told_without_paths():
    text = "Traceback\nImportError: cannot import 'f' from 'm' (/home/me/m.py)\nnote: read on\n"
    assert comparison.last_line(text) == "ImportError: cannot import 'f' from 'm'"


def test_what_was_kept_is_read_again(tmp_path):
    assert comparison.read(tmp_path) == {"installed": {}, "runs": {}}
    kept = {"installed": {"p": ["yes, 1.0", "yes"]}, "runs": {"p: m": {"90": {"error": "x"}}}}
    comparison.write_json(tmp_path, comparison.KEPT, kept)
    assert comparison.read(tmp_path) == kept
