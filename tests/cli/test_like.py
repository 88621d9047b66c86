"""`consens cluster --like`: clusters keep the numbers and names of an earlier run."""

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from consens.cli import run


def table(path, centers, seed, start, sizes=25):
    rng = np.random.default_rng(seed)
    X = np.repeat(centers, sizes, axis=0)
    X = X + rng.normal(size=X.shape)
    names = [f"p{i}" for i in range(start, start + len(X))]
    return pd.DataFrame(X, names, ["a", "b"]).rename_axis("person").to_csv(path)


def labels(path):
    with open(path, newline="") as file:
        return {row["person"]: row["label"] for row in csv.DictReader(file)}


@pytest.fixture
def months(shell):
    """Three groups in May; in June two of them, and a new one beyond the third."""
    table("may.csv", [[0, 0], [9, 0], [0, 9]], 0, 0)
    table("june.csv", [[0, 9], [0, 0], [-3, 30]], 1, 75, [25, 25, 15])
    done = shell("cluster", "may.csv", "-k", 3, "--model", "may.model", "-o", "may")
    assert done.code == 0, done.err
    return labels("may/labels.csv")


def test_a_model_gives_numbers(shell, months):
    done = shell("cluster", "june.csv", "-k", 3, "--like", "may.model", "-o", "june")
    assert done.code == 0, done.err
    assert "may.model: column 'b' has" in done.err  # far outside of the training range
    found = labels("june/labels.csv")
    first, gone, third = (months[f"p{i}"] for i in (0, 25, 50))
    assert (found["p75"], found["p100"], found["p125"]) == (third, first, "3")
    summary = json.loads(Path("june/summary.json").read_text())
    kinds = {change["kind"]: change for change in summary["changes"]}
    assert kinds["vanished"]["before"] == [gone]
    assert kinds["appeared"] == {
        "kind": "appeared", "before": [], "after": ["3"], "n_objects": 15,
    }  # fmt: skip
    rows = [line.split() for line in done.out.splitlines()]
    assert ["appeared", "3", "15"] in rows
    assert shell("cluster", "--config", "june/config.toml", "-o", "again").code == 0
    assert labels("again/labels.csv") == found


def test_labels_give_names(shell, months):
    rows = [f"p{i},{['north', 'south', 'west'][i // 25]}" for i in range(70)]
    Path("named.csv").write_text("person,segment\n" + "\n".join(rows))
    done = shell("cluster", "may.csv", "-k", 2, "--like", "named.csv", "-o", "two", "--model", "m")
    assert done.code == 0, done.err
    assert "5 objects have no label in named.csv" in done.err
    found = labels("two/labels.csv")
    assert set(found.values()) < {"north", "south", "west"}
    summary = json.loads(Path("two/summary.json").read_text())
    assert sorted(change["kind"] for change in summary["changes"]) == ["kept", "merged"]
    assert shell("predict", "m", "may.csv", "-o", "p.csv").code == 0
    assert labels("p.csv") == found  # by their names


def test_the_report_lists_changes(shell, months, capsys):
    done = shell("report", "june.csv", "-k", 3, "--like", "may.model", "--json")
    assert done.code == 0, done.err
    page = json.loads(done.out)
    assert [change["kind"] for change in page["changes"]].count("kept") == 2
    chosen = next(p for p in page["partitions"] if p["n_clusters"] == 3)
    assert "3" in [cluster["name"] for cluster in chosen["clusters"]]
    text = Path("june-report.html").read_text()
    assert "Changes since the earlier clusters" in text
    assert run(["report", "may.csv", "-k", "3", "-o", "plain.html", "-q"]) == 0
    assert "Changes since the earlier clusters" not in Path("plain.html").read_text()


def test_wrong_files(shell, months):
    table("other.csv", [[0, 0], [9, 9]], 0, 500)
    done = shell("cluster", "june.csv", "-k", 2, "--like", "missing.model")
    assert done.code == 1
    assert done.err.endswith("error: no such file: missing.model\n")
    done = shell("cluster", "other.csv", "-k", 2, "--like", "may/labels.csv")
    assert done.code == 1
    assert "labels.csv has none of the objects; expected a model, or labels by id" in done.err
    text = Path("other.csv").read_text().replace("person,a,b", "person,x,y")
    Path("other.csv").write_text(text)
    done = shell("cluster", "other.csv", "-k", 2, "--like", "may.model")
    assert done.code == 1
    assert "may.model: the table has none of the columns 'a', 'b'" in done.err
    for option in (["--memory-limit", "1GB"], ["--graph"]):
        assert shell("cluster", "june.csv", "--like", "may.model", *option).code == 2
