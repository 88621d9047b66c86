"""`consens methods`: every method with the first sentence of its docstring."""

import json

from consens import consensus


def test_every_method_is_listed(shell):
    done = shell("methods")
    assert done.code == 0
    lines = done.out.splitlines()
    assert len(lines) == 1 + len(consensus.__all__)
    assert lines[1].split()[0] == "eac"
    assert "Evidence accumulation" in lines[1]


def test_json(shell):
    found = json.loads(shell("methods", "--json").out)
    assert [method["name"] for method in found] == [name.lower() for name in consensus.__all__]
    assert found[0]["parameters"]["linkage"] == "average"
