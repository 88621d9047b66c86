"""`consens combine`: label columns in, one clustering out."""

import csv
import json
import re

import numpy as np
import pandas as pd
import pytest

import consens
from consens.io import read_ensemble
from tests.measure._annotators import draw_annotators


def test_files_and_table(shell, votes):
    done = shell("combine", votes, "-k", 2, "--out", "result")
    assert done.code == 0
    assert done.out.startswith("6 objects in 2 clusters (given) by LWEA of 4 clusterings")
    with open("result/labels.csv") as file:
        assert [line.split(",")[:2] for line in file.read().splitlines()] == [
            ["id", "label"],
            *([name, "0"] for name in "abc"),
            *([name, "1"] for name in "def"),
        ]


def test_summary(shell, votes):
    summary = json.loads(shell("combine", votes, "--json", "--quiet").out)
    assert summary["command"] == "combine"
    assert summary["n_members"] == 4
    assert summary["n_clusters_choice"] == "chosen"
    assert summary["n_clusters"] == consens.combine(read_ensemble(votes)).n_clusters_
    assert summary["seed"] == 0
    assert "n_features" not in summary


def test_objects_that_every_clustering_calls_noise(shell, tmp_path):
    (tmp_path / "a.csv").write_text("id,p,q\na,1,1\nb,1,1\nc,-1,-1\nd,2,2\n")
    done = shell("combine", "a.csv", "-k", 2)
    assert done.code == 0
    assert done.out.splitlines()[-1].split() == ["noise", "1"]
    with open("a-consens/labels.csv") as file:
        assert "c,-1,0\n" in file.read()


def test_a_method_without_random_element_has_no_seed(shell, votes, monkeypatch):
    class Steady(consens.consensus.EAC):
        def __init__(self, n_clusters=None, linkage="average"):
            super().__init__(n_clusters, linkage=linkage)

    monkeypatch.setattr(consens.consensus, "EAC", Steady)
    monkeypatch.setattr(Steady, "_validate_params", lambda _: None)
    summary = json.loads(shell("combine", votes, "--method", "eac", "--json").out)
    assert summary["method"] == "Steady"
    assert summary["seed"] is None
    assert summary["n_clusters_choice"] == "chosen by Steady"


def test_parameters_of_the_method(shell, votes):
    done = shell("combine", votes, "--method", "eac", "--param", "linkage=single", "--json")
    assert json.loads(done.out)["parameters"]["linkage"] == "single"
    assert json.loads(done.out)["n_clusters_choice"] == "longest lifetime"


@pytest.mark.filterwarnings("default")
def test_warnings_are_one_line(shell, tmp_path):
    (tmp_path / "wide.csv").write_text("p,q,r,s\n1,1,1,2\n1,2,1,2\n2,2,2,1\n")
    done = shell("combine", "wide.csv", "-k", 2)
    assert done.code == 0
    warning, *rest = done.err.splitlines()
    assert warning.startswith("warning: ")
    assert "\n".join(rest).split()[0] == "written:"


@pytest.mark.filterwarnings("default")
def test_noise_and_objects_without_labels_are_counted(shell, tmp_path):
    rows = ["x,1,2,0", "y,1,2,0", "n,-1,2,-1", "u,,,", "z,2,1,1"]
    (tmp_path / "a.csv").write_text("\n".join(["id,p,q,r", *rows]) + "\n")
    done = shell("combine", "a.csv", "-k", 2)
    assert done.code == 0
    assert re.search(r"1 object\(s\) have no label.* id u", " ".join(done.err.split()))
    assert "noise" in done.out
    assert "no label" in done.out
    with open("a-consens/labels.csv") as file:
        labels = [line.split(",")[1] for line in file]
    assert labels == ["label", "0", "0", "-1", "", "1"]
    with open("a-consens/summary.json") as file:
        assert json.load(file)["n_noise"] == 1


def test_a_first_column_of_text_that_repeats_is_a_clustering(shell, tmp_path):
    """Ids are text that hardly repeats; what three people say is not."""
    people = "Anna,Ben,Cem\nx,a,k\nx,a,k\ny,b,l\ny,b,l\nx,b,k\n"
    (tmp_path / "people.csv").write_text(people)
    done = shell("combine", "people.csv", "-k", 2, "--out", "found", "--json")
    assert done.code == 0, done.err
    summary = json.loads(done.out)
    assert (summary["n_members"], summary["id_column"]) == (3, None)
    with open("found/labels.csv") as file:
        assert [row["label"] for row in csv.DictReader(file)] == ["0", "0", "1", "1", "0"]


def test_people_who_agree_are_believed(shell, tmp_path):
    """Three people tell three pairs apart: more clusters than the root of six objects."""
    (tmp_path / "people.csv").write_text("A,B,C\n" + 2 * "x,a,k\n" + 2 * "y,b,l\n" + 2 * "z,c,m\n")
    done = shell("combine", "people.csv")
    assert done.out.startswith("6 objects in 3 clusters (chosen)")


def test_clusters_of_one_object_are_mentioned(shell, tmp_path):
    """Both clusterings know two groups; noise adds no further groups."""
    rows = "".join(f"{i // 8},{-1 if i in (0, 9) else i // 8},{i // 8}\n" for i in range(16))
    (tmp_path / "v.csv").write_text("a,b,c\n" + rows)
    assert "contain a single object" not in shell("combine", "v.csv", "-k", 2).err
    done = shell("combine", "v.csv", "-k", 4)
    told = "note: 2 of 4 clusters contain a single object: the clusterings have fewer clusters\n"
    assert done.err.startswith(told)


def test_noise_is_kept_or_assigned(shell, tmp_path):
    """Object 5 is noise in two of three columns, and with the first cluster in the third."""
    rows = [(0, 0, 0), (0, 0, 0), (0, 0, 0), (1, 1, 1), (1, 1, 1), (-1, -1, 0)]
    text = "\n".join(",".join(map(str, row)) for row in rows)
    (tmp_path / "v.csv").write_text(f"a,b,c\n{text}\n")
    for noise, expected in (("keep", "-1"), ("assign", "0")):
        done = shell("combine", "v.csv", "-k", 2, "--noise", noise, "--out", noise)
        assert done.code == 0, done.err
        with open(f"{noise}/labels.csv") as file:
            assert [row["label"] for row in csv.DictReader(file)][-1] == expected
    (tmp_path / "assign/config.toml").rename("again.toml")
    assert shell("combine", "--config", "again.toml", "--out", "again").code == 0
    assert (tmp_path / "again/labels.csv").read_text() == (
        tmp_path / "assign/labels.csv"
    ).read_text()


def test_objects_settle_only_if_asked_to(shell, tmp_path):
    labels = np.random.default_rng(1).integers(0, 10, (60, 10))
    np.savetxt("v.csv", labels, "%d", ",", header=",".join("abcdefghij"), comments="")
    named = ("--method", "lwea")  # the default of ten clusterings
    default, asked, settled, as_defined = (
        json.loads(shell("combine", "v.csv", "-k", 4, *options, "--json").out)["clusters"]
        for options in ((), ("--settle",), (*named, "--settle"), named)
    )
    assert default == as_defined
    assert asked == settled
    assert default != asked


def test_names_that_all_columns_use_are_kept(shell, tmp_path):
    votes = "who;Ann;Ben;Cem\n" + "".join(
        f"o{i};{';'.join('cat' if i < most else 'dog' for most in (6, 5, 6))}\n" for i in range(12)
    )
    (tmp_path / "a.csv").write_text(votes)
    done = shell("combine", "a.csv", "-k", 2, "--memberships", "--json")
    assert done.code == 0, done.err
    assert {one["name"] for one in json.loads(done.out)["clusters"]} == {"cat", "dog"}
    lines = (tmp_path / "a-consens" / "labels.csv").read_text().splitlines()
    assert lines[0].split(";")[:3] == ["who", "label", "confidence"]
    assert {"membership_cat", "membership_dog"} <= set(lines[0].split(";"))
    assert [line.split(";")[1] for line in lines[1:]] == ["cat"] * 6 + ["dog"] * 6


def test_numbers_of_independent_runs_are_not_names(shell, tmp_path):
    rows = [f"o{i},{i // 6},{1 - i // 6}\n" for i in range(12)]
    (tmp_path / "a.csv").write_text("id,a,b\n" + "".join(rows))
    done = shell("report", "a.csv", "--labels", "-k", 2, "-o", "p.html")
    assert done.code == 0, done.err
    assert "of its labels are" not in (tmp_path / "p.html").read_text(encoding="utf-8")


def test_annotators(shell, tmp_path):
    _, frame, _ = draw_annotators(0, n=60)
    frame.rename(columns=lambda name: name.replace("annotator ", "p")).to_csv(
        "a.csv", index_label="id"
    )
    done = shell("combine", "a.csv", "--json")
    assert done.code == 0, done.err
    summary = json.loads(done.out)
    model = consens.combine(frame)
    assert summary["method"] == "LatentEM"
    assert [one["name"] for one in summary["clusters"]] == model.names_
    found, expected = summary["annotators"], model.annotators_.to_dict()
    assert found["alpha"] == expected["alpha"]
    assert [own["reliability"] for own in found["annotators"]] == [
        own["reliability"] for own in expected["annotators"]
    ]
    done = shell("combine", "a.csv")
    assert f"annotators agree: Krippendorff's alpha {found['alpha']:.2f}" in done.out
    assert "reliability" in done.out


def test_names_of_a_reference(shell, tmp_path):
    (tmp_path / "a.csv").write_text("id,p,q\na,7,x\nb,7,x\nc,3,y\nd,3,y\n")
    summary = json.loads(shell("combine", "a.csv", "-k", 2, "--reference", "p", "--json").out)
    assert [one["name"] for one in summary["clusters"]] == ["7", "3"]
    assert summary["annotators"] is None
    with open("a-consens/labels.csv") as file:
        assert [row["label"] for row in csv.DictReader(file)] == ["7", "7", "3", "3"]
    done = shell("combine", "a.csv", "-k", 2, "--reference", "z")
    assert done.code == 1
    assert "reference='z'; expected the name of one of 'p', 'q'" in done.err


def test_columns_by_name_and_pattern(shell, votes, tmp_path):
    (tmp_path / "a.csv").write_text("id,run1,run2,truth\na,7,1,x\nb,7,1,x\nc,3,2,x\nd,3,2,y\n")
    done = shell("combine", "a.csv", "--columns", "run*", "-k", 2, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["n_members"] == 2
    done = shell("combine", "a.csv", "--columns", "run1", "--columns", "truth", "-k", 2, "--json")
    assert json.loads(done.out)["n_members"] == 2
    done = shell("combine", "a.csv", "--columns", "leiden*", "-k", 2)
    assert done.code == 1
    assert "a.csv has no column 'leiden*'; its columns are 'run1', 'run2', 'truth'" in done.err


def test_known_classes_among_the_clusterings_are_mentioned(shell, tmp_path):
    rows = [f"{i},{i % 2},{i % 2},{i // 5}" for i in range(10)]
    (tmp_path / "a.csv").write_text("\n".join(["id,run1,run2,truth", *rows]))
    note = "column 'truth' looks like known classes, and counts as one of the clusterings; --drop"
    for options, mentioned in (
        ((), True),
        (("--drop", "truth"), False),
        (("--columns", "run1", "--columns", "truth"), False),
    ):
        done = shell("combine", "a.csv", "-k", 2, *options)
        assert done.code == 0, done.err
        assert (note in done.err) == mentioned


def test_clusterings_of_an_h5ad_file_are_named(shell, tmp_path):
    anndata = pytest.importorskip("anndata")
    obs = pd.DataFrame(
        {"leiden1": list("0011"), "leiden2": list("0012"), "batch": list("abab")},
        index=list("wxyz"),
        dtype="category",
    )
    anndata.AnnData(obs=obs).write_h5ad("cells.h5ad")
    done = shell("combine", "cells.h5ad", "-k", 2)
    assert done.code == 1
    assert (
        "'leiden1', 'leiden2', 'batch'; name the clusterings, or patterns: --columns" in done.err
    )
    done = shell("combine", "cells.h5ad", "--columns", "leiden*", "-k", 2, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["n_members"] == 2


def test_columns_of_an_h5ad_file_in_other_commands(shell, tmp_path):
    """Clusterings are named as for combine, and annotations are columns of obs."""
    anndata = pytest.importorskip("anndata")
    group = np.arange(40) % 2
    obs = pd.DataFrame(
        {
            "leiden1": group,
            "leiden2": group,
            "kind": np.array(["T", "B"])[group],
            "size": np.arange(40) / 7,
        },
        index=[f"cell{i}" for i in range(40)],
    ).astype({"leiden1": "category", "leiden2": "category", "kind": "category"})
    X = group[:, None] * 9 + np.random.default_rng(0).normal(size=(40, 3))
    anndata.AnnData(X, obs=obs).write_h5ad("cells.h5ad")
    columns = ["--columns", "leiden*"]
    measured = shell("measure", "cells.h5ad", *columns, "--json")
    assert [one["clustering"] for one in json.loads(measured.out)["clusterings"]] == [
        "leiden1",
        "leiden2",
    ]
    assert shell("compare", "cells.h5ad", "--labels", *columns, "--method", "lwea").code == 0
    done = shell("select", "cells.h5ad", *columns, "--n-selected", 1, "--out", "few.ens")
    assert done.code == 0, done.err
    for labels in (["--labels", *columns], []):
        done = shell(
            "report", "cells.h5ad", "-k", 2, *labels, "--annotate", "kind", "--annotate", "size",
            "--json",
        )  # fmt: skip
        assert done.code == 0, done.err
        found = json.loads(done.out)["annotations"]
        assert [(one["name"], one["test"]) for one in found] == [
            ("kind", "χ²"),
            ("size", "Kruskal-Wallis"),
        ]
    done = shell("report", "cells.h5ad", *columns)
    assert done.code == 2
    assert "needs --labels" in " ".join(done.err.split())
    assert "obs_names" not in shell("info", "cells.h5ad").err


def test_names_stay_beside_customer_numbers(shell, tmp_path):
    rows = [f"{100 + 7 * i}" + 3 * [";gold", ";tin"][i % 2] for i in range(12)]
    (tmp_path / "a.csv").write_text("\n".join(["Kundennr;anna;ben;cem", *rows]))
    done = shell("combine", "a.csv", "--out", "found")
    assert done.code == 0, done.err
    assert "3 clusterings" in done.out
    lines = (tmp_path / "found/labels.csv").read_text().splitlines()
    assert lines[:2] == ["Kundennr;label;confidence", "100;gold;1"]
