"""`consens why`: the reasons for the cluster of an object, from a folder of results."""

import csv
import json
from pathlib import Path

import pandas as pd
import pytest

from consens import ConsensusClustering, TableFeatures
from consens import why as explained


def explain(shell, folder, *ids):
    done = shell("why", folder, *ids, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)["objects"]


def test_it_says_what_python_says(shell, blobs):
    shell("cluster", blobs, "--drop", "colour", "-k", 3, "-q")
    [found] = explain(shell, "blobs-consens", "s45")
    frame = pd.read_csv(blobs, index_col=0).drop(columns="colour")
    model = ConsensusClustering(3, random_state=0)
    model.fit(TableFeatures(scale="standard").fit_transform(frame))
    said = explained(model, frame, 45)
    assert found["id"] == "s45"
    assert found["cluster"] == str(said.cluster)
    assert found["confidence"] == pytest.approx(said.confidence, abs=1e-5)
    assert found["disagreeing"] == said.disagreeing
    assert [pull["name"] for pull in found["towards_own"]] == [p.name for p in said.towards_own]


def test_text_names_values_in_units_of_the_table(shell, tmp_path):
    rows = [f"o{i},{1000 + i % 3},{'red' if i < 6 else 'blue'}" for i in range(6)]
    rows += [f"o{i},{2000 + i % 3},blue" for i in range(6, 12)]
    (tmp_path / "a.csv").write_text("\n".join(["id,weight,colour", *rows]))
    done = shell("cluster", "a.csv", "--encode", "onehot", "-k", 2, "--members", 10, "-q")
    assert done.code == 0, done.err
    done = shell("why", "a-consens", "o1", "o11")
    assert done.code == 0, done.err
    first, second = done.out.strip().split("\n\n")
    assert first.startswith("o1: cluster 0, confidence")
    assert second.startswith("o11: cluster 1, confidence")
    with open("a-consens/labels.csv", newline="") as lines:
        sure = {row["id"]: float(row["confidence"]) for row in csv.DictReader(lines)}
    assert f"confidence {sure['o1']:.2f}" in first


def test_clusterings_that_were_combined(shell, votes):
    shell("combine", votes, "-k", 2, "-o", "out", "-q")
    done = shell("why", "out", "c")
    assert done.code == 0, done.err
    assert done.out.startswith("c: cluster 0, confidence ")
    [found] = explain(shell, "out", "c")
    assert found["n_members"] == 3  # one clustering has no label for it


def test_a_graph(shell, tmp_path):
    edges = [(a, b) for one in ("abcd", "wxyz") for a in one for b in one if a < b] + [("d", "w")]
    (tmp_path / "e.csv").write_text("\n".join(["from,to", *(f"{a},{b}" for a, b in edges)]))
    shell("cluster", "e.csv", "--graph", "-k", 2, "--members", 10, "-q")
    done = shell("why", "e-consens", "d")
    assert done.code == 0, done.err
    assert done.out.startswith("d: cluster 0")


def test_a_chosen_number_is_not_chosen_again(shell, blobs, monkeypatch):
    shell("cluster", blobs, "--drop", "colour", "-q")
    monkeypatch.setattr(ConsensusClustering, "_choose", None)
    assert explain(shell, "blobs-consens", "s3")[0]["id"] == "s3"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["nowhere", "a"], "nowhere has no labels.csv; expected a folder of results"),
        (["out", "q"], "out has no object 'q', but a, b, c, ..."),
        (["out", "g"], "g is in no cluster"),
    ],
)
def test_errors_say_what_to_do(shell, votes, arguments, expected):
    with votes.open("a") as file:
        file.write("g,,,,-1\n")
    shell("combine", votes, "-k", 2, "-o", "out", "-q")
    done = shell("why", *arguments)
    assert done.code in (1, 2)
    assert expected in done.err


def test_a_table_that_was_changed(shell, blobs):
    shell("cluster", blobs, "--drop", "colour", "-k", 3, "-q")
    lines = Path(blobs).read_text().splitlines()
    Path(blobs).write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n")
    done = shell("why", "blobs-consens", "s1")
    assert done.code == 1
    assert "gives another result: its file or consens was changed since" in done.err


def test_a_damaged_folder(shell, votes):
    shell("combine", votes, "-k", 2, "-o", "out", "-q")
    Path("out/labels.csv").write_text("id,label,confidence\na,7,high\n")
    done = shell("why", "out", "a")
    assert "out is damaged; make the result again" in done.err
