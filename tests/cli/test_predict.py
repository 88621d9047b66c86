"""`consens predict`: a model from `cluster --model`, and new rows."""

import csv
import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline

from consens import ConsensusClustering, TableFeatures, load, save

MIXED = """name,height,city,born,smokes
a,1.5,Bern,1990-01-01,true
b,1.6,Bern,1991-01-01,true
c,,Bern,1990-06-01,true
d,1.9,Basel,1950-01-01,false
e,1.8,Basel,1951-01-01,false
f,1.9,,1950-06-01,false
"""


def labels(path):
    with open(path, newline="") as file:
        return {next(iter(row.values())): row["label"] for row in csv.DictReader(file)}


@pytest.mark.parametrize("encode", ["onehot", "ordinal"])
def test_the_preparation_is_repeated(shell, tmp_path, encode):
    (tmp_path / "a.csv").write_text(MIXED)
    read = ["--impute", "median", "--encode", encode, "-k", 2, "--model", "a.model"]
    done = shell("cluster", "a.csv", *read)
    assert done.code == 0, done.err
    assert "a.model" in done.err
    found = labels("a-consens/labels.csv")
    assert len({found[name] for name in "abc"}) == len({found[name] for name in "def"}) == 1
    done = shell("predict", "a.model", "a.csv", "-o", "again.csv")
    assert done.code == 0, done.err
    assert labels("again.csv") == found
    rows = MIXED.replace("Basel", "Genf").replace("1.8", "").splitlines()
    (tmp_path / "new.csv").write_text("\n".join([rows[0], *rows[:3:-1]]))  # a city not seen before
    assert shell("predict", "a.model", "new.csv").code == 0
    assert labels("new-predicted.csv") == {name: found[name] for name in "fed"}
    first = Path("new-predicted.csv").read_bytes()
    os.remove("new-predicted.csv")
    assert shell("predict", "--config", "new-predicted.csv.config.toml").code == 0
    assert Path("new-predicted.csv").read_bytes() == first


@pytest.mark.parametrize("generator", ["library", "lac", "subspace", "spectral", "prototype"])
def test_models_of_all_kinds(shell, blobs, generator):
    run = ["-k", 3, "--drop", "colour", "--generator", generator, "--model", "m"]
    few = [] if generator in ("lac", "prototype") else ["--members", 6]
    done = shell("cluster", blobs, *run, *few, "-q")
    assert done.code == 0, done.err
    assert shell("predict", "m", blobs, "-o", "p.csv").code == 0
    found = labels("blobs-consens/labels.csv")
    if generator == "lac":  # its members overlap: a row may be nearer to another cluster
        assert labels("p.csv").keys() == found.keys()
        assert set(labels("p.csv").values()) <= set(found.values())
    else:  # an object that the members disagree about may be nearer to another cluster
        again = labels("p.csv")
        assert again.keys() == found.keys()
        assert sum(again[name] != own for name, own in found.items()) <= 1


def test_what_does_not_fit(shell, blobs, tmp_path):
    run = ["-k", 3, "--drop", "colour", "--members", 5, "--model", "m", "-q"]
    assert shell("cluster", blobs, *run).code == 0
    (tmp_path / "b.csv").write_text("name,p,q\na,1,2\nb,2,3\n")
    done = shell("predict", "m", "b.csv")
    assert (done.code, done.out) == (1, "")
    assert "b.csv: the table has none of the columns" in done.err
    for model, words in (("none", "no such file"), (blobs, "not a model that consens wrote")):
        done = shell("predict", model, blobs)
        assert done.code == 1
        assert words in done.err


def test_odd_new_rows_are_mentioned_and_labelled(shell, tmp_path):
    rng = np.random.default_rng(0)
    values = [f"{1 + i % 2 + rng.normal() / 20:.2f}".replace(".", ",") for i in range(40)]
    rows = [
        f"p{i};{value};{'Bern' if i % 2 else 'Genf'};0{1 + i % 9}.05.2020"
        for i, value in enumerate(values)
    ]
    (tmp_path / "a.csv").write_text("\n".join(["Name;Wert;Ort;Tag", *rows]))
    run = ["--encode", "onehot", "-k", 2, "--members", 5, "--model", "m", "-q"]
    done = shell("cluster", "a.csv", *run)
    assert done.code == 0, done.err
    first = Path("a-consens/labels.csv").read_text().splitlines()
    assert first[0] == "Name;label;confidence"
    new = "Name;Wert;Ort;Tag\nx;1,05;Lugano;2020-05-03\ny;99,5;Bern;2020-05-04\nz;k.A.;Genf;\n"
    (tmp_path / "new.csv").write_text(new)
    done = shell("predict", "m", "new.csv")
    assert done.code == 0, done.err
    for words in (
        "column 'Wert' has 1 row with cells such as 'k.A.'",
        "column 'Wert' has 1 row far outside of the training range",
        "column 'Ort' has 1 row with new values: 'Lugano'",
        "column 'Tag' has 1 row without a value",
    ):
        assert words in done.err
    found = Path("new-predicted.csv").read_text().splitlines()
    assert found[0] == "Name;label;confidence;second"
    assert [line.split(";")[0] for line in found[1:]] == ["x", "y", "z"]
    assert all({line.split(";")[1], line.split(";")[3]} == {"0", "1"} for line in found[1:])
    (tmp_path / "few.csv").write_text("Name;Wert;Tag\nx;1,05;03.05.2020\ny;2,01;04.05.2020\n")
    done = shell("predict", "m", "few.csv")
    assert "column 'Ort' is missing and filled in for all rows" in done.err
    assert done.code == 0


def test_memberships_and_formulas(shell, tmp_path):
    X = np.repeat([[0.0, 0.0], [9.0, 9.0]], 6, axis=0) + np.random.default_rng(0).normal(
        size=(12, 2)
    )
    rows = [f"={i},{a:.3f},{b:.3f}" for i, (a, b) in enumerate(X)]
    (tmp_path / "a.csv").write_text("\n".join(["id,x,y", *rows]))
    assert shell("cluster", "a.csv", "-k", 2, "--memberships", "-q").code == 0
    with open("a-consens/labels.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["id"] == "=0"
    for row in rows:
        shares = [float(row["membership_0"]), float(row["membership_1"])]
        assert sum(shares) == pytest.approx(1)
        assert shares[int(row["label"])] == max(shares)
    assert shell("cluster", "a.csv", "-k", 2, "--safe-csv", "-q").code == 0
    assert next(iter(labels("a-consens/labels.csv"))) == "'=0"


def test_tables_and_the_shell(shell, tmp_path):
    X, _ = make_blobs(120, 3, centers=3, cluster_std=0.7, random_state=1)
    frame = pd.DataFrame(X[:100], columns=["x", "y", "z"])
    frame.to_csv("a.csv", index=False)
    done = shell("cluster", "a.csv", "-k", 3, "--model", "shell.model", "-q")
    assert done.code == 0, done.err
    model = make_pipeline(TableFeatures(), ConsensusClustering(3, scale="none", random_state=0))
    save(model.fit(frame), tmp_path / "python.model")
    new = pd.DataFrame(X[100:], columns=["x", "y", "z"])
    new.to_csv("new.csv", index=False)
    expected = model.predict(new)
    np.testing.assert_array_equal(load(tmp_path / "shell.model").predict(new), expected)
    for name in ("shell", "python"):
        done = shell("predict", f"{name}.model", "new.csv", "-o", f"{name}.csv")
        assert done.code == 0, done.err
        np.testing.assert_array_equal(pd.read_csv(f"{name}.csv")["label"], expected)
    save(model[-1], tmp_path / "array.model")
    done = shell("predict", "array.model", "new.csv")
    assert done.code == 1
    assert "array.model is a model of arrays, not of a table" in done.err
    done = shell("info", "array.model", "--json")
    assert done.code == 0
    assert json.loads(done.out)["n_clusters"] == 3


def test_features_in_front_are_no_ids(shell, tmp_path):
    """A first column that the model knows as a feature is one, whatever its cells are now."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"born": pd.date_range("1950-01-01", periods=40, freq="400D")})
    frame["x"] = np.repeat([0, 9], 20) + rng.normal(size=40)
    frame.to_csv("a.csv", index=False)
    done = shell("cluster", "a.csv", "-k", 2, "--no-id", "--model", "a.model")
    assert done.code == 0, done.err
    done = shell("predict", "a.model", "a.csv", "-o", "p.csv")
    assert done.code == 0
    assert "missing" not in done.err
    again = pd.read_csv("p.csv")
    assert next(iter(again)) == "id"
    assert again["label"].tolist() == pd.read_csv("a-consens/labels.csv")["label"].tolist()


def test_known_ids_are_not_told_again(shell, tmp_path):
    (tmp_path / "a.csv").write_text(MIXED)
    run = ["--impute", "median", "--encode", "onehot", "-k", 2, "--model", "a.model"]
    assert "taken for ids" in shell("cluster", "a.csv", *run).err
    assert "taken for ids" not in shell("predict", "a.model", "a.csv").err
    (tmp_path / "b.csv").write_text(MIXED.replace("name", "person"))
    assert "taken for ids" in shell("predict", "a.model", "b.csv").err


def test_boundaries_by_gaussians_are_in_the_model(shell, tmp_path):
    X, _ = make_blobs(600, 2, centers=[[0, 0], [4, 0], [0, 4]], random_state=0)
    frame = pd.DataFrame(X, columns=["x", "y"]).assign(group=np.where(X[:, 0] > 2, "a", "b"))
    frame.to_csv("a.csv", index_label="id")
    run = ["-k", 3, "--drop", "group", "--model", "a.model", "-q"]
    assert shell("cluster", "a.csv", *run).code == 0
    covariance = json.loads(Path("a-consens/summary.json").read_text())["boundaries"]
    assert covariance != "members"
    assert shell("predict", "a.model", "a.csv", "-o", "p.csv").code == 0
    assert labels("p.csv") == labels("a-consens/labels.csv")
    done = shell("cluster", "a.csv", *run[:4], "--like", "a.model", "--out", "again", "--json")
    assert [change["kind"] for change in json.loads(done.out)["changes"]] == ["kept"] * 3
    frame[["x", "y"]].to_parquet("a.parquet")
    done = shell("cluster", "a.parquet", "-k", 3, "--memory-limit", "500MB", "--json")
    assert json.loads(done.out)["boundaries"] == covariance
