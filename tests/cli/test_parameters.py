"""Whatever a parameter is set to from the shell: a result, or one line that says what is wrong."""

import numpy as np
import pytest

from consens.cli import stages

VALUES = ["abc", "-1", "0", "3", "0.5", "none", "true", "1,2", "2,1", "nan", "inf", "", "1e400"]

CASES = [
    (stage, name, parameter)
    for stage in stages.STAGES
    for name in stage.names
    for parameter in stages.parameters(stage.find(name, ""))
    if (stage.role, parameter) != ("consensus", "n_clusters")  # -k has its own test
]


@pytest.fixture
def data(shell):
    rng = np.random.default_rng(0)
    np.save("a.npy", rng.normal(size=(24, 3)) + np.repeat([[0, 0, 0], [9, 0, 0]], 12, axis=0))
    assert shell("generate", "a.npy", "--members", 6, "-o", "x.ens").code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stage", "name", "parameter"), CASES, ids=lambda case: getattr(case, "role", case)
)
def test_any_value(shell, data, stage, name, parameter):
    known = stages.parameters(stage.find(name, ""))
    few = ["--members", 4] if {"n_estimators", "size"} & known.keys() - {parameter} else []
    command = {
        "generator": ["generate", "a.npy", "--generator", name, *few, "-o", "g.ens"],
        "selector": ["select", "x.ens", "--selector", name, "-o", "s.ens"],
        "consensus": ["combine", "x.ens", "-k", 2, "--method", name, "-o", "c"],
    }[stage.role]
    for value in VALUES:
        done = shell(*command, "--param", f"{parameter}={value}", "-q")
        assert done.code in (0, 1, 2)
        assert done.out == ""
        said = [line for line in done.err.splitlines() if not line.startswith("warning: ")]
        assert len(said) == (done.code != 0), done.err
        assert all(line.startswith("error: ") for line in said)
