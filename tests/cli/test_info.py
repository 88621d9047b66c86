"""`consens info`: what a file is."""

import json


def test_ensemble(shell, blobs):
    made = ["--members", 5, "--seed", 4, "-o", "x.ens"]
    assert shell("generate", blobs, "--drop", "colour", *made).code == 0
    found = json.loads(shell("info", "x.ens", "--json").out)
    assert found["kind"] == "ensemble"
    assert (found["n_objects"], found["n_members"], found["seed"]) == (60, 5, 4)
    assert found["algorithms"] == {"KMeans": 5}
    assert found["payload"] == ["centers"]
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


def test_table_of_features(shell, blobs):
    found = json.loads(shell("info", blobs, "--drop", "colour", "--json").out)
    assert found["features"] == ["x", "y", "z", "constant"]
    assert found["n_objects"] == 60
    assert "real values" in found["not clusterings because"]


def test_neither(shell, tmp_path):
    (tmp_path / "a.csv").write_text("id,x,y\na,red,1.5\nb,blue,2.5\n")
    done = shell("info", "a.csv")
    assert done.code == 1
    assert "not numeric" in done.err
    assert shell("info", "none.ens").code == 1
