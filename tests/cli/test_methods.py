"""`consens methods`: everything for every stage, with the first sentence of its docstring."""

import inspect
import json
import re
from pathlib import Path

import numpy as np
import pytest

from consens import Ensemble, consensus, generate, select
from consens.cli import methods, stages


def test_everything_is_listed(shell):
    done = shell("methods")
    assert done.code == 0
    _, *lines = done.out.splitlines()
    rows = [line.split(maxsplit=2) for line in lines]
    assert [(stage, name) for stage, name, _ in rows] == [
        (stage.role, name) for stage in stages.STAGES for name in stage.names
    ]
    ideas = {name: idea for _, name, idea in rows}
    assert ideas["eac"].startswith("Evidence accumulation: ")
    assert ideas["kmeans"].startswith("Run k-means many times")


def test_json_of_one_stage(shell):
    found = {m["name"]: m for m in json.loads(shell("methods", "consensus", "--json").out)}
    assert sorted(found) == sorted(name.lower() for name in consensus.METHODS)
    assert found["eac"]["parameters"]["linkage"] == "average"
    assert found["eac"]["class"] == "EAC"


def test_the_table_of_stages_is_what_the_packages_hold():
    """Names are listed apart, for speed; the packages must agree."""
    assert set(stages.CONSENSUS.names.values()) == set(consensus.METHODS)
    selectors = set(select.__all__) - {"BaseSelector"}
    assert set(stages.SELECTOR.names.values()) == selectors
    X = np.random.default_rng(0).normal(size=(30, 4))
    makers = set()
    for name in generate.__all__:
        kind = getattr(generate, name)
        if name != "BaseGenerator" and hasattr(kind, "transform"):
            accepted = inspect.signature(kind).parameters.keys()
            few = dict.fromkeys(accepted & {"n_estimators"}, 2)
            assert isinstance(kind(**few).fit(X).transform(X), Ensemble)
            makers.add(name)
    assert set(stages.GENERATOR.names.values()) == makers | {"library"}


def test_methods_are_in_the_order_of_the_leaderboard():
    page = Path(__file__).parents[2] / "docs" / "studies" / "leaderboard.md"
    if not page.exists():
        pytest.skip("the documentation is not here")
    text = page.read_text(encoding="utf-8")
    ranked = re.findall(r"^\| `(\w+)[^`]*` +\| [\d.]+ ", text.partition("\n## ")[0], re.MULTILINE)
    names = list(stages.CONSENSUS.names.values())
    assert names[: len(set(ranked))] == list(dict.fromkeys(ranked))
    number = re.search(r"methods on (\d+) cases", text)[1]
    assert f"on {number} ensembles" in methods.__doc__


@pytest.mark.parametrize("stage", stages.STAGES, ids=lambda stage: stage.role)
def test_names_are_distinct_and_found_in_any_case(stage):
    assert len(stage.names) == len(stage.public.split())
    for name, public in stage.names.items():
        for words in (name, public, public.upper()):
            assert stage.find(words, "").__name__ == public


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("0.5", 0.5),
        ("5,20", (5, 20)),
        ("5,", (5,)),
        ("True", True),
        ("none", None),
        ("single", "single"),
        ("1e-3", 0.001),
    ],
)
def test_values(text, value):
    assert stages.parse_value(text) == value
    assert type(stages.parse_value(text)) is type(value)
