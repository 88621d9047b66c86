"""The example that each ``--help`` ends with can be typed as it stands."""

import json
import os
import shlex

import pytest
from sklearn.datasets import load_iris

from consens.cli import EXAMPLES


@pytest.fixture
def iris(tmp_path):
    """The file that the examples speak of."""
    data = load_iris()
    lines = ["sepal_length,sepal_width,petal_length,petal_width,species"]
    for x, y in zip(data.data, data.target, strict=True):
        lines.append(",".join(map(str, x)) + f",{data.target_names[y]}")
    (tmp_path / "iris.csv").write_text("\n".join(lines) + "\n")


def test_every_example_runs(shell, iris):
    shown = {}
    for verb, example in EXAMPLES.items():
        done = shell(*shlex.split(example))
        assert (done.code, done.err.count("error")) == (0, 0), done.err
        shown[verb.__name__] = done.out
    assert {"iris.ens", "few.ens", "iris-consens", "iris-report.html"} <= set(os.listdir())
    assert "20 partitions" in shown["select"]
    assert shown["combine"].startswith("150 objects in 3 clusters (given) by DrawnConsensus of")
    assert json.loads(shown["methods"])
    assert "D_NMI" in shown["measure"]
