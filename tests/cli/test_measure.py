"""`consens measure`: clusterings against classes and against an ensemble."""

import csv
import json
from pathlib import Path

import pytest

from consens.measure import anmi, ari, diversity, error_rate, member_reliability, nmi

A, B, C = [0, 0, 1, 1, 1, 2], [0, 0, 0, 1, 1, 1], [5, 5, 6, 6, 7, 7]


@pytest.fixture
def clusterings(tmp_path):
    rows = [f"o{i},{a},{b},{c}" for i, (a, b, c) in enumerate(zip(A, B, C, strict=True))]
    (tmp_path / "m.csv").write_text("\n".join(["id,a,b,c", *rows]) + "\n")
    return tmp_path / "m.csv"


def classes_file(path, order=range(6)):
    kinds = ["x", "x", "x", "y", "y", "y"]
    rows = [f"o{i},{i}.5,{kinds[i]}" for i in order]
    path.write_text("\n".join(["id,height,kind", *rows]) + "\n")
    return kinds


def test_scores_are_those_of_the_library(shell, clusterings, tmp_path):
    y = classes_file(tmp_path / "y.csv")
    done = shell("measure", clusterings, "--truth", "y.csv", "--column", "kind", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    ensemble = [A, B, C]
    for m, row in enumerate(found["clusterings"]):
        assert row["clustering"] == "abc"[m]
        assert row["nmi"] == pytest.approx(nmi(y, ensemble[m]))
        assert row["ari"] == pytest.approx(ari(y, ensemble[m]))
        assert row["error"] == pytest.approx(error_rate(y, ensemble[m]))
        assert row["anmi"] == pytest.approx(anmi(ensemble[m], ensemble))
        assert row["reliability"] == pytest.approx(member_reliability(ensemble)[m])
    assert found["clusterings"][1]["error"] == 0
    assert found["diversity"] == pytest.approx(diversity(ensemble, y=y))


def test_objects_are_matched_by_their_ids(shell, clusterings, tmp_path):
    classes_file(tmp_path / "y.csv", order=[5, 3, 1, 0, 2, 4])
    done = shell("measure", clusterings, "--truth", "y.csv", "--column", "kind", "--json")
    assert json.loads(done.out)["clusterings"][1]["nmi"] == pytest.approx(1)


def test_a_result_against_the_ensemble_it_came_from(shell, clusterings):
    assert shell("combine", clusterings, "-k", 2, "-o", "r").code == 0
    done = shell("measure", "r/labels.csv", "--ensemble", clusterings, "--json")
    assert done.code == 0, done.err
    [row] = json.loads(done.out)["clusterings"]
    with open("r/labels.csv", newline="") as file:
        labels = [int(line["label"]) for line in csv.DictReader(file)]
    assert row["anmi"] == pytest.approx(anmi(labels, [A, B, C]))
    found = json.loads(done.out)["diversity"]
    assert found == pytest.approx(diversity([A, B, C], labels))


def test_table_for_people_and_file(shell, clusterings):
    done = shell("measure", clusterings, "-o", "scores.csv")
    head, *rows = (line.split() for line in done.out.splitlines()[:5])
    assert head == ["clustering", "n_clusters", "anmi", "reliability"]
    assert [row[0] for row in rows] == ["a", "b", "c", "mean"]
    with open("scores.csv", newline="") as file:
        found = list(csv.DictReader(file))
    assert float(found[0]["anmi"]) == pytest.approx(anmi(A, [A, B, C]))
    assert Path("scores.csv.config.toml").exists()


def test_objects_that_are_lost(shell, clusterings, tmp_path):
    classes_file(tmp_path / "y.csv", order=[0, 1, 2, 3, 4])
    done = shell("measure", clusterings, "--truth", "y.csv", "--column", "kind")
    assert done.code == 1
    assert "does not have the object 'o5' (1 in all)" in done.err
    (tmp_path / "z.csv").write_text("kind\nx\ny\n")
    done = shell("measure", clusterings, "--truth", "z.csv", "--no-header")
    assert done.code == 1


def test_a_table_with_several_columns_needs_a_name(shell, clusterings, tmp_path):
    classes_file(tmp_path / "y.csv")
    done = shell("measure", clusterings, "--truth", "y.csv")
    assert done.code == 1
    assert "'height', 'kind'" in done.err or "height" in done.err
    done = shell("measure", clusterings, "--truth", "y.csv", "--column", "colour")
    assert done.code == 1
    assert "no column 'colour'" in done.err


def test_classes_by_ids_that_are_numbers(shell, tmp_path):
    """The column of ids is known from the clusterings, and the order of rows does not matter."""
    ids = [500 - 7 * i for i in range(20)]
    rows = [f"{name},{i // 10},{i // 10}" for i, name in enumerate(ids)]
    (tmp_path / "votes.csv").write_text("\n".join(["client,p,q", *rows]))
    classes = [f"{name},{'ab'[i // 10]}" for i, name in enumerate(ids)]
    (tmp_path / "truth.csv").write_text("\n".join(["client,kind", *classes[::-1]]))
    done = shell("measure", "votes.csv", "--id", "client", "--truth", "truth.csv", "--json")
    assert done.code == 0, done.err
    assert [row["ari"] for row in json.loads(done.out)["clusterings"]] == [1, 1]


def test_the_table_has_the_form_of_the_input(shell, tmp_path):
    Path("a.csv").write_text("km;hc\n" + "0;1\n1;0\n0;0\n1;0\n0;1\n")
    done = shell("measure", "a.csv", "--out", "scores.csv")
    assert done.code == 0, done.err
    rows = [line.split(";") for line in Path("scores.csv").read_text().splitlines()]
    assert rows[0] == ["clustering", "n_clusters", "anmi", "reliability"]
    assert [row[0] for row in rows[1:]] == ["km", "hc"]
