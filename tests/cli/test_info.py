"""`consens info`: what a file is."""

import json


def test_ensemble(shell, blobs):
    made = ["--members", 5, "--seed", 4, "-o", "x.ens"]
    assert shell("generate", blobs, "--drop", "colour", *made).code == 0
    found = json.loads(shell("info", "x.ens", "--json").out)
    assert found["kind"] == "ensemble"
    assert (found["n_objects"], found["n_members"], found["seed"]) == (60, 5, 4)
    kinds = {"KMeans": 2, "LandmarkSpectral": 1, "GaussianMixture": 1, "Tree": 1}
    assert found["algorithms"] == kinds
    assert "centers" in found["payload"]
    assert found["ids"] == ["s0", "s59"]
    assert found["parameters"]["generate"]["members"] == 5
    assert found["versions"].keys() >= {"consens", "numpy", "scikit-learn"}
    assert found["encoding"] == "consens-ensemble 1"
    lines = dict(line.split("  ", 1) for line in shell("info", "x.ens").out.splitlines())
    assert lines["n objects"].strip() == "60"
    assert "members 5" in lines["made by generate"]


def test_table_of_labels(shell, votes):
    found = json.loads(shell("info", votes, "--json").out)
    assert found["clusterings"] == ["p", "q", "r", "t"]
    assert found["noise"] == round(1 / 24, 6)
    assert found["missing"] == round(1 / 24, 6)
    assert "not numeric" in found["not features because"]
    assert found["n_clusters"] == [2, 2]
    assert "n clusters            2\n" in shell("info", votes).out


def test_a_table_with_ids_and_text_is_no_table_of_clusterings(shell, tmp_path):
    rows = "".join(f"{i * 7};{i % 3};{'ab'[i % 2]}\n" for i in range(20))
    (tmp_path / "a.csv").write_text("number;visits;region\n" + rows)
    found = json.loads(shell("info", "a.csv", "--json").out)
    assert "column 'number' has a label of its own" in found["not clusterings because"]
    assert "n_members" not in found


def test_table_of_features(shell, blobs):
    found = json.loads(shell("info", blobs, "--drop", "colour", "--json").out)
    assert found["features"] == ["x", "y", "z", "constant"]
    assert found["n_objects"] == 60
    assert "real values" in found["not clusterings because"]


def test_dates_are_features(shell, tmp_path):
    rows = "".join(f"{i}.5,2024-01-{1 + i % 9:02d}\n" for i in range(12))
    (tmp_path / "a.csv").write_text(f"x,day\n{rows}")
    assert json.loads(shell("info", "a.csv", "--json").out)["features"] == ["x", "day"]


def test_neither_features_nor_labels(shell, tmp_path):
    (tmp_path / "a.csv").write_text("id,x,y\na,red,1.5\nb,blue,2.5\n")
    found = json.loads(shell("info", "a.csv", "--json").out)
    assert found["columns"] == ["x", "y"]
    assert "'x' is not numeric" in found["not features because"]
    assert "'y' holds real values" in found["not clusterings because"]


def test_files_that_cannot_be_read(shell, tmp_path):
    (tmp_path / "a.pdf").write_bytes(b"%PDF")
    for file, words in (("none.ens", "none.ens"), ("a.pdf", "unknown suffix '.pdf'")):
        done = shell("info", file)
        assert done.code == 1
        assert words in done.err


def test_what_looks_wrong_is_told(shell, blobs):
    found = json.loads(shell("info", blobs, "--json").out)
    assert found["notes"] == [
        "column 'name' comes first and hardly repeats, so it is taken for ids (--no-id uses it)",
        "column 'constant' is constant (--drop constant)",
    ]


def test_each_note_has_a_line_and_its_option(shell, tmp_path):
    rows = "".join(f"{i % 7},{-999 if i == 3 else i % 5},0{1000 + i % 9}\n" for i in range(30))
    (tmp_path / "a.csv").write_text(f"x,age,zip\n{rows}")
    lines = shell("info", "a.csv").out.splitlines()
    assert sum("leading zeros" in line for line in lines) == 1
    assert "holds -999 once, like a missing value (--na -999)" in lines[-1]
    assert lines[-1].startswith(" ")


def test_models(shell, blobs):
    run = ["-k", 3, "--drop", "colour", "--members", 4, "--model", "m"]
    assert shell("cluster", blobs, *run).code == 0
    found = json.loads(shell("info", "m", "--json").out)
    assert found["kind"] == "model"
    assert found["columns"] == ["x", "y", "z", "constant"]
    assert (found["n_clusters"], found["scale"]) == (3, "standard")
