"""`consens cluster --graph`: edges in, labels of the vertices out."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from consens.measure import ari
from tests.cli.test_cluster import rows_of


@pytest.fixture
def edges(tmp_path):
    """Three cliques of eight vertices, each joined to the next by a light edge."""
    found = []
    for c, name in enumerate("abc"):
        own = [f"{name}{i}" for i in range(8)]
        found += [(own[i], own[j], 1.0) for i in range(8) for j in range(i)]
        found.append((own[0], f"{'abc'[(c + 1) % 3]}1", 0.5))
    table = pd.DataFrame(found, columns=["source", "target", "weight"])
    table = table.sample(frac=1, random_state=0)
    table.to_csv(tmp_path / "edges.csv", index=False)
    table.to_parquet(tmp_path / "edges.parquet", index=False)
    return table


@pytest.mark.parametrize("file", ["edges.csv", "edges.parquet"])
def test_vertices_get_labels(shell, edges, file):
    done = shell("cluster", file, "--graph", "--members", 25, "--report", "page.html")
    assert done.code == 0, done.err
    assert "24 objects in 3 clusters" in done.out
    rows = rows_of("edges-consens/labels.csv")
    assert list(rows[0]) == ["vertex", "label", "confidence"]
    assert [row["vertex"] for row in rows] == sorted({*edges["source"], *edges["target"]})
    assert [row["label"] for row in rows] == ["0"] * 8 + ["1"] * 8 + ["2"] * 8
    summary = json.loads(Path("edges-consens/summary.json").read_text())
    assert summary["n_members"] == 25
    assert summary["n_clusters_choice"] == "median of the members"
    assert "(median of the members)" in done.out
    page = Path("page.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "k = 3 is the median of the numbers of clusters of the members." in page


def test_as_many_clusters_as_the_median_of_the_members(shell, tmp_path):
    """Many communities with many edges between them, of which a rule by stability finds few."""
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(16), 15)
    joined = rng.random((240, 240)) < np.where(truth[:, None] == truth, 0.5, 0.06)
    table = pd.DataFrame(np.argwhere(np.triu(joined, 1)), columns=["i", "j"])
    table.to_parquet(tmp_path / "network.parquet", index=False)
    done = shell("cluster", "network.parquet", "--graph", "--members", 10)
    assert done.code == 0, done.err
    labels = [int(row["label"]) for row in rows_of("network-consens/labels.csv")]
    assert ari(labels, truth) > 0.8


def test_parameters_of_the_members_and_numbered_vertices(shell, edges, tmp_path):
    numbers = np.unique(edges[["source", "target"]], return_inverse=True)[1].reshape(-1, 2)
    pd.DataFrame(numbers, columns=["i", "j"]).to_parquet(tmp_path / "plain.parquet")
    low = shell("cluster", "plain.parquet", "--graph", "-k", 3, "--members", 5, "--param",
                "generator__resolution=0.9,1.1")  # fmt: skip
    assert low.code == 0, low.err
    assert "24 objects in 3 clusters (given)" in low.out
    rows = rows_of("plain-consens/labels.csv")
    assert [row["vertex"] for row in rows] == [str(i) for i in range(24)]
    assert [row["label"] for row in rows] == ["0"] * 8 + ["1"] * 8 + ["2"] * 8


def test_wrong_edges_and_options(shell, edges, blobs, tmp_path):
    wide = shell("cluster", blobs, "--graph")
    assert wide.code != 0
    assert "has 6 columns; a list of edges has two" in wide.err
    (tmp_path / "text.csv").write_text("a,b,weight\nx,y,heavy\ny,z,1\n")
    assert "must hold weights >= 0" in shell("cluster", "text.csv", "--graph").err
    (tmp_path / "gap.csv").write_text("a,b\nx,y\ny,\n")
    assert "edges without a vertex" in shell("cluster", "gap.csv", "--graph").err
    for option in (["--generator", "kmeans"], ["--impute", "mean"], ["--model", "m.skops"]):
        done = shell("cluster", "edges.csv", "--graph", *option)
        assert done.code == 2
        assert "is for tables of features" in done.err


def test_labels_have_the_separator_of_the_edges(shell, edges, tmp_path):
    edges.to_csv(tmp_path / "edges.csv", index=False, sep=";", decimal=",")
    assert shell("cluster", "edges.csv", "--graph", "--members", 4).code == 0
    text = Path("edges-consens/labels.csv").read_text()
    assert text.startswith("vertex;label;confidence\n")
