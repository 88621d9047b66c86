"""`consens report`: a table in, one page out."""

import json
import os
from pathlib import Path

import numpy as np
import pytest


def test_page_and_answer(shell, blobs):
    done = shell("report", blobs, "-k", 3, "--drop", "colour")
    assert done.code == 0
    answer, _, head, *rows = done.out.splitlines()  # as consens cluster prints them
    assert answer.startswith("60 objects in 3 clusters (given) by DrawnConsensus of ")
    assert head.split() == ["cluster", "size", "confidence", "stability"]
    assert [row.split()[:2] for row in rows] == [["0", "20"], ["1", "20"], ["2", "20"]]
    assert rows[1].split()[3:5] == ["1.00", "stable"]
    files = ["blobs-report.labels.csv", "blobs-report.html", "blobs-report.html.config.toml"]
    assert done.err.splitlines()[-1] == f"written: {', '.join(files)}"
    assert sorted(os.listdir()) == sorted([*files, "blobs.csv"])
    assert Path("blobs-report.labels.csv").read_text().startswith("name,label,confidence\ns0,0,")
    page = Path("blobs-report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "<h1>blobs.csv</h1>" in page
    assert '"s59"' in page


def test_json_is_what_the_page_says(shell, blobs):
    done = shell("report", blobs, "-k", 3, "--drop", "colour", "--json", "--title", "Corners")
    found = json.loads(done.out)
    assert found["title"] == "Corners"
    assert found["done"]["facts"] == {
        "file": "blobs.csv",
        "id column": "name",
        "seed": 0,
        "scale": "standard",
        "notes": "column 'name' comes first and hardly repeats, so it is taken for ids "
        "(--no-id uses it); column 'constant' is constant (--drop constant)",
    }
    clusters = next(p for p in found["partitions"] if p["n_clusters"] == 3)["clusters"]
    features = {f["name"]: f for f in clusters[1]["features"]}
    assert features["x"]["mean"] == pytest.approx(9, abs=1)  # in its own unit
    assert "constant" not in features
    page = Path("blobs-report.html").read_text(encoding="utf-8")
    assert json.dumps(features["x"], separators=(",", ":")) in page


def test_labels(shell, votes):
    done = shell("report", votes, "--labels", "-k", 2, "--out", "deep/down/votes.html")
    assert done.code == 0
    assert done.out.startswith("6 objects in 2 clusters")
    page = Path("deep/down/votes.html").read_text(encoding="utf-8")
    assert "by the consensus of 4 clusterings" in page
    assert "pass the features to the report" not in page  # the page shows the voters' names


def test_names_of_clusters_are_printed(shell, tmp_path):
    rows = "".join(f"o{i},{word},{word}\n" for i, word in enumerate(["cat", "dog"] * 6))
    (tmp_path / "a.csv").write_text(f"id,anna,ben\n{rows}")
    lines = shell("report", "a.csv", "--labels").out.splitlines()
    rows = [line.split()[:2] for line in lines]
    assert rows[rows.index(["cluster", "size"]) + 1 :][:2] == [["cat", "6"], ["dog", "6"]]


def test_quiet_and_the_same_again(shell, votes):
    for name in ("a.html", "b.html"):
        done = shell("report", votes, "--labels", "--out", name, "-q")
        assert (done.code, done.out, done.err) == (0, "", "")
    assert Path("a.html").read_bytes() == Path("b.html").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--out", "page.txt"], "does not end in .html"),
        (["--param", "linkage=single"], "needs --method"),
        (["--method", "magic"], "methods are "),
        (["--n-jobs", "0"], "--n-jobs"),
        (["--labels", "--selector", "random"], "holds clusterings already"),
    ],
)
def test_wrong_usage(shell, blobs, arguments, words):
    done = shell("report", blobs, *arguments)
    assert done.code == 2
    assert done.out == ""
    assert words in done.err
    assert len(done.err.splitlines()) == 1
    assert os.listdir() == ["blobs.csv"]


def test_bad_data_leaves_nothing(shell, tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,\n2,3\n")
    done = shell("report", "a.csv", "--out", "new/page.html")
    assert done.code == 1
    assert done.err.startswith("error: ")
    assert os.listdir() == ["a.csv"]


def test_a_page_that_cannot_be_written_is_found_before_the_work(shell, blobs, monkeypatch):
    def too_early(*_, **__):
        raise AssertionError("work began")

    monkeypatch.setattr("consens.io.read_table", too_early)
    os.mkdir("page.html")
    done = shell("report", blobs, "--out", "page.html")
    assert done.code == 1
    assert "it is a folder" in done.err


def test_method_of_the_report(shell, tmp_path):
    np.save("a.npy", np.repeat([[0.0, 1.0], [5.0, 2.0]], 10, axis=0))
    done = shell("report", "a.npy", "-k", 2, "--method", "hbgf", "--json")
    assert done.code == 0, done.err
    stages = json.loads(done.out)["done"]["stages"]
    assert stages[-1]["name"] == "HBGF"


def test_the_layout_of_the_map(shell, blobs):
    done = shell("report", blobs, "-k", 3, "--drop", "colour", "--layout", "pca", "--json")
    assert json.loads(done.out)["map"]["text"].startswith("Principal components:")
    done = shell("report", blobs, "-k", 3, "--layout", "tsne")
    assert done.code == 2
    assert "'tsne' is not one of" in done.err


def test_a_number_that_was_chosen_was_not_asked_for(shell, votes):
    summary = json.loads(shell("report", votes, "--labels", "--json").out)
    assert summary["answer"]["why"][0].startswith("Largest sum of lifetimes and eigengap")
    summary = json.loads(shell("report", votes, "--labels", "-k", 2, "--json").out)
    assert summary["answer"]["why"][0] == "The number of clusters was set to 2."


@pytest.mark.parametrize("option", [["--per-k"], ["--layout", "pca"]])
def test_clusterings_have_no_features_to_show(shell, votes, option):
    done = shell("report", votes, "--labels", "-k", 2, *option)
    assert done.code == 2
    assert "needs features" in done.err


def test_each_number_of_clusters_by_itself(shell, blobs, monkeypatch):
    from functools import partial

    from consens.show import resampled_display

    few = partial(resampled_display.resampled_consensus, n_resamples=5, n_references=2)
    monkeypatch.setattr(resampled_display, "resampled_consensus", few)
    done = shell("report", blobs, "-k", 3, "--drop", "colour", "--per-k", "--json")
    found = json.loads(done.out)["per_k"]
    assert [row["n_clusters"] for row in found["numbers"]] == list(range(2, 9))
    assert 'id="per-k"' in Path("blobs-report.html").read_text(encoding="utf-8")


def test_annotations_are_compared_and_no_features(shell, blobs):
    done = shell(
        "report", blobs, "-k", 3, "--annotate", "colour", "--annotate", "z", "--drop", "constant",
        "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert [(one["name"], one["test"]) for one in found["annotations"]] == [
        ("colour", "χ²"),
        ("z", "Kruskal-Wallis"),
    ]
    assert found["annotations"][0]["p"] is None  # every object is red
    assert found["data"]["n_features"] == 2
    columns = {row["name"] for own in found["profile"]["clusters"] for row in own["columns"]}
    assert columns == {"x", "y"}


def test_an_unknown_annotation(shell, blobs):
    done = shell("report", blobs, "--annotate", "size")
    assert done.code == 2
    assert "has no column 'size'" in " ".join(done.err.split())
