"""Random calls in short: which errors count as an answer, and a few hundred odd tables."""

import ast
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import consens
from benchmarks.fuzz import _values, api
from benchmarks.fuzz._errors import is_for_users
from consens._blocks import map_rows
from consens.consensus import EAC


def error_of(call):
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    return caught.value


@pytest.mark.parametrize(
    "call",
    [
        lambda: consens.check([1, 2, 3]),
        lambda: EAC(0).fit([[0, 1], [1, 1], [0, 0]]),
        lambda: consens.ConsensusClustering().fit([["x"], ["y"]]),
    ],
)
def test_messages_of_consens_and_checks_of_scikit_learn_are_answers(call):
    assert is_for_users(error_of(call))


@pytest.mark.parametrize("given", [(len, np.zeros(3), 4), (3, np.zeros(3))])
def test_messages_of_python_are_findings(given):
    assert not is_for_users(error_of(lambda: map_rows(*given)))


def test_the_calls_cover_the_front_doors():
    packages = {name.split(".")[0] for name, _ in api.targets()}
    assert {"consens", "choose", "io", "show"} <= packages
    assert "consens.check" in dict(api.targets())


def test_check_answers_for_any_table():
    unkind = []
    for number in range(300):
        table = _values.table(np.random.default_rng(number), number % 25)
        try:
            consens.check(table)
        except (TypeError, ValueError, RuntimeWarning) as error:
            unkind += [] if is_for_users(error) else [(number, error)]
    assert unkind == []


def test_the_programs_import_only_what_exists():
    folder = Path(api.__file__).parent
    imports = [
        node
        for file in sorted(folder.glob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("consens")
    ]
    assert imports
    for node in imports:
        module = import_module(str(node.module))
        for name in node.names:
            if not hasattr(module, name.name):  # a module that nothing has imported yet
                import_module(f"{node.module}.{name.name}")
