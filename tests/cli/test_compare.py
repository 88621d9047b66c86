"""`consens compare`: several methods on one table."""

import csv
import json
from pathlib import Path

import pytest

import consens


@pytest.fixture
def classes(tmp_path):
    lines = [f"s{i},{'abc'[i // 20]}" for i in range(60)]
    (tmp_path / "classes.csv").write_text("\n".join(["name,class", *reversed(lines)]) + "\n")
    return "classes.csv"


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_features_are_compared_as_in_python(shell, blobs, classes):
    drop = "--drop", "colour", "--drop", "constant"
    done = shell(
        "compare", blobs, *drop, "-k", 3, "--truth", classes, "--column", "class",
        "--method", "eac", "--method", "default", "--plot", "heat.svg", "--seed", 4,
    )  # fmt: skip
    assert done.code == 0, done.err
    rows = read("blobs-compare.csv")
    assert {row["method"] for row in rows} == {"EAC", "default"}
    assert [float(row["ari"]) for row in rows] == [1, 1]
    assert "1.5" in done.out
    assert "<svg" in Path("heat.svg").read_text()
    again = shell("compare", "--config", "blobs-compare.csv.config.toml", blobs, "-o", "b.csv")
    assert again.code == 0, again.err
    frame = consens.io.read_table(blobs, drop=("colour", "constant")).frame
    X = consens.TableFeatures(scale="standard").fit_transform(frame)
    here = consens.compare(X, ["EAC"], n_clusters=3, random_state=4)
    shown = next(row for row in rows if row["method"] == "EAC")
    assert float(shown["agreement"]) == pytest.approx(here.table.loc["EAC", "agreement"])


def test_clusterings_are_compared(shell, votes):
    done = shell("compare", votes, "--labels", "--method", "eac", "--method", "mcla", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert {row["method"] for row in found["methods"]} == {"EAC", "MCLA"}
    assert found["similarity"]["EAC"] == [1, 1]
    assert [row["error"] for row in found["methods"]] == ["", ""]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--column", "class"], "--truth FILE"),
        (["--plot", "heat.gif"], ".svg, .png or .pdf"),
        (["--method", "nonsense"], "'nonsense' is unknown"),
        (["--labels", "--members", 5], "FILE holds clusterings already"),
    ],
)
def test_wrong_usage(shell, votes, options, message):
    done = shell("compare", votes, *options)
    assert done.code == 2
    assert message in " ".join(done.err.split())
