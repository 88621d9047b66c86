"""`consens methods`: every method with the first sentence of its docstring."""

import json

from consens import consensus


def test_every_method_is_listed(shell):
    done = shell("methods")
    assert done.code == 0
    _, *lines = done.out.splitlines()
    ideas = dict(line.split(maxsplit=1) for line in lines)
    assert list(ideas) == [name.lower() for name in consensus.__all__]
    assert ideas["eac"].startswith("Evidence accumulation: ")


def test_json(shell):
    found = {m["name"]: m for m in json.loads(shell("methods", "--json").out)}
    assert list(found) == [name.lower() for name in consensus.__all__]
    assert found["eac"]["parameters"]["linkage"] == "average"
