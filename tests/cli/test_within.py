"""`consens cluster OUT --within NAME`: one cluster of an earlier result is split further."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

READ = ["--drop", "colour", "--scale", "none"]


def labels(folder):
    with open(f"{folder}/labels.csv", newline="") as file:
        return {next(iter(row.values())): row["label"] for row in csv.DictReader(file)}


@pytest.fixture
def nested(tmp_path):
    """Two pairs of groups: the pairs are far apart, the groups of a pair are not."""
    rng = np.random.default_rng(0)
    X = np.repeat([[0, 0], [0, 9], [90, 0], [90, 9]], 15, axis=0) + rng.normal(size=(60, 2))
    lines = [f"s{i},{x:.3f},{y:.3f},red" for i, (x, y) in enumerate(X)]
    (tmp_path / "a.csv").write_text("\n".join(["name,x,y,colour", *lines]))
    return [f"s{i}" for i in range(60)]


def test_the_objects_of_one_cluster_keep_their_ids(shell, nested):
    assert shell("cluster", "a.csv", "-k", 2, *READ, "-o", "all", "-q").code == 0
    done = shell("cluster", "all", "--within", 1, "-k", 2, "--report", "page.html")
    assert done.code == 0, done.err
    assert done.out.startswith("30 objects of cluster 1 of all in 2 clusters (given)")
    inner = labels("all-1")
    assert list(inner) == nested[30:]
    assert [len({inner[name] for name in half}) for half in (nested[30:45], nested[45:])] == [1, 1]
    assert len(set(inner.values())) == 2
    summary = json.loads(Path("all-1/summary.json").read_text())
    assert summary["within"] == {"result": "all", "cluster": "1", "n_objects": 60}
    assert json.loads(Path("all/summary.json").read_text())["within"] is None
    assert (summary["n_features"], summary["scale"]) == (2, "none")  # read as before
    assert "of cluster 1, which an earlier result found among 60" in Path("page.html").read_text()


def test_deeper_and_again(shell, nested):
    shell("cluster", "a.csv", "-k", 2, *READ, "-o", "all", "-q")
    shell("cluster", "all", "--within", 0, "-k", 2, "-q")
    done = shell("cluster", "all-0", "--within", 1, "-k", 2, "--scale", "minmax", "-q")
    assert done.code == 0, done.err
    outer, inner = labels("all-0"), labels("all-0-1")
    assert list(inner) == [name for name, label in outer.items() if label == "1"]
    assert shell("cluster", "--config", "all-0-1/config.toml", "-o", "again", "-q").code == 0
    assert labels("again") == inner
    assert "within" in Path("again/config.toml").read_text()
    assert shell("why", "all-0-1", next(iter(inner)), "-q").code == 0


def test_row_numbers_are_ids_of_a_table_without_ids(shell, tmp_path):
    rng = np.random.default_rng(0)
    X = np.repeat([[0, 0], [9, 0]], 12, axis=0) + rng.normal(size=(24, 2))
    np.savetxt(tmp_path / "a.csv", X, delimiter=",", header="x,y", comments="", fmt="%.2f")
    assert shell("cluster", "a.csv", "-k", 2, "-o", "all", "-q").code == 0
    assert shell("cluster", "all", "--within", 1, "-k", 2, "-q").code == 0
    assert list(labels("all-1")) == [str(i) for i in range(12, 24)]


def test_errors_say_what_to_do(shell, nested, votes):
    shell("cluster", "a.csv", "-k", 2, *READ, "-o", "all", "-q")
    done = shell("cluster", "all", "--within", "x")
    assert (done.code, "all has no cluster 'x', but 0, 1" in done.err) == (2, True)
    shell("combine", votes, "-k", 2, "-o", "out", "-q")
    done = shell("cluster", "out", "--within", 0)
    assert "needs a result of consens cluster for a table of features" in done.err
    done = shell("cluster", "a.csv", "--within", 0)
    assert "expected a folder of results" in done.err
    text = Path("a.csv").read_text().splitlines()
    Path("a.csv").write_text("\n".join(text[:-1]))
    done = shell("cluster", "all", "--within", 0)
    assert "a.csv does not hold the objects of all; it was changed since" in done.err
