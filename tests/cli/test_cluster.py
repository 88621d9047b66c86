"""`consens cluster`: features in, labels.csv, summary.json and a table out."""

import csv
import json
import os
from pathlib import Path

import numpy as np
import pytest


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_files_and_table(shell, blobs, tmp_path):
    done = shell("cluster", blobs, "-k", 3, "--drop", "colour", "--members", 60)
    assert done.code == 0
    assert done.out.splitlines()[0].startswith(
        "60 objects in 3 clusters (given) by DrawnConsensus of "
    )
    head, *lines = (line.split() for line in done.out.splitlines()[2:])
    assert head == ["cluster", "size", "confidence", "stability"]
    assert [line[:2] for line in lines] == [["0", "20"], ["1", "20"], ["2", "20"]]
    assert all(0.5 < float(line[2]) <= 1 for line in lines)
    assert [line[3:] for line in lines] == [["1.00", "stable"]] * 3
    files = [f"blobs-consens/{name}" for name in ("labels.csv", "summary.json", "config.toml")]
    assert done.err.splitlines() == [
        "note: column 'name' comes first and hardly repeats, so it is taken for ids "
        "(--no-id uses it)",
        "note: column 'constant' is constant (--drop constant)",
        "",
        f"written: {', '.join(files)}",
    ]
    rows = rows_of("blobs-consens/labels.csv")
    assert list(rows[0]) == ["name", "label", "confidence"]
    assert [row["name"] for row in rows] == [f"s{i}" for i in range(60)]
    assert [row["label"] for row in rows] == ["0"] * 20 + ["1"] * 20 + ["2"] * 20
    assert all(0.5 < float(row["confidence"]) <= 1 for row in rows)
    assert sorted(os.listdir("blobs-consens")) == ["config.toml", "labels.csv", "summary.json"]
    assert sorted(os.listdir()) == ["blobs-consens", "blobs.csv"]


def test_summary(shell, blobs):
    done = shell(
        "cluster", blobs, "-k", 3, "--drop", "colour", "--members", 60, "--seed", 5, "--json"
    )
    assert done.err.startswith("note: ")
    summary = json.loads(done.out)
    with open("blobs-consens/summary.json") as file:
        assert json.load(file) == summary
    assert summary["versions"].keys() >= {"consens", "python", "numpy", "scikit-learn"}
    del summary["versions"]
    assert all(cluster.pop("confidence") > 0.5 for cluster in summary["clusters"])
    assert [cluster.pop("stability") for cluster in summary["clusters"]] == [1, 1, 1]
    assert {cluster.pop("verdict") for cluster in summary["clusters"]} == {"stable"}
    assert summary.pop("mean_confidence") > 0.5
    assert summary.pop("stability") == {"ari": 1, "interval": [1, 1]}
    assert summary.pop("n_members") > 1
    assert summary.pop("agreement") == 1
    assert summary.pop("recipe") is None  # --members makes its own generator
    assert [one["name"] for one in summary.pop("recipes")] == ["mixed", "LWEA", "CosineLWEA"]
    assert summary.pop("n_clusters_of_members") == [2, 12]
    assert summary.pop("parameters").keys() >= {"n_draws", "max_members"}
    assert summary.pop("annotators") is None
    assert summary.pop("within") is None
    assert summary.pop("boundaries") is None  # a generator was named
    assert summary.pop("changes") is None  # no earlier result to compare with
    assert summary == {
        "command": "cluster",
        "file": "blobs.csv",
        "files": ["blobs.csv"],
        "n_objects": 60,
        "n_features": 4,
        "id_column": "name",
        "scale": "standard",
        "seed": 5,
        "generator": "MixedEnsemble",
        "selector": None,
        "notes": [
            "column 'name' comes first and hardly repeats, so it is taken for ids "
            "(--no-id uses it)",
            "column 'constant' is constant (--drop constant)",
        ],
        "method": "DrawnConsensus",
        "n_clusters": 3,
        "n_clusters_choice": "given",
        "clusters": [{"label": label, "name": str(label), "size": 20} for label in range(3)],
        "n_unclustered": 0,
        "n_noise": 0,
    }


def test_number_of_clusters_is_found_and_told_why(shell, blobs):
    done = shell("cluster", blobs, "--drop", "colour", "--scale", "none")
    first, _, why, *_ = done.out.splitlines()
    assert first.startswith("60 objects in 3 clusters (chosen) by ")
    assert why.startswith("why 3: largest sum of lifetimes and eigengap (")
    summary = json.loads(Path("blobs-consens/summary.json").read_text())
    assert summary["n_clusters"] == 3
    assert summary["n_clusters_choice"] == "chosen"
    assert [row["n_clusters"] for row in summary["choice"]["criteria"]] == list(range(1, 8))
    assert summary["choice"]["votes"]["eigengap"] == 3


def test_same_seed_same_files(shell, blobs):
    for out, jobs in (("a", 1), ("b", 2)):
        done = shell("cluster", blobs, "--drop", "colour", "--out", out, "--n-jobs", jobs, "-q")
        assert (done.code, done.out, done.err) == (0, "", "")
    for name in ("labels.csv", "summary.json"):
        assert len({Path(out, name).read_text() for out in "ab"}) == 1


@pytest.mark.parametrize("scale", ["standard", "minmax", "none"])
def test_constant_feature(shell, tmp_path, scale):
    np.save("a.npy", np.column_stack([np.repeat([0.0, 5.0], 10), np.full(20, 1e6), np.zeros(20)]))
    done = shell("cluster", "a.npy", "-k", 2, "--scale", scale, "--json")
    assert [cluster["size"] for cluster in json.loads(done.out)["clusters"]] == [10, 10]


def test_method_and_its_parameters(shell, blobs):
    done = shell("cluster", blobs, "--drop", "colour", "--method", "EAC", "--json")
    assert json.loads(done.out)["parameters"]["linkage"] == "average"
    options = ["--method", "eac", "--param", "linkage=complete"]
    done = shell("cluster", blobs, "--drop", "colour", "-k", 3, *options, "--json")
    assert json.loads(done.out)["parameters"]["linkage"] == "complete"


def test_results_are_replaced(shell, blobs):
    for k in (2, 3):
        assert shell("cluster", blobs, "-k", k, "--drop", "colour").code == 0
    assert {row["label"] for row in rows_of("blobs-consens/labels.csv")} == {"0", "1", "2"}


def test_a_file_that_cannot_be_written_leaves_those_of_all_folders(shell, blobs, tmp_path):
    command = ["cluster", blobs, "--drop", "colour", "-o", "out", "-q", "--members", 5]
    command += ["--report", "pages/p.html"]
    assert shell(*command, "-k", 2).code == 0
    folders = [tmp_path / "out", tmp_path / "pages"]
    old = [path.read_bytes() for folder in folders for path in sorted(folder.iterdir())]
    model = "m" * 300 + ".skops"  # a name that is too long
    done = shell(*command, "-k", 3, "--model", model)
    assert done.code == 1
    assert "File name too long" in done.err
    assert [path.read_bytes() for folder in folders for path in sorted(folder.iterdir())] == old


def test_a_recipe_can_be_named(shell, blobs):
    done = shell("cluster", blobs, "--drop", "colour", "-k", 3, "--recipe", "tree", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["recipe"], found["recipes"]) == ("tree", [])
    assert 0 < found["agreement"] <= 1
    done = shell("cluster", blobs, "-k", 3, "--recipe", "tree", "--method", "eac")
    assert done.code == 2
    assert "--recipe: excludes --generator" in done.err.replace("'", "")


def test_the_summary_lists_the_recipes_that_competed(shell, blobs):
    found = json.loads(shell("cluster", blobs, "--drop", "colour", "-k", 3, "--json").out)
    names = [one["name"] for one in found["recipes"]]
    assert names == ["mixed", "kmeans", "spectral", "mixture", "tree"]
    assert [one["name"] for one in found["recipes"] if one["chosen"]] == [found["recipe"]]
    assert found["boundaries"] in ("members", "ball", "spherical", "diag", "tied", "full")


def test_a_method_that_cannot_choose_gets_a_chosen_number(shell, blobs):
    summary = json.loads(
        shell("cluster", blobs, "--drop", "colour", "--method", "lwmc", "--json").out
    )
    assert (summary["n_clusters"], summary["n_clusters_choice"]) == (3, "chosen")
