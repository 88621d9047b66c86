"""`consens diff`: two clusterings side by side."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from consens.measure import ari, nmi
from consens.show.flow_display import FlowDisplay

BEFORE = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]
AFTER = [1, 1, 1, 0, 0, 0, 0, 0, 2, 3]


@pytest.fixture
def files(tmp_path):
    for name, labels, order in (("a.csv", BEFORE, range(10)), ("b.csv", AFTER, range(9, -1, -1))):
        lines = [f"o{i},{labels[i]},0.9" for i in order]
        (tmp_path / name).write_text("\n".join(["id,label,confidence", *lines]) + "\n")
    return "a.csv", "b.csv"


def test_agreement_flows_and_moved_objects(shell, files):
    done = shell("diff", *files, "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["ari"] == pytest.approx(ari(BEFORE, AFTER))
    assert found["nmi"] == pytest.approx(nmi(BEFORE, AFTER))
    # 1 of B is 0 of A, 0 of B is 1 of A; one object of 2 stays, the other is in a new cluster
    assert found["partners"]["1"] == "0"
    assert found["partners"]["0"] == "1"
    assert found["n_moved"] == 2
    assert found["flows"]["0"] == {"0": 1, "1": 3, "2": 0, "3": 0}
    with open("diff.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0] == {"id": "o3", "before": "0", "after": "0", "matched": "1"}
    assert rows[1]["id"] in ("o8", "o9")
    assert "<svg" in Path("diff.svg").read_text()


def test_objects_of_one_file_only_are_counted(shell, files):
    Path("b.csv").write_text("id,label,confidence\no0,1,0.9\no4,0,0.9\nnew,0,0.9\n")
    done = shell("diff", *files)
    assert done.code == 0, done.err
    assert "2 objects, 0 moved" in done.out
    assert "8 objects have a label only in a.csv" in done.err
    assert "1 object has a label only in b.csv" in done.err


def test_moved_objects_in_the_dialect_of_the_first_file(shell):
    Path("a.csv").write_text("Nr;label;confidence\nk1;0;0,9\nk2;0;0,9\nk3;1;0,8\nk4;;0,0\n")
    Path("b.csv").write_text("Nr,label,confidence\nk1,1,0.9\nk2,1,0.9\nk3,1,0.8\nk4,1,0.7\n")
    done = shell("diff", "a.csv", "b.csv")
    assert done.code == 0, done.err
    assert Path("diff.csv").read_text() == "Nr;before;after;matched\nk3;1;1;0\n"
    assert "matched by their objects: 1 with 0\n" in done.err
    assert "1 object has a label only in b.csv" in done.err


def test_wrong_input(shell, files, votes):
    assert "4 clusterings; expected ids and one" in shell("diff", files[0], votes).err
    assert shell("diff", *files, "--plot", "x.gif").code == 2
    Path("c.csv").write_text("id,label,confidence\nx,1,0.9\n")
    assert "no ids with a label in common" in shell("diff", "a.csv", "c.csv").err


def test_names_and_noise(shell):
    display = FlowDisplay.compute(["u", "u", "v", "-1"], ["p", "p", "q", "-1"]).plot()
    assert display.partners == {"p": "u", "q": "v", "-1": "-1"}
    assert not display.moved.any()
    assert display.table.loc["-1", "-1"] == 1
    shown = [text.get_text() for text in display.ax_.texts]
    assert "u (2)" in shown
    assert "q (1)" in shown


def test_equal_partitions_under_other_names_do_not_move():
    labels = np.random.default_rng(0).integers(0, 5, 100)
    display = FlowDisplay.compute(labels, (labels + 2) % 5)
    assert display.moved.sum() == 0
    assert display.ari == 1


def test_results_of_all_forms_in_the_dialect_of_the_first(shell, tmp_path):
    """With memberships or a second choice behind the confidence, and a table of classes."""
    texts = {
        "members.csv": "Nr;label;confidence;membership_0;membership_1",
        "predicted.csv": "Nr;label;confidence;second",
        "classes.csv": "Nr;class",
    }
    for c, (name, head) in enumerate(texts.items()):
        more = ";0,5" * (head.count(";") - 1)
        rows = [f"{i};{'AB'[i >= 5 + c]}{more}" for i in range(12)]
        (tmp_path / name).write_text("\n".join([head, *rows]))
    for other in ("predicted.csv", "classes.csv"):
        done = shell("diff", "members.csv", other, "--quiet")
        assert done.code == 0, done.err
        assert Path("diff.csv").read_text().startswith("Nr;before;after;matched\n5;B;A;A\n")
    done = shell("measure", "members.csv", "--truth", "classes.csv", "--json")
    assert json.loads(done.out)["clusterings"][0]["clustering"] == "label"
